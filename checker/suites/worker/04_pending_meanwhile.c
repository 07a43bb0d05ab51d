/* Step 4: steps/worker/04-pending.md, what another process commits in the middle of a call */
#include "base.h"
#include "worker_meeting.h"
#include "worker_round.h"

#include <string.h>

#define ROWS 10

static const struct event before[ROWS] = { { "b", 1 }, { "a", 2 }, { "i", 3 }, { "h", 4 },
                                           { "g", 5 }, { "f", 6 }, { "e", 7 }, { "d", 8 },
                                           { "c", 9 }, { "j", 10 } };

/*
 * The batch is as the store was before that transaction or behind it, whichever of the call's
 * storage operations it comes before.  A store with a rollback journal: it is kept out while
 * the call reads.
 */
static void expect_one_moment(struct puppet *worker, struct puppet *hand, const char *sql,
                              const struct event *behind, int count)
{
    struct meeting meeting = { .hand = hand, .sql = sql };
    auto_free char *events = events_text(behind, count);
    int operation = 0;

    do {
        struct how how = meeting_before(&meeting, ++operation);
        struct answer answer = call_pending(worker, 16, &how);

        stage_or(meeting.first ? "the batch as it is behind that transaction" : NULL);
        if (meeting.first && is_same_json(answer_text(answer, "events"), events))
            expect_events(answer, behind, count);
        else
            expect_events(answer, before, ROWS);
        stage_or(NULL);
        source_refill(hand, before, ROWS, "0000000000");
    } while (meeting.tried);
}

CHECK(pending, a_batch_is_of_one_moment_whatever_another_commits_meanwhile, "pending.2")
{
    struct event more[ROWS + 1];
    struct event other[ROWS];
    memcpy(more, before + 1, sizeof before - sizeof *before);
    more[ROWS - 1] = event_of("new", 3);
    more[ROWS] = event_of("newer", 4);
    for (int i = 0; i < ROWS; i++)
        other[i] = event_of(before[i].id, before[i].qty + 10);
    source_fill("source", before, ROWS, "0000000000");
    struct puppet *worker = worker_at("source", 50);
    struct puppet *hand = hand_open("source");

    expect_one_moment(worker, hand,
                      "BEGIN IMMEDIATE; UPDATE outbox SET sent = 1 WHERE id = 'b'; INSERT INTO"
                      " outbox (id, qty, sent) VALUES ('new', 3, 0), ('newer', 4, 0); COMMIT",
                      more, ROWS + 1);
    stage_proves("pending.3");
    expect_one_moment(worker, hand, "BEGIN IMMEDIATE; UPDATE outbox SET qty = qty + 10; COMMIT",
                      other, ROWS);
}

/* The worker reads while another process has the write lock and has not committed. */
static void expect_read_beside_a_writer(struct puppet *worker, const char *store,
                                        const struct event *events, int count)
{
    struct puppet *hand = hand_open(store);

    stage_did("(another process has the write lock of %s and has not committed)", store);
    hand_do(hand, "BEGIN IMMEDIATE; UPDATE outbox SET sent = 1;"
                  "INSERT INTO outbox (id, qty, sent) VALUES ('uncommitted', 1, 0)");
    worker_open(worker, store, 50);
    expect_events(call_pending(worker, 16, &(struct how){ .on = store }), events, count);
}

CHECK(pending, it_reads_while_another_process_is_about_to_write, "pending.4")
{
    struct event events[] = { an_event(), an_event() };
    struct puppet *worker = puppet_start();

    source_fill("source", events, 2, "00");
    source_fill("write-ahead", events, 2, "00");
    store_change("write-ahead", "PRAGMA journal_mode = WAL");

    expect_read_beside_a_writer(worker, "source", events, 2);
    expect_read_beside_a_writer(worker, "write-ahead", events, 2);
}
