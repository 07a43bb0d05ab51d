/* Step 7: steps/worker/07-dispatch.md */
#include "worker_round.h"

#include <limits.h>

/* One whole round without surprises: what the sender gets, and what is marked then. */
static void expect_round(struct puppet *worker, const char *store, int limit,
                         const struct event *events, int count)
{
    struct round round = { .how.on = store };

    expect_outcome(play_round(worker, limit, &round), outcome_value(count));
    expect_same("what the sender got", round_sent(&round), events_lines(events, count));
}

CHECK(dispatch, what_is_pending_is_sent_in_the_order_it_came_whatever_the_index, "dispatch.1")
{
    const struct event events[] = { event_of("gone", 5), event_of("zz", 3), event_of("m", 900),
                                    event_of("a", 3),    event_of("B", 7),  event_of("-", 1) };
    source_fill("source", events, 6, "100000");
    source_fill("indexed", events + 1, 5, "00000");
    store_change("indexed", "CREATE INDEX cover ON outbox (sent, id, qty)");
    store_change("indexed", "UPDATE outbox SET seq = -5 WHERE seq = 1");
    store_change("indexed", "UPDATE outbox SET seq = 0 WHERE seq = 2");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "indexed", 50);

    expect_round(worker, "source", 8, events + 1, 5);
    expect_round(worker, "indexed", 2, events + 1, 2);

    expect_same("rows", source_rows("source"), source_with(events, 6, "111111"));
    expect_same("marks", source_marks("indexed"), xstrdup("11000"));
}

#define ROWS 45

CHECK(dispatch, as_many_are_sent_as_the_limit_says_and_the_next_call_goes_on, "dispatch.1")
{
    struct event events[ROWS];
    draw_events(events, ROWS);
    source_fill("source", events, ROWS, "000000000000000000000000000000000000000000000");
    struct puppet *worker = worker_at("source", 50);

    expect_round(worker, "source", 1, events, 1);
    expect_round(worker, "source", 3, events + 1, 3);
    expect_round(worker, "source", 9, events + 4, 9);
    expect_round(worker, "source", 12, events + 13, 12);
    expect_round(worker, "source", 16, events + 25, 16);
    expect_same("marks", source_marks("source"),
                xstrdup("111111111111111111111111111111111111111110000"));

    expect_round(worker, "source", 9, events + 41, 4);
    expect_round(worker, "source", 16, NULL, 0);
}

static void expect_refused(struct puppet *worker, const char *store, int limit)
{
    struct round round = { .how.on = store };
    struct answer answer = play_round(worker, limit, &round);

    expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    expect_same("what was called", round_log(&round), xstrdup(""));
}

CHECK(dispatch, a_bad_limit_is_refused_and_nothing_is_sent, "dispatch.1")
{
    struct event event = an_event();
    source_fill("source", &event, 1, "0");
    source_make_as("empty");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "empty", 50);

    expect_refused(worker, "source", 0);
    expect_refused(worker, "source", -1);
    expect_refused(worker, "source", 17);
    expect_refused(worker, "source", 257);
    expect_refused(worker, "source", INT_MIN);
    expect_refused(worker, "source", INT_MAX);
    expect_refused(worker, "empty", 0);
    expect_refused(worker, "empty", 17);
    stage_did("(another process holds BEGIN EXCLUSIVE)");
    hand_do(hand_open("empty"), "BEGIN EXCLUSIVE");
    expect_refused(worker, "empty", 0);
    expect_refused(worker, "empty", 17);

    expect_same("marks", source_marks("source"), xstrdup("0"));
}

CHECK(dispatch, an_empty_batch_is_no_error, "dispatch.2")
{
    struct event event = an_event();
    struct round round = { 0 };
    source_fill("source", &event, 1, "1");
    source_make_as("empty");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "empty", 50);

    expect_outcome(play_round(worker, 8, &round), outcome_value(0));
    round.how.on = "empty";
    expect_outcome(play_round(worker, 8, &round), outcome_value(0));

    expect_same("what was called", round_log(&round), xstrdup(""));
}

#define FOUR_CALLS                                                                                 \
    "send, after-delivery, send, after-delivery, send, after-delivery, send, after-delivery"

/* The longest batch: no event of it is passed over. */
static void expect_every_point(struct puppet *worker, const char *store)
{
    struct event events[16];
    struct round round = { .how.on = store };

    draw_events(events, 16);
    source_fill(store, events, 16, "0000000000000000");
    worker_open(worker, store, 50);
    expect_outcome(play_round(worker, 16, &round), outcome_value(16));
    expect_same("calls", round_log(&round),
                xstrdup(FOUR_CALLS ", " FOUR_CALLS ", " FOUR_CALLS ", " FOUR_CALLS));
}

CHECK(dispatch, each_event_is_sent_then_passes_its_point_and_is_marked_last, "dispatch.2")
{
    struct event events[3];
    struct round round = { .looks = true };
    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    struct puppet *worker = worker_at("source", 50);

    struct answer answer = play_round(worker, 8, &round);

    expect_outcome(answer, outcome_value(3));
    expect_same("calls, and the marks that others see then", round_log(&round),
                xstrdup("send 000, after-delivery 000, send 100, after-delivery 100, "
                        "send 110, after-delivery 110"));
    expect_same("rows", source_rows("source"), source_with(events, 3, "111"));
    expect_every_point(worker, "sixteen");
}

#define LONG_ID "012345678901234567890123456789012345678901234567890123456789012"

static const char odd_rows[] =
    "INSERT INTO outbox (id, qty, sent) VALUES ('lone', 3, 0);"
    "INSERT INTO orders VALUES ('differs', 4);"
    "INSERT INTO outbox (id, qty, sent) VALUES ('differs', 5, 0);"
    "INSERT INTO orders VALUES ('ordered', 6);"
    "INSERT INTO outbox (id, qty, sent) VALUES ('" LONG_ID "3', 1000, 0);"
    "INSERT INTO outbox (id, qty, sent) VALUES ('" LONG_ID "4', 1, 0);"
    "INSERT INTO outbox (id, qty, sent) VALUES ('_', 999, 0);";

CHECK(dispatch, the_outbox_row_is_sent_whole_whatever_the_orders_say, "dispatch.2")
{
    struct round round = { 0 };
    source_make();
    store_change("source", odd_rows);

    expect_outcome(play_round(worker_at("source", 50), 3, &round), outcome_value(3));

    expect_same("what the sender got", round_sent(&round),
                xstrdup("lone|3\ndiffers|5\n" LONG_ID "3|1000\n"));
    expect_same("marks", source_marks("source"), xstrdup("11100"));
}

/* The lock is taken where the sender is reached; a call that hangs before is no fault of it. */
static void commit(void *round)
{
    const struct round *of = round;
    const struct change *change = of->context;

    (void)sql_on(change->hand, "hand", "COMMIT");
}

static void expect_mark_that_waits(struct puppet *worker, const char *store)
{
    struct change change = { .hand = hand_open(store) };
    struct round round = round_with_hand(&change, 1, "BEGIN IMMEDIATE");

    round.how.on = store;
    round.how.directions.later = commit;
    round.how.directions.later_ms = stage_ms(150);
    worker_open(worker, store, 30000);
    expect_outcome(play_round(worker, 8, &round), outcome_value(2));
    expect_same("marks", source_marks(store), xstrdup("11"));
}

EARLY_CHECK(dispatch, a_mark_waits_for_a_lock_that_is_held_for_a_while, "dispatch.2")
{
    struct event events[2];
    struct puppet *worker = puppet_start();
    draw_events(events, 2);
    source_fill("source", events, 2, "00");
    source_fill("log", events, 2, "00");
    store_change("log", "PRAGMA journal_mode = WAL");

    expect_mark_that_waits(worker, "source");
    expect_mark_that_waits(worker, "log");
}

static void expect_hook_goes_on(struct puppet *worker, int code)
{
    struct round round = { .kind = STOP_FAULT, .answers = true, .answer = outcome_value(code) };

    expect_outcome(play_round(worker, 1, &round), outcome_value(1));
}

static void expect_hook_stops(struct puppet *worker, struct outcome answer)
{
    struct round round = { .kind = STOP_FAULT, .answers = true, .answer = answer };

    expect_outcome(play_round(worker, 1, &round), answer);
}

CHECK(dispatch, without_a_hook_and_with_one_that_says_any_value_the_same_is_done, "common.6")
{
    struct event events[8];
    struct round round = { .how.no_hook = true };
    draw_events(events, 8);
    source_fill("source", events, 8, "00000000");
    struct puppet *worker = worker_at("source", 50);

    expect_outcome(play_round(worker, 2, &round), outcome_value(2));
    expect_same("what the sender got", round_sent(&round), events_lines(events, 2));
    expect_hook_goes_on(worker, 0);
    expect_hook_goes_on(worker, 1);
    expect_hook_goes_on(worker, 2);
    expect_hook_goes_on(worker, -1);
    expect_hook_goes_on(worker, 7777);
    expect_hook_stops(worker, outcome_of(OUTCOME_TODO, 0));
    expect_hook_stops(worker, outcome_of((enum outcome_kind)99, 1));
    sender_without_context(worker);
    expect_hook_goes_on(worker, 0);

    expect_same("rows", source_rows("source"), source_with(events, 8, "11111111"));
}

CHECK(dispatch, each_call_asks_its_own_store_anew, "common.7")
{
    struct event events[3];
    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    source_fill("other", events, 3, "010");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "other", 50);
    struct puppet *hand = hand_open("source");

    expect_refused(worker, "source", 17);
    expect_round(worker, "source", 8, events, 3);
    expect_round(worker, "source", 8, NULL, 0);
    hand_do(hand, "UPDATE outbox SET sent = 0 WHERE seq = 2");
    expect_round(worker, "source", 8, events + 1, 1);
    expect_same("rows of the other store", source_rows("other"), source_with(events, 3, "010"));

    expect_round(worker, "other", 8, (const struct event[]){ events[0], events[2] }, 2);
    expect_same("rows of the other store", source_rows("other"), source_with(events, 3, "111"));
}
