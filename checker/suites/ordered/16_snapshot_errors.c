/* Step 16: steps/ordered/16-snapshot.md - hooks and reads that fail, and what is left as it was */
#include "16_snapshot.h"

#include "storage_sweep.h"

static void make_empty(const char *store)
{
    side_make(strstr(store, "producer") ? "producer" : "consumer", store, "");
}

/* A side's store, and what its snapshot is. */
struct side {
    const char *store; /* its name begins with the role's */
    const char *role;
    void (*make)(const char *store);
    const char *tables;
};

static void expect_handed_on(const struct side *side)
{
    struct puppet *worker;

    side->make(side->store);
    worker = worker_at(side->store, 50);
    for (int i = 0; i < FAILURES; i++) {
        struct reply_at reply = { "between-tables", failures[i] };
        struct how how = moment_reply(&reply);
        struct answer answer;

        how.no_context = i % 2 == 1;
        answer = call_snapshot(worker, side->store, side->role, &how);
        expect_outcome(answer, failures[i]);
        expect_points(answer, "between-tables");
    }
    expect_tables(call_snapshot(worker, side->store, side->role, NULL), side->tables);
    stage_forget();
}

static const struct side sides[] = {
    { "producer", "producer", make_producer, producer_text },
    { "consumer", "consumer", make_consumer, consumer_text },
    { "producer-empty", "producer", make_empty, "{\"flow\":[],\"outbox\":[]}" },
    { "consumer-empty", "consumer", make_empty, "{\"inbox\":[],\"projection\":[],\"effect\":[]}" },
};

CHECK(snapshot, a_hook_that_fails_between_the_tables_is_handed_on, "snapshot.2")
{
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        expect_handed_on(&sides[i]);
}

/* How many of a snapshot's reads of the storage come behind the point: each fails once. */
static int reads_behind_the_point(const char *role)
{
    struct puppet *worker = puppet_start();
    struct how how = { .storage_code = SQLITE_IOERR, .storage_reads = true };
    int behind = 0;

    for (;;) {
        struct answer answer;

        how.storage_at++;
        stage_forget();
        worker_open(worker, role, 50);
        answer = call_snapshot(worker, role, role, &how);
        worker_close(worker, role);
        if (answer.operations < how.storage_at)
            return behind;
        behind += *answer.points != '\0';
    }
}

/* Of the tables one has some pages, and each of the others one or two. */
static void expect_the_point_before(const char *role, const char *fill)
{
    auto_free char *sql = xprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                                  " WHERE i < 200) INSERT INTO %s FROM n;",
                                  fill);
    int behind;

    side_make(role, role, sql);
    behind = reads_behind_the_point(role);
    stage_did("(in the store: %s)", sql);
    stage_did("(with each read of the storage that fails in turn, as long as one fails)");
    expect(behind >= 5,
           "the hook is called before the second table is read: 5 reads or more are "
           "behind it",
           "%d", behind);
    stage_forget();
}

CHECK(snapshot, the_point_stands_before_the_second_table, "snapshot.2")
{
    expect_the_point_before("consumer", "projection SELECT printf('%080d', i), 'reserved', 1, 7");
    expect_the_point_before(
        "producer", "outbox SELECT i, 'e' || i, printf('%080d', i), 1, 1, 'reserved', '{}', 1");
}

static struct answer read_swept(void *side, struct puppet *worker, const struct how *how)
{
    struct how mine = *how;

    mine.no_hook = true;
    return call_snapshot(worker, how->on, ((const struct side *)side)->role, &mine);
}

static void judge_swept(void *side, const char *store, struct answer answer)
{
    (void)store;
    if (answer.outcome.kind == OUTCOME_VALUE)
        expect_tables(answer, ((const struct side *)side)->tables);
    else
        expect_sqlite(answer, SQLITE_IOERR);
}

static void expect_reads_handed_on(struct side side)
{
    struct sweep sweep = { .store = side.store,
                           .make = side.make,
                           .busy_timeout_ms = 20,
                           .call = read_swept,
                           .judge = judge_swept,
                           .context = &side };

    sweep_errors(&sweep, SQLITE_IOERR);
}

CHECK(snapshot, an_error_of_any_read_is_handed_on, "common.4")
{
    expect_reads_handed_on(sides[1]);
    expect_reads_handed_on(sides[0]);
}

/* The tables, with a blank between two, are dropped one after the other. */
static void expect_no_tables(struct puppet *worker, const char *role, const char *tables)
{
    char *names = xstrdup(tables);
    char *rest = names;
    char *name;

    while ((name = strsep(&rest, " ")) != NULL) {
        auto_free char *sql = xprintf("DROP TABLE %s", name);

        expect_number("the code of DROP TABLE", sql_on(worker, "other", sql), SQLITE_OK);
        stage_did("(through another connection: %s)", sql);
        expect_sqlite(call_snapshot(worker, role, role, NULL), SQLITE_ERROR);
    }
    free(names);
}

static void expect_unreadable(struct puppet *worker, const char *role, const char *tables)
{
    side_make_plain(role, role, "");
    worker_open(worker, role, 20);
    puppet_open(worker, role, "other", 0);
    sql_on(worker, "other", "BEGIN EXCLUSIVE");
    stage_did("(in rollback mode; through another connection: BEGIN EXCLUSIVE)");
    expect_sqlite(call_snapshot(worker, role, role, NULL), SQLITE_BUSY);
    sql_on(worker, "other", "ROLLBACK");
    stage_forget();
    expect_no_tables(worker, role, tables);
    worker_close(worker, "other");
    stage_forget();
}

CHECK(snapshot, a_table_that_is_locked_or_missing_is_not_an_empty_one, "common.4")
{
    struct puppet *worker = puppet_start();

    expect_unreadable(worker, "producer", "outbox flow");
    expect_unreadable(worker, "consumer", "effect projection inbox");
}

CHECK(snapshot, the_patience_of_the_connection_stays, "common.5")
{
    struct puppet *worker;

    make_consumer("consumer");
    worker = worker_at("consumer", 50);
    set_patience(worker, "consumer");
    expect_tables(call_snapshot(worker, "consumer", "consumer", NULL), consumer_text);
    expect_patience(worker, "consumer", hand_open("consumer"));
}

CHECK(snapshot, memory_does_not_grow, "common.3")
{
    struct puppet *worker;
    struct how how = { .times = 30, .no_hook = true };

    make_consumer("consumer");
    worker = worker_at("consumer", 50);
    expect_tables(call_snapshot(worker, "consumer", "consumer", &how), consumer_text);
    expect_outcome(call_snapshot(worker, "consumer", "x", &how), outcome_of(OUTCOME_INVALID, 0));
}
