/* Step 7: steps/worker/07-dispatch.md */
#include "worker_round.h"

#include <stdlib.h>
#include <string.h>

static const struct event trio[] = { { "c", 5 }, { "b", 6 }, { "a", 7 } };

/* A worker at a source with those three pending, and another process there. */
static struct puppet *start_at_trio(struct change *change)
{
    source_fill("source", trio, 3, "000");
    change->hand = hand_open("source");
    return worker_at("source", 50);
}

/*
 * While the first of the three is sent another process plays the SQL: what comes of it, how
 * many were sent and what is marked.
 */
static void expect_change(struct puppet *worker, struct change *change, const char *sql, int limit,
                          struct outcome outcome, int sent, const char *marks)
{
    static const char *const points[] = { "", "after-delivery", "after-delivery after-delivery",
                                          "after-delivery after-delivery after-delivery" };
    struct round round = round_with_hand(change, 1, sql);
    struct answer answer = play_round(worker, limit, &round);

    expect_outcome(answer, outcome);
    expect_points(answer, points[sent]);
    expect_same("what the sender got", round_sent(&round), events_lines(trio, sent));
    expect_same("marks", source_marks("source"), xstrdup(marks));
    source_refill(change->hand, trio, 3, "000");
}

/* More than the usual limit: neither what comes meanwhile nor what is marked changes the batch. */
static void expect_long_batch(struct puppet *worker, struct change *change)
{
    struct event events[12];
    struct round round = round_with_hand(
        change, 1,
        "INSERT INTO outbox (id, qty, sent) VALUES ('new', 7, 0);"
        " UPDATE outbox SET sent = 1 WHERE seq = (SELECT max(seq) - 1 FROM outbox)");

    draw_events(events, 12);
    source_refill(change->hand, events, 12, "000000000000");
    expect_outcome(play_round(worker, 16, &round), outcome_value(11));
    expect_same("what the sender got", round_sent(&round), events_lines(events, 12));
}

CHECK(dispatch, the_batch_is_what_was_pending_at_the_start, "dispatch.1")
{
    struct change change;
    struct puppet *worker = start_at_trio(&change);

    expect_change(worker, &change, "UPDATE outbox SET qty = 8 WHERE id = 'b'", 8,
                  outcome_of(OUTCOME_CONFLICT, 0), 2, "100");
    expect_change(worker, &change, "INSERT INTO outbox (id, qty, sent) VALUES ('new', 7, 0)", 8,
                  outcome_value(3), 3, "1110");
    expect_change(worker, &change, "INSERT INTO outbox (id, qty, sent) VALUES ('new', 7, 0)", 3,
                  outcome_value(3), 3, "1110");
    expect_change(worker, &change,
                  "INSERT INTO outbox (seq, id, qty, sent) VALUES (-1, 'old', 4, 0)", 2,
                  outcome_value(2), 2, "0110");
    expect_long_batch(worker, &change);
}

static void expect_free_at_each_send(struct puppet *worker, struct round round)
{
    expect_outcome(play_round(worker, 8, &round), outcome_value(3));
    expect_same("what the sender got", round_sent(&round), events_lines(trio, 3));
    expect_same("rows", source_rows("source"), source_with(trio, 3, "111"));
}

/* Only where nobody reads can a log be taken over whole and cut. */
static void cut_log(void *context)
{
    const struct change *change = context;
    char *rows;

    play_change(context);
    rows = puppet_rows(change->hand, "hand", "PRAGMA wal_checkpoint(TRUNCATE)");
    expect(strncmp(rows, "0|", 2) == 0, "no lock is held while the sender runs",
           "a checkpoint is busy: %s", rows);
    free(rows);
}

CHECK(dispatch, another_process_has_the_store_for_itself_while_the_sender_runs, "dispatch.5")
{
    struct change change;
    struct puppet *worker = start_at_trio(&change);

    expect_free_at_each_send(
        worker,
        round_with_hand(&change, 0, "BEGIN EXCLUSIVE; UPDATE orders SET qty = qty; COMMIT"));
}

CHECK(dispatch, not_even_a_read_lock_is_held_while_the_sender_runs, "dispatch.5")
{
    struct change change;
    store_change("source", "PRAGMA journal_mode = WAL");
    struct puppet *worker = start_at_trio(&change);
    struct round round = round_with_hand(&change, 0, "UPDATE orders SET qty = qty");
    round.act = cut_log;

    expect_free_at_each_send(worker, round);
}

#define ALL_MARKED "1111111111111111"

static void expect_spoiled_copy_is_harmless(struct puppet *worker, const char *spoil, int count)
{
    auto_free char *store = xprintf("source-%s", spoil);
    struct event events[16];
    struct round round = { .kind = STOP_SEND, .spoil = spoil, .how.on = store };

    draw_events(events, count);
    source_fill(store, events, count, "0000000000000000");
    worker_open(worker, store, 50);
    expect_outcome(play_round(worker, 16, &round), outcome_value(count));
    expect_same("what the sender got", round_sent(&round), events_lines(events, count));
    expect_same("rows", source_rows(store), source_with(events, count, ALL_MARKED));
    stage_forget();
}

CHECK(dispatch, a_sender_may_do_to_its_copy_what_it_likes, "dispatch.6")
{
    struct puppet *worker = puppet_start();

    expect_spoiled_copy_is_harmless(worker, "bytes", 2);
    expect_spoiled_copy_is_harmless(worker, "qty", 16);
    expect_spoiled_copy_is_harmless(worker, "empty", 2);
}

CHECK(dispatch, the_event_chosen_at_the_start_is_the_one_that_is_marked, "dispatch.6")
{
    struct change change;
    struct puppet *worker = start_at_trio(&change);

    expect_change(worker, &change, "UPDATE outbox SET qty = 9 WHERE id = 'c'", 8,
                  outcome_of(OUTCOME_CONFLICT, 0), 1, "000");
    expect_change(worker, &change, "UPDATE outbox SET id = 'other' WHERE id = 'c'", 8,
                  outcome_of(OUTCOME_INVALID, 0), 1, "000");
    expect_change(worker, &change, "REPLACE INTO outbox (id, qty, sent) VALUES ('c', 5, 0)", 1,
                  outcome_value(1), 1, "001");
}

CHECK(dispatch, an_event_that_another_marked_is_sent_all_the_same_and_not_counted, "dispatch.7")
{
    struct change change;
    struct puppet *worker = start_at_trio(&change);

    expect_change(worker, &change, "UPDATE outbox SET sent = 1 WHERE id = 'c'", 3, outcome_value(2),
                  3, "111");
    expect_change(worker, &change, "UPDATE outbox SET sent = 1 WHERE id = 'b'", 2, outcome_value(1),
                  2, "110");
    expect_change(worker, &change, "UPDATE outbox SET sent = 1 WHERE id = 'a'", 3, outcome_value(2),
                  3, "111");
    expect_change(worker, &change, "UPDATE outbox SET sent = 1", 3, outcome_value(0), 3, "111");
}

/* A second dispatch, whole, while the first one's sender runs. */
struct second {
    struct puppet *worker;
    struct round round;
    struct answer answer;
};

static void play_second(void *context)
{
    struct second *second = context;

    second->answer = play_round(second->worker, 8, &second->round);
}

CHECK(dispatch, of_two_dispatchers_each_counts_only_its_own_marks, "dispatch.7")
{
    struct event events[3];
    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    struct puppet *worker = worker_at("source", 50);
    struct second second = { .worker = worker_at("source", 50) };
    struct round round = { .kind = STOP_SEND, .count = 2, .act = play_second, .context = &second };

    expect_outcome(play_round(worker, 8, &round), outcome_value(1));
    expect_outcome(second.answer, outcome_value(2));

    expect_same("what the first sent", round_sent(&round), events_lines(events, 3));
    expect_same("what the second sent", round_sent(&second.round), events_lines(events + 1, 2));
    expect_same("rows", source_rows("source"), source_with(events, 3, "111"));
}
