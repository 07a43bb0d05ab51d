/*
 * remove.h - a directory is removed with all that is in it, whatever that is.
 */
#ifndef REMOVE_H
#define REMOVE_H

#include <stdbool.h>
#include <time.h>

/*
 * Removes the directory name below the directory base_fd, but its entry last at the
 * end, where last is not NULL.  No symbolic link is followed, no mode is in the way,
 * and what appears meanwhile is removed too.  False where something is left.
 */
bool remove_tree(int base_fd, const char *name, const char *last);

/*
 * Removes what a Criterion runner leaves that was killed or ended early: this user's
 * /dev/shm/bxf_arena_<pid>, /dev/shm/bxfi_<pid> and /tmp/criterion_<pid>.sock, made since, of
 * processes that are dead.
 */
void remove_traces(time_t since);

#endif
