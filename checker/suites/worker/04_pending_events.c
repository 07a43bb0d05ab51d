/* Step 4: steps/worker/04-pending.md, what an event says, and what reading leaves alone */
#include "base.h"
#include "worker_calls.h"

#include <stdlib.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static void expect_all(struct puppet *worker, const struct event *events, int count)
{
    expect_events(call_pending(worker, 16, NULL), events, count);
}

static void put_all(const struct event *events, int count)
{
    source_put_all("source", events, count, "0000000000000000");
}

CHECK(pending, an_event_has_the_id_and_the_qty_of_its_row_and_no_more, "pending.3")
{
    struct event events[] = { an_event(),         event_of("a", 1),   event_of("b", 1000),
                              event_of("c", 999), event_of("d", 255), event_of("e", 256),
                              event_of("f", 257), an_event() };

    source_make();
    put_all(events, 8);

    expect_all(worker_at("source", 50), events, 8);
}

CHECK(pending, an_id_of_sixty_four_characters_comes_whole, "pending.3")
{
    struct event events[4];

    for (int i = 0; i < 4; i++)
        events[i] = (struct event){ .qty = i + 1 };
    snprintf(events[0].id, sizeof events[0].id, "%sx", letters);
    snprintf(events[1].id, sizeof events[1].id, "%sX", letters);
    snprintf(events[2].id, sizeof events[2].id, "%s", letters);
    snprintf(events[3].id, sizeof events[3].id, "%.62s", letters);
    source_make();
    put_all(events, 4);

    expect_all(worker_at("source", 50), events, 4);
}

CHECK(pending, an_id_that_looks_like_something_else_comes_as_it_is, "pending.3")
{
    struct event events[] = { event_of("007", 7),
                              event_of("1e3", 1),
                              event_of("-1", 2),
                              event_of("0", 3),
                              event_of("null", 4),
                              event_of("true", 5),
                              event_of("NULL", 6),
                              event_of("id", 7),
                              event_of("a", 8),
                              event_of("A", 9),
                              event_of("9007199254740993", 10),
                              event_of("00", 11),
                              event_of("0x1F", 12) };

    source_make();
    put_all(events, 13);

    expect_all(worker_at("source", 50), events, 13);
}

CHECK(pending, the_outbox_counts_where_the_order_is_missing_or_differs, "pending.3")
{
    struct event events[] = { event_of("differs", 3), event_of("missing", 3), event_of("same", 3) };

    source_make();
    put_all(events, 3);
    stage_did("(in the store: the order of differs has qty 30, missing has none)");
    store_make("source", "UPDATE orders SET qty = 30 WHERE id = 'differs';"
                         "DELETE FROM orders WHERE id = 'missing';"
                         "INSERT INTO orders VALUES ('no-row-in-the-outbox', 6);");

    expect_all(worker_at("source", 50), events, 3);
}

CHECK(pending, the_order_of_the_orders_does_not_matter, "pending.2")
{
    struct event events[] = { event_of("c", 3), event_of("a", 1), event_of("b", 2) };

    source_make();
    put_all(events, 3);
    stage_did("(in the store: the orders were written anew, the newest first)");
    store_make("source", "DELETE FROM orders; INSERT INTO orders"
                         " SELECT id, qty FROM outbox ORDER BY seq DESC;");

    expect_all(worker_at("source", 50), events, 3);
}

CHECK(pending, no_row_changes_by_being_read, "pending.4")
{
    char *before;
    struct puppet *worker;

    source_make();
    source_put(an_event(), 1);
    source_put(an_event(), 0);
    source_put(an_event(), 0);
    before = source_rows_exact("source");
    worker = worker_at("source", 50);
    call_pending(worker, 1, NULL);
    call_pending(worker, 16, NULL);
    call_pending(worker, 17, NULL);

    expect_same("rows", source_rows_exact("source"), before);
}

CHECK(pending, the_same_is_read_again_and_again, "pending.4")
{
    struct event events[] = { an_event(), an_event(), an_event() };
    struct puppet *worker;

    source_make();
    put_all(events, 3);
    worker = worker_at("source", 50);

    expect_events(call_pending(worker, 2, NULL), events, 2);
    expect_events(call_pending(worker, 2, NULL), events, 2);
    expect_all(worker, events, 3);
    expect_events(call_pending(worker, 1, NULL), events, 1);
    expect_all(worker_at("source", 50), events, 3);
    expect_all(worker, events, 3);
}

CHECK(pending, it_reads_while_another_process_is_about_to_write, "pending.4")
{
    struct event events[] = { an_event(), an_event() };
    struct puppet *hand;

    source_make();
    put_all(events, 2);
    hand = hand_open("source");
    stage_did("(another process has the write lock and has not committed)");
    hand_do(hand, "BEGIN IMMEDIATE; UPDATE outbox SET sent = 1;"
                  "INSERT INTO outbox (id, qty, sent) VALUES ('uncommitted', 1, 0)");

    expect_all(worker_at("source", 50), events, 2);
}

CHECK(pending, it_reads_a_write_ahead_store_while_another_process_is_about_to_write, "pending.4")
{
    struct event events[] = { an_event(), an_event() };
    struct puppet *hand;

    source_make();
    put_all(events, 2);
    store_make("source", "PRAGMA journal_mode = WAL");
    hand = hand_open("source");
    stage_did("(in WAL mode, another process has the write lock and has not committed)");
    hand_do(hand, "UPDATE outbox SET sent = 1 WHERE seq = 1; BEGIN IMMEDIATE; DELETE FROM outbox");

    expect_all(worker_at("source", 50), events + 1, 1);
}
