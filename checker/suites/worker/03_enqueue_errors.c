/* Step 3: steps/worker/03-enqueue.md - what fails on the way, and what then remains */
#include "base.h"
#include "worker_crowd.h"

#include <sqlite3.h>

CHECK(enqueue, a_hook_that_fails_before_the_commit_undoes_all_and_is_handed_on, "enqueue.6")
{
    once_fail_before_the_commit(&once_enqueue);
}

CHECK(enqueue, a_hook_that_fails_after_the_commit_is_handed_on_and_the_rows_stay, "enqueue.7")
{
    once_fail_after_the_commit(&once_enqueue);
}

CHECK(enqueue, only_a_hooks_value_or_no_hook_lets_the_call_go_on, "common.6")
{
    once_go_on(&once_enqueue);
}

CHECK(enqueue, a_refused_row_is_an_error_and_undoes_both_rows, "enqueue.6")
{
    static const struct refusal refusals[] = {
        { "BEFORE", "orders", "ABORT", 0 },
        { "AFTER", "orders", "ABORT", 0 },
        { "BEFORE", "orders", "ROLLBACK", 0 },
        { "BEFORE", "outbox", "ABORT", 1 },
    };

    once_refused_by(&once_enqueue, refusals, 4);
}

CHECK(enqueue, a_refused_outbox_row_keeps_its_code_whatever_becomes_of_the_rollback, "common.4")
{
    static const struct refusal refusals[] = {
        { "AFTER", "outbox", "ABORT", 1 },
        { "AFTER", "outbox", "ROLLBACK", 1 },
    };

    once_refused_by(&once_enqueue, refusals, 2);
}

CHECK(enqueue, a_commit_that_fails_undoes_both_rows_and_reaches_no_point, "enqueue.6")
{
    once_fail_to_commit(&once_enqueue);
}

CHECK(enqueue, of_new_and_known_orders_an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    crowd_sweep_errors(&once_enqueue, SQLITE_IOERR);
}

DEEP_CHECK(enqueue, a_full_disk_at_any_write_undoes_both_rows, "enqueue.6")
{
    crowd_sweep_errors(&once_enqueue, SQLITE_FULL);
}

DEEP_CHECK(enqueue, a_busy_file_at_any_operation_leaves_both_rows_or_neither, "enqueue.6")
{
    crowd_sweep_errors(&once_enqueue, SQLITE_BUSY);
}

CHECK(enqueue, memory_does_not_grow_over_calls_that_record_nothing, "common.3")
{
    once_repeat(&once_enqueue);
}

DEEP_CHECK(enqueue, no_memory_at_any_moment_leaves_both_rows_or_neither, "common.2")
{
    crowd_sweep_memory(&once_enqueue);
}
