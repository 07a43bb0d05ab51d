/* Step 5: steps/worker/05-receive.md - other processes: locks, kills, the same id at once */
#include "worker_crowd.h"

#include <sqlite3.h>

CHECK(receive, the_lock_is_waited_for_as_long_as_the_connection_is_set_to, "receive.3")
{
    struct event event = an_event();
    struct puppet *worker = once_start(&once_receive, 5000);
    struct holder holder = { 0 };
    struct how how = once_held(&holder, &once_receive, "BEGIN IMMEDIATE", 300);

    expect_outcome(call_receive(worker, spec_of(event), &how), outcome_value(1));

    expect(holder.released, "the call waits for the lock", "it did not");
    expect_same("rows", sink_rows("sink"), sink_with(&event, 1));
}

CHECK(receive, the_lock_is_waited_for_no_longer_than_the_connection_is_set_to, "receive.3")
{
    struct event event = an_event();
    struct puppet *worker = once_start(&once_receive, 50);
    struct holder holder = { 0 };
    struct how how = once_held(&holder, &once_receive, "BEGIN IMMEDIATE", 800);

    struct answer answer = call_receive(worker, spec_of(event), &how);

    expect_sqlite(answer, SQLITE_BUSY);
    expect_points(answer, "");
    expect_same("rows", sink_rows("sink"), sink_with(NULL, 0));
    hand_do(holder.hand, "ROLLBACK");
    expect_outcome(call_receive(worker, spec_of(event), NULL), outcome_value(1));
}

CHECK(receive, an_exclusive_lock_is_given_up_on_with_its_code, "common.4")
{
    struct puppet *worker = once_start(&once_receive, 20);
    struct holder holder = { 0 };
    struct how how = once_held(&holder, &once_receive, "BEGIN EXCLUSIVE", 800);

    expect_sqlite(call_receive(worker, spec_of(an_event()), &how), SQLITE_BUSY);
}

CHECK(receive, nobody_else_can_write_before_the_commit, "receive.3")
{
    once_knock(&once_receive, "BEGIN IMMEDIATE; ROLLBACK", SQLITE_BUSY, SQLITE_OK);
}

CHECK(receive, others_can_read_meanwhile, "receive.3")
{
    once_knock(&once_receive, "SELECT * FROM inbox; SELECT * FROM stock", SQLITE_OK, SQLITE_OK);
}

CHECK(receive, a_kill_at_a_fault_point_leaves_both_or_neither, "receive.9")
{
    crowd_kill_at_points(&once_receive);
}

CHECK(receive, a_kill_at_any_storage_operation_leaves_both_or_neither, "receive.9")
{
    crowd_sweep_kills(&once_receive, false);
}

CHECK(receive, a_kill_at_any_storage_operation_of_a_wal_leaves_both_or_neither, "receive.9")
{
    crowd_sweep_kills(&once_receive, true);
}

CHECK(receive, of_six_processes_exactly_one_takes_the_event, "receive.10")
{
    struct event event = an_event();

    int taken = crowd_take(&once_receive,
                           (struct event[CROWD]){ event, event, event, event, event, event });

    expect_number("calls that came to { VALUE, 1 }", taken, 1);
    expect_same("rows", sink_rows("sink"), sink_with(&event, 1));
}

CHECK(receive, of_six_events_of_six_processes_no_qty_is_lost, "receive.10")
{
    struct event events[CROWD] = { an_event(), an_event(), an_event(),
                                   an_event(), an_event(), an_event() };

    expect_number("calls that came to { VALUE, 1 }", crowd_take(&once_receive, events), CROWD);

    expect_same("rows", sink_rows("sink"), sink_with(events, CROWD));
}

CHECK(receive, an_event_that_another_process_takes_meanwhile_is_known, "receive.10")
{
    crowd_rival(&once_receive, 0);
}

CHECK(receive, an_event_that_another_process_takes_otherwise_meanwhile_is_a_conflict, "receive.5")
{
    crowd_rival(&once_receive, 1);
}
