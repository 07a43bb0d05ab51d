/* Step 12: steps/ordered/12-receive_event.md - refusals while another process holds the lock */
#include "ordered_calls.h"

#include <sqlite3.h>

CHECK(receive_event, while_a_lock_is_held_a_refusal_comes_at_once_or_it_is_busy, "common.9")
{
    struct envelope known = event_of("flow-a", 1, 7);
    struct envelope other = known;
    struct envelope elsewhere = known;
    struct envelope beside = event_of("flow-a", 1, 7);
    struct puppet *worker;
    struct puppet *hand;

    other.payload = "{\"amount\":8}";
    elsewhere.flow_id = "flow-b";
    side_make("consumer", "consumer", inbox_row(&known, 0, 0, NULL));
    worker = worker_at("consumer", 50);
    hand = hand_open("consumer");
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_receipt_or_busy(call_receive_event(worker, &known, NULL), RECEIPT_DUPLICATE);
    expect_receipt_or_busy(call_receive_event(worker, &other, NULL), RECEIPT_CONFLICT);
    expect_receipt_or_busy(call_receive_event(worker, &elsewhere, NULL), RECEIPT_CONFLICT);
    expect_receipt_or_busy(call_receive_event(worker, &beside, NULL), RECEIPT_CONFLICT);
    hand_do(hand, "ROLLBACK");
}

CHECK(receive_event, a_file_without_the_tables_is_an_error, "common.4")
{
    struct envelope event = event_of("flow-a", 1, 7);
    struct puppet *worker = puppet_start();
    struct how how = { .on = "bare" };

    side_make_bare(worker, "bare");
    expect_sqlite(call_receive_event(worker, &event, &how), SQLITE_ERROR);
}
