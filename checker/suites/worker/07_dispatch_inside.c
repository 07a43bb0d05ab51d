/* Step 7: steps/worker/07-dispatch.md, a sender that calls the learner's functions itself */
#include "worker_round.h"

static const struct event trio[] = { { "c", 5 }, { "b", 6 }, { "a", 7 } };

CHECK(dispatch, a_sender_may_change_its_copy_and_receive_it_in_the_same_process, "dispatch.6")
{
    const struct event received[] = { { "first", 1 }, { "c", 5 }, { "b", 999 }, { "a", 7 } };
    struct round round = { .kind = STOP_SEND, .count = 2, .spoil = "qty" };
    source_fill("source", trio, 3, "000");
    sink_make();
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "sink", 50);

    expect_outcome(call_receive(worker, spec_of(received[0]), NULL), outcome_value(1));
    sender_passes_on(worker, "receive", "sink");
    expect_outcome(play_round(worker, 8, &round), outcome_value(3));

    expect_same("rows", source_rows("source"), source_with(trio, 3, "111"));
    expect_same("rows of the sink", sink_rows("sink"), sink_with(received, 4));
}

CHECK(dispatch, a_sender_may_dispatch_another_store_in_the_same_process, "common.7")
{
    struct event others[2];
    struct round round = { 0 };
    draw_events(others, 2);
    source_fill("source", trio, 3, "000");
    source_fill("other", others, 2, "00");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "other", 50);

    sender_passes_on(worker, "dispatch", "other");
    expect_outcome(play_round(worker, 8, &round), outcome_value(3));

    expect_same("what the sender got", round_sent(&round), events_lines(trio, 3));
    expect_same("rows", source_rows("source"), source_with(trio, 3, "111"));
    expect_same("rows of the other store", source_rows("other"), source_with(others, 2, "11"));
}
