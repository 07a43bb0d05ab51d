/* Step 4: steps/worker/04-pending.md, the order of a batch */
#include "base.h"
#include "worker_calls.h"

#include <stdlib.h>

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

CHECK(pending, events_come_in_the_order_they_were_recorded_whatever_their_ids, "pending.2")
{
    struct event events[] = { event_of("z", 3),  event_of("a", 900),  event_of("m", 1),
                              event_of("Z", 40), event_of("9", 40),   event_of("10", 41),
                              event_of("_", 2),  event_of("-", 1000), event_of("B", 7) };
    struct puppet *worker;

    source_make();
    source_put_all("source", events, 9, none_sent);
    worker = worker_at("source", 50);

    expect_batch(worker, 16, events, 9);
    expect_batch(worker, 2, events, 2);
    expect_batch(worker, 1, events, 1);
}

CHECK(pending, the_oldest_come_and_not_the_newest, "pending.2")
{
    struct event events[24];
    struct puppet *worker;

    draw(events, 24);
    source_make();
    source_put_all("source", events, 24, none_sent);
    worker = worker_at("source", 50);

    expect_batch(worker, 2, events, 2);
    expect_batch(worker, 16, events, 16);
}

CHECK(pending, sent_events_are_left_out_wherever_they_stand, "pending.2")
{
    struct event events[8];
    struct puppet *worker;

    draw(events, 8);
    source_make();
    source_put_all("source", events, 8, "10110101");
    worker = worker_at("source", 50);

    expect_batch(worker, 16, (struct event[]){ events[1], events[4], events[6] }, 3);
    expect_batch(worker, 2, (struct event[]){ events[1], events[4] }, 2);
    expect_batch(worker, 1, &events[1], 1);
}

CHECK(pending, sent_events_do_not_count_against_the_limit, "pending.2")
{
    struct event events[30];
    struct puppet *worker;

    draw(events, 30);
    source_make();
    source_put_all("source", events, 30, "111111111111111111111111100000");
    worker = worker_at("source", 50);

    expect_batch(worker, 16, events + 25, 5);
    expect_batch(worker, 2, events + 25, 2);
}

static void put_at(const char *seq, struct event event)
{
    auto_free char *sql = xprintf("INSERT INTO orders VALUES ('%s', %d);"
                                  "INSERT INTO outbox VALUES (%s, '%s', %d, 0);",
                                  event.id, event.qty, seq, event.id, event.qty);

    stage_did("(in the store: seq %s, %s)", seq, event.id);
    store_make("source", sql);
}

CHECK(pending, gaps_and_any_height_of_seq_keep_the_order, "pending.2")
{
    struct event events[8];
    struct puppet *worker;

    draw(events, 8);
    source_make();
    put_at("9223372036854775806", events[7]);
    put_at("10", events[2]);
    put_at("4294967297", events[6]);
    put_at("2", events[0]);
    put_at("2147483648", events[5]);
    put_at("9", events[1]);
    put_at("1000", events[4]);
    put_at("100", events[3]);
    worker = worker_at("source", 50);

    expect_batch(worker, 16, events, 8);
    expect_batch(worker, 3, events, 3);
    expect_batch(worker, 7, events, 7);
}

static void expect_order_with(struct puppet *worker, const char *name, const char *sql)
{
    struct event events[] = { event_of("z", 9), event_of("m", 1), event_of("a", 500),
                              event_of("Q", 2), event_of("b", 3), event_of("c", 3) };
    struct event unsent[] = { events[0], events[2], events[3], events[5] };

    source_make_as(name);
    source_put_all(name, events, 6, "010010");
    stage_did("(in the store: %s)", sql);
    store_make(name, sql);
    worker_open(worker, name, 50);
    expect_batch_on(worker, name, 16, unsent, 4);
    expect_batch_on(worker, name, 2, unsent, 2);
    worker_close(worker, name);
    stage_forget();
}

CHECK(pending, an_index_that_has_all_columns_does_not_change_the_order, "pending.2")
{
    struct puppet *worker = puppet_start();

    expect_order_with(worker, "by-id", "CREATE INDEX i ON outbox (sent, id, qty)");
    expect_order_with(worker, "by-qty", "CREATE INDEX i ON outbox (sent, qty, id); ANALYZE");
    expect_order_with(worker, "by-id-alone", "CREATE INDEX i ON outbox (id, qty, sent)");
    expect_order_with(worker, "by-falling-id",
                      "CREATE INDEX i ON outbox (sent DESC, id DESC, qty)");
    expect_order_with(worker, "by-falling-seq",
                      "CREATE INDEX i ON outbox (sent, seq DESC, id, qty)");
    expect_order_with(worker, "of-the-unsent", "CREATE INDEX i ON outbox (qty, id) WHERE sent = 0");
}

CHECK(pending, a_connection_that_reads_backwards_does_not_change_the_order, "pending.2")
{
    struct event events[20];
    struct puppet *worker;

    draw(events, 20);
    source_make();
    source_put_all("source", events, 20, none_sent);
    worker = worker_at("source", 50);
    free(puppet_rows(worker, "source", "PRAGMA reverse_unordered_selects = ON"));

    expect_batch(worker, 16, events, 16);
}
