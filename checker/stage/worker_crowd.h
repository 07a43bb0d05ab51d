/* worker_crowd.h - enqueue and receive among other processes, killed processes, failing storage */
#ifndef WORKER_CROWD_H
#define WORKER_CROWD_H

#include "worker_once.h"

#define CROWD 6

/*
 * Six processes take these events at the same moment, all of them waiting for one lock.  How
 * many of them came to { VALUE, 1 }; the others came to { VALUE, 0 }.
 */
int crowd_take(const struct once *once, const struct event events[CROWD]);

/*
 * At each storage operation of a call in turn another process takes the same id, with this much
 * more or less qty: where it came first the id is known, where it was locked out it is new.
 */
void crowd_rival(const struct once *once, int more);

/* A kill at each fault point; the next process completes the work. */
void crowd_kill_at_points(const struct once *once);

/* A kill at each storage operation, of a new id in rollback mode or in WAL mode. */
void crowd_sweep_kills(const struct once *once, bool wal);

/*
 * An error of storage at each operation, of a new or of a known id: the call hands it on and
 * changed nothing, or SQLite got over it.
 */
void crowd_sweep_errors(const struct once *once, int code, bool known);

#endif
