/* worker_walk_play.h - one move of a walk, played in a store and in its model at once */
#ifndef WORKER_WALK_PLAY_H
#define WORKER_WALK_PLAY_H

#include "worker_model.h"
#include "worker_once.h"
#include "worker_walk.h"

#define POOL  20 /* events that a walk is about */
#define PAIR  2  /* processes with the learner's code */
#define MOVES 60

struct move {
    enum {
        MOVE_CALL,
        MOVE_PUT,    /* another process adds the event                        */
        MOVE_REMOVE, /* ... removes it                                        */
        MOVE_MARK, /* ... marks it, or takes the mark back; in a sink: the stock row goes or comes */
        MOVE_PROCESS /* the process is killed, and another takes its place    */
    } kind;
    int who;   /* of the pair    */
    int event; /* of the pool    */
    enum { EVENT_SAME, EVENT_OTHER_QTY, EVENT_NONE } variant;
    enum trouble {
        TROUBLE_NONE,
        TROUBLE_NO_HOOK,
        TROUBLE_ODD_VALUE, /* the hook says { VALUE, odd }, the sender anything but 1    */
        TROUBLE_HOOK,      /* fails                                                      */
        TROUBLE_SENDER,    /* fails                                                      */
        TROUBLE_KILL_POINT,
        TROUBLE_KILL_SEND,
        TROUBLE_KILL_STORAGE,
        TROUBLE_STORAGE, /* an operation fails                                         */
        TROUBLE_LOCK,    /* another process holds the write lock all the time          */
        TROUBLE_REFUSED, /* a trigger refuses the write                                */
        TROUBLE_RIVAL,   /* another process marks the event while the sender runs      */
        TROUBLE_MEMORY   /* runs out: a call may come to anything, but all or nothing    */
    } trouble;
    int at;        /* which fault point or send, from 0 */
    int operation; /* of storage or memory, from 1      */
    int limit;
    struct outcome reply;
};

struct world {
    enum walk_function function;
    const char *store;
    struct event pool[POOL];
    struct model model;
    struct puppet *pair[PAIR]; /* NULL: not started */
    struct puppet *hand;
};

/* The check fails where what is seen is not what the model says. */
void walk_play(struct world *world, const struct move *move);

/* The call of a move, by function; worker_walk_play.c. */
void walk_take(struct world *world, struct puppet *worker, const struct move *move);
void walk_pending(struct world *world, struct puppet *worker, const struct move *move);
void walk_mark(struct world *world, struct puppet *worker, const struct move *move);
void walk_dispatch(struct world *world, struct puppet *worker, const struct move *move);

/* What the calls share: the event as the call gets it, ... */
struct event walk_event(const struct world *world, const struct move *move);
cJSON *walk_spec(const struct world *world, const struct move *move);
/* ... the storage part of how it is made, ... */
void walk_arm(const struct move *move, struct how *how);
/* ... an answer that may also be the error that was made, and whether it is that, ... */
bool walk_is_trouble(struct answer answer, const struct move *move);
/* ... and the rows then. */
void walk_expect_rows(const struct world *world);
/* Where a call was killed on the way either of two models holds; it is taken. */
void walk_settle(struct world *world, const struct model *before, const struct model *after);

#endif
