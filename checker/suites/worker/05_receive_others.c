/* Step 5: steps/worker/05-receive.md - other processes: locks, kills, the same id at once */
#include "worker_crowd.h"

CHECK(receive, the_lock_is_waited_for_as_long_as_the_connection_is_set_to, "receive.3")
{
    once_wait_for_the_lock(&once_receive);
}

EARLY_CHECK(receive, a_busy_handler_of_the_connection_says_how_long_the_lock_is_waited_for,
            "receive.3")
{
    once_wait_by_handler(&once_receive);
}

CHECK(receive, others_can_read_meanwhile_and_write_only_after_the_commit, "receive.3")
{
    once_knock_at_each_point(&once_receive, "SELECT * FROM inbox; SELECT * FROM stock");
}

CHECK(receive, a_kill_at_a_fault_point_leaves_both_or_neither, "receive.9")
{
    crowd_kill_at_points(&once_receive);
}

CHECK(receive, a_kill_at_any_storage_operation_leaves_both_or_neither, "receive.9")
{
    crowd_sweep_kills(&once_receive);
    crowd_sweep_kills_of_a_log(&once_receive);
}

DEEP_CHECK(receive, a_kill_at_any_storage_operation_of_a_wal_leaves_both_or_neither, "receive.9")
{
    crowd_sweep_kills_thoroughly(&once_receive);
}

CHECK(receive, of_events_at_once_one_takes_effect_once_and_no_qty_is_lost, "receive.10")
{
    struct event events[] = { an_event(), an_event(), an_event() };

    int taken = crowd_take(&once_receive, (struct event[CROWD]){ events[0], events[1], events[0],
                                                                 events[2], events[0] });

    expect_number("calls that came to { VALUE, 1 }", taken, 3);
    expect_same("rows", sink_rows("sink"), sink_with(events, 3));
}

CHECK(receive, what_another_process_takes_meanwhile_is_known_and_its_qty_kept, "receive.10")
{
    crowd_rival(&once_receive, RIVAL_SAME | RIVAL_OTHER_ID, RIVAL_FIRST);
}

DEEP_CHECK(receive, what_another_process_takes_at_any_moment_is_known_and_its_qty_kept,
           "receive.10")
{
    crowd_rival(&once_receive, RIVAL_SAME | RIVAL_OTHER_ID, RIVAL_ALL);
}

DEEP_CHECK(receive, an_event_that_another_process_takes_otherwise_is_a_conflict, "receive.5")
{
    crowd_rival(&once_receive, RIVAL_OTHER_QTY, RIVAL_ALL);
}
