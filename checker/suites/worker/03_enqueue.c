/* Step 3: steps/worker/03-enqueue.md - what is new, what is known, and what is no event */
#include "base.h"
#include "worker_once.h"

CHECK(enqueue, what_is_no_event_is_refused_right_beside_what_is_one, "enqueue.1")
{
    once_refuse_what_is_no_event(&once_enqueue);
}

CHECK(enqueue, an_invalid_event_is_refused_at_once_under_a_write_lock, "enqueue.1")
{
    once_refuse_at_once(&once_enqueue, "BEGIN IMMEDIATE");
}

CHECK(enqueue, an_invalid_event_is_refused_at_once_under_an_exclusive_lock, "enqueue.1")
{
    once_refuse_at_once(&once_enqueue, "BEGIN EXCLUSIVE");
}

CHECK(enqueue, new_orders_get_their_two_rows_each, "enqueue.2")
{
    struct event orders[] = { an_event(), an_event(), event_of("least", 1),
                              event_of("most", 1000) };
    struct puppet *worker = once_start(&once_enqueue, 50);

    for (int i = 0; i < 4; i++)
        expect_outcome(call_enqueue(worker, spec_of(orders[i]), NULL), outcome_value(1));

    expect_same("rows", source_rows("source"), source_with(orders, 4, "0000"));
}

CHECK(enqueue, a_new_order_reaches_its_three_points_in_order, "enqueue.2")
{
    struct puppet *worker = once_start(&once_enqueue, 50);

    struct answer answer = call_enqueue(worker, spec_of(an_event()), NULL);

    expect_outcome(answer, outcome_value(1));
    expect_points(answer, "after-order after-outbox after-commit");
}

CHECK(enqueue, its_own_connection_sees_one_row_more_at_each_point, "enqueue.2")
{
    once_look_from_inside(&once_enqueue);
}

CHECK(enqueue, another_process_sees_nothing_before_the_commit_and_both_rows_after, "enqueue.2")
{
    once_look_from_outside(&once_enqueue);
}

CHECK(enqueue, any_spelling_of_a_valid_event_is_recorded_alike, "enqueue.2")
{
    once_take_any_spelling(&once_enqueue);
}

CHECK(enqueue, ids_that_look_alike_are_different_orders, "enqueue.2")
{
    once_tell_ids_apart(&once_enqueue);
}

CHECK(enqueue, a_new_order_leaves_all_other_rows_alone, "enqueue.2")
{
    struct event order = an_event();

    source_make();
    store_make("source", "INSERT INTO orders VALUES ('sent', 3), ('waits', 3), ('alone', 3);"
                         "INSERT INTO outbox VALUES (4, 'sent', 3, 1), (9, 'waits', 3, 0);");
    expect_outcome(call_enqueue(worker_at("source", 50), spec_of(order), NULL), outcome_value(1));

    expect_same("rows that were there",
                store_rows("source", "SELECT o.id, o.qty, b.seq, b.qty, b.sent FROM orders o LEFT "
                                     "JOIN outbox b USING (id) WHERE o.qty = 3 ORDER BY o.rowid"),
                xstrdup("sent|3|4|3|1\nwaits|3|9|3|0\nalone|3|NULL|NULL|NULL\n"));
}

/* Asks for an order that is there, and for a new one after it. */
static void expect_known(int sent, int more, struct outcome expected)
{
    struct event order = event_of("known-order", 300);
    struct puppet *worker;
    struct answer answer;
    char *before;

    source_make();
    source_put(order, sent);
    worker = worker_at("source", 50);
    before = source_rows_exact("source");
    answer = call_enqueue(worker, spec_of(event_of(order.id, order.qty + more)), NULL);
    expect_outcome(answer, expected);
    expect_points(answer, "");
    expect_same("rows, unchanged", source_rows_exact("source"), before);
    expect_outcome(call_enqueue(worker, spec_of(an_event()), NULL), outcome_value(1));
}

CHECK(enqueue, a_known_order_changes_nothing, "enqueue.4")
{
    expect_known(0, 0, outcome_value(0));
}

CHECK(enqueue, a_known_order_that_was_sent_stays_sent, "enqueue.4")
{
    expect_known(1, 0, outcome_value(0));
}

CHECK(enqueue, an_order_is_known_whoever_recorded_it, "enqueue.4")
{
    struct event orders[] = { an_event(), an_event() };
    struct puppet *worker = once_start(&once_enqueue, 50);
    struct puppet *other = worker_at("source", 50);

    expect_outcome(call_enqueue(worker, spec_of(orders[0]), NULL), outcome_value(1));
    expect_outcome(call_enqueue(other, spec_of(orders[1]), NULL), outcome_value(1));
    expect_outcome(call_enqueue(worker, spec_of(orders[1]), NULL), outcome_value(0));
    expect_outcome(call_enqueue(other, spec_of(orders[0]), NULL), outcome_value(0));

    expect_same("rows", source_rows("source"), source_with(orders, 2, "00"));
}

CHECK(enqueue, a_known_id_with_one_more_is_a_conflict, "enqueue.5")
{
    expect_known(0, 1, outcome_of(OUTCOME_CONFLICT, 0));
}

CHECK(enqueue, a_known_id_with_one_less_is_a_conflict, "enqueue.5")
{
    expect_known(1, -1, outcome_of(OUTCOME_CONFLICT, 0));
}

CHECK(enqueue, a_known_id_with_two_hundred_and_fifty_six_more_is_a_conflict, "enqueue.5")
{
    expect_known(0, 256, outcome_of(OUTCOME_CONFLICT, 0));
}

CHECK(enqueue, a_removed_order_is_new_again, "common.7")
{
    struct event order = an_event();
    struct event other = other_qty(order);
    struct puppet *worker = once_start(&once_enqueue, 50);

    expect_outcome(call_enqueue(worker, spec_of(order), NULL), outcome_value(1));
    hand_do(hand_open("source"), "DELETE FROM outbox; DELETE FROM orders");
    expect_outcome(call_enqueue(worker, spec_of(other), NULL), outcome_value(1));
    expect_outcome(call_enqueue(worker, spec_of(order), NULL), outcome_of(OUTCOME_CONFLICT, 0));

    expect_same("rows", source_rows("source"), source_with(&other, 1, "0"));
}

CHECK(enqueue, two_stores_in_one_process_know_nothing_of_each_other, "common.7")
{
    struct event order = an_event();
    struct event other = other_qty(order);
    struct puppet *worker = once_start(&once_enqueue, 50);

    source_make_as("second");
    worker_open(worker, "second", 50);
    expect_outcome(call_enqueue(worker, spec_of(order), NULL), outcome_value(1));
    expect_outcome(call_enqueue(worker, spec_of(other), &(struct how){ .on = "second" }),
                   outcome_value(1));

    expect_same("rows of the first", source_rows("source"), source_with(&order, 1, "0"));
    expect_same("rows of the second", source_rows("second"), source_with(&other, 1, "0"));
}
