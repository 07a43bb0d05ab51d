/* worker_crowd_rival.c - another process comes in the middle of a call; worker_crowd.h */
#include "worker_crowd.h"

#include "base.h"
#include "worker_meeting.h"

#include <stdlib.h>

struct race {
    struct meeting meeting;
    struct event *taken; /* by all calls and rivals so far, in that order */
    int count;
};

static struct outcome outcome_behind(enum rival what, bool first)
{
    if (!first || what == RIVAL_OTHER_ID)
        return outcome_value(1);
    return what == RIVAL_SAME ? outcome_value(0) : outcome_of(OUTCOME_CONFLICT, 0);
}

static void take(struct race *race, struct event event)
{
    size_t count = (size_t)race->count + 1;

    race->taken = xrealloc(race->taken, count * sizeof *race->taken);
    race->taken[race->count++] = event;
}

/* One call, with the rival before its k-th storage operation; adds what was taken. */
static void meet(const struct once *once, struct puppet *worker, struct race *race, enum rival what,
                 int operation)
{
    struct event event = an_event();
    struct event rivals = what == RIVAL_SAME        ? event
                          : what == RIVAL_OTHER_QTY ? other_qty(event)
                                                    : an_event();
    auto_free char *effect = once_sql(once->take, rivals);
    auto_free char *sql = xprintf("BEGIN IMMEDIATE; %s COMMIT", effect);
    struct how how = meeting_before(&race->meeting, operation);
    struct answer answer;

    race->meeting.sql = sql;
    how.no_hook = true;
    answer = call_once(once, worker, spec_of(event), &how);
    race->meeting.sql = NULL;
    expect_outcome(answer, outcome_behind(what, race->meeting.first));
    if (race->meeting.first)
        take(race, rivals);
    if (!race->meeting.first || what == RIVAL_OTHER_ID)
        take(race, event);
    stage_forget();
}

void crowd_rival(const struct once *once, unsigned rivals, int operations)
{
    struct puppet *worker = once_start(once, 1000);
    struct race race = { .meeting = { .hand = hand_open(once->store), .tried = true } };
    int firsts = 0;
    int k = 0;

    while (race.meeting.tried && k < operations) {
        k++;
        for (enum rival what = RIVAL_SAME; what <= RIVAL_OTHER_ID; what *= 2) {
            if (!(rivals & what))
                continue;
            meet(once, worker, &race, what, k);
            firsts += race.meeting.first;
        }
    }
    expect_same("rows", once->rows(once->store), once->with(race.taken, race.count));
    stage_note("%d storage operations, %d times the other process came first", k, firsts);
}
