/*
 * ordered_calls.h - the functions of ordered.h, called in a puppet, and the two sides' stores.
 *
 *     struct command command = move_of(a_name(), 0, 7);
 *     side_make("producer", "producer", "");
 *     struct puppet *worker = worker_at("producer", 50);
 *     expect_outcome(call_advance(worker, &command, NULL), outcome_value(RECEIPT_COMMITTED));
 *
 * A puppet has at most one connection per store, named as the store; where a call's how says
 * nothing else it is the one named as the role that the function plays.
 */
#ifndef ORDERED_CALLS_H
#define ORDERED_CALLS_H

#include "expect.h"
#include "hand.h"
#include "how.h"
#include "store.h"

#include "ordered/ordered.h"

/* A new id of 8 to 20 characters, never the same twice in a check; and a quantity. */
const char *a_name(void);
int64_t a_quantity(void);

/* From now on names have 100 characters and differ in the last: "...7_", "...7A", "...7a", "...7B". */
void names_alike(void);

/* "{"amount":N}" for schema 1, "{"units":N}" for schema 2. */
const char *payload_of(int schema, int64_t quantity);

/* The stage that a flow reaches with its seq-th event: "reserved" for 1. */
const char *stage_of(int64_t seq);

/* The four stages in their order, then words that are nearly one of them, and one that is not. */
#define STAGE_WORDS 12
extern const char *const stage_words[STAGE_WORDS];

/* Texts that are no ids, for their length or for one character somewhere. */
#define BAD_IDS 10
extern const char *const bad_ids[BAD_IDS];

/* A new command, of schema 1, that moves the flow on from there. */
struct command move_of(const char *flow_id, int64_t expected_seq, int64_t quantity);

/* A new event, of schema 1: the flow's seq-th. */
struct envelope event_of(const char *flow_id, int64_t seq, int64_t quantity);

/* The event that a command writes. */
struct envelope event_by(const struct command *command);

/* An event as the receiver sees it, and as call_relay's stop carries it: JSON text. */
char *event_text(const struct envelope *event);
/* And back; its texts are never freed. */
struct envelope event_read(const char *text);

/* NULL for an event or command is NULL; a NULL member is NULL. */
struct answer call_validate_envelope(struct puppet *worker, const struct envelope *event,
                                     const struct how *how);
struct answer call_open_side(struct puppet *worker, const char *path, const char *role,
                             const char *as, const struct how *how);
struct answer call_advance(struct puppet *worker, const struct command *command,
                           const struct how *how);
struct answer call_receive_event(struct puppet *worker, const struct envelope *event,
                                 const struct how *how);
struct answer call_relay(struct puppet *worker, const char *event_id, const struct how *how);
struct answer call_apply_next(struct puppet *worker, const char *flow_id, bool support_v2,
                              const struct how *how);
/* The answer's "applied" is what *applied is then: see applied_of. */
struct answer call_drain(struct puppet *worker, const char *flow_id, int limit, bool support_v2,
                         const struct how *how);
/* The answer_text "report". */
struct answer call_process_all(struct puppet *worker, int limit, bool support_v2,
                               const struct how *how);
/* The answer_text "tables".  on: the store's connection. */
struct answer call_snapshot(struct puppet *worker, const char *on, const char *role,
                            const struct how *how);

int applied_of(struct answer answer);

/* While another holds the lock: the receipt is known without it, or the store is busy; by no point. */
void expect_receipt_or_busy(struct answer answer, enum receipt receipt);

/* The same calls in two halves, for several processes at once. */
void begin_open_side(struct puppet *worker, const char *path, const char *role, const char *as,
                     const struct how *how);
void begin_advance(struct puppet *worker, const struct command *command, const struct how *how);
void begin_receive_event(struct puppet *worker, const struct envelope *event,
                         const struct how *how);
void begin_relay(struct puppet *worker, const char *event_id, const struct how *how);
void begin_apply_next(struct puppet *worker, const char *flow_id, bool support_v2,
                      const struct how *how);
/* Sees one of them through, and judges the points that it reached by [common.9]. */
struct answer finish_call(struct puppet *worker, const char *function, const struct how *how);

/* --- stores, made by the checker (ordered_stores.c) ------------------------------------ */

/* The tables of a role and these rows, in WAL mode, as open_side leaves a file. */
void side_make(const char *role, const char *store, const char *rows);
/* The same in rollback mode, where a reader holds a COMMIT up. */
void side_make_plain(const char *role, const char *store, const char *rows);
/* As side_make, the texts being kept in UTF-16. */
void side_make_wide(const char *role, const char *store, const char *rows);
/* A file in WAL mode without the tables of either role, opened in the puppet: an SQLITE_ERROR. */
void side_make_bare(struct puppet *worker, const char *store);
/* SQL of rows "many-N", of a flow each: accepted ones, or ones that wait in the inbox. */
char *many_rows(const char *role, int first, int last);
/* The CREATE TABLEs alone. */
const char *side_tables(const char *role);

/* SQL of one row each. */
char *flow_row(const char *flow_id, const char *stage, int64_t seq, int64_t quantity);
char *outbox_row(const struct envelope *event, int accepted);
/* reason NULL is NULL. */
char *inbox_row(const struct envelope *event, int applied, int blocked, const char *reason);
char *projection_row(const char *flow_id, const char *stage, int64_t last_seq, int64_t quantity);
char *effect_row(const struct envelope *event, int64_t quantity);
/* An inbox row that was applied, with its effect; the projection is the caller's. */
char *applied_rows(const struct envelope *event, int64_t quantity);

/* All rows of all tables of the role, positions left out, as text to compare. */
char *side_rows(const char *role, const char *store);
/* The SQL by which they are read, for puppet_rows. */
const char *side_query(const char *role);
/* What they are in a store that was made with these rows. */
char *side_with(const char *role, const char *rows);

#endif
