/* Step 2: steps/worker/02-open_store.md.  Other processes, and what lasts. */
#include "02_open_store.h"

#include <string.h>

#define HOLD_MS        150
#define EARLY_MS       600  /* a release that came later than this proves nothing: play it again */
#define GIVE_UP_MS     500  /* about one second, at least */
#define PATIENCE_MS    3000 /* about one second, at most  */
#define TIMEOUT_MS_MAX 2000 /* the same where nothing has to be measured */
#define SLACK_MS       500  /* of it that is longer on a slow machine */

static const char half_sink[] =
    "CREATE TABLE stock (id INTEGER PRIMARY KEY CHECK(id=1), total INTEGER NOT NULL);"
    "INSERT INTO stock VALUES (1, 42);";

/* Most of the wait is sleep, which is no longer on a slow machine. */
static int patience_ms(void)
{
    return PATIENCE_MS - SLACK_MS + stage_ms(SLACK_MS);
}

/* Another process that lets its lock go while the call waits. */
struct holder {
    struct puppet *hand;
    const char *store;
    const char *sql;
    int64_t started_ms;
    int64_t held_ms; /* 0: the call came back before */
};

static void let_go(void *context)
{
    struct holder *holder = context;

    expect_runs(holder->hand, holder->store, holder->sql);
    holder->held_ms = clock_ms() - holder->started_ms;
}

/* Another process holds the lock on the store, and lets it go while open_store waits. */
static void expect_waits(struct puppet *worker, struct puppet *hand, const char *store,
                         const char *role, const char *lock, const char *release,
                         const char *expected)
{
    struct holder holder = { .hand = hand, .store = store, .sql = release };
    struct how how = { .directions = { .later = let_go, .later_ms = HOLD_MS, .context = &holder } };
    struct answer answer = { .outcome = outcome_of(OUTCOME_SQLITE, SQLITE_BUSY) };

    puppet_open(hand, store, store, 0);
    for (int turn = 0; turn < 5 && answer.outcome.kind != OUTCOME_VALUE; turn++) {
        stage_did("(another process comes first)");
        expect_runs(hand, store, lock);
        holder.started_ms = clock_ms();
        holder.held_ms = 0;
        answer = open_named(worker, store, role, &how);
        if (holder.held_ms < EARLY_MS)
            break;
    }
    expect_outcome(answer, outcome_value(1));
    expect_same("the store then", state_of(store), xstrdup(expected));
    stage_forget();
}

CHECK(open_store, making_and_completing_a_store_wait_for_other_locks, "open_store.6")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand = puppet_start_hand();
    auto_free char *half_in_log = two_texts(wal, half_sink);
    store_make("half", half_sink);
    store_make("read", half_sink);
    store_make("log", half_in_log);

    expect_waits(worker, hand, "new", "source", "BEGIN IMMEDIATE", "ROLLBACK",
                 "table orders\ntable outbox\n");
    expect_waits(worker, hand, "half", "sink", "BEGIN EXCLUSIVE", "ROLLBACK",
                 "table inbox\ntable stock\nstock 1|42\n");
    expect_waits(worker, hand, "read", "sink", "BEGIN; SELECT * FROM stock", "COMMIT",
                 "table inbox\ntable stock\nstock 1|42\n");
    expect_waits(worker, hand, "log", "sink", "BEGIN IMMEDIATE", "ROLLBACK",
                 "table inbox\ntable stock\nstock 1|42\n");
}

CHECK(open_store, what_another_makes_meanwhile_keeps_its_rows_and_its_total, "open_store.4")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand = puppet_start_hand();
    auto_free char *source =
        xprintf("%s%s%s%s", orders_table, outbox_table, "INSERT INTO orders VALUES ('a', 3);",
                "INSERT INTO outbox VALUES (4, 'a', 3, 1); COMMIT");
    auto_free char *sink =
        xprintf("%s%s%s", inbox_table, half_sink, "INSERT INTO inbox VALUES ('a', 42); COMMIT");

    expect_waits(worker, hand, "shop", "source", "BEGIN IMMEDIATE", source,
                 "table orders\ntable outbox\norders 'a'|3\noutbox 4|'a'|3|1\n");
    expect_waits(worker, hand, "house", "sink", "BEGIN IMMEDIATE", sink,
                 "table inbox\ntable stock\ninbox 'a'|42\nstock 1|42\n");
}

/* open_store while another process holds the lock until the call has waited for far too long. */
struct siege {
    struct puppet *worker;
    const char *store;
    struct holder holder;
    struct how how;
};

static void begin_siege(struct siege *siege, struct puppet *hand, const char *store,
                        const char *role, const char *lock)
{
    auto_free char *path = store_path(store);

    *siege = (struct siege){ .worker = puppet_start(),
                             .store = store,
                             .holder = { .hand = hand, .store = store, .sql = "ROLLBACK" } };
    siege->how.directions = (struct directions){ .later = let_go,
                                                 .later_ms = patience_ms(),
                                                 .deadline_ms = 2 * PATIENCE_MS,
                                                 .context = &siege->holder };
    puppet_open(hand, store, store, 0);
    stage_did("(another process keeps a lock)");
    expect_runs(hand, store, lock);
    begin_open_store(siege->worker, path, role, store, &siege->how);
}

static struct answer finish_siege(struct siege *siege)
{
    return call_finish(siege->worker, &siege->how.directions);
}

static void expect_about_a_second(int64_t ms)
{
    expect(ms >= GIVE_UP_MS && ms <= patience_ms(), "it gives up after about one second",
           "it took %lld ms", (long long)ms);
}

/* The lock is let go: nothing was made but by who had it, and now it is. */
static void expect_made_afterwards(struct siege *siege, const char *role, const char *before)
{
    let_go(&siege->holder);
    expect_same("the store then", state_of(siege->store), state_after(before));
    expect_opened(siege->worker, siege->store, role);
}

/* What the one who came first makes in the file, once the other has given up. */
static const char orders_and_commit[] =
    "CREATE TABLE orders (id TEXT PRIMARY KEY, qty INTEGER NOT NULL); COMMIT";

/* Where nothing is to make either is right, but neither takes longer. */
static void expect_opens_or_is_busy(struct answer answer)
{
    if (answer.outcome.kind == OUTCOME_VALUE)
        expect_outcome(answer, outcome_value(1));
    else
        expect_sqlite(answer, SQLITE_BUSY);
    expect(answer.ms <= patience_ms(), "it waits for about one second at most", "it took %lld ms",
           (long long)answer.ms);
}

EARLY_CHECK(open_store, a_lock_that_stays_makes_it_busy_after_about_a_second, "open_store.6")
{
    struct puppet *hand = puppet_start_hand();
    struct siege writer;
    struct siege reader;
    struct siege whole;
    struct answer answer;
    store_make("half", half_sink);
    sink_make_as("whole");

    begin_siege(&writer, hand, "new", "source", "BEGIN IMMEDIATE");
    begin_siege(&reader, hand, "half", "sink", "BEGIN; SELECT * FROM stock");
    begin_siege(&whole, hand, "whole", "sink", "BEGIN IMMEDIATE");

    answer = finish_siege(&writer);
    expect_sqlite(answer, SQLITE_BUSY);
    expect_about_a_second(answer.ms);
    stage_proves("open_store.4");
    writer.holder.sql = orders_and_commit;
    expect_made_afterwards(&writer, "source", orders_table);
    stage_proves("open_store.6");
    answer = finish_siege(&reader);
    expect_sqlite(answer, SQLITE_BUSY);
    expect_about_a_second(answer.ms);
    expect_made_afterwards(&reader, "sink", half_sink);
    expect_opens_or_is_busy(finish_siege(&whole));
}

static void say_sql(struct puppet *worker, const char *connection, const char *sql)
{
    cJSON *order = order_of("sql");

    stage_did("(on its connection: %s)", sql);
    cJSON_AddStringToObject(order, "on", connection);
    cJSON_AddStringToObject(order, "sql", sql);
    puppet_say(worker, order);
}

/* The result code of what was said, or -1 where it is not there in time. */
static int hear_sql(struct puppet *worker, int wait_ms)
{
    enum puppet_state state;
    cJSON *answer = puppet_listen(worker, wait_ms, &state);
    int code = said_number(answer, "code");

    cJSON_Delete(answer);
    return code;
}

/* A write through the connection waits for another's lock, and then takes place. */
static void expect_write_waits(struct puppet *worker, struct puppet *hand, const char *store,
                               const char *sql)
{
    int64_t held_ms = EARLY_MS;
    int code = SQLITE_BUSY;

    for (int turn = 0; turn < 5 && (code & 0xff) == SQLITE_BUSY && held_ms >= EARLY_MS; turn++) {
        int64_t started_ms = clock_ms();

        expect_runs(hand, store, "BEGIN IMMEDIATE");
        say_sql(worker, store, sql);
        code = hear_sql(worker, HOLD_MS);
        expect(code == -1, "the write waits while another process holds the lock",
               "it came back with code %d", code);
        expect_runs(hand, store, "ROLLBACK");
        held_ms = clock_ms() - started_ms;
        code = hear_sql(worker, patience_ms());
    }
    expect_number("the result of the write after the lock was let go", code, SQLITE_OK);
}

static void open_all(struct puppet *hand, const char *one, const char *two, const char *three)
{
    puppet_open(hand, one, one, 0);
    puppet_open(hand, two, two, 0);
    puppet_open(hand, three, three, 0);
}

/* Of all that it may wait at once; 0 where it has a way of its own to wait. */
static void expect_timeout_of_about_a_second(struct puppet *worker, const char *store)
{
    auto_free char *text = puppet_rows(worker, store, "PRAGMA busy_timeout");
    int ms = atoi(text);

    expect(ms == 0 || (ms >= GIVE_UP_MS && ms <= TIMEOUT_MS_MAX),
           "a busy timeout of about one second", "%d ms", ms);
}

EARLY_CHECK(open_store, a_write_through_the_connection_waits_for_about_a_second_each_time,
            "open_store.6")
{
    struct puppet *worker = puppet_start();
    struct puppet *other = puppet_start();
    struct puppet *hand = puppet_start_hand();
    int64_t started_ms;
    int code;
    sink_make();
    expect_opened(worker, "new", "source");
    expect_opened(worker, "sink", "sink");
    expect_opened(other, "held", "sink");
    expect_timeout_of_about_a_second(worker, "new");
    expect_timeout_of_about_a_second(worker, "sink");
    open_all(hand, "new", "sink", "held");
    expect_runs(hand, "held", "BEGIN IMMEDIATE");
    started_ms = clock_ms();
    say_sql(other, "held", "UPDATE stock SET total = 5");

    expect_write_waits(worker, hand, "new", "INSERT INTO orders (id, qty) VALUES ('a', 1)");
    expect_write_waits(worker, hand, "sink", "UPDATE stock SET total = 5");
    code = hear_sql(other, patience_ms());
    expect(code != -1 && (code & 0xff) == SQLITE_BUSY, "the write is SQLITE_BUSY in the end",
           code == -1 ? "it still waits after three seconds" : "code %d", code);
    expect_about_a_second(clock_ms() - started_ms);
    expect_runs(hand, "held", "ROLLBACK");
    expect_write_waits(other, hand, "held", "UPDATE stock SET total = 6");

    expect_same("orders", store_rows("new", "SELECT id, qty FROM orders"), xstrdup("a|1\n"));
    expect_same("stock", store_rows("sink", "SELECT id, total FROM stock"), xstrdup("1|5\n"));
    expect_same("stock", store_rows("held", "SELECT id, total FROM stock"), xstrdup("1|6\n"));
}
