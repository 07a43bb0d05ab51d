/*
 * call.h - one call of a learner's function, seen from outside.
 *
 * Whatever no check can want ends the check by itself: a call that does not come back, a
 * death that was not ours, OUTCOME_TODO that no hook and no sender said, a breach of the common
 * law ([common.1] to [common.6], observed by the puppet after every call).
 */
#ifndef CALL_H
#define CALL_H

#include "outcome.h"
#include "puppet.h"

#include <stdint.h>

#define POINTS_MAX 64
#define CALL_MS    3000 /* a call's deadline where directions say nothing else */

/* A place in the middle of a call at which the puppet waits for us. */
struct stop {
    struct puppet *puppet;
    enum stop_kind {
        STOP_FAULT,  /* a fault point: point                                  */
        STOP_SEND,   /* the sender was called: event                          */
        STOP_SENT,   /* the learner's send_http came back: outcome            */
        STOP_STORAGE /* before the operation-th storage operation: point says which */
    } kind;
    const char *point;
    const cJSON *event;
    struct outcome outcome;
    int operation;
    int usual;         /* at a STOP_SEND: the value that says yes    */
    int count;         /* of stops of this kind in this call, from 1 */
    const char *spoil; /* may be set at a STOP_SEND: "bytes", "qty", "empty" */
};

/* How a call is to go.  All of it may be left out. */
struct directions {
    /* What the hook or the sender returns; it may kill the puppet.  NULL: see call_go_on. */
    struct outcome (*at)(void *context, struct stop *stop);
    /* Called when the puppet goes on from a stop, for what is to happen while it does. */
    void (*meanwhile)(void *context, const struct stop *stop);
    /* Called once when the call has lasted that long. */
    void (*later)(void *context);
    int later_ms;
    int deadline_ms;
    void *context;
};

/* What a call came to. */
struct answer {
    struct outcome outcome;
    char function[32]; /* that was called                                        */
    bool killed;       /* by us: there is no outcome                             */
    char points[1024]; /* the fault points reached, in order, a blank between two */
    int sends;         /* how often the sender was called                        */
    int operations;    /* storage operations, where they were counted            */
    int64_t ms;        /* how long it took                                       */
    cJSON *result;     /* all that the puppet said; "copy", "events"             */
};

/* { VALUE, 0 } for a hook; for a sender the value by which the event is taken. */
struct outcome call_go_on(const struct stop *stop);

/* Starts the call that the order describes, with the line that the report shows for it. */
void call_begin(struct puppet *puppet, cJSON *order, const char *line);

/* Sees it through; directions may be NULL. */
struct answer call_finish(struct puppet *puppet, const struct directions *directions);

/* Plays one order that is no call of the learner's; the check ends where it fails. */
cJSON *call_order(struct puppet *puppet, cJSON *order);

/* The number under that name in what a puppet said, or -1: it may have been made to say anything. */
int said_number(const cJSON *said, const char *name);

/* The outcome in a pair of numbers; one of no kind where it is no such pair. */
struct outcome said_outcome(const cJSON *pair);

/* What an answer carries under that name, as text ("" for none); owned by it. */
const char *answer_text(struct answer answer, const char *name);

/* "{ VALUE, 1 }"; the caller frees it. */
char *outcome_text(struct outcome outcome);

#endif
