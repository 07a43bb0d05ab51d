/* Step 15: steps/ordered/15-drain.md - an error of storage at each operation of process_all */
#include "base.h"
#include "ordered_calls.h"
#include "storage_sweep.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 2 /* the first of a flow each, in the order in which they are applied */

static char *states[EVENTS + 1]; /* all rows when so many of them are applied */
static int turn;

/* SQL of the rows. */
static char *rows_at(int applied)
{
    struct text rows = { 0 };

    for (int i = 0; i < EVENTS; i++) {
        const char *flow = i ? "b" : "a";
        struct envelope event = event_of(flow, 1, 7);

        event.event_id = i ? "first-of-b" : "first-of-a";
        if (i < applied)
            text_add(&rows, "%s%s", applied_rows(&event, 7),
                     projection_row(flow, "reserved", 1, 7));
        else
            text_add(&rows, "%s", inbox_row(&event, 0, 0, NULL));
    }
    return rows.data;
}

static void make_store(const char *store)
{
    side_make("consumer", store, rows_at(0));
}

static struct answer call_swept(void *context, struct puppet *worker, const struct how *how)
{
    (void)context;
    return call_process_all(worker, 9, false, how);
}

static void judge_swept(void *context, const char *store, struct answer answer)
{
    auto_free char *rows = side_rows("consumer", store);
    bool is_whole = false;

    (void)context;
    turn++;
    for (int applied = 0; applied <= EVENTS; applied++)
        is_whole = is_whole || strcmp(rows, states[applied]) == 0;
    expect(is_whole, "the rows when none, one or both of the events are applied", "%s", rows);
    if (answer.operations >= turn)
        expect_sqlite(answer, SQLITE_IOERR);
    else
        expect_outcome(answer, outcome_value(EVENTS));
    expect(answer.outcome.kind != OUTCOME_VALUE || strcmp(rows, states[EVENTS]) == 0,
           "both events are applied", "%s", rows);
}

static void complete(void *context, struct puppet *other, const struct how *how)
{
    (void)context;
    call_process_all(other, 9, false, how);
    expect_same("rows after the next call", side_rows("consumer", how->on),
                xstrdup(states[EVENTS]));
}

CHECK(drain, an_error_of_any_read_or_write_ends_it_and_what_was_applied_stays, "process_all.3")
{
    struct sweep sweep = { .store = "consumer",
                           .make = make_store,
                           .busy_timeout_ms = 20,
                           .call = call_swept,
                           .judge = judge_swept,
                           .complete = complete };

    for (int applied = 0; applied <= EVENTS; applied++)
        states[applied] = side_with("consumer", rows_at(applied));
    sweep_errors(&sweep, SQLITE_IOERR);
}
