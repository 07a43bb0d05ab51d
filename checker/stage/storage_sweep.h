/*
 * storage_sweep.h - one call, killed or failed at each of its storage operations in turn
 *
 * A process that is killed leaves its files as they are: what it wrote the kernel has.  So one
 * call, stopped before each operation, shows what a kill at each would leave; and one such kill
 * is done.  Thoroughly, each of them is: a process and a store of its own for k = 1, 2, 3, ...
 * until one call runs to its end.  Errors go on in the same process.
 */
#ifndef STORAGE_SWEEP_H
#define STORAGE_SWEEP_H

#include "expect.h"
#include "how.h"

struct sweep {
    const char *store;               /* the first name of the stores                             */
    void (*make)(const char *store); /* makes one                                               */
    int busy_timeout_ms;
    bool opens; /* the call opens the store by itself, and so does complete, which closes it too */
    /* The call under test, on the store as the puppet's connection of that name. */
    struct answer (*call)(void *context, struct puppet *worker, const struct how *how);
    /* What must hold after it was killed (answer.killed) or has failed: all or nothing. */
    void (*judge)(void *context, const char *store, struct answer answer);
    /* The work is completed by another process, and what must hold then; NULL: nothing. */
    void (*complete)(void *context, struct puppet *other, const struct how *how);
    void *context;
};

/* What a kill before each operation leaves, and one kill.  Notes the count; it is above zero. */
void sweep_kills(const struct sweep *sweep);

/* Kills a process before each operation. */
void sweep_kills_thoroughly(const struct sweep *sweep);

/*
 * Lets each operation fail with the code, reads included: SQLITE_IOERR, SQLITE_FULL,
 * SQLITE_BUSY.  judge gets the answers; operations of the run that met no error end it.
 */
void sweep_errors(const struct sweep *sweep, int code);

/*
 * Lets each allocation of SQLite and cJSON in turn find no memory.  What the call returns is free;
 * it must not crash, and what it leaves is judged as after a kill.
 */
void sweep_memory(const struct sweep *sweep);

#endif
