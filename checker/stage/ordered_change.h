/*
 * ordered_change.h - what advance, receive_event, relay and apply_next have in common: one
 * change in one transaction, with points on the way.
 */
#ifndef ORDERED_CHANGE_H
#define ORDERED_CHANGE_H

#include "moments.h"
#include "ordered_calls.h"

#define CHANGE_POINTS 4
#define CROWD         6 /* processes that race for one change */

struct change {
    const char *function;
    const char *role;
    const char *points[CHANGE_POINTS];
    bool is_wide;          /* the store keeps texts in UTF-16                          */
    bool is_unnamed;       /* relay: the event is the first one, by no id              */
    bool support_v2;       /* of apply_next                                            */
    int says;              /* the receiver's receipt at relay; 0: ACCEPTED             */
    int count;             /* of its points                                            */
    int undone;            /* so many of them lie before the COMMIT                    */
    const char *tables[3]; /* that it writes, NULL behind the last                     */
    const char *before;    /* SQL of the rows that are there before                    */
    const char *effects[CHANGE_POINTS]; /* SQL of what it has done when it reaches each point */
    const char *last;       /* and behind the last point before the COMMIT              */
    struct outcome done;    /* what the call comes to                                   */
    struct outcome again;   /* and the same call after it                               */
    struct command command; /* of advance                                               */
    struct envelope event;  /* of all others: its id, its flow                          */
};

/* Another flow beside, further on; is_new: the flow does not exist before. */
struct change change_advance(bool is_new);
/* An earlier event of the flow is there, and was applied; beside, another flow with this seq. */
struct change change_receive(void);
/* The second of three events that are not accepted, by its id; beside, another flow's. */
struct change change_relay(void);
/* A flow's second event, which was blocked; beside, another flow's. */
struct change change_apply(void);
/* A flow's first event, which blocks by its payload; behind it, another. */
struct change change_block(void);

/*
 * A change's other shapes: every schema, place in the flow, receipt and reason.  In *shapes, which
 * has room for so many; how many there are.
 */
#define SHAPES_MAX 8
int advance_shapes(struct change shapes[SHAPES_MAX]);
int receive_shapes(struct change shapes[SHAPES_MAX]);
int relay_shapes(struct change shapes[SHAPES_MAX]);
int apply_shapes(struct change shapes[SHAPES_MAX]);
int block_shapes(struct change shapes[SHAPES_MAX]);

/*
 * Each of them is made whole or not at all: by a hook that fails at each point, beside a lock,
 * where the COMMIT fails, with and without a hook.
 */
void shapes_are_whole(int (*draw)(struct change shapes[SHAPES_MAX]));

/* The store, named as the role. */
void change_make(const struct change *change, const char *store);
/* The store, and a puppet at it. */
struct puppet *change_start(const struct change *change, int busy_timeout_ms);

void begin_change(const struct change *change, struct puppet *worker, const struct how *how);
struct answer call_change(const struct change *change, struct puppet *worker,
                          const struct how *how);

/* The rows as they are before, when so many points are reached, and after. */
char *change_before(const struct change *change);
char *change_at(const struct change *change, int points);
char *change_after(const struct change *change);
/* The first so many points as text. */
char *change_points(const struct change *change, int count);

/* It comes to what it should, by its points; and the same again changes nothing, by none. */
void change_is_made(const struct change *change);

/* So it does in UTF-16, where names are alike, and among 1320 rows of other flows. */
void change_is_made_wide(struct change change);
void change_is_made_among_many(const struct change *change);

/* Twelve of them are made: no memory is kept. */
void changes_are_not_kept(struct change (*draw)(void));

/* At each point: what its connection sees, and what another process does. */
void change_is_seen(const struct change *change);

/* The hook fails in each way at each point before the COMMIT, or behind it. */
void change_fails_before_commit(const struct change *change);
void change_fails_after_commit(const struct change *change);

/* The hook's values are odd, or there is no hook. */
void change_goes_on(const struct change *change);

/* Triggers refuse every change of each of its tables: RAISE(ABORT) or RAISE(ROLLBACK). */
void change_is_refused(const struct change *change, const char *how);

/* The COMMIT fails: by a reader in rollback mode, or by a veto. */
void change_fails_to_commit(const struct change *change);

/* On a connection that gives extended result codes it is made, and known, just the same. */
void change_is_made_with_extended_codes(const struct change *change);

/* From now on every COMMIT on that connection of the worker's is refused. */
void veto(struct puppet *worker, const char *on);

/* Killed at each point; the next process completes the work. */
void change_is_killed(const struct change *change);

/* What a kill at each storage operation leaves, in a log or in rollback mode. */
void change_sweeps_kills(const struct change *change, bool log);
/* A process is killed at each of them, in a log. */
void change_sweeps_kills_thoroughly(const struct change *change);

/* An error of storage at each operation. */
void change_sweeps_errors(const struct change *change, int code);

/* Each allocation finds no memory: it does not crash, and does all or nothing. */
void change_sweeps_memory(const struct change *change);

/* So many processes make the same change at the same moment: one does, the others find it. */
void change_is_crowded(const struct change *change);

/* Another process makes the change while the call waits for the lock; relay excepted. */
void change_is_made_meanwhile(const struct change *change);

/* The lock is waited for as long as the connection says, and no longer. */
void change_waits(const struct change *change);

/* How long it waits is the connection's to say, and stays so. */
void change_keeps_patience(const struct change *change);

/* The application's own busy handler: three naps for a lock.  It is still there. */
void set_patience(struct puppet *worker, const char *on);
void expect_patience(struct puppet *worker, const char *on, struct puppet *hand);

/* Again and again what changes nothing: memory does not grow. */
void change_repeats(const struct change *change);

/* From now on each row that is deleted is noted in a table "gone". */
void watch_deletions(const struct change *change, struct puppet *worker);

/* Deletions would be seen (common.8): none takes place, of 1020 old rows either. */
void change_deletes_nothing(const struct change *change);

/* Two stores in turn on one puppet, rows that others change between two calls (common.7). */
void change_is_not_remembered(const struct change *change);

#endif
