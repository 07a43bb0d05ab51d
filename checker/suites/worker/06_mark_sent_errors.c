/* Step 6: steps/worker/06-mark_sent.md */
#include "worker_round.h"
#include "worker_setting.h"

static const char abort_updates[] =
    "CREATE TRIGGER refuses AFTER UPDATE ON outbox BEGIN SELECT RAISE(ABORT, 'no'); END;";
static const char roll_updates_back[] =
    "CREATE TRIGGER refuses AFTER UPDATE ON outbox BEGIN SELECT RAISE(ROLLBACK, 'no'); END;";

/* A store of that name with this event and one more, both pending, and this trigger on it. */
static void make_refusing(const char *store, struct event event, const char *trigger)
{
    const struct event events[] = { event, an_event() };

    source_fill(store, events, 2, "00");
    store_change(store, trigger);
}

static void expect_refused_in_a_log(struct puppet *worker, struct event event, const char *trigger)
{
    struct puppet *hand = hand_open("log");

    stage_did("(another process: %s)", trigger);
    hand_do(hand, trigger);
    expect_sqlite(call_mark_sent(worker, spec_of(event), &(struct how){ .on = "log" }), 19);
    hand_do(hand, "DROP TRIGGER refuses");
}

/* All that a call comes to, in a store with a log. */
static void expect_all_in_a_log(struct puppet *worker)
{
    const struct how how = { .on = "log" };
    struct event events[2];

    draw_events(events, 2);
    source_fill("log", events, 2, "00");
    store_change("log", "PRAGMA journal_mode = WAL");
    worker_open(worker, "log", 50);
    expect_outcome(call_mark_sent(worker, spec_of(other_qty(events[0])), &how),
                   outcome_of(OUTCOME_CONFLICT, 0));
    expect_outcome(call_mark_sent(worker, spec_of(an_event()), &how),
                   outcome_of(OUTCOME_INVALID, 0));
    expect_refused_in_a_log(worker, events[0], abort_updates);
    expect_refused_in_a_log(worker, events[0], roll_updates_back);
    expect_outcome(call_mark_sent(worker, spec_of(events[0]), &how), outcome_value(1));
    expect_outcome(call_mark_sent(worker, spec_of(events[0]), &how), outcome_value(0));
    setting_veto(worker, "log");
    expect_sqlite(call_mark_sent(worker, spec_of(events[1]), &how), 19);
    expect_same("rows", source_rows("log"), source_with(events, 2, "10"));
}

CHECK(mark_sent, an_update_that_is_refused_is_handed_on_and_marks_nothing, "mark_sent.8")
{
    struct event event = an_event();
    make_refusing("source", event, abort_updates);
    struct puppet *worker = worker_at("source", 50);
    struct puppet *hand = hand_open("source");

    expect_error(call_mark_sent(worker, spec_of(event), NULL), OUTCOME_SQLITE);
    expect_same("marks", source_marks("source"), xstrdup("00"));
    stage_did("(another process drops the trigger)");
    hand_do(hand, "DROP TRIGGER refuses");
    expect_outcome(call_mark_sent(worker, spec_of(event), NULL), outcome_value(1));

    expect_same("marks", source_marks("source"), xstrdup("10"));
    expect_all_in_a_log(worker);
}

CHECK(mark_sent, the_error_of_the_refused_update_is_not_replaced_by_another, "common.4")
{
    struct event event = an_event();
    make_refusing("source", event, abort_updates);
    make_refusing("rolled-back", event, roll_updates_back);
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "rolled-back", 50);

    expect_sqlite(call_mark_sent(worker, spec_of(event), NULL), 19);
    expect_sqlite(call_mark_sent(worker, spec_of(event), &(struct how){ .on = "rolled-back" }), 19);

    expect_same("marks", source_marks("rolled-back"), xstrdup("00"));
}

CHECK(mark_sent, a_commit_that_fails_is_handed_on_and_marks_nothing, "mark_sent.8")
{
    struct event events[2];
    draw_events(events, 2);
    source_fill("source", events, 2, "00");
    struct puppet *worker = worker_at("source", 0);
    struct puppet *hand = hand_open("source");

    setting_patience(worker, "source", 3);
    stage_did("(another process reads, which makes COMMIT busy)");
    hand_do(hand, "BEGIN; SELECT * FROM orders");
    expect_sqlite(call_mark_sent(worker, spec_of(events[0]), NULL), 5);
    expect_number("times the busy handler gave up", setting_gave_up(worker), 1);
    hand_do(hand, "COMMIT");
    expect_same("rows", source_rows("source"), source_with(events, 2, "00"));
    expect_outcome(call_mark_sent(worker, spec_of(events[0]), NULL), outcome_value(1));
    worker_veto(worker);
    expect_sqlite(call_mark_sent(worker, spec_of(events[1]), NULL), 19);

    expect_same("rows", source_rows("source"), source_with(events, 2, "10"));
}

static void set_row(struct puppet *hand, const char *sql)
{
    stage_did("(another process: %s)", sql);
    hand_do(hand, sql);
}

CHECK(mark_sent, each_call_asks_its_own_store_anew, "common.7")
{
    const struct event event = event_of("changing", 5);
    const struct how on_other = { .on = "other" };
    source_fill("source", &event, 1, "0");
    source_fill("other", &event, 1, "0");
    struct puppet *worker = worker_at("source", 50);
    struct puppet *hand = hand_open("source");
    worker_open(worker, "other", 50);

    expect_outcome(call_mark_sent(worker, spec_of(event), NULL), outcome_value(1));
    expect_same("marks of the other store", source_marks("other"), xstrdup("0"));
    expect_outcome(call_mark_sent(worker, spec_of(event), &on_other), outcome_value(1));
    expect_same("marks of the other store", source_marks("other"), xstrdup("1"));
    set_row(hand, "UPDATE outbox SET sent = 0");
    expect_outcome(call_mark_sent(worker, spec_of(event_of("", 5)), NULL),
                   outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_mark_sent(worker, spec_of(event), NULL), outcome_value(1));
    set_row(hand, "UPDATE outbox SET qty = 6");
    expect_outcome(call_mark_sent(worker, spec_of(event), NULL), outcome_of(OUTCOME_CONFLICT, 0));
    set_row(hand, "DELETE FROM outbox");
    expect_outcome(call_mark_sent(worker, spec_of(event), NULL), outcome_of(OUTCOME_INVALID, 0));
    set_row(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('changing', 5, 0)");
    expect_outcome(call_mark_sent(worker, spec_of(event), NULL), outcome_value(1));

    expect_same("marks", source_marks("source"), xstrdup("1"));
}

CHECK(mark_sent, the_same_call_again_and_again_keeps_no_memory, "common.3")
{
    const struct how often = { .times = 30 };
    struct event events[2];
    draw_events(events, 2);
    source_fill("source", events, 2, "10");
    store_change("source", abort_updates);
    struct puppet *worker = worker_at("source", 50);

    expect_outcome(call_mark_sent(worker, spec_of(events[0]), &often), outcome_value(0));
    expect_outcome(call_mark_sent(worker, spec_of(other_qty(events[0])), &often),
                   outcome_of(OUTCOME_CONFLICT, 0));
    expect_outcome(call_mark_sent(worker, spec_of(an_event()), &often),
                   outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_mark_sent(worker, spec_text("{\"id\": \"a\", \"qty\": 0}"), &often),
                   outcome_of(OUTCOME_INVALID, 0));
    expect_sqlite(call_mark_sent(worker, spec_of(events[1]), &often), 19);
}
