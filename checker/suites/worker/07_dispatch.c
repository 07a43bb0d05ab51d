/* Step 7: steps/worker/07-dispatch.md */
#include "worker_round.h"

#include <limits.h>
#include <stdlib.h>

#define ROWS 18

static const char eighteen_pending[] = "000000000000000000";

CHECK(dispatch, what_is_pending_is_sent_in_the_order_it_came, "dispatch.1")
{
    const struct event events[] = { event_of("zz", 3), event_of("m", 900),  event_of("gone", 5),
                                    event_of("a", 3),  event_of("B", 1000), event_of("-", 1) };
    struct round round = { 0 };
    source_fill("source", events, 6, "001000");

    expect_outcome(play_round(worker_at("source", 50), 8, &round), outcome_value(5));

    expect_same("what the sender got", round_sent(&round),
                xstrdup("zz|3\nm|900\na|3\nB|1000\n-|1\n"));
    expect_same("rows", source_rows("source"), source_with(events, 6, "111111"));
}

CHECK(dispatch, the_order_does_not_hang_on_what_index_there_is, "dispatch.1")
{
    const struct event events[] = { event_of("z", 3), event_of("m", 2), event_of("a", 1) };
    struct round round = { 0 };
    source_fill("source", events, 3, "000");
    store_change("source", "CREATE INDEX cover ON outbox (sent, id, qty)");

    expect_outcome(play_round(worker_at("source", 50), 2, &round), outcome_value(2));

    expect_same("what the sender got", round_sent(&round), events_lines(events, 2));
    expect_same("marks", source_marks("source"), xstrdup("110"));
}

/* Sends the next events, as many as the limit says or are left. */
static void expect_next(struct puppet *worker, int limit, const struct event *events, int count)
{
    struct round round = { 0 };

    expect_outcome(play_round(worker, limit, &round), outcome_value(count));
    expect_same("what the sender got", round_sent(&round), events_lines(events, count));
}

CHECK(dispatch, as_many_are_sent_as_the_limit_says_and_the_next_call_goes_on, "dispatch.1")
{
    struct event events[ROWS];
    draw_events(events, ROWS);
    source_fill("source", events, ROWS, eighteen_pending);
    struct puppet *worker = worker_at("source", 50);

    expect_next(worker, 1, events, 1);
    expect_next(worker, 3, events + 1, 3);
    expect_next(worker, 9, events + 4, 9);
    expect_next(worker, 16, events + 13, 5);
    expect_next(worker, 16, NULL, 0);

    expect_same("marks", source_marks("source"), xstrdup("111111111111111111"));
}

CHECK(dispatch, the_greatest_limit_is_sixteen, "dispatch.1")
{
    struct event events[ROWS];
    draw_events(events, ROWS);
    source_fill("source", events, ROWS, eighteen_pending);

    expect_next(worker_at("source", 50), 16, events, 16);

    expect_same("marks", source_marks("source"), xstrdup("111111111111111100"));
}

static void expect_refused(struct puppet *worker, int limit)
{
    struct round round = { 0 };
    struct answer answer = play_round(worker, limit, &round);

    expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    expect_same("what was called", round_log(&round), xstrdup(""));
}

CHECK(dispatch, a_bad_limit_is_refused_and_nothing_is_sent, "dispatch.1")
{
    struct event event = an_event();
    source_fill("source", &event, 1, "0");
    struct puppet *worker = worker_at("source", 50);

    expect_refused(worker, 0);
    expect_refused(worker, -1);
    expect_refused(worker, 17);
    expect_refused(worker, 257);
    expect_refused(worker, INT_MIN);
    expect_refused(worker, INT_MAX);

    expect_same("marks", source_marks("source"), xstrdup("0"));
}

CHECK(dispatch, an_empty_batch_is_no_error, "dispatch.2")
{
    struct event events[2];
    draw_events(events, 2);
    source_fill("source", events, 2, "11");
    source_make_as("empty");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "empty", 50);
    struct round of_sent = { 0 };
    struct round of_empty = { .how.on = "empty" };

    expect_outcome(play_round(worker, 8, &of_sent), outcome_value(0));
    expect_outcome(play_round(worker, 8, &of_empty), outcome_value(0));

    expect_same("what was called", round_log(&of_sent), xstrdup(""));
    expect_same("what was called", round_log(&of_empty), xstrdup(""));
}

CHECK(dispatch, each_event_is_sent_then_passes_its_point_and_is_marked_last, "dispatch.2")
{
    struct event events[3];
    struct round round = { .looks = true };
    draw_events(events, 3);
    source_fill("source", events, 3, "000");

    struct answer answer = play_round(worker_at("source", 50), 8, &round);

    expect_outcome(answer, outcome_value(3));
    expect_points(answer, "after-delivery after-delivery after-delivery");
    expect_same("calls, and the marks that others see then", round_log(&round),
                xstrdup("send 000, after-delivery 000, send 100, after-delivery 100, "
                        "send 110, after-delivery 110"));
    expect_same("rows", source_rows("source"), source_with(events, 3, "111"));
}

CHECK(dispatch, each_mark_is_there_for_others_before_the_next_event_is_sent, "dispatch.8")
{
    struct event events[3];
    struct round round = { .looks = true, .how.no_hook = true };
    draw_events(events, 3);
    source_fill("source", events, 3, "000");

    expect_outcome(play_round(worker_at("source", 50), 3, &round), outcome_value(3));

    expect_same("calls, and the marks that others see then", round_log(&round),
                xstrdup("send 000, send 100, send 110"));
}

static const char lone_rows[] = "INSERT INTO outbox (id, qty, sent) VALUES ('lone', 3, 0);"
                                "INSERT INTO orders VALUES ('differs', 4);"
                                "INSERT INTO outbox (id, qty, sent) VALUES ('differs', 5, 0);"
                                "INSERT INTO orders VALUES ('ordered', 6);";

CHECK(dispatch, the_outbox_row_counts_whatever_the_orders_say, "dispatch.2")
{
    struct round round = { 0 };
    source_make();
    store_change("source", lone_rows);

    expect_outcome(play_round(worker_at("source", 50), 8, &round), outcome_value(2));

    expect_same("what the sender got", round_sent(&round), xstrdup("lone|3\ndiffers|5\n"));
    expect_same("marks", source_marks("source"), xstrdup("11"));
}

CHECK(dispatch, a_long_id_and_the_greatest_qty_are_sent_whole, "dispatch.2")
{
    const struct event events[] = {
        event_of("0123456789012345678901234567890123456789012345678901234567890123", 1000),
        event_of("0123456789012345678901234567890123456789012345678901234567890124", 1),
        event_of("_", 999),
    };
    struct round round = { 0 };
    source_fill("source", events, 3, "000");

    expect_outcome(play_round(worker_at("source", 50), 2, &round), outcome_value(2));

    expect_same("what the sender got", round_sent(&round), events_lines(events, 2));
    expect_same("rows", source_rows("source"), source_with(events, 3, "110"));
}

static void expect_hook_goes_on(struct puppet *worker, int code)
{
    struct round round = { .kind = STOP_FAULT, .answers = true, .answer = outcome_value(code) };

    expect_outcome(play_round(worker, 1, &round), outcome_value(1));
}

CHECK(dispatch, a_hook_with_any_value_lets_the_call_go_on, "common.6")
{
    struct event events[6];
    draw_events(events, 6);
    source_fill("source", events, 6, "000000");
    struct puppet *worker = worker_at("source", 50);

    expect_hook_goes_on(worker, 0);
    expect_hook_goes_on(worker, 1);
    expect_hook_goes_on(worker, 2);
    expect_hook_goes_on(worker, -1);
    expect_hook_goes_on(worker, 7777);

    expect_same("marks", source_marks("source"), xstrdup("111110"));
}

CHECK(dispatch, without_a_hook_the_same_is_sent_and_marked, "common.6")
{
    struct event events[3];
    struct round round = { .how.no_hook = true };
    draw_events(events, 3);
    source_fill("source", events, 3, "000");

    expect_outcome(play_round(worker_at("source", 50), 2, &round), outcome_value(2));

    expect_same("what the sender got", round_sent(&round), events_lines(events, 2));
    expect_same("rows", source_rows("source"), source_with(events, 3, "110"));
}
