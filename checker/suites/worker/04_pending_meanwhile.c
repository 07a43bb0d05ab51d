/* Step 4: steps/worker/04-pending.md, what another process commits in the middle of a call */
#include "base.h"
#include "worker_meeting.h"
#include "worker_round.h"

static const struct event before[] = { { "b", 1 }, { "a", 2 } };

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
            expect_events(answer, before, 2);
        stage_or(NULL);
        source_refill(hand, before, 2, "00");
    } while (meeting.tried);
}

CHECK(pending, a_batch_is_of_one_moment_whatever_another_commits_meanwhile, "pending.2")
{
    const struct event more[] = { { "a", 2 }, { "new", 3 }, { "newer", 4 } };
    const struct event other[] = { { "b", 11 }, { "a", 12 } };
    source_fill("source", before, 2, "00");
    struct puppet *worker = worker_at("source", 50);
    struct puppet *hand = hand_open("source");

    expect_one_moment(worker, hand,
                      "BEGIN IMMEDIATE; UPDATE outbox SET sent = 1 WHERE id = 'b'; INSERT INTO"
                      " outbox (id, qty, sent) VALUES ('new', 3, 0), ('newer', 4, 0); COMMIT",
                      more, 3);
    stage_proves("pending.3");
    expect_one_moment(worker, hand, "BEGIN IMMEDIATE; UPDATE outbox SET qty = qty + 10; COMMIT",
                      other, 2);
}
