/* 02_open_store.h - what the suites of step 2 share: a call by a store's name, and looks at files */
#ifndef SUITE_OPEN_STORE_H
#define SUITE_OPEN_STORE_H

#include "base.h"
#include "worker_calls.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char orders_table[] =
    "CREATE TABLE orders (id TEXT PRIMARY KEY, qty INTEGER NOT NULL);";
static const char outbox_table[] =
    "CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " qty INTEGER NOT NULL, sent INTEGER NOT NULL CHECK(sent IN (0,1)));";
static const char inbox_table[] = "CREATE TABLE inbox (id TEXT PRIMARY KEY, qty INTEGER NOT NULL);";
static const char stock_table[] =
    "CREATE TABLE stock (id INTEGER PRIMARY KEY CHECK(id=1), total INTEGER NOT NULL);";

/* Before the tables: the store writes to a log. */
static const char wal[] = "PRAGMA journal_mode = WAL;";

/* The longest that there is. */
#define LONG_ID "1234567890-234567890-234567890-234567890-234567890-234567890_234"

/* A stock whose row is refused, so that what was made before it must be undone. */
#define STOCK_WITHOUT_ROW(how)                                                                     \
    "CREATE TABLE stock (id INTEGER PRIMARY KEY CHECK(id=1), total INTEGER NOT NULL);"             \
    "CREATE TRIGGER no BEFORE INSERT ON stock BEGIN SELECT RAISE(" how ", 'no'); END;"
static const char refused_stock[] = STOCK_WITHOUT_ROW("ABORT");
static const char undone_stock[] = STOCK_WITHOUT_ROW("ROLLBACK");

static inline char *two_texts(const char *one, const char *other)
{
    return xprintf("%s%s", one, other);
}

/* The connection is named as the store. */
static inline struct answer open_named(struct puppet *worker, const char *store, const char *role,
                                       const struct how *how)
{
    auto_free char *path = store_path(store);

    return call_open_store(worker, path, role, store, how);
}

static inline void expect_opened(struct puppet *worker, const char *store, const char *role)
{
    expect_outcome(open_named(worker, store, role, NULL), outcome_value(1));
}

/* SQL on a connection of the puppet; the SQLite result code, extended. */
static inline int run_on(struct puppet *puppet, const char *connection, const char *sql)
{
    stage_did("(through the connection to %s: %s)", connection, sql);
    return sql_on(puppet, connection, sql);
}

/* The code of sqlite3_close on a connection of the puppet. */
static inline int close_of(struct puppet *worker, const char *connection)
{
    cJSON *order = order_of("close");
    cJSON *answer;
    int code;

    cJSON_AddStringToObject(order, "on", connection);
    answer = call_order(worker, order);
    code = said_number(answer, "code");
    cJSON_Delete(answer);
    return code;
}

/* The connection closes, as what open_store gives back must. */
static inline void expect_closes(struct puppet *worker, const char *connection)
{
    expect_number("the code of sqlite3_close", close_of(worker, connection), SQLITE_OK);
}

/* SQL that succeeds there. */
static inline void expect_runs(struct puppet *puppet, const char *connection, const char *sql)
{
    expect_number("the result of the SQL through the connection", run_on(puppet, connection, sql),
                  SQLITE_OK);
}

static inline bool is_empty_or_missing(const char *path)
{
    struct stat status;

    return lstat(path, &status) != 0 || (S_ISREG(status.st_mode) && status.st_size == 0);
}

/* "table orders\n" for each table, view and trigger, by name; "" for no file or an empty one. */
static inline char *things_in(const char *store)
{
    auto_free char *path = store_path(store);

    if (is_empty_or_missing(path))
        return xstrdup("");
    return store_rows(store, "SELECT type || ' ' || lower(name) FROM sqlite_schema"
                             " WHERE type <> 'index' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                             " ORDER BY lower(name)");
}

static inline void add_rows_query(struct text *query, const char *things, const char *table,
                                  const char *columns)
{
    auto_free char *thing = xprintf("table %s\n", table);

    if (strstr(things, thing))
        text_add(query, "%sSELECT '%s ' || %s FROM %s", query->bytes ? " UNION ALL " : "", table,
                 columns, table);
}

/* The tables that are there, and their rows: "orders 'a'|3\n". */
static inline char *state_of(const char *store)
{
    auto_free char *things = things_in(store);
    auto_free char *rows = NULL;
    struct text query = { 0 };

    add_rows_query(&query, things, "orders", "quote(id) || '|' || quote(qty)");
    add_rows_query(&query, things, "outbox",
                   "seq || '|' || quote(id) || '|' || quote(qty) || '|' || quote(sent)");
    add_rows_query(&query, things, "inbox", "quote(id) || '|' || quote(qty)");
    add_rows_query(&query, things, "stock", "quote(id) || '|' || quote(total)");
    if (!query.bytes)
        return xstrdup(things);
    text_add(&query, " ORDER BY 1");
    rows = store_rows(store, query.data);
    text_free(&query);
    return two_texts(things, rows);
}

/* What state_of gives where the SQL made the store. */
static inline char *state_after(const char *sql)
{
    static int made;
    auto_free char *store = xprintf("template%d", made++);

    store_make(store, sql);
    return state_of(store);
}

#endif
