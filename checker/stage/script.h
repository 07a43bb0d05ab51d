/*
 * script.h - which response is next.  Private to the server; locked by itself, so that any
 * thread may write it while the server's reads it.
 */
#ifndef STAGE_SCRIPT_H
#define STAGE_SCRIPT_H

#include "stage/server.h"

#include <pthread.h>

struct script {
    pthread_mutex_t lock;
    struct response *queue; /* copies; the first queue_taken were used */
    int queue_taken, queue_count;
    struct response standing;
    server_decider *decide; /* NULL: the standing one holds */
    void *context;
};

void script_open(struct script *script);
void script_close(struct script *script);
void script_add(struct script *script, const struct response *response);
void script_set(struct script *script, const struct response *response);
void script_set_decider(struct script *script, server_decider *decide, void *context);

/* The caller's copy, for response_free(). */
struct response script_next(struct script *script, const struct received *request);

#endif
