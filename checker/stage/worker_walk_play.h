/* worker_walk_play.h - one move of a walk, played in a store and in its model at once */
#ifndef WORKER_WALK_PLAY_H
#define WORKER_WALK_PLAY_H

#include "worker_model.h"
#include "worker_once.h"
#include "worker_walk.h"

#define POOL  20 /* events that a walk is about */
#define PAIR  2  /* processes with the learner's code */
#define MOVES 60
#define AGAIN 30 /* times the same call */

struct move {
    enum {
        MOVE_CALL,
        MOVE_PUT,    /* someone else adds the event                                          */
        MOVE_REMOVE, /* ... removes it                                                       */
        MOVE_MARK,   /* ... marks it, or takes the mark back; a sink's stock row goes or comes */
        MOVE_BEND,   /* ... changes one of its two rows alone; a sink's total                */
        MOVE_PROCESS /* the process is killed, and another takes its place                   */
    } kind;
    int who;   /* of the pair                                       */
    int event; /* of the pool                                       */
    bool own;  /* the someone else is the application itself, on the connection that it lends */
    enum { EVENT_SAME, EVENT_OTHER_QTY, EVENT_NONE } variant;
    enum { HOOK_USUAL, HOOK_NONE, HOOK_NO_CONTEXT } hook;
    enum trouble {
        TROUBLE_NONE,
        TROUBLE_LOOK,      /* none, but what can be seen and done at each point is looked at */
        TROUBLE_ODD_VALUE, /* the hook says { VALUE, odd }, the sender anything but 1    */
        TROUBLE_HOOK,      /* fails                                                      */
        TROUBLE_SENDER,    /* fails                                                      */
        TROUBLE_KILL_POINT,
        TROUBLE_KILL_SEND,
        TROUBLE_KILL_STORAGE,
        TROUBLE_STORAGE,   /* an operation fails                                         */
        TROUBLE_LOCK,      /* another process holds the write lock all the time          */
        TROUBLE_READER,    /* ... reads all the time: without a log no COMMIT can end    */
        TROUBLE_VETO,      /* the connection refuses every COMMIT from now on: then it is killed */
        TROUBLE_AGAIN,     /* none, but the same call thirty times, where it changes nothing      */
        TROUBLE_REFUSED,   /* a trigger refuses the write                                */
        TROUBLE_RIVAL,     /* another process changes the row while the sender runs      */
        TROUBLE_MEANWHILE, /* ... writes before some operation of storage, if it can     */
        TROUBLE_MEMORY     /* runs out: a call may come to anything, but all or nothing  */
    } trouble;
    int at;        /* which fault point or send, from 0              */
    int operation; /* of storage or memory, from 1; one of several ways, too */
    int limit;
    struct outcome reply;
};

/* The store and the connections of a walk; each may be so or not. */
struct setting {
    union {
        struct {
            bool log;      /* WAL mode                                                  */
            bool utf16;    /* the texts of the store                                    */
            bool index;    /* one more, in which rows have another order                */
            bool notes;    /* triggers write elsewhere whenever a row is written        */
            bool extended; /* SQLite's calls give extended result codes                 */
            bool patience; /* the busy handler is the application's own                 */
        };
        bool all[6];
    };
};

struct world {
    enum walk_function function;
    const char *store;
    struct setting setting;
    struct event pool[POOL];
    struct model model;
    struct puppet *pair[PAIR]; /* NULL: not started */
    int gave_up[PAIR];         /* its busy handler, so often */
    struct puppet *hand;
};

/* The check fails where what is seen is not what the model says. */
void walk_play(struct world *world, const struct move *move);

/* The call of a move, by function; worker_walk_take.c, _read.c and _dispatch.c. */
struct answer walk_take(struct world *world, struct puppet *worker, const struct move *move);
struct answer walk_pending(struct world *world, struct puppet *worker, const struct move *move);
struct answer walk_mark(struct world *world, struct puppet *worker, const struct move *move);
struct answer walk_dispatch(struct world *world, struct puppet *worker, const struct move *move);

/* What the calls share: the event as the call gets it, ... */
struct event walk_event(const struct world *world, const struct move *move);
cJSON *walk_spec(const struct world *world, const struct move *move);
/* ... how it is made, but for directions, ... */
struct how walk_how(const struct world *world, const struct move *move);
/* ... an answer that may also be the error that was made, and whether it is that, ... */
bool walk_is_trouble(struct answer answer, const struct move *move);
/* ... SQLite's code for a COMMIT that writes, SQLITE_OK where it can, ... */
int walk_commit_code(const struct world *world, const struct move *move);
/* ... and the rows then. */
void walk_expect_rows(const struct world *world);
/* Where a call was killed on the way either of two models holds; it is taken. */
void walk_settle(struct world *world, const struct model *before, const struct model *after);

#define WALK_PUT_PLAINLY 2 /* an operation by which MOVE_PUT adds the row as the last */

/* What someone else does between two calls, by the kind of the move; worker_walk_beside.c. */
void walk_beside(struct world *world, const struct move *move);
/* ... and around a call: the trouble begins, and is over. */
void walk_trouble_begins(const struct world *world, const struct move *move);
void walk_trouble_ends(const struct world *world, const struct move *move);
/* ... whether a lock keeps readers out, too, where the store has no log, ... */
bool walk_shuts_out_readers(const struct move *move);
/* ... and at one moment of it, where it can: true where it did.  The caller says which SQL. */
bool walk_meanwhile(const struct world *world, const char *sql);

#endif
