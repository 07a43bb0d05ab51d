/* worker_once.c - see worker_once.h */
#include "worker_once.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>

static char *source_with_unsent(const struct event *events, int count)
{
    auto_free char *sent = xmalloc((size_t)count + 1);

    memset(sent, '0', (size_t)count);
    return source_with(events, count, sent);
}

const struct once once_enqueue = {
    .function = "enqueue",
    .store = "source",
    .points = { "after-order", "after-outbox", "after-commit" },
    .make = source_make_as,
    .rows = source_rows,
    .exact = source_rows_exact,
    .with = source_with_unsent,
    .fill = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)"
            " INSERT INTO orders SELECT 'old-' || n, (n - 1) % 1000 + 1 FROM n;"
            "INSERT INTO outbox (id, qty, sent) SELECT id, qty, 0 FROM orders"
            " WHERE id LIKE 'old-%' ORDER BY rowid;",
    .take = "INSERT INTO orders VALUES ('%s', %d);"
            "INSERT INTO outbox (id, qty, sent) SELECT id, qty, 0 FROM orders ORDER BY rowid DESC "
            "LIMIT 1;",
    .look = "SELECT (SELECT count(*) FROM orders WHERE id = e.id AND qty = e.qty),"
            " (SELECT count(*) FROM outbox WHERE id = e.id AND qty = e.qty AND sent = 0)"
            " FROM (SELECT '%s' AS id, %d AS qty) e",
};

const struct once once_receive = {
    .function = "receive",
    .store = "sink",
    .points = { "after-inbox", "after-total", "after-commit" },
    .make = sink_make_as,
    .rows = sink_rows,
    .exact = sink_rows,
    .with = sink_with,
    .fill = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)"
            " INSERT INTO inbox SELECT 'old-' || n, (n - 1) % 1000 + 1 FROM n;"
            "UPDATE stock SET total = (SELECT sum(qty) FROM inbox);",
    .take = "INSERT INTO inbox VALUES ('%s', %d);"
            "UPDATE stock SET total = (SELECT sum(qty) FROM inbox);",
    .look = "SELECT (SELECT count(*) FROM inbox WHERE id = e.id AND qty = e.qty),"
            " (SELECT count(*) FROM stock WHERE total = e.qty)"
            " FROM (SELECT '%s' AS id, %d AS qty) e",
};

struct answer call_once(const struct once *once, struct puppet *worker, cJSON *event,
                        const struct how *how)
{
    begin_with_event(worker, once->function, event, how);
    return call_finish(worker, how ? &how->directions : NULL);
}

char *once_sql(const char *text, struct event event)
{
    const char *id = strstr(text, "%s");
    const char *qty = strstr(text, "%d");

    return xprintf("%.*s%s%.*s%d%s", (int)(id - text), text, event.id, (int)(qty - id) - 2, id + 2,
                   event.qty, qty + 2);
}

struct puppet *once_start(const struct once *once, int busy_timeout_ms)
{
    once->make(once->store);
    return worker_at(once->store, busy_timeout_ms);
}

const char *once_open_log(const struct once *once, struct puppet *worker, int busy_timeout_ms)
{
    once->make("log");
    store_make("log", "PRAGMA journal_mode = WAL");
    stage_forget();
    stage_did("(a store with a log: in WAL mode)");
    worker_open(worker, "log", busy_timeout_ms);
    return "log";
}

char *once_points(const struct once *once, int count)
{
    struct text text = { 0 };

    text_add(&text, "%s", "");
    for (int i = 0; i < count; i++)
        text_add(&text, "%s%s", i ? " " : "", once->points[i]);
    return text.data;
}

/* What the calls come to is for other checks to say. */
void once_repeat(const struct once *once)
{
    struct event known = event_of("known", 300);
    struct puppet *worker = once_start(once, 50);
    struct reply_at reply = { once->points[1], { OUTCOME_FAULT, 7 } };
    struct how failing = moment_reply(&reply);
    struct how how = { .times = 30 };

    failing.times = 30;
    call_once(once, worker, spec_of(known), NULL);
    call_once(once, worker, spec_of(known), &how);
    call_once(once, worker, spec_of(other_qty(known)), &how);
    call_once(once, worker, spec_of(event_of("", 300)), &how);
    call_once(once, worker, spec_of(an_event()), &failing);
    stage_held();
}

void once_expect_no_change(const struct once *once, struct puppet *worker, struct event event,
                           struct outcome expected)
{
    char *before = once->exact(once->store);
    struct answer answer = call_once(once, worker, spec_of(event), NULL);

    expect_outcome(answer, expected);
    expect_points(answer, "");
    expect_same("rows, unchanged", once->exact(once->store), before);
}
