/* Step 2: steps/worker/02-open_store.md.  Roles, paths, what comes back, what fails. */
#include "02_open_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The names of all files in the check's directory, in order. */
static char *list_files(void)
{
    struct text list = { 0 };
    struct dirent **entries = NULL;
    int count = scandir(stage_directory(), &entries, NULL, alphasort);

    text_add(&list, "%s", "");
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            text_add(&list, "%s\n", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return list.data;
}

static char *path_in_stage(const char *name)
{
    return xprintf("%s/%s", stage_directory(), name);
}

static void write_file(const char *path, const char *bytes, size_t count)
{
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || !write_all(fd, bytes, count))
        die("cannot write %s: %s", path, strerror(errno));
}

static void expect_bytes(const char *path, const char *bytes, size_t count)
{
    auto_close int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    auto_free char *got = xmalloc(count + 1);
    ssize_t size = fd < 0 ? -1 : read(fd, got, count + 1);

    expect(size == (ssize_t)count && memcmp(got, bytes, count) == 0,
           "the file is left as it was, byte by byte", "%s",
           size < 0 ? "it is gone" : "it has changed");
}

static const char *const bad_roles[] = {
    NULL,      "",         "Source", "SOURCE",     "sources",     "sourc",       "sinkx",
    " source", "source ",  "orders", "Sink",       "SINK",        "sin",         " sink",
    "sink ",   "s",        "so",     "si",         "sourcE",      "sinK",        "soubce",
    "sunk",    "source\n", "sink\t", "sourcesink", "source,sink", "sink/source", "outbox",
    "inbox",   "stock",    "store",  "warehouse",  "both",        "0",           "1",
    "drain",   "ecruos",   "knis",   "\"source\"", "'sink'",
};

static void expect_each_bad_role_invalid(struct puppet *worker, const char *path)
{
    for (size_t i = 0; i < sizeof bad_roles / sizeof *bad_roles; i++) {
        expect_error(call_open_store(worker, path, bad_roles[i], "none", NULL), OUTCOME_INVALID);
        stage_forget();
    }
}

CHECK(open_store, any_other_role_is_invalid_and_no_file_appears, "open_store.1")
{
    struct puppet *worker = puppet_start();
    auto_free char *path = store_path("new");
    char *before = list_files();

    expect_each_bad_role_invalid(worker, path);

    expect_same("files", list_files(), before);
}

CHECK(open_store, a_bad_role_is_refused_before_a_bad_path_shows, "open_store.1")
{
    struct puppet *worker = puppet_start();
    auto_free char *nowhere = path_in_stage("nowhere/new.db");
    auto_free char *junk = store_path("junk");
    write_file(junk, "no database", 11);

    expect_error(call_open_store(worker, nowhere, "Source", "none", NULL), OUTCOME_INVALID);
    expect_error(call_open_store(worker, junk, "sinks", "none", NULL), OUTCOME_INVALID);

    expect_bytes(junk, "no database", 11);
}

CHECK(open_store, a_bad_role_changes_nothing_in_a_store, "open_store.1")
{
    struct puppet *worker = puppet_start();
    auto_free char *path = store_path("half");
    auto_free char *sql = two_texts(orders_table, "INSERT INTO orders VALUES ('a', 3);");
    store_make("half", sql);

    expect_each_bad_role_invalid(worker, path);

    expect_same("the store", state_of("half"), state_after(sql));
}

CHECK(open_store, both_roles_are_accepted_after_one_was_refused, "open_store.2")
{
    struct puppet *worker = puppet_start();
    expect_error(open_named(worker, "new", "sourc", NULL), OUTCOME_INVALID);

    expect_opened(worker, "new", "source");
    expect_opened(worker, "shop", "sink");

    expect_number("the code of sqlite3_close", close_of(worker, "new"), SQLITE_OK);
    expect_number("the code of sqlite3_close", close_of(worker, "shop"), SQLITE_OK);
}

static void expect_writable(struct puppet *worker, const char *store, const char *sql)
{
    expect_number("the result of a write through the connection", run_on(worker, store, sql),
                  SQLITE_OK);
}

CHECK(open_store, what_the_connection_writes_is_in_the_file, "open_store.2")
{
    struct puppet *worker = puppet_start();
    auto_free char *sink =
        xprintf("%s%s%s", inbox_table, stock_table, "INSERT INTO stock VALUES (1, 42);");
    store_make("old", sink);
    expect_opened(worker, "new", "source");
    expect_opened(worker, "old", "sink");

    expect_writable(worker, "new", "INSERT INTO orders (id, qty) VALUES ('a', 1)");
    expect_writable(worker, "old", "UPDATE stock SET total = total + 1");

    expect_same("orders", store_rows("new", "SELECT id, qty FROM orders"), xstrdup("a|1\n"));
    expect_same("stock", store_rows("old", "SELECT id, total FROM stock"), xstrdup("1|43\n"));
}

CHECK(open_store, the_connection_closes_after_it_was_used, "open_store.2")
{
    struct puppet *worker = puppet_start();
    expect_opened(worker, "shop", "sink");
    expect_writable(worker, "shop", "BEGIN; UPDATE stock SET total = 7; COMMIT");
    expect_number("the code of sqlite3_close", close_of(worker, "shop"), SQLITE_OK);

    expect_opened(worker, "shop", "sink");

    expect_number("the code of sqlite3_close", close_of(worker, "shop"), SQLITE_OK);
}

/* Its path is taken as it is, whatever characters are in it. */
static void expect_opens_at(struct puppet *worker, const char *path, const char *store)
{
    char *tables = xstrdup("table orders\ntable outbox\n");

    expect_outcome(call_open_store(worker, path, "source", "odd", NULL), outcome_value(1));
    expect_number("the code of sqlite3_close", close_of(worker, "odd"), SQLITE_OK);
    expect_same("in the file that the path names", things_in(store), tables);
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

    expect_opens_named(worker, "two words ");
    expect_opens_named(worker, "it's \"odd\"; %41%s%d #1?mode=memory&x=y");
    expect_opens_named(worker, "caf\xc3\xa9 \xe2\x82\xac\\n");
    expect_opens_named(worker, "source");
    expect_opens_named(worker, "SINK");
}

CHECK(open_store, a_relative_path_starts_at_the_working_directory, "open_store.3")
{
    struct puppet *worker = puppet_start();
    auto_free char *inner = path_in_stage("inner");
    mkdir(inner, 0700);

    expect_opens_at(worker, "plain.db", "plain");
    expect_opens_at(worker, "./dotted.db", "dotted");
    expect_opens_at(worker, "inner/deep.db", "inner/deep");
    expect_opens_at(worker, "inner/../up.db", "up");
    expect_opens_at(worker, "-dash.db", "-dash");
}

CHECK(open_store, a_long_path_is_taken_whole, "open_store.3")
{
    struct puppet *worker = puppet_start();
    auto_free char *name = xmalloc(121);
    auto_free char *inner = NULL;
    auto_free char *store = NULL;
    memset(name, 'n', 120);
    name[120] = '\0';
    inner = path_in_stage(name);
    store = xprintf("%s/%s", name, name);
    mkdir(inner, 0700);

    expect_opens_named(worker, store);
}

/* Not of one byte: that is an empty database to SQLite. */
static void expect_junk_refused(struct puppet *worker, const char *bytes, size_t count)
{
    auto_free char *path = path_in_stage("notes.txt");

    write_file(path, bytes, count);
    stage_did("(notes.txt is %zu bytes that are no database)", count);
    expect_sqlite(call_open_store(worker, path, "source", "none", NULL), SQLITE_NOTADB);
    expect_bytes(path, bytes, count);
    expect_sqlite(call_open_store(worker, path, "sink", "none", NULL), SQLITE_NOTADB);
    expect_bytes(path, bytes, count);
    stage_forget();
}

CHECK(open_store, a_file_that_is_no_database_is_left_as_it_was, "open_store.7")
{
    struct puppet *worker = puppet_start();
    auto_free char *text = xmalloc(9000);
    auto_free char *zeros = xmalloc(8192);
    memset(text, 'x', 9000);
    memset(zeros, 0, 8192);

    expect_junk_refused(worker, "xy", 2);
    expect_junk_refused(worker, "SQLite format 2, and so on", 26);
    expect_junk_refused(worker, text, 600);
    expect_junk_refused(worker, text, 9000);
    expect_junk_refused(worker, zeros, 8192);
}

CHECK(open_store, a_path_that_cannot_be_opened_is_an_error, "open_store.7")
{
    struct puppet *worker = puppet_start();
    auto_free char *nowhere = path_in_stage("nowhere/new.db");
    auto_free char *parent = path_in_stage("nowhere");

    expect_sqlite(call_open_store(worker, nowhere, "source", "none", NULL), SQLITE_CANTOPEN);
    expect_sqlite(call_open_store(worker, stage_directory(), "sink", "none", NULL),
                  SQLITE_CANTOPEN);

    expect(!is_there(parent), "no directory is made", "there is one now");
}

CHECK(open_store, many_failures_leave_nothing_behind, "common.3")
{
    struct puppet *worker = puppet_start();
    auto_free char *nowhere = path_in_stage("nowhere/new");
    auto_free char *junk = path_in_stage("notes.txt");
    struct how often = { .times = 30 };
    write_file(junk, "no database", 11);

    expect_sqlite(call_open_store(worker, nowhere, "sink", "none", &often), SQLITE_CANTOPEN);
    expect_sqlite(call_open_store(worker, junk, "source", "none", &often), SQLITE_NOTADB);
    expect_error(call_open_store(worker, junk, "junk", "none", &often), OUTCOME_INVALID);
}

CHECK(open_store, opening_and_closing_many_times_keeps_no_memory, "common.3")
{
    struct puppet *worker = puppet_start();
    struct how often = { .times = 30 };

    expect_outcome(open_named(worker, "shop", "source", &often), outcome_value(1));
    expect_outcome(open_named(worker, "warehouse", "sink", &often), outcome_value(1));

    expect_number("the code of sqlite3_close", close_of(worker, "shop"), SQLITE_OK);
}
