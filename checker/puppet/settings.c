/* settings.c - see settings.h */
#include "settings.h"

#include "base.h"
#include "borrow.h"

#include <stdlib.h>
#include <string.h>

struct setting {
    const char *name;
    const char *sql; /* one row of one column */
};

/* Sources: https://sqlite.org/pragma.html, https://sqlite.org/c3ref/limit.html. */
static const struct setting settings[] = {
    { "synchronous", "PRAGMA synchronous" },
    { "foreign_keys", "PRAGMA foreign_keys" },
    { "recursive_triggers", "PRAGMA recursive_triggers" },
    { "ignore_check_constraints", "PRAGMA ignore_check_constraints" },
    { "query_only", "PRAGMA query_only" },
    { "temp_store", "PRAGMA temp_store" },
    { "locking_mode", "PRAGMA locking_mode" },
    { "secure_delete", "PRAGMA secure_delete" },
    { "cache_size", "PRAGMA cache_size" },
    { "reverse_unordered_selects", "PRAGMA reverse_unordered_selects" },
    { "read_uncommitted", "PRAGMA read_uncommitted" },
    { "automatic_index", "PRAGMA automatic_index" },
    { "writable_schema", "PRAGMA writable_schema" },
    { "defer_foreign_keys", "PRAGMA defer_foreign_keys" },
    { "'a' LIKE 'A'", "SELECT 'a' LIKE 'A'" },
    { "the number of temporary tables, views and triggers",
      "SELECT count(*) FROM sqlite_temp_schema" },
    { "the number of attached databases",
      "SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')" },
};

/* NULL where SQLite does not say: another process may have the file locked. */
static char *value_of(sqlite3 *con, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    char *value = NULL;

    if (sqlite3_prepare_v2(con, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        value = xstrdup((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return value;
}

static struct {
    char *values[sizeof settings / sizeof *settings];
    int limits[SQLITE_LIMIT_WORKER_THREADS + 1];
} fresh; /* how a connection is that was just opened */

void settings_learn(void)
{
    sqlite3 *con = NULL;

    if (borrow_open(":memory:", &con, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) != SQLITE_OK)
        die("out of memory");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        fresh.values[i] = value_of(con, settings[i].sql);
    for (int id = SQLITE_LIMIT_LENGTH; id <= SQLITE_LIMIT_WORKER_THREADS; id++)
        fresh.limits[id] = sqlite3_limit(con, id, -1);
    borrow_close(con);
}

char *settings_difference(sqlite3 *con)
{
    sqlite3_busy_timeout(con, 0);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        auto_free char *now = value_of(con, settings[i].sql);

        if (now && fresh.values[i] && strcmp(now, fresh.values[i]) != 0)
            return xprintf("%s is %s, not %s", settings[i].name, now, fresh.values[i]);
    }
    for (int id = SQLITE_LIMIT_LENGTH; id <= SQLITE_LIMIT_WORKER_THREADS; id++) {
        int now = sqlite3_limit(con, id, -1);

        if (now != fresh.limits[id])
            return xprintf("sqlite3_limit %d is %d, not %d", id, now, fresh.limits[id]);
    }
    return NULL;
}
