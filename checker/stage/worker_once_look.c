/* worker_once_look.c - what others see of a call, and how they hold it up; worker_once.h */
#include "worker_once.h"

#include "base.h"
#include "worker_setting.h"

#include <sqlite3.h>
#include <stdlib.h>

static void commit(void *hand)
{
    hand_do(hand, "COMMIT");
}

/* In a log who has read before another's commit can never write: SQLITE_BUSY at once. */
static void wait_in_a_log(const struct once *once, struct puppet *worker)
{
    struct event events[] = { an_event(), an_event() };
    auto_free char *effect = once_sql(once->take, events[0]);
    struct how how = {
        .directions = { .later = commit, .later_ms = stage_ms(150), .deadline_ms = 150 + CALL_MS },
        .on = "log"
    };
    struct puppet *hand;

    once_open_log(once, worker, 5000);
    hand = hand_open("log");
    how.directions.context = hand;
    hand_do(hand, "BEGIN IMMEDIATE");
    hand_do(hand, effect);
    stage_did("(another process takes %s, and commits after %d ms)", events[0].id, stage_ms(150));
    expect_outcome(call_once(once, worker, spec_of(events[1]), &how), outcome_value(1));
    expect_same("rows", once->rows("log"), once->with(events, 2));
}

/* On one connection that waits long, and then on one that waits briefly; whatever came before. */
void once_wait_for_the_lock(const struct once *once)
{
    struct puppet *worker = once_start(once, 5000);
    struct holder holder = { 0 };
    struct event events[] = { an_event(), an_event(), an_event() };
    struct answer answer;
    struct how how;

    expect_outcome(call_once(once, worker, spec_of(events[0]), NULL), outcome_value(1));
    expect_outcome(call_once(once, worker, spec_of(other_qty(events[0])), NULL),
                   outcome_of(OUTCOME_CONFLICT, 0));
    stage_did("(a connection that waits up to 5000 ms for a lock)");
    how = moment_held(&holder, once->store, "BEGIN IMMEDIATE", stage_ms(250));
    expect_outcome(call_once(once, worker, spec_of(events[1]), &how), outcome_value(1));
    expect(holder.released, "the call waits for the lock", "it did not");

    worker_close(worker, once->store);
    worker_open(worker, once->store, 30);
    stage_did("(another connection, that waits up to 30 ms)");
    expect_outcome(call_once(once, worker, spec_of(events[0]), NULL), outcome_value(0));
    how = moment_held(&holder, once->store, "BEGIN IMMEDIATE", stage_ms(250));
    answer = call_once(once, worker, spec_of(events[2]), &how);
    expect_sqlite(answer, SQLITE_BUSY);
    expect_points(answer, "");
    hand_do(holder.hand, "ROLLBACK");
    expect_same("rows", once->rows(once->store), once->with(events, 2));
    expect_outcome(call_once(once, worker, spec_of(events[2]), NULL), outcome_value(1));
    wait_in_a_log(once, worker);
}

/*
 * How often the handler gives up tells more than a clock: not at all where it was replaced, and
 * twice in one call where the lock was asked for again.
 */
void once_wait_by_handler(const struct once *once)
{
    struct puppet *worker = once_start(once, 0);
    struct puppet *hand = hand_open(once->store);
    struct holder holder = { .hand = hand };
    struct event event = an_event();
    struct how how;

    setting_patience(worker, once->store, 3);
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_sqlite(call_once(once, worker, spec_of(event), NULL), SQLITE_BUSY);
    expect_sqlite(call_once(once, worker, spec_of(event), NULL), SQLITE_BUSY);
    expect_number("times the busy handler gave up in the two calls", setting_gave_up(worker), 2);
    hand_do(hand, "ROLLBACK");

    setting_patience(worker, once->store, 10000);
    how = moment_held(&holder, once->store, "BEGIN IMMEDIATE", stage_ms(100));
    expect_outcome(call_once(once, worker, spec_of(event), &how), outcome_value(1));
    expect(holder.released, "the call waits for the lock", "it did not");
    expect_same("rows", once->rows(once->store), once->with(&event, 1));
}

struct look {
    const struct once *once;
    struct puppet *hand;
    char *sql;
    struct text seen;
};

static struct outcome look_at(void *context, struct stop *stop)
{
    struct look *look = context;
    auto_free char *own = puppet_rows(stop->puppet, look->once->store, look->sql);
    auto_free char *others = puppet_rows(look->hand, "hand", look->sql);

    text_add(&look->seen, "%s: its own connection %sanother process %s", stop->point,
             *own ? own : "none\n", *others ? others : "none\n");
    return call_go_on(stop);
}

void once_look_at_each_point(const struct once *once)
{
    static const char seen[] = "%s: its own connection %s\nanother process %s\n";
    struct event event = an_event();
    struct puppet *worker = once_start(once, 50);
    struct look look = { once, hand_open(once->store), once_sql(once->look, event), { 0 } };
    struct how how = { .directions = { .at = look_at, .context = &look } };
    auto_free char *first = xprintf(seen, once->points[0], "1|0", "0|0");
    auto_free char *second = xprintf(seen, once->points[1], "1|1", "0|0");
    auto_free char *third = xprintf(seen, once->points[2], "1|1", "1|1");

    text_add(&look.seen, "%s", "");
    expect_outcome(call_once(once, worker, spec_of(event), &how), outcome_value(1));
    expect_same("rows of each of the two tables at each point", look.seen.data,
                xprintf("%s%s%s", first, second, third));
    free(look.sql);
}

struct knock {
    struct puppet *hand;
    const char *reads;
    int codes[3][2]; /* of reading and of writing */
    int count;
    int at_commit; /* of writing, before what the COMMIT first does to the files */
};

static const char a_write[] = "BEGIN IMMEDIATE; ROLLBACK";

static struct outcome knock_at(void *context, struct stop *stop)
{
    struct knock *knock = context;

    if (stop->kind == STOP_STORAGE) {
        if (knock->count == 2 && knock->at_commit < 0)
            knock->at_commit = hand_try(knock->hand, a_write) & 0xff;
    } else if (knock->count < 3) {
        int *codes = knock->codes[knock->count++];

        codes[0] = hand_try(knock->hand, knock->reads) & 0xff;
        codes[1] = hand_try(knock->hand, a_write) & 0xff;
    }
    return call_go_on(stop);
}

void once_knock_at_each_point(const struct once *once, const char *reads)
{
    struct puppet *worker = once_start(once, 50);
    struct knock knock = { .hand = hand_open(once->store), .reads = reads, .at_commit = -1 };
    struct how how = { .directions = { .at = knock_at, .context = &knock },
                       .storage_at = STORAGE_EVERY };

    stage_did("(at each point another process does: %s; %s)", reads, a_write);
    expect_outcome(call_once(once, worker, spec_of(an_event()), &how), outcome_value(1));
    expect_number("points", knock.count, 3);
    for (int i = 0; i < 3; i++) {
        auto_free char *read = xprintf("SQLite's code for a reader %s", once->points[i]);
        auto_free char *write = xprintf("SQLite's code for a writer %s", once->points[i]);

        expect_number(read, knock.codes[i][0], SQLITE_OK);
        expect_number(write, knock.codes[i][1], i < 2 ? SQLITE_BUSY : SQLITE_OK);
    }
    expect_number("SQLite's code for a writer where the COMMIT begins to write", knock.at_commit,
                  SQLITE_BUSY);
}
