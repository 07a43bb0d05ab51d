/* Step 14: steps/ordered/14-apply_next.md - what is nearly the same, among many, and what is left as it was */
#include "base.h"
#include "ordered_change.h"

#include <sqlite3.h>
#include <stdlib.h>

static struct puppet *start_with(const char *rows)
{
    side_make("consumer", "consumer", rows);
    return worker_at("consumer", 50);
}

static void expect_receipt(struct puppet *worker, const char *flow, enum receipt receipt)
{
    expect_outcome(call_apply_next(worker, flow, false, NULL), outcome_value(receipt));
}

CHECK(apply_next, names_of_100_characters_are_told_apart_by_the_last, "apply_next.2")
{
    struct change change;

    names_alike();
    change = change_apply();
    change_is_made(&change);
}

CHECK(apply_next, flows_of_names_that_are_alike_have_gaps_of_their_own, "apply_next.1")
{
    struct envelope first = event_of("flow_a", 1, 7);
    struct envelope later = event_of("flow-a", 3, 7);
    struct envelope second = event_of("flow-b", 2, 7);
    struct envelope longest = event_of(xprintf("%0100d", 7), 1, 7);
    struct envelope digit = event_of("f1", 1, 7); /* in one word the place of the eleventh of f */
    struct puppet *worker = start_with(
        xprintf("%s%s%s%s%s%s%s", applied_rows(&first, 7),
                projection_row("flow_a", "reserved", 1, 7), inbox_row(&later, 0, 0, NULL),
                inbox_row(&second, 0, 0, NULL), inbox_row(&longest, 0, 0, NULL),
                projection_row("f", "released", 10, 7), inbox_row(&digit, 0, 0, NULL)));

    expect_receipt(worker, "flow_a", RECEIPT_IDLE);
    expect_receipt(worker, "flow_b", RECEIPT_IDLE);
    expect_receipt(worker, "flow-a", RECEIPT_GAP);
    expect_receipt(worker, xprintf("%s0", longest.flow_id), RECEIPT_IDLE);
    expect_receipt(worker, "f", RECEIPT_IDLE);
    expect_receipt(worker, "flow_id", RECEIPT_IDLE); /* in double quotes it would be every flow */
}

CHECK(apply_next, an_event_and_a_flow_may_be_named_as_columns_are, "apply_next.2")
{
    struct envelope event = event_of("flow_id", 1, 7);
    struct envelope bad = event_of("stage", 1, 7);
    struct envelope other = event_of("flow-a", 1, 9);
    struct puppet *worker;

    event.event_id = "event_id";
    bad.event_id = "payload";
    bad.payload = "{}";
    worker = start_with(xprintf("%s%s%s", inbox_row(&other, 0, 0, NULL),
                                inbox_row(&event, 0, 0, NULL), inbox_row(&bad, 0, 0, NULL)));
    expect_receipt(worker, "flow_id", RECEIPT_APPLIED);
    expect_receipt(worker, "stage", RECEIPT_BLOCKED);
    expect_same(
        "rows", side_rows("consumer", "consumer"),
        side_with("consumer", xprintf("%s%s%s%s", inbox_row(&other, 0, 0, NULL),
                                      applied_rows(&event, 7), inbox_row(&bad, 0, 1, "bad_payload"),
                                      projection_row("flow_id", "reserved", 1, 7))));
}

CHECK(apply_next, an_earlier_event_that_waits_makes_no_gap, "apply_next.1")
{
    struct envelope early = event_of("flow-a", 1, 7);
    struct puppet *worker = start_with(xprintf("%s%s", inbox_row(&early, 0, 0, NULL),
                                               projection_row("flow-a", "confirmed", 2, 7)));

    expect_receipt(worker, "flow-a", RECEIPT_IDLE);
}

CHECK(apply_next, a_store_in_UTF_16_applies_an_event_in_the_same_way, "apply_next.2")
{
    change_is_made_wide(change_apply());
}

CHECK(apply_next, an_event_is_applied_among_many, "apply_next.2")
{
    struct change change = change_apply();

    change_is_made_among_many(&change);
}

CHECK(apply_next, of_many_events_no_memory_is_kept, "common.3")
{
    changes_are_not_kept(change_apply);
}

CHECK(apply_next, later_events_of_the_flow_are_not_touched, "apply_next.2")
{
    struct envelope event = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);
    struct envelope third = event_of("flow-a", 3, 7);
    struct puppet *worker;
    char *waiting;

    second.event_id = "E_1";
    event.event_id = "e_1"; /* where LIKE takes _ for any character, and any case */
    third.event_id = "e-1";
    waiting =
        xprintf("%s%s", inbox_row(&third, 0, 0, NULL), inbox_row(&second, 0, 1, "bad_payload"));
    worker = start_with(xprintf("%s%s", waiting, inbox_row(&event, 0, 0, NULL)));
    expect_receipt(worker, "flow-a", RECEIPT_APPLIED);
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", xprintf("%s%s%s", waiting, applied_rows(&event, 7),
                                              projection_row("flow-a", "reserved", 1, 7))));
}

CHECK(apply_next, neither_a_gap_nor_a_block_is_remembered, "common.7")
{
    struct envelope first = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);
    struct envelope bad = event_of("flow-b", 1, 7);
    struct envelope early = event_of("flow-c", 1, 7);
    struct puppet *worker;
    struct puppet *hand;

    bad.payload = "{}";
    early.stage = "confirmed";
    worker = start_with(xprintf("%s%s%s", inbox_row(&second, 0, 0, NULL),
                                inbox_row(&bad, 0, 0, NULL), inbox_row(&early, 0, 0, NULL)));
    hand = hand_open("consumer");
    expect_receipt(worker, "flow-a", RECEIPT_GAP);
    hand_do(hand, inbox_row(&first, 0, 0, NULL));
    stage_did("(another process puts the missing event into the inbox)");
    expect_receipt(worker, "flow-a", RECEIPT_APPLIED);
    expect_receipt(worker, "flow-b", RECEIPT_BLOCKED);
    hand_do(hand, "UPDATE inbox SET payload = '{\"amount\":7}' WHERE flow_id = 'flow-b'");
    stage_did("(another process mends the payload)");
    expect_receipt(worker, "flow-b", RECEIPT_APPLIED);
    expect_receipt(worker, "flow-c", RECEIPT_BLOCKED);
    hand_do(hand, "UPDATE inbox SET stage = 'reserved', payload = '{\"amount\":8}'"
                  " WHERE flow_id = 'flow-c'");
    stage_did("(another process mends the stage and the payload)");
    expect_receipt(worker, "flow-c", RECEIPT_APPLIED);
    expect_same("quantity of flow-c",
                store_rows("consumer", "SELECT quantity FROM projection WHERE flow_id = 'flow-c'"),
                xstrdup("8\n"));
}

CHECK(apply_next, what_its_own_connection_brings_is_seen, "common.7")
{
    struct envelope first = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);
    struct puppet *worker = start_with("");

    expect_receipt(worker, "flow-a", RECEIPT_IDLE);
    sql_on(worker, "consumer", inbox_row(&second, 0, 0, NULL));
    stage_did("(on its own connection the second event is put into the inbox)");
    expect_receipt(worker, "flow-a", RECEIPT_GAP);
    sql_on(worker, "consumer", inbox_row(&first, 0, 0, NULL));
    stage_did("(and the first)");
    expect_receipt(worker, "flow-a", RECEIPT_APPLIED);
}

CHECK(apply_next, a_file_without_the_tables_is_an_error, "common.4")
{
    struct puppet *worker = puppet_start();
    struct how how = { .on = "bare" };

    side_make_bare(worker, "bare");
    expect_sqlite(call_apply_next(worker, "flow-a", false, &how), SQLITE_ERROR);
}

CHECK(apply_next, an_effect_that_has_its_id_is_not_taken_for_its_own, "apply_next.6")
{
    struct envelope event = event_of("flow-a", 1, 7);
    struct envelope other = event_of("flow-b", 9, 9);
    struct puppet *worker;
    struct answer answer;
    char *rows;

    other.event_id = event.event_id;
    rows = xprintf("%s%s", inbox_row(&event, 0, 0, NULL), effect_row(&other, 9));
    worker = start_with(rows);
    answer = call_apply_next(worker, "flow-a", false, NULL);
    expect(answer.outcome.kind != OUTCOME_VALUE || answer.outcome.code != RECEIPT_APPLIED,
           "no APPLIED, as there is no place for its effect", "APPLIED");
    expect_same("rows, unchanged", side_rows("consumer", "consumer"), side_with("consumer", rows));
}

CHECK(apply_next, an_effect_that_is_there_is_not_replaced, "common.8")
{
    struct envelope event = event_of("flow-a", 1, 7);
    struct envelope other = event_of("flow-a", 1, 9);
    char *rows = xprintf("%s%s", inbox_row(&event, 0, 0, NULL), effect_row(&other, 9));
    struct puppet *worker = start_with(rows);
    struct answer answer = call_apply_next(worker, "flow-a", false, NULL);

    expect(answer.outcome.kind != OUTCOME_VALUE || answer.outcome.code != RECEIPT_APPLIED,
           "no APPLIED, as there is no place for its effect", "APPLIED");
    expect_same("effects", store_rows("consumer", "SELECT event_id FROM effect"),
                xprintf("%s\n", other.event_id));
}

CHECK(apply_next, a_block_marks_that_event_alone, "apply_next.4")
{
    struct envelope bad = event_of("flow-a", 1, 7);
    struct envelope other = event_of("flow-b", 1, 7);
    struct envelope third = event_of("flow-a", 3, 7);
    struct puppet *worker;

    other.event_id = "E_1";
    bad.event_id = "e_1"; /* where LIKE takes _ for any character, and any case */
    third.event_id = "e-1";
    bad.payload = "{}";
    worker = start_with(xprintf("%s%s%s", inbox_row(&other, 0, 0, NULL),
                                inbox_row(&bad, 0, 0, NULL), inbox_row(&third, 0, 0, NULL)));
    expect_receipt(worker, "flow-a", RECEIPT_BLOCKED);
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", xprintf("%s%s%s", inbox_row(&other, 0, 0, NULL),
                                              inbox_row(&bad, 0, 1, "bad_payload"),
                                              inbox_row(&third, 0, 0, NULL))));
}

CHECK(apply_next, the_patience_of_the_connection_is_asked_and_stays, "common.5")
{
    struct change change = change_apply();

    change_keeps_patience(&change);
}

EARLY_CHECK(apply_next, what_another_does_while_the_call_waits_is_seen, "apply_next.6")
{
    struct change change = change_apply();

    change_is_made_meanwhile(&change);
}

CHECK(apply_next, at_each_place_of_a_flow_all_or_none_is_written, "apply_next.6")
{
    shapes_are_whole(apply_shapes);
}
