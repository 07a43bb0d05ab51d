/* Step 2: steps/worker/02-open_store.md.  All of it or none, whatever fails or dies. */
#include "02_open_store.h"
#include "storage_sweep.h"

#include <string.h>

/* A store as it was, what is to be made of it, and the error that is let happen. */
struct making {
    const char *role;
    char *none;
    char *all;
    int code;
};

static const char half_source[] =
    "CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " qty INTEGER NOT NULL, sent INTEGER NOT NULL CHECK(sent IN (0,1)));"
    "INSERT INTO outbox VALUES (3, 'a', 5, 1);";
static const char half_sink[] =
    "CREATE TABLE stock (id INTEGER PRIMARY KEY CHECK(id=1), total INTEGER NOT NULL);";

static void make_nothing(const char *store)
{
    (void)store;
}

static void make_half_source(const char *store)
{
    store_make(store, half_source);
}

static void make_half_sink(const char *store)
{
    store_make(store, half_sink);
}

static struct making a_making(const char *role, const char *there, int code)
{
    struct making making = { .role = role, .none = state_after(there), .code = code };
    auto_free char *whole = NULL;

    if (strcmp(role, "source") == 0)
        whole = xprintf("%s%s%s", orders_table, *there ? "" : outbox_table, there);
    else
        whole = xprintf("%s%s%s%s", inbox_table, *there ? "" : stock_table, there,
                        "INSERT INTO stock VALUES (1, 0);");
    making.all = state_after(whole);
    return making;
}

static struct answer open_it(void *context, struct puppet *worker, const struct how *how)
{
    const struct making *making = context;

    return open_named(worker, how->on, making->role, how);
}

static void judge_all_or_none(void *context, const char *store, struct answer answer)
{
    const struct making *making = context;
    auto_free char *state = state_of(store);
    auto_free char *expected = xprintf("all is made:\n%sor the store is as it was:\n%s",
                                       making->all, *making->none ? making->none : "(empty)\n");
    bool is_all = strcmp(state, making->all) == 0;

    expect(is_all || strcmp(state, making->none) == 0, expected, "%s", state);
    if (!answer.killed && answer.outcome.kind == OUTCOME_VALUE)
        expect(is_all, making->all, "{ VALUE, %d }, and in the store:\n%s", answer.outcome.code,
               state);
}

static void judge_error(void *context, const char *store, struct answer answer)
{
    const struct making *making = context;

    if (answer.outcome.kind == OUTCOME_VALUE)
        expect_outcome(answer, outcome_value(1));
    else
        expect_sqlite(answer, making->code);
    judge_all_or_none(context, store, answer);
}

static void open_again(void *context, struct puppet *other, const struct how *how)
{
    const struct making *making = context;

    stage_did("(the next process:)");
    expect_outcome(open_named(other, how->on, making->role, NULL), outcome_value(1));
    worker_close(other, how->on);
    expect_same("the store after the next process opened it", state_of(how->on),
                xstrdup(making->all));
}

static struct sweep a_sweep(struct making *making, void (*make)(const char *store))
{
    return (struct sweep){ .store = making->role,
                           .make = make,
                           .opens = true,
                           .call = open_it,
                           .judge = making->code ? judge_error : judge_all_or_none,
                           .complete = open_again,
                           .context = making };
}

static void expect_survives_kills(const char *role, const char *there,
                                  void (*make)(const char *store))
{
    struct making making = a_making(role, there, 0);
    struct sweep sweep = a_sweep(&making, make);

    sweep_kills(&sweep);
}

static void expect_survives_every_kill(const char *role, const char *there,
                                       void (*make)(const char *store))
{
    struct making making = a_making(role, there, 0);
    struct sweep sweep = a_sweep(&making, make);

    sweep_kills_thoroughly(&sweep);
}

static void expect_survives_errors(const char *role, const char *there,
                                   void (*make)(const char *store), int code)
{
    struct making making = a_making(role, there, code);
    struct sweep sweep = a_sweep(&making, make);

    sweep_errors(&sweep, code);
}

CHECK(open_store, a_kill_while_a_source_is_made_leaves_all_or_nothing, "open_store.5")
{
    expect_survives_kills("source", "", make_nothing);
}

DEEP_CHECK(open_store, a_kill_while_a_sink_is_made_leaves_all_or_nothing, "open_store.5")
{
    expect_survives_every_kill("sink", "", make_nothing);
}

DEEP_CHECK(open_store, a_kill_while_a_source_is_completed_leaves_all_or_nothing, "open_store.5")
{
    expect_survives_every_kill("source", half_source, make_half_source);
}

CHECK(open_store, a_kill_while_a_sink_is_completed_leaves_all_or_nothing, "open_store.5")
{
    struct making making = a_making("sink", half_sink, 0);
    struct sweep sweep = a_sweep(&making, make_half_sink);

    sweep.complete = NULL;
    sweep_kills(&sweep);
}

DEEP_CHECK(open_store, no_memory_at_any_moment_leaves_all_or_nothing, "common.2")
{
    struct making making = a_making("sink", "", 0);
    struct sweep sweep = a_sweep(&making, make_nothing);

    sweep_memory(&sweep);
}

CHECK(open_store, an_io_error_while_a_sink_is_made_is_handed_on, "open_store.7")
{
    expect_survives_errors("sink", "", make_nothing, SQLITE_IOERR);
}

DEEP_CHECK(open_store, an_io_error_while_a_source_is_made_is_handed_on, "open_store.7")
{
    expect_survives_errors("source", "", make_nothing, SQLITE_IOERR);
}

DEEP_CHECK(open_store, an_io_error_while_a_sink_is_completed_is_handed_on, "open_store.7")
{
    expect_survives_errors("sink", half_sink, make_half_sink, SQLITE_IOERR);
}

DEEP_CHECK(open_store, a_full_disk_while_a_sink_is_made_leaves_all_or_nothing, "open_store.5")
{
    expect_survives_errors("sink", "", make_nothing, SQLITE_FULL);
}

DEEP_CHECK(open_store, a_full_disk_while_a_source_is_completed_leaves_all_or_nothing,
           "open_store.5")
{
    expect_survives_errors("source", half_source, make_half_source, SQLITE_FULL);
}

/* What is made fails on the way: the error comes back, and the store is as it was. */
static void expect_nothing_made(struct puppet *worker, const char *store, const char *role,
                                const char *sql, int primary)
{
    stage_did("(the store before: %s)", sql);
    store_make(store, sql);
    expect_sqlite(open_named(worker, store, role, NULL), primary);
    expect_same("the store then", state_of(store), state_after(sql));
    stage_forget();
}

CHECK(open_store, what_is_refused_on_the_way_undoes_all_of_it, "open_store.5")
{
    struct puppet *worker = puppet_start();
    auto_free char *stock = two_texts(inbox_table, "CREATE INDEX stock ON inbox (qty);");
    auto_free char *inbox = two_texts(stock_table, "CREATE INDEX inbox ON stock (total);");
    auto_free char *outbox = two_texts(orders_table, "INSERT INTO orders VALUES ('a', 1);"
                                                     "CREATE INDEX outbox ON orders (qty);");
    auto_free char *orders = two_texts(outbox_table, "CREATE INDEX orders ON outbox (qty);");
    auto_free char *refused_in_log = two_texts(wal, refused_stock);

    expect_nothing_made(worker, "one", "sink", stock, SQLITE_ERROR);
    expect_nothing_made(worker, "two", "sink", inbox, SQLITE_ERROR);
    expect_nothing_made(worker, "three", "source", outbox, SQLITE_ERROR);
    expect_nothing_made(worker, "four", "source", orders, SQLITE_ERROR);
    expect_nothing_made(worker, "five", "sink", refused_stock, SQLITE_CONSTRAINT);
    expect_nothing_made(worker, "six", "sink", undone_stock, SQLITE_CONSTRAINT);
    expect_nothing_made(worker, "seven", "sink", refused_in_log, SQLITE_CONSTRAINT);
}
