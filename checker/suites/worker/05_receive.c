/* Step 5: steps/worker/05-receive.md - what is new, what is known, and what is no event */
#include "base.h"
#include "worker_once.h"

CHECK(receive, what_is_no_event_is_refused_at_once_right_beside_what_is_one, "receive.1")
{
    once_refuse_what_is_no_event(&once_receive);
}

static void expect_received(struct puppet *worker, struct event event)
{
    struct answer answer = call_receive(worker, spec_of(event), NULL);

    expect_outcome(answer, outcome_value(1));
    expect_points(answer, "after-inbox after-total after-commit");
}

CHECK(receive, each_new_event_reaches_its_three_points_and_its_qty_is_added, "receive.2")
{
    struct event events[] = { an_event(), event_of("least", 1), event_of("most", 1000) };
    struct puppet *worker;

    sink_make();
    store_make("sink", "CREATE TABLE audit (id);"
                       "CREATE TRIGGER one AFTER INSERT ON inbox BEGIN"
                       " INSERT INTO audit VALUES (new.id); END;"
                       "CREATE TRIGGER two AFTER UPDATE ON stock BEGIN"
                       " INSERT INTO audit VALUES (new.total); END;");
    worker = worker_at("sink", 50);
    stage_did("(in the store: triggers that write each change into another table)");
    expect_received(worker, events[0]);
    expect_received(worker, events[1]);
    expect_received(worker, events[2]);

    expect_same("rows", sink_rows("sink"), sink_with(events, 3));
}

CHECK(receive, each_point_shows_one_effect_more_and_others_see_both_after_the_commit, "receive.2")
{
    once_look_at_each_point(&once_receive);
}

CHECK(receive, any_spelling_of_a_valid_event_is_recorded_alike, "receive.2")
{
    once_take_any_spelling(&once_receive);
}

/* Sets the stock that high and receives an event of qty 5. */
static void expect_total(struct puppet *worker, struct puppet *hand, const char *before,
                         const char *after)
{
    auto_free char *sql = xprintf("UPDATE stock SET total = %s", before);

    hand_do(hand, sql);
    stage_did("(in the store: total %s)", before);
    expect_outcome(call_receive(worker, spec_of(event_of(before, 5)), NULL), outcome_value(1));
    expect_same("total", store_rows("sink", "SELECT quote(total) FROM stock"), xstrdup(after));
}

CHECK(receive, the_total_grows_from_whatever_it_is, "receive.2")
{
    struct puppet *worker = once_start(&once_receive, 50);
    struct puppet *hand = hand_open("sink");

    expect_total(worker, hand, "70000", "70005\n");
    expect_total(worker, hand, "-7", "-2\n");
    expect_total(worker, hand, "2147483645", "2147483650\n");
    expect_total(worker, hand, "4294967293", "4294967298\n");
    expect_total(worker, hand, "9007199254740001", "9007199254740006\n");
}

static void remove_stock(void)
{
    hand_do(hand_open("sink"), "DELETE FROM stock");
    stage_did("(another process removes the stock row)");
}

CHECK(receive, a_known_event_changes_nothing_whoever_received_it, "receive.4")
{
    struct event events[] = { an_event(), an_event() };
    auto_free char *others = once_sql(once_receive.take, events[1]);
    struct puppet *worker = once_start(&once_receive, 50);

    expect_received(worker, events[0]);
    once_expect_no_change(&once_receive, worker, events[0], outcome_value(0));
    hand_do(hand_open("sink"), others);
    once_expect_no_change(&once_receive, worker, events[1], outcome_value(0));

    once_know_with_extended_codes(&once_receive, worker, events[1]);
    once_know_among_many(&once_receive, worker, events[0]);
    once_know_in_other_stores(&once_receive, worker);
    remove_stock();
    once_expect_no_change(&once_receive, worker, events[0], outcome_value(0));
}

CHECK(receive, a_known_id_with_another_qty_is_a_conflict_and_changes_nothing, "receive.5")
{
    struct outcome conflict = outcome_of(OUTCOME_CONFLICT, 0);
    struct puppet *worker;

    sink_make();
    sink_put(event_of("one", 300));
    sink_put(event_of("two", 44));
    worker = worker_at("sink", 50);
    once_expect_no_change(&once_receive, worker, event_of("one", 301), conflict);
    once_expect_no_change(&once_receive, worker, event_of("one", 299), conflict);
    once_expect_no_change(&once_receive, worker, event_of("one", 44), conflict);
    once_expect_no_change(&once_receive, worker, event_of("two", 300), conflict);

    expect_received(worker, an_event());
    remove_stock();
    once_expect_no_change(&once_receive, worker, event_of("two", 300), conflict);
}

CHECK(receive, ids_that_look_alike_are_different_business, "receive.6")
{
    once_tell_ids_apart(&once_receive);
}

CHECK(receive, neither_a_removed_event_nor_another_store_is_remembered, "common.7")
{
    struct event event = an_event();
    struct event other = other_qty(event);
    struct how second = { .on = "second" };
    struct puppet *worker = once_start(&once_receive, 50);

    sink_make_as("second");
    worker_open(worker, "second", 50);
    expect_outcome(call_receive(worker, spec_of(event), NULL), outcome_value(1));
    expect_outcome(call_receive(worker, spec_of(other), &second), outcome_value(1));
    hand_do(hand_open("sink"), "DELETE FROM inbox; UPDATE stock SET total = 0");
    expect_outcome(call_receive(worker, spec_of(event_of("", 1)), NULL),
                   outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_receive(worker, spec_of(other), NULL), outcome_value(1));
    expect_outcome(call_receive(worker, spec_of(event), NULL), outcome_of(OUTCOME_CONFLICT, 0));

    expect_same("rows of the first", sink_rows("sink"), sink_with(&other, 1));
    expect_same("rows of the second", sink_rows("second"), sink_with(&other, 1));
    once_call_inside(&once_receive, worker);
}
