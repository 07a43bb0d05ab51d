/* Step 2: steps/worker/02-open_store.md.  What is made, and where. */
#include "02_open_store.h"

#include <string.h>
#include <unistd.h>

/*
 * "id TEXT key\n" for each column of a table, by name, and its foreign keys.  NOT NULL and CHECK
 * are tried instead: there are many ways to spell them.
 */
static char *columns_of(const char *store, const char *table)
{
    auto_free char *query = xprintf(
        "SELECT lower(name) || ' ' || CASE WHEN type LIKE '%%INT%%' THEN 'INTEGER'"
        " WHEN type LIKE '%%CHAR%%' OR type LIKE '%%CLOB%%' OR type LIKE '%%TEXT%%' THEN 'TEXT'"
        " ELSE 'type ' || type END || CASE WHEN pk THEN ' key' ELSE '' END"
        " || CASE WHEN hidden THEN ' generated' ELSE '' END"
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

static void open_new(struct puppet *worker, const char *store, const char *role)
{
    expect_opened(worker, store, role);
    expect_closes(worker, store);
}

/* Another process at a new store of this role. */
static struct puppet *hand_at_new(struct puppet *worker, const char *role)
{
    open_new(worker, role, role);
    return hand_open(role);
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

    stage_did("(another process: %s)", sql);
    expect(code == SQLITE_OK, expected, "code %d (%s)", code, sqlite3_errstr(code));
}

CHECK(open_store, a_new_store_has_the_tables_of_its_role_and_nothing_else, "open_store.3")
{
    struct puppet *worker = puppet_start();
    store_make("source", "");
    store_make("sink", "VACUUM");

    open_new(worker, "source", "source");
    open_new(worker, "sink", "sink");
    open_new(worker, "shop", "source");
    open_new(worker, "house", "sink");

    expect_same("in an empty file", state_of("source"), xstrdup("table orders\ntable outbox\n"));
    expect_same("in an empty database", state_of("sink"),
                xstrdup("table inbox\ntable stock\nstock 1|0\n"));
    expect_same("in a new file", state_of("shop"), xstrdup("table orders\ntable outbox\n"));
    expect_same("in a new file", state_of("house"),
                xstrdup("table inbox\ntable stock\nstock 1|0\n"));
    expect_columns("shop", "orders", "id TEXT key\nqty INTEGER\n");
    expect_columns("shop", "outbox", "id TEXT\nqty INTEGER\nsent INTEGER\nseq INTEGER key\n");
    expect_columns("house", "inbox", "id TEXT key\nqty INTEGER\n");
    expect_columns("house", "stock", "id INTEGER key\ntotal INTEGER\n");
}

/* Of another key; but no event has such an id, so that a CHECK may refuse it. */
static void expect_no_such_key(struct puppet *hand, const char *sql)
{
    auto_free char *expected = xprintf("the store finds no such key there: %s", sql);
    int code;

    hand_do(hand, "BEGIN");
    code = hand_try(hand, sql);
    expect(code == SQLITE_OK || code == SQLITE_CONSTRAINT_CHECK, expected, "code %d (%s)", code,
           sqlite3_errstr(code));
    hand_do(hand, "ROLLBACK");
}

/* orders and inbox are alike: an id is there once, whatever its qty, and a qty must be. */
static void expect_keyed_by_id(struct puppet *hand, const char *store, const char *table)
{
    auto_free char *allowed = xprintf("INSERT INTO %s (id, qty) VALUES ('ab', 5), ('aB', 5),"
                                      " ('5', 1), ('05', 1000), ('" LONG_ID "', 1)",
                                      table);
    auto_free char *blank = xprintf("INSERT INTO %s (id, qty) VALUES ('ab ', 5)", table);
    auto_free char *twice = xprintf("INSERT INTO %s (id, qty) VALUES ('new', 1), ('ab', 6)", table);
    auto_free char *update = xprintf("UPDATE %s SET id = 'ab' WHERE id = 'aB'", table);
    auto_free char *without = xprintf("INSERT INTO %s (id, qty) VALUES ('c', NULL)", table);
    auto_free char *rows =
        xprintf("SELECT quote(id), quote(qty) FROM %s ORDER BY CAST(id AS BLOB)", table);

    expect_taken(hand, allowed);
    expect_no_such_key(hand, blank);
    expect_refused(hand, twice);
    expect_refused(hand, update);
    expect_refused(hand, without);
    expect_same(table, store_rows(store, rows),
                xstrdup("'05'|1000\n'" LONG_ID "'|1\n'5'|1\n'aB'|5\n'ab'|5\n"));
}

CHECK(open_store, orders_and_inbox_hold_an_id_once_and_always_a_qty, "open_store.3")
{
    struct puppet *worker = puppet_start();

    expect_keyed_by_id(hand_at_new(worker, "source"), "source", "orders");
    expect_keyed_by_id(hand_at_new(worker, "sink"), "sink", "inbox");
}

static void expect_new_seqs(struct puppet *worker, struct puppet *hand, const char *store)
{
    hand_do(hand, "DELETE FROM outbox; INSERT INTO outbox (seq, id, qty, sent)"
                  " VALUES (70, 'a', 1, 1), (99, 'b', 1, 0); DELETE FROM outbox WHERE id = 'b'");
    open_new(worker, store, "source");
    hand_do(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 1, 0); DELETE FROM outbox;"
                  " INSERT INTO outbox (id, qty, sent) VALUES ('d', 1, 0)");
    expect_same("ids whose seq is above the 100 that were used",
                store_rows(store, "SELECT id FROM outbox WHERE seq > 100"), xstrdup("d\n"));
}

/* A connection can be told to look at no CHECK: the one that open_store gives back is not. */
static void expect_mark_refused(struct puppet *worker, const char *store)
{
    int code;

    expect_opened(worker, store, "source");
    code = run_on(worker, store, "INSERT INTO outbox (id, qty, sent) VALUES ('c', 1, 2)");
    expect((code & 0xff) == SQLITE_CONSTRAINT, "the store refuses sent = 2 through it too",
           "code %d (%s)", code, sqlite3_errstr(code));
    expect_closes(worker, store);
}

CHECK(open_store, outbox_holds_an_id_once_with_a_mark_and_never_uses_a_seq_again, "open_store.3")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand = hand_at_new(worker, "source");

    expect_taken(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('ab', 5, 0), ('aB', 5, 1),"
                       " ('" LONG_ID "', 1000, 1), ('z', 1, 0)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('new', 1, 0), ('ab', 6, 1)");
    expect_refused(hand, "INSERT INTO outbox (id, qty, sent) VALUES ('aB', 5, 0)");
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

    expect_same("outbox",
                store_rows("source", "SELECT quote(id), qty, sent FROM outbox ORDER BY seq"),
                xstrdup("'ab'|5|1\n'aB'|5|1\n'" LONG_ID "'|1000|1\n'z'|1|0\n"));
    expect_new_seqs(worker, hand, "source");
    expect_mark_refused(worker, "source");
}

CHECK(open_store, stock_holds_one_row_with_a_total, "open_store.3")
{
    struct puppet *hand = hand_at_new(puppet_start(), "sink");

    expect_refused(hand, "INSERT INTO stock (id, total) VALUES (1, 5)");
    expect_refused(hand, "INSERT INTO stock (id, total) VALUES (2, 5)");
    expect_refused(hand, "INSERT INTO stock (id, total) VALUES (0, 5)");
    expect_refused(hand, "INSERT INTO stock (total) VALUES (5)");
    expect_refused(hand, "UPDATE stock SET id = 2");
    expect_refused(hand, "UPDATE stock SET total = NULL");
    expect_taken(hand, "UPDATE stock SET total = 9007199254740992");

    expect_same("stock", store_rows("sink", "SELECT id, total FROM stock"),
                xstrdup("1|9007199254740992\n"));
}

/* Its path is taken as it is, whatever characters are in it. */
static void expect_opens_at(struct puppet *worker, const char *path, const char *store)
{
    expect_outcome(call_open_store(worker, path, "source", "odd", NULL), outcome_value(1));
    expect_closes(worker, "odd");
    expect_same("in the file that the path names", things_in(store),
                xstrdup("table orders\ntable outbox\n"));
    stage_forget();
}

static void expect_opens_named(struct puppet *worker, const char *store)
{
    auto_free char *path = store_path(store);

    expect_opens_at(worker, path, store);
}

CHECK(open_store, the_path_is_taken_as_it_is, "open_store.3")
{
    struct puppet *worker = puppet_start();
    auto_free char *name = xprintf("%0120d", 7);
    auto_free char *long_one = xprintf("%s/%s", stage_directory(), name);
    auto_free char *inner = xprintf("%s/inner", stage_directory());
    auto_free char *deep = xprintf("%s/%s", name, name);
    mkdir(long_one, 0700);
    mkdir(inner, 0700);

    expect_opens_named(worker, "two words ");
    expect_opens_named(worker, "it's \"odd\"; %41%s%d #1?mode=memory&x=y");
    expect_opens_named(worker, "caf\xc3\xa9 \xe2\x82\xac\\n");
    expect_opens_named(worker, "SINK");
    expect_opens_named(worker, deep);
    expect_opens_at(worker, "plain.db", "plain");
    expect_opens_at(worker, "inner/../inner/deep.db", "inner/deep");
    expect_opens_at(worker, "-dash.db", "-dash");
}
