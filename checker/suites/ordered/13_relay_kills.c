/* Step 13: steps/ordered/13-relay.md - kills and errors on the way */
#include "13_relay.h"

#include <sqlite3.h>

static void expect_killed_there(const char *where)
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct notes notes = { .kill_at = where };
    struct notes next = { 0 };

    draw_events(events);
    worker = start_with(events, "000");
    expect_killed(relay_noting(worker, NULL, &notes));
    expect_marks(events, "000");
    worker = worker_at("producer", 50);
    expect_outcome(relay_noting(worker, NULL, &next), outcome_value(RECEIPT_ACCEPTED));
    expect_same("the event that the next process sends", next.got, event_text(&events[1]));
    expect_marks(events, "010");
}

CHECK(relay, a_kill_while_the_receiver_runs_loses_no_event, "relay.6")
{
    expect_killed_there("");
}

CHECK(relay, a_kill_before_the_mark_loses_no_event, "relay.6")
{
    expect_killed_there("after-receive");
}

CHECK(relay, a_kill_at_any_storage_operation_loses_no_event, "relay.6")
{
    struct change change = change_relay();

    change_sweeps_kills(&change, true);
}

CHECK(relay, a_hook_that_fails_is_handed_on_and_nothing_is_marked, "relay.3")
{
    struct change change = change_relay();

    change_fails_before_commit(&change);
}

CHECK(relay, a_mark_that_cannot_be_committed_is_an_error, "common.4")
{
    struct change change = change_relay();

    change_fails_to_commit(&change);
}

CHECK(relay, a_mark_that_is_refused_keeps_its_code, "common.4")
{
    struct change change = change_relay();

    change_is_refused(&change, "ROLLBACK");
}

CHECK(relay, an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    struct change change = change_relay();

    change_sweeps_errors(&change, SQLITE_IOERR);
}

EARLY_CHECK(relay, the_mark_waits_for_the_lock, "relay.3")
{
    struct change change = change_relay();

    change_waits(&change);
}

CHECK(relay, a_hooks_value_or_no_hook_lets_the_call_go_on, "common.6")
{
    struct change change = change_relay();

    change_goes_on(&change);
}

CHECK(relay, memory_does_not_grow, "common.3")
{
    struct change change = change_relay();

    change_repeats(&change);
}

CHECK(relay, nothing_is_remembered, "common.7")
{
    struct change change = change_relay();

    change_is_not_remembered(&change);
}

CHECK(relay, no_row_is_deleted, "common.8")
{
    struct change change = change_relay();

    change_deletes_nothing(&change);
}

DEEP_CHECK(relay, a_full_disk_at_any_write_leaves_the_mark_or_not, "relay.3")
{
    struct change change = change_relay();

    change_sweeps_errors(&change, SQLITE_FULL);
}

DEEP_CHECK(relay, a_busy_file_at_any_operation_leaves_the_mark_or_not, "relay.3")
{
    struct change change = change_relay();

    change_sweeps_errors(&change, SQLITE_BUSY);
}

DEEP_CHECK(relay, a_process_killed_at_every_operation_leaves_the_mark_or_not, "relay.6")
{
    struct change change = change_relay();

    change_sweeps_kills_thoroughly(&change);
}
