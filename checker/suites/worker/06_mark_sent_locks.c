/* Step 6: steps/worker/06-mark_sent.md */
#include "worker_round.h"
#include "worker_setting.h"

#include <stdlib.h>

#define HELD_MS 150

static void commit(void *hand)
{
    hand_do(hand, "COMMIT");
}

/* Sees a call through while another process gives its lock back after a while. */
static struct answer finish_while_held(struct puppet *worker, struct puppet *hand)
{
    const struct directions directions = {
        .later = commit, .later_ms = stage_ms(HELD_MS), .context = hand, .deadline_ms = 6000
    };

    stage_did("(meanwhile another process commits, after %d ms)", HELD_MS);
    return call_finish(worker, &directions);
}

/* A known id may be answered without the lock, so either is right. */
static void expect_busy_or(struct answer answer, struct outcome outcome)
{
    bool is_busy = answer.outcome.kind == OUTCOME_SQLITE && (answer.outcome.code & 0xff) == 5;

    expect_either(answer, outcome, is_busy ? answer.outcome : outcome_of(OUTCOME_SQLITE, 5));
}

/* The worker's connection waits for 50 ms. */
static void expect_busy_soon(struct puppet *worker, struct event event)
{
    const struct how patient = { .directions.deadline_ms = 6000 };
    struct answer answer = call_mark_sent(worker, spec_of(event), &patient);

    expect_sqlite(answer, 5);
    expect(answer.ms < stage_ms(500), "a wait of about 50 ms, as the connection is set to",
           "it took %lld ms", (long long)answer.ms);
}

CHECK(mark_sent, a_held_lock_is_waited_for_as_the_connection_is_set_to, "mark_sent.7")
{
    struct event events[2];
    draw_events(events, 2);
    source_fill("source", events, 2, "10");
    struct puppet *worker = worker_at("source", 50);
    struct puppet *hand = hand_open("source");

    stage_did("(another process holds BEGIN IMMEDIATE)");
    hand_do(hand, "BEGIN IMMEDIATE");
    expect_busy_soon(worker, events[1]);
    expect_busy_or(call_mark_sent(worker, spec_of(events[0]), NULL), outcome_value(0));
    setting_patience(worker, "source", 3);
    expect_sqlite(call_mark_sent(worker, spec_of(events[1]), NULL), 5);
    expect_number("times the busy handler gave up", setting_gave_up(worker), 1);
    worker_close(worker, "source");
    worker_open(worker, "source", 3000);
    begin_with_event(worker, "mark_sent", spec_of(events[1]), NULL);
    expect_outcome(finish_while_held(worker, hand), outcome_value(1));

    expect_same("rows", source_rows("source"), source_with(events, 2, "11"));
}

#define PROCESSES 6

/* How many of the calls came to { VALUE, 1 }; all others must be { VALUE, 0 }. */
static int count_marks(struct puppet *const *workers, struct puppet *hand)
{
    int marks = 0;

    for (int i = 0; i < PROCESSES; i++) {
        struct answer answer =
            i == 0 ? finish_while_held(workers[i], hand) : call_finish(workers[i], NULL);

        expect_either(answer, outcome_value(1), outcome_value(0));
        marks += answer.outcome.code;
    }
    return marks;
}

static void start_processes(struct puppet **workers)
{
    for (int i = 0; i < PROCESSES; i++)
        workers[i] = worker_at("source", 2500);
}

static void begin_all(struct puppet *const *workers, struct event event)
{
    for (int i = 0; i < PROCESSES; i++)
        begin_with_event(workers[i], "mark_sent", spec_of(event), NULL);
}

CHECK(mark_sent, of_six_processes_that_mark_one_event_exactly_one_does, "mark_sent.7")
{
    struct event events[2];
    struct puppet *workers[PROCESSES];
    draw_events(events, 2);
    source_fill("source", events, 2, "00");
    struct puppet *hand = hand_open("source");
    start_processes(workers);

    hand_do(hand, "BEGIN IMMEDIATE");
    begin_all(workers, events[1]);

    expect_number("calls that marked it", count_marks(workers, hand), 1);
    expect_same("rows", source_rows("source"), source_with(events, 2, "01"));
}

/* A call that begins while another process has changed the row and not yet committed. */
static struct answer mark_during(struct puppet *worker, struct puppet *hand, const char *change,
                                 struct event event)
{
    stage_did("(another process: BEGIN IMMEDIATE; %s)", change);
    hand_do(hand, "BEGIN IMMEDIATE");
    hand_do(hand, change);
    begin_with_event(worker, "mark_sent", spec_of(event), NULL);
    return finish_while_held(worker, hand);
}

EARLY_CHECK(mark_sent, what_another_commits_while_the_lock_is_awaited_counts, "mark_sent.7")
{
    const struct event event = event_of("awaited", 5);
    source_fill("source", &event, 1, "0");
    struct puppet *worker = worker_at("source", 2500);
    struct puppet *hand = hand_open("source");

    expect_outcome(mark_during(worker, hand, "UPDATE outbox SET sent = 1", event),
                   outcome_value(0));
    hand_do(hand, "UPDATE outbox SET sent = 0");
    expect_outcome(mark_during(worker, hand, "UPDATE outbox SET qty = 6", event),
                   outcome_of(OUTCOME_CONFLICT, 0));
    hand_do(hand, "UPDATE outbox SET qty = 5");
    expect_outcome(mark_during(worker, hand, "DELETE FROM outbox", event),
                   outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(mark_during(worker, hand,
                               "INSERT INTO outbox (id, qty, sent) VALUES ('awaited', 5, 0)",
                               event),
                   outcome_value(1));

    expect_same("rows", source_rows("source"), source_with(&event, 1, "1"));
}

EARLY_CHECK(mark_sent, a_lock_is_waited_for_in_a_store_with_a_log_too, "mark_sent.7")
{
    struct event event = an_event();
    source_fill("source", &event, 1, "0");
    store_change("source", "PRAGMA journal_mode = WAL");
    struct puppet *worker = worker_at("source", 2500);

    struct answer answer =
        mark_during(worker, hand_open("source"), "UPDATE orders SET qty = qty", event);

    expect_outcome(answer, outcome_value(1));
    expect_same("rows", source_rows("source"), source_with(&event, 1, "1"));
}
