/* Step 2: steps/worker/02-open_store.md.  The store survives, and others can use it. */
#include "02_open_store.h"

#include <string.h>

/* Asked on the connection itself, since it is the connection's own setting. */
static void expect_lasting(struct puppet *worker, const char *store)
{
    auto_free char *synchronous = puppet_rows(worker, store, "PRAGMA synchronous");
    auto_free char *mode = puppet_rows(worker, store, "PRAGMA journal_mode");

    expect(strcmp(synchronous, "0\n") != 0, "PRAGMA synchronous is not OFF", "it is %s",
           synchronous);
    expect(strcmp(mode, "off\n") != 0 && strcmp(mode, "memory\n") != 0,
           "PRAGMA journal_mode is neither OFF nor MEMORY", "it is %s", mode);
}

CHECK(open_store, new_and_old_stores_are_synchronous_and_have_a_journal, "open_store.8")
{
    struct puppet *worker = puppet_start();
    source_make();
    sink_make();

    expect_opened(worker, "shop", "source");
    expect_opened(worker, "house", "sink");
    expect_opened(worker, "source", "source");
    expect_opened(worker, "sink", "sink");

    expect_lasting(worker, "shop");
    expect_lasting(worker, "house");
    expect_lasting(worker, "source");
    expect_lasting(worker, "sink");
}

static void expect_free_for(struct puppet *hand, const char *sql)
{
    auto_free char *expected = xprintf("another process can: %s", sql);
    int code = hand_try(hand, sql);

    expect(code == SQLITE_OK, expected, "code %d (%s)", code, sqlite3_errstr(code));
}

static void expect_shared(struct puppet *worker, const char *store, const char *table,
                          const char *write)
{
    struct puppet *hand = hand_open(store);
    auto_free char *read = xprintf("SELECT * FROM %s", table);

    expect_free_for(hand, read);
    expect_number("a write through the connection", run_on(worker, store, write), SQLITE_OK);
    expect_free_for(hand, read);
    expect_free_for(hand, write);
    expect_number("a read through the connection", run_on(worker, store, read), SQLITE_OK);
    expect_free_for(hand, "BEGIN IMMEDIATE");
    expect_free_for(hand, write);
    expect_free_for(hand, "COMMIT");
}

CHECK(open_store, another_process_reads_and_writes_new_and_old_stores, "open_store.8")
{
    struct puppet *worker = puppet_start();
    source_make();
    sink_make();

    expect_opened(worker, "shop", "source");
    expect_shared(worker, "shop", "orders", "UPDATE orders SET qty = 1");
    expect_opened(worker, "house", "sink");
    expect_shared(worker, "house", "stock", "UPDATE stock SET total = total + 1");
    expect_opened(worker, "source", "source");
    expect_shared(worker, "source", "outbox", "UPDATE outbox SET sent = 1");
    expect_opened(worker, "sink", "sink");
    expect_shared(worker, "sink", "stock", "UPDATE stock SET total = total + 1");

    expect_same("stock", store_rows("house", "SELECT total FROM stock"), xstrdup("3\n"));
    expect_same("stock", store_rows("sink", "SELECT total FROM stock"), xstrdup("3\n"));
}

CHECK(open_store, two_processes_open_one_store_and_write_in_turn, "open_store.8")
{
    struct puppet *one = puppet_start();
    struct puppet *other = puppet_start();
    expect_opened(one, "shop", "source");
    expect_opened(other, "shop", "source");

    expect_number("a write of the first",
                  run_on(one, "shop", "INSERT INTO orders (id, qty) VALUES ('a', 1)"), SQLITE_OK);
    expect_number("a write of the second",
                  run_on(other, "shop", "INSERT INTO orders (id, qty) VALUES ('b', 2)"), SQLITE_OK);
    expect_number("another of the first",
                  run_on(one, "shop", "UPDATE orders SET qty = 3 WHERE id = 'b'"), SQLITE_OK);

    expect_same("what the second sees",
                puppet_rows(other, "shop", "SELECT id, qty FROM orders ORDER BY id"),
                xstrdup("a|1\nb|3\n"));
}

CHECK(open_store, two_connections_of_one_process_are_apart, "open_store.8")
{
    struct puppet *worker = puppet_start();
    auto_free char *path = store_path("shop");
    expect_outcome(call_open_store(worker, path, "sink", "one", NULL), outcome_value(1));
    expect_outcome(call_open_store(worker, path, "sink", "other", NULL), outcome_value(1));

    expect_number("a write that is not committed",
                  run_on(worker, "one", "BEGIN IMMEDIATE; UPDATE stock SET total = 9"), SQLITE_OK);

    expect_same("what the other connection sees",
                puppet_rows(worker, "other", "SELECT total FROM stock"), xstrdup("0\n"));
    expect_number("its COMMIT", run_on(worker, "one", "COMMIT"), SQLITE_OK);
    expect_same("what the other connection sees then",
                puppet_rows(worker, "other", "SELECT total FROM stock"), xstrdup("9\n"));
}

CHECK(open_store, what_was_committed_survives_a_kill_and_nothing_else_does, "open_store.8")
{
    struct puppet *worker = puppet_start();
    expect_opened(worker, "shop", "source");
    expect_number("a write", run_on(worker, "shop", "INSERT INTO orders VALUES ('a', 1)"), 0);
    expect_number("a write that is not committed",
                  run_on(worker, "shop", "BEGIN; INSERT INTO orders VALUES ('b', 2)"), 0);

    puppet_kill(worker);

    expect_same("the store then", state_of("shop"),
                xstrdup("table orders\ntable outbox\norders:\n'a'|1\noutbox:\n"));
}
