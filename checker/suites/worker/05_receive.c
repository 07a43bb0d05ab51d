/* Step 5: steps/worker/05-receive.md - what is new, what is known, and what is no event */
#include "base.h"
#include "worker_once.h"

CHECK(receive, what_is_no_event_is_refused_right_beside_what_is_one, "receive.1")
{
    once_refuse_what_is_no_event(&once_receive);
}

CHECK(receive, an_invalid_event_is_refused_at_once_under_a_write_lock, "receive.1")
{
    once_refuse_at_once(&once_receive, "BEGIN IMMEDIATE");
}

CHECK(receive, an_invalid_event_is_refused_at_once_under_an_exclusive_lock, "receive.1")
{
    once_refuse_at_once(&once_receive, "BEGIN EXCLUSIVE");
}

CHECK(receive, each_new_event_is_recorded_and_its_qty_added, "receive.2")
{
    struct event events[] = { an_event(), an_event(), event_of("least", 1),
                              event_of("most", 1000) };
    struct puppet *worker = once_start(&once_receive, 50);

    for (int i = 0; i < 4; i++)
        expect_outcome(call_receive(worker, spec_of(events[i]), NULL), outcome_value(1));

    expect_same("rows", sink_rows("sink"), sink_with(events, 4));
}

CHECK(receive, a_new_event_reaches_its_three_points_in_order, "receive.2")
{
    struct puppet *worker = once_start(&once_receive, 50);

    struct answer answer = call_receive(worker, spec_of(an_event()), NULL);

    expect_outcome(answer, outcome_value(1));
    expect_points(answer, "after-inbox after-total after-commit");
}

CHECK(receive, its_own_connection_sees_one_effect_more_at_each_point, "receive.2")
{
    once_look_from_inside(&once_receive);
}

CHECK(receive, another_process_sees_nothing_before_the_commit_and_both_effects_after, "receive.2")
{
    once_look_from_outside(&once_receive);
}

CHECK(receive, any_spelling_of_a_valid_event_is_recorded_alike, "receive.2")
{
    once_take_any_spelling(&once_receive);
}

/* Receives an event of qty 5 where the stock is so high, and asks what it is then. */
static void expect_total(const char *before, const char *after)
{
    auto_free char *sql = xprintf("UPDATE stock SET total = %s", before);

    sink_make();
    store_make("sink", sql);
    stage_did("(in the store: total %s)", before);
    expect_outcome(call_receive(worker_at("sink", 50), spec_of(event_of("five", 5)), NULL),
                   outcome_value(1));

    expect_same("total", store_rows("sink", "SELECT quote(total) FROM stock"), xstrdup(after));
}

CHECK(receive, the_total_grows_from_what_it_is, "receive.2")
{
    expect_total("70000", "70005\n");
}

CHECK(receive, the_total_grows_from_below_zero, "receive.2")
{
    expect_total("-7", "-2\n");
}

CHECK(receive, the_total_grows_past_thirty_one_bits, "receive.2")
{
    expect_total("2147483645", "2147483650\n");
}

CHECK(receive, the_total_grows_past_thirty_two_bits, "receive.2")
{
    expect_total("4294967293", "4294967298\n");
}

CHECK(receive, the_total_is_exact_where_a_float_is_not, "receive.2")
{
    expect_total("9007199254740001", "9007199254740006\n");
}

/* Delivers an event that is there, with so much more, and a new one after it. */
static void expect_known(int more, struct outcome expected)
{
    struct event event = event_of("known-event", 300);
    struct puppet *worker;
    struct answer answer;
    char *before;

    sink_make();
    sink_put(event);
    worker = worker_at("sink", 50);
    before = sink_rows("sink");
    answer = call_receive(worker, spec_of(event_of(event.id, event.qty + more)), NULL);
    expect_outcome(answer, expected);
    expect_points(answer, "");
    expect_same("rows, unchanged", sink_rows("sink"), before);
    expect_outcome(call_receive(worker, spec_of(an_event()), NULL), outcome_value(1));
}

CHECK(receive, a_known_event_changes_nothing, "receive.4")
{
    expect_known(0, outcome_value(0));
}

CHECK(receive, an_event_is_known_whoever_received_it, "receive.4")
{
    struct event events[] = { an_event(), an_event() };
    struct puppet *worker = once_start(&once_receive, 50);
    struct puppet *other = worker_at("sink", 50);

    expect_outcome(call_receive(worker, spec_of(events[0]), NULL), outcome_value(1));
    expect_outcome(call_receive(other, spec_of(events[1]), NULL), outcome_value(1));
    expect_outcome(call_receive(worker, spec_of(events[1]), NULL), outcome_value(0));
    expect_outcome(call_receive(other, spec_of(events[0]), NULL), outcome_value(0));

    expect_same("rows", sink_rows("sink"), sink_with(events, 2));
}

CHECK(receive, a_known_id_with_one_more_is_a_conflict, "receive.5")
{
    expect_known(1, outcome_of(OUTCOME_CONFLICT, 0));
}

CHECK(receive, a_known_id_with_one_less_is_a_conflict, "receive.5")
{
    expect_known(-1, outcome_of(OUTCOME_CONFLICT, 0));
}

CHECK(receive, a_known_id_with_two_hundred_and_fifty_six_more_is_a_conflict, "receive.5")
{
    expect_known(256, outcome_of(OUTCOME_CONFLICT, 0));
}

CHECK(receive, a_known_id_with_the_qty_of_another_is_a_conflict, "receive.5")
{
    struct event events[] = { event_of("five", 5), event_of("six", 6) };
    struct puppet *worker = once_start(&once_receive, 50);

    expect_outcome(call_receive(worker, spec_of(events[0]), NULL), outcome_value(1));
    expect_outcome(call_receive(worker, spec_of(events[1]), NULL), outcome_value(1));
    expect_outcome(call_receive(worker, spec_of(event_of("five", 6)), NULL),
                   outcome_of(OUTCOME_CONFLICT, 0));

    expect_same("rows", sink_rows("sink"), sink_with(events, 2));
}

CHECK(receive, ids_that_look_alike_are_different_business, "receive.6")
{
    once_tell_ids_apart(&once_receive);
}

CHECK(receive, a_removed_event_is_new_again, "common.7")
{
    struct event event = an_event();
    struct event other = other_qty(event);
    struct puppet *worker = once_start(&once_receive, 50);

    expect_outcome(call_receive(worker, spec_of(event), NULL), outcome_value(1));
    hand_do(hand_open("sink"), "DELETE FROM inbox; UPDATE stock SET total = 0");
    expect_outcome(call_receive(worker, spec_of(other), NULL), outcome_value(1));
    expect_outcome(call_receive(worker, spec_of(event), NULL), outcome_of(OUTCOME_CONFLICT, 0));

    expect_same("rows", sink_rows("sink"), sink_with(&other, 1));
}

CHECK(receive, two_stores_in_one_process_know_nothing_of_each_other, "common.7")
{
    struct event event = an_event();
    struct event other = other_qty(event);
    struct puppet *worker = once_start(&once_receive, 50);

    sink_make_as("second");
    worker_open(worker, "second", 50);
    expect_outcome(call_receive(worker, spec_of(event), NULL), outcome_value(1));
    expect_outcome(call_receive(worker, spec_of(other), &(struct how){ .on = "second" }),
                   outcome_value(1));

    expect_same("rows of the first", sink_rows("sink"), sink_with(&event, 1));
    expect_same("rows of the second", sink_rows("second"), sink_with(&other, 1));
}
