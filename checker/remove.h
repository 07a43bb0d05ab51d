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
 * Removes the shared memory that a killed Criterion runner leaves: this user's
 * bxf_arena_<pid> and bxfi_<pid>, made since, of processes that are dead.
 */
void remove_arenas(time_t since);

#endif
