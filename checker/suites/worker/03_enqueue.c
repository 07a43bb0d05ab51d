/* Step 3: steps/worker/03-enqueue.md - what is new, what is known, and what is no event */
#include "base.h"
#include "worker_once.h"

CHECK(enqueue, what_is_no_event_is_refused_at_once_right_beside_what_is_one, "enqueue.1")
{
    once_refuse_what_is_no_event(&once_enqueue);
}

static const char rows_first_seqs_and_strays[] =
    "SELECT o.id, o.qty, b.qty, b.sent, iif(seq > 9, 'any', seq)"
    " FROM orders o LEFT JOIN outbox b USING (id) ORDER BY o.rowid;"
    "SELECT id, qty, sent FROM outbox WHERE id NOT IN (SELECT id FROM orders) ORDER BY seq";

static void expect_recorded(struct puppet *worker, struct event order)
{
    struct answer answer = call_enqueue(worker, spec_of(order), NULL);

    expect_outcome(answer, outcome_value(1));
    expect_points(answer, "after-order after-outbox after-commit");
}

CHECK(enqueue, each_new_order_reaches_its_three_points_and_gets_its_two_rows, "enqueue.2")
{
    struct puppet *worker;

    source_make();
    store_make("source", "INSERT INTO orders VALUES ('sent', 3), ('waits', 3), ('alone', 3);"
                         "INSERT INTO outbox VALUES (4, 'sent', 3, 1), (6, 'stray', 5, 0),"
                         " (7, 'gone', 5, 1), (9, 'waits', 3, 0);"
                         "CREATE TABLE audit (id);"
                         "CREATE TRIGGER one AFTER INSERT ON orders BEGIN"
                         " INSERT INTO audit VALUES (new.id); END;"
                         "CREATE TRIGGER two AFTER INSERT ON outbox BEGIN"
                         " INSERT INTO audit VALUES (new.id); END;");
    worker = worker_at("source", 50);
    stage_did("(in the store: triggers that write each new id into another table)");
    expect_recorded(worker, event_of("least", 1));
    expect_recorded(worker, event_of("most", 1000));
    expect_recorded(worker, event_of("some", 3));

    expect_same("rows of both tables, the seq of the first three orders, and the strays",
                store_rows("source", rows_first_seqs_and_strays),
                xstrdup("sent|3|3|1|4\nwaits|3|3|0|9\nalone|3|NULL|NULL|NULL\n"
                        "least|1|1|0|any\nmost|1000|1000|0|any\nsome|3|3|0|any\n"
                        "stray|5|0\ngone|5|1\n"));
}

CHECK(enqueue, each_point_shows_one_row_more_and_others_see_both_after_the_commit, "enqueue.2")
{
    once_look_at_each_point(&once_enqueue);
}

CHECK(enqueue, any_spelling_of_a_valid_event_is_recorded_alike, "enqueue.2")
{
    once_take_any_spelling(&once_enqueue);
}

CHECK(enqueue, ids_that_look_alike_are_different_orders, "enqueue.2")
{
    once_tell_ids_apart(&once_enqueue);
}

CHECK(enqueue, a_known_order_changes_nothing_sent_or_not_whoever_recorded_it, "enqueue.4")
{
    struct event orders[] = { an_event(), an_event(), an_event() };
    auto_free char *others = once_sql(once_enqueue.take, orders[2]);
    struct puppet *worker;

    source_make();
    source_put(orders[1], 1);
    worker = worker_at("source", 50);
    expect_recorded(worker, orders[0]);
    once_expect_no_change(&once_enqueue, worker, orders[0], outcome_value(0));
    once_expect_no_change(&once_enqueue, worker, orders[1], outcome_value(0));
    hand_do(hand_open("source"), others);
    once_expect_no_change(&once_enqueue, worker, orders[2], outcome_value(0));

    once_know_with_extended_codes(&once_enqueue, worker, orders[1]);
    once_know_among_many(&once_enqueue, worker, orders[0]);
    once_know_in_other_stores(&once_enqueue, worker);
}

CHECK(enqueue, a_known_id_with_another_qty_is_a_conflict_and_changes_nothing, "enqueue.5")
{
    struct outcome conflict = outcome_of(OUTCOME_CONFLICT, 0);
    struct event orders[] = { event_of("waits", 300), event_of("sent", 44) };
    struct puppet *worker;

    source_make();
    source_put_all("source", orders, 2, "01");
    worker = worker_at("source", 50);
    once_expect_no_change(&once_enqueue, worker, event_of("waits", 301), conflict);
    once_expect_no_change(&once_enqueue, worker, event_of("waits", 299), conflict);
    once_expect_no_change(&once_enqueue, worker, event_of("waits", 44), conflict);
    once_expect_no_change(&once_enqueue, worker, event_of("sent", 300), conflict);

    expect_recorded(worker, an_event());
}

CHECK(enqueue, neither_a_removed_order_nor_another_store_is_remembered, "common.7")
{
    struct event order = an_event();
    struct event other = other_qty(order);
    struct how second = { .on = "second" };
    struct puppet *worker = once_start(&once_enqueue, 50);

    source_make_as("second");
    worker_open(worker, "second", 50);
    expect_outcome(call_enqueue(worker, spec_of(order), NULL), outcome_value(1));
    expect_outcome(call_enqueue(worker, spec_of(other), &second), outcome_value(1));
    hand_do(hand_open("source"), "DELETE FROM outbox; DELETE FROM orders");
    expect_outcome(call_enqueue(worker, spec_of(event_of("", 1)), NULL),
                   outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_enqueue(worker, spec_of(other), NULL), outcome_value(1));
    expect_outcome(call_enqueue(worker, spec_of(order), NULL), outcome_of(OUTCOME_CONFLICT, 0));

    expect_same("rows of the first", source_rows("source"), source_with(&other, 1, "0"));
    expect_same("rows of the second", source_rows("second"), source_with(&other, 1, "0"));
    once_call_inside(&once_enqueue, worker);
}
