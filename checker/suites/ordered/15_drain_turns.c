/* Step 15: steps/ordered/15-drain.md - each event is taken as apply_next takes it */
#include "14_apply_next.h"

static struct puppet *start_with(const char *rows)
{
    side_make("consumer", "consumer", rows);
    return worker_at("consumer", 50);
}

/* What is good has a quantity. */
static const struct {
    const char *payload;
    int64_t quantity;
} payloads[] = {
    { " {\"amount\" : 5.0} ", 5 },   { "{\"amount\":1000001}", 0 }, { "{\"amount\":7.5}", 0 },
    { "{\"amount\":7,\"x\":1}", 0 }, { "{\"Amount\":7}", 0 },       { "{\"amount\":7} x", 0 },
    { "{\"amount\":\"7\"}", 0 },
};

static void add_payloads(struct turns *turns)
{
    for (size_t i = 0; i < COUNT(payloads); i++) {
        struct envelope event = event_in(1, 1);

        event.payload = payloads[i].payload;
        turn_add(turns, (struct turn){ .event = event,
                                       .reason = payloads[i].quantity ? NULL : "bad_payload",
                                       .quantity = payloads[i].quantity });
    }
}

/* At one place of a flow: what is applied, blocked before or not, and what is blocked. */
static void add_place(struct turns *turns, int64_t seq)
{
    struct envelope good = event_in(1, seq);
    struct envelope mended = event_in(2, seq);
    struct envelope skips = event_in(1, seq);
    struct envelope later = event_in(3, seq);
    struct envelope other = event_in(1, seq);

    skips.stage = stage_of(seq == 2 ? 3 : 2);
    other.payload = payload_of(1, FLOW_QUANTITY + 1);
    turn_add(turns, (struct turn){ .event = good, .quantity = FLOW_QUANTITY });
    turn_add(turns,
             (struct turn){ .event = mended, .was = "unknown_version", .quantity = FLOW_QUANTITY });
    turn_add(turns, (struct turn){ .event = skips, .reason = "bad_transition" });
    turn_add(turns, (struct turn){
                        .event = later, .was = "quantity_changed", .reason = "unknown_version" });
    if (seq > 1)
        turn_add(turns, (struct turn){
                            .event = other, .was = "bad_payload", .reason = "quantity_changed" });
}

static void draw_turns(struct turns *turns)
{
    add_payloads(turns);
    for (int64_t seq = 1; seq <= 3; seq++)
        add_place(turns, seq);
}

static void expect_taken(struct puppet *worker, const struct turn *turn)
{
    const struct envelope *event = &turn->event;
    struct answer answer;

    stage_forget();
    stage_did("(the event's schema is %d, its seq %d, its stage %s, its payload %.200s)",
              event->schema, (int)event->seq, event->stage, event->payload);
    answer = call_drain(worker, event->flow_id, 5, true, NULL);
    expect_outcome(answer, outcome_value(turn->reason ? RECEIPT_BLOCKED : RECEIPT_IDLE));
    expect_number("*applied", applied_of(answer), turn->reason ? 0 : 1);
}

CHECK(drain, each_turn_is_taken_as_by_apply_next, "drain.2")
{
    static struct turns turns;
    struct puppet *worker;

    draw_turns(&turns);
    worker = start_with(turns.before.data);
    for (int i = 0; i < turns.count; i++)
        expect_taken(worker, &turns.all[i]);
    expect_same("rows", side_rows("consumer", "consumer"), side_with("consumer", turns.after.data));
}

CHECK(drain, of_all_flows_each_turn_is_taken_as_by_apply_next, "process_all.1")
{
    static struct turns turns;
    struct puppet *worker;

    draw_turns(&turns);
    worker = start_with(turns.before.data);
    expect_outcome(call_process_all(worker, 5, true, NULL), outcome_value(turns.count));
    expect_same("rows", side_rows("consumer", "consumer"), side_with("consumer", turns.after.data));
}

CHECK(drain, no_row_is_deleted, "common.8")
{
    struct change change = change_apply();
    struct puppet *worker = change_start(&change, 50);

    watch_deletions(&change, worker);
    expect_outcome(call_drain(worker, change.event.flow_id, 5, false, NULL),
                   outcome_value(RECEIPT_IDLE));
    expect_outcome(call_process_all(worker, 5, false, NULL), outcome_value(1));
    expect_same("rows that were deleted", store_rows("consumer", "SELECT name FROM gone"),
                xstrdup(""));
}

static void commit_it(void *hand)
{
    hand_do(hand, "COMMIT");
}

EARLY_CHECK(drain, what_another_applies_while_it_waits_is_not_counted, "drain.4")
{
    struct change change = change_apply();
    struct puppet *worker = change_start(&change, 5000);
    struct puppet *hand = hand_open("consumer");
    struct how how = { .directions = { .later = commit_it,
                                       .later_ms = stage_ms(250),
                                       .context = hand,
                                       .deadline_ms = 5000 } };
    struct answer answer;

    hand_do(hand, "BEGIN IMMEDIATE");
    for (int i = 0; i < change.undone; i++)
        hand_do(hand, change.effects[i]);
    stage_did("(another process applies the event, and commits after %d ms)", stage_ms(250));
    answer = call_drain(worker, change.event.flow_id, 5, false, &how);
    expect_outcome(answer, outcome_value(RECEIPT_IDLE));
    expect_number("*applied", applied_of(answer), 0);
    expect_same("rows", side_rows("consumer", "consumer"), change_after(&change));
}
