/* Step 4: steps/worker/04-pending.md, errors, and that nothing is remembered */
#include "base.h"
#include "worker_calls.h"

#include <sqlite3.h>
#include <stdlib.h>

#define PAGED_ROWS 24

/* Long ids, so that a batch is spread over several pages of 512 bytes. */
static struct event paged_event(int i)
{
    struct event event = { .qty = i + 1 };

    snprintf(event.id, sizeof event.id, "%c%061d-%c", 'z' - i, i, 'a' + i);
    return event;
}

static void make_paged(const char *store)
{
    struct text sql = { 0 };

    source_make_as(store);
    text_add(&sql, "PRAGMA page_size = 512; VACUUM; BEGIN;");
    for (int i = 0; i < PAGED_ROWS; i++)
        text_add(&sql, "INSERT INTO outbox (id, qty, sent) VALUES ('%s', %d, 0);",
                 paged_event(i).id, paged_event(i).qty);
    text_add(&sql, "COMMIT;");
    store_make(store, sql.data);
    text_free(&sql);
}

static void expect_sixteen(struct answer answer)
{
    struct event events[16];

    for (int i = 0; i < 16; i++)
        events[i] = paged_event(i);
    expect_events(answer, events, 16);
}

/* The whole batch, or the error, where this operation on the store fails; false: there was none. */
static bool expect_whole_or_error(struct puppet *worker, int operation, int code)
{
    struct how how = { .storage_at = operation, .storage_code = code, .storage_reads = true };
    struct answer answer;

    worker_open(worker, "source", 0);
    answer = call_pending(worker, 16, &how);
    worker_close(worker, "source");
    stage_or(STAGE_OR_HANDED_ON);
    if (answer.outcome.kind == OUTCOME_VALUE &&
        (code == SQLITE_BUSY || answer.operations < operation))
        expect_sixteen(answer);
    else
        expect_sqlite(answer, code);
    stage_or(NULL);
    stage_forget();
    return answer.operations >= operation;
}

/* Each operation in turn: it only reads, so that one store serves for all of them. */
static void sweep(struct puppet *worker, int code)
{
    int operation = 1;

    while (expect_whole_or_error(worker, operation, code))
        operation++;
    expect(operation > 1, "at least one storage operation on the store", "none");
}

static void expect_busy(struct puppet *worker, struct puppet *hand)
{
    stage_did("(another process holds BEGIN EXCLUSIVE)");
    hand_do(hand, "BEGIN EXCLUSIVE");
    expect_sqlite(call_pending(worker, 16, NULL), SQLITE_BUSY);
    hand_do(hand, "COMMIT");
}

CHECK(pending, an_error_at_any_operation_on_the_store_is_handed_on, "common.4")
{
    struct puppet *worker = puppet_start();
    make_paged("source");

    sweep(worker, SQLITE_IOERR);
    sweep(worker, SQLITE_BUSY);

    worker_open(worker, "source", 50);
    expect_busy(worker, hand_open("source"));
    expect_sixteen(call_pending(worker, 16, NULL));
}

static void expect_all(struct puppet *worker, const struct event *events, int count)
{
    expect_events(call_pending(worker, 16, NULL), events, count);
}

static void write_through(struct puppet *worker, const char *sql)
{
    stage_did("(on the same connection: %s)", sql);
    free(puppet_rows(worker, "source", sql));
}

static void write_beside(struct puppet *hand, const char *sql)
{
    stage_did("(another process: %s)", sql);
    hand_do(hand, sql);
}

static void expect_first_on(struct puppet *worker, const char *store, struct event event)
{
    expect_events(call_pending(worker, 1, &(struct how){ .on = store }), &event, 1);
}

/* Another process writes, then the connection itself, and in between another store is read. */
CHECK(pending, nothing_is_remembered_between_two_calls, "common.7")
{
    const struct event events[] = { event_of("b", 1), event_of("a", 2), event_of("c", 3) };
    source_make();
    make_paged("other");
    struct puppet *worker = worker_at("source", 50);
    struct puppet *hand = hand_open("source");
    worker_open(worker, "other", 50);

    expect_all(worker, events, 0);
    expect_outcome(call_pending(worker, 17, NULL), outcome_of(OUTCOME_INVALID, 0));
    write_beside(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('b', 1, 0), ('a', 2, 0)");
    expect_all(worker, events, 2);
    write_beside(hand, "UPDATE outbox SET sent = 1 WHERE id = 'b'");
    expect_all(worker, events + 1, 1);
    write_beside(hand, "UPDATE outbox SET sent = 0");
    expect_all(worker, events, 2);
    expect_first_on(worker, "source", events[0]);
    expect_first_on(worker, "other", paged_event(0));
    expect_all(worker, events, 2);
    write_through(worker, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 3, 0)");
    expect_all(worker, events, 3);
    write_through(worker, "UPDATE outbox SET qty = 4 WHERE id = 'b'");
    expect_first_on(worker, "source", event_of("b", 4));
}

static struct answer call_often(struct puppet *worker, int limit)
{
    return call_pending(worker, limit, &(struct how){ .times = 100 });
}

CHECK(pending, many_batches_and_many_failures_take_no_memory, "common.3")
{
    make_paged("source");
    struct puppet *worker = worker_at("source", 0);
    struct puppet *hand = hand_open("source");

    expect_outcome(call_often(worker, 16), outcome_value(16));
    expect_outcome(call_often(worker, 17), outcome_of(OUTCOME_INVALID, 0));
    write_beside(hand, "BEGIN EXCLUSIVE");
    expect_sqlite(call_often(worker, 16), SQLITE_BUSY);
}

CHECK(pending, the_connection_writes_as_before_when_it_has_read, "common.5")
{
    struct event event = event_of("a", 5);
    source_make();
    struct puppet *worker = worker_at("source", 50);

    expect_all(worker, &event, 0);
    write_through(worker, "INSERT INTO outbox (id, qty, sent) VALUES ('a', 5, 0)");

    expect_all(worker, &event, 1);
}

/* The connection knows its tables: to learn them takes more allocations than the call does. */
DEEP_CHECK(pending, no_memory_at_any_moment_leaves_the_connection_clean, "common.2")
{
    make_paged("source");
    struct puppet *worker = worker_at("source", 0);
    const struct event three[] = { paged_event(0), paged_event(1), paged_event(2) };
    struct how how = { 0 };
    struct answer answer;

    do {
        stage_forget();
        how.memory_at++;
        free(puppet_rows(worker, "source", "SELECT count(*) FROM sqlite_schema"));
        answer = call_pending(worker, 3, &how);
    } while (answer.operations >= how.memory_at);
    expect_events(answer, three, 3);
}
