/* Step 11: steps/ordered/11-advance.md - what is nearly the same, among many, and what is left as it was */
#include "base.h"
#include "ordered_change.h"

#include <stdlib.h>

#define WIDE INT64_C(9007199254740993) /* the first odd number that a double does not hold */

static struct puppet *start_with(const char *rows)
{
    side_make("producer", "producer", rows);
    return worker_at("producer", 50);
}

static void expect_receipt(struct puppet *worker, const struct command *command,
                           enum receipt receipt)
{
    expect_outcome(call_advance(worker, command, NULL), outcome_value(receipt));
}

static struct change draw(void)
{
    return change_advance(false);
}

CHECK(advance, names_of_100_characters_are_told_apart_by_the_last, "advance.5")
{
    struct change change;

    names_alike();
    change = change_advance(false);
    change_is_made(&change);
}

/* As names of flows and of events; a column in double quotes is a column in SQL. */
CHECK(advance, names_of_columns_are_names_like_others, "advance.3")
{
    static const char *const words[] = { "flow_id", "event_id", "stage", "seq" };
    struct envelope other = event_of("flow-a", 2, 300);
    struct text rows = { 0 };
    struct puppet *worker;

    text_add(&rows, "%s%s", flow_row("flow-a", "confirmed", 2, 300), outbox_row(&other, 0));
    worker = start_with(rows.data);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct command first = { words[i], words[i], 0, "reserved", 7, 1 };
        struct command second = move_of(words[i], 1, 7);
        struct envelope events[] = { event_by(&first), event_by(&second) };

        expect_receipt(worker, &first, RECEIPT_COMMITTED);
        expect_receipt(worker, &second, RECEIPT_COMMITTED);
        expect_receipt(worker, &first, RECEIPT_DUPLICATE);
        text_add(&rows, "%s%s%s", flow_row(words[i], "confirmed", 2, 7), outbox_row(&events[0], 0),
                 outbox_row(&events[1], 0));
        stage_forget();
    }
    expect_same("rows", side_rows("producer", "producer"), side_with("producer", rows.data));
}

CHECK(advance, a_store_in_UTF_16_is_moved_on_in_the_same_way, "advance.5")
{
    change_is_made_wide(change_advance(false));
}

CHECK(advance, a_command_is_known_among_many, "advance.2")
{
    struct change change = change_advance(false);

    change_is_made_among_many(&change);
}

CHECK(advance, of_many_moves_no_memory_is_kept, "common.3")
{
    changes_are_not_kept(draw);
}

CHECK(advance, a_flows_seq_is_compared_in_all_its_bits, "advance.3")
{
    struct puppet *worker = start_with(flow_row("flow-a", "reserved", WIDE, 300));
    static const int64_t seqs[] = { WIDE - 1, WIDE + 1, 1, INT64_C(1) << 32 };
    struct command right = move_of("flow-a", WIDE, 300);

    right.stage = "confirmed";
    for (size_t i = 0; i < sizeof seqs / sizeof *seqs; i++) {
        struct command command = right;

        command.event_id = a_name();
        command.expected_seq = seqs[i];
        expect_receipt(worker, &command, RECEIPT_STALE);
    }
    expect_receipt(worker, &right, RECEIPT_COMMITTED);
}

CHECK(advance, a_seq_on_record_is_compared_in_all_its_bits, "advance.2")
{
    struct command known = move_of("flow-a", WIDE - 1, 300);
    struct envelope event = event_by(&known);
    struct puppet *worker = start_with(
        xprintf("%s%s", flow_row("flow-a", known.stage, WIDE, 300), outbox_row(&event, 1)));
    struct command other = known;

    other.expected_seq = WIDE;
    expect_receipt(worker, &other, RECEIPT_CONFLICT);
    other.expected_seq = WIDE - 2;
    expect_receipt(worker, &other, RECEIPT_CONFLICT);
    expect_receipt(worker, &known, RECEIPT_DUPLICATE);
}

/* The row of a known command, but for this: the command is a conflict. */
static void expect_conflict(struct puppet *worker, const struct command *command,
                            struct envelope event)
{
    static int made;
    auto_free char *store = xprintf("known%d", ++made);
    struct how how = { .on = store };

    side_make("producer", store,
              xprintf("%s%s", flow_row(event.flow_id, "reserved", 1, 300), outbox_row(&event, 0)));
    worker_open(worker, store, 50);
    stage_did("(on record: schema %d, %s, %s, %s)", event.schema, event.flow_id, event.stage,
              event.payload);
    expect_outcome(call_advance(worker, command, &how), outcome_value(RECEIPT_CONFLICT));
    worker_close(worker, store);
    stage_forget();
}

CHECK(advance, what_is_nearly_the_same_is_a_conflict, "advance.2")
{
    struct puppet *worker = puppet_start();
    struct command command = move_of("flow-a", 0, 300);
    struct envelope others[6];

    for (int i = 0; i < 6; i++)
        others[i] = event_by(&command);
    others[0].payload = "{\"amount\": 300}";
    others[1].payload = "{\"Amount\":300}";
    others[2].payload = "{\"amount\":300} ";
    others[3].stage = "Reserved";
    others[4].flow_id = "Flow-a";
    others[5].schema = 2;
    for (int i = 0; i < 6; i++)
        expect_conflict(worker, &command, others[i]);
}

CHECK(advance, a_place_that_another_event_has_is_not_given_away, "common.8")
{
    struct envelope event = event_of("flow-a", 2, 300);
    char *rows = xprintf("%s%s", flow_row("flow-a", "reserved", 1, 300), outbox_row(&event, 0));
    struct puppet *worker = start_with(rows);
    struct command command = move_of("flow-a", 1, 300);
    struct answer answer = call_advance(worker, &command, NULL);

    expect(answer.outcome.kind != OUTCOME_VALUE || answer.outcome.code != RECEIPT_COMMITTED,
           "no COMMITTED, as there is no place for its event", "COMMITTED");
    expect_same("rows, unchanged", side_rows("producer", "producer"), side_with("producer", rows));
}

CHECK(advance, the_patience_of_the_connection_is_asked_and_stays, "common.5")
{
    struct change change = change_advance(false);

    change_keeps_patience(&change);
}

EARLY_CHECK(advance, what_another_does_while_the_call_waits_is_seen, "advance.8")
{
    struct change change = change_advance(false);

    change_is_made_meanwhile(&change);
}
