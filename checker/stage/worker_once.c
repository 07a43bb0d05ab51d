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
    .exact = source_rows_exact,
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
    .exact = sink_rows,
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

char *once_points(const struct once *once, int count)
{
    struct text text = { 0 };

    text_add(&text, "%s", "");
    for (int i = 0; i < count; i++)
        text_add(&text, "%s%s", i ? " " : "", once->points[i]);
    return text.data;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void fail_at(const struct once *once, struct puppet *worker, int point, struct event event,
                    struct outcome failure)
{
    auto_free char *points = once_points(once, point + 1);
    struct reply_at reply = { once->points[point], failure };
    struct how how = moment_reply(&reply);
    struct answer answer = call_once(once, worker, spec_of(event), &how);

    expect_outcome(answer, failure);
    expect_points(answer, points);
}

void once_fail_before_the_commit(const struct once *once)
{
    struct puppet *worker = once_start(once, 50);
    struct event event = an_event();

    for (size_t i = 0; i < FAILURES; i++) {
        fail_at(once, worker, 0, event, failures[i]);
        fail_at(once, worker, 1, an_event(), failures[i]);
    }
    expect_same("rows, all undone", once->rows(once->store), once->with(NULL, 0));
    expect_outcome(call_once(once, worker, spec_of(event), NULL), outcome_value(1));
    expect_same("rows", once->rows(once->store), once->with(&event, 1));
}

void once_fail_after_the_commit(const struct once *once)
{
    struct puppet *worker = once_start(once, 50);
    struct event taken[FAILURES];

    for (size_t i = 0; i < FAILURES; i++) {
        taken[i] = an_event();
        fail_at(once, worker, 2, taken[i], failures[i]);
    }
    expect_same("rows, which stay", once->rows(once->store), once->with(taken, FAILURES));
    expect_outcome(call_once(once, worker, spec_of(taken[0]), NULL), outcome_value(0));
}

void once_go_on(const struct once *once)
{
    static const int codes[] = { 1, 2, -1, 5, 19, -2147483647 - 1 };
    struct how no_hook = { .no_hook = true };
    struct puppet *worker = once_start(once, 50);
    auto_free char *points = once_points(once, 3);
    struct event taken[COUNT(codes) + 1];
    struct event last = an_event();
    struct answer answer;

    for (size_t i = 0; i < COUNT(codes); i++) {
        struct reply_at reply = { NULL, outcome_value(codes[i]) };
        struct how how = moment_reply(&reply);

        taken[i] = an_event();
        answer = call_once(once, worker, spec_of(taken[i]), &how);
        expect_outcome(answer, outcome_value(1));
        expect_points(answer, points);
    }
    taken[COUNT(codes)] = last;
    answer = call_once(once, worker, spec_of(last), &no_hook);
    expect_outcome(answer, outcome_value(1));
    expect_points(answer, "");
    expect_outcome(call_once(once, worker, spec_of(last), &no_hook), outcome_value(0));
    expect_outcome(call_once(once, worker, spec_of(other_qty(last)), &no_hook),
                   outcome_of(OUTCOME_CONFLICT, 0));
    expect_same("rows", once->rows(once->store), once->with(taken, COUNT(taken)));
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

static void refused_by(const struct once *once, struct puppet *worker, struct puppet *hand,
                       struct refusal refusal)
{
    auto_free char *triggers =
        xprintf("CREATE TRIGGER one %s INSERT ON %s BEGIN SELECT RAISE(%s, 'no'); END;"
                "CREATE TRIGGER two %s UPDATE ON %s BEGIN SELECT RAISE(%s, 'no'); END",
                refusal.when, refusal.table, refusal.how, refusal.when, refusal.table, refusal.how);
    auto_free char *reached = once_points(once, refusal.points);
    struct how no_hook = { .no_hook = true };
    struct answer answer;

    stage_forget();
    hand_do(hand, triggers);
    stage_did("(in the store: %s)", triggers);
    answer = call_once(once, worker, spec_of(event_of("refused", 7)), NULL);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_points(answer, reached);
    answer = call_once(once, worker, spec_of(event_of("refused", 7)), &no_hook);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_same("rows, all undone", once->rows(once->store), once->with(NULL, 0));
    hand_do(hand, "DROP TRIGGER one; DROP TRIGGER two");
}

void once_refused_by(const struct once *once, const struct refusal *refusals, int count)
{
    struct puppet *worker = once_start(once, 50);
    struct puppet *hand = hand_open(once->store);
    struct event event = event_of("refused", 7);

    for (int i = 0; i < count; i++)
        refused_by(once, worker, hand, refusals[i]);
    expect_outcome(call_once(once, worker, spec_of(event), NULL), outcome_value(1));
    expect_same("rows", once->rows(once->store), once->with(&event, 1));
}

/* Every COMMIT on the worker's connection is refused from now on. */
static void veto(const struct once *once, struct puppet *worker)
{
    cJSON *order = order_of("veto");

    cJSON_AddStringToObject(order, "on", once->store);
    cJSON_Delete(call_order(worker, order));
    stage_did("(every COMMIT on the connection is refused from now on)");
}

void once_fail_to_commit(const struct once *once)
{
    auto_free char *points = once_points(once, 2);
    struct puppet *worker = once_start(once, 50);
    struct puppet *reader = hand_open(once->store);
    struct how no_hook = { .no_hook = true };
    struct event event = an_event();
    struct answer answer;

    hand_do(reader, "BEGIN; SELECT * FROM sqlite_schema");
    stage_did("(another process reads)");
    answer = call_once(once, worker, spec_of(event), NULL);
    expect_sqlite(answer, SQLITE_BUSY);
    expect_points(answer, points);
    expect_sqlite(call_once(once, worker, spec_of(event), &no_hook), SQLITE_BUSY);
    expect_same("rows, all undone", once->rows(once->store), once->with(NULL, 0));
    hand_do(reader, "COMMIT");
    expect_outcome(call_once(once, worker, spec_of(event), NULL), outcome_value(1));
    veto(once, worker);
    answer = call_once(once, worker, spec_of(an_event()), NULL);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_points(answer, points);
    expect_sqlite(call_once(once, worker, spec_of(an_event()), &no_hook), SQLITE_CONSTRAINT);
    expect_same("rows, all undone", once->rows(once->store), once->with(&event, 1));
}
