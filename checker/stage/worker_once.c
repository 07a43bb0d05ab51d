/* worker_once.c - see worker_once.h */
#include "worker_once.h"

#include "base.h"

#include <sqlite3.h>
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
    .with = source_with_unsent,
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
    .with = sink_with,
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

static struct outcome reply_at(void *context, struct stop *stop)
{
    const struct reply_at *reply = context;

    if (stop->kind == STOP_FAULT && (!reply->point || strcmp(stop->point, reply->point) == 0))
        return reply->reply;
    return call_go_on(stop);
}

struct how once_reply(struct reply_at *reply)
{
    return (struct how){ .directions = { .at = reply_at, .context = reply } };
}

char *once_points(const struct once *once, int count)
{
    struct text text = { 0 };

    text_add(&text, "%s", "");
    for (int i = 0; i < count; i++)
        text_add(&text, "%s%s", i ? " " : "", once->points[i]);
    return text.data;
}

/* Codes that mean something elsewhere in a worker are the ones that get lost. */
static const struct outcome failures[] = {
    { OUTCOME_FAULT, 7777 },  { OUTCOME_FAULT, 0 },    { OUTCOME_FAULT, 1 },
    { OUTCOME_FAULT, -1 },    { OUTCOME_SQLITE, 5 },   { OUTCOME_SQLITE, 19 },
    { OUTCOME_SQLITE, 1555 }, { OUTCOME_SQLITE, 101 }, { OUTCOME_CURL, 28 },
    { OUTCOME_HTTP, 404 },    { OUTCOME_INVALID, 0 },  { OUTCOME_CONFLICT, 0 },
    { OUTCOME_DELIVERY, 0 },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void once_fail_at(const struct once *once, int point)
{
    struct puppet *worker = once_start(once, 50);
    auto_free char *points = once_points(once, point + 1);
    bool stays = point == 2;
    struct event taken[COUNT(failures) + 1];
    int count = 0;

    for (size_t i = 0; i < COUNT(failures); i++) {
        struct event event = an_event();
        struct reply_at reply = { once->points[point], failures[i] };
        struct how how = once_reply(&reply);
        struct answer answer = call_once(once, worker, spec_of(event), &how);

        expect_outcome(answer, failures[i]);
        expect_points(answer, points);
        if (stays)
            taken[count++] = event;
        expect_same(stays ? "rows, which stay" : "rows, all undone", once->rows(once->store),
                    once->with(taken, count));
        if (i == 0) {
            expect_outcome(call_once(once, worker, spec_of(event), NULL), outcome_value(!stays));
            taken[0] = event;
            count = 1;
        }
        stage_forget();
    }
}

void once_go_on_at_any_value(const struct once *once)
{
    static const int codes[] = { 0, 1, 2, -1, 5, 19, 7777, -2147483647 - 1 };
    struct puppet *worker = once_start(once, 50);
    auto_free char *points = once_points(once, 3);
    struct event taken[COUNT(codes)];

    for (size_t i = 0; i < COUNT(codes); i++) {
        struct reply_at reply = { NULL, outcome_value(codes[i]) };
        struct how how = once_reply(&reply);
        struct answer answer;

        taken[i] = an_event();
        answer = call_once(once, worker, spec_of(taken[i]), &how);
        expect_outcome(answer, outcome_value(1));
        expect_points(answer, points);
    }
    expect_same("rows", once->rows(once->store), once->with(taken, COUNT(codes)));
}

void once_refused_by(const struct once *once, const char *when, const char *table, const char *how,
                     int points)
{
    auto_free char *triggers =
        xprintf("CREATE TRIGGER one %s INSERT ON %s BEGIN SELECT RAISE(%s, 'no'); END;"
                "CREATE TRIGGER two %s UPDATE ON %s BEGIN SELECT RAISE(%s, 'no'); END",
                when, table, how, when, table, how);
    auto_free char *reached = once_points(once, points);
    struct puppet *worker = once_start(once, 50);
    struct puppet *hand = hand_open(once->store);
    struct event event = an_event();
    struct answer answer;

    hand_do(hand, triggers);
    stage_did("(in the store: %s)", triggers);
    answer = call_once(once, worker, spec_of(event), NULL);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_points(answer, reached);
    expect_same("rows, all undone", once->rows(once->store), once->with(NULL, 0));
    hand_do(hand, "DROP TRIGGER one; DROP TRIGGER two");
    expect_outcome(call_once(once, worker, spec_of(event), NULL), outcome_value(1));
    expect_same("rows", once->rows(once->store), once->with(&event, 1));
}

void once_veto(const struct once *once, struct puppet *worker)
{
    cJSON *order = order_of("veto");

    cJSON_AddStringToObject(order, "on", once->store);
    cJSON_Delete(call_order(worker, order));
    stage_did("(every COMMIT on the connection is refused from now on)");
}
