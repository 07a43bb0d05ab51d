/*
 * status.h - what the kernel says of this process: /proc/thread-self/status (proc(5))
 *
 * One file instead of a system call for each signal and a directory of threads: it is read
 * before and after every call of learner code.
 */
#ifndef STATUS_H
#define STATUS_H

#include <stdint.h>

struct status {
    int threads;
    uint64_t blocked; /* bit n - 1: signal n, as in the next two */
    uint64_t ignored;
    uint64_t caught;
};

struct status status_read(void);

/*
 * A line for each signal, two for one that is handled; for those of real time only where they
 * are not as usual, which nearly always is nowhere.  The caller frees it.
 */
char *status_signals(struct status status);

#endif
