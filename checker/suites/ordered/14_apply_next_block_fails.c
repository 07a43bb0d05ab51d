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

CHECK(apply_next, for_each_reason_a_block_is_written_or_not, "apply_next.6")
{
    shapes_are_whole(block_shapes);
}

CHECK(apply_next, a_block_deletes_nothing, "common.8")
{
    struct change change = change_block();

    change_deletes_nothing(&change);
}

static void commit_it(void *hand)
{
    hand_do(hand, "COMMIT");
}

/* The other process knows schema 2, and this call does not. */
EARLY_CHECK(apply_next, what_another_applies_while_the_call_waits_is_not_blocked, "apply_next.6")
{
    struct change shapes[SHAPES_MAX];
    const struct change *change = &shapes[3];
    struct puppet *worker;
    struct puppet *hand;
    struct how how = { .directions = {
                           .later = commit_it, .later_ms = stage_ms(250), .deadline_ms = 5000 } };

    apply_shapes(shapes);
    worker = change_start(change, 5000);
    hand = hand_open(change->role);
    how.directions.context = hand;
    hand_do(hand, "BEGIN IMMEDIATE");
    for (int i = 0; i < change->undone; i++)
        hand_do(hand, change->effects[i]);
    stage_did("(another process applies the event, and commits after %d ms)", stage_ms(250));
    expect_outcome(call_apply_next(worker, change->event.flow_id, false, &how), change->again);
    expect_same("rows", side_rows(change->role, change->role), change_after(change));
}

DEEP_CHECK(apply_next, without_memory_an_event_is_blocked_or_not, "apply_next.6")
{
    struct change change = change_block();

    change_sweeps_memory(&change);
}
