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
    { "defer_foreign_keys", "PRAGMA defer_foreign_keys" },
    { "journal_size_limit", "PRAGMA journal_size_limit" },
    { "wal_autocheckpoint", "PRAGMA wal_autocheckpoint" },
    { "'a' LIKE 'A'", "SELECT 'a' LIKE 'A'" },
    { "the number of temporary tables, views and triggers",
      "SELECT count(*) FROM sqlite_temp_schema" },
    { "the number of attached databases",
      "SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')" },
};

/* What sqlite3_db_config turns on and off; asking takes no SQL. */
struct flag {
    const char *name;
    int verb;
};

/* Source: https://sqlite.org/c3ref/c_dbconfig_defensive.html. */
static const struct flag flags[] = {
    { "foreign_keys", SQLITE_DBCONFIG_ENABLE_FKEY },
    { "writable_schema", SQLITE_DBCONFIG_WRITABLE_SCHEMA },
    { "trusted_schema", SQLITE_DBCONFIG_TRUSTED_SCHEMA },
    { "legacy_alter_table", SQLITE_DBCONFIG_LEGACY_ALTER_TABLE },
    { "SQLITE_DBCONFIG_LEGACY_FILE_FORMAT", SQLITE_DBCONFIG_LEGACY_FILE_FORMAT },
    { "SQLITE_DBCONFIG_ENABLE_TRIGGER", SQLITE_DBCONFIG_ENABLE_TRIGGER },
    { "SQLITE_DBCONFIG_ENABLE_VIEW", SQLITE_DBCONFIG_ENABLE_VIEW },
    { "SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER", SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER },
    { "SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION", SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION },
    { "SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE", SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE },
    { "SQLITE_DBCONFIG_ENABLE_QPSG", SQLITE_DBCONFIG_ENABLE_QPSG },
    { "SQLITE_DBCONFIG_TRIGGER_EQP", SQLITE_DBCONFIG_TRIGGER_EQP },
    { "SQLITE_DBCONFIG_RESET_DATABASE", SQLITE_DBCONFIG_RESET_DATABASE },
    { "SQLITE_DBCONFIG_DEFENSIVE", SQLITE_DBCONFIG_DEFENSIVE },
    { "SQLITE_DBCONFIG_DQS_DML", SQLITE_DBCONFIG_DQS_DML },
    { "SQLITE_DBCONFIG_DQS_DDL", SQLITE_DBCONFIG_DQS_DDL },
};

static int flag_of(sqlite3 *con, const struct flag *flag)
{
    int value = -1;

    sqlite3_db_config(con, flag->verb, -1, &value);
    return value;
}

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

static void fail(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_error_code(context, SQLITE_CONSTRAINT_FUNCTION);
}

/* What sqlite3_extended_result_codes turned on can only be seen by an error. */
static bool has_extended_codes(sqlite3 *con)
{
    const char *name = "workbook_fails";
    int code;

    if (sqlite3_create_function(con, name, 0, SQLITE_UTF8, NULL, fail, NULL, NULL) != SQLITE_OK)
        return false;
    code = sqlite3_exec(con, "SELECT workbook_fails()", NULL, NULL, NULL);
    sqlite3_create_function(con, name, 0, SQLITE_UTF8, NULL, NULL, NULL, NULL);
    return code == SQLITE_CONSTRAINT_FUNCTION;
}

static struct {
    char *values[sizeof settings / sizeof *settings];
    int flags[sizeof flags / sizeof *flags];
    int limits[SQLITE_LIMIT_WORKER_THREADS + 1];
} fresh; /* how a connection is that was just opened */

void settings_learn(void)
{
    sqlite3 *con = NULL;

    if (borrow_open(":memory:", &con, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) != SQLITE_OK)
        die("out of memory");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        fresh.values[i] = value_of(con, settings[i].sql);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        fresh.flags[i] = flag_of(con, &flags[i]);
    for (int id = SQLITE_LIMIT_LENGTH; id <= SQLITE_LIMIT_WORKER_THREADS; id++)
        fresh.limits[id] = sqlite3_limit(con, id, -1);
    borrow_close(con);
}

char *settings_difference(sqlite3 *con, bool extended)
{
    sqlite3_busy_timeout(con, 0);
    if (has_extended_codes(con) != extended)
        return xprintf("sqlite3_extended_result_codes is %d, not %d", !extended, extended);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        auto_free char *now = value_of(con, settings[i].sql);

        if (now && fresh.values[i] && strcmp(now, fresh.values[i]) != 0)
            return xprintf("%s is %s, not %s", settings[i].name, now, fresh.values[i]);
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        int now = flag_of(con, &flags[i]);

        if (now != fresh.flags[i])
            return xprintf("%s is %d, not %d", flags[i].name, now, fresh.flags[i]);
    }
    for (int id = SQLITE_LIMIT_LENGTH; id <= SQLITE_LIMIT_WORKER_THREADS; id++) {
        int now = sqlite3_limit(con, id, -1);

        if (now != fresh.limits[id])
            return xprintf("sqlite3_limit %d is %d, not %d", id, now, fresh.limits[id]);
    }
    return NULL;
}
