/* Step 4: steps/worker/04-pending.md, what a batch holds, and what reading leaves alone */
#include "base.h"
#include "worker_calls.h"

#include <limits.h>
#include <stdlib.h>

#define ROWS_MAX 30

static const char none_sent[] = "000000000000000000000000000000";
static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static const struct event by_no_rule[] = { { "z", 3 },  { "a", 900 },  { "m", 1 },
                                           { "Z", 40 }, { "9", 40 },   { "10", 41 },
                                           { "_", 2 },  { "-", 1000 }, { "B", 7 } };

static void draw(struct event *events, int count)
{
    for (int i = 0; i < count; i++)
        events[i] = an_event();
}

/* A source of that name with an order and an outbox row for each; sent is a digit per event. */
static void fill(const char *store, const struct event *events, int count, const char *sent)
{
    source_make_as(store);
    source_put_all(store, events, count, sent);
}

static void change(const char *store, const char *sql)
{
    stage_did("(in the store %s: %s)", store, sql);
    store_make(store, sql);
}

/* The first count of the events come, where limit is asked for. */
static void expect_batch(struct puppet *worker, const char *store, int limit,
                         const struct event *events, int count)
{
    expect_events(call_pending(worker, limit, &(struct how){ .on = store }), events, count);
}

static void expect_none(struct puppet *worker, const char *store, int limit)
{
    struct answer answer = call_pending(worker, limit, &(struct how){ .on = store });

    expect_outcome(answer, outcome_value(0));
    expect_same("events", xstrdup(answer_text(answer, "events")), xstrdup("[]"));
}

static void expect_no_limit(struct puppet *worker, const char *store)
{
    static const int limits[] = { 0, -1, 17, 18, -3, -16, 255, 256, 257, 65537, INT_MAX, INT_MIN };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        expect_outcome(call_pending(worker, limits[i], &(struct how){ .on = store }),
                       outcome_of(OUTCOME_INVALID, 0));
}

static void expect_each_limit(struct puppet *worker, const char *store, const struct event *events)
{
    for (int limit = 1; limit <= 16; limit++) {
        struct answer answer = call_pending(worker, limit, &(struct how){ .on = store });

        expect_outcome(answer, outcome_value(limit));
        stage_proves("pending.2");
        expect_events(answer, events, limit);
        stage_proves("pending.1");
    }
}

CHECK(pending, each_limit_from_one_to_sixteen_is_taken_and_no_other, "pending.1")
{
    struct event events[20];
    struct puppet *worker = puppet_start();

    draw(events, 20);
    fill("twenty", events, 20, none_sent);
    source_make_as("empty");
    worker_open(worker, "twenty", 50);
    worker_open(worker, "empty", 50);

    expect_each_limit(worker, "twenty", events);
    expect_no_limit(worker, "twenty");
    expect_no_limit(worker, "empty");
    stage_did("(another process holds BEGIN EXCLUSIVE)");
    hand_do(hand_open("twenty"), "BEGIN EXCLUSIVE");
    expect_no_limit(worker, "twenty");
}

/* A source with that many orders, sent as the digits say: so many of them, from first on, come. */
static void expect_size(struct puppet *worker, int rows, const char *sent, int limit, int first,
                        int count)
{
    struct event events[ROWS_MAX];
    auto_free char *store = xprintf("source%d-%d-%d", rows, limit, count);

    draw(events, rows);
    fill(store, events, rows, sent);
    worker_open(worker, store, 50);
    if (count)
        expect_batch(worker, store, limit, events + first, count);
    else
        expect_none(worker, store, limit);
    worker_close(worker, store);
    stage_forget();
}

CHECK(pending, a_batch_has_the_oldest_up_to_the_limit_and_may_be_empty, "pending.2")
{
    struct puppet *worker = puppet_start();

    expect_size(worker, 0, none_sent, 16, 0, 0);
    expect_size(worker, 1, none_sent, 16, 0, 1);
    expect_size(worker, 15, none_sent, 16, 0, 15);
    expect_size(worker, 24, none_sent, 16, 0, 16);
    expect_size(worker, 9, none_sent, 2, 0, 2);
}

static const char sent_before[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)"
    " INSERT INTO outbox (seq, id, qty, sent) SELECT -i, 'n' || i, 7, 1 FROM n;";

CHECK(pending, sent_events_are_left_out_and_do_not_count_against_the_limit, "pending.2")
{
    struct event events[8];
    struct puppet *worker = puppet_start();

    draw(events, 8);
    fill("source", events, 8, "10110101");
    worker_open(worker, "source", 50);

    expect_batch(worker, "source", 16, (struct event[]){ events[1], events[4], events[6] }, 3);
    expect_batch(worker, "source", 2, (struct event[]){ events[1], events[4] }, 2);
    fill("many", events + 1, 1, "0");
    change("many", sent_before);
    worker_open(worker, "many", 50);
    expect_batch(worker, "many", 16, events + 1, 1);
    expect_size(worker, 30, "111111111111111111111111100000", 16, 25, 5);
    expect_size(worker, 30, "111111111111111111111111100000", 2, 25, 2);
    expect_size(worker, 3, "111", 1, 0, 0);
}

static void put_at(struct text *sql, const char *seq, struct event event)
{
    text_add(sql,
             "INSERT INTO orders VALUES ('%s', %d); INSERT INTO outbox VALUES (%s, '%s', %d, 0);",
             event.id, event.qty, seq, event.id, event.qty);
}

/* Recorded in another order than that of their seq. */
static void fill_with_gaps(const char *store, const struct event *events)
{
    struct text sql = { 0 };

    source_make_as(store);
    put_at(&sql, "9223372036854775806", events[8]);
    put_at(&sql, "10", events[4]);
    put_at(&sql, "4294967297", events[7]);
    put_at(&sql, "0", events[1]);
    put_at(&sql, "2", events[2]);
    put_at(&sql, "2147483648", events[6]);
    put_at(&sql, "9", events[3]);
    put_at(&sql, "-5", events[0]);
    put_at(&sql, "100", events[5]);
    change(store, sql.data);
    text_free(&sql);
}

static const char newest_order_first[] =
    "DELETE FROM orders; INSERT INTO orders SELECT id, qty FROM outbox ORDER BY seq DESC;";

CHECK(pending, events_come_in_ascending_seq_whatever_their_ids, "pending.2")
{
    struct puppet *worker = puppet_start();

    fill("source", by_no_rule, 9, none_sent);
    fill("turned", by_no_rule, 9, none_sent);
    change("turned", newest_order_first);
    fill_with_gaps("gaps", by_no_rule);
    worker_open(worker, "source", 50);
    worker_open(worker, "turned", 50);
    worker_open(worker, "gaps", 50);
    free(puppet_rows(worker, "turned", "PRAGMA reverse_unordered_selects = ON"));

    expect_batch(worker, "source", 16, by_no_rule, 9);
    expect_batch(worker, "source", 2, by_no_rule, 2);
    expect_batch(worker, "turned", 16, by_no_rule, 9);
    expect_batch(worker, "gaps", 16, by_no_rule, 9);
    expect_batch(worker, "gaps", 3, by_no_rule, 3);
}

static void expect_order_with(struct puppet *worker, const char *name, const char *sql)
{
    struct event unsent[] = { by_no_rule[0], by_no_rule[2], by_no_rule[3], by_no_rule[5] };

    fill(name, by_no_rule, 6, "010010");
    change(name, sql);
    worker_open(worker, name, 50);
    expect_batch(worker, name, 16, unsent, 4);
    expect_batch(worker, name, 2, unsent, 2);
    worker_close(worker, name);
    stage_forget();
}

CHECK(pending, an_index_that_has_all_columns_does_not_change_the_order, "pending.2")
{
    struct puppet *worker = puppet_start();

    expect_order_with(worker, "by-id", "CREATE INDEX i ON outbox (sent, id, qty)");
    expect_order_with(worker, "by-qty", "CREATE INDEX i ON outbox (sent, qty, id); ANALYZE");
    expect_order_with(worker, "by-falling-seq",
                      "CREATE INDEX i ON outbox (sent, seq DESC, id, qty)");
    expect_order_with(worker, "of-the-unsent", "CREATE INDEX i ON outbox (qty, id) WHERE sent = 0");
}

/* Ids of 62 to 64 characters, alike but for the end. */
static void draw_long(struct event *events)
{
    static const char *const formats[] = { "%sx", "%sX", "%s", "%.62s" };

    for (int i = 0; i < 4; i++) {
        events[i].qty = 7;
        snprintf(events[i].id, sizeof events[i].id, formats[i], alphabet);
    }
}

static const struct event odd_rows[] = {
    { "a", 1 },    { "A", 1 },    { "b", 1000 }, { "c", 255 },
    { "d", 256 },  { "e", 257 },  { "007", 7 },  { "1e3", 1 },
    { "-1", 2 },   { "0", 3 },    { "00", 11 },  { "null", 4 },
    { "true", 5 }, { "NULL", 6 }, { "id", 7 },   { "9007199254740993", 10 },
};

static const char other_orders[] = "UPDATE orders SET qty = 30 WHERE id = 'z';"
                                   "DELETE FROM orders WHERE id = 'a';"
                                   "INSERT INTO orders VALUES ('no-row-in-the-outbox', 6);";

CHECK(pending, an_event_has_exactly_the_id_and_the_qty_of_its_outbox_row, "pending.3")
{
    struct event long_ones[4] = { 0 };
    struct puppet *worker = puppet_start();

    draw_long(long_ones);
    fill("odd", odd_rows, 16, none_sent);
    store_make("wide", STORE_UTF16);
    fill("wide", odd_rows, 16, none_sent);
    fill("long", long_ones, 4, none_sent);
    fill("differs", by_no_rule, 9, none_sent);
    change("differs", other_orders);
    worker_open(worker, "odd", 50);
    worker_open(worker, "wide", 50);
    worker_open(worker, "long", 50);
    worker_open(worker, "differs", 50);

    expect_batch(worker, "odd", 16, odd_rows, 16);
    expect_batch(worker, "long", 16, long_ones, 4);
    expect_batch(worker, "differs", 16, by_no_rule, 9);
    stage_did("(then in a store with PRAGMA encoding = 'UTF-16')");
    expect_batch(worker, "wide", 16, odd_rows, 16);
}

CHECK(pending, no_row_changes_by_being_read_and_the_same_is_read_again, "pending.4")
{
    struct event events[] = { an_event(), an_event(), an_event() };
    struct puppet *worker = puppet_start();
    char *before;

    fill("source", events, 3, "100");
    before = source_rows_exact("source");
    worker_open(worker, "source", 50);
    expect_batch(worker, "source", 1, events + 1, 1);
    expect_batch(worker, "source", 1, events + 1, 1);
    expect_batch(worker, "source", 16, events + 1, 2);
    expect_batch(worker, "source", 16, events + 1, 2);
    expect_outcome(call_pending(worker, 17, NULL), outcome_of(OUTCOME_INVALID, 0));

    expect_same("rows", source_rows_exact("source"), before);
}
