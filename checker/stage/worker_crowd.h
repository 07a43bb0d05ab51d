/* worker_crowd.h - enqueue and receive among other processes, killed processes, failing storage */
#ifndef WORKER_CROWD_H
#define WORKER_CROWD_H

#include "worker_once.h"

#define CROWD 5

/*
 * So many processes take these events at the same moment, all of them waiting for one lock.
 * How many of them came to { VALUE, 1 }; the others came to { VALUE, 0 }.
 */
int crowd_take(const struct once *once, const struct event events[CROWD]);

/*
 * Another process takes an event before a storage operation of a call: the same event, one with
 * the same id and another qty, or another one.
 */
enum rival { RIVAL_SAME = 1, RIVAL_OTHER_QTY = 2, RIVAL_OTHER_ID = 4 };

/*
 * So, with each of these rivals, before each of the first operations in turn, or of all.  Where
 * the rival came first the call's id is known, where it was locked out the id is new.
 */
#define RIVAL_FIRST 8
#define RIVAL_ALL   300
void crowd_rival(const struct once *once, unsigned rivals, int operations);

/* A kill at each fault point; the next process completes the work. */
void crowd_kill_at_points(const struct once *once);

/*
 * A kill at each storage operation, of a new id; the same in WAL mode; and thoroughly in WAL
 * mode, with a hook, and the next process completes the work.
 */
void crowd_sweep_kills(const struct once *once);
void crowd_sweep_kills_of_a_log(const struct once *once);
void crowd_sweep_kills_thoroughly(const struct once *once);

/*
 * An error of storage at each operation, of a new id, and then of a known one: the call hands
 * it on and changed nothing, or SQLite got over it.
 */
void crowd_sweep_errors(const struct once *once, int code);

/*
 * No memory at each allocation, of a new id: nothing or all is done, and the next process
 * completes the work.  Then of a known one and of a conflict: nothing changes.
 */
void crowd_sweep_memory(const struct once *once);

#endif
