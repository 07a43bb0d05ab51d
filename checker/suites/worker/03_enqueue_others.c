/* Step 3: steps/worker/03-enqueue.md - other processes: locks, kills, the same id at once */
#include "base.h"
#include "worker_crowd.h"

CHECK(enqueue, the_lock_is_waited_for_as_long_as_the_connection_is_set_to, "enqueue.3")
{
    once_wait_for_the_lock(&once_enqueue);
}

EARLY_CHECK(enqueue, a_busy_handler_of_the_connection_says_how_long_the_lock_is_waited_for,
            "enqueue.3")
{
    once_wait_by_handler(&once_enqueue);
}

CHECK(enqueue, others_can_read_meanwhile_and_write_only_after_the_commit, "enqueue.3")
{
    once_knock_at_each_point(&once_enqueue, "SELECT * FROM orders; SELECT * FROM outbox");
}

CHECK(enqueue, a_kill_at_a_fault_point_leaves_both_rows_or_neither, "enqueue.8")
{
    crowd_kill_at_points(&once_enqueue);
}

CHECK(enqueue, a_kill_at_any_storage_operation_leaves_both_rows_or_neither, "enqueue.8")
{
    crowd_sweep_kills(&once_enqueue);
    crowd_sweep_kills_of_a_log(&once_enqueue);
}

DEEP_CHECK(enqueue, a_kill_at_any_storage_operation_of_a_wal_leaves_both_rows_or_neither,
           "enqueue.8")
{
    crowd_sweep_kills_thoroughly(&once_enqueue);
}

CHECK(enqueue, of_processes_with_one_order_exactly_one_records_it, "enqueue.9")
{
    struct event order = an_event();
    struct event others[] = { an_event(), an_event() };

    int taken = crowd_take(&once_enqueue,
                           (struct event[CROWD]){ order, others[0], order, others[1], order });

    expect_number("calls that came to { VALUE, 1 }", taken, 3);
    expect_same("orders and intents",
                store_rows("source", "SELECT count(*), count(DISTINCT b.id) FROM orders JOIN "
                                     "outbox b USING (id, qty)"),
                xstrdup("3|3\n"));
}

CHECK(enqueue, an_order_that_another_process_records_meanwhile_is_known, "enqueue.9")
{
    crowd_rival(&once_enqueue, RIVAL_SAME, RIVAL_FIRST);
}

DEEP_CHECK(enqueue, an_order_that_another_process_records_at_any_moment_is_known, "enqueue.9")
{
    crowd_rival(&once_enqueue, RIVAL_SAME | RIVAL_OTHER_ID, RIVAL_ALL);
}

DEEP_CHECK(enqueue, an_order_that_another_process_records_otherwise_is_a_conflict, "enqueue.5")
{
    crowd_rival(&once_enqueue, RIVAL_OTHER_QTY, RIVAL_ALL);
}
