/* Step 14: steps/ordered/14-apply_next.md - whose turn it is, and the transaction */
#include "base.h"
#include "ordered_change.h"

#include <sqlite3.h>

static struct puppet *start_with(const char *rows)
{
    side_make("consumer", "consumer", rows);
    return worker_at("consumer", 50);
}

static void expect_receipt(struct puppet *worker, const char *flow, enum receipt receipt)
{
    expect_outcome(call_apply_next(worker, flow, false, NULL), outcome_value(receipt));
}

static void expect_nothing_done(struct puppet *worker, const char *flow, enum receipt receipt)
{
    char *before = side_rows("consumer", "consumer");
    struct answer answer = call_apply_next(worker, flow, false, NULL);

    expect_outcome(answer, outcome_value(receipt));
    expect_points(answer, "");
    expect_same("rows, unchanged", side_rows("consumer", "consumer"), before);
}

CHECK(apply_next, events_are_applied_in_their_order_however_they_came, "apply_next.1")
{
    struct envelope events[] = { event_of("flow-a", 1, 7), event_of("flow-a", 2, 7),
                                 event_of("flow-a", 3, 7) };
    struct puppet *worker =
        start_with(xprintf("%s%s%s", inbox_row(&events[2], 0, 0, NULL),
                           inbox_row(&events[0], 0, 0, NULL), inbox_row(&events[1], 0, 0, NULL)));
    static const char *const stages[] = { "reserved", "confirmed", "released" };

    for (int i = 0; i < 3; i++) {
        auto_free char *row = xprintf("%s|%d|7|%d\n", stages[i], i + 1, i + 1);

        expect_receipt(worker, "flow-a", RECEIPT_APPLIED);
        expect_same("projection, and how many effects",
                    store_rows("consumer", "SELECT stage, last_seq, quantity,"
                                           " (SELECT count(*) FROM effect) FROM projection"),
                    xstrdup(row));
    }
    expect_nothing_done(worker, "flow-a", RECEIPT_IDLE);
}

CHECK(apply_next, a_missing_event_is_a_gap_where_a_later_one_waits, "apply_next.1")
{
    struct envelope first = event_of("flow-a", 1, 7);
    struct envelope third = event_of("flow-a", 3, 7);
    struct envelope second = event_of("flow-b", 2, 7);
    struct envelope far = event_of("flow-c", INT64_MAX, 7);
    struct envelope eleventh = event_of("flow-d", 11, 7); /* as a text it lies before 9 */
    struct puppet *worker = start_with(
        xprintf("%s%s%s%s%s%s%s", applied_rows(&first, 7),
                projection_row("flow-a", "reserved", 1, 7), inbox_row(&third, 0, 0, NULL),
                inbox_row(&second, 0, 1, "bad_payload"), inbox_row(&far, 0, 0, NULL),
                projection_row("flow-d", "released", 9, 7), inbox_row(&eleventh, 0, 0, NULL)));

    expect_nothing_done(worker, "flow-a", RECEIPT_GAP);
    expect_nothing_done(worker, "flow-b", RECEIPT_GAP);
    expect_nothing_done(worker, "flow-c", RECEIPT_GAP);
    expect_nothing_done(worker, "flow-d", RECEIPT_GAP);
}

CHECK(apply_next, nothing_that_waits_is_idle, "apply_next.1")
{
    struct envelope first = event_of("flow-a", 1, 7);
    struct envelope last = event_of("flow-m", INT64_MAX, 7);
    struct puppet *worker = start_with(
        xprintf("%s%s%s%s", applied_rows(&first, 7), projection_row("flow-a", "reserved", 1, 7),
                applied_rows(&last, 7), projection_row("flow-m", "released", INT64_MAX, 7)));

    expect_nothing_done(worker, "flow-a", RECEIPT_IDLE);
    expect_nothing_done(worker, "flow-m", RECEIPT_IDLE);
    expect_nothing_done(worker, "unknown", RECEIPT_IDLE);
    expect_nothing_done(worker, "Flow-a", RECEIPT_IDLE);
}

CHECK(apply_next, another_flows_events_are_not_touched, "apply_next.1")
{
    struct envelope mine = event_of("flow-a", 1, 7);
    struct envelope other = event_of("flow-b", 1, 9);
    struct puppet *worker =
        start_with(xprintf("%s%s", inbox_row(&other, 0, 0, NULL), inbox_row(&mine, 0, 0, NULL)));

    expect_receipt(worker, "flow-a", RECEIPT_APPLIED);
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer",
                          xprintf("%s%s%s", inbox_row(&other, 0, 0, NULL), applied_rows(&mine, 7),
                                  projection_row("flow-a", "reserved", 1, 7))));
}

CHECK(apply_next, seqs_are_64_bits_wide, "apply_next.1")
{
    int64_t wide = INT64_C(9007199254740992);
    struct envelope event = event_of("flow-a", wide + 1, 7);
    struct envelope later = event_of("flow-b", INT64_C(4294967297), 7);
    struct puppet *worker;

    event.stage = "confirmed";
    worker = start_with(xprintf("%s%s%s", projection_row("flow-a", "reserved", wide, 7),
                                inbox_row(&event, 0, 0, NULL), inbox_row(&later, 0, 0, NULL)));
    expect_nothing_done(worker, "flow-b", RECEIPT_GAP);
    expect_receipt(worker, "flow-a", RECEIPT_APPLIED);
    expect_same("projection", store_rows("consumer", "SELECT last_seq FROM projection"),
                xstrdup("9007199254740993\n"));
}

CHECK(apply_next, a_second_event_changes_three_tables_by_four_points, "apply_next.2")
{
    struct change change = change_apply();

    change_is_made(&change);
}

CHECK(apply_next, each_point_shows_one_row_more_and_others_see_all_after_the_commit, "apply_next.2")
{
    struct change change = change_apply();

    change_is_seen(&change);
}

CHECK(apply_next, a_first_event_makes_the_projection, "apply_next.2")
{
    struct envelope event = event_of("flow-a", 1, 1000000);
    struct puppet *worker = start_with(inbox_row(&event, 0, 0, NULL));
    struct answer answer = call_apply_next(worker, "flow-a", false, NULL);

    expect_outcome(answer, outcome_value(RECEIPT_APPLIED));
    expect_points(answer, "after-projection after-effect after-applied after-commit");
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", xprintf("%s%s", applied_rows(&event, 1000000),
                                              projection_row("flow-a", "reserved", 1, 1000000))));
}

CHECK(apply_next, a_hook_that_fails_before_the_commit_undoes_all, "apply_next.6")
{
    struct change change = change_apply();

    change_fails_before_commit(&change);
}

CHECK(apply_next, a_hook_that_fails_after_the_commit_undoes_nothing, "apply_next.6")
{
    struct change change = change_apply();

    change_fails_after_commit(&change);
}

CHECK(apply_next, a_refused_row_undoes_all, "apply_next.6")
{
    struct change change = change_apply();

    change_is_refused(&change, "ABORT");
}

CHECK(apply_next, a_commit_that_fails_undoes_all, "apply_next.6")
{
    struct change change = change_apply();

    change_fails_to_commit(&change);
}

CHECK(apply_next, a_kill_at_a_point_leaves_all_or_none, "apply_next.6")
{
    struct change change = change_apply();

    change_is_killed(&change);
}

CHECK(apply_next, a_kill_at_any_storage_operation_leaves_all_or_none, "apply_next.6")
{
    struct change change = change_apply();

    change_sweeps_kills(&change, true);
}

CHECK(apply_next, of_six_processes_one_applies_the_event, "apply_next.6")
{
    struct change change = change_apply();

    change_is_crowded(&change);
}

EARLY_CHECK(apply_next, the_lock_is_waited_for, "apply_next.2")
{
    struct change change = change_apply();

    change_waits(&change);
}

CHECK(apply_next, a_refused_row_keeps_its_code_whatever_becomes_of_the_rollback, "common.4")
{
    struct change change = change_apply();

    change_is_refused(&change, "ROLLBACK");
}

CHECK(apply_next, an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    struct change change = change_apply();

    change_sweeps_errors(&change, SQLITE_IOERR);
}

CHECK(apply_next, a_hooks_value_or_no_hook_lets_the_call_go_on, "common.6")
{
    struct change change = change_apply();

    change_goes_on(&change);
}

CHECK(apply_next, memory_does_not_grow, "common.3")
{
    struct change change = change_apply();

    change_repeats(&change);
}

CHECK(apply_next, nothing_is_remembered, "common.7")
{
    struct change change = change_apply();

    change_is_not_remembered(&change);
}

CHECK(apply_next, no_row_is_deleted, "common.8")
{
    struct change change = change_apply();

    change_deletes_nothing(&change);
}

DEEP_CHECK(apply_next, a_full_disk_at_any_write_leaves_all_or_none, "apply_next.6")
{
    struct change change = change_apply();

    change_sweeps_errors(&change, SQLITE_FULL);
}

DEEP_CHECK(apply_next, a_busy_file_at_any_operation_leaves_all_or_none, "apply_next.6")
{
    struct change change = change_apply();

    change_sweeps_errors(&change, SQLITE_BUSY);
}

DEEP_CHECK(apply_next, a_process_killed_at_every_operation_leaves_all_or_none, "apply_next.6")
{
    struct change change = change_apply();

    change_sweeps_kills_thoroughly(&change);
}
