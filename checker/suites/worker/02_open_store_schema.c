/* Step 2: steps/worker/02-open_store.md.  What is made, and what was there before. */
#include "02_open_store.h"

#include <string.h>
#include <unistd.h>

/* "id TEXT primary key\n" for each column of a table, by name, and its foreign keys. */
static char *columns_of(const char *store, const char *table)
{
    auto_free char *query = xprintf(
        "SELECT lower(name) || ' ' || CASE WHEN type LIKE '%%INT%%' THEN 'INTEGER'"
        " WHEN type LIKE '%%CHAR%%' OR type LIKE '%%CLOB%%' OR type LIKE '%%TEXT%%' THEN 'TEXT'"
        " ELSE 'type ' || type END || CASE WHEN pk THEN ' primary key' WHEN \"notnull\""
        " THEN ' not null' ELSE '' END || CASE WHEN hidden THEN ' generated' ELSE '' END"
        " FROM (SELECT * FROM pragma_table_xinfo('%s') ORDER BY lower(name))"
        " UNION ALL SELECT 'foreign key' FROM pragma_foreign_key_list('%s')",
        table, table);

    return store_rows(store, query);
}

static void expect_columns(const char *store, const char *table, const char *columns)
{
    auto_free char *what = xprintf("columns of %s", table);

    expect_same(what, columns_of(store, table), xstrdup(columns));
}

/* Refused as a constraint, and only that statement: ABORT, neither FAIL nor ROLLBACK. */
static void expect_refused(struct puppet *hand, const char *sql)
{
    auto_free char *expected = xprintf("the store refuses: %s", sql);
    int code;
    int commit;

    hand_do(hand, "BEGIN");
    code = hand_try(hand, sql);
    expect((code & 0xff) == SQLITE_CONSTRAINT, expected, "code %d (%s)", code,
           sqlite3_errstr(code));
    commit = hand_try(hand, "COMMIT");
    expect(commit == SQLITE_OK, "the transaction goes on after the refusal", "code %d at COMMIT",
           commit);
}

static void expect_taken(struct puppet *hand, const char *sql)
{
    auto_free char *expected = xprintf("the store takes: %s", sql);
    int code = hand_try(hand, sql);

    expect(code == SQLITE_OK, expected, "code %d (%s)", code, sqlite3_errstr(code));
}

static void open_new(const char *store, const char *role)
{
    struct puppet *worker = puppet_start();

    expect_opened(worker, store, role);
    expect_number("the code of sqlite3_close", close_of(worker, store), SQLITE_OK);
}

CHECK(open_store, a_new_source_has_two_empty_tables_and_nothing_else, "open_store.3")
{
    open_new("new", "source");

    expect_same("what is in the file", state_of("new"),
                xstrdup("table orders\ntable outbox\norders:\noutbox:\n"));
    expect_columns("new", "orders", "id TEXT primary key\nqty INTEGER not null\n");
    expect_columns("new", "outbox",
                   "id TEXT not null\nqty INTEGER not null\nsent INTEGER not null\n"
                   "seq INTEGER primary key\n");
}

CHECK(open_store, a_new_sink_has_an_empty_inbox_and_a_stock_of_zero, "open_store.3")
{
    open_new("new", "sink");

    expect_same("what is in the file", state_of("new"),
                xstrdup("table inbox\ntable stock\ninbox:\nstock:\n1|0\n"));
    expect_columns("new", "inbox", "id TEXT primary key\nqty INTEGER not null\n");
    expect_columns("new", "stock", "id INTEGER primary key\ntotal INTEGER not null\n");
}

CHECK(open_store, an_empty_file_becomes_a_store, "open_store.3")
{
    store_make("one", "");
    store_make("other", "VACUUM");
    open_new("one", "source");
    open_new("other", "sink");

    expect_same("what is in the file", things_in("one"), xstrdup("table orders\ntable outbox\n"));
    expect_same("what is in the file", things_in("other"), xstrdup("table inbox\ntable stock\n"));
}

/* orders and inbox are alike: an id is there once, whatever its qty, and a qty must be. */
static void expect_keyed_by_id(struct puppet *hand, const char *table)
{
    auto_free char *allowed =
        xprintf("INSERT INTO %s (id, qty) VALUES ('ab', 5), ('aB', 5), ('ab ', 5), ('5', 0),"
                " ('05', -1), ('', 1001), (' x/y ', 9007199254740992)",
                table);
    auto_free char *twice = xprintf("INSERT INTO %s (id, qty) VALUES ('new', 1), ('ab', 6)", table);
    auto_free char *update = xprintf("UPDATE %s SET id = 'ab' WHERE id = 'aB'", table);
    auto_free char *without = xprintf("INSERT INTO %s (id, qty) VALUES ('c', NULL)", table);
    auto_free char *missing = xprintf("INSERT INTO %s (id) VALUES ('d')", table);
    auto_free char *long_id =
        xprintf("INSERT INTO %s (id, qty) VALUES (hex(zeroblob(40)), 1)", table);

    expect_taken(hand, allowed);
    expect_taken(hand, long_id);
    expect_refused(hand, twice);
    expect_refused(hand, update);
    expect_refused(hand, without);
    expect_refused(hand, missing);
}

static char *rows_by_id(const char *store, const char *table)
{
    auto_free char *query =
        xprintf("SELECT quote(id), quote(qty), typeof(qty) FROM %s WHERE length(id) < 80"
                " AND id IN ('ab', 'aB', 'ab ', '5', '05', '', ' x/y ', 'new', 'c', 'd')"
                " ORDER BY CAST(id AS BLOB)",
                table);

    return store_rows(store, query);
}

static const char allowed_rows[] =
    "''|1001|integer\n' x/y '|9007199254740992|integer\n'05'|-1|integer\n'5'|0|integer\n"
    "'aB'|5|integer\n'ab'|5|integer\n'ab '|5|integer\n";

CHECK(open_store, orders_holds_an_id_once_and_always_a_qty, "open_store.3")
{
    struct puppet *hand;
    open_new("new", "source");
    hand = hand_open("new");

    expect_keyed_by_id(hand, "orders");

    expect_same("orders", rows_by_id("new", "orders"), xstrdup(allowed_rows));
}

CHECK(open_store, inbox_holds_an_id_once_and_always_a_qty, "open_store.3")
{
    struct puppet *hand;
    open_new("new", "sink");
    hand = hand_open("new");

    expect_keyed_by_id(hand, "inbox");

    expect_same("inbox", rows_by_id("new", "inbox"), xstrdup(allowed_rows));
}

CHECK(open_store, outbox_holds_an_id_once_with_a_mark_of_0_or_1, "open_store.3")
{
    struct puppet *hand;
    open_new("new", "source");
    hand = hand_open("new");

    expect_taken(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('ab', 5, 0), ('aB', 5, 1),"
                       " ('ab ', 5, 0), ('', -1, 1), ('z', 1001, 0)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('new', 1, 0), ('ab', 6, 1)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES (NULL, 1, 0)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', NULL, 0)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 1, NULL)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 1, 2)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 1, -1)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 1, 0.5)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 1, 'yes')");
    expect_refused(hand, "INSERT INTO outbox (seq, id, qty, sent)"
                         " SELECT seq, 'c', 1, 0 FROM outbox WHERE id = 'z'");
    expect_refused(hand, "UPDATE outbox SET sent = 2 WHERE id = 'aB'");
    expect_refused(hand, "UPDATE outbox SET id = 'ab' WHERE id = 'aB'");
    expect_taken(hand, "UPDATE outbox SET sent = 1 WHERE id = 'ab'");

    expect_same("outbox", store_rows("new", "SELECT quote(id), qty, sent FROM outbox ORDER BY seq"),
                xstrdup("'ab'|5|1\n'aB'|5|1\n'ab '|5|0\n''|-1|1\n'z'|1001|0\n"));
}

CHECK(open_store, outbox_never_uses_a_seq_again, "open_store.3")
{
    struct puppet *hand;
    open_new("new", "source");
    hand = hand_open("new");
    hand_do(hand,
            "INSERT INTO outbox (seq, id, qty, sent) VALUES (7, 'a', 1, 1), (1000, 'b', 1, 0)");
    hand_do(hand, "DELETE FROM outbox WHERE id = 'b'");

    open_new("new", "source");
    hand_do(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 1, 0)");
    hand_do(hand, "DELETE FROM outbox");
    hand_do(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('d', 1, 0)");

    expect_same("ids whose seq is above the 1001 that were used",
                store_rows("new", "SELECT id FROM outbox WHERE seq > 1001"), xstrdup("d\n"));
}

CHECK(open_store, stock_holds_one_row_with_a_total, "open_store.3")
{
    struct puppet *hand;
    open_new("new", "sink");
    hand = hand_open("new");

    expect_refused(hand, "INSERT INTO stock (id, total) VALUES (1, 5)");
    expect_refused(hand, "INSERT INTO stock (id, total) VALUES (2, 5)");
    expect_refused(hand, "INSERT INTO stock (id, total) VALUES (0, 5)");
    expect_refused(hand, "INSERT INTO stock (total) VALUES (5)");
    expect_refused(hand, "UPDATE stock SET id = 2");
    expect_refused(hand, "UPDATE stock SET total = NULL");
    expect_taken(hand, "UPDATE stock SET total = -3");
    expect_taken(hand, "UPDATE stock SET total = 9007199254740992");

    expect_same("stock", store_rows("new", "SELECT id, total FROM stock"),
                xstrdup("1|9007199254740992\n"));
    expect_taken(hand, "DELETE FROM stock");
    expect_refused(hand, "INSERT INTO stock (id) VALUES (1)");
}
