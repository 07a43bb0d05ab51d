/* Step 4: steps/worker/04-pending.md, which events and in which order */
#include "base.h"
#include "worker_calls.h"

#include <limits.h>
#include <stdlib.h>

#define ROWS_MAX 48

static const char none_sent[] = "000000000000000000000000000000000000000000000000";

static void draw(struct event *events, int count)
{
    for (int i = 0; i < count; i++)
        events[i] = an_event();
}

/* The first count of the events come, where limit is asked for. */
static void expect_batch_on(struct puppet *worker, const char *store, int limit,
                            const struct event *events, int count)
{
    expect_events(call_pending(worker, limit, &(struct how){ .on = store }), events, count);
}

static void expect_batch(struct puppet *worker, int limit, const struct event *events, int count)
{
    expect_batch_on(worker, "source", limit, events, count);
}

/* A source of its own with that many orders, none sent. */
static void expect_size(struct puppet *worker, int rows, int limit, int count)
{
    struct event events[ROWS_MAX];
    auto_free char *store = xprintf("source%d-%d", rows, limit);

    draw(events, rows);
    source_make_as(store);
    source_put_all(store, events, rows, none_sent);
    worker_open(worker, store, 50);
    expect_batch_on(worker, store, limit, events, count);
    worker_close(worker, store);
    stage_forget();
}

static void expect_no_limit(struct puppet *worker, const int *limits, int count)
{
    for (int i = 0; i < count; i++)
        expect_outcome(call_pending(worker, limits[i], NULL), outcome_of(OUTCOME_INVALID, 0));
}

CHECK(pending, a_limit_below_one_or_above_sixteen_is_refused, "pending.1")
{
    static const int limits[] = { 0,  -1,  17,  18,   -2,      -16,   -17,         32,
                                  64, 255, 256, 1000, INT_MAX, 65537, INT_MAX - 1, INT_MIN };
    struct event events[20];

    draw(events, 20);
    source_make();
    source_put_all("source", events, 20, none_sent);

    expect_no_limit(worker_at("source", 50), limits, sizeof limits / sizeof *limits);
}

CHECK(pending, a_bad_limit_is_refused_where_nothing_is_pending_too, "pending.1")
{
    static const int limits[] = { 0, -1, 17, INT_MAX, INT_MIN };

    source_make();

    expect_no_limit(worker_at("source", 50), limits, sizeof limits / sizeof *limits);
}

static void expect_each_limit(struct puppet *worker, const struct event *events)
{
    for (int limit = 1; limit <= 16; limit++)
        expect_batch(worker, limit, events, limit);
}

CHECK(pending, each_limit_from_one_to_sixteen_is_that_many_events, "pending.1")
{
    struct event events[17];

    draw(events, 17);
    source_make();
    source_put_all("source", events, 17, none_sent);

    expect_each_limit(worker_at("source", 50), events);
}

CHECK(pending, a_batch_has_as_many_events_as_there_are_up_to_the_limit, "pending.2")
{
    struct puppet *worker = puppet_start();

    expect_size(worker, 1, 16, 1);
    expect_size(worker, 7, 8, 7);
    expect_size(worker, 15, 16, 15);
    expect_size(worker, 16, 16, 16);
    expect_size(worker, 17, 16, 16);
}

CHECK(pending, an_outbox_without_rows_gives_an_empty_array, "pending.2")
{
    struct answer answer;

    source_make();
    answer = call_pending(worker_at("source", 50), 16, NULL);

    expect_outcome(answer, outcome_value(0));
    expect_same("events", xstrdup(answer_text(answer, "events")), xstrdup("[]"));
}

CHECK(pending, an_outbox_whose_rows_are_all_sent_gives_an_empty_array, "pending.2")
{
    struct event events[3];
    struct answer answer;

    draw(events, 3);
    source_make();
    source_put_all("source", events, 3, "111");
    answer = call_pending(worker_at("source", 50), 1, NULL);

    expect_outcome(answer, outcome_value(0));
    expect_same("events", xstrdup(answer_text(answer, "events")), xstrdup("[]"));
}
