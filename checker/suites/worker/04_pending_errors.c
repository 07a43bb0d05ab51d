/* Step 4: steps/worker/04-pending.md, errors, and that nothing is remembered */
#include "base.h"
#include "worker_sweep.h"

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

static struct answer read_sixteen(void *context, struct puppet *worker, const struct how *how)
{
    (void)context;
    return call_pending(worker, 16, how);
}

static void expect_sixteen(struct answer answer)
{
    struct event events[16];

    for (int i = 0; i < 16; i++)
        events[i] = paged_event(i);
    expect_events(answer, events, 16);
}

static void judge_whole_or_error(void *context, const char *store, struct answer answer)
{
    const int *code = context;

    (void)store;
    if (answer.outcome.kind == OUTCOME_VALUE)
        expect_sixteen(answer);
    else
        expect_sqlite(answer, *code);
}

static void sweep(int code)
{
    sweep_errors(&(struct sweep){ .store = "source",
                                  .make = make_paged,
                                  .call = read_sixteen,
                                  .judge = judge_whole_or_error,
                                  .context = &code },
                 code);
}

CHECK(pending, an_error_of_the_disk_at_any_operation_is_handed_on, "common.4")
{
    sweep(SQLITE_IOERR);
}

CHECK(pending, a_lock_that_is_refused_at_any_operation_is_handed_on, "common.4")
{
    sweep(SQLITE_BUSY);
}

static void expect_all(struct puppet *worker, const struct event *events, int count)
{
    expect_events(call_pending(worker, 16, NULL), events, count);
}

static void expect_busy(struct puppet *worker, struct puppet *hand)
{
    stage_did("(another process holds BEGIN EXCLUSIVE)");
    hand_do(hand, "BEGIN EXCLUSIVE");
    expect_sqlite(call_pending(worker, 16, NULL), SQLITE_BUSY);
    hand_do(hand, "COMMIT");
}

CHECK(pending, a_store_that_another_process_keeps_locked_is_an_error, "common.4")
{
    struct event event = an_event();
    struct puppet *worker;
    struct puppet *hand;

    source_make();
    source_put(event, 0);
    worker = worker_at("source", 50);
    hand = hand_open("source");

    expect_busy(worker, hand);
    expect_all(worker, &event, 1);
    expect_busy(worker, hand);
    expect_all(worker, &event, 1);
}

CHECK(pending, what_another_process_writes_between_two_calls_is_seen, "common.7")
{
    struct event events[] = { event_of("b", 1), event_of("a", 2), event_of("c", 3) };
    struct puppet *worker;
    struct puppet *hand;

    source_make();
    source_put(events[0], 0);
    source_put(events[1], 0);
    worker = worker_at("source", 50);
    hand = hand_open("source");
    expect_all(worker, events, 2);

    hand_do(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 3, 0)");
    expect_all(worker, events, 3);
    hand_do(hand, "UPDATE outbox SET sent = 1 WHERE id = 'b'");
    expect_all(worker, events + 1, 2);
    hand_do(hand, "UPDATE outbox SET sent = 1");
    expect_all(worker, events, 0);
    hand_do(hand, "UPDATE outbox SET sent = 0");
    expect_all(worker, events, 3);
}

static void write_through(struct puppet *worker, const char *sql)
{
    stage_did("(on the same connection: %s)", sql);
    free(puppet_rows(worker, "source", sql));
}

CHECK(pending, what_the_connection_itself_writes_between_two_calls_is_seen, "common.7")
{
    struct event events[] = { event_of("b", 1), event_of("a", 2), event_of("c", 3) };
    struct puppet *worker;

    source_make();
    source_put(events[0], 0);
    source_put(events[1], 0);
    worker = worker_at("source", 50);
    expect_all(worker, events, 2);

    write_through(worker, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 3, 0)");
    expect_all(worker, events, 3);
    write_through(worker, "UPDATE outbox SET sent = 1 WHERE id = 'b'");
    expect_all(worker, events + 1, 2);
    write_through(worker, "UPDATE outbox SET qty = 4 WHERE id = 'a'");
    expect_all(worker, (struct event[]){ event_of("a", 4), events[2] }, 2);
}

static void expect_first_on(struct puppet *worker, const char *store, struct event event)
{
    expect_events(call_pending(worker, 1, &(struct how){ .on = store }), &event, 1);
}

CHECK(pending, two_stores_of_one_process_are_kept_apart, "common.7")
{
    struct event event = an_event();
    struct puppet *worker;

    source_make();
    source_put(event, 0);
    make_paged("other");
    worker = worker_at("source", 50);
    worker_open(worker, "other", 50);

    expect_first_on(worker, "source", event);
    expect_first_on(worker, "other", paged_event(0));
    expect_first_on(worker, "source", event);
    worker_close(worker, "source");
    expect_first_on(worker, "other", paged_event(0));
    worker_open(worker, "source", 50);
    expect_first_on(worker, "source", event);
}

CHECK(pending, an_empty_outbox_is_not_remembered, "common.7")
{
    struct event events[] = { event_of("a", 7), event_of("b", 8) };
    struct puppet *worker;
    struct puppet *hand;

    source_make();
    worker = worker_at("source", 50);
    hand = hand_open("source");
    expect_all(worker, events, 0);
    expect_outcome(call_pending(worker, 0, NULL), outcome_of(OUTCOME_INVALID, 0));

    hand_do(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('a', 7, 0), ('b', 8, 0)");
    expect_all(worker, events, 2);
}

static struct answer call_often(struct puppet *worker, int limit)
{
    return call_pending(worker, limit, &(struct how){ .times = 150 });
}

CHECK(pending, many_batches_take_no_memory, "common.3")
{
    struct puppet *worker;

    make_paged("source");
    worker = worker_at("source", 50);

    expect_outcome(call_often(worker, 16), outcome_value(16));
    expect_outcome(call_often(worker, 17), outcome_of(OUTCOME_INVALID, 0));
}

CHECK(pending, many_failures_take_no_memory, "common.3")
{
    struct puppet *worker;
    struct puppet *hand;

    make_paged("source");
    worker = worker_at("source", 0);
    hand = hand_open("source");
    stage_did("(another process holds BEGIN EXCLUSIVE)");
    hand_do(hand, "BEGIN EXCLUSIVE");

    expect_sqlite(call_often(worker, 16), SQLITE_BUSY);
}

CHECK(pending, the_connection_writes_as_before_when_it_has_read, "common.5")
{
    struct event event = event_of("a", 5);
    struct puppet *worker;

    source_make();
    source_put(an_event(), 1);
    worker = worker_at("source", 50);
    call_pending(worker, 16, NULL);
    write_through(worker, "INSERT INTO outbox (id, qty, sent) VALUES ('a', 5, 0)");

    expect_all(worker, &event, 1);
}
