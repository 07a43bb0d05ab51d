/* Step 11: steps/ordered/11-advance.md - the transaction, its errors and other processes */
#include "base.h"
#include "ordered_change.h"

#include <sqlite3.h>

CHECK(advance, a_new_flow_and_its_event_are_written_by_three_points, "advance.5")
{
    struct change change = change_advance(true);

    change_is_made(&change);
}

CHECK(advance, a_flow_moves_on_and_its_event_is_written_by_three_points, "advance.5")
{
    struct change change = change_advance(false);

    change_is_made(&change);
}

CHECK(advance, each_point_shows_one_row_more_and_others_see_both_after_the_commit, "advance.5")
{
    struct change change = change_advance(false);

    change_is_seen(&change);
}

CHECK(advance, the_payload_is_spelled_exactly_so, "advance.5")
{
    struct puppet *worker;
    struct command commands[] = { move_of("a", 0, 1), move_of("b", 0, 1000000),
                                  move_of("c", 0, 100000), move_of("d", 0, 20) };

    commands[2].schema = 2;
    commands[3].schema = 2;
    side_make("producer", "producer", "");
    worker = worker_at("producer", 50);
    for (int i = 0; i < 4; i++)
        expect_outcome(call_advance(worker, &commands[i], NULL), outcome_value(RECEIPT_COMMITTED));
    expect_same("schemas and payloads",
                store_rows("producer", "SELECT schema, payload, typeof(payload) FROM outbox"
                                       " ORDER BY position"),
                xstrdup("1|{\"amount\":1}|text\n1|{\"amount\":1000000}|text\n"
                        "2|{\"units\":100000}|text\n2|{\"units\":20}|text\n"));
}

EARLY_CHECK(advance, the_lock_is_waited_for_before_anything_is_read, "advance.5")
{
    struct change change = change_advance(false);

    change_waits(&change);
}

CHECK(advance, an_event_id_that_was_refused_may_be_tried_again, "advance.6")
{
    struct puppet *worker;
    struct command command = move_of("flow-a", 1, 300);
    struct command later = move_of("flow-a", 1, 300);
    struct envelope event;

    side_make("producer", "producer", "");
    worker = worker_at("producer", 50);
    expect_outcome(call_advance(worker, &command, NULL), outcome_value(RECEIPT_STALE));
    command.expected_seq = 0;
    expect_outcome(call_advance(worker, &command, NULL), outcome_value(RECEIPT_INVALID_TRANSITION));
    command.stage = "re.served";
    expect_outcome(call_advance(worker, &command, NULL), outcome_of(OUTCOME_INVALID, 0));
    command.stage = "reserved";
    expect_outcome(call_advance(worker, &later, NULL), outcome_value(RECEIPT_STALE));
    expect_outcome(call_advance(worker, &command, NULL), outcome_value(RECEIPT_COMMITTED));
    event = event_by(&command);
    expect_same("rows", side_rows("producer", "producer"),
                side_with("producer", xprintf("%s%s", flow_row("flow-a", "reserved", 1, 300),
                                              outbox_row(&event, 0))));
    expect_outcome(call_advance(worker, &later, NULL), outcome_value(RECEIPT_COMMITTED));
}

CHECK(advance, an_event_id_that_failed_may_be_tried_for_another_flow, "advance.6")
{
    struct change change = change_advance(false);
    struct puppet *worker = change_start(&change, 50);
    struct reply_at reply = { "after-outbox", { OUTCOME_FAULT, 7 } };
    struct how failing = moment_reply(&reply);
    struct command other = change.command;

    expect_outcome(call_change(&change, worker, &failing), reply.reply);
    other.flow_id = a_name();
    other.expected_seq = 0;
    other.stage = "reserved";
    expect_outcome(call_advance(worker, &other, NULL), outcome_value(RECEIPT_COMMITTED));
    expect_outcome(call_change(&change, worker, NULL), outcome_value(RECEIPT_CONFLICT));
}

CHECK(advance, a_hook_that_fails_before_the_commit_undoes_both_rows, "advance.7")
{
    struct change change = change_advance(true);

    change_fails_before_commit(&change);
}

CHECK(advance, a_hook_that_fails_after_the_commit_undoes_nothing, "advance.7")
{
    struct change change = change_advance(false);

    change_fails_after_commit(&change);
}

CHECK(advance, a_refused_row_undoes_both_rows, "advance.7")
{
    struct change change = change_advance(false);

    change_is_refused(&change, "ABORT");
}

CHECK(advance, a_commit_that_fails_undoes_both_rows, "advance.7")
{
    struct change change = change_advance(false);

    change_fails_to_commit(&change);
}

CHECK(advance, a_refused_row_keeps_its_code_whatever_becomes_of_the_rollback, "common.4")
{
    struct change change = change_advance(true);

    change_is_refused(&change, "ROLLBACK");
}

CHECK(advance, an_error_of_any_read_or_write_is_handed_on, "common.4")
{
    struct change change = change_advance(false);

    change_sweeps_errors(&change, SQLITE_IOERR);
}

CHECK(advance, of_six_processes_one_moves_the_flow_and_the_others_find_it, "advance.8")
{
    struct change change = change_advance(false);

    change_is_crowded(&change);
}

CHECK(advance, of_six_processes_that_ask_otherwise_one_moves_the_flow, "advance.8")
{
    struct how how = { .no_hook = true, .directions.deadline_ms = 8000 };
    struct puppet *workers[CROWD];
    struct command commands[CROWD];
    struct puppet *hand;
    int committed = 0;

    side_make("producer", "producer", "");
    hand = hand_open("producer");
    for (int i = 0; i < CROWD; i++) {
        workers[i] = worker_at("producer", 6000);
        commands[i] = move_of("flow-a", 0, 300);
    }
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(%d processes at once, as soon as a lock is free)", CROWD);
    for (int i = 0; i < CROWD; i++)
        begin_advance(workers[i], &commands[i], &how);
    hand_do(hand, "ROLLBACK");
    for (int i = 0; i < CROWD; i++) {
        struct answer answer = finish_call(workers[i], "advance", &how);

        expect_either(answer, outcome_value(RECEIPT_COMMITTED), outcome_value(RECEIPT_STALE));
        committed += answer.outcome.code == RECEIPT_COMMITTED;
    }
    expect_number("processes that moved the flow", committed, 1);
    expect_same("seqs", store_rows("producer", "SELECT flow_id, seq FROM outbox"),
                xstrdup("flow-a|1\n"));
}

CHECK(advance, a_process_killed_at_a_point_leaves_both_rows_moved_or_neither, "advance.9")
{
    struct change change = change_advance(false);

    change_is_killed(&change);
}

CHECK(advance, a_kill_at_any_storage_operation_leaves_both_rows_moved_or_neither, "advance.9")
{
    struct change change = change_advance(false);

    change_sweeps_kills(&change, true);
}

CHECK(advance, so_it_does_in_rollback_mode, "advance.9")
{
    struct change change = change_advance(true);

    change_sweeps_kills(&change, false);
}

CHECK(advance, a_hooks_value_or_no_hook_lets_the_call_go_on, "common.6")
{
    struct change change = change_advance(false);

    change_goes_on(&change);
}

CHECK(advance, memory_does_not_grow, "common.3")
{
    struct change change = change_advance(false);

    change_repeats(&change);
}

CHECK(advance, nothing_is_remembered, "common.7")
{
    struct change change = change_advance(false);

    change_is_not_remembered(&change);
}

CHECK(advance, no_row_is_deleted, "common.8")
{
    struct change change = change_advance(false);

    change_deletes_nothing(&change);
}

DEEP_CHECK(advance, a_full_disk_at_any_write_leaves_both_rows_moved_or_neither, "advance.7")
{
    struct change change = change_advance(false);

    change_sweeps_errors(&change, SQLITE_FULL);
}

DEEP_CHECK(advance, a_busy_file_at_any_operation_leaves_both_rows_moved_or_neither, "advance.7")
{
    struct change change = change_advance(false);

    change_sweeps_errors(&change, SQLITE_BUSY);
}

DEEP_CHECK(advance, a_process_killed_at_every_operation_leaves_both_rows_moved_or_neither,
           "advance.9")
{
    struct change change = change_advance(false);

    change_sweeps_kills_thoroughly(&change);
}

CHECK(advance, in_each_schema_and_to_each_stage_both_rows_move_or_neither, "advance.7")
{
    shapes_are_whole(advance_shapes);
}
