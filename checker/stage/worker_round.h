/*
 * worker_round.h - one dispatch: what the sender got, and what is to happen on the way.
 *
 *     struct round round = { .kind = STOP_SEND, .count = 2, .answers = true,
 *                            .answer = outcome_of(OUTCOME_HTTP, 503) };
 *
 *     expect_outcome(play_round(worker, 8, &round), outcome_of(OUTCOME_HTTP, 503));
 *     expect_same("sent", round_sent(&round), events_lines(events, 2));
 */
#ifndef WORKER_ROUND_H
#define WORKER_ROUND_H

#include "base.h"
#include "worker_calls.h"

/* All of it may be left out: every event is acknowledged and every hook goes on. */
struct round {
    enum stop_kind kind; /* something happens at the sender or at a fault point ...     */
    int count;           /* ... the first, second, ... time; 0: each time               */
    bool answers;        /* ... answer is returned there                                */
    struct outcome answer;
    const char *spoil;          /* ... see struct stop                                 */
    bool kills;                 /* ... the process is killed there                     */
    void (*act)(void *context); /* ... this is called                                  */
    void *context;
    bool looks; /* the log also has the marks that are committed at each stop           */
    struct how how;
    struct text sent; /* "ID|QTY", a line for each event that the sender got            */
    struct text log;  /* "send 000, after-delivery 000, send 100"                       */
};

/* Starts it, for several processes at once, and sees it through. */
void begin_round(struct puppet *worker, int limit, struct round *round);
struct answer finish_round(struct puppet *worker, struct round *round);
struct answer play_round(struct puppet *worker, int limit, struct round *round);

/* What the sender got, and the log; the caller frees it. */
char *round_sent(const struct round *round);
char *round_log(const struct round *round);

/* The lines of round_sent for these events; the caller frees it. */
char *events_lines(const struct event *events, int count);

/* What another process does, at once, while the sender runs: round.act and round.context. */
struct change {
    struct puppet *hand;
    const char *sql;
};

void play_change(void *context);

/* A round in which another process plays the SQL on the source at that send (0: at each). */
struct round round_with_change(struct change *change, int count, const char *sql);

/* The same with the hand that the change has already. */
struct round round_with_hand(struct change *change, int count, const char *sql);

/* Draws events; makes a source with an order and an outbox row for each, sent a digit per event. */
void draw_events(struct event *events, int count);
void source_fill(const char *store, const struct event *events, int count, const char *sent);

/* The same in a source that puppets have open, by a hand; what was done is forgotten. */
void source_refill(struct puppet *hand, const struct event *events, int count, const char *sent);

/* The marks of all outbox rows in order, "010"; the caller frees it. */
char *source_marks(const char *store);

/* Further SQL on a store that no puppet has open yet, said in the report. */
void store_change(const char *store, const char *sql);

/* From now on the context of this puppet's sender is NULL. */
void sender_without_context(struct puppet *worker);

/*
 * From now on this puppet's sender calls the learner's own "receive" with its copy, or plays the
 * learner's "dispatch" to its end, on another store that the puppet has open; where that comes to
 * a value the event is acknowledged.
 */
void sender_passes_on(struct puppet *worker, const char *function, const char *store);

/* Every COMMIT on the puppet's connection to the source is refused from now on. */
void worker_veto(struct puppet *worker);

#endif
