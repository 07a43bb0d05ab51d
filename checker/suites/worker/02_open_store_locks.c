/* Step 2: steps/worker/02-open_store.md.  Other processes, and what lasts. */
#include "02_open_store.h"

#include <string.h>

#define HOLD_MS     300
#define EARLY_MS    600  /* a release that came later than this proves nothing: play it again */
#define GIVE_UP_MS  500  /* about one second, at least */
#define PATIENCE_MS 3000 /* about one second, at most  */

static const char half_sink[] =
    "CREATE TABLE stock (id INTEGER PRIMARY KEY CHECK(id=1), total INTEGER NOT NULL);"
    "INSERT INTO stock VALUES (1, 42);";

/* Another process that lets its lock go while the call waits. */
struct holder {
    struct puppet *hand;
    const char *sql;
    int64_t started_ms;
    int64_t held_ms; /* 0: the call came back before */
};

static void let_go(void *context)
{
    struct holder *holder = context;

    stage_did("   (the other process: %s)", holder->sql);
    hand_do(holder->hand, holder->sql);
    holder->held_ms = clock_ms() - holder->started_ms;
}

/* What open_store comes to where the other lets go in time. */
static struct answer open_while_held(struct holder *holder, const char *store, const char *role,
                                     const char *lock)
{
    struct how how = { .directions = { .later = let_go, .later_ms = HOLD_MS, .context = holder } };
    struct puppet *worker = puppet_start();
    struct answer answer;

    for (int turn = 0; turn < 5; turn++) {
        stage_did("(another process on the store: %s)", lock);
        hand_do(holder->hand, lock);
        holder->started_ms = clock_ms();
        holder->held_ms = 0;
        answer = open_named(worker, store, role, &how);
        if (holder->held_ms < EARLY_MS || answer.outcome.kind == OUTCOME_VALUE)
            break;
    }
    return answer;
}

CHECK(open_store, making_a_store_waits_for_another_writer, "open_store.6")
{
    struct holder holder = { .hand = hand_open("new"), .sql = "ROLLBACK" };

    struct answer answer = open_while_held(&holder, "new", "source", "BEGIN IMMEDIATE");

    expect_outcome(answer, outcome_value(1));
    expect_same("the store then", things_in("new"), xstrdup("table orders\ntable outbox\n"));
}

CHECK(open_store, completing_a_store_waits_for_an_exclusive_lock, "open_store.6")
{
    struct holder holder = { .sql = "ROLLBACK" };
    struct answer answer;
    store_make("half", half_sink);
    holder.hand = hand_open("half");

    answer = open_while_held(&holder, "half", "sink", "BEGIN EXCLUSIVE");

    expect_outcome(answer, outcome_value(1));
    expect_same("the store then", things_in("half"), xstrdup("table inbox\ntable stock\n"));
}

CHECK(open_store, completing_a_store_waits_for_a_reader, "open_store.6")
{
    struct holder holder = { .sql = "COMMIT" };
    struct answer answer;
    store_make("half", half_sink);
    holder.hand = hand_open("half");

    answer = open_while_held(&holder, "half", "sink", "BEGIN; SELECT * FROM stock");

    expect_outcome(answer, outcome_value(1));
    expect_same("the store then", things_in("half"), xstrdup("table inbox\ntable stock\n"));
}

CHECK(open_store, a_source_that_another_makes_meanwhile_keeps_its_rows, "open_store.4")
{
    auto_free char *sql =
        xprintf("%s%s%s%s", orders_table, outbox_table, "INSERT INTO orders VALUES ('a', 3);",
                "INSERT INTO outbox VALUES (4, 'a', 3, 1); COMMIT");
    struct holder holder = { .hand = hand_open("new"), .sql = sql };

    struct answer answer = open_while_held(&holder, "new", "source", "BEGIN IMMEDIATE");

    expect_outcome(answer, outcome_value(1));
    expect_same("the store then", state_of("new"),
                xstrdup("table orders\ntable outbox\norders:\n'a'|3\noutbox:\n4|'a'|3|1\n"));
}

CHECK(open_store, a_sink_that_another_makes_meanwhile_keeps_its_total, "open_store.4")
{
    auto_free char *sql =
        xprintf("%s%s%s", inbox_table, half_sink, "INSERT INTO inbox VALUES ('a', 42); COMMIT");
    struct holder holder = { .hand = hand_open("new"), .sql = sql };

    struct answer answer = open_while_held(&holder, "new", "sink", "BEGIN IMMEDIATE");

    expect_outcome(answer, outcome_value(1));
    expect_same("the store then", state_of("new"),
                xstrdup("table inbox\ntable stock\ninbox:\n'a'|42\nstock:\n1|42\n"));
}

/* A lock that is let go only where the call has waited for far too long. */
static struct answer open_against(struct puppet *worker, struct puppet *hand, const char *store,
                                  const char *role, const char *lock)
{
    struct holder holder = { .hand = hand, .sql = "ROLLBACK" };
    struct how how = { .directions = { .later = let_go,
                                       .later_ms = stage_ms(PATIENCE_MS),
                                       .deadline_ms = 2 * PATIENCE_MS,
                                       .context = &holder } };

    stage_did("(another process on the store, held on: %s)", lock);
    hand_do(hand, lock);
    return open_named(worker, store, role, &how);
}

static void expect_about_a_second(int64_t ms)
{
    expect(ms >= GIVE_UP_MS && ms <= stage_ms(PATIENCE_MS), "it gives up after about one second",
           "it took %lld ms", (long long)ms);
}

CHECK(open_store, making_a_store_gives_up_on_a_writer_that_stays, "open_store.6")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand = hand_open("new");

    struct answer answer = open_against(worker, hand, "new", "source", "BEGIN IMMEDIATE");

    expect_sqlite(answer, SQLITE_BUSY);
    expect_about_a_second(answer.ms);
    hand_do(hand, "ROLLBACK");
    expect_same("the store then", things_in("new"), xstrdup(""));
    expect_opened(worker, "new", "source");
}

CHECK(open_store, completing_a_store_gives_up_on_a_reader_that_stays, "open_store.6")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand;
    struct answer answer;
    store_make("half", half_sink);
    hand = hand_open("half");

    answer = open_against(worker, hand, "half", "sink", "BEGIN; SELECT * FROM stock");

    expect_sqlite(answer, SQLITE_BUSY);
    expect_about_a_second(answer.ms);
    hand_do(hand, "ROLLBACK");
    expect_same("the store then", state_of("half"), state_after(half_sink));
    expect_opened(worker, "half", "sink");
}

CHECK(open_store, a_whole_store_opens_or_is_busy_while_another_writes, "open_store.6")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand;
    struct answer answer;
    sink_make();
    hand = hand_open("sink");

    answer = open_against(worker, hand, "sink", "sink", "BEGIN IMMEDIATE");

    expect(answer.outcome.kind == OUTCOME_VALUE || (answer.outcome.code & 0xff) == SQLITE_BUSY,
           "{ VALUE, 1 } or { SQLITE, 5 }", "kind %d, code %d", (int)answer.outcome.kind,
           answer.outcome.code);
    expect(answer.ms <= stage_ms(PATIENCE_MS), "it waits for one second at most", "it took %lld ms",
           (long long)answer.ms);
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
    int code = answer ? cJSON_GetObjectItemCaseSensitive(answer, "code")->valueint : -1;

    cJSON_Delete(answer);
    return code;
}

/* A write through the connection waits for another's lock, and then takes place. */
static void expect_write_waits(struct puppet *worker, const char *store, const char *sql)
{
    struct puppet *hand = hand_open(store);
    int64_t held_ms = EARLY_MS;
    int code = SQLITE_BUSY;

    for (int turn = 0; turn < 5 && (code & 0xff) == SQLITE_BUSY && held_ms >= EARLY_MS; turn++) {
        int64_t started_ms = clock_ms();

        hand_do(hand, "BEGIN IMMEDIATE");
        say_sql(worker, store, sql);
        code = hear_sql(worker, HOLD_MS);
        expect(code == -1, "the write waits while another process holds the lock",
               "it came back with code %d", code);
        hand_do(hand, "ROLLBACK");
        held_ms = clock_ms() - started_ms;
        code = hear_sql(worker, stage_ms(PATIENCE_MS));
    }
    expect_number("the result of the write after the lock was let go", code, SQLITE_OK);
}

CHECK(open_store, a_write_to_a_new_store_waits_for_another_writer, "open_store.6")
{
    struct puppet *worker = puppet_start();
    expect_opened(worker, "new", "source");

    expect_write_waits(worker, "new", "INSERT INTO orders (id, qty) VALUES ('a', 1)");

    expect_same("orders", store_rows("new", "SELECT id, qty FROM orders"), xstrdup("a|1\n"));
}

CHECK(open_store, a_write_to_an_old_store_waits_for_another_writer, "open_store.6")
{
    struct puppet *worker = puppet_start();
    sink_make();
    expect_opened(worker, "sink", "sink");

    expect_write_waits(worker, "sink", "UPDATE stock SET total = 5");

    expect_same("stock", store_rows("sink", "SELECT id, total FROM stock"), xstrdup("1|5\n"));
}

CHECK(open_store, a_write_gives_up_on_another_that_stays, "open_store.6")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand = hand_open("new");
    int64_t started_ms;
    int code;
    expect_opened(worker, "new", "sink");
    hand_do(hand, "BEGIN IMMEDIATE");

    started_ms = clock_ms();
    say_sql(worker, "new", "UPDATE stock SET total = 5");
    code = hear_sql(worker, stage_ms(PATIENCE_MS));

    expect(code != -1 && (code & 0xff) == SQLITE_BUSY, "the write is SQLITE_BUSY in the end",
           code == -1 ? "it still waits after three seconds" : "code %d", code);
    expect_about_a_second(clock_ms() - started_ms);
}
