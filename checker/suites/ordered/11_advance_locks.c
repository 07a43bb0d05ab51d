/* Step 11: steps/ordered/11-advance.md - refusals while another process holds the lock */
#include "ordered_calls.h"

#include <sqlite3.h>

CHECK(advance, an_invalid_command_is_refused_at_once_while_a_lock_is_held, "common.9")
{
    struct puppet *worker;
    struct puppet *hand;
    struct command bad = move_of("flow-a", 0, 7);

    side_make("producer", "producer", "");
    worker = worker_at("producer", 300);
    bad.stage = "re served";
    hand = hand_open("producer");
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_outcome(call_advance(worker, &bad, NULL), outcome_of(OUTCOME_INVALID, 0));
    bad.stage = "reserved";
    bad.quantity = 0;
    expect_outcome(call_advance(worker, &bad, NULL), outcome_of(OUTCOME_INVALID, 0));
    hand_do(hand, "ROLLBACK");
}

CHECK(advance, while_a_lock_is_held_a_refusal_comes_at_once_or_it_is_busy, "common.9")
{
    struct command known = move_of("flow-a", 0, 7);
    struct command other = known;
    struct command stale = move_of("flow-a", 5, 7);
    struct command skipping = move_of("flow-a", 1, 7);
    struct puppet *worker;
    struct puppet *hand;

    other.quantity = 8;
    skipping.stage = "released";
    side_make("producer", "producer", "");
    worker = worker_at("producer", 50);
    hand = hand_open("producer");
    expect_outcome(call_advance(worker, &known, NULL), outcome_value(RECEIPT_COMMITTED));
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_receipt_or_busy(call_advance(worker, &known, NULL), RECEIPT_DUPLICATE);
    expect_receipt_or_busy(call_advance(worker, &other, NULL), RECEIPT_CONFLICT);
    expect_receipt_or_busy(call_advance(worker, &stale, NULL), RECEIPT_STALE);
    expect_receipt_or_busy(call_advance(worker, &skipping, NULL), RECEIPT_INVALID_TRANSITION);
    hand_do(hand, "ROLLBACK");
}

CHECK(advance, a_file_without_the_tables_is_an_error, "common.4")
{
    struct command command = move_of("flow-a", 0, 7);
    struct puppet *worker = puppet_start();
    struct how how = { .on = "bare" };

    side_make_bare(worker, "bare");
    expect_sqlite(call_advance(worker, &command, &how), SQLITE_ERROR);
    command = move_of("flow-a", 5, 7);
    expect_sqlite(call_advance(worker, &command, &how), SQLITE_ERROR);
}
