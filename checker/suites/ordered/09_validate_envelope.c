/* Step 9: steps/ordered/09-validate_envelope.md */
#include "base.h"
#include "ordered_calls.h"

#include <limits.h>
#include <string.h>

static void expect_judged(struct puppet *worker, const struct envelope *event, bool valid)
{
    expect_outcome(call_validate_envelope(worker, event, NULL),
                   valid ? outcome_value(1) : outcome_of(OUTCOME_INVALID, 0));
    stage_forget();
}

static struct envelope an_event(void)
{
    return event_of(a_name(), 1 + (int64_t)(stage_random() % 3), a_quantity());
}

/* The text as each of the three members that are ids, the other two being valid. */
static void expect_id(struct puppet *worker, const char *text, bool valid)
{
    struct envelope events[] = { an_event(), an_event(), an_event() };

    events[0].event_id = text;
    events[1].flow_id = text;
    events[2].stage = text;
    for (int i = 0; i < 3; i++)
        expect_judged(worker, &events[i], valid);
}

static char *times(char c, int count)
{
    char *text = xmalloc((size_t)count + 1);

    memset(text, c, (size_t)count);
    text[count] = '\0';
    return text;
}

CHECK(validate_envelope, an_id_has_1_to_100_characters, "validate_envelope.1")
{
    struct puppet *worker = puppet_start();
    struct envelope alike = { "a", "a", 1, 1, "a", "a" };

    expect_judged(worker, &alike, true);
    expect_id(worker, "a", true);
    expect_id(worker, times('Z', 64), true);
    expect_id(worker, times('9', 65), true);
    expect_id(worker, times('x', 100), true);
    expect_id(worker, "", false);
    expect_id(worker, times('x', 101), false);
    expect_id(worker, times('x', 256 + 5), false);
    expect_id(worker, times('x', 65536 + 5), false);
}

/* Each character that is no sign of an id, in each member, somewhere in an id of 100 characters. */
static void expect_no_other_sign(struct puppet *worker, const char *signs)
{
    for (int c = 1; c < 128; c++) {
        for (int i = 0; i < 3 && !strchr(signs, c); i++) {
            auto_free char *text = times('x', 100);
            struct envelope event = an_event();
            const char **members[] = { &event.event_id, &event.flow_id, &event.stage };

            text[stage_random() % 100] = (char)c;
            *members[i] = text;
            expect_judged(worker, &event, false);
        }
    }
}

CHECK(validate_envelope, an_id_has_ascii_letters_digits_and_two_signs_and_nothing_else,
      "validate_envelope.1")
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789";
    static const char *const words[] = { "--", "a--b", "null", "NULL", "select", "event_id" };
    struct puppet *worker = puppet_start();

    expect_id(worker, signs, true);
    expect_id(worker, "-", true);
    expect_id(worker, "_", true);
    expect_id(worker, "7", true);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        expect_id(worker, words[i], true);
    expect_no_other_sign(worker, signs);
}

CHECK(validate_envelope, the_whole_id_counts, "validate_envelope.1")
{
    struct puppet *worker = puppet_start();

    expect_id(worker, "good", true);
    for (int i = 0; i < BAD_IDS; i++)
        expect_id(worker, bad_ids[i], false);
}

static void expect_seq(struct puppet *worker, int64_t seq, bool valid)
{
    struct envelope event = an_event();

    event.seq = seq;
    expect_judged(worker, &event, valid);
}

CHECK(validate_envelope, seq_is_any_positive_number_of_64_bits, "validate_envelope.2")
{
    struct puppet *worker = puppet_start();

    expect_seq(worker, 1, true);
    expect_seq(worker, 4, true);
    expect_seq(worker, INT64_C(4294967296), true);
    expect_seq(worker, INT64_C(9007199254740993), true);
    expect_seq(worker, INT64_MAX, true);
    expect_seq(worker, 0, false);
    expect_seq(worker, -1, false);
    expect_seq(worker, INT64_C(-4294967295), false);
    expect_seq(worker, INT64_MIN, false);
}

static void expect_schema(struct puppet *worker, int schema, bool valid)
{
    struct envelope event = an_event();

    event.schema = schema;
    expect_judged(worker, &event, valid);
}

CHECK(validate_envelope, schema_is_1_or_more_known_or_not, "validate_envelope.2")
{
    struct puppet *worker = puppet_start();

    expect_schema(worker, 1, true);
    expect_schema(worker, 2, true);
    expect_schema(worker, 3, true);
    expect_schema(worker, INT_MAX, true);
    expect_schema(worker, 0, false);
    expect_schema(worker, -1, false);
    expect_schema(worker, INT_MIN, false);
}

static void expect_payload(struct puppet *worker, const char *payload, bool valid)
{
    struct envelope event = an_event();

    event.payload = payload;
    expect_judged(worker, &event, valid);
}

/* Each that a text may have. */
static const char *all_of_ASCII(void)
{
    char *text = xmalloc(128);

    for (int c = 1; c < 128; c++)
        text[c - 1] = (char)c;
    text[127] = '\0';
    return text;
}

CHECK(validate_envelope, what_the_payload_says_is_not_judged, "validate_envelope.3")
{
    struct puppet *worker = puppet_start();

    expect_payload(worker, "{\"amount\":5}", true);
    expect_payload(worker, "{\"amount\":0,\"more\":[]}", true);
    expect_payload(worker, "no JSON \xe2\x82\xac\n", true);
    expect_payload(worker, "", true);
    expect_payload(worker, all_of_ASCII(), true);
    expect_payload(worker, times('{', 70000), true);
}

CHECK(validate_envelope, neither_stage_nor_seq_nor_schema_needs_to_fit, "validate_envelope.3")
{
    struct puppet *worker = puppet_start();
    struct envelope event = { "e", "f", 9, 7, "no-such-stage", "{\"units\":1}" };

    expect_judged(worker, &event, true);
    event.stage = "new";
    expect_judged(worker, &event, true);
}

CHECK(validate_envelope, a_payload_that_is_no_string_is_invalid, "validate_envelope.3")
{
    struct puppet *worker = puppet_start();

    expect_payload(worker, "x", true);
    expect_payload(worker, NULL, false);
}

CHECK(validate_envelope, NULL_and_each_member_that_is_NULL_is_invalid, "validate_envelope.4")
{
    struct puppet *worker = puppet_start();
    struct envelope event = an_event();
    struct envelope nothing = { NULL, NULL, 1, 1, NULL, NULL };

    expect_judged(worker, NULL, false);
    expect_judged(worker, &nothing, false);
    expect_id(worker, NULL, false);
    expect_judged(worker, &event, true);
}

CHECK(validate_envelope, a_valid_event_is_a_plain_yes, "validate_envelope.4")
{
    struct puppet *worker = puppet_start();
    struct envelope events[] = { an_event(), an_event(), an_event() };

    for (int i = 0; i < 3; i++)
        expect_judged(worker, &events[i], true);
}

CHECK(validate_envelope, neither_an_event_nor_a_refusal_is_remembered, "common.7")
{
    struct puppet *worker = puppet_start();
    struct envelope event = an_event();
    struct envelope bad = event;

    bad.seq = 0;
    for (int i = 0; i < 3; i++) {
        expect_judged(worker, &event, true);
        expect_judged(worker, &bad, false);
    }
    expect_judged(worker, &event, true);
}

CHECK(validate_envelope, many_events_take_no_memory, "common.3")
{
    struct puppet *worker = puppet_start();
    struct envelope event = an_event();
    struct how how = { .times = 60 };

    expect_outcome(call_validate_envelope(worker, &event, &how), outcome_value(1));
    event.schema = 0;
    expect_outcome(call_validate_envelope(worker, &event, &how), outcome_of(OUTCOME_INVALID, 0));
}
