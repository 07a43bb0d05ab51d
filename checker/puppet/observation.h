/*
 * observation.h - what must be the same before and after a call: the common law.
 *
 * The worker.h clauses [common.1] to [common.5], as far as a process can see them in itself.
 */
#ifndef OBSERVATION_H
#define OBSERVATION_H

#include "borrow.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct observation {
    struct borrow_counts borrowed;
    char *descriptors; /* a line per open descriptor              */
    char *environment; /* its variables                           */
    char *directory;   /* the working directory                   */
    char *locale;
    char *signals; /* the action of each signal, and the mask */
    int threads;
};

/* con: the connection that is lent to the call, or NULL. */
struct observation observation_take(sqlite3 *con);

/*
 * Compares now with *before, which it frees; con is the connection lent, or NULL, and
 * may_open is true for a function that opens one.  The array's elements are
 * { "clause", "expected", "got" }; the caller frees it.
 */
cJSON *observation_compare(struct observation *before, sqlite3 *con, bool may_open);

/* Adds a breach of a clause to such an array. */
void observation_add(cJSON *breaches, const char *clause, const char *expected, const char *got);

/*
 * All that a JSON value is made of, addresses and flags included, as text to compare; the
 * caller frees it.
 */
char *observation_of_json(const cJSON *value);

/* Bytes of heap in use; 0 where the build cannot tell (malloc alone counts what it keeps itself). */
size_t observation_heap_bytes(void);

/* True in a build that finds misuse of memory. */
bool observation_sees_addresses(void);

/* Looks for memory that nothing points to any more; reports on standard error. */
bool observation_has_leak(void);

#endif
