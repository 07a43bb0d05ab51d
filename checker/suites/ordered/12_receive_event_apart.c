/* Step 12: steps/ordered/12-receive_event.md - what is nearly the same, among many, and what is left as it was */
#include "base.h"
#include "ordered_change.h"

#include <stdlib.h>
#include <string.h>

static struct puppet *start_with(const char *rows)
{
    side_make("consumer", "consumer", rows);
    return worker_at("consumer", 50);
}

static void expect_receipt(struct puppet *worker, const struct envelope *event,
                           enum receipt receipt)
{
    expect_outcome(call_receive_event(worker, event, NULL), outcome_value(receipt));
}

CHECK(receive_event, names_of_100_characters_are_told_apart_by_the_last, "receive_event.2")
{
    struct change change;

    names_alike();
    change = change_receive();
    change_is_made(&change);
}

CHECK(receive_event, a_store_in_UTF_16_takes_an_event_in_the_same_way, "receive_event.3")
{
    change_is_made_wide(change_receive());
}

CHECK(receive_event, an_event_is_known_among_many, "receive_event.3")
{
    struct change change = change_receive();

    change_is_made_among_many(&change);
}

CHECK(receive_event, of_many_events_no_memory_is_kept, "common.3")
{
    changes_are_not_kept(change_receive);
}

CHECK(receive_event, a_long_payload_is_kept_to_its_end, "receive_event.2")
{
    struct puppet *worker = start_with("");
    struct envelope event = event_of("flow-a", 1, 7);
    struct envelope other = event;
    char *payload = xprintf("{\"text\":\"%070000d\"}", 7);
    char *changed = xstrdup(payload);
    struct envelope middle = event;
    char *changed_inside = xstrdup(payload);

    event.payload = payload;
    changed[strlen(changed) - 3] = '8';
    other.payload = changed;
    changed_inside[strlen(payload) / 2] = '8';
    middle.payload = changed_inside;
    expect_receipt(worker, &event, RECEIPT_ACCEPTED);
    expect_same("length of the payload",
                store_rows("consumer", "SELECT length(payload) FROM inbox"), xstrdup("70011\n"));
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", inbox_row(&event, 0, 0, NULL)));
    expect_receipt(worker, &other, RECEIPT_CONFLICT);
    expect_receipt(worker, &middle, RECEIPT_CONFLICT);
    expect_receipt(worker, &event, RECEIPT_DUPLICATE);
}

CHECK(receive_event, seqs_are_compared_in_all_their_bits, "receive_event.2")
{
    static const int64_t seqs[] = { 1,
                                    INT64_C(4294967297),
                                    INT64_C(9007199254740992),
                                    INT64_C(9007199254740993),
                                    INT64_MAX - 1,
                                    INT64_MAX };
    struct puppet *worker = start_with("");

    for (size_t i = 0; i < sizeof seqs / sizeof *seqs; i++) {
        struct envelope event = event_of("flow-a", seqs[i], 7);

        expect_receipt(worker, &event, RECEIPT_ACCEPTED);
    }
}

CHECK(receive_event, payloads_are_compared_as_they_are, "receive_event.4")
{
    static const char *const payloads[] = { "{\"AMOUNT\":7}",  "{\"amount\":7} ",
                                            " {\"amount\":7}", "{\"amount\":7.0}",
                                            "{\"amount\":_}",  "",
                                            "{\"tnuoma\":7}",  "{\"amount\":%}" };
    struct envelope known = event_of("flow-a", 1, 7);
    struct puppet *worker = start_with(inbox_row(&known, 0, 0, NULL));
    struct envelope other = known;

    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        other.payload = payloads[i];
        expect_receipt(worker, &other, RECEIPT_CONFLICT);
    }
    expect_receipt(worker, &known, RECEIPT_DUPLICATE);
}

CHECK(receive_event, what_was_applied_or_blocked_is_compared_too, "receive_event.4")
{
    struct envelope applied = event_of("flow-a", 1, 7);
    struct envelope blocked = event_of("flow-a", 2, 7);
    struct envelope later = event_of("flow-a", 3, 7);
    char *rows = xprintf(
        "%s%s%s%s", applied_rows(&applied, 7), projection_row("flow-a", "reserved", 1, 7),
        inbox_row(&blocked, 0, 1, "bad_payload"), inbox_row(&later, 0, 1, "unknown_version"));
    struct puppet *worker = start_with(rows);
    struct envelope others[] = { applied, applied, blocked, blocked, later };

    others[0].payload = others[2].payload = others[4].payload = "{\"amount\":8}";
    others[1].event_id = others[3].event_id = a_name();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect_receipt(worker, &others[i], RECEIPT_CONFLICT);
    expect_same("rows, unchanged", side_rows("consumer", "consumer"), side_with("consumer", rows));
}

CHECK(receive_event, the_patience_of_the_connection_is_asked_and_stays, "common.5")
{
    struct change change = change_receive();

    change_keeps_patience(&change);
}

EARLY_CHECK(receive_event, what_another_does_while_the_call_waits_is_seen, "receive_event.6")
{
    struct change change = change_receive();

    change_is_made_meanwhile(&change);
}
