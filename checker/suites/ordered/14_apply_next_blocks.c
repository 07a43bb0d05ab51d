/* Step 14: steps/ordered/14-apply_next.md - payloads, and what cannot be applied */
#include "base.h"
#include "ordered_change.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One event in a store of its own, as the flow's first. */
static const char *first_of(const struct envelope *event)
{
    static int made;
    const char *store = xprintf("first%d", ++made);

    side_make("consumer", store, inbox_row(event, 0, 0, NULL));
    return store;
}

static void expect_applied(struct puppet *worker, int schema, bool support_v2, const char *payload,
                           int64_t quantity)
{
    struct envelope event = event_of("flow-a", 1, 1);
    struct how how = { 0 };

    event.schema = schema;
    event.payload = payload;
    how.on = first_of(&event);
    worker_open(worker, how.on, 50);
    stage_did("(the event's schema is %d, its payload %s)", schema, payload);
    expect_outcome(call_apply_next(worker, "flow-a", support_v2, &how),
                   outcome_value(RECEIPT_APPLIED));
    expect_same("rows", side_rows("consumer", how.on),
                side_with("consumer", xprintf("%s%s", applied_rows(&event, quantity),
                                              projection_row("flow-a", "reserved", 1, quantity))));
    worker_close(worker, how.on);
    stage_forget();
}

static void expect_blocked(struct puppet *worker, const struct envelope *event, bool support_v2,
                           const char *reason)
{
    struct how how = { .on = first_of(event) };
    struct answer answer;

    worker_open(worker, how.on, 50);
    stage_did("(the event's schema is %d, its payload %s)", event->schema, event->payload);
    answer = call_apply_next(worker, event->flow_id, support_v2, &how);
    expect_outcome(answer, outcome_value(RECEIPT_BLOCKED));
    expect_points(answer, "");
    expect_same("rows", side_rows("consumer", how.on),
                side_with("consumer", inbox_row(event, 0, 1, reason)));
    worker_close(worker, how.on);
    stage_forget();
}

static void expect_bad(struct puppet *worker, int schema, const char *payload)
{
    struct envelope event = event_of("flow-a", 1, 1);

    event.schema = schema;
    event.payload = payload;
    expect_blocked(worker, &event, true, "bad_payload");
}

CHECK(apply_next, a_payload_is_an_object_with_one_whole_number, "apply_next.3")
{
    struct puppet *worker = puppet_start();

    expect_applied(worker, 1, false, "{\"amount\":1}", 1);
    expect_applied(worker, 1, true, "{\"amount\":1000000}", 1000000);
    expect_applied(worker, 1, false, " { \"amount\" : 5.0 }", 5);
    expect_applied(worker, 1, false, "{\"\\u0061mount\":2e2}", 200);
    expect_applied(worker, 1, false, "{\"amount\":1E6}", 1000000);
    expect_applied(worker, 1, false, "{\"amount\":50e-1}", 5);
    expect_applied(worker, 2, true, "{\"units\":300}", 300);
}

CHECK(apply_next, a_number_that_is_none_or_out_of_bounds_is_bad, "apply_next.3")
{
    static const char *const bad[] = {
        "{\"amount\":0}",    "{\"amount\":1000001}",        "{\"amount\":-7}",
        "{\"amount\":7.5}",  "{\"amount\":\"7\"}",          "{\"amount\":true}",
        "{\"amount\":null}", "{\"amount\":1e400}",          "{\"amount\":4294967303}",
        "{\"amount\":[7]}",  "{\"amount\":7.0000001}",      "{\"amount\":6.999999999999}",
        "{\"amount\":0.5}",  "{\"amount\":{\"amount\":7}}",
    };
    struct puppet *worker = puppet_start();

    for (size_t i = 0; i < COUNT(bad); i++)
        expect_bad(worker, 1, bad[i]);
    expect_bad(worker, 2, "{\"units\":0}");
    expect_bad(worker, 2, "{\"units\":1000001}");
}

CHECK(apply_next, other_members_other_names_and_what_is_behind_the_object_are_bad, "apply_next.3")
{
    static const char *const bad[] = {
        "{}",
        "{\"Amount\":7}",
        "{\"AMOUNT\":7}",
        "{\"units\":7}",
        "{\"amount\":7,\"x\":1}",
        "{\"amount\":7,\"amount\":7}",
        "{\"amount\":7,\"units\":7}",
        "{\"amount\":7}{}",
        "{\"amount\":7} x",
        "{\"amount\":7},",
        "[7]",
        "7",
        "\"amount\"",
        "[{\"amount\":7}]",
        "{\"amount\":7",
        "amount=7",
        "{amount:7}",
        "{'amount':7}",
        "{\"amount\":7,}",
        "{\"amount\":+7}",
        "{\"amount\":0x7}",
        "{\"amount\":7 /* seven */}",
        "{\"amount\":7,\"\\u0061mount\":7}",
        "",
    };
    struct puppet *worker = puppet_start();

    for (size_t i = 0; i < COUNT(bad); i++)
        expect_bad(worker, 1, bad[i]);
    expect_bad(worker, 2, "{\"amount\":7}");
    expect_bad(worker, 2, "{\"Units\":7}");
}

CHECK(apply_next, schema_2_is_known_only_where_it_is_supported_in_this_call, "apply_next.3")
{
    struct puppet *worker;
    struct envelope event = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);

    event.schema = second.schema = 2;
    event.payload = second.payload = "{\"units\":7}";
    side_make("consumer", "consumer",
              xprintf("%s%s", inbox_row(&event, 0, 0, NULL), inbox_row(&second, 0, 0, NULL)));
    worker = worker_at("consumer", 50);
    expect_outcome(call_apply_next(worker, "flow-a", false, NULL), outcome_value(RECEIPT_BLOCKED));
    expect_outcome(call_apply_next(worker, "flow-a", true, NULL), outcome_value(RECEIPT_APPLIED));
    expect_outcome(call_apply_next(worker, "flow-a", false, NULL), outcome_value(RECEIPT_BLOCKED));
    expect_outcome(call_apply_next(worker, "flow-a", true, NULL), outcome_value(RECEIPT_APPLIED));
}

CHECK(apply_next, an_unknown_version_blocks, "apply_next.4")
{
    static const int schemas[] = { 2, 3, 257, 2147483647 };
    struct puppet *worker = puppet_start();
    struct envelope event = event_of("flow-a", 1, 7);

    for (size_t i = 0; i < COUNT(schemas); i++) {
        event.schema = schemas[i];
        expect_blocked(worker, &event, schemas[i] != 2, "unknown_version");
    }
}

CHECK(apply_next, a_stage_that_does_not_follow_blocks, "apply_next.4")
{
    static const char *const stages[] = { "new", "confirmed", "released", "Reserved", "x" };
    struct puppet *worker = puppet_start();
    struct envelope event = event_of("flow-a", 1, 7);

    for (size_t i = 0; i < COUNT(stages); i++) {
        event.stage = stages[i];
        expect_blocked(worker, &event, false, "bad_transition");
    }
}

/* The flow is at this stage with its first event, quantity 300; its second one blocks. */
static void expect_second_blocked(struct puppet *worker, const char *stage,
                                  const struct envelope *event, const char *reason)
{
    static int made;
    auto_free char *store = xprintf("second%d", ++made);
    struct how how = { .on = store };
    struct envelope first = event_of(event->flow_id, 1, 300);
    char *before =
        xprintf("%s%s", applied_rows(&first, 300), projection_row(event->flow_id, stage, 1, 300));

    side_make("consumer", store, xprintf("%s%s", before, inbox_row(event, 0, 0, NULL)));
    worker_open(worker, store, 50);
    expect_outcome(call_apply_next(worker, event->flow_id, false, &how),
                   outcome_value(RECEIPT_BLOCKED));
    expect_same("rows", side_rows("consumer", store),
                side_with("consumer", xprintf("%s%s", before, inbox_row(event, 0, 1, reason))));
    worker_close(worker, store);
    stage_forget();
}

CHECK(apply_next, a_quantity_that_changed_blocks, "apply_next.4")
{
    struct puppet *worker = puppet_start();
    static const int64_t quantities[] = { 299, 301, 44, 1000000 };

    for (size_t i = 0; i < COUNT(quantities); i++) {
        struct envelope event = event_of("flow-a", 2, quantities[i]);

        expect_second_blocked(worker, "reserved", &event, "quantity_changed");
    }
}

CHECK(apply_next, of_several_reasons_the_first_in_order_counts, "apply_next.4")
{
    struct puppet *worker = puppet_start();
    struct envelope event = event_of("flow-a", 2, 301);

    event.stage = "released";
    expect_second_blocked(worker, "reserved", &event, "bad_transition");
    event.payload = "{\"amount\":0}";
    expect_second_blocked(worker, "reserved", &event, "bad_payload");
    event.schema = 3;
    expect_second_blocked(worker, "reserved", &event, "unknown_version");
    event = event_of("flow-a", 2, 300);
    event.stage = "released";
    expect_second_blocked(worker, "released", &event, "bad_transition");
}

CHECK(apply_next, a_later_event_does_not_pass_a_blocked_one, "apply_next.4")
{
    struct puppet *worker;
    struct envelope first = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);

    first.schema = 9;
    side_make("consumer", "consumer",
              xprintf("%s%s", inbox_row(&first, 0, 0, NULL), inbox_row(&second, 0, 0, NULL)));
    worker = worker_at("consumer", 50);
    for (int i = 0; i < 2; i++)
        expect_outcome(call_apply_next(worker, "flow-a", false, NULL),
                       outcome_value(RECEIPT_BLOCKED));
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", xprintf("%s%s", inbox_row(&first, 0, 1, "unknown_version"),
                                              inbox_row(&second, 0, 0, NULL))));
}

CHECK(apply_next, a_blocked_event_that_can_be_applied_is, "apply_next.5")
{
    struct puppet *worker;
    struct envelope event = event_of("flow-a", 1, 7);

    event.schema = 2;
    event.payload = "{\"units\":7}";
    side_make("consumer", "consumer", inbox_row(&event, 0, 0, NULL));
    worker = worker_at("consumer", 50);
    expect_outcome(call_apply_next(worker, "flow-a", false, NULL), outcome_value(RECEIPT_BLOCKED));
    expect_outcome(call_apply_next(worker, "flow-a", true, NULL), outcome_value(RECEIPT_APPLIED));
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", xprintf("%s%s", applied_rows(&event, 7),
                                              projection_row("flow-a", "reserved", 1, 7))));
}

CHECK(apply_next, a_blocked_event_is_looked_at_anew_and_its_reason_follows, "apply_next.5")
{
    struct puppet *worker;
    struct puppet *hand;
    struct envelope event = event_of("flow-a", 1, 7);

    event.stage = "confirmed";
    side_make("consumer", "consumer", inbox_row(&event, 0, 1, "bad_payload"));
    worker = worker_at("consumer", 50);
    hand = hand_open("consumer");
    expect_outcome(call_apply_next(worker, "flow-a", false, NULL), outcome_value(RECEIPT_BLOCKED));
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", inbox_row(&event, 0, 1, "bad_transition")));
    hand_do(hand, "UPDATE inbox SET stage = 'reserved'");
    event.stage = "reserved";
    stage_did("(another process mends the event's stage)");
    expect_outcome(call_apply_next(worker, "flow-a", false, NULL), outcome_value(RECEIPT_APPLIED));
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", xprintf("%s%s", applied_rows(&event, 7),
                                              projection_row("flow-a", "reserved", 1, 7))));
}
