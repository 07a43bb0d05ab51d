/* Step 7: steps/worker/07-dispatch.md */
#include "storage_sweep.h"
#include "worker_round.h"

#include <sqlite3.h>
#include <stdlib.h>

#define ROWS 3

/* Killed there: what is marked, and what the next process sends. */
static void expect_nothing_lost(struct puppet *other, const char *journal, enum stop_kind kind,
                                int count)
{
    static int stores;
    auto_free char *store = xprintf("source%d", ++stores);
    auto_free char *marks = xprintf("%.*s%s", count - 1, "111", &"000"[count - 1]);
    struct round round = { .kind = kind, .count = count, .kills = true, .how.on = store };
    struct round next = { .how.on = store };
    struct puppet *worker = puppet_start();
    struct event events[ROWS];

    draw_events(events, ROWS);
    source_fill(store, events, ROWS, "000");
    store_change(store, journal);
    worker_open(worker, store, 50);
    expect_killed(play_round(worker, 8, &round));
    expect_same("rows", source_rows(store), source_with(events, ROWS, marks));
    worker_open(other, store, 50);
    expect_outcome(play_round(other, 8, &next), outcome_value(ROWS + 1 - count));
    expect_same("what the next process sent", round_sent(&next),
                events_lines(events + count - 1, ROWS + 1 - count));
    stage_forget();
}

CHECK(dispatch, a_kill_keeps_every_mark_that_was_made_and_loses_no_event, "dispatch.8")
{
    struct puppet *other = puppet_start();

    expect_nothing_lost(other, "PRAGMA journal_mode = DELETE", STOP_SEND, 3);
    expect_nothing_lost(other, "PRAGMA journal_mode = DELETE", STOP_FAULT, 1);
    expect_nothing_lost(other, "PRAGMA journal_mode = WAL", STOP_SEND, 2);
}

/* --- at every storage operation ------------------------------------------------------- */

struct batch {
    struct event events[2];
    int count;                    /* of them that are in the store             */
    int code;                     /* the error that is made, or 0              */
    int turn;                     /* how often it was made so far              */
    int acknowledged;             /* events, in this turn                      */
    int marked;                   /* events, when the turn ended               */
    struct directions at_storage; /* what the sweep does there         */
};

static const struct batch *played;

static void make_batch(const char *store)
{
    source_fill(store, played->events, played->count, "00");
}

static void make_batch_with_log(const char *store)
{
    make_batch(store);
    store_make(store, "PRAGMA journal_mode = WAL");
}

static struct outcome count_sends(void *context, struct stop *stop)
{
    struct batch *batch = context;

    if (stop->kind == STOP_STORAGE && batch->at_storage.at)
        return batch->at_storage.at(batch->at_storage.context, stop);
    batch->acknowledged += stop->kind == STOP_SEND;
    return call_go_on(stop);
}

static struct answer dispatch_batch(void *context, struct puppet *worker, const struct how *how)
{
    struct batch *batch = context;
    struct how counting = *how;

    batch->acknowledged = 0;
    batch->at_storage = how->directions;
    counting.directions.at = count_sends;
    counting.directions.context = batch;
    return call_dispatch(worker, 8, &counting);
}

/* The rows, with the oldest so many of them marked. */
static char *rows_marked(const struct batch *batch, int marked)
{
    static const char *const marks[] = { "00", "10", "11" };

    return source_with(batch->events, batch->count, marks[marked]);
}

static void judge_kill(void *context, const char *store, struct answer answer)
{
    struct batch *batch = context;
    auto_free char *rows = source_rows(store);
    int least = batch->acknowledged ? batch->acknowledged - 1 : 0;
    bool is_last = is_same_text(rows, rows_marked(batch, batch->acknowledged));

    batch->marked = is_last ? batch->acknowledged : least;
    expect(is_last || (answer.killed && is_same_text(rows, rows_marked(batch, least))),
           "what was acknowledged is marked, but perhaps for the last", "%d acknowledged, and\n%s",
           batch->acknowledged, rows);
}

static void judge_error(void *context, const char *store, struct answer answer)
{
    struct batch *batch = context;
    bool is_met = answer.operations >= ++batch->turn && batch->code != SQLITE_BUSY;

    batch->marked = batch->acknowledged;
    if (answer.outcome.kind == OUTCOME_VALUE && !is_met) {
        expect_outcome(answer, outcome_value(batch->count));
    } else {
        expect_sqlite(answer, batch->code);
        batch->marked -= batch->acknowledged > 0;
    }
    expect_same("rows", source_rows(store), rows_marked(batch, batch->marked));
}

/* Several calls were made on this store; each may have marked what it sent. */
static void judge_memory(void *context, const char *store, struct answer answer)
{
    struct batch *batch = context;
    auto_free char *marks = source_marks(store);

    (void)answer;
    batch->marked = (marks[0] == '1') + (marks[1] == '1');
    expect_same("rows", source_rows(store), rows_marked(batch, batch->marked));
}

static void dispatch_rest(void *context, struct puppet *other, const struct how *how)
{
    const struct batch *batch = context;
    struct round round = { .how = *how };
    int left = batch->count - batch->marked;

    expect_outcome(play_round(other, 8, &round), outcome_value(left));
    expect_same("what the next call sent", round_sent(&round),
                events_lines(batch->events + batch->marked, left));
    expect_same("rows", source_rows(how->on), rows_marked(batch, batch->count));
}

static struct sweep sweep_of(struct batch *batch, int code)
{
    draw_events(batch->events, 2);
    batch->code = code;
    played = batch;
    return (struct sweep){ .store = "source",
                           .make = make_batch,
                           .busy_timeout_ms = 50,
                           .call = dispatch_batch,
                           .judge = code ? judge_error : judge_kill,
                           .complete = dispatch_rest,
                           .context = batch };
}

CHECK(dispatch, a_kill_at_any_storage_operation_loses_no_event, "dispatch.8")
{
    struct batch batch = { .count = 2 };
    struct sweep sweep = sweep_of(&batch, 0);

    sweep.complete = NULL;
    sweep_kills(&sweep);
}

DEEP_CHECK(dispatch, a_kill_at_any_storage_operation_on_a_log_loses_no_event, "dispatch.8")
{
    struct batch batch = { .count = 2 };
    struct sweep sweep = sweep_of(&batch, 0);

    sweep.make = make_batch_with_log;

    sweep_kills_thoroughly(&sweep);
}

CHECK(dispatch, a_storage_operation_that_fails_is_handed_on_and_its_event_stays_pending,
      "dispatch.4")
{
    struct batch batch = { .count = 1 };
    struct sweep sweep = sweep_of(&batch, SQLITE_IOERR);

    sweep.complete = NULL;

    sweep_errors(&sweep, SQLITE_IOERR);
}

DEEP_CHECK(dispatch, after_a_storage_operation_that_failed_the_next_call_goes_on, "dispatch.4")
{
    struct batch batch = { .count = 2 };
    struct sweep sweep = sweep_of(&batch, SQLITE_IOERR);

    sweep_errors(&sweep, SQLITE_IOERR);
}

DEEP_CHECK(dispatch, a_full_disk_at_any_moment_is_handed_on_and_its_event_stays_pending,
           "dispatch.4")
{
    struct batch batch = { .count = 2 };
    struct sweep sweep = sweep_of(&batch, SQLITE_FULL);

    sweep_errors(&sweep, SQLITE_FULL);
}

DEEP_CHECK(dispatch, a_busy_storage_operation_is_waited_for_or_handed_on, "dispatch.4")
{
    struct batch batch = { .count = 2 };
    struct sweep sweep = sweep_of(&batch, SQLITE_BUSY);

    sweep_errors(&sweep, SQLITE_BUSY);
}

DEEP_CHECK(dispatch, no_memory_at_any_moment_loses_no_event, "common.2")
{
    struct batch batch = { .count = 2 };
    struct sweep sweep = sweep_of(&batch, 0);

    sweep.judge = judge_memory;
    sweep_memory(&sweep);
}
