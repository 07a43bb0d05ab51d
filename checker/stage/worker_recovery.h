/*
 * worker_recovery.h - the whole of Part 1 with real processes: a publisher (the learner's
 * dispatch with his send_http) against a warehouse (his receive behind a real server), one of
 * them killed on the way, and new processes that finish the work.
 *
 * Both stores are opened by the learner's open_store.  Nothing but the stores survives.
 */
#ifndef WORKER_RECOVERY_H
#define WORKER_RECOVERY_H

#include "server.h"
#include "worker_calls.h"

#define ORDERS_MAX 4

enum place {
    PLACE_NOWHERE,
    /* The publisher's process is killed ... */
    PLACE_BEFORE_SEND,    /* before it sends                                  */
    PLACE_ARRIVED,        /* the request has arrived, the warehouse sleeps    */
    PLACE_RECEIVED,       /* the warehouse committed, no byte of an answer    */
    PLACE_HALF_ANSWER,    /* half the answer is sent                          */
    PLACE_ANSWERED,       /* the whole answer is sent                         */
    PLACE_AFTER_DELIVERY, /* the fault point, before the mark                 */
    PLACE_IN_PUBLISHER,   /* before the operation-th storage operation        */
    /* The warehouse's process is killed; the publisher's connection closes ... */
    PLACE_AT_POINT,     /* at a fault point of receive                      */
    PLACE_IN_WAREHOUSE, /* before the operation-th storage operation        */
    /* Both are killed ... */
    PLACE_POWER, /* the warehouse committed, no byte of an answer    */
    /* None is killed ... */
    PLACE_LOST_ANSWER, /* the answer is lost: the connection closes        */
    PLACE_LATE_ANSWER, /* it comes after the publisher's patience          */
    PLACE_REFUSED      /* 503 though the warehouse committed               */
};

/* One place on the way of one order; where the run comes to it. */
struct plan {
    enum place place;
    int order; /* the order it befalls, from 1 */
    int operation;
    const char *point;
};

struct shop {
    struct server *server;
    struct puppet *publisher, *warehouse;
    const char *source, *sink; /* the stores' names */
    struct event orders[ORDERS_MAX];
    int count;
    const struct plan *plan; /* of the run under way */
    int sends;               /* in it */
    bool happened;           /* the plan's place was reached */
};

/* New stores and processes; the orders are enqueued. */
struct shop shop_open(int orders);

/* One dispatch as the plan says. */
struct answer shop_run(struct shop *shop, const struct plan *plan);

/* New processes for those that are dead. */
void shop_revive(struct shop *shop);

/* What the stores hold: how many orders are in effect at the warehouse, which are marked. */
void expect_stores(const struct shop *shop, int received, const char *sent);

/* What is left is sent by new processes, and then all is done, once. */
void expect_recovery(struct shop *shop);

/*
 * With new stores: a new process at PLACE_IN_PUBLISHER or PLACE_IN_WAREHOUSE dies before this
 * storage operation, and the shop's own one finishes.  False where the call ends before.
 */
bool shop_turn(struct shop *shop, enum place place, int operation);

/* How often the order was sent, from 1; every request was for an order of the shop. */
void expect_sends_of(const struct shop *shop, int order, int times);

#endif
