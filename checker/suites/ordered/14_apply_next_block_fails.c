/* Step 14: steps/ordered/14-apply_next.md - a block that cannot be written, or is killed */
#include "ordered_change.h"

#include <sqlite3.h>

CHECK(apply_next, a_block_that_is_refused_is_an_error_and_undone, "apply_next.6")
{
    struct change change = change_block();

    change_is_refused(&change, "ABORT");
}

CHECK(apply_next, a_block_whose_commit_fails_is_an_error_and_undone, "apply_next.6")
{
    struct change change = change_block();

    change_fails_to_commit(&change);
}

CHECK(apply_next, a_kill_at_any_storage_operation_leaves_a_whole_block_or_none, "apply_next.6")
{
    struct change change = change_block();

    change_sweeps_kills(&change, true);
}

CHECK(apply_next, an_error_of_any_read_or_write_of_a_block_is_handed_on, "common.4")
{
    struct change change = change_block();

    change_sweeps_errors(&change, SQLITE_IOERR);
}

DEEP_CHECK(apply_next, without_memory_an_event_is_blocked_or_not, "apply_next.6")
{
    struct change change = change_block();

    change_sweeps_memory(&change);
}
