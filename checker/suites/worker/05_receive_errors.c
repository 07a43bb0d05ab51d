/* Step 5: steps/worker/05-receive.md - what fails on the way, and what then remains */
#include "base.h"
#include "worker_crowd.h"

#include <sqlite3.h>
#include <string.h>

CHECK(receive, a_hook_that_fails_before_the_commit_undoes_all_and_is_handed_on, "receive.7")
{
    once_fail_before_the_commit(&once_receive);
}

CHECK(receive, a_hook_that_fails_after_the_commit_is_handed_on_and_the_effect_stays, "receive.8")
{
    once_fail_after_the_commit(&once_receive);
}

CHECK(receive, only_a_hooks_value_or_no_hook_lets_the_call_go_on, "common.6")
{
    once_go_on(&once_receive);
}

CHECK(receive, a_refused_change_is_an_error_and_undoes_both, "receive.7")
{
    static const struct refusal refusals[] = {
        { "BEFORE", "inbox", "ABORT", 0 },
        { "AFTER", "inbox", "ABORT", 0 },
        { "BEFORE", "inbox", "ROLLBACK", 0 },
        { "BEFORE", "stock", "ABORT", 1 },
    };

    once_refused_by(&once_receive, refusals, 4);
}

CHECK(receive, a_refused_total_keeps_its_code_whatever_becomes_of_the_rollback, "common.4")
{
    static const struct refusal refusals[] = {
        { "AFTER", "stock", "ABORT", 1 },
        { "AFTER", "stock", "ROLLBACK", 1 },
    };

    once_refused_by(&once_receive, refusals, 2);
}

CHECK(receive, a_commit_that_fails_undoes_both_and_reaches_no_point, "receive.7")
{
    once_fail_to_commit(&once_receive);
}

/* Delivers an event where the stock row is missing, but others are there. */
static void expect_no_stock(struct puppet *worker, struct event event, const struct how *how)
{
    struct answer answer = call_receive(worker, spec_of(event), how);

    expect_error(answer, OUTCOME_SQLITE);
    expect(strstr(answer.points, "after-total") == NULL, "at most after-inbox is reached", "%s",
           answer.points);
    expect_same("rows", sink_rows("sink"), xstrdup("inbox:\n'other'|3\nstock:\n"));
}

CHECK(receive, a_new_event_is_not_recorded_where_the_stock_row_is_missing, "receive.11")
{
    struct event events[] = { event_of("other", 3), an_event() };
    struct puppet *worker = once_start(&once_receive, 50);
    struct puppet *hand = hand_open("sink");

    hand_do(hand, "INSERT INTO inbox VALUES ('other', 3); DELETE FROM stock");
    stage_did("(the stock row is removed)");
    expect_no_stock(worker, events[1], NULL);
    expect_no_stock(worker, events[1], &(struct how){ .no_hook = true });

    hand_do(hand, "INSERT INTO stock VALUES (1, 3)");
    expect_outcome(call_receive(worker, spec_of(events[1]), NULL), outcome_value(1));
    expect_same("rows", sink_rows("sink"), sink_with(events, 2));
}

CHECK(receive, of_new_and_known_events_an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    crowd_sweep_errors(&once_receive, SQLITE_IOERR);
}

DEEP_CHECK(receive, a_full_disk_at_any_write_undoes_both, "receive.7")
{
    crowd_sweep_errors(&once_receive, SQLITE_FULL);
}

DEEP_CHECK(receive, a_busy_file_at_any_operation_leaves_both_or_neither, "receive.7")
{
    crowd_sweep_errors(&once_receive, SQLITE_BUSY);
}

CHECK(receive, memory_does_not_grow_over_calls_that_record_nothing, "common.3")
{
    once_repeat(&once_receive);
}

DEEP_CHECK(receive, no_memory_at_any_moment_leaves_both_or_neither, "common.2")
{
    crowd_sweep_memory(&once_receive);
}
