/*
 * worker_once.h - what enqueue and receive have in common: an event takes effect once, in one
 * transaction with three fault points.
 */
#ifndef WORKER_ONCE_H
#define WORKER_ONCE_H

#include "moments.h"
#include "worker_calls.h"

struct once {
    const char *function;
    const char *store; /* the usual one */
    const char *points[3];
    void (*make)(const char *store);
    char *(*rows)(const char *store);
    char *(*exact)(const char *store); /* the rows with all that is in them, seq included */
    char *(*with)(const struct event *events, int count); /* the rows where these were taken */
    const char *fill; /* SQL: old-1 to old-1200 are taken too; qty 1 to 1000, and 1 to 200 */
    /* SQL with the id as %1$s and the qty as %2$d: the effect on both tables, and ... */
    const char *take;
    /* ... what a connection sees of it, "1|0" where only the first is there. */
    const char *look;
};

extern const struct once once_enqueue;
extern const struct once once_receive;

struct answer call_once(const struct once *once, struct puppet *worker, cJSON *event,
                        const struct how *how);

/* The SQL for this event, where the text is one of the two above; the caller frees it. */
char *once_sql(const char *text, struct event event);

/* The usual store, and a puppet at it. */
struct puppet *once_start(const struct once *once, int busy_timeout_ms);

/* The first so many points as text; the caller frees it. */
char *once_points(const struct once *once, int count);

/*
 * The hook fails in every way that there is, at each point before the commit or at the one
 * after it: each is handed on exactly.  Before the commit nothing stays and the next call takes
 * the event; after it the effect stays and the next call finds it known.  So in a store with a
 * log, too.
 */
void once_fail_before_the_commit(const struct once *once);
void once_fail_after_the_commit(const struct once *once);

/*
 * The hook of a call calls the same function, of another event on another store, at each point:
 * each records its own.
 */
void once_call_inside(const struct once *once, struct puppet *worker);

/* Makes a store that has a log, in WAL mode, and opens it in the worker; its name. */
const char *once_open_log(const struct once *once, struct puppet *worker, int busy_timeout_ms);

/*
 * The hook says OUTCOME_VALUE with odd codes at each point, and the call goes on, its context
 * NULL or not; without a hook a new id, a known one and a conflict come to the same as with
 * one.  OUTCOME_TODO, or a kind that is none, is handed on like any other failure.
 */
void once_go_on(const struct once *once);

/* Calls that record nothing, again and again: no memory grows. */
void once_repeat(const struct once *once);

/* A call that comes to this, reaches no point and changes no row. */
void once_expect_no_change(const struct once *once, struct puppet *worker, struct event event,
                           struct outcome expected);

/*
 * What is no event, right beside what is one, is refused and leaves nothing; at once also
 * while another process holds a lock, for which the worker would wait long.
 */
void once_refuse_what_is_no_event(const struct once *once);

/* Every change of the table is refused "BEFORE" or "AFTER" it, by "ABORT" or "ROLLBACK". */
struct refusal {
    const char *when;
    const char *table;
    const char *how;
    int points; /* that are reached before it */
};

/*
 * Another process makes such triggers, one refusal after the other: SQLite's error 19, and no
 * row.  Once they are dropped the same event is taken.  So in a store with a log, too.
 */
void once_refused_by(const struct once *once, const struct refusal *refusals, int count);

/*
 * The COMMIT fails, of a new event each: while another process reads, and by a veto, also in a
 * store with a log.  The error is handed on at once, nothing stays, and without the reader the
 * event is taken.
 */
void once_fail_to_commit(const struct once *once);

/* What the call sees of the event on its own connection, and another process, at each point. */
void once_look_at_each_point(const struct once *once);

/*
 * Another process can read at each point, and write only after the commit: not where the COMMIT
 * begins to write either.
 */
void once_knock_at_each_point(const struct once *once, const char *reads);

/* The lock is waited for as long as the connection is set to, and no longer. */
void once_wait_for_the_lock(const struct once *once);

/* The same by a busy handler of the application's own, which alone says when to give up. */
void once_wait_by_handler(const struct once *once);

/*
 * In the usual store, among 1200 others, the first event is still known, and so are the
 * oldest and the newest of those; a new one is taken, and then all of them are known still.
 */
void once_know_among_many(const struct once *once, struct puppet *worker, struct event first);

/* The same connection with extended result codes knows the event, and that its qty is another. */
void once_know_with_extended_codes(const struct once *once, struct puppet *worker,
                                   struct event event);

/* In a store in UTF-16, and in one with a log, an event is new, then known, then a conflict. */
void once_know_in_other_stores(const struct once *once, struct puppet *worker);

/* Ids that look alike are different: each is new, and then known. */
void once_tell_ids_apart(const struct once *once);

/* Valid events, oddly spelled or built, come to the same rows. */
void once_take_any_spelling(const struct once *once);

#endif
