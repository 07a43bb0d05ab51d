/* Step 5: steps/worker/05-receive.md - what fails on the way, and what then remains */
#include "base.h"
#include "worker_crowd.h"

#include <sqlite3.h>
#include <string.h>

CHECK(receive, a_hook_that_fails_after_the_inbox_undoes_it_and_is_handed_on, "receive.7")
{
    once_fail_at(&once_receive, 0);
}

CHECK(receive, a_hook_that_fails_after_the_total_undoes_both_and_is_handed_on, "receive.7")
{
    once_fail_at(&once_receive, 1);
}

CHECK(receive, a_hook_that_fails_after_the_commit_is_handed_on_and_the_effect_stays, "receive.8")
{
    once_fail_at(&once_receive, 2);
}

CHECK(receive, a_hooks_value_lets_the_call_go_on_whatever_the_code, "common.6")
{
    once_go_on_at_any_value(&once_receive);
}

CHECK(receive, without_a_hook_all_is_the_same, "common.6")
{
    struct event event = an_event();
    struct puppet *worker = once_start(&once_receive, 50);
    struct how how = { .no_hook = true };

    expect_outcome(call_receive(worker, spec_of(an_event()), NULL), outcome_value(1));
    expect_points(call_receive(worker, spec_of(event), &how), "");
    expect_outcome(call_receive(worker, spec_of(event), &how), outcome_value(0));
    expect_outcome(call_receive(worker, spec_of(other_qty(event)), &how),
                   outcome_of(OUTCOME_CONFLICT, 0));

    expect_same(
        "effects",
        store_rows("sink", "SELECT count(*), sum(qty) = (SELECT total FROM stock) FROM inbox"),
        xstrdup("2|1\n"));
}

CHECK(receive, a_refused_inbox_row_is_an_error_and_leaves_nothing, "receive.7")
{
    once_refused_by(&once_receive, "BEFORE", "inbox", "ABORT", 0);
}

CHECK(receive, an_inbox_row_refused_late_is_an_error_and_leaves_nothing, "receive.7")
{
    once_refused_by(&once_receive, "AFTER", "inbox", "ABORT", 0);
}

CHECK(receive, a_refused_total_undoes_the_inbox_row_too, "receive.7")
{
    once_refused_by(&once_receive, "BEFORE", "stock", "ABORT", 1);
}

CHECK(receive, an_inbox_row_that_ends_the_transaction_is_an_error, "receive.7")
{
    once_refused_by(&once_receive, "BEFORE", "inbox", "ROLLBACK", 0);
}

CHECK(receive, a_total_that_ends_the_transaction_keeps_its_code, "common.4")
{
    once_refused_by(&once_receive, "AFTER", "stock", "ROLLBACK", 1);
}

CHECK(receive, a_refused_total_keeps_its_code_over_the_rollback, "common.4")
{
    once_refused_by(&once_receive, "AFTER", "stock", "ABORT", 1);
}

CHECK(receive, a_vetoed_commit_is_an_error_and_undoes_both, "receive.7")
{
    struct puppet *worker = once_start(&once_receive, 50);
    struct answer answer;

    once_veto(&once_receive, worker);
    answer = call_receive(worker, spec_of(an_event()), NULL);

    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_points(answer, "after-inbox after-total");
    expect_same("rows, all undone", sink_rows("sink"), sink_with(NULL, 0));
}

CHECK(receive, a_commit_that_a_reader_blocks_is_busy_and_undoes_both, "receive.7")
{
    struct event event = an_event();
    struct puppet *worker = once_start(&once_receive, 50);
    struct puppet *reader = hand_open("sink");
    struct answer answer;

    hand_do(reader, "BEGIN; SELECT * FROM inbox");
    answer = call_receive(worker, spec_of(event), NULL);
    expect_sqlite(answer, SQLITE_BUSY);
    expect_points(answer, "after-inbox after-total");
    expect_same("rows, all undone", sink_rows("sink"), sink_with(NULL, 0));

    hand_do(reader, "COMMIT");
    expect_outcome(call_receive(worker, spec_of(event), NULL), outcome_value(1));
}

/* Delivers an event where the stock row is missing, and again when it is back. */
static void expect_no_stock(const struct how *how)
{
    struct event event = an_event();
    struct puppet *worker = once_start(&once_receive, 50);
    struct puppet *hand = hand_open("sink");

    hand_do(hand, "DELETE FROM stock");
    stage_did("(the stock row is removed)");
    expect_error(call_receive(worker, spec_of(event), how), OUTCOME_SQLITE);
    expect_same("rows", sink_rows("sink"), xstrdup("inbox:\nstock:\n"));
    hand_do(hand, "INSERT INTO stock VALUES (1, 0)");
    expect_outcome(call_receive(worker, spec_of(event), how), outcome_value(1));
    expect_same("rows", sink_rows("sink"), sink_with(&event, 1));
}

CHECK(receive, a_new_event_is_not_recorded_where_the_stock_row_is_missing, "receive.11")
{
    expect_no_stock(NULL);
}

CHECK(receive, a_new_event_is_not_recorded_without_a_stock_row_nor_a_hook, "receive.11")
{
    expect_no_stock(&(struct how){ .no_hook = true });
}

CHECK(receive, a_missing_stock_row_stops_the_call_before_the_second_point, "receive.11")
{
    struct answer answer;

    sink_make();
    store_make("sink", "DELETE FROM stock; INSERT INTO inbox VALUES ('other', 3)");
    answer = call_receive(worker_at("sink", 50), spec_of(an_event()), NULL);

    expect_error(answer, OUTCOME_SQLITE);
    expect(strstr(answer.points, "after-total") == NULL, "at most after-inbox is reached", "%s",
           answer.points);
    expect_same("rows", sink_rows("sink"), xstrdup("inbox:\n'other'|3\nstock:\n"));
}

CHECK(receive, an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    crowd_sweep_errors(&once_receive, SQLITE_IOERR, false);
}

CHECK(receive, a_full_disk_at_any_write_undoes_both, "receive.7")
{
    crowd_sweep_errors(&once_receive, SQLITE_FULL, false);
}

CHECK(receive, a_busy_file_at_any_operation_leaves_both_or_neither, "receive.7")
{
    crowd_sweep_errors(&once_receive, SQLITE_BUSY, false);
}

CHECK(receive, a_known_event_that_cannot_be_read_is_not_a_new_one, "common.4")
{
    crowd_sweep_errors(&once_receive, SQLITE_IOERR, true);
}

/* What the calls come to is for other checks to say. */
static void repeat(struct event event, struct reply_at reply)
{
    struct how how = once_reply(&reply);

    how.times = 30;
    sink_make();
    sink_put(event_of("known-event", 300));
    call_receive(worker_at("sink", 50), spec_of(event), &how);
    stage_held();
}

CHECK(receive, memory_does_not_grow_over_known_events, "common.3")
{
    repeat(event_of("known-event", 300), (struct reply_at){ 0 });
}

CHECK(receive, memory_does_not_grow_over_conflicts, "common.3")
{
    repeat(event_of("known-event", 301), (struct reply_at){ 0 });
}

CHECK(receive, memory_does_not_grow_over_refusals, "common.3")
{
    repeat(event_of("", 300), (struct reply_at){ 0 });
}

CHECK(receive, memory_does_not_grow_over_hooks_that_fail, "common.3")
{
    repeat(an_event(), (struct reply_at){ "after-total", { OUTCOME_FAULT, 7 } });
}
