/* store.c - see store.h */
#include "store.h"

#include "base.h"
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STORE_BYTES_MAX (32 << 20)
#define LOOK_STEPS_MAX  2000 /* of 1000 instructions of SQLite's machine each */

char *store_path(const char *store)
{
    return xprintf("%s/%s.db", stage_directory(), store);
}

void store_make(const char *store, const char *sql)
{
    auto_free char *path = store_path(store);
    sqlite3 *con = NULL;
    int code = sqlite3_open(path, &con);

    if (code == SQLITE_OK)
        code = sqlite3_exec(con, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(con, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK)
        die("cannot make a store: %s", sqlite3_errmsg(con));
    sqlite3_close(con);
}

static _Noreturn void distrust(const char *store, const char *got)
{
    auto_free char *expected = xprintf("the %s's file is a database with its tables", store);

    stage_fail(FINDING_FAIL, NULL, expected, got);
}

/* False where there is no such file. */
static bool copy_file(const char *store, const char *from, const char *to)
{
    auto_close int in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    auto_close int out = -1;
    struct stat status;
    char buffer[65536];
    ssize_t got;

    if (in < 0 && errno == ENOENT)
        return false;
    if (in < 0 || fstat(in, &status) != 0 || !S_ISREG(status.st_mode))
        distrust(store, "it is no regular file, or it cannot be read");
    if (status.st_size > STORE_BYTES_MAX)
        distrust(store, "it is larger than 32 MiB");
    out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while ((got = read(in, buffer, sizeof buffer)) > 0)
        if (!write_all(out, buffer, (size_t)got))
            die("cannot copy a store: %s", strerror(errno));
    return true;
}

static void copy_store(const char *store, const char *look)
{
    static const char *const behind[] = { "-journal", "-wal" };
    auto_free char *path = store_path(store);

    if (!copy_file(store, path, look))
        distrust(store, "there is no such file");
    for (size_t i = 0; i < 2; i++) {
        auto_free char *from = xprintf("%s%s", path, behind[i]);
        auto_free char *to = xprintf("%s%s", look, behind[i]);

        if (!copy_file(store, from, to))
            unlink(to);
    }
}

static int count_step(void *steps)
{
    return ++*(int *)steps > LOOK_STEPS_MAX;
}

static sqlite3 *open_look(const char *look, int *steps)
{
    sqlite3 *con = NULL;
    int off = 0;

    if (sqlite3_open_v2(look, &con, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) !=
        SQLITE_OK)
        die("cannot open the copy of a store: %s", sqlite3_errmsg(con));
    sqlite3_db_config(con, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, &off);
    sqlite3_db_config(con, SQLITE_DBCONFIG_ENABLE_VIEW, 0, &off);
    sqlite3_db_config(con, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &off);
    sqlite3_db_config(con, SQLITE_DBCONFIG_DEFENSIVE, 1, &off);
    sqlite3_limit(con, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(con, 1000, count_step, steps);
    sqlite3_exec(con, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    return con;
}

static void add_row(struct text *rows, sqlite3_stmt *statement)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *value = (const char *)sqlite3_column_text(statement, i);

        text_add(rows, "%s%s", i ? "|" : "", value ? value : "NULL");
    }
    text_add(rows, "\n");
}

char *store_rows(const char *store, const char *query)
{
    auto_free char *look = xprintf("%s/look", stage_directory());
    struct text rows = { 0 };
    sqlite3_stmt *statement = NULL;
    int steps = 0;
    sqlite3 *con;
    int code;

    copy_store(store, look);
    con = open_look(look, &steps);
    text_add(&rows, "%s", "");
    code = sqlite3_prepare_v2(con, query, -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            add_row(&rows, statement);
    }
    if (code != SQLITE_DONE) {
        auto_free char *got = xstrdup(sqlite3_errmsg(con));

        distrust(store, got);
    }
    sqlite3_finalize(statement);
    sqlite3_close(con);
    return rows.data;
}
