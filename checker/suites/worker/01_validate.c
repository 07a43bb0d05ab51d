/* Step 1: steps/worker/01-validate.md; the id's characters and the copy are in files of their own */
#include "base.h"
#include "worker_calls.h"

#include <stdlib.h>

/* One puppet is shown each text in turn; the list ends with NULL. */
static void expect_each(const char *const *texts, struct outcome outcome)
{
    struct puppet *worker = puppet_start();

    for (; *texts; texts++) {
        expect_outcome(call_validate(worker, spec_text(*texts), NULL), outcome);
        stage_forget();
    }
}

static void expect_refused(const char *const *texts)
{
    expect_each(texts, outcome_of(OUTCOME_INVALID, 0));
}

static void expect_accepted(const char *const *texts)
{
    expect_each(texts, outcome_value(1));
}

/* The same for numbers, each as the qty of an event. */
static void expect_each_qty(const char *const *numbers, struct outcome outcome)
{
    struct puppet *worker = puppet_start();

    for (; *numbers; numbers++) {
        auto_free char *text = xprintf("{\"id\":\"%s\",\"qty\":%s}", an_event().id, *numbers);

        expect_outcome(call_validate(worker, spec_text(text), NULL), outcome);
        stage_forget();
    }
}

static void expect_refused_odd(const char *const *names, struct event event)
{
    struct puppet *worker = puppet_start();

    for (; *names; names++) {
        expect_outcome(call_validate(worker, spec_odd(*names, event), NULL),
                       outcome_of(OUTCOME_INVALID, 0));
        stage_forget();
    }
}

CHECK(validate, the_two_members_are_accepted_in_either_order, "validate.1")
{
    static const char *const texts[] = {
        "{\"id\":\"a-1\",\"qty\":7}",
        "{\"qty\":7,\"id\":\"a-1\"}",
        " {\n\t\"qty\" : 7 ,\r\n \"id\" : \"a-1\" }\n",
        "{\"\\u0069d\":\"\\u0061-1\",\"q\\u0074y\":7}",
        NULL,
    };

    expect_accepted(texts);
}

CHECK(validate, an_object_with_a_further_member_is_refused, "validate.1")
{
    static const char *const texts[] = {
        "{\"id\":\"a\",\"qty\":1,\"x\":1}",
        "{\"id\":\"a\",\"x\":1,\"qty\":1}",
        "{\"x\":1,\"id\":\"a\",\"qty\":1}",
        "{\"qty\":1,\"x\":null,\"id\":\"a\"}",
        "{\"id\":\"a\",\"qty\":1,\"\":null}",
        "{\"id\":\"a\",\"qty\":1,\"sent\":0}",
        "{\"seq\":1,\"id\":\"a\",\"qty\":1}",
        "{\"id\":\"a\",\"qty\":1,\"note\":{\"id\":\"a\",\"qty\":1}}",
        "{\"id\":\"a\",\"qty\":1,\"x\":[],\"y\":{}}",
        "{\"id\":\"a\",\"ID\":\"a\",\"qty\":1}",
        "{\"id\":\"a\",\"qty\":1,\"Qty\":1}",
        "{\"id\":\"a\",\"qty\":1,\"id \":\"a\"}",
        NULL,
    };

    expect_refused(texts);
}

CHECK(validate, an_object_that_lacks_a_member_is_refused, "validate.1")
{
    static const char *const texts[] = {
        "{}",
        "{\"id\":\"a\"}",
        "{\"qty\":1}",
        "{\"id\":\"a\",\"x\":1}",
        "{\"x\":\"a\",\"qty\":1}",
        "{\"id\":\"a\",\"x\":null}",
        "{\"id\":\"a\",\"id2\":1}",
        "{\"qty\":1,\"qty2\":\"a\"}",
        "{\"\":\"a\",\"qty\":1}",
        "{\"id\":\"a\",\"\":1}",
        "{\"a\":\"id\",\"1\":\"qty\"}",
        "{\"name\":\"a\",\"count\":1}",
        "{\"i\":\"a\",\"qty\":1}",
        "{\"id\":\"a\",\"qt\":1}",
        "{\"idd\":\"a\",\"qty\":1}",
        "{\"id\":\"a\",\"qtyy\":1}",
        "{\"id\":\"a\",\"quantity\":1}",
        "{\"di\":\"a\",\"ytq\":1}",
        NULL,
    };

    expect_refused(texts);
}

CHECK(validate, an_object_with_a_member_twice_is_refused, "validate.1")
{
    static const char *const texts[] = {
        "{\"id\":\"a\",\"id\":\"a\"}",
        "{\"qty\":1,\"qty\":1}",
        "{\"id\":\"a\",\"id\":\"b\"}",
        "{\"id\":\"a\",\"qty\":1,\"id\":\"a\"}",
        "{\"id\":\"a\",\"qty\":1,\"qty\":1}",
        "{\"id\":\"a\",\"id\":\"b\",\"qty\":1}",
        "{\"qty\":1,\"qty\":2,\"id\":\"a\"}",
        "{\"id\":\"a\",\"qty\":1,\"id\":null}",
        "{\"id\":\"a\",\"qty\":1,\"id\":\"a\",\"qty\":1}",
        NULL,
    };

    expect_refused(texts);
}

CHECK(validate, a_name_in_another_case_or_with_a_blank_is_refused, "validate.1")
{
    static const char *const texts[] = {
        "{\"ID\":\"a\",\"QTY\":1}",       "{\"ID\":\"a\",\"qty\":1}",
        "{\"Id\":\"a\",\"qty\":1}",       "{\"iD\":\"a\",\"qty\":1}",
        "{\"id\":\"a\",\"Qty\":1}",       "{\"id\":\"a\",\"QTY\":1}",
        "{\"id\":\"a\",\"qtY\":1}",       "{\"qTy\":1,\"id\":\"a\"}",
        "{\" id\":\"a\",\"qty\":1}",      "{\"id \":\"a\",\"qty\":1}",
        "{\"id\":\"a\",\" qty\":1}",      "{\"id\":\"a\",\"qty \":1}",
        "{\"id\\n\":\"a\",\"qty\":1}",    "{\"id\":\"a\",\"qty\\t\":1}",
        "{\"\\u0131d\":\"a\",\"qty\":1}", NULL,
    };

    expect_refused(texts);
}

CHECK(validate, a_whole_qty_from_one_to_a_thousand_is_accepted, "validate.3")
{
    auto_free char *drawn = xprintf("%d", an_event().qty);
    const char *const numbers[] = { "1",     "2",        "9",      "10",   "127", "128",    "255",
                                    "256",   "257",      "499",    "500",  "512", "999",    "1000",
                                    drawn,   "1.0",      "1e0",    "1E+0", "1e3", "1000.0", "0.1e1",
                                    "100e1", "10000e-1", "2.50e2", NULL };

    expect_each_qty(numbers, outcome_value(1));
}

CHECK(validate, a_qty_below_one_or_above_a_thousand_is_refused, "validate.3")
{
    static const char *const numbers[] = { "0",    "-0",   "-1",   "-2",    "-1000", "1001", "1002",
                                           "1024", "1500", "9999", "10000", "0.0",   "1e4",  NULL };

    expect_each_qty(numbers, outcome_of(OUTCOME_INVALID, 0));
}

CHECK(validate, a_qty_with_a_fraction_is_refused, "validate.3")
{
    static const char *const numbers[] = { "0.5",
                                           "0.999999",
                                           "1.5",
                                           "1.000001",
                                           "2.25",
                                           "3.9999999999",
                                           "500.5",
                                           "999.5",
                                           "999.999999",
                                           "1000.5",
                                           "1000.000001",
                                           "-0.5",
                                           "-1.5",
                                           "1e-300",
                                           "1.0000000000000002",
                                           "1000.0000000000001",
                                           "15e-1",
                                           NULL };

    expect_each_qty(numbers, outcome_of(OUTCOME_INVALID, 0));
}

/* Many of them are 1, or something else that is allowed, in fewer bits. */
CHECK(validate, a_qty_beyond_the_integers_of_the_machine_is_refused, "validate.3")
{
    static const char *const numbers[] = { "65537",
                                           "-65535",
                                           "2147483647",
                                           "2147483648",
                                           "-2147483648",
                                           "4294967296",
                                           "4294967297",
                                           "-4294967295",
                                           "10000000000",
                                           "1e10",
                                           "9007199254740993",
                                           "9223372036854775808",
                                           "18446744073709551617",
                                           "1e100",
                                           "1.7e308",
                                           "1e400",
                                           "-1e400",
                                           NULL };

    expect_each_qty(numbers, outcome_of(OUTCOME_INVALID, 0));
}

CHECK(validate, a_qty_that_is_no_number_is_refused, "validate.3")
{
    static const char *const values[] = { "true",  "false", "null",    "\"1\"",    "\"\"",
                                          "\"7\"", "[]",    "[1]",     "{}",       "{\"qty\":1}",
                                          "\"a\"", "[1,1]", "\"1.0\"", "\"true\"", NULL };

    expect_each_qty(values, outcome_of(OUTCOME_INVALID, 0));
}

CHECK(validate, a_qty_that_no_text_can_spell_is_refused, "validate.3")
{
    static const char *const names[] = { "NaN", "infinite", "true", NULL };
    struct event event = an_event();

    expect_refused_odd(names, event);
    event.qty = -event.qty;
    expect_refused_odd(names, event);
}

CHECK(validate, a_value_that_is_no_object_is_refused, "validate.4")
{
    static const char *const texts[] = {
        "null",
        "true",
        "false",
        "0",
        "1",
        "1.5",
        "\"\"",
        "\"id\"",
        "\"{}\"",
        "[]",
        "[1]",
        "[\"id\",\"qty\"]",
        "[\"a\",1]",
        "[{\"id\":\"a\",\"qty\":1}]",
        "[{\"id\":\"a\"},{\"qty\":1}]",
        "[[\"id\",\"a\"],[\"qty\",1]]",
        "\"{\\\"id\\\":\\\"a\\\",\\\"qty\\\":1}\"",
        NULL,
    };

    expect_refused(texts);
}

CHECK(validate, an_event_inside_of_another_value_is_refused, "validate.4")
{
    static const char *const texts[] = {
        "{\"event\":{\"id\":\"a\",\"qty\":1}}",
        "{\"id\":{\"id\":\"a\",\"qty\":1},\"qty\":{\"id\":\"a\",\"qty\":1}}",
        "{\"id\":{\"id\":\"a\"},\"qty\":{\"qty\":1}}",
        "{\"id\":[\"a\"],\"qty\":[1]}",
        "{\"0\":{\"id\":\"a\",\"qty\":1},\"1\":{\"id\":\"b\",\"qty\":2}}",
        NULL,
    };

    expect_refused(texts);
}

CHECK(validate, NULL_and_an_array_of_the_right_members_are_refused, "validate.4")
{
    static const char *const names[] = { "NULL", "array", NULL };

    expect_refused_odd(names, an_event());
}
