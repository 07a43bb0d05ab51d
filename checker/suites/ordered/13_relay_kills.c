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

/* The receiver knows the event already, and the hook says this. */
static struct outcome find_a_copy(void *hook, struct stop *stop)
{
    if (stop->kind == STOP_SEND)
        return outcome_value(RECEIPT_DUPLICATE);
    return stop->kind == STOP_FAULT ? *(struct outcome *)hook : call_go_on(stop);
}

static struct answer relay_a_copy(struct puppet *worker, struct outcome hook)
{
    struct how how = { .directions = { .at = find_a_copy, .context = &hook } };

    how.on = "copies";
    return call_relay(worker, NULL, &how);
}

/* A store of events that the receiver knows. */
static struct puppet *start_with_a_copy(void)
{
    struct envelope events[ROWS];

    draw_events(events);
    side_make("producer", "copies", rows_of(events, "000"));
    return worker_at("copies", 50);
}

static void expect_no_mark(void)
{
    expect_same("rows that are accepted",
                store_rows("copies", "SELECT event_id FROM outbox WHERE accepted"), xstrdup(""));
}

CHECK(relay, a_hook_that_fails_is_handed_on_and_nothing_is_marked, "relay.3")
{
    struct change change = change_relay();
    struct puppet *worker;

    change_fails_before_commit(&change);
    worker = start_with_a_copy();
    for (int i = 0; i < FAILURES; i++)
        expect_outcome(relay_a_copy(worker, failures[i]), failures[i]);
    expect_no_mark();
    expect_outcome(relay_a_copy(worker, outcome_value(1)), outcome_value(RECEIPT_DUPLICATE));
}

CHECK(relay, a_mark_that_cannot_be_committed_is_an_error, "common.4")
{
    struct change change = change_relay();

    change_fails_to_commit(&change);
}

CHECK(relay, a_mark_that_is_refused_keeps_its_code, "common.4")
{
    struct change change = change_relay();
    struct puppet *worker;

    change_is_refused(&change, "ROLLBACK");
    worker = start_with_a_copy();
    hand_do(hand_open("copies"), "CREATE TRIGGER no BEFORE UPDATE ON outbox BEGIN"
                                 " SELECT RAISE(ABORT, 'no'); END");
    stage_did("(in the store: a trigger that refuses every mark)");
    expect_sqlite(relay_a_copy(worker, outcome_value(1)), SQLITE_CONSTRAINT);
    expect_no_mark();
}

CHECK(relay, an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    struct change change = change_relay();

    change_sweeps_errors(&change, SQLITE_IOERR);
}

CHECK(relay, an_error_is_handed_on_where_no_event_is_named, "common.4")
{
    struct change change = change_relay();

    change.event.event_id = NULL;
    change.last = "UPDATE outbox SET accepted = 1 WHERE position = 1;";
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

CHECK(relay, named_or_not_and_known_or_not_an_event_is_marked_or_an_error_handed_on, "relay.3")
{
    shapes_are_whole(relay_shapes);
}
