/* Step 2: steps/worker/02-open_store.md.  What was there before stays; what is missing is made. */
#include "02_open_store.h"

static const char some_orders[] = "INSERT INTO orders VALUES ('a', 3), ('b', 500), ('c', 3);";
static const char some_outbox[] =
    "INSERT INTO outbox VALUES (2, 'b', 500, 1), (5, 'a', 3, 0), (9, 'z', 4, 1), (11, 'c', 7, 0);";
static const char some_inbox[] = "INSERT INTO inbox VALUES ('a', 3), ('b', 500);";

/* A store made by this SQL ... becomes what this further SQL would make of it. */
struct store_case {
    const char *role;
    const char *there[4];
    const char *made[3];
};

static char *sql_of(const char *const *parts, int count)
{
    struct text sql = { 0 };

    text_add(&sql, "%s", "");
    for (int i = 0; i < count && parts[i]; i++)
        text_add(&sql, "%s", parts[i]);
    return sql.data;
}

/* Twice: the second time nothing is missing. */
static void expect_completed(struct puppet *worker, const char *store, const struct store_case *c)
{
    auto_free char *there = sql_of(c->there, 4);
    auto_free char *made = sql_of(c->made, 3);
    auto_free char *whole = two_texts(there, made);

    stage_did("(the store before: %s)", there);
    store_make(store, there);
    for (int i = 0; i < 2; i++) {
        expect_opened(worker, store, c->role);
        expect_closes(worker, store);
    }
    expect_same("the store then", state_of(store), state_after(whole));
    stage_forget();
}

static void expect_each_completed(const struct store_case *cases, size_t count)
{
    struct puppet *worker = puppet_start();

    for (size_t i = 0; i < count; i++) {
        auto_free char *store = xprintf("store%zu", i);

        expect_completed(worker, store, &cases[i]);
    }
}

#define EACH(array) (array), sizeof(array) / sizeof *(array)

CHECK(open_store, what_is_in_a_source_stays_and_what_is_missing_is_made, "open_store.4")
{
    const struct store_case cases[] = {
        { "source", { orders_table, some_orders, outbox_table, some_outbox }, { NULL } },
        { "source", { orders_table, outbox_table, some_outbox }, { NULL } },
        { "source", { orders_table, some_orders }, { outbox_table } },
        { "source", { outbox_table, some_outbox }, { orders_table } },
        { "source", { wal, orders_table, some_orders }, { outbox_table } },
        { "source",
          { "create table \"orders\"(\n  id text primary key,\n  qty integer not null\n);"
            "create index by_qty on orders (qty, id);",
            some_orders },
          { outbox_table } },
        { "source",
          { "PRAGMA encoding = 'UTF-16'; PRAGMA page_size = 512;", orders_table, some_orders,
            "PRAGMA user_version = 1;" },
          { outbox_table } },
    };

    expect_each_completed(EACH(cases));
}

CHECK(open_store, what_is_in_a_sink_stays_and_what_is_missing_is_made, "open_store.4")
{
    static const char row[] = "INSERT INTO stock VALUES (1, 0);";
    static const char total[] = "INSERT INTO stock VALUES (1, 42);";
    const struct store_case cases[] = {
        { "sink", { inbox_table, some_inbox, stock_table, total }, { NULL } },
        { "sink", { inbox_table, stock_table, total }, { NULL } },
        { "sink", { inbox_table, some_inbox, stock_table }, { row } },
        { "sink", { inbox_table, some_inbox }, { stock_table, row } },
        { "sink", { stock_table, total }, { inbox_table } },
        { "sink", { stock_table }, { inbox_table, row } },
        { "sink", { inbox_table, stock_table, "INSERT INTO stock VALUES (1, -5);" }, { NULL } },
        { "sink",
          { inbox_table, stock_table, "INSERT INTO stock VALUES (1, 1 << 40);" },
          { NULL } },
        { "sink",
          { wal,
            "CREATE TABLE [stock] (id integer primary key check (id = 1), total int not null);",
            total, "PRAGMA user_version = 3; PRAGMA application_id = 9;" },
          { inbox_table } },
    };

    expect_each_completed(EACH(cases));
}

/* Opens, lets another process run the SQL on the store, opens again and compares. */
static void expect_again(struct puppet *worker, struct puppet *hand, const char *store,
                         const char *role, const char *meanwhile, const char *expected)
{
    expect_opened(worker, store, role);
    expect_closes(worker, store);
    puppet_open(hand, store, store, 0);
    stage_did("(another process at the store)");
    expect_runs(hand, store, meanwhile);
    expect_closes(hand, store);

    expect_opened(worker, store, role);
    expect_closes(worker, store);
    expect_same("the store then", state_of(store), xstrdup(expected));
    stage_forget();
}

CHECK(open_store, each_opening_looks_anew_at_what_is_missing, "open_store.4")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand = puppet_start_hand();

    expect_again(worker, hand, "shop", "source",
                 "INSERT INTO outbox (seq, id, qty, sent) VALUES (3, 'a', 1, 1); DROP TABLE orders",
                 "table orders\ntable outbox\noutbox 3|'a'|1|1\n");
    expect_again(worker, hand, "shop", "source",
                 "INSERT INTO orders (id, qty) VALUES ('q', 8); DROP TABLE outbox",
                 "table orders\ntable outbox\norders 'q'|8\n");
    expect_again(worker, hand, "house", "sink",
                 "INSERT INTO inbox (id, qty) VALUES ('a', 9); DELETE FROM stock",
                 "table inbox\ntable stock\ninbox 'a'|9\nstock 1|0\n");
    expect_again(worker, hand, "house", "sink", "UPDATE stock SET total = 42; DROP TABLE inbox",
                 "table inbox\ntable stock\nstock 1|42\n");
    expect_again(worker, hand, "house", "sink",
                 "DROP TABLE stock; INSERT INTO inbox (id, qty) VALUES ('b', 2)",
                 "table inbox\ntable stock\ninbox 'b'|2\nstock 1|0\n");
}

/* Whole stores, each with a row that a process, dead by now, committed to its log and no further. */
static void leave_logs(void)
{
    auto_free char *shop = xprintf("%s%s%s", wal, orders_table, outbox_table);
    auto_free char *house =
        xprintf("%s%s%sINSERT INTO stock VALUES (1, 42);", wal, inbox_table, stock_table);
    struct puppet *hand = puppet_start_hand();

    store_make("shop", shop);
    store_make("house", house);
    stage_did("(another process at both stores)");
    puppet_open(hand, "shop", "shop", 0);
    puppet_open(hand, "house", "house", 0);
    expect_runs(hand, "shop", "INSERT INTO outbox VALUES (3, 'a', 1, 1)");
    expect_runs(hand, "house", "INSERT INTO inbox VALUES ('a', 9); UPDATE stock SET total = 51");
    puppet_kill(hand);
    stage_did("(it is killed, and what it committed is still in the -wal files)");
}

CHECK(open_store, what_a_dead_process_left_in_a_log_stays, "open_store.4")
{
    struct puppet *worker = puppet_start();
    leave_logs();

    expect_opened(worker, "shop", "source");
    expect_opened(worker, "house", "sink");

    expect_same("the source", state_of("shop"),
                xstrdup("table orders\ntable outbox\noutbox 3|'a'|1|1\n"));
    expect_same("the sink", state_of("house"),
                xstrdup("table inbox\ntable stock\ninbox 'a'|9\nstock 1|51\n"));
}
