/* Step 6: steps/worker/06-mark_sent.md, what another process commits in the middle of a call */
#include "base.h"
#include "worker_meeting.h"
#include "worker_round.h"

#include <stdlib.h>

#define OPERATIONS 8 /* the first ones: behind them a call has its lock */

/* The other process changes the row of event x; what the call comes to ahead of it and behind. */
struct rival {
    const char *row; /* what is there at first, as SQL */
    const char *sql;
    struct outcome ahead;
    const char *row_ahead;
    struct outcome behind;
    const char *row_behind;
};

#define UNSENT "INSERT INTO outbox (id, qty, sent) VALUES ('x', 5, 0);"

/* The one that marks notes in orders how the mark was: 1 it marks itself, 2 the call had. */
static const struct rival rivals[] = {
    { "",
      "BEGIN IMMEDIATE; " UNSENT " COMMIT",
      { OUTCOME_INVALID, 0 },
      "5|0|NULL\n",
      { OUTCOME_VALUE, 1 },
      "5|1|NULL\n" },
    { UNSENT,
      "BEGIN IMMEDIATE; INSERT INTO orders SELECT id, 1 + sent FROM outbox;"
      " UPDATE outbox SET sent = 1; COMMIT",
      { OUTCOME_VALUE, 1 },
      "5|1|2\n",
      { OUTCOME_VALUE, 0 },
      "5|1|1\n" },
    { UNSENT,
      "BEGIN IMMEDIATE; UPDATE outbox SET qty = 6; COMMIT",
      { OUTCOME_VALUE, 1 },
      "6|1|NULL\n",
      { OUTCOME_CONFLICT, 0 },
      "6|0|NULL\n" },
};

static void refill(struct puppet *hand, const char *row)
{
    auto_free char *sql = xprintf("BEGIN; DELETE FROM orders; DELETE FROM outbox; %s COMMIT", row);

    hand_do(hand, sql);
    stage_forget();
    stage_did("(in the store: %s)", *row ? row : "nothing");
}

/* Where the other process was locked out it comes behind the call. */
static void expect_one_after_the_other(struct puppet *worker, struct meeting *meeting,
                                       const struct rival *rival, int operation)
{
    struct how how = meeting_before(meeting, operation);
    struct answer answer = call_mark_sent(worker, spec_of(event_of("x", 5)), &how);
    char *row;

    if (!meeting->first)
        hand_do(meeting->hand, rival->sql);
    row = puppet_rows(meeting->hand, "hand",
                      "SELECT qty, sent, (SELECT qty FROM orders) FROM outbox");
    if (meeting->first && is_same_text(row, xstrdup(rival->row_behind))) {
        expect_outcome(answer, rival->behind);
    } else {
        expect_outcome(answer, rival->ahead);
        expect_same("qty, mark and what the other process saw", xstrdup(row),
                    xstrdup(rival->row_ahead));
    }
    free(row);
}

static void meet(struct puppet *worker, struct puppet *hand, const struct rival *rival)
{
    struct meeting meeting = { .hand = hand, .sql = rival->sql };
    int operation = 0;

    do {
        refill(hand, rival->row);
        expect_one_after_the_other(worker, &meeting, rival, ++operation);
    } while (meeting.tried && operation < OPERATIONS);
}

CHECK(mark_sent, what_another_commits_in_the_middle_counts_as_before_or_behind_it, "mark_sent.2")
{
    source_make();
    struct puppet *worker = worker_at("source", 50);
    struct puppet *hand = hand_open("source");

    meet(worker, hand, &rivals[0]);
    meet(worker, hand, &rivals[1]);
    meet(worker, hand, &rivals[2]);
}
