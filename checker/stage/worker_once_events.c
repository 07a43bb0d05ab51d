/* worker_once_events.c - events that are none, look alike or are oddly built; worker_once.h */
#include "worker_once.h"

#include "worker_setting.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const no_events[] = {
    "{\"id\":\"\",\"qty\":1}",
    "{\"id\":\"a b\",\"qty\":1}",
    "{\"id\":\"a';--\",\"qty\":1}",
    "{\"id\":\"known\",\"qty\":0}",
    "{\"id\":\"known\",\"qty\":1001}",
    "{\"id\":\"known\",\"qty\":7.5}",
    "{\"id\":\"known\",\"qty\":true}",
    "{\"id\":\"known\",\"qty\":\"7\"}",
    "{\"id\":\"known\",\"qty\":-7}",
    "{\"id\":\"known\",\"qty\":4294967303}",
    "{\"id\":\"known\",\"QTY\":7}",
    "{\"id\":\"known\",\"qty\":7,\"x\":1}",
    "{\"id\":\"known\"}",
    "{\"qty\":7}",
    "{\"id\":7,\"qty\":7}",
    "{\"id\":\"known\",\"qty\":7,\"qty\":7}",
    "[\"known\",7]",
    "null",
    "{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"qty\":1}",
};

static void expect_refusal(const struct once *once, struct puppet *worker, cJSON *spec)
{
    struct outcome invalid = outcome_of(OUTCOME_INVALID, 0);
    struct how no_hook = { .no_hook = true };
    cJSON *same = cJSON_Duplicate(spec, true);
    struct answer answer = call_once(once, worker, spec, NULL);

    expect_outcome(answer, invalid);
    expect_outcome(call_once(once, worker, same, &no_hook), invalid);
    expect_points(answer, "");
    stage_forget();
}

static void refuse_at_once(const struct once *once, struct puppet *worker, struct holder *holder,
                           const char *lock)
{
    struct how how = moment_held(holder, once->store, lock, stage_ms(400));

    for (size_t i = 0; i < COUNT(no_events); i += 5) {
        struct answer answer = call_once(once, worker, spec_text(no_events[i]), &how);

        expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
        expect(!holder->released, "an answer at once, though another process holds the lock",
               "it came only after the lock was released, %lld ms later", (long long)answer.ms);
    }
    hand_do(holder->hand, "ROLLBACK");
}

void once_refuse_what_is_no_event(const struct once *once)
{
    struct holder holder = { 0 };
    struct how no_hook = { .no_hook = true };
    struct puppet *worker = once_start(once, 60000);
    const struct event taken[] = {
        event_of("known", 7),
        event_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1),
        event_of("-", 1000),
        event_of("_", 1),
    };

    for (size_t i = 0; i < COUNT(taken); i++)
        expect_outcome(call_once(once, worker, spec_of(taken[i]), &no_hook), outcome_value(1));
    for (size_t i = 0; i < COUNT(no_events); i++)
        expect_refusal(once, worker, spec_text(no_events[i]));
    expect_refusal(once, worker, spec_odd("NULL", taken[0]));
    expect_refusal(once, worker, spec_odd("NaN", taken[0]));
    expect_refusal(once, worker, spec_odd("array", taken[0]));
    refuse_at_once(once, worker, &holder, "BEGIN IMMEDIATE");
    refuse_at_once(once, worker, &holder, "BEGIN EXCLUSIVE");
    expect_same("rows of what was valid", once->rows(once->store), once->with(taken, COUNT(taken)));
}

/* In an empty store: new, then known, then a conflict; and what is no event stays none. */
static void know_in(const struct once *once, struct puppet *worker, const char *store)
{
    struct how how = { .on = store };
    struct event event = event_of("wide", 300);

    expect_outcome(call_once(once, worker, spec_of(event), &how), outcome_value(1));
    expect_outcome(call_once(once, worker, spec_of(event), &how), outcome_value(0));
    expect_outcome(call_once(once, worker, spec_of(other_qty(event)), &how),
                   outcome_of(OUTCOME_CONFLICT, 0));
    expect_outcome(call_once(once, worker, spec_of(event_of("", 300)), &how),
                   outcome_of(OUTCOME_INVALID, 0));
    expect_same("rows", once->rows(store), once->with(&event, 1));
}

void once_know_in_other_stores(const struct once *once, struct puppet *worker)
{
    store_make("wide", STORE_UTF16);
    once->make("wide");
    worker_open(worker, "wide", 50);
    stage_did("(a store with PRAGMA encoding = 'UTF-16')");
    know_in(once, worker, "wide");
    know_in(once, worker, once_open_log(once, worker, 50));
}

void once_know_with_extended_codes(const struct once *once, struct puppet *worker,
                                   struct event event)
{
    setting_extended_codes(worker, once->store);
    once_expect_no_change(once, worker, event, outcome_value(0));
    once_expect_no_change(once, worker, other_qty(event), outcome_of(OUTCOME_CONFLICT, 0));
    expect_outcome(call_once(once, worker, spec_of(an_event()), NULL), outcome_value(1));
}

void once_know_among_many(const struct once *once, struct puppet *worker, struct event first)
{
    struct event new = an_event();

    stage_did("(another process: 1200 more, from old-1, qty 1, to old-1200, qty 200)");
    hand_do(hand_open(once->store), once->fill);
    once_expect_no_change(once, worker, first, outcome_value(0));
    expect_outcome(call_once(once, worker, spec_of(new), NULL), outcome_value(1));
    once_expect_no_change(once, worker, first, outcome_value(0));
    expect_outcome(call_once(once, worker, spec_of(event_of("old-1", 1)), NULL), outcome_value(0));
    expect_outcome(call_once(once, worker, spec_of(event_of("old-1200", 200)), NULL),
                   outcome_value(0));
    expect_outcome(call_once(once, worker, spec_of(new), NULL), outcome_value(0));
}

void once_tell_ids_apart(const struct once *once)
{
    static const char *const ids[] = {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac",
        "Order",
        "order",
        "ORDER",
        "order_1",
        "orderx1",
        "order-1",
        "7",
        "007",
        "07",
        "-7",
        "1000",
        "1e3",
        "0x10",
        "16",
        "a",
        "aa",
        "_",
        "__",
        "-",
        "--",
        "NULL",
        "null",
        "rowid",
    };
    struct how no_hook = { .no_hook = true };
    struct puppet *worker = once_start(once, 50);
    struct event taken[COUNT(ids)];

    for (size_t i = 0; i < COUNT(ids); i++) {
        taken[i] = event_of(ids[i], 5);
        expect_outcome(call_once(once, worker, spec_of(taken[i]), &no_hook), outcome_value(1));
    }
    expect_same("rows", once->rows(once->store), once->with(taken, COUNT(ids)));
    for (size_t i = 0; i < COUNT(ids); i += 4)
        expect_outcome(call_once(once, worker, spec_of(taken[i]), &no_hook), outcome_value(0));
}

void once_take_any_spelling(const struct once *once)
{
    struct how no_hook = { .no_hook = true };
    struct puppet *worker = once_start(once, 50);
    struct event taken[] = { event_of("swapped", 5), event_of("point", 1000),
                             event_of("power", 300), event_of("constant", 17),
                             event_of("borrowed", 1) };
    cJSON *specs[] = {
        spec_text(" { \"qty\" : 5, \"id\" : \"swapped\" } "),
        spec_text("{\"id\":\"\\u0070oint\",\"qty\":1000.0}"),
        spec_text("{\"id\":\"power\",\"qty\":3e2}"),
        spec_odd("constant names", taken[3]),
        spec_odd("reference", taken[4]),
    };

    for (size_t i = 0; i < COUNT(taken); i++)
        expect_outcome(call_once(once, worker, specs[i], &no_hook), outcome_value(1));
    expect_same("rows", once->rows(once->store), once->with(taken, COUNT(taken)));
}
