/* Step 7: steps/worker/07-dispatch.md */
#include "worker_round.h"

#include <stdlib.h>
#include <string.h>

static void expect_free_at_each_send(const char *sql)
{
    struct event events[3];
    struct change change;
    struct round round = round_with_change(&change, 0, sql);

    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    expect_outcome(play_round(worker_at("source", 50), 8, &round), outcome_value(3));
    expect_same("what the sender got", round_sent(&round), events_lines(events, 3));
    expect_same("rows", source_rows("source"), source_with(events, 3, "111"));
}

CHECK(dispatch, another_process_writes_at_once_while_the_sender_runs, "dispatch.5")
{
    expect_free_at_each_send("BEGIN IMMEDIATE; UPDATE orders SET qty = qty; COMMIT");
}

CHECK(dispatch, another_process_has_the_store_for_itself_while_the_sender_runs, "dispatch.5")
{
    expect_free_at_each_send("BEGIN EXCLUSIVE; UPDATE orders SET qty = qty; COMMIT");
}

CHECK(dispatch, marks_follow_what_another_process_wrote_into_the_log_meanwhile, "dispatch.5")
{
    store_change("source", "PRAGMA journal_mode = WAL");

    expect_free_at_each_send("BEGIN IMMEDIATE; UPDATE orders SET qty = qty; COMMIT");
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

CHECK(dispatch, not_even_a_read_lock_is_held_while_the_sender_runs, "dispatch.5")
{
    struct event events[2];
    struct change change;
    draw_events(events, 2);
    source_fill("source", events, 2, "00");
    store_change("source", "PRAGMA journal_mode = WAL");
    struct round round = round_with_change(&change, 0, "UPDATE orders SET qty = qty");
    round.act = cut_log;

    expect_outcome(play_round(worker_at("source", 50), 8, &round), outcome_value(2));

    expect_same("marks", source_marks("source"), xstrdup("11"));
}

CHECK(dispatch, what_comes_while_the_sender_runs_waits_for_the_next_call, "dispatch.1")
{
    const struct event events[] = { event_of("old", 4), event_of("b", 5), event_of("a", 6),
                                    event_of("new", 7) };
    struct change change;
    struct round next = { 0 };
    source_fill("source", events, 3, "100");
    struct round round =
        round_with_change(&change, 1,
                          "INSERT INTO outbox (id, qty, sent) VALUES ('new', 7, 0);"
                          "UPDATE outbox SET sent = 0 WHERE id = 'old'");
    struct puppet *worker = worker_at("source", 50);

    expect_outcome(play_round(worker, 8, &round), outcome_value(2));
    expect_same("what the sender got", round_sent(&round), events_lines(events + 1, 2));
    expect_same("marks", source_marks("source"), xstrdup("0110"));

    expect_outcome(play_round(worker, 8, &next), outcome_value(2));
    expect_same("what the sender got next", round_sent(&next), xstrdup("old|4\nnew|7\n"));
}

CHECK(dispatch, the_batch_is_what_was_pending_at_the_start, "dispatch.1")
{
    const struct event events[] = { event_of("c", 5), event_of("b", 6), event_of("a", 7) };
    struct change change;
    source_fill("source", events, 3, "000");
    struct round round = round_with_change(&change, 1, "UPDATE outbox SET qty = 8 WHERE id = 'b'");

    struct answer answer = play_round(worker_at("source", 50), 8, &round);

    expect_outcome(answer, outcome_of(OUTCOME_CONFLICT, 0));
    expect_same("what the sender got", round_sent(&round), events_lines(events, 2));
    expect_same("marks", source_marks("source"), xstrdup("100"));
}

/* Three events of which another process marks some while the first is sent. */
static void expect_marks_left(const char *where, int limit, int left, const char *marks)
{
    const struct event events[] = { event_of("c", 5), event_of("b", 6), event_of("a", 7) };
    auto_free char *sql = xprintf("UPDATE outbox SET sent = 1 WHERE %s", where);
    struct change change;
    struct round round = round_with_change(&change, 1, sql);

    source_fill("source", events, 3, "000");
    expect_outcome(play_round(worker_at("source", 50), limit, &round), outcome_value(left));
    expect_same("what the sender got", round_sent(&round), events_lines(events, limit));
    expect_same("rows", source_rows("source"), source_with(events, 3, marks));
}

CHECK(dispatch, the_event_under_way_may_be_marked_by_another_and_is_not_counted, "dispatch.7")
{
    expect_marks_left("id = 'c'", 3, 2, "111");
}

CHECK(dispatch, an_event_that_another_marked_meanwhile_is_sent_all_the_same, "dispatch.7")
{
    expect_marks_left("id = 'b'", 3, 2, "111");
}

CHECK(dispatch, the_last_event_may_be_marked_by_another, "dispatch.7")
{
    expect_marks_left("id = 'a'", 3, 2, "111");
}

CHECK(dispatch, a_batch_that_another_marked_whole_is_sent_and_counts_nothing, "dispatch.7")
{
    expect_marks_left("1", 3, 0, "111");
}

CHECK(dispatch, an_event_marked_by_another_makes_no_room_in_the_batch, "dispatch.7")
{
    expect_marks_left("id = 'b'", 2, 1, "110");
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
