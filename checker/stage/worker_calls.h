/*
 * worker_calls.h - the functions of worker.h, called in a puppet, and their stores.
 *
 *     struct event order = an_event();
 *     source_make();
 *     struct puppet *worker = worker_at("source", 50);
 *     expect_outcome(call_enqueue(worker, spec_of(order), NULL), outcome_value(1));
 *
 * A puppet has at most one connection per store, named as the store.
 */
#ifndef WORKER_CALLS_H
#define WORKER_CALLS_H

#include "expect.h"
#include "hand.h"
#include "how.h"
#include "store.h"

struct event {
    char id[65];
    int qty;
};

/* A new id of 8 to 20 characters, never the same twice in a check, and a qty of 1 to 500. */
struct event an_event(void);

/* The same id with another qty. */
struct event other_qty(struct event event);

struct event event_of(const char *id, int qty);

/* How an event is spelled for a call: as JSON of the event, as any JSON text, or as one of the
   odd values of puppet/event.c.  A call consumes it. */
cJSON *spec_of(struct event event);
cJSON *spec_text(const char *json);
cJSON *spec_odd(const char *name, struct event event);

struct answer call_validate(struct puppet *worker, cJSON *event, const struct how *how);
/* role NULL is NULL; the connection is kept under the name as. */
struct answer call_open_store(struct puppet *worker, const char *path, const char *role,
                              const char *as, const struct how *how);
struct answer call_enqueue(struct puppet *worker, cJSON *event, const struct how *how);
struct answer call_pending(struct puppet *worker, int limit, const struct how *how);
struct answer call_receive(struct puppet *worker, cJSON *event, const struct how *how);
struct answer call_mark_sent(struct puppet *worker, cJSON *event, const struct how *how);
struct answer call_dispatch(struct puppet *worker, int limit, const struct how *how);
/* timeout as text for strtod, "nan" and "inf" included; url NULL is NULL. */
struct answer call_send_http(struct puppet *worker, const char *url, cJSON *event,
                             const char *timeout, const struct how *how);

/* The same calls in two halves, for several processes at once; see call_finish. */
void begin_with_event(struct puppet *worker, const char *function, cJSON *event,
                      const struct how *how);
void begin_dispatch(struct puppet *worker, int limit, const struct how *how);
void begin_open_store(struct puppet *worker, const char *path, const char *role, const char *as,
                      const struct how *how);
void begin_send_http(struct puppet *worker, const char *url, cJSON *event, const char *timeout,
                     const struct how *how);

/* The events that pending gives for these, as JSON text; the caller frees it. */
char *events_text(const struct event *events, int count);
/* The answer of pending: { VALUE, count } and these events, in this order. */
#define expect_events(answer, events, count)                                                       \
    (stage_at(__FILE__, __LINE__), expect_that_events(answer, events, count))
void expect_that_events(struct answer answer, const struct event *events, int count);

/* Stores made by the checker, with the tables of worker.h, in rollback mode. */
void source_make(void);
void sink_make(void);
void source_make_as(const char *store);
void sink_make_as(const char *store);
/* SQL for store_make: the tables that are made in that file later will be UTF-16. */
#define STORE_UTF16 "PRAGMA encoding = 'UTF-16'; CREATE TABLE gone (id); DROP TABLE gone"
/* Before any puppet has it open: one order with its outbox row; one inbox row (total rises). */
void source_put(struct event event, int sent);
void sink_put(struct event event);
/* Many at once, in this order; sent is a digit per event. */
void source_put_all(const char *store, const struct event *events, int count, const char *sent);

/* All rows as text, to compare; freed by expect_same.  Without seq, and exactly. */
char *source_rows(const char *store);
char *source_rows_exact(const char *store);
char *sink_rows(const char *store);
/* What they are where these events were taken, in this order; sent is a digit per event. */
char *source_with(const struct event *events, int count, const char *sent);
char *sink_with(const struct event *events, int count);
/* "'id'|qty" of each, by id, a line each. */
char *rows_by_id(const struct event *events, int count);

#endif
