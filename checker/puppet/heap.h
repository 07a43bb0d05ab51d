/*
 * heap.h - what learner code keeps of the heap, counted cheaply
 *
 * LeakSanitizer is sure but slow, so it is asked only where this count rouses suspicion: blocks
 * that learner code allocated and did not free, or memory of SQLite's that no connection
 * accounts for.  SQLite's own allocations do not count as the learner's.
 */
#ifndef HEAP_H
#define HEAP_H

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdbool.h>

/* Before SQLite is first used. */
void heap_watch(void);

/* Measures what a page of a cache takes beyond what SQLite says of it; once, before any call. */
void heap_learn(void);

/* Learner code runs from now on (true), or ours (false).  Says what it was before. */
bool heap_is_learners(bool learners);

/* The so-many-th allocation that SQLite or cJSON make for learner code finds no memory; 0: none. */
void heap_fail_at(int allocation);

/* How many there were since then. */
int heap_allocations(void);

/* True where it was an allocation of a ROLLBACK. */
bool heap_denied_rollback(void);

/*
 * Notes the state before a call on con (or NULL), and compares it afterwards; is_opened where
 * con is a connection that the call opened.
 */
void heap_before(sqlite3 *con);
void heap_after(sqlite3 *con, bool is_opened);

/* True once a call kept something. */
bool heap_is_suspect(void);

/* Adds, as observation_add does, that many calls kept something, whether or not it can be reached. */
void heap_judge(cJSON *breaches);

#endif
