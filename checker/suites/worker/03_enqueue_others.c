/* Step 3: steps/worker/03-enqueue.md - other processes: locks, kills, the same id at once */
#include "base.h"
#include "worker_crowd.h"

#include <sqlite3.h>

CHECK(enqueue, the_lock_is_waited_for_as_long_as_the_connection_is_set_to, "enqueue.3")
{
    struct event order = an_event();
    struct puppet *worker = once_start(&once_enqueue, 5000);
    struct holder holder = { 0 };
    struct how how = once_held(&holder, &once_enqueue, "BEGIN IMMEDIATE", 300);

    expect_outcome(call_enqueue(worker, spec_of(order), &how), outcome_value(1));

    expect(holder.released, "the call waits for the lock", "it did not");
    expect_same("rows", source_rows("source"), source_with(&order, 1, "0"));
}

CHECK(enqueue, the_lock_is_waited_for_no_longer_than_the_connection_is_set_to, "enqueue.3")
{
    struct event order = an_event();
    struct puppet *worker = once_start(&once_enqueue, 50);
    struct holder holder = { 0 };
    struct how how = once_held(&holder, &once_enqueue, "BEGIN IMMEDIATE", 800);

    struct answer answer = call_enqueue(worker, spec_of(order), &how);

    expect_sqlite(answer, SQLITE_BUSY);
    expect_points(answer, "");
    expect_same("rows", source_rows("source"), source_with(NULL, 0, ""));
    hand_do(holder.hand, "ROLLBACK");
    expect_outcome(call_enqueue(worker, spec_of(order), NULL), outcome_value(1));
}

CHECK(enqueue, an_exclusive_lock_is_given_up_on_with_its_code, "common.4")
{
    struct puppet *worker = once_start(&once_enqueue, 20);
    struct holder holder = { 0 };
    struct how how = once_held(&holder, &once_enqueue, "BEGIN EXCLUSIVE", 800);

    expect_sqlite(call_enqueue(worker, spec_of(an_event()), &how), SQLITE_BUSY);
}

CHECK(enqueue, nobody_else_can_write_before_the_commit, "enqueue.3")
{
    once_knock(&once_enqueue, "BEGIN IMMEDIATE; ROLLBACK", SQLITE_BUSY, SQLITE_OK);
}

CHECK(enqueue, others_can_read_meanwhile, "enqueue.3")
{
    once_knock(&once_enqueue, "SELECT * FROM orders; SELECT * FROM outbox", SQLITE_OK, SQLITE_OK);
}

CHECK(enqueue, a_kill_at_a_fault_point_leaves_both_rows_or_neither, "enqueue.8")
{
    crowd_kill_at_points(&once_enqueue);
}

CHECK(enqueue, a_kill_at_any_storage_operation_leaves_both_rows_or_neither, "enqueue.8")
{
    crowd_sweep_kills(&once_enqueue, false);
}

CHECK(enqueue, a_kill_at_any_storage_operation_of_a_wal_leaves_both_rows_or_neither, "enqueue.8")
{
    crowd_sweep_kills(&once_enqueue, true);
}

CHECK(enqueue, of_six_processes_exactly_one_records_the_order, "enqueue.9")
{
    struct event order = an_event();

    int taken = crowd_take(&once_enqueue,
                           (struct event[CROWD]){ order, order, order, order, order, order });

    expect_number("calls that came to { VALUE, 1 }", taken, 1);
    expect_same("rows", source_rows("source"), source_with(&order, 1, "0"));
}

CHECK(enqueue, six_processes_record_six_orders, "enqueue.3")
{
    struct event orders[CROWD] = { an_event(), an_event(), an_event(),
                                   an_event(), an_event(), an_event() };

    expect_number("calls that came to { VALUE, 1 }", crowd_take(&once_enqueue, orders), CROWD);

    expect_same("orders and intents",
                store_rows("source", "SELECT count(*), count(DISTINCT b.id) FROM orders JOIN "
                                     "outbox b USING (id, qty)"),
                xstrdup("6|6\n"));
}

CHECK(enqueue, an_order_that_another_process_records_meanwhile_is_known, "enqueue.9")
{
    crowd_rival(&once_enqueue, 0);
}

CHECK(enqueue, an_order_that_another_process_records_otherwise_meanwhile_is_a_conflict, "enqueue.5")
{
    crowd_rival(&once_enqueue, 1);
}
