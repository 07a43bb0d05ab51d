/* Step 7: steps/worker/07-dispatch.md - how long the mark waits is the application's to say */
#include "worker_calls.h"
#include "worker_round.h"
#include "worker_setting.h"

#include <poll.h>
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

#define SLOW_MS 1100

static void sleep_a_while(void *context)
{
    (void)context;
    stage_did("   the sender takes %d ms", SLOW_MS);
    poll(NULL, 0, SLOW_MS);
}

EARLY_CHECK(dispatch, a_sender_that_takes_its_time_is_believed_and_the_others_follow, "dispatch.2")
{
    struct round round = { .kind = STOP_SEND, .count = 1, .act = sleep_a_while };
    struct event events[3];
    struct puppet *worker;

    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    worker = worker_at("source", 50);

    expect_outcome(play_round(worker, 8, &round), outcome_value(3));
    expect_same("what the sender got", round_sent(&round), events_lines(events, 3));
    expect_same("rows", source_rows("source"), source_with(events, 3, "111"));
}
