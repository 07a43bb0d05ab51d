/* Step 6: steps/worker/06-mark_sent.md */
#include "storage_sweep.h"
#include "worker_round.h"

#include <sqlite3.h>
#include <stdlib.h>

struct pair {
    struct event events[2]; /* the second is marked             */
    int code;               /* the error that is made, or 0     */
    int turn;               /* how often it was made so far     */
};

static const struct pair *played;

static void make_pair(const char *store)
{
    source_fill(store, played->events, 2, "00");
}

static void make_pair_with_log(const char *store)
{
    make_pair(store);
    store_make(store, "PRAGMA journal_mode = WAL");
}

static struct answer mark_second(void *context, struct puppet *worker, const struct how *how)
{
    const struct pair *pair = context;

    return call_mark_sent(worker, spec_of(pair->events[1]), how);
}

static void judge_kill(void *context, const char *store, struct answer answer)
{
    const struct pair *pair = context;
    auto_free char *rows = source_rows(store);

    (void)answer;
    expect(is_same_text(rows, source_with(pair->events, 2, "00")) ||
               is_same_text(rows, source_with(pair->events, 2, "01")),
           "the rows as they were, but for the mark of the event", "%s", rows);
}

/* The next process does the rest, and sees what was done. */
static void mark_again(void *context, struct puppet *other, const struct how *how)
{
    const struct pair *pair = context;
    auto_free char *marks = source_marks(how->on);
    int left = marks[1] == '0';

    expect_outcome(call_mark_sent(other, spec_of(pair->events[1]), how), outcome_value(left));
    expect_same("rows", source_rows(how->on), source_with(pair->events, 2, "01"));
}

/* Handed on with nothing changed, or, where it could be waited for or was not met, no error. */
static void judge_error(void *context, const char *store, struct answer answer)
{
    struct pair *pair = context;
    bool is_marked = answer.outcome.kind == OUTCOME_VALUE;
    bool is_met = answer.operations >= ++pair->turn && pair->code != SQLITE_BUSY;

    if (is_marked && !is_met)
        expect_outcome(answer, outcome_value(1));
    else
        expect_sqlite(answer, pair->code);
    expect_same("rows", source_rows(store), source_with(pair->events, 2, is_marked ? "01" : "00"));
}

static struct pair draw_pair(int code)
{
    struct pair pair = { .code = code };

    draw_events(pair.events, 2);
    return pair;
}

static struct sweep sweep_of(struct pair *pair)
{
    played = pair;
    return (struct sweep){ .store = "source",
                           .make = make_pair,
                           .busy_timeout_ms = 50,
                           .call = mark_second,
                           .judge = pair->code ? judge_error : judge_kill,
                           .complete = mark_again,
                           .context = pair };
}

CHECK(mark_sent, a_kill_at_any_storage_operation_loses_no_row, "mark_sent.6")
{
    struct pair pair = draw_pair(0);
    struct sweep sweep = sweep_of(&pair);

    sweep.complete = NULL;
    sweep_kills(&sweep);
}

DEEP_CHECK(mark_sent, a_kill_at_any_storage_operation_on_a_log_loses_no_row, "mark_sent.6")
{
    struct pair pair = draw_pair(0);
    struct sweep sweep = sweep_of(&pair);

    sweep.make = make_pair_with_log;

    sweep_kills_thoroughly(&sweep);
}

CHECK(mark_sent, a_storage_operation_that_fails_is_handed_on_and_marks_nothing, "mark_sent.8")
{
    struct pair pair = draw_pair(SQLITE_IOERR);
    struct sweep sweep = sweep_of(&pair);

    sweep.complete = NULL;

    sweep_errors(&sweep, SQLITE_IOERR);
}

DEEP_CHECK(mark_sent, a_full_disk_at_any_moment_is_handed_on_and_marks_nothing, "mark_sent.8")
{
    struct pair pair = draw_pair(SQLITE_FULL);
    struct sweep sweep = sweep_of(&pair);

    sweep_errors(&sweep, SQLITE_FULL);
}

DEEP_CHECK(mark_sent, a_busy_storage_operation_is_waited_for_or_handed_on, "mark_sent.8")
{
    struct pair pair = draw_pair(SQLITE_BUSY);
    struct sweep sweep = sweep_of(&pair);

    sweep_errors(&sweep, SQLITE_BUSY);
}

DEEP_CHECK(mark_sent, no_memory_at_any_moment_leaves_the_mark_or_none, "common.2")
{
    struct pair pair = draw_pair(0);
    struct sweep sweep = sweep_of(&pair);

    sweep_memory(&sweep);
}
