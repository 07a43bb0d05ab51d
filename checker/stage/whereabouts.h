/*
 * whereabouts.h - what a process that does not answer is doing.
 */
#ifndef WHEREABOUTS_H
#define WHEREABOUTS_H

#include <sys/types.h>

/*
 * "waiting in poll, called at worker.c:120", "running at worker.c:31 (a loop that does not end?)"; the
 * line where the kernel lets us look at the process and addr2line is there.  Stops it by SIGSTOP: it
 * is of no use afterwards.  The caller frees it.
 * Source: proc(5), /proc/PID/syscall.
 */
char *whereabouts_of(pid_t pid);

#endif
