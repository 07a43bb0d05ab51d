/* worker_crowd.c - see worker_crowd.h */
#include "worker_crowd.h"

#include "base.h"
#include "storage_sweep.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

int crowd_take(const struct once *once, const struct event events[CROWD])
{
    struct how how = { .no_hook = true, .directions.deadline_ms = 8000 };
    struct puppet *workers[CROWD];
    struct puppet *hand;
    int taken = 0;

    once->make(once->store);
    hand = hand_open(once->store);
    for (int i = 0; i < CROWD; i++)
        workers[i] = worker_at(once->store, 6000);
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(%d processes at once, as soon as a lock is free)", CROWD);
    for (int i = 0; i < CROWD; i++)
        begin_with_event(workers[i], once->function, spec_of(events[i]), &how);
    hand_do(hand, "ROLLBACK");
    for (int i = 0; i < CROWD; i++) {
        struct answer answer = call_finish(workers[i], &how.directions);

        expect_either(answer, outcome_value(1), outcome_value(0));
        taken += answer.outcome.code;
    }
    return taken;
}

void crowd_kill_at_points(const struct once *once)
{
    struct puppet *worker = once_start(once, 50);
    struct event taken[3];

    for (int i = 0; i < 3; i++) {
        struct how how = moment_kill(once->points[i]);
        int stays = i == 2;

        taken[i] = an_event();
        expect_killed(call_once(once, worker, spec_of(taken[i]), &how));
        expect_same("rows after the kill", once->rows(once->store), once->with(taken, i + stays));
        worker = worker_at(once->store, 50);
        expect_outcome(call_once(once, worker, spec_of(taken[i]), NULL), outcome_value(!stays));
    }
    expect_same("rows after the next processes did it again", once->rows(once->store),
                once->with(taken, 3));
}

struct trial {
    const struct once *once;
    struct event event;
    int code; /* injected; 0: killed */
    int turn;
    int more; /* what is asked for beyond the qty of the event, which is known */
    bool known;
    bool hooked;
};

static struct answer call_it(void *context, struct puppet *worker, const struct how *how)
{
    const struct trial *trial = context;
    struct event asked = event_of(trial->event.id, trial->event.qty + trial->more);
    struct how mine = *how;

    mine.no_hook = !trial->hooked;
    return call_once(trial->once, worker, spec_of(asked), &mine);
}

static void judge(void *context, const char *store, struct answer answer)
{
    struct trial *trial = context;
    const struct once *once = trial->once;
    auto_free char *rows = once->rows(store);
    bool all = is_same_text(rows, once->with(&trial->event, 1));
    bool none = is_same_text(rows, once->with(NULL, 0));

    trial->turn++;
    expect(all || (none && !trial->known), trial->known ? "rows as before" : "both rows or neither",
           "%s", rows);
    if (answer.killed)
        return;
    /* SQLite by itself gets over nothing but a busy file. */
    if (answer.outcome.kind != OUTCOME_VALUE ||
        (trial->code != SQLITE_BUSY && answer.operations >= trial->turn))
        expect_sqlite(answer, trial->code);
    else
        expect_outcome(answer, outcome_value(!trial->known));
    if (!trial->known)
        expect(all == (answer.outcome.kind == OUTCOME_VALUE),
               "an outcome that tells the truth about the rows", "%s", rows);
}

static void complete(void *context, struct puppet *other, const struct how *how)
{
    const struct trial *trial = context;
    const struct once *once = trial->once;

    expect_either(call_once(once, other, spec_of(trial->event), how), outcome_value(1),
                  outcome_value(0));
    expect_same("rows after the next process did it again", once->rows(how->on),
                once->with(&trial->event, 1));
}

static void make_source_wal(const char *store)
{
    source_make_as(store);
    store_make(store, "PRAGMA journal_mode = WAL");
}

static void make_sink_wal(const char *store)
{
    sink_make_as(store);
    store_make(store, "PRAGMA journal_mode = WAL");
}

static struct event the_known(void)
{
    return event_of("known-one", 12);
}

static void make_source_known(const char *store)
{
    auto_free char *sql = once_sql(once_enqueue.take, the_known());

    source_make_as(store);
    store_make(store, sql);
}

static void make_sink_known(const char *store)
{
    auto_free char *sql = once_sql(once_receive.take, the_known());

    sink_make_as(store);
    store_make(store, sql);
}

static struct sweep sweep_of(struct trial *trial)
{
    return (struct sweep){ .store = trial->once->store,
                           .make = trial->once->make,
                           .busy_timeout_ms = 20,
                           .call = call_it,
                           .judge = judge,
                           .context = trial };
}

void crowd_sweep_kills(const struct once *once)
{
    struct trial trial = { .once = once, .event = an_event() };
    struct sweep sweep = sweep_of(&trial);

    sweep_kills(&sweep);
}

void crowd_sweep_kills_of_a_log(const struct once *once)
{
    struct trial trial = { .once = once, .event = an_event() };
    struct sweep sweep = sweep_of(&trial);

    sweep.store = "log";
    sweep.make = once == &once_enqueue ? make_source_wal : make_sink_wal;
    sweep_kills(&sweep);
}

void crowd_sweep_kills_thoroughly(const struct once *once)
{
    struct trial trial = { .once = once, .event = an_event(), .hooked = true };
    struct sweep sweep = sweep_of(&trial);

    sweep.make = once == &once_enqueue ? make_source_wal : make_sink_wal;
    sweep.complete = complete;
    sweep_kills_thoroughly(&sweep);
}

static void start_known(struct sweep *sweep, const struct once *once)
{
    sweep->store = "known";
    sweep->make = once == &once_enqueue ? make_source_known : make_sink_known;
}

void crowd_sweep_errors(const struct once *once, int code)
{
    bool hooked = code != SQLITE_IOERR;
    struct trial trial = { .once = once, .event = an_event(), .code = code, .hooked = hooked };
    struct sweep sweep = sweep_of(&trial);

    sweep_errors(&sweep, code);
    trial =
        (struct trial){ once, .event = the_known(), .code = code, .known = true, .hooked = hooked };
    start_known(&sweep, once);
    sweep_errors(&sweep, code);
}

void crowd_sweep_memory(const struct once *once)
{
    struct trial trial = { .once = once, .event = an_event(), .hooked = true };
    struct sweep sweep = sweep_of(&trial);

    sweep.complete = complete;
    sweep_memory(&sweep);
    trial = (struct trial){ once, .event = the_known(), .known = true, .hooked = true };
    sweep.complete = NULL;
    start_known(&sweep, once);
    sweep_memory(&sweep);
    trial.more = 1;
    sweep.store = "conflict";
    sweep_memory(&sweep);
}
