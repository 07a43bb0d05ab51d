/* Step 14: steps/ordered/14-apply_next.md - payloads that are good, and bad ones */
#include "14_apply_next.h"

#include <stdlib.h>

#define DEPTH 50000 /* of brackets; a stack has no room for so many careless calls */

/* The same payload in schema 2: amount is units there, and units amount. */
static const char *in_units(const char *payload)
{
    static const char *const words[][2] = {
        { "amount", "units" },
        { "units", "amount" },
        { "Amount", "Units" },
        { "AMOUNT", "UNITS" },
        { "\\u0061mount", "\\u0075nits" },
    };
    struct text text = { 0 };

    text_add(&text, "%s", "");
    while (*payload) {
        size_t i = 0;

        while (i < COUNT(words) && strncmp(payload, words[i][0], strlen(words[i][0])) != 0)
            i++;
        if (i < COUNT(words))
            text_add(&text, "%s", words[i][1]);
        else
            text_add_bytes(&text, payload, 1);
        payload += i < COUNT(words) ? strlen(words[i][0]) : 1;
    }
    return text.data;
}

/* In both schemas. */
static void add_payload(struct turns *turns, const char *payload, const char *reason,
                        int64_t quantity)
{
    for (int schema = 1; schema <= 2; schema++) {
        struct envelope event = event_in(schema, 1);

        event.payload = schema == 1 ? payload : in_units(payload);
        turn_add(turns, (struct turn){ .event = event, .reason = reason, .quantity = quantity });
    }
}

static void expect_bad(const char *const *payloads, size_t count)
{
    static struct turns turns;

    for (size_t i = 0; i < count; i++)
        add_payload(&turns, payloads[i], "bad_payload", 0);
    turns_are_taken(&turns);
}

CHECK(apply_next, a_payload_is_an_object_with_one_whole_number, "apply_next.3")
{
    static struct turns turns;

    add_payload(&turns, "{\"amount\":1}", NULL, 1);
    add_payload(&turns, "{\"amount\":300}", NULL, 300);
    add_payload(&turns, "{\"amount\":1000000}", NULL, 1000000);
    add_payload(&turns, " { \"amount\" : 5.0 }", NULL, 5);
    add_payload(&turns, "{\"\\u0061mount\":2e2}", NULL, 200);
    add_payload(&turns, "{\"amount\":1E6}", NULL, 1000000);
    add_payload(&turns, "{\"amount\":50e-1}", NULL, 5);
    add_payload(&turns, "{\"amount\":1e+2}", NULL, 100);
    add_payload(&turns, "{\"amount\":1.5e1}", NULL, 15);
    add_payload(&turns, "{\"amount\":7.00000000000000000000000000000000000000}", NULL, 7);
    add_payload(&turns, "\r\n{\n\t\"amount\"\t:\r\n7\n}", NULL, 7);
    add_payload(&turns, xprintf("{%40000s\"amount\":7%40000s}", "", ""), NULL, 7);
    turns_are_taken(&turns);
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

    expect_bad(bad, COUNT(bad));
}

CHECK(apply_next, other_members_other_names_and_what_is_behind_the_object_are_bad, "apply_next.3")
{
    const char *const bad[] = {
        "{}",
        "{\"Amount\":7}",
        "{\"AMOUNT\":7}",
        "{\"units\":7}",
        "{\"amounts\":7}",
        "{\"amoun\":7}",
        "{\"unit\":7}",
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
        "{\"amount\":7e}",
        "{\"amount\" 7}",
        "{\"amount\"=7}",
        "{\"amount\":7]",
        "{,\"amount\":7}",
        "",
        xprintf("{\"amount\":7}%70000sx", ""),
    };

    expect_bad(bad, COUNT(bad));
}

CHECK(apply_next, a_payload_nested_ever_so_deep_is_bad, "apply_next.4")
{
    static struct turns turns;
    struct envelope event = event_in(1, 1);
    char *deep = malloc(DEPTH + 1);

    memset(deep, '[', DEPTH);
    deep[DEPTH] = '\0';
    event.payload = deep;
    turn_add(&turns, (struct turn){ .event = event, .reason = "bad_payload" });
    turns_are_taken(&turns);
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
