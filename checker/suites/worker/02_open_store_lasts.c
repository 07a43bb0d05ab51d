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

static void expect_free_for(struct puppet *hand, const char *store, const char *sql)
{
    auto_free char *expected = xprintf("another process can: %s", sql);
    int code = run_on(hand, store, sql);

    expect(code == SQLITE_OK, expected, "code %d (%s)", code, sqlite3_errstr(code));
}

/* The learner's connection and another process's, in turn; the write adds one to a number. */
static void expect_shared(struct puppet *worker, struct puppet *hand, const char *store,
                          const char *role, const char *read, const char *write)
{
    expect_opened(worker, store, role);
    puppet_open(hand, store, store, 0);
    expect_lasting(worker, store);
    expect_free_for(hand, store, read);
    expect_runs(worker, store, write);
    expect_free_for(hand, store, read);
    expect_free_for(hand, store, write);
    expect_runs(worker, store, read);
    expect_free_for(hand, store, "BEGIN IMMEDIATE");
    expect_free_for(hand, store, write);
    expect_free_for(hand, store, "COMMIT");
}

CHECK(open_store, new_and_old_stores_last_and_serve_other_processes, "open_store.8")
{
    static const char orders[] = "SELECT * FROM orders";
    static const char stock[] = "SELECT total FROM stock";
    static const char marks[] = "UPDATE outbox SET sent = 1";
    static const char rise[] = "UPDATE stock SET total = total + 1";
    struct puppet *worker = puppet_start();
    struct puppet *hand = puppet_start_hand();
    source_make();
    sink_make();

    expect_shared(worker, hand, "shop", "source", orders, marks);
    expect_shared(worker, hand, "house", "sink", stock, rise);
    expect_shared(worker, hand, "source", "source", orders, marks);
    expect_shared(worker, hand, "sink", "sink", stock, rise);

    expect_same("stock", store_rows("house", stock), xstrdup("3\n"));
    expect_same("stock", store_rows("sink", stock), xstrdup("3\n"));
}

CHECK(open_store, only_what_was_committed_is_seen_and_survives_a_kill, "open_store.8")
{
    struct puppet *worker = puppet_start();
    auto_free char *path = store_path("house");
    expect_outcome(call_open_store(worker, path, "sink", "one", NULL), outcome_value(1));
    expect_outcome(call_open_store(worker, path, "sink", "other", NULL), outcome_value(1));

    expect_runs(worker, "one", "BEGIN IMMEDIATE; UPDATE stock SET total = 9");
    expect_same("what the other connection sees",
                puppet_rows(worker, "other", "SELECT total FROM stock"), xstrdup("0\n"));
    expect_runs(worker, "one", "COMMIT");
    expect_same("what the other connection sees then",
                puppet_rows(worker, "other", "SELECT total FROM stock"), xstrdup("9\n"));
    expect_runs(worker, "one", "BEGIN; INSERT INTO inbox (id, qty) VALUES ('b', 2)");
    puppet_kill(worker);

    expect_same("the store then", state_of("house"),
                xstrdup("table inbox\ntable stock\nstock 1|9\n"));
}
