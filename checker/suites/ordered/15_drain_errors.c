/* Step 15: steps/ordered/15-drain.md - an error of storage at each operation of process_all */
#include "base.h"
#include "ordered_calls.h"
#include "storage_sweep.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 2 /* the first of a flow each: that of a is applied, then that of b is blocked */

static char *states[EVENTS + 1]; /* all rows when so many of them are done */
static int turn;

/* SQL of the rows. */
static char *rows_at(int done)
{
    struct text rows = { 0 };

    for (int i = 0; i < EVENTS; i++) {
        const char *flow = i ? "b" : "a";
        struct envelope event = event_of(flow, 1, 7);

        event.event_id = i ? "first-of-b" : "first-of-a";
        if (i)
            event.payload = "{}";
        if (i < done && !i)
            text_add(&rows, "%s%s", applied_rows(&event, 7),
                     projection_row(flow, "reserved", 1, 7));
        else
            text_add(&rows, "%s", inbox_row(&event, 0, i < done, i < done ? "bad_payload" : NULL));
    }
    return rows.data;
}

static void make_store(const char *store)
{
    side_make("consumer", store, rows_at(0));
}

/*
 * The schema is read before: a CREATE TABLE whose schema cannot be read is compiled once more by
 * SQLite itself, and then there is no error to hand on.
 */
static struct answer call_swept(void *context, struct puppet *worker, const struct how *how)
{
    (void)context;
    sql_on(worker, how->on, "SELECT 1 FROM inbox WHERE position < 0");
    return call_process_all(worker, 9, false, how);
}

static void judge_swept(void *context, const char *store, struct answer answer)
{
    auto_free char *rows = side_rows("consumer", store);
    bool is_whole = false;

    (void)context;
    turn++;
    for (int done = 0; done <= EVENTS; done++)
        is_whole = is_whole || strcmp(rows, states[done]) == 0;
    expect(is_whole, "the rows when neither is done, a's is applied or b's is blocked, too", "%s",
           rows);
    if (answer.operations >= turn)
        expect_sqlite(answer, SQLITE_IOERR);
    else
        expect_outcome(answer, outcome_value(EVENTS));
    expect(answer.outcome.kind != OUTCOME_VALUE || strcmp(rows, states[EVENTS]) == 0,
           "a's event is applied and b's blocked", "%s", rows);
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

    for (int done = 0; done <= EVENTS; done++)
        states[done] = side_with("consumer", rows_at(done));
    sweep_errors(&sweep, SQLITE_IOERR);
}
