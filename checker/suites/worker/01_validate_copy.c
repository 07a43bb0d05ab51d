/* Step 1: steps/worker/01-validate.md, the copy, and what a call leaves behind */
#include "base.h"
#include "worker_calls.h"

#include <stdlib.h>
#include <string.h>

static const struct outcome invalid = { OUTCOME_INVALID, 0 };

static void expect_copy(struct answer answer, const char *expected)
{
    const char *copy = answer_text(answer, "copy");

    expect_outcome(answer, outcome_value(1));
    expect(is_same_json(copy, expected), expected, "%s", copy);
}

static void expect_copy_of(struct puppet *worker, struct event event)
{
    auto_free char *text = xprintf("{\"id\":\"%s\",\"qty\":%d}", event.id, event.qty);

    expect_copy(call_validate(worker, spec_text(text), NULL), text);
    stage_forget();
}

static void expect_copy_of_odd(struct puppet *worker, const char *name)
{
    struct event event = an_event();
    auto_free char *text = xprintf("{\"id\":\"%s\",\"qty\":%d}", event.id, event.qty);

    expect_copy(call_validate(worker, spec_odd(name, event), NULL), text);
    stage_forget();
}

static void expect_copies(struct puppet *worker, const struct event *events, int count)
{
    for (int i = 0; i < count; i++)
        expect_copy_of(worker, events[i]);
}

/* A call whose copy the puppet does not free yet. */
static void keep_copy(struct puppet *worker, struct event event)
{
    cJSON *order = order_of("validate_event");

    cJSON_AddItemToObject(order, "event", spec_of(event));
    cJSON_AddTrueToObject(order, "keep");
    call_begin(worker, order, "validate_event(...), and the copy is kept");
    expect_outcome(call_finish(worker, NULL), outcome_value(1));
}

/* What the kept copy says now, after which it is freed. */
static void expect_kept_copy(struct puppet *worker, struct event event)
{
    auto_free char *expected = xprintf("{\"id\":\"%s\",\"qty\":%d}", event.id, event.qty);
    struct answer answer = { .result = call_order(worker, order_of("kept")) };
    const char *copy = answer_text(answer, "copy");

    expect(is_same_json(copy, expected), expected, "%s", copy);
}

/* One event is spelled in several ways. */
static void expect_copy_of_any_spelling(struct puppet *worker)
{
    const char *copy = "{\"id\":\"aB\",\"qty\":1000}";

    expect_copy(call_validate(worker, spec_text("{\"qty\":1e3,\"id\":\"aB\"}"), NULL), copy);
    expect_copy(call_validate(worker, spec_text(" {\"id\" : \"\\u0061B\",\"qty\":1000.0} "), NULL),
                copy);
}

CHECK(validate, a_valid_event_gives_a_copy_that_says_the_same_however_it_was_built, "validate.5")
{
    struct puppet *worker = puppet_start();
    const struct event events[] = {
        an_event(),
        event_of("a", 1),
        event_of("Z", 1000),
        event_of("AbC-dEf_09", 999),
        event_of("007", 7),
        event_of("1e5", 256),
        event_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 63),
        event_of("-_9876543210ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba", 64),
    };

    expect_copies(worker, events, 8);
    expect_copy_of_any_spelling(worker);
    expect_copy_of_odd(worker, "constant names");
    expect_copy_of_odd(worker, "reference");
    expect_copy_of_odd(worker, "neighbours in an array");
    expect_copy_of_odd(worker, "a name of its own");
    expect_copy_of_odd(worker, "borrowed members");
}

CHECK(validate, a_copy_outlives_the_calls_that_follow, "validate.5")
{
    struct puppet *worker = puppet_start();
    struct event event = an_event();

    keep_copy(worker, event);
    expect_copy_of(worker, an_event());
    expect_copy_of(worker, event);
    expect_outcome(call_validate(worker, spec_text("{}"), NULL), invalid);

    expect_kept_copy(worker, event);
}

static void expect_many(struct puppet *worker, cJSON *event, struct outcome outcome)
{
    const struct how often = { .times = 300 };

    expect_outcome(call_validate(worker, event, &often), outcome);
}

/* What grows over the many is a breach of common.3. */
CHECK(validate, a_call_remembers_nothing_and_many_take_no_memory, "common.7")
{
    struct puppet *worker = puppet_start();
    struct event event = an_event();

    expect_outcome(call_validate(worker, spec_of(event_of(event.id, 0)), NULL), invalid);
    expect_copy_of(worker, event);
    expect_copy_of(worker, other_qty(event));
    expect_outcome(call_validate(worker, spec_of(event_of(event.id, 1001)), NULL), invalid);
    expect_outcome(call_validate(worker, spec_odd("NULL", event), NULL), invalid);
    expect_outcome(call_validate(worker, spec_text("{\"id\":\"a\"}"), NULL), invalid);
    expect_outcome(call_validate(worker, spec_text("{\"qty\":1}"), NULL), invalid);
    expect_copy_of(worker, event);

    expect_many(worker, spec_of(an_event()), outcome_value(1));
    expect_many(worker, spec_text("{\"id\":\"\",\"qty\":1}"), invalid);
    expect_many(worker, spec_text("{\"id\":\"a\",\"qty\":1,\"x\":1}"), invalid);
}

/* A crash would be one, and what is left behind a breach of common.3. */
DEEP_CHECK(validate, no_memory_at_any_moment_is_no_crash_and_leaves_nothing, "common.3")
{
    struct puppet *worker = puppet_start();
    struct event event = an_event();
    struct how how = { 0 };

    for (bool more = true; more;) {
        how.memory_at++;
        more = call_validate(worker, spec_of(event), &how).operations >= how.memory_at;
    }
    expect(how.memory_at > 1, "a copy, which takes memory", "no memory was asked for");
}
