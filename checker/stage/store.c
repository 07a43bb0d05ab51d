/* store.c - see store.h */
#include "store.h"

#include "base.h"
#include "marks.h"
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STORE_BYTES_MAX (32 << 20)
#define OWNERS          (S_IRUSR | S_IWUSR)
#define LOOK_STEPS_MAX  2000 /* of 1000 instructions of SQLite's machine each */

char *store_path(const char *store)
{
    return xprintf("%s/%s.db", stage_directory(), store);
}

static _Noreturn void distrust(const char *store, const char *got)
{
    auto_free char *expected = xprintf("the %s's file is a database with its tables", store);

    stage_fail(FINDING_FAIL, NULL, expected, got);
}

/* What goes wrong is ours only where a new store is made: else it is not the store it should be. */
static void run_sql(const char *store, const char *path, const char *sql)
{
    bool is_made = access(path, F_OK) != 0 && strncmp(sql, "CREATE", strlen("CREATE")) == 0;
    sqlite3 *con = NULL;
    int code = sqlite3_open(path, &con);

    if (code == SQLITE_OK)
        code = sqlite3_exec(con, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(con, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK && !is_made)
        distrust(store, sqlite3_errmsg(con));
    if (code != SQLITE_OK)
        die("cannot make a store: %s", sqlite3_errmsg(con));
    sqlite3_close(con);
}

/* The bytes of a regular file; false where there is none. */
static bool read_file(const char *store, const char *path, struct text *bytes)
{
    auto_close int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    char buffer[65536];
    ssize_t got;

    text_add_bytes(bytes, "", 0);
    if (fd < 0 && errno == ENOENT)
        return false;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        distrust(store, "it is no regular file, or it cannot be read");
    if ((status.st_mode & OWNERS) != OWNERS) /* root would not notice */
        distrust(store, "its owner may no longer read and write it (chmod, umask)");
    if (status.st_size > STORE_BYTES_MAX)
        distrust(store, "it is larger than 32 MiB");
    while (bytes->bytes <= STORE_BYTES_MAX && (got = read(fd, buffer, sizeof buffer)) > 0)
        text_add_bytes(bytes, buffer, (size_t)got);
    return true;
}

static void write_file(const char *path, const struct text *bytes)
{
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (fd < 0 || !write_all(fd, bytes->data, bytes->bytes))
        die("cannot write %s: %s", path, strerror(errno));
}

/* A sweep makes the same store many times: only the first is made by SQL. */
void store_make(const char *store, const char *sql)
{
    static struct text made;
    static char *made_by;
    auto_free char *path = store_path(store);
    bool is_new = access(path, F_OK) != 0;

    if (is_new && made_by && strcmp(made_by, sql) == 0) {
        write_file(path, &made);
        marks_watch(store);
        return;
    }
    marks_before();
    run_sql(store, path, sql);
    marks_after();
    marks_watch(store);
    if (is_new && !made_by) {
        made_by = xstrdup(sql);
        read_file(store, path, &made);
    }
}

static bool read_behind(const char *store, const char *behind, struct text *bytes)
{
    auto_free char *path = store_path(store);
    auto_free char *name = xprintf("%s%s", path, behind);

    return read_file(store, name, bytes) && bytes->bytes > 0;
}

void store_copy(const char *store, const char *to)
{
    static const char *const behind[] = { "", "-journal", "-wal" };
    auto_free char *path = store_path(to);

    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        auto_free char *name = xprintf("%s%s", path, behind[i]);
        struct text bytes = { 0 };

        if (read_behind(store, behind[i], &bytes))
            write_file(name, &bytes);
        text_free(&bytes);
    }
}

static int count_step(void *steps)
{
    return ++*(int *)steps > LOOK_STEPS_MAX;
}

/* A copy as files: SQLite rolls the journal back, or reads the log, as a next process would. */
static sqlite3 *open_files(const struct text *main, const struct text *journal,
                           const struct text *log)
{
    auto_free char *path = xprintf("%s/look-%d", getenv("WORKBOOK_PLACE"), (int)getpid());
    auto_free char *journal_path = xprintf("%s-journal", path);
    auto_free char *log_path = xprintf("%s-wal", path);
    sqlite3 *con = NULL;

    unlink(journal_path);
    unlink(log_path);
    write_file(path, main);
    if (journal->bytes)
        write_file(journal_path, journal);
    if (log->bytes)
        write_file(log_path, log);
    if (sqlite3_open_v2(path, &con, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        die("cannot open the copy of a store: %s", sqlite3_errmsg(con));
    return con;
}

/* A copy in memory, where the file says all; the bytes are SQLite's from now on. */
static sqlite3 *open_memory(struct text *main)
{
    unsigned char *bytes = sqlite3_malloc64(main->bytes + 1);
    sqlite3 *con = NULL;

    if (!bytes || sqlite3_open(":memory:", &con) != SQLITE_OK)
        die("out of memory");
    memcpy(bytes, main->data, main->bytes);
    if (main->bytes > 20 && bytes[18] == 2) /* a log without anything in it is no log */
        bytes[18] = bytes[19] = 1;
    if (sqlite3_deserialize(con, "main", bytes, (sqlite3_int64)main->bytes,
                            (sqlite3_int64)main->bytes + 1,
                            SQLITE_DESERIALIZE_FREEONCLOSE) != SQLITE_OK)
        die("cannot open the copy of a store: %s", sqlite3_errmsg(con));
    return con;
}

static sqlite3 *open_look(const char *store, int *steps)
{
    struct text main = { 0 };
    struct text journal = { 0 };
    struct text log = { 0 };
    bool is_alone = !read_behind(store, "-journal", &journal);
    sqlite3 *con;
    int off = 0;

    is_alone = !read_behind(store, "-wal", &log) && is_alone;
    if (!read_behind(store, "", &main))
        distrust(store, "there is no such file, or it is empty");
    con = is_alone ? open_memory(&main) : open_files(&main, &journal, &log);
    text_free(&main);
    text_free(&journal);
    text_free(&log);
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

/* Runs the first statement of *sql to its end and moves *sql behind it. */
static int run_one(sqlite3 *con, const char **sql, struct text *rows)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(con, *sql, -1, &statement, sql);

    while (statement && (code == SQLITE_OK || code == SQLITE_ROW)) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            add_row(rows, statement);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

char *store_rows(const char *store, const char *query)
{
    struct text rows = { 0 };
    int code = SQLITE_OK;
    int steps = 0;
    sqlite3 *con = open_look(store, &steps);

    text_add(&rows, "%s", "");
    while (code == SQLITE_OK && *query)
        code = run_one(con, &query, &rows);
    if (code != SQLITE_OK) {
        auto_free char *got = xstrdup(sqlite3_errmsg(con));

        distrust(store, got);
    }
    sqlite3_close(con);
    return rows.data;
}
