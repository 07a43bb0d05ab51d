/* Step 11: steps/ordered/11-advance.md - what is refused, what is known, and what moves */
#include "base.h"
#include "ordered_change.h"

#include <limits.h>
#include <sqlite3.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_refused(struct puppet *worker, const struct command *command,
                           struct outcome expected)
{
    char *before = side_rows("producer", "producer");
    struct answer answer = call_advance(worker, command, NULL);

    expect_outcome(answer, expected);
    expect_points(answer, "");
    expect_same("rows, unchanged", side_rows("producer", "producer"), before);
    stage_forget();
}

static void expect_receipt(struct puppet *worker, const struct command *command,
                           enum receipt receipt)
{
    expect_outcome(call_advance(worker, command, NULL), outcome_value(receipt));
}

/* A flow at the seq-th stage with all its events, as rows. */
static char *flow_at(const char *flow, int64_t seq, int64_t quantity)
{
    struct text rows = { 0 };

    text_add(&rows, "%s", flow_row(flow, stage_of(seq), seq, quantity));
    for (int64_t i = 1; i <= seq; i++) {
        struct envelope event = event_of(flow, i, quantity);

        text_add(&rows, "%s", outbox_row(&event, 0));
    }
    return rows.data;
}

static struct puppet *start_with(const char *rows)
{
    side_make("producer", "producer", rows);
    return worker_at("producer", 50);
}

static const struct command *const *bad_commands(const char *flow, int *count)
{
    static struct command bad[11];
    static const struct command *list[COUNT(bad) + 1];
    struct command good = move_of(flow, 1, 7);
    int n = 0;

    bad[n] = good, bad[n++].event_id = NULL;
    bad[n] = good, bad[n++].flow_id = NULL;
    bad[n] = good, bad[n++].stage = NULL;
    bad[n] = good, bad[n++].expected_seq = -1;
    bad[n] = good, bad[n++].quantity = 0;
    bad[n] = good, bad[n++].quantity = 1000001;
    bad[n] = good, bad[n++].quantity = INT64_C(4294967303);
    bad[n] = good, bad[n++].quantity = INT64_MIN;
    bad[n] = good, bad[n++].schema = 0;
    bad[n] = good, bad[n++].schema = 3;
    bad[n] = good, bad[n++].expected_seq = INT64_MIN;
    for (int i = 0; i < n; i++)
        list[i] = &bad[i];
    list[n] = NULL;
    *count = n + 1;
    return list;
}

/* In the place of each id; one look at the rows for the three, as a look takes longer than a call. */
static void expect_no_id(struct puppet *worker, const struct command *good, const char *text)
{
    struct command bad[] = { *good, *good, *good };
    char *before = side_rows("producer", "producer");

    bad[0].event_id = bad[1].flow_id = bad[2].stage = text;
    for (size_t i = 0; i < COUNT(bad); i++)
        expect_outcome(call_advance(worker, &bad[i], NULL), outcome_of(OUTCOME_INVALID, 0));
    expect_same("rows, unchanged", side_rows("producer", "producer"), before);
    stage_forget();
}

CHECK(advance, a_bad_member_is_invalid_and_leaves_nothing, "advance.1")
{
    struct puppet *worker = start_with(flow_at("flow-a", 1, 7));
    struct command good = move_of("flow-a", 1, 7);
    int count;
    const struct command *const *bad = bad_commands("flow-a", &count);

    for (int i = 0; i < BAD_IDS; i++)
        expect_no_id(worker, &good, bad_ids[i]);
    for (int i = 0; i < count; i++)
        expect_refused(worker, bad[i], outcome_of(OUTCOME_INVALID, 0));
    expect_receipt(worker, &good, RECEIPT_COMMITTED);
    good.quantity = 0;
    expect_refused(worker, &good, outcome_of(OUTCOME_INVALID, 0));
}

CHECK(advance, the_least_and_the_most_are_taken, "advance.1")
{
    struct puppet *worker = start_with("");
    char *longest = xprintf("%0100d", 7);
    struct command least = { "e", "f", 0, "reserved", 1, 1 };
    struct command most = { longest, longest, 0, "reserved", 1000000, 2 };
    struct envelope events[] = { event_by(&least), event_by(&most) };
    char *too_long = xprintf("%0101d", 7);
    struct command over = { too_long, "g", 0, "reserved", 5, 1 };

    expect_receipt(worker, &least, RECEIPT_COMMITTED);
    expect_receipt(worker, &most, RECEIPT_COMMITTED);
    expect_refused(worker, &over, outcome_of(OUTCOME_INVALID, 0));
    expect_same(
        "rows", side_rows("producer", "producer"),
        side_with("producer", xprintf("%s%s%s%s", flow_row("f", "reserved", 1, 1),
                                      flow_row(longest, "reserved", 1, 1000000),
                                      outbox_row(&events[0], 0), outbox_row(&events[1], 0))));
}

CHECK(advance, a_command_that_is_on_record_is_a_duplicate_wherever_the_flow_is, "advance.2")
{
    struct command first = move_of("flow-a", 0, 300);
    struct command second = move_of("flow-a", 1, 300);
    struct command third = move_of("flow-a", 2, 300);
    struct puppet *worker = start_with("");

    second.schema = 2;
    expect_receipt(worker, &first, RECEIPT_COMMITTED);
    expect_refused(worker, &first, outcome_value(RECEIPT_DUPLICATE));
    expect_receipt(worker, &second, RECEIPT_COMMITTED);
    expect_refused(worker, &first, outcome_value(RECEIPT_DUPLICATE));
    expect_receipt(worker, &third, RECEIPT_COMMITTED);
    expect_refused(worker, &first, outcome_value(RECEIPT_DUPLICATE));
    expect_refused(worker, &second, outcome_value(RECEIPT_DUPLICATE));
    hand_do(hand_open("producer"), "UPDATE outbox SET accepted = 1");
    expect_refused(worker, &second, outcome_value(RECEIPT_DUPLICATE));
    expect_refused(worker, &third, outcome_value(RECEIPT_DUPLICATE));
}

CHECK(advance, an_event_id_with_anything_else_is_a_conflict, "advance.2")
{
    struct command known = move_of("flow-a", 0, 300);
    struct command others[8]; /* so many that what each keeps is seen */
    struct puppet *worker = start_with(flow_at("flow-b", 1, 300));

    for (size_t i = 0; i < COUNT(others); i++)
        others[i] = known;
    others[0].flow_id = "flow-b";
    others[1].stage = "confirmed";
    others[2].expected_seq = 1;
    others[3].quantity = 301;
    others[4].schema = 2;
    others[5].expected_seq = INT64_MAX;
    others[6].flow_id = "flow-c";
    others[7].quantity = 30;
    expect_receipt(worker, &known, RECEIPT_COMMITTED);
    for (size_t i = 0; i < COUNT(others); i++)
        expect_refused(worker, &others[i], outcome_value(RECEIPT_CONFLICT));
    expect_refused(worker, &known, outcome_value(RECEIPT_DUPLICATE));
}

CHECK(advance, history_comes_before_what_is_stale, "advance.2")
{
    struct command known = move_of("flow-a", 0, 300);
    struct command stale = move_of("flow-a", 0, 300);
    struct command other = known;
    struct puppet *worker = start_with("");

    other.flow_id = "flow-new";
    other.expected_seq = 5;
    expect_receipt(worker, &known, RECEIPT_COMMITTED);
    expect_refused(worker, &known, outcome_value(RECEIPT_DUPLICATE));
    expect_refused(worker, &stale, outcome_value(RECEIPT_STALE));
    expect_refused(worker, &other, outcome_value(RECEIPT_CONFLICT));
}

CHECK(advance, an_expected_seq_that_is_not_the_flows_is_stale, "advance.3")
{
    struct puppet *worker = start_with(
        xprintf("%s%s", flow_at("flow-a", 2, 300), flow_row("most", "reserved", INT64_MAX, 300)));
    struct command most = move_of("most", INT64_MAX - 1, 300);
    static const int64_t seqs[] = { 0, 1, 3, 4, INT64_C(4294967298), INT64_MAX };
    struct command right = move_of("flow-a", 2, 300);

    for (size_t i = 0; i < COUNT(seqs); i++) {
        struct command command = move_of("flow-a", seqs[i], 300);

        command.stage = i % 2 ? "released" : stage_of(1);
        expect_refused(worker, &command, outcome_value(RECEIPT_STALE));
    }
    most.stage = "confirmed";
    expect_refused(worker, &most, outcome_value(RECEIPT_STALE));
    expect_receipt(worker, &right, RECEIPT_COMMITTED);
}

CHECK(advance, a_flow_that_is_not_there_is_at_0, "advance.3")
{
    struct puppet *worker = start_with(flow_at("Flow-a", 1, 300));
    struct command first = move_of("flow-a", 0, 7);
    struct command later = move_of("flow-a", 1, 300);

    later.stage = "reserved";
    expect_refused(worker, &later, outcome_value(RECEIPT_STALE));
    later.stage = "confirmed";
    expect_refused(worker, &later, outcome_value(RECEIPT_STALE));
    expect_receipt(worker, &first, RECEIPT_COMMITTED);
}

CHECK(advance, what_is_stale_is_stale_whatever_else_is_wrong, "advance.3")
{
    struct puppet *worker = start_with(flow_at("flow-a", 1, 300));
    struct command command = move_of("flow-a", 0, 301);

    command.stage = "released";
    expect_refused(worker, &command, outcome_value(RECEIPT_STALE));
    command.expected_seq = 1;
    expect_refused(worker, &command, outcome_value(RECEIPT_INVALID_TRANSITION));
}

/* Of all stages only the one that follows is taken. */
static void expect_only(int64_t seq)
{
    auto_free char *store = xprintf("at%d", (int)seq);
    struct how how = { .on = store };
    struct puppet *worker;

    side_make("producer", store, seq ? flow_at("flow-a", seq, 9) : "");
    worker = worker_at(store, 50);
    for (int64_t i = 0; i < STAGE_WORDS; i++) {
        struct command command = move_of("flow-a", seq, 9);

        command.stage = stage_words[i];
        if (i != seq + 1 || seq == 3)
            expect_outcome(call_advance(worker, &command, &how),
                           outcome_value(RECEIPT_INVALID_TRANSITION));
    }
    if (seq < 3) {
        struct command command = move_of("flow-a", seq, 9);

        expect_outcome(call_advance(worker, &command, &how), outcome_value(RECEIPT_COMMITTED));
    }
}

CHECK(advance, no_stage_is_skipped_or_repeated_and_none_follows_the_last, "advance.4")
{
    for (int64_t seq = 0; seq <= 3; seq++)
        expect_only(seq);
}

CHECK(advance, another_quantity_than_the_flows_is_an_invalid_transition, "advance.4")
{
    struct puppet *worker = start_with(flow_at("flow-a", 1, 300));
    static const int64_t quantities[] = { 299, 301, 1, 1000000, 44 };
    struct command right = move_of("flow-a", 1, 300);

    for (size_t i = 0; i < COUNT(quantities); i++) {
        struct command command = move_of("flow-a", 1, quantities[i]);

        expect_refused(worker, &command, outcome_value(RECEIPT_INVALID_TRANSITION));
    }
    expect_receipt(worker, &right, RECEIPT_COMMITTED);
}

CHECK(advance, a_flow_at_the_largest_number_goes_no_further, "advance.4")
{
    char *rows = xprintf("%s%s", flow_row("most", "reserved", INT64_MAX, 300),
                         flow_row("more", "reserved", INT64_MAX - 1, 300));
    struct puppet *worker = start_with(rows);
    struct command most = move_of("most", INT64_MAX, 300);
    struct command more = move_of("more", INT64_MAX - 1, 300);
    struct envelope event;

    most.stage = more.stage = "confirmed";
    event = event_by(&more);
    expect_refused(worker, &most, outcome_value(RECEIPT_INVALID_TRANSITION));
    expect_receipt(worker, &more, RECEIPT_COMMITTED);
    expect_same(
        "rows", side_rows("producer", "producer"),
        side_with("producer",
                  xprintf("%s%s%s", flow_row("most", "reserved", INT64_MAX, 300),
                          flow_row("more", "confirmed", INT64_MAX, 300), outbox_row(&event, 0))));
}
