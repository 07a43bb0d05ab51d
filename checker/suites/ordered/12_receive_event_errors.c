/* Step 12: steps/ordered/12-receive_event.md - errors, kills and other processes */
#include "ordered_change.h"

#include <sqlite3.h>

CHECK(receive_event, a_hook_that_fails_before_the_commit_undoes_the_row, "receive_event.6")
{
    struct change change = change_receive();

    change_fails_before_commit(&change);
}

CHECK(receive_event, a_hook_that_fails_after_the_commit_undoes_nothing, "receive_event.6")
{
    struct change change = change_receive();

    change_fails_after_commit(&change);
}

CHECK(receive_event, a_commit_that_fails_undoes_the_row, "receive_event.6")
{
    struct change change = change_receive();

    change_fails_to_commit(&change);
}

CHECK(receive_event, a_refused_row_is_an_error_and_no_duplicate, "receive_event.6")
{
    struct change change = change_receive();

    change_is_refused(&change, "ABORT");
}

CHECK(receive_event, of_six_copies_one_is_accepted_and_the_others_are_duplicates, "receive_event.6")
{
    struct change change = change_receive();

    change_is_crowded(&change);
}

CHECK(receive_event, a_kill_at_a_point_leaves_the_row_or_not, "receive_event.6")
{
    struct change change = change_receive();

    change_is_killed(&change);
}

CHECK(receive_event, a_kill_at_any_storage_operation_leaves_the_row_or_not, "receive_event.6")
{
    struct change change = change_receive();

    change_sweeps_kills(&change, true);
}

EARLY_CHECK(receive_event, the_lock_is_waited_for, "receive_event.6")
{
    struct change change = change_receive();

    change_waits(&change);
}

CHECK(receive_event, a_refused_row_keeps_its_code_whatever_becomes_of_the_rollback, "common.4")
{
    struct change change = change_receive();

    change_is_refused(&change, "ROLLBACK");
}

CHECK(receive_event, an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    struct change change = change_receive();

    change_sweeps_errors(&change, SQLITE_IOERR);
}

CHECK(receive_event, a_copy_is_known_where_result_codes_are_extended, "common.4")
{
    struct change change = change_receive();

    change_is_made_with_extended_codes(&change);
}

CHECK(receive_event, a_hooks_value_or_no_hook_lets_the_call_go_on, "common.6")
{
    struct change change = change_receive();

    change_goes_on(&change);
}

CHECK(receive_event, memory_does_not_grow, "common.3")
{
    struct change change = change_receive();

    change_repeats(&change);
}

CHECK(receive_event, nothing_is_remembered, "common.7")
{
    struct change change = change_receive();

    change_is_not_remembered(&change);
}

CHECK(receive_event, a_conflict_is_not_remembered, "common.7")
{
    struct envelope known = event_of("flow-a", 1, 7);
    struct envelope other = event_of("flow-a", 1, 8);
    struct how second = { .on = "second" };
    struct puppet *worker;

    side_make("consumer", "consumer", inbox_row(&known, 0, 0, NULL));
    side_make("consumer", "second", "");
    worker = worker_at("consumer", 50);
    worker_open(worker, "second", 50);
    expect_outcome(call_receive_event(worker, &other, NULL), outcome_value(RECEIPT_CONFLICT));
    expect_outcome(call_receive_event(worker, &other, &second), outcome_value(RECEIPT_ACCEPTED));
    expect_outcome(call_receive_event(worker, &other, NULL), outcome_value(RECEIPT_CONFLICT));
    expect_outcome(call_receive_event(worker, &known, &second), outcome_value(RECEIPT_CONFLICT));
    expect_outcome(call_receive_event(worker, &known, NULL), outcome_value(RECEIPT_DUPLICATE));
}

CHECK(receive_event, no_row_is_deleted, "common.8")
{
    struct change change = change_receive();

    change_deletes_nothing(&change);
}

DEEP_CHECK(receive_event, a_full_disk_at_any_write_leaves_the_row_or_not, "receive_event.6")
{
    struct change change = change_receive();

    change_sweeps_errors(&change, SQLITE_FULL);
}

DEEP_CHECK(receive_event, a_busy_file_at_any_operation_leaves_the_row_or_not, "receive_event.6")
{
    struct change change = change_receive();

    change_sweeps_errors(&change, SQLITE_BUSY);
}

DEEP_CHECK(receive_event, a_process_killed_at_every_operation_leaves_the_row_or_not,
           "receive_event.6")
{
    struct change change = change_receive();

    change_sweeps_kills_thoroughly(&change);
}

CHECK(receive_event, of_each_kind_an_event_is_kept_whole_or_not_at_all, "receive_event.6")
{
    shapes_are_whole(receive_shapes);
}
