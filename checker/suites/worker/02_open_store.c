/* Step 2: steps/worker/02-open_store.md.  Roles, what comes back, what fails, what is kept. */
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
    NULL,   "",       "Source", "SOURCE",    "sources",     "sourc",       "sinkx",      " source",
    "Sink", "SINK",   "sin",    "sink ",     "so",          "sourcE",      "sinK",       "soubce",
    "sunk", "sink\t", "orders", "warehouse", "source,sink", "sink/source", "sourcesink", "0",
};

static void expect_each_bad_role_invalid(struct puppet *worker, const char *path)
{
    for (size_t i = 0; i < sizeof bad_roles / sizeof *bad_roles; i++) {
        expect_error(call_open_store(worker, path, bad_roles[i], "none", NULL), OUTCOME_INVALID);
        stage_forget();
    }
}

CHECK(open_store, any_other_role_is_invalid_and_no_file_appears_or_changes, "open_store.1")
{
    struct puppet *worker = puppet_start();
    auto_free char *path = store_path("new");
    auto_free char *nowhere = path_in_stage("nowhere/new.db");
    auto_free char *junk = path_in_stage("notes.txt");
    char *before;
    store_make("half", orders_table);
    write_file(junk, "no database", 11);
    before = list_files();

    expect_each_bad_role_invalid(worker, path);
    expect_error(call_open_store(worker, nowhere, "Source", "none", NULL), OUTCOME_INVALID);
    expect_error(call_open_store(worker, junk, "sinks", "none", NULL), OUTCOME_INVALID);
    expect_error(open_named(worker, "half", "sourc", NULL), OUTCOME_INVALID);
    expect_error(open_named(worker, "half", "Sink", NULL), OUTCOME_INVALID);

    expect_same("files", list_files(), before);
    expect_bytes(junk, "no database", 11);
    expect_same("what is in the half store", things_in("half"), xstrdup("table orders\n"));
}

CHECK(open_store, the_connection_writes_to_the_file_and_then_closes, "open_store.2")
{
    struct puppet *worker = puppet_start();
    sink_make_as("old");
    expect_error(open_named(worker, "new", "sourc", NULL), OUTCOME_INVALID);
    expect_opened(worker, "new", "source");
    expect_opened(worker, "shop", "sink");
    expect_opened(worker, "old", "sink");

    expect_runs(worker, "new", "INSERT INTO orders (id, qty) VALUES ('" LONG_ID "', 1)");
    expect_runs(worker, "shop", "BEGIN; UPDATE stock SET total = 7; COMMIT");
    expect_runs(worker, "old", "UPDATE stock SET total = total + 1");

    expect_same("orders", store_rows("new", "SELECT id, qty FROM orders"), xstrdup(LONG_ID "|1\n"));
    expect_same("stock", store_rows("shop", "SELECT id, total FROM stock"), xstrdup("1|7\n"));
    expect_same("stock", store_rows("old", "SELECT id, total FROM stock"), xstrdup("1|1\n"));
    expect_closes(worker, "new");
    expect_closes(worker, "shop");
    expect_closes(worker, "old");
}

/* Not of one byte: that is an empty database to SQLite. */
static void expect_junk_refused(struct puppet *worker, const char *role, const char *bytes,
                                size_t count)
{
    auto_free char *path = path_in_stage("notes.txt");

    write_file(path, bytes, count);
    stage_did("(notes.txt is %zu bytes that are no database)", count);
    expect_sqlite(call_open_store(worker, path, role, "none", NULL), SQLITE_NOTADB);
    expect_bytes(path, bytes, count);
    stage_forget();
}

static void expect_error_comes_back(struct puppet *worker, const char *store, const char *sql)
{
    stage_did("(the store before: %s)", sql);
    store_make(store, sql);
    expect_sqlite(open_named(worker, store, "sink", NULL), SQLITE_CONSTRAINT);
    stage_forget();
}

CHECK(open_store, an_error_comes_back_as_it_was_and_leaves_the_file, "open_store.7")
{
    struct puppet *worker = puppet_start();
    auto_free char *nowhere = path_in_stage("nowhere/new.db");
    auto_free char *text = xmalloc(9000);
    auto_free char *zeros = xmalloc(8192);
    char *before = list_files();
    memset(text, 'x', 9000);
    memset(zeros, 0, 8192);

    expect_sqlite(call_open_store(worker, nowhere, "source", "none", NULL), SQLITE_CANTOPEN);
    expect_sqlite(call_open_store(worker, stage_directory(), "sink", "none", NULL),
                  SQLITE_CANTOPEN);
    expect_same("files", list_files(), before);
    expect_junk_refused(worker, "sink", "xy", 2);
    expect_junk_refused(worker, "source", "SQLite format 2, and so on", 26);
    expect_junk_refused(worker, "sink", text, 600);
    expect_junk_refused(worker, "source", text, 9000);
    expect_junk_refused(worker, "sink", zeros, 8192);
    expect_error_comes_back(worker, "refused", refused_stock);
    expect_error_comes_back(worker, "undone", undone_stock);
}

CHECK(open_store, many_openings_and_many_failures_keep_nothing, "common.3")
{
    struct puppet *worker = puppet_start();
    auto_free char *nowhere = path_in_stage("nowhere/new");
    auto_free char *junk = path_in_stage("notes.txt");
    struct how often = { .times = 15 };
    write_file(junk, "no database", 11);

    expect_sqlite(call_open_store(worker, nowhere, "sink", "none", &often), SQLITE_CANTOPEN);
    expect_sqlite(call_open_store(worker, junk, "source", "none", &often), SQLITE_NOTADB);
    expect_error(call_open_store(worker, junk, "junk", "none", &often), OUTCOME_INVALID);
    expect_outcome(open_named(worker, "shop", "source", &often), outcome_value(1));
    expect_outcome(open_named(worker, "warehouse", "sink", &often), outcome_value(1));
}

CHECK(open_store, stores_are_apart_and_a_removed_one_is_made_again, "common.7")
{
    struct puppet *worker = puppet_start();
    auto_free char *path = store_path("four");
    expect_opened(worker, "one", "source");
    expect_opened(worker, "two", "source");
    expect_opened(worker, "three", "sink");
    expect_opened(worker, "four", "sink");
    expect_closes(worker, "four");

    expect_runs(worker, "one", "INSERT INTO orders (id, qty) VALUES ('a', 1)");
    expect_runs(worker, "three", "UPDATE stock SET total = 6");
    unlink(path);
    expect_opened(worker, "four", "sink");

    expect_same("the first", state_of("one"),
                xstrdup("table orders\ntable outbox\norders 'a'|1\n"));
    expect_same("the second", state_of("two"), xstrdup("table orders\ntable outbox\n"));
    expect_same("the third", state_of("three"), xstrdup("table inbox\ntable stock\nstock 1|6\n"));
    expect_same("the fourth", state_of("four"), xstrdup("table inbox\ntable stock\nstock 1|0\n"));
}
