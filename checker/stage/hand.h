/* hand.h - another process at the store: holds locks, reads, writes, as the check says */
#ifndef HAND_H
#define HAND_H

#include "puppet.h"

/* Opens a connection of the puppet's own, under that name; the check ends where it cannot. */
void puppet_open(struct puppet *puppet, const char *store, const char *name, int busy_timeout_ms);

/* Opens the store in the hand's process; its busy timeout is 0. */
struct puppet *hand_open(const char *store);

/* Runs SQL there; the SQLite result code, extended. */
int hand_try(struct puppet *hand, const char *sql);

/*
 * Runs SQL on a connection of the puppet's; the result code.  A worker that waits for a lock looks
 * at it now and then, and a COMMIT that meets such a look is tried again.
 */
int sql_on(struct puppet *puppet, const char *connection, const char *sql);

/* The same in the hand's process, where it must succeed. */
void hand_do(struct puppet *hand, const char *sql);

/*
 * The rows that the SQL reads on the puppet's own connection named so, "a|1\nb|2\n"; the caller
 * frees it.  For a puppet that waits at a fault point too: what it sees is uncommitted.
 */
char *puppet_rows(struct puppet *puppet, const char *connection, const char *sql);

/* An order with its name, for call_begin and call_order. */
cJSON *order_of(const char *name);

#endif
