/* Step 15: steps/ordered/15-drain.md - process_all: every flow */
#include "base.h"
#include "ordered_change.h"

#include <sqlite3.h>
#include <stdlib.h>

static char *waiting(const char *flow, int first, int last, int64_t quantity)
{
    struct text rows = { 0 };

    text_add(&rows, "%s", "");
    for (int seq = last; seq >= first; seq--) {
        struct envelope event = event_of(flow, seq, quantity);

        text_add(&rows, "%s", inbox_row(&event, 0, 0, NULL));
    }
    return rows.data;
}

static struct puppet *start_with(const char *rows)
{
    side_make("consumer", "consumer", rows);
    return worker_at("consumer", 50);
}

static void expect_report(struct answer answer, int count, const char *report)
{
    const char *got = answer_text(answer, "report");

    expect_outcome(answer, outcome_value(count));
    expect(is_same_json(got, report), report, "%s", got);
}

CHECK(drain, all_have_a_limit_of_1_to_1000_also_when_nothing_waits, "process_all.1")
{
    struct puppet *worker = start_with("");
    static const int limits[] = { 0, -1, 1001, 2147483647 };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        expect_outcome(call_process_all(worker, limits[i], false, NULL),
                       outcome_of(OUTCOME_INVALID, 0));
    expect_report(call_process_all(worker, 1, false, NULL), 0, "[]");
    expect_report(call_process_all(worker, 1000, false, NULL), 0, "[]");
}

#define IDLE_ENTRY(flow)                                                                           \
    "{\"flow_id\":\"" flow "\",\"applied\":1,\"stop\":\"idle\",\"reason\":null}"

CHECK(drain, every_flow_with_something_to_apply_comes_in_byte_order, "process_all.1")
{
    static const char *const flows[] = { "b", "a", "_", "B", "-", "10", "9", "aa", "a-" };
    struct envelope done = event_of("done", 1, 7);
    struct text rows = { 0 };
    struct puppet *worker;

    text_add(&rows, "%s%s", applied_rows(&done, 7), projection_row("done", "reserved", 1, 7));
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
        text_add(&rows, "%s", waiting(flows[i], 1, 1, 7));
    text_add(&rows, "CREATE INDEX by_event ON inbox (applied, event_id, flow_id);");
    worker = start_with(rows.data);
    expect_report(
        call_process_all(worker, 5, false, NULL), 9,
        "[" IDLE_ENTRY("-") "," IDLE_ENTRY("10") "," IDLE_ENTRY("9") "," IDLE_ENTRY("B") "," IDLE_ENTRY(
            "_") "," IDLE_ENTRY("a") "," IDLE_ENTRY("a-") "," IDLE_ENTRY("aa") "," IDLE_ENTRY("b") "]");
    expect_same("flows, in the order in which they were drained",
                store_rows("consumer", "SELECT flow_id FROM projection ORDER BY rowid"),
                xstrdup("done\n-\n10\n9\nB\n_\na\na-\naa\nb\n"));
    expect_report(call_process_all(worker, 5, false, NULL), 0, "[]");
}

CHECK(drain, a_gap_or_a_block_in_one_flow_holds_no_other_up, "process_all.1")
{
    struct envelope bad = event_of("b-bad", 1, 7);
    struct puppet *worker;

    bad.payload = "{}";
    worker = start_with(xprintf("%s%s%s%s", waiting("a-gap", 2, 3, 7), inbox_row(&bad, 0, 0, NULL),
                                waiting("c-three", 1, 3, 7), waiting("d-two", 1, 2, 9)));
    call_process_all(worker, 5, false, NULL);
    expect_same("projection",
                store_rows("consumer", "SELECT flow_id, last_seq FROM projection ORDER BY flow_id"),
                xstrdup("c-three|3\nd-two|2\n"));
    expect_same("what is blocked, and why",
                store_rows("consumer", "SELECT flow_id, reason FROM inbox WHERE blocked"),
                xstrdup("b-bad|bad_payload\n"));
}

CHECK(drain, the_report_says_how_each_flow_stopped_and_why, "process_all.2")
{
    struct envelope version = event_of("b-version", 1, 7);
    struct envelope quantity = event_of("c-quantity", 2, 8);
    struct puppet *worker;

    version.schema = 2;
    version.payload = "{\"units\":7}";
    worker = start_with(xprintf("%s%s%s%s%s", waiting("a-gap", 2, 3, 7),
                                inbox_row(&version, 0, 0, NULL), waiting("c-quantity", 1, 1, 7),
                                inbox_row(&quantity, 0, 0, NULL), waiting("d-three", 1, 3, 9)));
    expect_report(call_process_all(worker, 2, false, NULL), 4,
                  "[{\"flow_id\":\"a-gap\",\"applied\":0,\"stop\":\"gap\",\"reason\":null},"
                  "{\"flow_id\":\"b-version\",\"applied\":0,\"stop\":\"blocked\",\"reason\":"
                  "\"unknown_version\"},"
                  "{\"flow_id\":\"c-quantity\",\"applied\":1,\"stop\":\"blocked\",\"reason\":"
                  "\"quantity_changed\"},"
                  "{\"flow_id\":\"d-three\",\"applied\":2,\"stop\":\"limit\",\"reason\":null}]");
    expect_report(call_process_all(worker, 1, true, NULL), 4,
                  "[{\"flow_id\":\"a-gap\",\"applied\":0,\"stop\":\"gap\",\"reason\":null},"
                  "{\"flow_id\":\"b-version\",\"applied\":1,\"stop\":\"limit\",\"reason\":null},"
                  "{\"flow_id\":\"c-quantity\",\"applied\":0,\"stop\":\"blocked\",\"reason\":"
                  "\"quantity_changed\"},"
                  "{\"flow_id\":\"d-three\",\"applied\":1,\"stop\":\"limit\",\"reason\":null}]");
}

CHECK(drain, the_reason_is_that_of_the_event_whose_turn_it_is, "process_all.2")
{
    struct envelope first = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);
    struct envelope third = event_of("flow-a", 3, 7);
    struct envelope later = event_of("flow-b", 2, 7);
    struct puppet *worker;

    second.stage = "released";
    worker = start_with(xprintf("%s%s%s%s", inbox_row(&third, 0, 1, "bad_payload"),
                                inbox_row(&second, 0, 1, "unknown_version"),
                                inbox_row(&first, 0, 1, "bad_payload"),
                                inbox_row(&later, 0, 1, "bad_payload")));
    expect_report(call_process_all(worker, 1, false, NULL), 2,
                  "[{\"flow_id\":\"flow-a\",\"applied\":1,\"stop\":\"limit\",\"reason\":null},"
                  "{\"flow_id\":\"flow-b\",\"applied\":0,\"stop\":\"gap\",\"reason\":null}]");
    expect_report(call_process_all(worker, 9, false, NULL), 2,
                  "[{\"flow_id\":\"flow-a\",\"applied\":0,\"stop\":\"blocked\","
                  "\"reason\":\"bad_transition\"},"
                  "{\"flow_id\":\"flow-b\",\"applied\":0,\"stop\":\"gap\",\"reason\":null}]");
}

CHECK(drain, nothing_that_waits_is_an_empty_report, "process_all.2")
{
    struct envelope done = event_of("done", 1, 7);
    struct puppet *worker = start_with(
        xprintf("%s%s", applied_rows(&done, 7), projection_row("done", "reserved", 1, 7)));

    expect_report(call_process_all(worker, 9, false, NULL), 0, "[]");
}

CHECK(drain, of_a_thousand_flows_and_more_each_is_drained, "process_all.1")
{
    struct puppet *worker;

    names_alike();
    worker = start_with(xprintf("%s UPDATE inbox SET seq = 2 WHERE position %% 8; %s%s",
                                many_rows("consumer", 1, 1024), waiting(a_name(), 1, 1, 7),
                                waiting(a_name(), 1, 1, 7)));
    stage_did("(seven of eight have a gap; beside them two flows with names of 100 characters)");
    expect_outcome(call_process_all(worker, 1, false, NULL), outcome_value(1026));
    expect_same("effects, and events that wait",
                store_rows("consumer", "SELECT (SELECT count(*) FROM effect), count(*) FROM inbox"
                                       " WHERE applied = 0"),
                xstrdup("130|896\n"));
}

CHECK(drain, an_event_behind_its_projection_waits_and_its_flow_is_idle, "process_all.1")
{
    struct puppet *worker = start_with(
        xprintf("%s%s", waiting("flow-a", 1, 1, 7), projection_row("flow-a", "confirmed", 2, 7)));

    expect_report(call_process_all(worker, 9, false, NULL), 1,
                  "[{\"flow_id\":\"flow-a\",\"applied\":0,\"stop\":\"idle\",\"reason\":null}]");
}

CHECK(drain, an_error_ends_it_and_what_was_applied_stays, "process_all.3")
{
    struct puppet *worker = start_with(
        xprintf("%s%s%s", waiting("a", 1, 2, 7), waiting("b", 1, 2, 7), waiting("c", 1, 2, 7)));
    struct puppet *hand = hand_open("consumer");

    hand_do(hand, "CREATE TRIGGER no BEFORE INSERT ON effect WHEN new.flow_id = 'b' AND new.seq = 2"
                  " BEGIN SELECT RAISE(ABORT, 'no'); END");
    stage_did("(in the store: a trigger that refuses the second effect of flow b)");
    expect_sqlite(call_process_all(worker, 9, false, NULL), SQLITE_CONSTRAINT);
    expect_same("projection",
                store_rows("consumer", "SELECT flow_id, last_seq FROM projection ORDER BY flow_id"),
                xstrdup("a|2\nb|1\n"));
    hand_do(hand, "DROP TRIGGER no");
    expect_outcome(call_process_all(worker, 9, false, NULL), outcome_value(2));
}

CHECK(drain, a_lock_that_stays_is_an_error_and_nothing_is_applied, "process_all.3")
{
    char *rows = waiting("a", 1, 2, 7);
    struct puppet *worker = start_with(rows);
    struct puppet *hand = hand_open("consumer");

    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process holds the lock)");
    expect_sqlite(call_process_all(worker, 9, false, NULL), SQLITE_BUSY);
    hand_do(hand, "ROLLBACK");
    expect_same("rows", side_rows("consumer", "consumer"), side_with("consumer", rows));
}

CHECK(drain, neither_flows_nor_reasons_are_remembered, "common.7")
{
    struct puppet *worker = start_with(waiting("a", 2, 2, 7));
    struct puppet *hand = hand_open("consumer");
    struct envelope first = event_of("a", 1, 7);
    struct envelope bad = event_of("b", 1, 7);

    bad.payload = "{}";
    expect_report(call_process_all(worker, 9, false, NULL), 1,
                  "[{\"flow_id\":\"a\",\"applied\":0,\"stop\":\"gap\",\"reason\":null}]");
    hand_do(hand, inbox_row(&bad, 0, 0, NULL));
    hand_do(hand, inbox_row(&first, 0, 0, NULL));
    stage_did("(another process puts the first event of a and a bad one of b into the inbox)");
    expect_report(call_process_all(worker, 9, false, NULL), 2,
                  "[{\"flow_id\":\"a\",\"applied\":2,\"stop\":\"idle\",\"reason\":null},"
                  "{\"flow_id\":\"b\",\"applied\":0,\"stop\":\"blocked\","
                  "\"reason\":\"bad_payload\"}]");
    hand_do(hand, "UPDATE inbox SET payload = '{\"amount\":7}' WHERE flow_id = 'b'");
    expect_report(call_process_all(worker, 9, false, NULL), 1,
                  "[{\"flow_id\":\"b\",\"applied\":1,\"stop\":\"idle\",\"reason\":null}]");
}

/* Two events of schema 2. */
static char *in_units(const char *flow)
{
    struct text rows = { 0 };

    for (int seq = 1; seq <= 2; seq++) {
        struct envelope event = event_of(flow, seq, 7);

        event.schema = 2;
        event.payload = payload_of(2, 7);
        text_add(&rows, "%s", inbox_row(&event, 0, 0, NULL));
    }
    return rows.data;
}

CHECK(drain, support_for_schema_2_is_not_remembered, "common.7")
{
    struct puppet *worker = start_with(xprintf("%s%s", in_units("a"), in_units("b")));

    expect_outcome(call_drain(worker, "a", 1, true, NULL), outcome_value(RECEIPT_LIMIT));
    expect_outcome(call_drain(worker, "a", 9, false, NULL), outcome_value(RECEIPT_BLOCKED));
    expect_outcome(call_process_all(worker, 1, true, NULL), outcome_value(2));
    expect_report(call_process_all(worker, 9, false, NULL), 1,
                  "[{\"flow_id\":\"b\",\"applied\":0,\"stop\":\"blocked\","
                  "\"reason\":\"unknown_version\"}]");
}

CHECK(drain, the_patience_of_the_connection_stays, "common.5")
{
    struct puppet *worker = start_with(waiting("a", 1, 2, 7));
    struct puppet *hand = hand_open("consumer");

    set_patience(worker, "consumer");
    expect_outcome(call_drain(worker, "a", 1, false, NULL), outcome_value(RECEIPT_LIMIT));
    expect_patience(worker, "consumer", hand);
    expect_outcome(call_process_all(worker, 9, false, NULL), outcome_value(1));
    expect_patience(worker, "consumer", hand);
}
