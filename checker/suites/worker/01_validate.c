/* Step 1: steps/worker/01-validate.md; the id's characters and the copy are in files of their own */
#include "base.h"
#include "worker_calls.h"

#include <stdlib.h>

static const struct outcome invalid = { OUTCOME_INVALID, 0 };

/* The puppet is shown each text in turn; the list ends with NULL. */
static void expect_each(struct puppet *worker, const char *const *texts, struct outcome outcome)
{
    for (; *texts; texts++) {
        expect_outcome(call_validate(worker, spec_text(*texts), NULL), outcome);
        stage_forget();
    }
}

/* The same for values, each as the qty of an event. */
static void expect_each_qty(struct puppet *worker, const char *const *values,
                            struct outcome outcome)
{
    for (; *values; values++) {
        auto_free char *text = xprintf("{\"id\":\"%s\",\"qty\":%s}", an_event().id, *values);

        expect_outcome(call_validate(worker, spec_text(text), NULL), outcome);
        stage_forget();
    }
}

static void expect_each_odd_refused(struct puppet *worker, const char *const *names,
                                    struct event event)
{
    for (; *names; names++) {
        expect_outcome(call_validate(worker, spec_odd(*names, event), NULL), invalid);
        stage_forget();
    }
}

static const char *const in_either_order[] = {
    "{\"id\":\"a-1\",\"qty\":7}",
    "{\"qty\":7,\"id\":\"a-1\"}",
    " {\n\t\"qty\" : 7 ,\r\n \"id\" : \"a-1\" }\n",
    "{\"\\u0069d\":\"\\u0061-1\",\"q\\u0074y\":7}",
    NULL,
};

static const char *const with_a_further_member[] = {
    "{\"id\":\"a\",\"qty\":1,\"x\":1}",
    "{\"x\":1,\"id\":\"a\",\"qty\":1}",
    "{\"qty\":1,\"x\":null,\"id\":\"a\"}",
    "{\"id\":\"a\",\"qty\":1,\"\":null}",
    "{\"id\":\"a\",\"qty\":1,\"note\":{\"id\":\"a\",\"qty\":1}}",
    "{\"id\":\"a\",\"qty\":1,\"x\":[],\"y\":{}}",
    "{\"id\":\"a\",\"ID\":\"a\",\"qty\":1}",
    "{\"id\":\"a\",\"qty\":1,\"Qty\":1}",
    NULL,
};

static const char *const without_a_member[] = {
    "{}",
    "{\"id\":\"a\"}",
    "{\"qty\":1}",
    "{\"x\":\"a\",\"qty\":1}",
    "{\"id\":\"a\",\"x\":null}",
    "{\"id\":\"a\",\"id2\":1}",
    "{\"qty\":1,\"qty2\":\"a\"}",
    "{\"\":\"a\",\"qty\":1}",
    "{\"id\":\"a\",\"\":1}",
    "{\"a\":\"id\",\"1\":\"qty\"}",
    NULL,
};

static const char *const with_a_member_twice[] = {
    "{\"id\":\"a\",\"id\":\"a\"}",
    "{\"qty\":1,\"qty\":1}",
    "{\"id\":\"a\",\"qty\":1,\"id\":\"a\"}",
    "{\"id\":\"a\",\"qty\":1,\"qty\":1}",
    "{\"id\":\"a\",\"id\":\"b\",\"qty\":1}",
    "{\"id\":\"a\",\"qty\":1,\"id\":null}",
    "{\"id\":\"a\",\"qty\":1,\"id\":\"a\",\"qty\":1}",
    NULL,
};

static const char *const with_a_similar_name[] = {
    "{\"ID\":\"a\",\"QTY\":1}",
    "{\"di\":\"a\",\"tyq\":1}",
    "{\"id\":\"a\",\"yqt\":1}",
    "{\"Id\":\"a\",\"qty\":1}",
    "{\"iD\":\"a\",\"qty\":1}",
    "{\"id\":\"a\",\"QTY\":1}",
    "{\"qTy\":1,\"id\":\"a\"}",
    "{\" id\":\"a\",\"qty\":1}",
    "{\"id \":\"a\",\"qty\":1}",
    "{\"id\":\"a\",\" qty\":1}",
    "{\"id\":\"a\",\"qty \":1}",
    "{\"id\\n\":\"a\",\"qty\":1}",
    "{\"id\":\"a\",\"qty\\t\":1}",
    "{\"i\":\"a\",\"qty\":1}",
    "{\"id\":\"a\",\"qt\":1}",
    "{\"idd\":\"a\",\"qty\":1}",
    "{\"id\":\"a\",\"qtyy\":1}",
    "{\"\\u0131d\":\"a\",\"qty\":1}",
    NULL,
};

CHECK(validate, an_object_with_exactly_id_and_qty_is_accepted_and_no_other, "validate.1")
{
    struct puppet *worker = puppet_start();

    expect_each(worker, in_either_order, outcome_value(1));

    expect_each(worker, with_a_further_member, invalid);
    expect_each(worker, without_a_member, invalid);
    expect_each(worker, with_a_member_twice, invalid);
    expect_each(worker, with_a_similar_name, invalid);
}

CHECK(validate, a_whole_qty_from_one_to_a_thousand_is_accepted_however_it_is_spelled, "validate.3")
{
    auto_free char *drawn = xprintf("%d", an_event().qty);
    const char *const numbers[] = { "1",     "2",     "9",   "127",      "128", "255", "256",
                                    "257",   "500",   "999", "1000",     drawn, "1.0", "1E+0",
                                    "0.1e1", "100e1", "1e3", "10000e-1", NULL };

    expect_each_qty(puppet_start(), numbers, outcome_value(1));
}

static const char *const outside[] = {
    "0", "-0", "-1", "-1000", "1001", "1024", "9999", "0.0", "1e4", NULL,
};

static const char *const with_a_fraction[] = {
    "0.5",    "0.999999",    "1.5",  "1.000001", "3.9999999999",       "999.5",
    "1000.5", "1000.000001", "-0.5", "1e-300",   "1.0000000000000002", NULL,
};

/* Many of them are 1, or something else that is allowed, in fewer bits. */
static const char *const beyond_the_machine[] = {
    "65537",
    "-65535",
    "2147483648",
    "4294967297",
    "-4294967295",
    "10000000000",
    "1e10",
    "9007199254740993",
    "9223372036854775808",
    "18446744073709551617",
    "1e100",
    "1e400",
    "-1e400",
    NULL,
};

static const char *const no_number[] = {
    "true", "false", "null", "\"1\"", "\"\"", "\"7\"", "[]", "[1]", "{\"qty\":1}", "\"1.0\"", NULL,
};

static const char *const beyond_text[] = { "NaN", "infinite", "true", NULL };

CHECK(validate, a_qty_outside_or_with_a_fraction_or_no_number_is_refused, "validate.3")
{
    struct puppet *worker = puppet_start();

    expect_each_qty(worker, outside, invalid);
    expect_each_qty(worker, with_a_fraction, invalid);
    expect_each_qty(worker, beyond_the_machine, invalid);
    expect_each_qty(worker, no_number, invalid);
    expect_each_odd_refused(worker, beyond_text, event_of("a", 1));
    expect_each_odd_refused(worker, beyond_text, event_of("a", -1));
}

static const char *const no_object[] = {
    "null",
    "true",
    "1",
    "\"\"",
    "\"id\"",
    "[]",
    "[\"id\",\"qty\"]",
    "[\"a\",1]",
    "[{\"id\":\"a\",\"qty\":1}]",
    "[{\"id\":\"a\"},{\"qty\":1}]",
    "[[\"id\",\"a\"],[\"qty\",1]]",
    "\"{\\\"id\\\":\\\"a\\\",\\\"qty\\\":1}\"",
    NULL,
};

static const char *const inside_of_another[] = {
    "{\"event\":{\"id\":\"a\",\"qty\":1}}",
    "{\"id\":{\"id\":\"a\",\"qty\":1},\"qty\":{\"id\":\"a\",\"qty\":1}}",
    "{\"id\":{\"id\":\"a\"},\"qty\":{\"qty\":1}}",
    "{\"id\":[\"a\"],\"qty\":[1]}",
    "{\"0\":{\"id\":\"a\",\"qty\":1},\"1\":{\"id\":\"b\",\"qty\":2}}",
    NULL,
};

static const char *const odd_values[] = { "NULL", "array", NULL };

CHECK(validate, whatever_is_no_event_is_refused_NULL_included, "validate.4")
{
    struct puppet *worker = puppet_start();

    expect_each(worker, no_object, invalid);
    expect_each(worker, inside_of_another, invalid);
    expect_each_odd_refused(worker, odd_values, an_event());
}
