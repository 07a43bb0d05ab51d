/* Step 7: steps/worker/07-dispatch.md - how long the mark waits is the application's to say */
#include "worker_calls.h"
#include "worker_setting.h"

#include <sqlite3.h>

CHECK(dispatch, the_mark_waits_for_a_lock_as_the_connection_is_set_to, "dispatch.2")
{
    struct event event = an_event();
    struct puppet *worker;
    struct puppet *hand;

    source_make();
    source_put(event, 0);
    worker = worker_at("source", 0);
    hand = hand_open("source");
    setting_patience(worker, "source", 3);
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_sqlite(call_dispatch(worker, 8, NULL), SQLITE_BUSY);
    expect_sqlite(call_dispatch(worker, 8, NULL), SQLITE_BUSY);
    expect_number("times the busy handler gave up in the two calls", setting_gave_up(worker), 2);

    stage_proves("dispatch.4");
    hand_do(hand, "ROLLBACK; BEGIN; SELECT * FROM outbox");
    stage_did("(another process reads, which makes COMMIT busy)");
    expect_sqlite(call_dispatch(worker, 8, NULL), SQLITE_BUSY);
    expect_number("times the busy handler gave up in the three calls", setting_gave_up(worker), 3);

    hand_do(hand, "ROLLBACK");
    stage_proves("dispatch.2");
    expect_outcome(call_dispatch(worker, 8, NULL), outcome_value(1));
    expect_same("rows", source_rows("source"), source_with(&event, 1, "1"));
}
