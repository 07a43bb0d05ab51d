/* Step 3: steps/worker/03-enqueue.md - what fails on the way, and what then remains */
#include "base.h"
#include "worker_crowd.h"

#include <sqlite3.h>

CHECK(enqueue, a_hook_that_fails_after_the_order_undoes_it_and_is_handed_on, "enqueue.6")
{
    once_fail_at(&once_enqueue, 0);
}

CHECK(enqueue, a_hook_that_fails_after_the_outbox_undoes_both_and_is_handed_on, "enqueue.6")
{
    once_fail_at(&once_enqueue, 1);
}

CHECK(enqueue, a_hook_that_fails_after_the_commit_is_handed_on_and_the_rows_stay, "enqueue.7")
{
    once_fail_at(&once_enqueue, 2);
}

CHECK(enqueue, a_hooks_value_lets_the_call_go_on_whatever_the_code, "common.6")
{
    once_go_on_at_any_value(&once_enqueue);
}

CHECK(enqueue, without_a_hook_all_is_the_same, "common.6")
{
    struct event order = an_event();
    struct puppet *worker = once_start(&once_enqueue, 50);
    struct how how = { .no_hook = true };

    expect_outcome(call_enqueue(worker, spec_of(an_event()), NULL), outcome_value(1));
    expect_points(call_enqueue(worker, spec_of(order), &how), "");
    expect_outcome(call_enqueue(worker, spec_of(order), &how), outcome_value(0));
    expect_outcome(call_enqueue(worker, spec_of(other_qty(order)), &how),
                   outcome_of(OUTCOME_CONFLICT, 0));

    expect_same("orders", store_rows("source", "SELECT count(*) FROM orders"), xstrdup("2\n"));
    expect_same("intents", store_rows("source", "SELECT count(*) FROM outbox"), xstrdup("2\n"));
}

CHECK(enqueue, a_refused_order_is_an_error_and_leaves_nothing, "enqueue.6")
{
    once_refused_by(&once_enqueue, "BEFORE", "orders", "ABORT", 0);
}

CHECK(enqueue, an_order_refused_late_is_an_error_and_leaves_nothing, "enqueue.6")
{
    once_refused_by(&once_enqueue, "AFTER", "orders", "ABORT", 0);
}

CHECK(enqueue, a_refused_outbox_row_undoes_the_order_too, "enqueue.6")
{
    once_refused_by(&once_enqueue, "BEFORE", "outbox", "ABORT", 1);
}

CHECK(enqueue, an_order_that_ends_the_transaction_is_an_error, "enqueue.6")
{
    once_refused_by(&once_enqueue, "BEFORE", "orders", "ROLLBACK", 0);
}

CHECK(enqueue, an_outbox_row_that_ends_the_transaction_keeps_its_code, "common.4")
{
    once_refused_by(&once_enqueue, "AFTER", "outbox", "ROLLBACK", 1);
}

CHECK(enqueue, a_refused_outbox_row_keeps_its_code_over_the_rollback, "common.4")
{
    once_refused_by(&once_enqueue, "AFTER", "outbox", "ABORT", 1);
}

CHECK(enqueue, a_vetoed_commit_is_an_error_and_undoes_both_rows, "enqueue.6")
{
    struct puppet *worker = once_start(&once_enqueue, 50);
    struct answer answer;

    once_veto(&once_enqueue, worker);
    answer = call_enqueue(worker, spec_of(an_event()), NULL);

    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_points(answer, "after-order after-outbox");
    expect_same("rows, all undone", source_rows("source"), source_with(NULL, 0, ""));
}

CHECK(enqueue, a_commit_that_a_reader_blocks_is_busy_and_undoes_both_rows, "enqueue.6")
{
    struct event order = an_event();
    struct puppet *worker = once_start(&once_enqueue, 50);
    struct puppet *reader = hand_open("source");
    struct answer answer;

    hand_do(reader, "BEGIN; SELECT * FROM orders");
    answer = call_enqueue(worker, spec_of(order), NULL);
    expect_sqlite(answer, SQLITE_BUSY);
    expect_points(answer, "after-order after-outbox");
    expect_same("rows, all undone", source_rows("source"), source_with(NULL, 0, ""));

    hand_do(reader, "COMMIT");
    expect_outcome(call_enqueue(worker, spec_of(order), NULL), outcome_value(1));
}

CHECK(enqueue, a_call_that_writes_nothing_changes_no_row_that_is_there_already, "enqueue.6")
{
    struct answer answer;
    char *before;

    source_make();
    store_make("source", "INSERT INTO outbox VALUES (5, 'intent-alone', 7, 1)");
    before = source_rows_exact("source");
    answer = call_enqueue(worker_at("source", 50), spec_of(event_of("intent-alone", 7)), NULL);

    expect(answer.outcome.kind == OUTCOME_VALUE && answer.outcome.code == 1
               ? true
               : is_same_text(before, source_rows_exact("source")),
           "an order is recorded with { VALUE, 1 } or not at all", "%s", before);
}

CHECK(enqueue, an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    crowd_sweep_errors(&once_enqueue, SQLITE_IOERR, false);
}

CHECK(enqueue, a_full_disk_at_any_write_undoes_both_rows, "enqueue.6")
{
    crowd_sweep_errors(&once_enqueue, SQLITE_FULL, false);
}

CHECK(enqueue, a_busy_file_at_any_operation_leaves_both_rows_or_neither, "enqueue.6")
{
    crowd_sweep_errors(&once_enqueue, SQLITE_BUSY, false);
}

CHECK(enqueue, a_known_order_that_cannot_be_read_is_not_a_new_one, "common.4")
{
    crowd_sweep_errors(&once_enqueue, SQLITE_IOERR, true);
}

/* What the calls come to is for other checks to say. */
static void repeat(struct event order, struct reply_at reply)
{
    struct how how = once_reply(&reply);

    how.times = 30;
    source_make();
    source_put(event_of("known-order", 300), 0);
    call_enqueue(worker_at("source", 50), spec_of(order), &how);
    stage_held();
}

CHECK(enqueue, memory_does_not_grow_over_known_orders, "common.3")
{
    repeat(event_of("known-order", 300), (struct reply_at){ 0 });
}

CHECK(enqueue, memory_does_not_grow_over_conflicts, "common.3")
{
    repeat(event_of("known-order", 301), (struct reply_at){ 0 });
}

CHECK(enqueue, memory_does_not_grow_over_refusals, "common.3")
{
    repeat(event_of("", 300), (struct reply_at){ 0 });
}

CHECK(enqueue, memory_does_not_grow_over_hooks_that_fail, "common.3")
{
    repeat(an_event(), (struct reply_at){ "after-outbox", { OUTCOME_FAULT, 7 } });
}
