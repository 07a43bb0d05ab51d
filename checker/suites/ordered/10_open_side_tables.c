/* Step 10: steps/ordered/10-open_side.md - columns, keys and constraints */
#include "10_open_side.h"

/* Generated columns are seen too, and foreign keys, which no table has. */
static void expect_columns(const char *store, const char *table, const char *columns)
{
    auto_free char *what = xprintf("columns of %s", table);
    auto_free char *query =
        xprintf("SELECT name || ' ' || upper(type) || CASE WHEN hidden THEN ' generated' ELSE ''"
                " END FROM (SELECT * FROM pragma_table_xinfo('%s') ORDER BY name)"
                " UNION ALL SELECT 'foreign key' FROM pragma_foreign_key_list('%s')",
                table, table);

    expect_same(what, store_rows(store, query), xstrdup(columns));
}

CHECK(open_side, the_tables_have_these_columns, "open_side.2")
{
    struct puppet *worker = puppet_start();

    expect_opened(worker, "shop", "producer");
    expect_opened(worker, "house", "consumer");
    expect_columns("shop", "flow", "flow_id TEXT\nquantity INTEGER\nseq INTEGER\nstage TEXT\n");
    expect_columns("shop", "outbox",
                   "accepted INTEGER\nevent_id TEXT\nflow_id TEXT\npayload TEXT\n"
                   "position INTEGER\nschema INTEGER\nseq INTEGER\nstage TEXT\n");
    expect_columns("house", "inbox",
                   "applied INTEGER\nblocked INTEGER\nevent_id TEXT\nflow_id TEXT\npayload TEXT\n"
                   "position INTEGER\nreason TEXT\nschema INTEGER\nseq INTEGER\nstage TEXT\n");
    expect_columns("house", "projection",
                   "flow_id TEXT\nlast_seq INTEGER\nquantity INTEGER\nstage TEXT\n");
    expect_columns("house", "effect",
                   "event_id TEXT\nflow_id TEXT\nquantity INTEGER\nseq INTEGER\nstage TEXT\n");
}

/* Refused as a constraint, and only that statement: ABORT, neither FAIL nor ROLLBACK. */
static void expect_refused(struct puppet *hand, const char *sql)
{
    auto_free char *expected = xprintf("the store refuses: %s", sql);
    auto_free char *goes_on = xprintf("the transaction goes on after the refusal of: %s", sql);
    auto_free char *begun = xprintf("BEGIN; %s", sql);
    int code = hand_try(hand, begun);
    int commit;

    expect((code & 0xff) == SQLITE_CONSTRAINT, expected, "code %d (%s)", code,
           sqlite3_errstr(code));
    commit = hand_try(hand, "COMMIT");
    expect(commit == SQLITE_OK, goes_on, "code %d at COMMIT", commit);
}

/* One statement after the other, so that the report shows the one that was refused. */
static void expect_taken(struct puppet *hand, const char *rows)
{
    char *statements = xstrdup(rows);
    char *rest = statements;
    char *statement;

    while ((statement = strsep(&rest, ";")) != NULL)
        hand_do(hand, statement);
    free(statements);
}

/* The store has a row in the table, and none of these columns may become NULL. */
static void expect_not_null(struct puppet *hand, const char *table, const char *columns)
{
    char *names = xstrdup(columns);
    char *rest = names;
    char *column;

    while ((column = strsep(&rest, " ")) != NULL) {
        auto_free char *sql = xprintf("UPDATE %s SET %s = NULL", table, column);

        expect_refused(hand, sql);
    }
    free(names);
}

/* A mark is 0 or 1 and nothing else. */
static void expect_mark(struct puppet *hand, const char *table, const char *column)
{
    static const char *const others[] = { "2", "-1", "0.5", "'yes'", "''" };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        auto_free char *sql = xprintf("UPDATE %s SET %s = %s", table, column, others[i]);

        expect_refused(hand, sql);
    }
}

/* No text of these columns is equal to the same in capitals, or with a blank behind it. */
static void expect_exact(const char *store, const char *table, const char *columns)
{
    auto_free char *what = xprintf("columns of %s that are equal to other texts", table);
    struct text query = { 0 };
    char *names = xstrdup(columns);
    char *rest = names;
    char *name;

    while ((name = strsep(&rest, " ")) != NULL)
        text_add(&query,
                 "SELECT '%s' FROM %s WHERE %s = %s || ' ' OR (%s = upper(%s)"
                 " AND CAST(%s AS BLOB) <> CAST(upper(%s) AS BLOB));",
                 name, table, name, name, name, name, name, name);
    expect_same(what, store_rows(store, query.data), xstrdup(""));
    text_free(&query);
    free(names);
}

/* The connection looks at marks, takes long texts, and opened again uses no position again. */
static void expect_used(struct puppet *worker, const char *store, const char *role,
                        const char *table, const char *bad, const char *good)
{
    auto_free char *sizes = xprintf("SELECT max(length(payload)) FROM %s", table);
    auto_free char *remove = xprintf("DELETE FROM %s", table);
    auto_free char *used = xprintf("SELECT event_id, position > 6 FROM %s", table);
    int code = sql_on(worker, store, bad);

    stage_did("(through the connection: %s)", bad);
    expect((code & 0xff) == SQLITE_CONSTRAINT, "the store refuses that", "code %d (%s)", code,
           sqlite3_errstr(code));
    stage_did("(through the connection: %s)", good);
    expect_number("the code of that", sql_on(worker, store, good), SQLITE_OK);
    expect_same("the longest payload then", store_rows(store, sizes), xstrdup("100000\n"));
    sql_on(worker, store, remove);
    stage_did("(through the connection: %s)", remove);
    worker_close(worker, store);
    expect_opened(worker, store, role);
    sql_on(worker, store, good);
    stage_did("(through the connection: %s)", good);
    expect_same("positions are not used again", store_rows(store, used), xstrdup("long|1\n"));
}

/* The longest that there is. */
#define TEN     "123456789-"
#define LONG_ID TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LAST    "9223372036854775807"

#define FLOW "INSERT INTO flow VALUES "
#define OUTBOX                                                                                     \
    "INSERT INTO outbox (event_id, flow_id, seq, schema, stage, payload, accepted) VALUES "

#define NEW_SENT "('new', 'n', 1, 1, 's', 'p', 0)"

/*
 * Odd values that no constraint forbids, to be put together in each way: rows are alike in all
 * columns that are no key.  No key is alike: i and f are unique for each t, p, v and marks.
 */
#define EACH                                                                                       \
    "WITH name(i) AS (VALUES ('x'), ('\u20ac y')), number(n) AS (VALUES (-1), (1)),"               \
    " quantity(q) AS (VALUES (-1), (0), (9000000000)), stage(t) AS (VALUES (''), ('s')),"          \
    " payload(p) AS (VALUES (''), ('p')), version(v) AS (VALUES (-1), (1)),"                       \
    " mark(a) AS (VALUES (0), (1)), block(b) AS (VALUES (0), (1)),"                                \
    " reason(r) AS (VALUES (NULL), ('')) "

#define EACH_STATE " SELECT i || n || t || q, t, n, q FROM name, number, stage, quantity;"
#define EACH_FLOW  EACH "INSERT INTO flow" EACH_STATE
#define EACH_SENT                                                                                  \
    EACH "INSERT INTO outbox (event_id, flow_id, seq, schema, stage, payload, accepted)"           \
         " SELECT i || n || t || p || v || a, i || t || p || v || a, n, v, t, p, a"                \
         " FROM name, number, stage, payload, version, mark;"

CHECK(open_side, the_producers_tables_have_these_keys_and_constraints, "open_side.2")
{
    static const char rows[] =
        FLOW "('a', 'reserved', 1, 5), ('A', 'reserved', 1, 5), ('', '', -1, 9000000000),"
             " ('" LONG_ID "', '" LONG_ID "', " LAST ", 1000000);" OUTBOX
             "('e1', 'a', 1, 1, 's', 'p', 0), ('E1', 'A', 1, 1, 's', 'p', 1),"
             " ('e2', 'a', 2, 2, 's', 'p', 1), ('', '', 0, -1, '', '', 1),"
             " ('" LONG_ID "', '" LONG_ID "', " LAST ", 2147483647, '" LONG_ID
             "', 'p', 0);" EACH_FLOW EACH_SENT;
    struct puppet *worker = puppet_start();
    struct puppet *hand;

    expect_opened(worker, "shop", "producer");
    hand = hand_open("shop");
    expect_taken(hand, rows);
    expect_refused(hand, FLOW "('new', 'x', 1, 5), ('a', 'confirmed', 2, 5)");
    expect_refused(hand, FLOW "('new', 'x', 1, 5), ('b', NULL, 1, 5)");
    expect_refused(hand, FLOW "('new', 'x', 1, 5), ('b', 'x', NULL, 5)");
    expect_refused(hand, FLOW "('new', 'x', 1, 5), ('b', 'x', 1, NULL)");
    expect_refused(hand, OUTBOX NEW_SENT ", ('e1', 'b', 1, 1, 's', 'p', 0)");
    expect_refused(hand, OUTBOX NEW_SENT ", ('e3', 'a', 2, 1, 's', 'p', 0)");
    expect_refused(hand, OUTBOX NEW_SENT ", ('e3', 'b', 1, 1, 's', 'p', 2)");
    expect_refused(hand, OUTBOX "('e3', 'b', 1, 1, 's', 'p', NULL)");
    expect_refused(hand, OUTBOX "('e3', 'b', 1, 1, 's', NULL, 0)");
    expect_refused(hand, OUTBOX "(NULL, 'b', 1, 1, 's', 'p', 0)");
    expect_not_null(hand, "flow", "stage seq quantity");
    expect_not_null(hand, "outbox", "event_id flow_id seq schema stage payload accepted");
    expect_mark(hand, "outbox", "accepted");
    expect_exact("shop", "flow", "flow_id stage");
    expect_exact("shop", "outbox", "event_id flow_id stage payload");
    expect_same("the rows then", side_rows("producer", "shop"), side_with("producer", rows));
    expect_used(worker, "shop", "producer", "outbox", OUTBOX "('bad', 'b', 1, 1, 's', 'p', 2)",
                OUTBOX "('long', 'b', 1, 1, 's', hex(zeroblob(50000)), 0)");
}

#define INBOX                                                                                      \
    "INSERT INTO inbox (event_id, flow_id, seq, schema, stage, payload, applied, blocked, reason)" \
    " VALUES "
#define NEW "('new', 'n', 1, 1, 's', 'p', 0, 0, NULL)"
#define INBOX_WITHOUT_REASON                                                                       \
    "INSERT INTO inbox (event_id, flow_id, seq, schema, stage, payload, applied, blocked) VALUES "
#define PROJECTION "INSERT INTO projection VALUES "
#define EFFECT     "INSERT INTO effect VALUES "

#define EACH_KEPT                                                                                  \
    EACH "INSERT INTO inbox (event_id, flow_id, seq, schema, stage, payload, applied, blocked,"    \
         " reason) SELECT i || n || t || p || v || a || b || quote(r),"                            \
         " i || t || p || v || a || b || quote(r), n, v, t, p, a, b, r"                            \
         " FROM name, number, stage, payload, version, mark, block, reason;"
#define EACH_PROJECTION EACH "INSERT INTO projection" EACH_STATE
#define EACH_EFFECT                                                                                \
    EACH "INSERT INTO effect SELECT i || n || t || q, i || t || q, n, t, q"                        \
         " FROM name, number, stage, quantity;"

CHECK(open_side, the_consumers_tables_have_these_keys_and_constraints, "open_side.2")
{
    static const char rows[] =
        INBOX "('e1', 'a', 1, 1, 's', 'p', 0, 1, 'r'), ('E1', 'A', 1, -1, '', '', 1, 1, ''),"
              " ('e2', 'a', 2, 1, 's', 'p', 1, 0, NULL), ('', '', 0, 0, '', '', 0, 0, 'r'),"
              " ('" LONG_ID "', '" LONG_ID "', " LAST ", 2147483647, '" LONG_ID "', 'p', 0, 0,"
              " NULL);" PROJECTION "('a', 's', 1, 5), ('', '', -1, 9000000000), ('A', 's', 1, 5),"
              " ('" LONG_ID "', '" LONG_ID "', " LAST ", 1000000);" EFFECT
              "('e1', 'a', 1, 's', 5), ('E1', 'A', 1, '', -1), ('', '', 0, '', 9000000000),"
              " ('" LONG_ID "', '" LONG_ID "', " LAST ", '" LONG_ID
              "', 1000000);" EACH_KEPT EACH_PROJECTION EACH_EFFECT;
    struct puppet *worker = puppet_start();
    struct puppet *hand;

    expect_opened(worker, "house", "consumer");
    hand = hand_open("house");
    expect_taken(hand, rows);
    expect_refused(hand, INBOX NEW ", ('e1', 'b', 1, 1, 's', 'p', 0, 0, NULL)");
    expect_refused(hand, INBOX NEW ", ('e3', 'a', 2, 1, 's', 'p', 0, 0, NULL)");
    expect_refused(hand, INBOX NEW ", ('e3', 'b', 1, 1, 's', 'p', 2, 0, NULL)");
    expect_refused(hand, INBOX NEW ", ('e3', 'b', 1, 1, 's', 'p', 0, 2, NULL)");
    expect_refused(hand, INBOX NEW ", ('e3', 'b', 1, 1, NULL, 'p', 0, 0, NULL)");
    expect_not_null(hand, "inbox", "event_id flow_id seq schema stage payload applied blocked");
    expect_mark(hand, "inbox", "applied");
    expect_mark(hand, "inbox", "blocked");
    expect_refused(hand, PROJECTION "('new', 's', 1, 5), ('a', 's', 2, 5)");
    expect_refused(hand, PROJECTION "('new', 's', 1, 5), ('b', 's', NULL, 5)");
    expect_not_null(hand, "projection", "stage last_seq quantity");
    expect_refused(hand, EFFECT "('new', 'n', 1, 's', 5), ('e1', 'b', 1, 's', 5)");
    expect_refused(hand, EFFECT "('new', 'n', 1, 's', 5), ('e3', 'a', 1, 's', 5)");
    expect_refused(hand, EFFECT "('new', 'n', 1, 's', 5), ('e3', 'b', 1, 's', NULL)");
    expect_not_null(hand, "effect", "flow_id seq stage quantity");
    expect_exact("house", "inbox", "event_id flow_id stage payload reason");
    expect_exact("house", "projection", "flow_id stage");
    expect_exact("house", "effect", "event_id flow_id stage");
    expect_same("the rows then", side_rows("consumer", "house"), side_with("consumer", rows));
    expect_used(worker, "house", "consumer", "inbox",
                INBOX "('bad', 'b', 1, 1, 's', 'p', 0, 2, NULL)",
                INBOX_WITHOUT_REASON "('long', 'b', 1, 1, 's', hex(zeroblob(50000)), 0, 0)");
    expect_same("reason, where none was given",
                store_rows("house", "SELECT reason IS NULL FROM inbox"), xstrdup("1\n"));
}
