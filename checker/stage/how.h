/*
 * how.h - how a call is to be made, and puppets at stores.
 */
#ifndef HOW_H
#define HOW_H

#include "call.h"

#define STORAGE_EVERY (-1)

/* How a call is to be made; NULL: with a hook that goes on. */
struct how {
    struct directions directions;
    bool no_hook;        /* the fault pointer is NULL                                       */
    bool no_context;     /* the hook is called with NULL                                    */
    int times;           /* more than 1: the same call again and again, memory may not grow */
    bool storage;        /* count storage operations                                        */
    int storage_at;      /* stop before this one, or EVERY (STOP_STORAGE), or let it fail ... */
    int storage_code;    /* ... with this SQLite code                                       */
    bool storage_reads;  /* reads count too                                                 */
    int memory_at;       /* this allocation of SQLite or cJSON finds no memory              */
    const char *on;      /* the connection's name, where it is not the store's usual one    */
    const char *url;     /* the sender calls the learner's send_http with this ...          */
    const char *timeout; /* ... and this                                                    */
    const char *to;      /* the receiver hands over on this connection of the same puppet   */
    bool bare;           /* the receiver is called with NULL                                */
    const char *through; /* the receiver itself relays on this connection of the same puppet */
};

/* The order for a function, with all of that; on is the usual connection, or NULL. */
cJSON *how_order(const char *function, const char *on, const struct how *how);

/* ", without a hook", ", 30 times" and the like; the caller frees it. */
char *how_text(const struct how *how);

const struct directions *how_directions(const struct how *how);

/* A puppet with the learner's code and its own connection to the store. */
struct puppet *worker_at(const char *store, int busy_timeout_ms);

/* Opens and closes a further connection in a puppet, named as the store. */
void worker_open(struct puppet *worker, const char *store, int busy_timeout_ms);
void worker_close(struct puppet *worker, const char *store);

#endif
