/*
 * call.h - one call of a learner's function, between two observations.
 *
 *     struct call call = call_begin(order, con, false);
 *     struct outcome outcome;
 *     do
 *         outcome = function(...);
 *     while (call_again(&call));
 *     call_end(&call, outcome, answer);
 *
 * The order may hold "storage" { "at", "code", "reads" } (see storage.h), "times" (the same
 * call again and again: the heap may not grow) and "fault" (false: no hook; null: its context is
 * NULL).  The answer gets "answer" [kind, code], "breaches" and, with storage, "operations".
 */
#ifndef CALL_H
#define CALL_H

#include "observation.h"
#include "outcome.h"

struct call {
    struct observation before;
    sqlite3 *con;
    cJSON *breaches;
    bool may_open;
    bool counts_storage;
    bool counts_memory;
    int times;
    int done;
    size_t heap_bytes;
};

struct call call_begin(const cJSON *order, sqlite3 *con, bool may_open);
bool call_again(struct call *call);
void call_end(struct call *call, struct outcome outcome, cJSON *answer);

/* Frees what a call returned. */
void call_delete(cJSON *result);

/* The hook that the order asks for: the trap's, or NULL. */
const struct fault *call_fault(const cJSON *order);

/* Breach of [common.5] where an argument is no longer what it was. */
void call_expect_kept(struct call *call, const char *name, bool is_kept);

/* The same where the value's description is not what it was; frees before. */
void call_compare(struct call *call, const char *name, char *before, char *now);

#endif
