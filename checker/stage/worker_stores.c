/* worker_stores.c - the stores of Part 1, as the checker makes and reads them; worker_calls.h */
#include "worker_calls.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>

static const char source_tables[] =
    "CREATE TABLE orders (id TEXT PRIMARY KEY, qty INTEGER NOT NULL);"
    "CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " qty INTEGER NOT NULL, sent INTEGER NOT NULL CHECK(sent IN (0,1)));";

static const char sink_tables[] =
    "CREATE TABLE inbox (id TEXT PRIMARY KEY, qty INTEGER NOT NULL);"
    "CREATE TABLE stock (id INTEGER PRIMARY KEY CHECK(id=1), total INTEGER NOT NULL);"
    "INSERT INTO stock VALUES (1, 0);";

void source_make_as(const char *store)
{
    store_make(store, source_tables);
}

void sink_make_as(const char *store)
{
    store_make(store, sink_tables);
}

void source_make(void)
{
    source_make_as("source");
}

void sink_make(void)
{
    sink_make_as("sink");
}

void source_put(struct event event, int sent)
{
    auto_free char *sql = xprintf("INSERT INTO orders VALUES ('%s', %d);"
                                  "INSERT INTO outbox (id, qty, sent) VALUES ('%s', %d, %d);",
                                  event.id, event.qty, event.id, event.qty, sent);

    stage_did("(in the store: %s, qty %d, sent %d)", event.id, event.qty, sent);
    store_make("source", sql);
}

void source_put_all(const char *store, const struct event *events, int count, const char *sent)
{
    struct text sql = { 0 };

    text_add(&sql, "BEGIN;");
    for (int i = 0; i < count; i++)
        text_add(&sql,
                 "INSERT INTO orders VALUES ('%s', %d);"
                 "INSERT INTO outbox (id, qty, sent) VALUES ('%s', %d, %c);",
                 events[i].id, events[i].qty, events[i].id, events[i].qty, sent[i]);
    text_add(&sql, "COMMIT;");
    stage_did("(in the store %s: %d orders, sent: %.*s)", store, count, count, sent);
    store_make(store, sql.data);
    text_free(&sql);
}

void sink_put(struct event event)
{
    auto_free char *sql = xprintf("INSERT INTO inbox VALUES ('%s', %d);"
                                  "UPDATE stock SET total = total + %d;",
                                  event.id, event.qty, event.qty);

    stage_did("(in the store: %s, qty %d)", event.id, event.qty);
    store_make("sink", sql);
}

char *source_rows(const char *store)
{
    return store_rows(store, "SELECT 'orders:';"
                             "SELECT quote(id), quote(qty) FROM orders ORDER BY id;"
                             "SELECT 'outbox:';"
                             "SELECT quote(id), quote(qty), quote(sent) FROM outbox ORDER BY seq");
}

char *source_rows_exact(const char *store)
{
    return store_rows(store,
                      "SELECT 'orders:';"
                      "SELECT quote(id), quote(qty) FROM orders ORDER BY id;"
                      "SELECT 'outbox:';"
                      "SELECT seq, quote(id), quote(qty), quote(sent) FROM outbox ORDER BY seq");
}

char *sink_rows(const char *store)
{
    return store_rows(store, "SELECT 'inbox:';"
                             "SELECT quote(id), quote(qty) FROM inbox ORDER BY id;"
                             "SELECT 'stock:';"
                             "SELECT quote(id), quote(total) FROM stock ORDER BY id");
}

static int compare_ids(const void *one, const void *other)
{
    return strcmp(((const struct event *)one)->id, ((const struct event *)other)->id);
}

char *rows_by_id(const struct event *events, int count)
{
    size_t bytes = (size_t)count * sizeof *events;
    auto_free struct event *sorted = xmalloc(bytes);
    struct text text = { 0 };

    text_add(&text, "%s", "");
    if (count)
        memcpy(sorted, events, bytes);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_ids);
    for (int i = 0; i < count; i++)
        text_add(&text, "'%s'|%d\n", sorted[i].id, sorted[i].qty);
    return text.data;
}

char *source_with(const struct event *events, int count, const char *sent)
{
    auto_free char *orders = rows_by_id(events, count);
    struct text text = { 0 };

    text_add(&text, "orders:\n%soutbox:\n", orders);
    for (int i = 0; i < count; i++)
        text_add(&text, "'%s'|%d|%c\n", events[i].id, events[i].qty, sent[i]);
    return text.data;
}

char *sink_with(const struct event *events, int count)
{
    auto_free char *inbox = rows_by_id(events, count);
    struct text text = { 0 };
    long long total = 0;

    for (int i = 0; i < count; i++)
        total += events[i].qty;
    text_add(&text, "inbox:\n%sstock:\n1|%lld\n", inbox, total);
    return text.data;
}

void expect_that_events(struct answer answer, const struct event *events, int count)
{
    auto_free char *expected = events_text(events, count);
    const char *got = answer_text(answer, "events");

    expect_that_outcome(answer, outcome_value(count));
    expect_that(is_same_json(got, expected), expected, "%s", got);
}
