/*
 * ordered.h - the contract of Part 2: the events of one flow take effect in order, once,
 * although they arrive in any order, more than once, and either side may die.
 *
 * A flow walks new -> reserved -> confirmed -> released: three stages, none skipped, none
 * repeated, one quantity all the way.  Two files that share nothing: the producer's, where
 * a flow's state and its outbox change together, and the consumer's, where an event is
 * first taken into custody (inbox) and later applied (projection and effect).  "Accepted"
 * means custody, never that the event was applied.
 *
 * You fill in ordered.c; you never change this file.  The common law of Part 1 holds here
 * too, in this part's words; OUTCOME_CONFLICT is not used, a conflict is a receipt.
 *
 * [common.1] A connection is borrowed: no function but open_side opens one and none
 *            closes the one it was lent.
 * [common.2] On every return, success or failure, the connection is clean: no open
 *            transaction (sqlite3_get_autocommit), no read or write lock
 *            (sqlite3_txn_state), no statement left unfinalised (sqlite3_next_stmt).
 * [common.3] What a call acquires it releases: memory, file descriptors, sockets.
 *            What it returns through a pointer is yours to free with the function
 *            named there.  On failure that pointer is set to NULL.  What a connection
 *            itself keeps (its caches, its -wal and -shm) does not count.
 * [common.4] An error of SQLite is handed on as OUTCOME_SQLITE with the code of the
 *            first call that failed; a ROLLBACK never replaces it.  A refusal that the
 *            call expects and resolves (a key that is there already) is no error.
 * [common.5] Arguments are never modified, nor are the settings of the connection; the
 *            environment, the working directory, the locale and the handling of signals
 *            (actions and mask) stay as they were.
 * [common.6] A hook or a receiver is called with its own context.  A hook that returns
 *            OUTCOME_VALUE, whatever the code, lets the call go on; anything else stops
 *            it and is handed on.  Without a hook (a NULL pointer) the call does the same.
 * [common.7] A call remembers nothing: its arguments and the store alone decide.
 * [common.8] No row is ever deleted.
 * [common.9] No fault is called but those named, once each, and none on a refusal.  While
 *            another connection holds the write lock a refusal may be given at once or be
 *            SQLITE_BUSY; OUTCOME_INVALID comes at once.
 *
 * A hook may read through the connection it was called on, with statements that it
 * finalises, and no more.  Never tested, beside what worker.h names: a NULL flow_id where
 * one is asked for, two processes that open a new file at once, number spellings such as
 * 01, 1. or -0 and a byte order mark in a payload.
 *
 * Not promised: that an effect is more than a local record; fairness, back-off, a dead-letter
 * queue or an alarm; more than one trusted producer; order across flows, a flow reopened or
 * restored from a backup; a bound on the backlog, or delivery in the end; a snapshot of both
 * files at one moment.  After custody, waiting, recovery and alarms are the consumer's duty.
 */
#ifndef ORDERED_H
#define ORDERED_H

#include "outcome.h"
#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define ORDERED_ID_MAX 100
#define ORDERED_QUANTITY_MAX 1000000
#define ORDERED_BUSY_TIMEOUT_MS 5000
#define DRAIN_MAX 1000

/* What a call says when it is no error: the code of an OUTCOME_VALUE. */
enum receipt {
    RECEIPT_IDLE,               /* there was nothing to do                              */
    RECEIPT_COMMITTED,          /* advance: the flow moved, its event is in the outbox  */
    RECEIPT_DUPLICATE,          /* known, same content: nothing changed                 */
    RECEIPT_CONFLICT,           /* known, other content: nothing changed                */
    RECEIPT_STALE,              /* advance: the flow is not at expected_seq             */
    RECEIPT_INVALID_TRANSITION, /* advance: not the next stage, or another quantity     */
    RECEIPT_ACCEPTED,           /* custody taken: the event is durably in the inbox     */
    RECEIPT_APPLIED,            /* apply_next: projection and effect moved by one event */
    RECEIPT_GAP,                /* the flow's next event is missing, a later one waits  */
    RECEIPT_BLOCKED,            /* the flow's next event is there and cannot be applied */
    RECEIPT_LIMIT               /* drain: as many as allowed were applied               */
};

/* What a caller asks the producer for. */
struct command {
    const char *event_id;  /* the caller's name for this attempt; unique for ever       */
    const char *flow_id;
    int64_t expected_seq;  /* where the caller believes the flow is; 0 for a new flow   */
    const char *stage;     /* the stage it is to reach                                  */
    int64_t quantity;      /* 1 to 1,000,000, the same for all of a flow                */
    int schema;            /* 1: payload {"amount":N}; 2: payload {"units":N}           */
};

/* What travels.  The payload is JSON text and is never rewritten on the way. */
struct envelope {
    const char *event_id;
    const char *flow_id;
    int64_t seq;           /* 1, 2, 3, ... without holes within a flow                  */
    int schema;
    const char *stage;
    const char *payload;
};

/* The way to the other side.  Its answer is { VALUE, receipt } or an error. */
struct receiver {
    struct outcome (*receive)(void *context, const struct envelope *event);
    void *context;
};

/*
 * validate_envelope - step 9: could this event be kept at all?
 *
 * [validate_envelope.1] event_id, flow_id and stage are 1 to 100 characters, each an ASCII
 *                       letter, digit, '_' or '-'.
 * [validate_envelope.2] seq is from 1 to INT64_MAX; schema is 1 or more.
 * [validate_envelope.3] payload is a string; what it says is not judged here.
 * [validate_envelope.4] { VALUE, 1 }, or OUTCOME_INVALID, also for NULL and NULL members.
 */
struct outcome validate_envelope(const struct envelope *event);

/*
 * open_side - step 10: open, and if need be create, one side's file.
 *
 * Role "producer":
 *   CREATE TABLE flow (flow_id TEXT PRIMARY KEY, stage TEXT NOT NULL,
 *       seq INTEGER NOT NULL, quantity INTEGER NOT NULL);
 *   CREATE TABLE outbox (position INTEGER PRIMARY KEY AUTOINCREMENT,
 *       event_id TEXT NOT NULL UNIQUE, flow_id TEXT NOT NULL, seq INTEGER NOT NULL,
 *       schema INTEGER NOT NULL, stage TEXT NOT NULL, payload TEXT NOT NULL,
 *       accepted INTEGER NOT NULL CHECK(accepted IN (0,1)), UNIQUE(flow_id, seq));
 * Role "consumer":
 *   CREATE TABLE inbox (position INTEGER PRIMARY KEY AUTOINCREMENT,
 *       event_id TEXT NOT NULL UNIQUE, flow_id TEXT NOT NULL, seq INTEGER NOT NULL,
 *       schema INTEGER NOT NULL, stage TEXT NOT NULL, payload TEXT NOT NULL,
 *       applied INTEGER NOT NULL CHECK(applied IN (0,1)),
 *       blocked INTEGER NOT NULL CHECK(blocked IN (0,1)), reason TEXT,
 *       UNIQUE(flow_id, seq));
 *   CREATE TABLE projection (flow_id TEXT PRIMARY KEY, stage TEXT NOT NULL,
 *       last_seq INTEGER NOT NULL, quantity INTEGER NOT NULL);
 *   CREATE TABLE effect (event_id TEXT PRIMARY KEY, flow_id TEXT NOT NULL,
 *       seq INTEGER NOT NULL, stage TEXT NOT NULL, quantity INTEGER NOT NULL,
 *       UNIQUE(flow_id, seq));
 *
 * [open_side.1] Any other role, NULL included, is OUTCOME_INVALID before anything is opened:
 *               no file appears.
 * [open_side.2] { VALUE, 1 } and *con, in autocommit mode; close it with sqlite3_close.  The
 *               role's tables exist with these columns, keys and constraints, and no other
 *               tables, views or triggers; what is missing is made in one transaction, what is
 *               there stays; other connections can use the file.
 * [open_side.3] The file is in WAL mode, and the connection, each time it is opened, is at
 *               synchronous FULL and waits up to five seconds for a lock, as open_side does
 *               where there is something to make.
 * [open_side.4] On failure the connection is closed, *con is NULL, the error handed on.
 */
struct outcome open_side(const char *path, const char *role, sqlite3 **con);

/*
 * advance - step 11: move a flow and write its event, together (producer).
 *
 * [advance.1] A bad event_id, flow_id or stage (as in step 9), expected_seq below 0, quantity
 *             outside 1 to 1,000,000, a schema other than 1 or 2, NULL: OUTCOME_INVALID,
 *             nothing written.
 * [advance.2] History first: an event_id in the outbox with the same flow, stage, schema,
 *             seq = expected_seq + 1 and the payload that [advance.5] writes is DUPLICATE, with
 *             anything else CONFLICT.
 * [advance.3] Then: expected_seq other than the flow's seq (0 where there is no flow) is
 *             STALE.
 * [advance.4] Then: a stage other than the one that follows the flow's (a flow that does not
 *             exist is at "new"), another quantity than the flow's, or a flow at INT64_MAX, is
 *             INVALID_TRANSITION.
 * [advance.5] Otherwise, in one immediate transaction: the flow's row, fault "after-flow",
 *             the outbox row with seq = expected_seq + 1, accepted = 0 and the payload exactly
 *             {"amount":N} for schema 1 or {"units":N} for schema 2, fault "after-outbox",
 *             COMMIT, fault "after-commit"; COMMITTED.
 * [advance.6] Refusals leave no trace: the same event_id may be tried again.
 * [advance.7] An error before the commit, a failing COMMIT included, undoes both rows; one at
 *             "after-commit" undoes nothing; each is handed on.
 * [advance.8] Of several processes that advance one flow from one seq exactly one gets
 *             COMMITTED, the others STALE, or DUPLICATE where they ask the same; seq has no hole
 *             and no double.
 * [advance.9] A process killed at any moment leaves both rows moved or neither.
 */
struct outcome advance(sqlite3 *con, const struct command *command, const struct fault *fault);

/*
 * receive_event - step 12: take an event into custody (consumer).
 *
 * [receive_event.1] An envelope that step 9 refuses is OUTCOME_INVALID and not kept.
 * [receive_event.2] In one immediate transaction: a new event is put into the inbox byte for
 *                   byte, applied and blocked 0, reason NULL, then fault "after-inbox", COMMIT, fault
 *                   "after-commit"; ACCEPTED.  An unknown schema, an odd payload, a seq out
 *                   of turn are kept just the same.
 * [receive_event.3] All six members the same as a row's: DUPLICATE, whatever became of it.
 * [receive_event.4] The event_id, or the flow_id and seq, of a row that differs in any
 *                   member: CONFLICT.  Nothing changes.
 * [receive_event.5] projection and effect are never touched here.
 * [receive_event.6] Errors, kills and concurrent copies as in advance: one ACCEPTED, the others
 *                   DUPLICATE.
 */
struct outcome receive_event(sqlite3 *con, const struct envelope *event,
                             const struct fault *fault);

/*
 * relay - step 13: hand one event over (producer).
 *
 * [relay.1] event_id NULL: the oldest outbox row, by position, with accepted = 0.  Else: that
 *           event; unknown is OUTCOME_INVALID, accepted already is IDLE.  None: IDLE.
 * [relay.2] The receiver is called once and gets the row as it was written, payload byte for
 *           byte, while no lock, read or write, is held.
 * [relay.3] On ACCEPTED or DUPLICATE: fault "after-receive", then accepted = 1 for that row
 *           alone; the receiver's receipt is returned.  A row that someone else marked
 *           meanwhile is no error.
 * [relay.4] CONFLICT is returned and marks nothing, and no other event is tried: the next
 *           default relay meets the same event again.
 * [relay.5] Any other value from the receiver is OUTCOME_DELIVERY; errors are handed on;
 *           nothing is marked.
 * [relay.6] A process killed at any moment loses no event: accepted = 1 only after custody.
 */
struct outcome relay(sqlite3 *con, const char *event_id, const struct receiver *receiver,
                     const struct fault *fault);

/*
 * apply_next - step 14: apply the one event whose turn it is (consumer).
 *
 * [apply_next.1] Only the inbox row with seq = projection.last_seq + 1 (1 where the flow has
 *                no projection).  Not there: GAP if a later one is, else IDLE.
 * [apply_next.2] In one immediate transaction: the projection, fault "after-projection", the
 *                effect, fault "after-effect", applied = 1, blocked = 0 and reason NULL, fault
 *                "after-applied", COMMIT, fault "after-commit"; APPLIED.
 * [apply_next.3] Schema 1 is an object with exactly one member "amount", schema 2 "units", names
 *                compared case-sensitively, nothing behind the object; a number, integral (5.0
 *                is 5), 1 to 1,000,000.  Schema 2 is known only when support_v2 is
 *                true, in this call.
 * [apply_next.4] What cannot be applied sets blocked = 1 and reason, commits and is BLOCKED:
 *                "unknown_version", "bad_payload", "bad_transition" (not the stage that follows)
 *                or "quantity_changed", the first that holds in this order.  Nothing else
 *                changes: not the event, not the projection.
 * [apply_next.5] A blocked event is looked at anew each time; when it can be applied it is,
 *                with its own id, seq and payload.
 * [apply_next.6] Errors (a failing COMMIT included), kills and concurrent calls: all of it or
 *                none, and once.
 */
struct outcome apply_next(sqlite3 *con, const char *flow_id, bool support_v2,
                          const struct fault *fault);

/*
 * drain, process_all - step 15: apply what can be applied, within bounds (consumer).
 *
 * [drain.1] limit is 1 to 1000, else OUTCOME_INVALID.
 * [drain.2] apply_next on one flow until it is IDLE, GAP or BLOCKED: that receipt (the reason of
 *           a block is in the inbox).
 * [drain.3] After limit events: LIMIT, whether or not more is waiting.
 * [drain.4] *applied is the number of calls that were APPLIED, also when an error is handed on; 0
 *           on OUTCOME_INVALID.
 * [process_all.1] limit as in drain, also when nothing waits.  Each flow with an inbox row not yet
 *                 applied when it is called, in byte order of flow_id, is drained with this limit;
 *                 a gap or a block in one holds no other up.
 * [process_all.2] { VALUE, n } and *report: an array of n objects with exactly the members flow_id,
 *                 applied (a number), stop ("idle", "limit", "gap" or "blocked") and reason (the
 *                 block's, else null).  Free it with cJSON_Delete.
 * [process_all.3] An error ends it and is handed on; what was applied stays.
 */
struct outcome drain(sqlite3 *con, const char *flow_id, int limit, bool support_v2,
                     const struct fault *fault, int *applied);
struct outcome process_all(sqlite3 *con, int limit, bool support_v2, cJSON **report);

/*
 * snapshot - step 16: one side's state, as of one moment.
 *
 * [snapshot.1] { VALUE, 1 } and *tables: an object with one array per table of the role, in the
 *              order above, its rows by primary key, each row an object with one member per
 *              column, named as the column: TEXT a string, INTEGER a number, NULL null; seq and
 *              last_seq are decimal strings, so that no 64-bit number is bent.  Free it with
 *              cJSON_Delete.
 * [snapshot.2] All tables are read in one read transaction; fault "between-tables" is called
 *              after the first.  A writer is not held up and not seen.
 * [snapshot.3] Another role, NULL included, is OUTCOME_INVALID.
 *
 * And the whole, which step 16 proves with real processes:
 * [order.1] Whatever the order of arrival, with copies, and with kills on either side between any
 *           two steps, projection and effect end as if each event had come once and in order.
 */
struct outcome snapshot(sqlite3 *con, const char *role, const struct fault *fault,
                        cJSON **tables);

#endif
