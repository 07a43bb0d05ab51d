/* Step 10: steps/ordered/10-open_side.md - modes, locks, failures and kills */
#include "10_open_side.h"
#include "moments.h"
#include "storage_sweep.h"

/* Longer than a second, and on no machine as long as five: it is not scaled. */
#define HOLD_MS 1300

static void expect_pragma(struct puppet *worker, const char *store, const char *pragma,
                          const char *expected)
{
    auto_free char *sql = xprintf("PRAGMA %s", pragma);

    expect_same(sql, puppet_rows(worker, store, sql), xstrdup(expected));
}

/* Where nothing is to make it may wait for the lock or not; but what it opens is in WAL mode. */
static void expect_wal_or_error(struct puppet *worker, const char *store)
{
    struct holder holder = { 0 };
    struct how how = moment_held(&holder, store, "BEGIN IMMEDIATE", 100);
    struct answer answer = open_named(worker, store, "producer", &how);

    if (answer.outcome.kind == OUTCOME_VALUE)
        expect_pragma(worker, store, "journal_mode", "wal\n");
    else
        expect_error(answer, OUTCOME_SQLITE);
}

CHECK(open_side, the_file_is_in_wal_mode_and_the_connection_at_full, "open_side.3")
{
    struct puppet *worker = puppet_start();

    side_make_plain("consumer", "plain", "");
    expect_opened(worker, "new", "producer");
    expect_opened(worker, "plain", "consumer");
    expect_pragma(worker, "new", "journal_mode", "wal\n");
    expect_pragma(worker, "new", "synchronous", "2\n");
    expect_pragma(worker, "plain", "journal_mode", "wal\n");
    expect_pragma(worker, "plain", "synchronous", "2\n");
    side_make_plain("producer", "held", "");
    expect_wal_or_error(worker, "held");
}

CHECK(open_side, each_time_it_is_opened_the_connection_is_at_full_again, "open_side.3")
{
    struct puppet *worker = puppet_start();
    struct puppet *other = puppet_start();
    struct envelope sent = event_of("flow-a", 1, 7);

    for (int i = 0; i < 2; i++) {
        expect_opened(worker, "new", "consumer");
        expect_pragma(worker, "new", "journal_mode", "wal\n");
        expect_pragma(worker, "new", "synchronous", "2\n");
        sql_on(worker, "new", "PRAGMA synchronous = OFF");
        worker_close(worker, "new");
    }
    expect_opened(other, "new", "consumer");
    expect_pragma(other, "new", "synchronous", "2\n");
    side_make("producer", "old", outbox_row(&sent, 0));
    expect_opened(other, "old", "producer");
    expect_pragma(other, "old", "synchronous", "2\n");
}

static void make_half(void)
{
    store_make("half", "CREATE TABLE flow (flow_id TEXT PRIMARY KEY, stage TEXT NOT NULL,"
                       " seq INTEGER NOT NULL, quantity INTEGER NOT NULL)");
    stage_did("(half.db has the table flow and no other, and is in no WAL mode yet)");
}

EARLY_CHECK(open_side, it_waits_for_a_lock_where_there_is_something_to_make, "open_side.3")
{
    struct puppet *worker = puppet_start();
    struct holder holder = { 0 };
    struct how how;
    struct answer answer;

    make_half();
    how = moment_held(&holder, "half", "BEGIN IMMEDIATE", HOLD_MS);
    how.directions.deadline_ms = 5000;
    answer = open_named(worker, "half", "producer", &how);
    expect_outcome(answer, outcome_value(1));
    expect(holder.released, "the call waits for the lock", "it did not");
    expect_same("in the file", things_in("half"), xstrdup(PRODUCER_THINGS));
}

/* Begins a write through the connection while another process holds the lock. */
static int64_t begin_write(struct puppet *worker, struct puppet *hand, const char *store,
                           const char *sql)
{
    cJSON *order = order_of("sql");

    puppet_open(hand, store, store, 0);
    sql_on(hand, store, "BEGIN IMMEDIATE");
    cJSON_AddStringToObject(order, "on", store);
    cJSON_AddStringToObject(order, "sql", sql);
    stage_did("(a write through the connection, while another process holds the lock)");
    puppet_say(worker, order);
    return clock_ms();
}

/* The write's result code, or -1 where it is not there in time. */
static int hear_write(struct puppet *worker, int wait_ms)
{
    enum puppet_state state;
    cJSON *answer = puppet_listen(worker, wait_ms, &state);

    return answer ? said_number(answer, "code") & 0xff : -1;
}

/* One row in either role. */
#define A_FLOW       "INSERT INTO flow VALUES ('a', 'reserved', 1, 5)"
#define A_PROJECTION "INSERT INTO projection VALUES ('a', 'reserved', 1, 5)"

EARLY_CHECK(open_side, a_write_through_the_connection_waits_for_more_than_a_second, "open_side.3")
{
    struct puppet *worker = puppet_start();
    struct puppet *other = puppet_start();
    struct puppet *hand = puppet_start_hand();

    side_make("consumer", "whole", "");
    expect_opened(worker, "new", "producer");
    expect_opened(other, "whole", "consumer");
    begin_write(worker, hand, "new", A_FLOW);
    begin_write(other, hand, "whole", A_PROJECTION);
    expect_number("the write's code while the lock is held (-1: it waits)",
                  hear_write(worker, HOLD_MS), -1);
    expect_number("the other's code while the lock is held (-1: it waits)", hear_write(other, 0),
                  -1);
    sql_on(hand, "new", "ROLLBACK");
    sql_on(hand, "whole", "ROLLBACK");
    expect_number("the write's code then", hear_write(worker, stage_ms(3000)), SQLITE_OK);
    expect_number("the other's code then", hear_write(other, stage_ms(3000)), SQLITE_OK);
}

DEEP_CHECK(open_side, a_write_through_the_connection_gives_up_after_five_seconds, "open_side.3")
{
    struct puppet *worker = puppet_start();
    int64_t started_ms;

    expect_opened(worker, "new", "producer");
    started_ms = begin_write(worker, puppet_start_hand(), "new", A_FLOW);
    expect_number("the write's code", hear_write(worker, stage_ms(15000)), SQLITE_BUSY);
    expect(clock_ms() - started_ms >= 3000, "it waits for about five seconds",
           "it gave up after %lld ms", (long long)(clock_ms() - started_ms));
}

/* A lock that a reader holds is in the way of the log only, and SQLite does not wait for it itself. */
DEEP_CHECK(open_side, a_lock_that_stays_makes_it_busy_after_about_five_seconds, "open_side.3")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand = puppet_start_hand();
    struct how how = { .directions = { .deadline_ms = 15000 } };
    struct answer answer;

    make_half();
    side_make_plain("producer", "read", "");
    puppet_open(hand, "half", "half", 0);
    puppet_open(hand, "read", "read", 0);
    sql_on(hand, "half", "BEGIN IMMEDIATE");
    sql_on(hand, "read", "BEGIN; SELECT count(*) FROM flow");
    stage_did("(another process writes to half and reads from read, and does not end)");
    answer = open_named(worker, "half", "producer", &how);
    expect_sqlite(answer, SQLITE_BUSY);
    expect(answer.ms >= 3000, "it waits for about five seconds", "it gave up after %lld ms",
           (long long)answer.ms);
    expect_sqlite(open_named(worker, "read", "producer", &how), SQLITE_BUSY);
}

CHECK(open_side, two_connections_of_a_process_see_what_the_other_committed, "open_side.2")
{
    struct puppet *worker = puppet_start();
    auto_free char *path = store_path("shop");

    expect_outcome(call_open_side(worker, path, "producer", "one", NULL), outcome_value(1));
    expect_outcome(call_open_side(worker, path, "producer", "other", NULL), outcome_value(1));
    expect_number("the code of a write through the first",
                  sql_on(worker, "one",
                         "INSERT INTO flow VALUES ('a', 'x', 1, 5); BEGIN IMMEDIATE;"
                         " UPDATE flow SET seq = 2"),
                  SQLITE_OK);
    expect_same("seq, as the other sees it", puppet_rows(worker, "other", "SELECT seq FROM flow"),
                xstrdup("1\n"));
    expect_number("the code of its COMMIT", sql_on(worker, "one", "COMMIT"), SQLITE_OK);
    expect_same("seq then", puppet_rows(worker, "other", "SELECT seq FROM flow"), xstrdup("2\n"));
}

CHECK(open_side, what_is_no_database_is_an_error_and_leaves_no_connection, "open_side.4")
{
    struct puppet *worker = puppet_start();
    auto_free char *path = store_path("text");
    auto_free char *folder = store_path("folder");
    FILE *file = fopen(path, "we");

    fputs("this is a text and no database, and long enough for a header of one of those, which "
          "has a hundred bytes\n",
          file);
    fclose(file);
    mkdir(folder, 0700);
    expect_sqlite(open_named(worker, "text", "producer", NULL), SQLITE_NOTADB);
    expect_sqlite(open_named(worker, "folder", "consumer", NULL), SQLITE_CANTOPEN);
    expect_sqlite(call_open_side(worker, "none/at-all.db", "consumer", "x", NULL), SQLITE_CANTOPEN);
}

/* --- sweeps ---------------------------------------------------------------------------- */

static const char *swept_role;
static int swept_code;

static void make_nothing(const char *store)
{
    (void)store;
}

static struct answer open_swept(void *context, struct puppet *worker, const struct how *how)
{
    (void)context;
    return open_named(worker, how->on, swept_role, how);
}

static void judge_swept(void *context, const char *store, struct answer answer)
{
    const char *all = swept_role[0] == 'p' ? PRODUCER_THINGS : CONSUMER_THINGS;
    auto_free char *things = things_in(store);
    bool is_all = strcmp(things, all) == 0;

    (void)context;
    expect(is_all || *things == '\0', "all tables or none", "%s", things);
    if (answer.killed)
        return;
    if (answer.outcome.kind == OUTCOME_VALUE) {
        expect_outcome(answer, outcome_value(1));
        expect(is_all, "all tables", "%s", things);
    } else {
        expect_sqlite(answer, swept_code);
    }
}

static struct sweep sweep_of(const char *role, int code)
{
    swept_role = role;
    swept_code = code;
    return (struct sweep){
        .store = role, .make = make_nothing, .opens = true, .call = open_swept, .judge = judge_swept
    };
}

CHECK(open_side, a_kill_while_it_is_made_leaves_all_tables_or_none, "open_side.2")
{
    struct sweep sweep = sweep_of("consumer", 0);

    sweep_kills(&sweep);
}

CHECK(open_side, an_error_of_storage_is_handed_on_and_the_connection_closed, "open_side.4")
{
    struct sweep sweep = sweep_of("producer", SQLITE_IOERR);

    sweep_errors(&sweep, SQLITE_IOERR);
}

CHECK(open_side, a_table_that_cannot_be_made_undoes_the_others, "open_side.4")
{
    struct puppet *worker = puppet_start();

    store_make("one", "CREATE TABLE mine (a); CREATE INDEX effect ON mine (a)");
    expect_sqlite(open_named(worker, "one", "consumer", NULL), SQLITE_ERROR);
    expect_same("in the file", things_in("one"), xstrdup("table mine\n"));
}

CHECK(open_side, only_its_own_connection_is_opened_and_nothing_is_left_over, "common.3")
{
    struct puppet *worker = puppet_start();
    struct how how = { .times = 12 };

    expect_outcome(open_named(worker, "new", "producer", &how), outcome_value(1));
    expect_outcome(open_named(worker, "none", "x", &how), outcome_of(OUTCOME_INVALID, 0));
}
