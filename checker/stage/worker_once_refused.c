/* worker_once_refused.c - what the store refuses, and what then remains; worker_once.h */
#include "worker_once.h"

#include "base.h"
#include "worker_setting.h"

#include <sqlite3.h>

/* A worker at a store, and another process there. */
struct scene {
    const struct once *once;
    struct puppet *worker;
    const char *store;
    struct puppet *hand;
};

static void refused_by(const struct scene *scene, struct refusal refusal)
{
    const struct once *once = scene->once;
    auto_free char *triggers =
        xprintf("CREATE TRIGGER one %s INSERT ON %s BEGIN SELECT RAISE(%s, 'no'); END;"
                "CREATE TRIGGER two %s UPDATE ON %s BEGIN SELECT RAISE(%s, 'no'); END",
                refusal.when, refusal.table, refusal.how, refusal.when, refusal.table, refusal.how);
    auto_free char *reached = once_points(once, refusal.points);
    struct how hook = { .on = scene->store };
    struct how no_hook = { .on = scene->store, .no_hook = true };
    struct answer answer;

    stage_forget();
    hand_do(scene->hand, triggers);
    stage_did("(in the store %s: %s)", scene->store, triggers);
    answer = call_once(once, scene->worker, spec_of(event_of("refused", 7)), &hook);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_points(answer, reached);
    answer = call_once(once, scene->worker, spec_of(event_of("refused", 7)), &no_hook);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_same("rows, all undone", once->rows(scene->store), once->with(NULL, 0));
    hand_do(scene->hand, "DROP TRIGGER one; DROP TRIGGER two");
}

static void refused_by_each(const struct scene *scene, const struct refusal *refusals, int count)
{
    const struct once *once = scene->once;
    struct how how = { .on = scene->store };
    struct event event = event_of("refused", 7);

    for (int i = 0; i < count; i++)
        refused_by(scene, refusals[i]);
    expect_outcome(call_once(once, scene->worker, spec_of(event), &how), outcome_value(1));
    expect_same("rows", once->rows(scene->store), once->with(&event, 1));
}

void once_refused_by(const struct once *once, const struct refusal *refusals, int count)
{
    struct scene scene = { once, once_start(once, 50), once->store, hand_open(once->store) };

    refused_by_each(&scene, refusals, count);
    scene.store = once_open_log(once, scene.worker, 50);
    scene.hand = hand_open(scene.store);
    refused_by_each(&scene, refusals, count);
}

/* In this empty store the event is taken, and whatever comes behind it fails to commit. */
static void fail_by_veto(const struct once *once, struct puppet *worker, const char *store,
                         struct event event)
{
    auto_free char *points = once_points(once, 2);
    struct how hook = { .on = store };
    struct how no_hook = { .on = store, .no_hook = true };
    struct answer answer;

    expect_outcome(call_once(once, worker, spec_of(event), &hook), outcome_value(1));
    setting_veto(worker, store);
    answer = call_once(once, worker, spec_of(an_event()), &hook);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_points(answer, points);
    expect_sqlite(call_once(once, worker, spec_of(an_event()), &no_hook), SQLITE_CONSTRAINT);
    expect_same("rows, all undone", once->rows(store), once->with(&event, 1));
}

/* Each of the calls gives up once: a COMMIT that is busy is not tried again. */
static void fail_by_reader(const struct once *once, struct puppet *worker, struct event event)
{
    auto_free char *points = once_points(once, 2);
    struct puppet *reader = hand_open(once->store);
    struct how no_hook = { .no_hook = true };
    struct answer answer;

    setting_patience(worker, once->store, 3);
    hand_do(reader, "BEGIN; SELECT * FROM sqlite_schema");
    stage_did("(another process reads)");
    answer = call_once(once, worker, spec_of(event), NULL);
    expect_sqlite(answer, SQLITE_BUSY);
    expect_points(answer, points);
    expect_sqlite(call_once(once, worker, spec_of(event), &no_hook), SQLITE_BUSY);
    expect_number("times the busy handler gave up in the two calls", setting_gave_up(worker), 2);
    expect_same("rows, all undone", once->rows(once->store), once->with(NULL, 0));
    hand_do(reader, "COMMIT");
}

void once_fail_to_commit(const struct once *once)
{
    struct puppet *worker = once_start(once, 0);
    struct event event = an_event();
    const char *log;

    fail_by_reader(once, worker, event);
    fail_by_veto(once, worker, once->store, event);
    log = once_open_log(once, worker, 50);
    fail_by_veto(once, worker, log, event);
}
