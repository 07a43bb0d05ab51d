/* ordered_shapes_whole.c - every shape of a change, whole or not at all; ordered_change.h */
#include "ordered_change.h"

#include "base.h"
#include "stage.h"

#include <sqlite3.h>

/* A call in which everything is looked at, and at one point the hook may fail. */
struct watch {
    const struct change *change;
    const char *store;
    struct puppet *hand; /* another process, with a connection named as the store */
    bool looks;
    int reached;
    int fails_at; /* -1: nowhere */
};

static const struct outcome failure = { OUTCOME_FAULT, 7 };

static void look(const struct watch *watch, struct puppet *worker)
{
    const struct change *change = watch->change;
    int reached = watch->reached;

    expect_same("rows that its own connection sees",
                puppet_rows(worker, watch->store, side_query(change->role)),
                change_at(change, reached));
    expect_same("rows that another process sees",
                puppet_rows(watch->hand, watch->store, side_query(change->role)),
                change_at(change, reached > change->undone ? reached : 0));
}

static struct outcome stop_at(void *context, struct stop *stop)
{
    struct watch *watch = context;

    if (stop->kind == STOP_SEND && watch->change->says)
        return outcome_value(watch->change->says);
    if (stop->kind != STOP_FAULT || watch->reached >= watch->change->count)
        return call_go_on(stop);
    watch->reached++;
    if (watch->looks)
        look(watch, stop->puppet);
    return watch->reached - 1 == watch->fails_at ? failure : call_go_on(stop);
}

static struct answer play(struct watch *watch, struct puppet *worker, bool no_hook)
{
    struct how how = { .directions = { .at = stop_at, .context = watch },
                       .no_hook = no_hook,
                       .on = watch->store };

    watch->reached = 0;
    return call_change(watch->change, worker, &how);
}

static void expect_before(const struct watch *watch)
{
    expect_same("rows, as before", side_rows(watch->change->role, watch->store),
                change_before(watch->change));
}

static void expect_after(const struct watch *watch)
{
    expect_same("rows", side_rows(watch->change->role, watch->store), change_after(watch->change));
}

static struct watch watch_new(const struct change *change, struct puppet *worker,
                              struct puppet *hand)
{
    static int made;
    struct watch watch = {
        .change = change, .store = xprintf("shape%d", ++made), .hand = hand, .fails_at = -1
    };

    change_make(change, watch.store);
    worker_open(worker, watch.store, 20);
    puppet_open(hand, watch.store, watch.store, 0);
    return watch;
}

static void watch_end(const struct watch *watch, struct puppet *worker)
{
    worker_close(worker, watch->store);
    worker_close(watch->hand, watch->store);
}

/* The table that it writes last refuses every row: without a hook, too, nothing else stays. */
static void is_undone_without_a_hook(struct watch *watch, struct puppet *worker)
{
    const char *table = watch->change->tables[0];
    size_t done = stage_done();
    auto_free char *triggers = NULL;

    for (int i = 1; i < 3 && watch->change->tables[i]; i++)
        table = watch->change->tables[i];
    triggers =
        xprintf("CREATE TRIGGER one BEFORE INSERT ON %s BEGIN SELECT RAISE(ABORT, 'no'); END;"
                "CREATE TRIGGER two BEFORE UPDATE ON %s BEGIN SELECT RAISE(ABORT, 'no'); END",
                table, table);
    sql_on(watch->hand, watch->store, triggers);
    stage_did("(in the store: %s)", triggers);
    expect_sqlite(play(watch, worker, true), SQLITE_CONSTRAINT);
    expect_before(watch);
    sql_on(watch->hand, watch->store, "DROP TRIGGER one; DROP TRIGGER two");
    stage_forget_since(done);
}

/* Nothing of it is made where the hook fails, the lock is not free or the COMMIT is refused. */
static void is_undone(const struct change *change, struct puppet *worker, struct puppet *hand)
{
    struct watch watch = watch_new(change, worker, hand);

    for (int point = 0; point < change->undone; point++) {
        watch.fails_at = point;
        expect_outcome(play(&watch, worker, false), failure);
    }
    watch.fails_at = -1;
    expect_before(&watch);
    is_undone_without_a_hook(&watch, worker);
    sql_on(hand, watch.store, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_sqlite(play(&watch, worker, false), SQLITE_BUSY);
    sql_on(hand, watch.store, "ROLLBACK");
    expect_before(&watch);
    veto(worker, watch.store);
    expect_sqlite(play(&watch, worker, false), SQLITE_CONSTRAINT);
    expect_before(&watch);
    watch_end(&watch, worker);
}

/* All of it is made, and stays where the hook fails behind the COMMIT. */
static void is_made(const struct change *change, struct puppet *worker, struct puppet *hand)
{
    struct watch watch = watch_new(change, worker, hand);
    auto_free char *points = change_points(change, change->count);
    struct answer answer;

    watch.looks = true;
    watch.fails_at = change->count > change->undone ? change->count - 1 : -1;
    answer = play(&watch, worker, false);
    expect_outcome(answer, watch.fails_at < 0 ? change->done : failure);
    expect_points(answer, points);
    expect_after(&watch);
    watch.looks = false;
    expect_outcome(play(&watch, worker, false), change->again);
    expect_after(&watch);
    watch_end(&watch, worker);

    watch = watch_new(change, worker, hand);
    expect_outcome(play(&watch, worker, true), change->done);
    expect_after(&watch);
    watch_end(&watch, worker);
}

void shapes_are_whole(int (*draw)(struct change shapes[SHAPES_MAX]))
{
    struct change shapes[SHAPES_MAX];
    struct puppet *worker = puppet_start();
    struct puppet *hand = puppet_start_hand();
    int count = draw(shapes);

    for (int i = 0; i < count; i++) {
        is_undone(&shapes[i], worker, hand);
        stage_forget();
        is_made(&shapes[i], worker, hand);
        stage_forget();
    }
}
