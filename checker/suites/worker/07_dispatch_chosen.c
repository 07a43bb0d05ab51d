/* Step 7: steps/worker/07-dispatch.md */
#include "worker_round.h"

#include <stdlib.h>

static void expect_spoiled_copy_is_harmless(const char *spoil)
{
    auto_free char *store = xprintf("source-%s", spoil);
    struct round round = { .kind = STOP_SEND, .spoil = spoil, .how.on = store };
    struct puppet *worker = puppet_start();
    struct event events[3];

    draw_events(events, 3);
    source_fill(store, events, 3, "000");
    worker_open(worker, store, 50);
    expect_outcome(play_round(worker, 8, &round), outcome_value(3));
    expect_same("what the sender got", round_sent(&round), events_lines(events, 3));
    expect_same("rows", source_rows(store), source_with(events, 3, "111"));
}

CHECK(dispatch, a_sender_may_overwrite_the_bytes_of_its_copy, "dispatch.6")
{
    expect_spoiled_copy_is_harmless("bytes");
}

CHECK(dispatch, a_sender_may_change_the_qty_of_its_copy, "dispatch.6")
{
    expect_spoiled_copy_is_harmless("qty");
}

CHECK(dispatch, a_sender_may_empty_its_copy, "dispatch.6")
{
    expect_spoiled_copy_is_harmless("empty");
}

/* Two events; while the first is sent another process plays the SQL. */
static struct answer play_pair(struct round *round, const char *sql)
{
    const struct event events[] = { event_of("first", 5), event_of("second", 6) };
    struct change change;

    *round = round_with_change(&change, 1, sql);
    source_fill("source", events, 2, "00");
    return play_round(worker_at("source", 50), 8, round);
}

CHECK(dispatch, an_event_whose_row_has_another_qty_meanwhile_is_a_conflict, "dispatch.6")
{
    struct round round;

    struct answer answer =
        play_pair(&round, "REPLACE INTO outbox (seq, id, qty, sent) VALUES (1, 'first', 9, 0)");

    expect_outcome(answer, outcome_of(OUTCOME_CONFLICT, 0));
    expect_same("what the sender got", round_sent(&round), xstrdup("first|5\n"));
    expect_same("marks", source_marks("source"), xstrdup("00"));
}

CHECK(dispatch, an_event_whose_row_has_another_place_meanwhile_is_marked_there, "dispatch.6")
{
    struct round round;

    struct answer answer =
        play_pair(&round, "REPLACE INTO outbox (id, qty, sent) VALUES ('first', 5, 0)");

    expect_outcome(answer, outcome_value(2));
    expect_same("what the sender got", round_sent(&round), xstrdup("first|5\nsecond|6\n"));
    expect_same("marks", source_marks("source"), xstrdup("11"));
}

CHECK(dispatch, another_event_in_the_place_of_the_chosen_one_is_not_marked, "dispatch.6")
{
    struct round round;

    struct answer answer = play_pair(&round, "UPDATE outbox SET id = 'other' WHERE seq = 1");

    expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    expect_same("marks", source_marks("source"), xstrdup("00"));
}

CHECK(dispatch, an_event_whose_row_is_gone_meanwhile_stops_it, "dispatch.4")
{
    struct round round;

    struct answer answer = play_pair(&round, "DELETE FROM outbox WHERE id = 'first'");

    expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    expect_same("what the sender got", round_sent(&round), xstrdup("first|5\n"));
    expect_same("marks", source_marks("source"), xstrdup("0"));
}

CHECK(dispatch, a_mark_that_is_busy_stops_it_and_the_next_call_sends_the_event_again, "dispatch.4")
{
    struct event events[3];
    struct change change;
    struct round next = { 0 };
    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    struct round round = round_with_change(&change, 2, "BEGIN IMMEDIATE");
    struct puppet *worker = worker_at("source", 50);

    expect_sqlite(play_round(worker, 8, &round), 5);
    hand_do(change.hand, "ROLLBACK");
    expect_same("what the sender got", round_sent(&round), events_lines(events, 2));
    expect_same("marks", source_marks("source"), xstrdup("100"));

    expect_outcome(play_round(worker, 8, &next), outcome_value(2));
    expect_same("what the sender got next", round_sent(&next), events_lines(events + 1, 2));
}

static void commit(void *round)
{
    const struct round *of = round;
    const struct change *change = of->context;

    hand_do(change->hand, "COMMIT");
}

CHECK(dispatch, a_mark_waits_for_a_lock_that_is_held_for_a_while, "dispatch.2")
{
    struct event events[2];
    struct change change;
    draw_events(events, 2);
    source_fill("source", events, 2, "00");
    struct round round = round_with_change(&change, 1, "BEGIN IMMEDIATE");
    round.how.directions.later = commit;
    round.how.directions.later_ms = 300;

    expect_outcome(play_round(worker_at("source", 3000), 8, &round), outcome_value(2));

    expect_same("rows", source_rows("source"), source_with(events, 2, "11"));
}

static void expect_round(struct puppet *worker, const char *store, const struct event *events,
                         int count)
{
    struct round round = { .how.on = store };

    expect_outcome(play_round(worker, 8, &round), outcome_value(count));
    expect_same("what the sender got", round_sent(&round), events_lines(events, count));
}

CHECK(dispatch, each_call_asks_the_store_anew, "common.7")
{
    struct event events[3];
    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    struct puppet *worker = worker_at("source", 50);
    struct puppet *hand = hand_open("source");

    expect_round(worker, "source", events, 3);
    expect_round(worker, "source", NULL, 0);
    hand_do(hand, "UPDATE outbox SET sent = 0");
    expect_round(worker, "source", events, 3);
    hand_do(hand, "UPDATE outbox SET sent = 0 WHERE seq = 2");
    expect_round(worker, "source", events + 1, 1);

    expect_same("rows", source_rows("source"), source_with(events, 3, "111"));
}

CHECK(dispatch, two_stores_of_one_process_are_kept_apart, "common.7")
{
    struct event events[3];
    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    source_fill("other", events, 3, "010");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "other", 50);

    expect_round(worker, "source", events, 3);
    expect_same("rows of the other store", source_rows("other"), source_with(events, 3, "010"));

    expect_round(worker, "other", (const struct event[]){ events[0], events[2] }, 2);
    expect_same("rows of the other store", source_rows("other"), source_with(events, 3, "111"));
}
