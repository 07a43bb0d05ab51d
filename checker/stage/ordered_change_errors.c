/* ordered_change_errors.c - what fails in the middle of a change; ordered_change.h */
#include "ordered_change.h"

#include "base.h"
#include "storage_sweep.h"

#include <sqlite3.h>
#include <stdlib.h>

static void fail_at(const struct change *change, struct puppet *worker, const char *store,
                    int point, struct outcome failure)
{
    auto_free char *points = change_points(change, point + 1);
    struct reply_at reply = { change->points[point], failure };
    struct how how = moment_reply(&reply);
    struct answer answer;

    how.on = store;
    answer = call_change(change, worker, &how);
    expect_outcome(answer, failure);
    expect_points(answer, points);
}

static void expect_rows_before(const struct change *change)
{
    expect_same("rows, all undone", side_rows(change->role, change->role), change_before(change));
}

void change_fails_before_commit(const struct change *change)
{
    struct puppet *worker = change_start(change, 50);

    for (int i = 0; i < FAILURES; i++)
        for (int point = 0; point < change->undone; point++)
            fail_at(change, worker, change->role, point, failures[i]);
    expect_rows_before(change);
    expect_outcome(call_change(change, worker, NULL), change->done);
    expect_same("rows", side_rows(change->role, change->role), change_after(change));
}

void change_fails_after_commit(const struct change *change)
{
    struct puppet *worker = puppet_start();

    for (int i = 0; i < FAILURES; i += 3) {
        auto_free char *store = xprintf("store%d", i);
        struct how how = { .on = store };

        change_make(change, store);
        worker_open(worker, store, 50);
        fail_at(change, worker, store, change->count - 1, failures[i]);
        expect_same("rows, which stay", side_rows(change->role, store), change_after(change));
        expect_outcome(call_change(change, worker, &how), change->again);
        worker_close(worker, store);
        stage_forget();
    }
}

void change_goes_on(const struct change *change)
{
    static const int codes[] = { 0, 1, 2, -1, 5, 19 };
    auto_free char *points = change_points(change, change->count);
    struct puppet *worker = puppet_start();
    struct how no_hook = { .on = "without", .no_hook = true };
    struct answer answer;

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        auto_free char *store = xprintf("store%zu", i);
        struct reply_at reply = { NULL, outcome_value(codes[i]) };
        struct how how = moment_reply(&reply);

        how.on = store;
        how.no_context = i % 2 == 1;
        change_make(change, store);
        worker_open(worker, store, 50);
        answer = call_change(change, worker, &how);
        expect_outcome(answer, change->done);
        expect_points(answer, points);
        expect_same("rows", side_rows(change->role, store), change_after(change));
        worker_close(worker, store);
        stage_forget();
    }
    change_make(change, "without");
    worker_open(worker, "without", 50);
    expect_outcome(call_change(change, worker, &no_hook), change->done);
    expect_outcome(call_change(change, worker, &no_hook), change->again);
    expect_same("rows", side_rows(change->role, "without"), change_after(change));
}

static void refuse_it(const struct change *change, struct puppet *worker, struct puppet *hand,
                      const char *triggers)
{
    struct how no_hook = { .no_hook = true };

    stage_forget();
    hand_do(hand, triggers);
    stage_did("(in the store: %s)", triggers);
    expect_sqlite(call_change(change, worker, NULL), SQLITE_CONSTRAINT);
    expect_sqlite(call_change(change, worker, &no_hook), SQLITE_CONSTRAINT);
    expect_rows_before(change);
    hand_do(hand, "DROP TRIGGER one; DROP TRIGGER two");
}

void change_is_refused(const struct change *change, const char *how)
{
    struct puppet *worker = change_start(change, 50);
    struct puppet *hand = hand_open(change->role);

    for (int i = 0; i < 3 && change->tables[i]; i++) {
        static const char *const whens[] = { "BEFORE", "AFTER" };

        for (int k = 0; k < 2; k++) {
            auto_free char *triggers =
                xprintf("CREATE TRIGGER one %s INSERT ON %s BEGIN SELECT RAISE(%s, 'no'); END;"
                        "CREATE TRIGGER two %s UPDATE ON %s BEGIN SELECT RAISE(%s, 'no'); END",
                        whens[k], change->tables[i], how, whens[k], change->tables[i], how);

            refuse_it(change, worker, hand, triggers);
        }
    }
    expect_outcome(call_change(change, worker, NULL), change->done);
}

static void set(struct puppet *worker, const char *setting, const char *on)
{
    cJSON *order = order_of(setting);

    cJSON_AddStringToObject(order, "on", on);
    cJSON_Delete(call_order(worker, order));
}

static void extended_codes(struct puppet *worker, const char *on)
{
    set(worker, "extended", on);
    stage_did("(sqlite3_extended_result_codes is on from now on)");
}

void veto(struct puppet *worker, const char *on)
{
    set(worker, "veto", on);
    stage_did("(every COMMIT on the connection is refused from now on)");
}

void change_is_made_with_extended_codes(const struct change *change)
{
    struct puppet *worker = change_start(change, 50);

    extended_codes(worker, change->role);
    expect_outcome(call_change(change, worker, NULL), change->done);
    expect_outcome(call_change(change, worker, NULL), change->again);
    expect_same("rows", side_rows(change->role, change->role), change_after(change));
}

void change_fails_to_commit(const struct change *change)
{
    auto_free char *points = change_points(change, change->undone);
    struct how no_hook = { .no_hook = true };
    struct puppet *worker;
    struct puppet *reader;
    struct answer answer;

    side_make_plain(change->role, change->role, change->before);
    worker = worker_at(change->role, 50);
    reader = hand_open(change->role);
    hand_do(reader, "BEGIN; SELECT * FROM sqlite_schema");
    stage_did("(another process reads, in rollback mode)");
    answer = call_change(change, worker, NULL);
    expect_sqlite(answer, SQLITE_BUSY);
    if (*answer.points) /* a BEGIN EXCLUSIVE fails at once, where with a log it is IMMEDIATE */
        expect_points(answer, points);
    expect_sqlite(call_change(change, worker, &no_hook), SQLITE_BUSY);
    expect_rows_before(change);
    hand_do(reader, "COMMIT");

    veto(worker, change->role);
    answer = call_change(change, worker, NULL);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_points(answer, points);
    expect_sqlite(call_change(change, worker, &no_hook), SQLITE_CONSTRAINT);
    expect_rows_before(change);
    expect_outcome(call_change(change, worker_at(change->role, 50), NULL), change->done);
}

/* --- at every storage operation -------------------------------------------------------- */

static struct {
    const struct change *change;
    char *before;
    char *after;
    bool log;
    int code;
    int turn;
} swept;

static void make_swept(const char *store)
{
    if (swept.log)
        change_make(swept.change, store);
    else
        side_make_plain(swept.change->role, store, swept.change->before);
}

static struct answer call_swept(void *context, struct puppet *worker, const struct how *how)
{
    struct how mine = *how;

    (void)context;
    mine.no_hook = true;
    return call_change(swept.change, worker, &mine);
}

static void judge_swept(void *context, const char *store, struct answer answer)
{
    auto_free char *rows = side_rows(swept.change->role, store);
    bool all = is_same_text(rows, xstrdup(swept.after));
    bool none = is_same_text(rows, xstrdup(swept.before));

    (void)context;
    swept.turn++;
    expect(all || none, "the rows of the whole change or those before", "%s", rows);
    if (answer.killed)
        return;
    /* SQLite by itself gets over nothing but a busy file. */
    if (swept.code && (answer.outcome.kind != OUTCOME_VALUE ||
                       (swept.code != SQLITE_BUSY && answer.operations >= swept.turn)))
        expect_sqlite(answer, swept.code);
    else
        expect_outcome(answer, swept.change->done);
    expect(all == (answer.outcome.kind == OUTCOME_VALUE),
           "an outcome that tells the truth about the rows", "%s", rows);
}

static struct sweep sweep_of(const struct change *change, bool log, int code)
{
    swept.change = change;
    swept.before = change_before(change);
    swept.after = change_after(change);
    swept.log = log;
    swept.code = code;
    return (struct sweep){ .store = log ? "log" : "plain",
                           .make = make_swept,
                           .busy_timeout_ms = 20,
                           .call = call_swept,
                           .judge = judge_swept };
}

void change_sweeps_kills(const struct change *change, bool log)
{
    struct sweep sweep = sweep_of(change, log, 0);

    sweep_kills(&sweep);
}

void change_sweeps_kills_thoroughly(const struct change *change)
{
    struct sweep sweep = sweep_of(change, true, 0);

    sweep_kills_thoroughly(&sweep);
}

void change_sweeps_errors(const struct change *change, int code)
{
    struct sweep sweep = sweep_of(change, false, code);

    sweep_errors(&sweep, code);
}

void change_sweeps_memory(const struct change *change)
{
    struct sweep sweep = sweep_of(change, true, 0);

    sweep_memory(&sweep);
}
