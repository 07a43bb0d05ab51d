/* Step 15: steps/ordered/15-drain.md - one flow, within bounds */
#include "base.h"
#include "moments.h"
#include "ordered_calls.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>

/* The events first to last of a flow as inbox rows, the last one first. */
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

static void expect_applied(struct answer answer, int applied)
{
    expect_number("*applied", applied_of(answer), applied);
}

static void expect_drained(struct puppet *worker, const char *flow, int limit, enum receipt receipt,
                           int applied)
{
    struct answer answer = call_drain(worker, flow, limit, false, NULL);

    expect_outcome(answer, outcome_value(receipt));
    expect_applied(answer, applied);
}

static void expect_no_limit(struct puppet *worker, int limit)
{
    struct answer answer = call_drain(worker, "flow-a", limit, false, NULL);

    expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    expect_points(answer, "");
    expect_applied(answer, 0);
}

CHECK(drain, a_limit_is_1_to_1000, "drain.1")
{
    char *rows = waiting("flow-a", 1, 2, 7);
    struct puppet *worker = start_with(rows);

    expect_no_limit(worker, 0);
    expect_no_limit(worker, 1001);
    expect_same("rows", side_rows("consumer", "consumer"), side_with("consumer", rows));
    expect_drained(worker, "flow-a", 1, RECEIPT_LIMIT, 1);
    expect_drained(worker, "flow-a", 1000, RECEIPT_IDLE, 1);
}

CHECK(drain, far_out_a_limit_is_invalid_also_where_nothing_waits, "drain.1")
{
    struct puppet *worker = start_with("");

    expect_no_limit(worker, -1);
    expect_no_limit(worker, INT_MAX);
    expect_no_limit(worker, INT_MIN);
    expect_no_limit(worker, 65537);
    expect_drained(worker, "flow-a", 1000, RECEIPT_IDLE, 0);
}

CHECK(drain, a_bad_limit_is_refused_at_once_while_a_lock_is_held, "common.9")
{
    struct puppet *worker;
    struct puppet *hand;

    side_make("consumer", "consumer", waiting("flow-a", 1, 2, 7));
    worker = worker_at("consumer", 300);
    hand = hand_open("consumer");
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_outcome(call_drain(worker, "flow-a", 0, false, NULL), outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_drain(worker, "unknown", 1001, false, NULL),
                   outcome_of(OUTCOME_INVALID, 0));
    hand_do(hand, "ROLLBACK");
}

CHECK(drain, a_flow_is_drained_until_nothing_waits, "drain.2")
{
    char *longest = xprintf("%0100d", 7);
    char *others = xprintf("%s%s%s%s", waiting("flow-b", 1, 3, 9), waiting(longest, 1, 1, 7),
                           waiting("flow_id", 2, 2, 7), waiting("payload", 1, 1, 7));
    struct puppet *worker = start_with(xprintf("%s%s", others, waiting("flow-a", 1, 3, 7)));

    expect_drained(worker, "flow-a", 100, RECEIPT_IDLE, 3);
    expect_same("projection", store_rows("consumer", "SELECT * FROM projection"),
                xstrdup("flow-a|released|3|7\n"));
    expect_same("effects", store_rows("consumer", "SELECT flow_id, seq FROM effect ORDER BY seq"),
                xstrdup("flow-a|1\nflow-a|2\nflow-a|3\n"));
    expect_drained(worker, "flow-a", 100, RECEIPT_IDLE, 0);
    expect_drained(worker, "unknown", 100, RECEIPT_IDLE, 0);
    expect_drained(worker, xprintf("%s0", longest), 100, RECEIPT_IDLE, 0);
    expect_drained(worker, "flow_id", 100, RECEIPT_GAP, 0); /* the names of columns */
    expect_drained(worker, "payload", 100, RECEIPT_IDLE, 1);
}

CHECK(drain, a_gap_ends_it, "drain.2")
{
    struct envelope first = event_of("flow-a", 1, 7);
    struct puppet *worker =
        start_with(xprintf("%s%s", waiting("flow-a", 3, 3, 7), inbox_row(&first, 0, 0, NULL)));

    expect_drained(worker, "flow-a", 100, RECEIPT_GAP, 1);
    expect_drained(worker, "flow-a", 100, RECEIPT_GAP, 0);
}

CHECK(drain, a_block_ends_it_and_its_reason_is_in_the_inbox, "drain.2")
{
    struct envelope second = event_of("flow-a", 2, 8);
    struct puppet *worker =
        start_with(xprintf("%s%s%s", waiting("flow-a", 1, 1, 7), inbox_row(&second, 0, 0, NULL),
                           waiting("flow-a", 3, 3, 7)));

    expect_drained(worker, "flow-a", 100, RECEIPT_BLOCKED, 1);
    expect_same("applied, blocked and reason of each",
                store_rows("consumer", "SELECT applied, blocked, reason FROM inbox ORDER BY seq"),
                xstrdup("1|0|NULL\n0|1|quantity_changed\n0|0|NULL\n"));
    expect_drained(worker, "flow-a", 100, RECEIPT_BLOCKED, 0);
}

CHECK(drain, support_for_schema_2_is_passed_on, "drain.2")
{
    struct envelope event = event_of("flow-a", 1, 7);
    struct puppet *worker;
    struct answer answer;

    event.schema = 2;
    event.payload = "{\"units\":7}";
    worker = start_with(inbox_row(&event, 0, 0, NULL));
    expect_drained(worker, "flow-a", 5, RECEIPT_BLOCKED, 0);
    answer = call_drain(worker, "flow-a", 5, true, NULL);
    expect_outcome(answer, outcome_value(RECEIPT_IDLE));
    expect_applied(answer, 1);
}

CHECK(drain, after_so_many_events_it_is_limit_though_more_waits, "drain.3")
{
    struct puppet *worker = start_with(waiting("flow-a", 1, 3, 7));

    expect_drained(worker, "flow-a", 2, RECEIPT_LIMIT, 2);
    expect_same("last_seq", store_rows("consumer", "SELECT last_seq FROM projection"),
                xstrdup("2\n"));
    expect_drained(worker, "flow-a", 2, RECEIPT_IDLE, 1);
}

CHECK(drain, after_so_many_events_it_is_limit_though_nothing_waits, "drain.3")
{
    struct envelope blocked = event_of("flow-c", 2, 9);
    struct puppet *worker = start_with(xprintf(
        "%s%s%s%s%s", waiting("flow-a", 1, 3, 7), waiting("flow-b", 1, 1, 7),
        waiting("flow-b", 3, 3, 7), waiting("flow-c", 1, 1, 7), inbox_row(&blocked, 0, 0, NULL)));

    expect_drained(worker, "flow-a", 3, RECEIPT_LIMIT, 3);
    expect_drained(worker, "flow-b", 1, RECEIPT_LIMIT, 1);
    expect_drained(worker, "flow-c", 1, RECEIPT_LIMIT, 1);
    expect_drained(worker, "flow-a", 3, RECEIPT_IDLE, 0);
    expect_drained(worker, "flow-b", 1, RECEIPT_GAP, 0);
    expect_drained(worker, "flow-c", 1, RECEIPT_BLOCKED, 0);
}

/* Fails the count-th time that the point is reached. */
struct failing {
    const char *point;
    int count;
    int reached;
};

static struct outcome fail_then(void *context, struct stop *stop)
{
    struct failing *failing = context;

    if (stop->kind == STOP_FAULT && strcmp(stop->point, failing->point) == 0 &&
        ++failing->reached == failing->count)
        return outcome_of(OUTCOME_FAULT, 7777);
    return call_go_on(stop);
}

static void expect_counted(const char *point, int count, int applied, const char *last_seq)
{
    static int made;
    auto_free char *store = xprintf("failing%d", ++made);
    struct failing failing = { point, count, 0 };
    struct how how = { .directions = { .at = fail_then, .context = &failing }, .on = store };
    struct puppet *worker;
    struct answer answer;

    side_make("consumer", store, waiting("flow-a", 1, 3, 7));
    worker = worker_at(store, 50);
    answer = call_drain(worker, "flow-a", 3, false, &how);
    expect_outcome(answer, outcome_of(OUTCOME_FAULT, 7777));
    expect_applied(answer, applied);
    expect_same("last_seq", store_rows(store, "SELECT last_seq FROM projection"),
                xstrdup(last_seq));
    stage_forget();
}

CHECK(drain, what_was_applied_before_a_hook_failed_is_counted, "drain.4")
{
    expect_counted("after-projection", 1, 0, "");
    expect_counted("after-effect", 2, 1, "1\n");
    expect_counted("after-applied", 3, 2, "2\n");
    expect_counted("after-commit", 2, 1, "2\n");
}

CHECK(drain, what_was_applied_before_an_error_of_sqlite_is_counted, "drain.4")
{
    struct puppet *worker = start_with(waiting("flow-a", 1, 3, 7));
    struct puppet *hand = hand_open("consumer");
    struct how no_hook = { .no_hook = true };
    struct answer answer;

    hand_do(hand, "CREATE TRIGGER no BEFORE INSERT ON effect WHEN new.seq = 3 BEGIN"
                  " SELECT RAISE(ABORT, 'no'); END");
    stage_did("(in the store: a trigger that refuses the effect of seq 3)");
    answer = call_drain(worker, "flow-a", 10, false, NULL);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_applied(answer, 2);
    answer = call_drain(worker, "flow-a", 10, false, &no_hook);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_applied(answer, 0);
    expect_same("last_seq", store_rows("consumer", "SELECT last_seq FROM projection"),
                xstrdup("2\n"));
    hand_do(hand, "DROP TRIGGER no; BEGIN IMMEDIATE");
    answer = call_drain(worker, "flow-a", 10, false, NULL);
    expect_sqlite(answer, SQLITE_BUSY);
    expect_applied(answer, 0);
    hand_do(hand, "ROLLBACK");
    expect_drained(worker, "flow-a", 10, RECEIPT_IDLE, 1);
}

/* Of a flow with one event. */
static void expect_ended(struct puppet *worker, const char *flow, const char *point,
                         struct outcome failure)
{
    struct reply_at reply = { point, failure };
    struct how how = moment_reply(&reply);
    struct answer answer = call_drain(worker, flow, 3, false, &how);

    expect_outcome(answer, failure);
    expect_applied(answer, 0);
}

CHECK(drain, each_event_is_applied_by_its_own_points, "common.6")
{
    static const char *const points[] = { "after-commit", "after-effect" };
    struct puppet *worker =
        start_with(xprintf("%s%s%s%s", waiting("flow-a", 1, 2, 7), waiting("flow-b", 1, 2, 7),
                           waiting("flow-c", 1, 1, 7), many_rows("consumer", 0, FAILURES)));
    struct how no_hook = { .no_hook = true };
    struct how no_context = { .no_context = true };
    struct answer answer = call_drain(worker, "flow-a", 5, false, NULL);

    expect_outcome(answer, outcome_value(RECEIPT_IDLE));
    expect_points(answer, "after-projection after-effect after-applied after-commit"
                          " after-projection after-effect after-applied after-commit");
    answer = call_drain(worker, "flow-b", 5, false, &no_hook);
    expect_outcome(answer, outcome_value(RECEIPT_IDLE));
    expect_applied(answer, 2);
    answer = call_drain(worker, "flow-c", 5, false, &no_context);
    expect_outcome(answer, outcome_value(RECEIPT_IDLE));
    expect_points(answer, "after-projection after-effect after-applied after-commit");
    for (int i = 0; i < FAILURES; i++)
        expect_ended(worker, xprintf("many-%d", i), points[i % 2], failures[i]);
}

CHECK(drain, memory_does_not_grow, "common.3")
{
    struct envelope bad = event_of("flow-a", 1, 7);
    struct puppet *worker;
    struct how how = { .times = 30 };

    bad.payload = "{\"amount\":\"seven, which is a text\"}";
    worker = start_with(xprintf("%s%s", inbox_row(&bad, 0, 0, NULL), waiting("flow-b", 2, 2, 7)));
    expect_outcome(call_drain(worker, "flow-a", 5, false, &how), outcome_value(RECEIPT_BLOCKED));
    expect_outcome(call_drain(worker, "flow-b", 5, false, &how), outcome_value(RECEIPT_GAP));
    expect_outcome(call_process_all(worker, 5, false, &how), outcome_value(2));
    expect_outcome(call_process_all(worker, 0, false, &how), outcome_of(OUTCOME_INVALID, 0));
}
