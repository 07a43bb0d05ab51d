/* Step 14: steps/ordered/14-apply_next.md - what cannot be applied, and what becomes of it */
#include "14_apply_next.h"

#include <stdlib.h>

CHECK(apply_next, an_unknown_version_blocks, "apply_next.4")
{
    static const int schemas[] = { 2, 3, 257, 258, 2147483647 };
    static struct turns turns;

    for (size_t i = 0; i < COUNT(schemas); i++)
        turn_add(&turns, (struct turn){ .event = event_in(schemas[i], 1),
                                        .reason = "unknown_version",
                                        .without_support = schemas[i] == 2 });
    turns_are_taken(&turns);
}

/* Of all stages only the one that follows is applied. */
static void add_stages(struct turns *turns, int schema, int64_t seq)
{
    for (int64_t i = 0; i < STAGE_WORDS; i++) {
        struct envelope event = event_in(schema, seq);
        bool follows = i == seq && seq <= 3;

        event.stage = stage_words[i];
        turn_add(turns, (struct turn){ .event = event,
                                       .reason = follows ? NULL : "bad_transition",
                                       .quantity = FLOW_QUANTITY });
    }
}

CHECK(apply_next, a_stage_that_does_not_follow_blocks, "apply_next.4")
{
    static struct turns turns;

    for (int64_t seq = 1; seq <= 4; seq++) {
        add_stages(&turns, 1, seq);
        add_stages(&turns, 2, seq);
    }
    turns_are_taken(&turns);
}

CHECK(apply_next, a_quantity_that_changed_blocks, "apply_next.4")
{
    static const int64_t quantities[] = { 299, 301, 44, 1000000 };
    static struct turns turns;

    for (int at = 0; at < 4; at++) /* seqs 2 and 3 in schemas 1 and 2 */
        for (size_t i = 0; i < COUNT(quantities); i++) {
            struct envelope event = event_in(1 + at % 2, 2 + at / 2);

            event.payload = payload_of(event.schema, quantities[i]);
            turn_add(&turns, (struct turn){ .event = event, .reason = "quantity_changed" });
        }
    turns_are_taken(&turns);
}

/* A flow's second event with this reason to block and all that come behind it. */
static struct envelope event_with(const char *reason, int schema)
{
    struct envelope event = event_in(schema, 2);

    event.payload = payload_of(schema, FLOW_QUANTITY + 1);
    if (strcmp(reason, "quantity_changed") == 0)
        return event;
    event.stage = "released";
    if (strcmp(reason, "bad_transition") == 0)
        return event;
    event.payload = payload_of(schema, 0);
    if (strcmp(reason, "unknown_version") == 0)
        event.schema = 3;
    return event;
}

static const char *const reasons[] = { "unknown_version", "bad_payload", "bad_transition",
                                       "quantity_changed" };

CHECK(apply_next, of_several_reasons_the_first_in_order_counts, "apply_next.4")
{
    static struct turns turns;
    struct envelope event = event_with("bad_payload", 2);

    for (size_t i = 0; i < COUNT(reasons); i++)
        for (int schema = 1; schema <= 2; schema++)
            turn_add(&turns, (struct turn){ .event = event_with(reasons[i], schema),
                                            .reason = reasons[i] });
    turn_add(&turns,
             (struct turn){ .event = event, .reason = "unknown_version", .without_support = true });
    turns_are_taken(&turns);
}

CHECK(apply_next, each_reason_takes_the_place_of_each, "apply_next.5")
{
    static struct turns turns;

    for (size_t i = 0; i < COUNT(reasons); i++) {
        for (size_t k = 0; k < COUNT(reasons); k++)
            turn_add(&turns, (struct turn){ .event = event_with(reasons[k], 1),
                                            .was = reasons[i],
                                            .reason = reasons[k] });
        turn_add(&turns, (struct turn){ .event = event_in(1 + (int)i % 2, 2),
                                        .was = reasons[i],
                                        .quantity = FLOW_QUANTITY });
    }
    turns_are_taken(&turns);
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
    for (int i = 0; i < 6; i++) /* however often it was blocked */
        expect_outcome(call_apply_next(worker, "flow-a", false, NULL),
                       outcome_value(RECEIPT_BLOCKED));
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
