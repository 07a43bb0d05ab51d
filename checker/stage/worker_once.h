/*
 * worker_once.h - what enqueue and receive have in common: an event takes effect once, in one
 * transaction with three fault points.
 */
#ifndef WORKER_ONCE_H
#define WORKER_ONCE_H

#include "worker_calls.h"

struct once {
    const char *function;
    const char *store; /* the usual one */
    const char *points[3];
    void (*make)(const char *store);
    char *(*rows)(const char *store);
    char *(*with)(const struct event *events, int count); /* the rows where these were taken */
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

/* A hook that answers so at the point (NULL: at each), and goes on elsewhere. */
struct reply_at {
    const char *point;
    struct outcome reply;
};
struct how once_reply(struct reply_at *reply);

/* The first so many points as text; the caller frees it. */
char *once_points(const struct once *once, int count);

/*
 * The hook fails at this point (0, 1, 2) in every way that there is: each is handed on
 * exactly.  Before the commit nothing stays and the next call takes the event; after it the
 * effect stays and the next call finds it known.
 */
void once_fail_at(const struct once *once, int point);

/* The hook says OUTCOME_VALUE with odd codes at each point: the call goes on. */
void once_go_on_at_any_value(const struct once *once);

/* What is no event, right beside what is one, is refused and leaves nothing. */
void once_refuse_what_is_no_event(const struct once *once);

/* The same while another process holds the lock; the worker waits 5 s for it, if it tries. */
void once_refuse_at_once(const struct once *once, const char *lock);

/*
 * Another process makes triggers that refuse every change of the table, "BEFORE" or "AFTER" it
 * and by "ABORT" or "ROLLBACK": SQLite's error 19, after this many points, and no row.  Once
 * they are dropped the same event is taken.
 */
void once_refused_by(const struct once *once, const char *when, const char *table, const char *how,
                     int points);

/* Every COMMIT on the worker's connection is refused from now on. */
void once_veto(const struct once *once, struct puppet *worker);

/* What the call sees of the event on its own connection, and another process, at each point. */
void once_look_from_inside(const struct once *once);
void once_look_from_outside(const struct once *once);

/*
 * What SQL of another process comes to at the points before the commit, and after it; it waits
 * for nothing.
 */
void once_knock(const struct once *once, const char *sql, int before, int after);

/* A lock that another process releases after so many ms; true where the call outlasted it. */
struct holder {
    struct puppet *hand;
    bool released;
};
struct how once_held(struct holder *holder, const struct once *once, const char *lock, int ms);

/* Ids that look alike are different: each is new, and then known. */
void once_tell_ids_apart(const struct once *once);

/* Valid events, oddly spelled or built, come to the same rows. */
void once_take_any_spelling(const struct once *once);

#endif
