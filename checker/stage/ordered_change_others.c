/* ordered_change_others.c - a change among other processes, killed ones included; ordered_change.h */
#include "ordered_change.h"

#include "base.h"

#include <sqlite3.h>
#include <stdlib.h>

void change_is_killed(const struct change *change)
{
    for (int i = 0; i < change->count; i++) {
        auto_free char *store = xprintf("store%d", i);
        struct how how = moment_kill(change->points[i]);
        struct how next = { .on = store };
        bool stays = i >= change->undone;
        struct puppet *worker;

        change_make(change, store);
        worker = worker_at(store, 50);
        how.on = store;
        expect_killed(call_change(change, worker, &how));
        expect_same("rows after the kill", side_rows(change->role, store),
                    stays ? change_after(change) : change_before(change));
        worker = worker_at(store, 50);
        expect_outcome(call_change(change, worker, &next), stays ? change->again : change->done);
        expect_same("rows after the next process did it again", side_rows(change->role, store),
                    change_after(change));
        stage_forget();
    }
}

void change_is_crowded(const struct change *change)
{
    struct how how = { .no_hook = true, .directions.deadline_ms = 8000 };
    struct puppet *workers[CROWD];
    struct puppet *hand;
    int done = 0;

    change_make(change, change->role);
    hand = hand_open(change->role);
    for (int i = 0; i < CROWD; i++)
        workers[i] = worker_at(change->role, 6000);
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(%d processes at once, as soon as a lock is free)", CROWD);
    for (int i = 0; i < CROWD; i++)
        begin_change(change, workers[i], &how);
    hand_do(hand, "ROLLBACK");
    for (int i = 0; i < CROWD; i++) {
        struct answer answer = finish_call(workers[i], change->function, &how);

        expect_either(answer, change->done, change->again);
        done += answer.outcome.code == change->done.code;
    }
    expect_number("processes that made the change", done, 1);
    expect_same("rows", side_rows(change->role, change->role), change_after(change));
}

static void commit_it(void *hand)
{
    hand_do(hand, "COMMIT");
}

void change_is_made_meanwhile(const struct change *change)
{
    struct puppet *worker = change_start(change, 5000);
    struct puppet *hand = hand_open(change->role);
    struct how how = { .directions = { .later = commit_it,
                                       .later_ms = stage_ms(250),
                                       .context = hand,
                                       .deadline_ms = 5000 } };

    hand_do(hand, "BEGIN IMMEDIATE");
    for (int i = 0; i < change->undone && change->effects[i]; i++)
        hand_do(hand, change->effects[i]);
    stage_did("(another process makes this change, and commits it after %d ms)", stage_ms(250));
    expect_outcome(call_change(change, worker, &how), change->again);
    expect_same("rows", side_rows(change->role, change->role), change_after(change));
}

void change_waits(const struct change *change)
{
    struct puppet *worker = change_start(change, 30);
    struct holder holder = { .hand = hand_open(change->role) };
    struct how how;

    hand_do(holder.hand, "BEGIN IMMEDIATE");
    stage_did("(a connection that waits up to 30 ms for a lock; another process: BEGIN IMMEDIATE)");
    expect_sqlite(call_change(change, worker, NULL), SQLITE_BUSY);
    hand_do(holder.hand, "ROLLBACK");
    expect_same("rows", side_rows(change->role, change->role), change_before(change));

    worker_close(worker, change->role);
    worker_open(worker, change->role, 5000);
    stage_did("(another connection, that waits up to 5000 ms)");
    how = moment_held(&holder, change->role, "BEGIN IMMEDIATE", stage_ms(250));
    expect_outcome(call_change(change, worker, &how), change->done);
    expect(holder.released, "the call waits for the lock", "it did not");
    expect_same("rows", side_rows(change->role, change->role), change_after(change));
}

void set_patience(struct puppet *worker, const char *on)
{
    cJSON *order = order_of("patience");

    cJSON_AddStringToObject(order, "on", on);
    cJSON_AddNumberToObject(order, "naps", 3);
    cJSON_Delete(call_order(worker, order));
    stage_did("(sqlite3_busy_handler: 3 naps for a lock, then it gives up)");
}

/* How often it gave up since then. */
static int gave_up(struct puppet *worker)
{
    cJSON *answer = call_order(worker, order_of("patience"));
    int times = said_number(answer, "gave_up");

    cJSON_Delete(answer);
    return times;
}

void expect_patience(struct puppet *worker, const char *on, struct puppet *hand)
{
    int before = gave_up(worker);

    hand_do(hand, "BEGIN IMMEDIATE");
    expect_number("the code of a BEGIN IMMEDIATE through the connection",
                  sql_on(worker, on, "BEGIN IMMEDIATE") & 0xff, SQLITE_BUSY);
    expect(gave_up(worker) > before, "the busy handler is asked after the calls, too", "it is not");
    hand_do(hand, "ROLLBACK");
}

void change_keeps_patience(const struct change *change)
{
    struct puppet *worker = change_start(change, 0);
    struct puppet *hand = hand_open(change->role);

    set_patience(worker, change->role);
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_sqlite(call_change(change, worker, NULL), SQLITE_BUSY);
    expect(gave_up(worker) > 0, "the connection's busy handler is asked in the call", "it is not");
    hand_do(hand, "ROLLBACK");
    expect_outcome(call_change(change, worker, NULL), change->done);
    expect_outcome(call_change(change, worker, NULL), change->again);
    expect_patience(worker, change->role, hand);
}

void change_repeats(const struct change *change)
{
    struct puppet *worker = change_start(change, 50);
    struct reply_at reply = { change->points[change->undone - 1], { OUTCOME_FAULT, 7 } };
    struct how failing = moment_reply(&reply);
    struct how how = { .times = 30 };

    failing.times = 30;
    call_change(change, worker, &failing);
    call_change(change, worker, NULL);
    call_change(change, worker, &how);
    stage_held();
}

void watch_deletions(const struct change *change, struct puppet *worker)
{
    static const char *const tables[2][3] = { { "flow", "outbox", NULL },
                                              { "inbox", "projection", "effect" } };
    int side = change->role[0] == 'c';
    struct text sql = { 0 };

    text_add(&sql, "CREATE TABLE gone (name TEXT);");
    for (int i = 0; i < 3 && tables[side][i]; i++)
        text_add(&sql,
                 "CREATE TRIGGER gone_%s BEFORE DELETE ON %s BEGIN"
                 " INSERT INTO gone VALUES ('a row of %s'); END;",
                 tables[side][i], tables[side][i], tables[side][i]);
    hand_do(hand_open(change->role), sql.data);
    text_free(&sql);
    /* With this a REPLACE is seen too (https://sqlite.org/lang_conflict.html). */
    sql_on(worker, change->role, "PRAGMA recursive_triggers = ON");
    stage_did("(in the store: triggers that note each row that is deleted)");
}

/* The change, behind so many rows of other flows that are done with. */
static struct change after_a_long_time(const struct change *change)
{
    struct change late = *change;
    auto_free char *old = many_rows(change->role, 1, 1020);

    late.before =
        xprintf("%s%s%s", old, change->role[0] == 'c' ? "UPDATE inbox SET applied = 1;" : "",
                change->before);
    return late;
}

void change_deletes_nothing(const struct change *change)
{
    struct change late = after_a_long_time(change);
    struct puppet *worker = change_start(&late, 50);
    struct reply_at reply = { change->points[change->undone ? change->undone - 1 : 0],
                              { OUTCOME_FAULT, 7 } };
    struct how failing = moment_reply(&reply);

    watch_deletions(change, worker);
    call_change(change, worker, &failing);
    expect_outcome(call_change(change, worker, NULL), change->done);
    expect_outcome(call_change(change, worker, NULL), change->again);
    expect_same("rows that were deleted", store_rows(change->role, "SELECT name FROM gone"),
                xstrdup(""));
    expect_same("rows", side_rows(change->role, change->role), change_after(&late));
}

void change_is_not_remembered(const struct change *change)
{
    struct how second = { .on = "second" };
    struct puppet *worker = change_start(change, 50);
    auto_free char *undo =
        xprintf("BEGIN; %s %s COMMIT",
                change->role[0] == 'c' ? "DELETE FROM inbox; DELETE FROM projection;"
                                         " DELETE FROM effect;"
                                       : "DELETE FROM flow; DELETE FROM outbox;",
                change->before);

    change_make(change, "second");
    worker_open(worker, "second", 50);
    expect_outcome(call_change(change, worker, NULL), change->done);
    expect_outcome(call_change(change, worker, &second), change->done);
    expect_outcome(call_change(change, worker, NULL), change->again);
    hand_do(hand_open(change->role), undo);
    stage_did("(another process makes the rows of the first store as they were before)");
    expect_outcome(call_change(change, worker, NULL), change->done);
    expect_outcome(call_change(change, worker, &second), change->again);
    expect_same("rows of the first", side_rows(change->role, change->role), change_after(change));
    expect_same("rows of the second", side_rows(change->role, "second"), change_after(change));
}
