/* worker_crowd_rival.c - another process comes in the middle of a call; worker_crowd.h */
#include "worker_crowd.h"

#include "base.h"

#include <sqlite3.h>
#include <stdlib.h>

struct meeting {
    struct puppet *hand;
    char *sql;
    bool tried;
    bool first;          /* the rival came before the call did */
    struct event *taken; /* by all calls and rivals so far, in that order */
    int count;
};

static struct outcome take_meanwhile(void *context, struct stop *stop)
{
    struct meeting *meeting = context;

    if (stop->kind == STOP_STORAGE) {
        meeting->tried = true;
        meeting->first = hand_try(meeting->hand, meeting->sql) == SQLITE_OK;
        if (!meeting->first)
            hand_try(meeting->hand, "ROLLBACK");
        else
            stage_did("   before %s %d: another process took its event", stop->point,
                      stop->operation);
    }
    return call_go_on(stop);
}

static struct outcome outcome_behind(enum rival what, bool first)
{
    if (!first || what == RIVAL_OTHER_ID)
        return outcome_value(1);
    return what == RIVAL_SAME ? outcome_value(0) : outcome_of(OUTCOME_CONFLICT, 0);
}

static void take(struct meeting *meeting, struct event event)
{
    size_t count = (size_t)meeting->count + 1;

    meeting->taken = xrealloc(meeting->taken, count * sizeof *meeting->taken);
    meeting->taken[meeting->count++] = event;
}

/* One call, with the rival before its k-th storage operation; adds what was taken. */
static void meet(const struct once *once, struct puppet *worker, struct meeting *meeting,
                 enum rival what, int operation)
{
    struct event event = an_event();
    struct event rivals = what == RIVAL_SAME        ? event
                          : what == RIVAL_OTHER_QTY ? other_qty(event)
                                                    : an_event();
    auto_free char *effect = once_sql(once->take, rivals);
    auto_free char *sql = xprintf("BEGIN IMMEDIATE; %s COMMIT", effect);
    struct how how = { .no_hook = true,
                       .directions = { .at = take_meanwhile, .context = meeting },
                       .storage_at = operation };
    struct answer answer;

    meeting->sql = sql;
    meeting->tried = meeting->first = false;
    answer = call_once(once, worker, spec_of(event), &how);
    expect_outcome(answer, outcome_behind(what, meeting->first));
    if (meeting->first)
        take(meeting, rivals);
    if (!meeting->first || what == RIVAL_OTHER_ID)
        take(meeting, event);
    stage_forget();
}

void crowd_rival(const struct once *once, unsigned rivals, int operations)
{
    struct puppet *worker = once_start(once, 1000);
    struct meeting meeting = { .hand = hand_open(once->store), .tried = true };
    int firsts = 0;
    int k = 0;

    while (meeting.tried && k < operations) {
        k++;
        for (enum rival what = RIVAL_SAME; what <= RIVAL_OTHER_ID; what *= 2) {
            if (!(rivals & what))
                continue;
            meet(once, worker, &meeting, what, k);
            firsts += meeting.first;
        }
    }
    expect_same("rows", once->rows(once->store), once->with(meeting.taken, meeting.count));
    stage_note("%d storage operations, %d times the other process came first", k, firsts);
}
