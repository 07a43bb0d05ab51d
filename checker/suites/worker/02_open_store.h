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
    cJSON *order = order_of("sql");
    cJSON *answer;
    int code;

    stage_did("(on its connection: %s)", sql);
    cJSON_AddStringToObject(order, "on", connection);
    cJSON_AddStringToObject(order, "sql", sql);
    answer = call_order(puppet, order);
    code = cJSON_GetObjectItemCaseSensitive(answer, "code")->valueint;
    cJSON_Delete(answer);
    return code;
}

/* The code of sqlite3_close on a connection of the puppet. */
static inline int close_of(struct puppet *worker, const char *connection)
{
    cJSON *order = order_of("close");
    cJSON *answer;
    int code;

    cJSON_AddStringToObject(order, "on", connection);
    answer = call_order(worker, order);
    code = cJSON_GetObjectItemCaseSensitive(answer, "code")->valueint;
    cJSON_Delete(answer);
    return code;
}

static inline bool is_there(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
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

static inline char *rows_where_there(const char *things, const char *table, const char *store,
                                     const char *query)
{
    auto_free char *thing = xprintf("table %s\n", table);
    auto_free char *rows = NULL;

    if (!strstr(things, thing))
        return xstrdup("");
    rows = store_rows(store, query);
    return xprintf("%s:\n%s", table, rows);
}

/* The tables that are there, and their rows. */
static inline char *state_of(const char *store)
{
    auto_free char *things = things_in(store);
    auto_free char *orders = rows_where_there(
        things, "orders", store, "SELECT quote(id), quote(qty) FROM orders ORDER BY rowid");
    auto_free char *outbox =
        rows_where_there(things, "outbox", store,
                         "SELECT seq, quote(id), quote(qty), quote(sent) FROM outbox ORDER BY seq");
    auto_free char *inbox = rows_where_there(
        things, "inbox", store, "SELECT quote(id), quote(qty) FROM inbox ORDER BY rowid");
    auto_free char *stock = rows_where_there(
        things, "stock", store, "SELECT quote(id), quote(total) FROM stock ORDER BY id");

    return xprintf("%s%s%s%s%s", things, orders, outbox, inbox, stock);
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
