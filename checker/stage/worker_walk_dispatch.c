/* worker_walk_dispatch.c - what a dispatch in a walk must come to; worker_walk_play.h */
#include "worker_walk_play.h"

#include "base.h"
#include "worker_round.h"

#include <sqlite3.h>
#include <stdlib.h>

static struct round round_of(const struct world *world, const struct move *move)
{
    struct round round = { .kind = STOP_SEND, .count = move->at + 1, .how.on = world->store };

    walk_arm(move, &round.how);
    round.how.no_hook = move->trouble == TROUBLE_NO_HOOK;
    round.answer = move->reply;
    round.answers = move->trouble == TROUBLE_SENDER || move->trouble == TROUBLE_HOOK;
    round.kills = move->trouble == TROUBLE_KILL_POINT || move->trouble == TROUBLE_KILL_SEND ||
                  move->trouble == TROUBLE_KILL_STORAGE;
    if (move->trouble == TROUBLE_HOOK || move->trouble == TROUBLE_KILL_POINT)
        round.kind = STOP_FAULT;
    if (move->trouble == TROUBLE_KILL_STORAGE) {
        round.kind = STOP_STORAGE;
        round.count = 0;
    }
    if (move->trouble == TROUBLE_ODD_VALUE) {
        round.answers = true;
        round.answer = outcome_value(move->reply.code == 1 ? 2 : move->reply.code);
    }
    return round;
}

/* How many of the batch are sent and marked where the trouble is no error of storage. */
struct course_of {
    int sent, marked;
    struct outcome outcome;
};

static struct course_of course_of(const struct move *move, const struct round *round, int count)
{
    bool is_met = move->at < count;
    struct course_of course = { count, count, outcome_value(count) };

    if (round->kills && is_met)
        return (struct course_of){ move->at + 1, move->at, { 0 } };
    if (round->answers && is_met)
        return (struct course_of){ move->at + 1, move->at,
                                   round->answer.kind == OUTCOME_VALUE
                                       ? outcome_of(OUTCOME_DELIVERY, 0)
                                       : round->answer };
    if (move->trouble == TROUBLE_RIVAL && is_met)
        course.outcome.code--;
    return course;
}

static void mark_places(struct model *model, const int *places, int count)
{
    for (int i = 0; i < count; i++)
        model->sent[places[i]] = '1';
}

/* Killed or failed at some operation of storage, or locked out: what was sent decides. */
static void expect_prefix(struct world *world, const struct move *move, struct answer answer,
                          const int *places, int count)
{
    int sends = answer.sends;
    struct model before = world->model;
    struct model after = world->model;

    stage_proves(answer.killed ? "dispatch.8" : "dispatch.4");
    expect(sends <= count, "no more than the batch is sent", "%d sends", sends);
    mark_places(&before, places, sends > 0 ? sends - 1 : 0);
    mark_places(&after, places, sends);
    if (answer.killed || move->trouble == TROUBLE_MEMORY) {
        walk_settle(world, &before, &after);
    } else if (answer.outcome.kind != OUTCOME_VALUE) {
        expect_sqlite(answer, move->trouble == TROUBLE_LOCK      ? SQLITE_BUSY
                              : move->trouble == TROUBLE_REFUSED ? SQLITE_CONSTRAINT
                                                                 : SQLITE_IOERR);
        world->model = before;
    } else {
        expect_outcome(answer, outcome_value(count));
        world->model = after;
    }
}

void walk_dispatch(struct world *world, struct puppet *worker, const struct move *move)
{
    static const char mark[] = "UPDATE outbox SET sent = 1 WHERE seq = (SELECT min(seq) FROM"
                               " outbox WHERE sent = 0)";
    struct change change = { .hand = world->hand };
    struct round round = move->trouble == TROUBLE_RIVAL
                             ? round_with_hand(&change, move->at + 1, mark)
                             : round_of(world, move);
    int places[MODEL_ROWS_MAX];
    int count = model_pending(&world->model, move->limit, places);
    struct course_of course = course_of(move, &round, count);
    struct event sent[MODEL_ROWS_MAX];
    struct answer answer;

    round.how.on = world->store;
    for (int i = 0; i < course.sent; i++)
        sent[i] = world->model.events[places[i]];
    stage_proves(move->trouble == TROUBLE_MEMORY       ? "common.2"
                 : move->limit < 1 || move->limit > 16 ? "dispatch.1"
                                                       : "dispatch.2");
    answer = play_round(worker, move->limit, &round);
    if ((move->limit < 1 || move->limit > 16) && move->trouble != TROUBLE_MEMORY) {
        expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
        return;
    }
    if (move->trouble == TROUBLE_STORAGE || move->trouble == TROUBLE_KILL_STORAGE ||
        move->trouble == TROUBLE_LOCK || move->trouble == TROUBLE_REFUSED ||
        move->trouble == TROUBLE_MEMORY) {
        expect_prefix(world, move, answer, places, count);
        return;
    }
    stage_proves(round.kills ? "dispatch.8" : round.answers ? "dispatch.3" : "dispatch.2");
    if (!answer.killed)
        expect_outcome(answer, course.outcome);
    expect_same("what the sender got", round_sent(&round), events_lines(sent, course.sent));
    mark_places(&world->model, places, course.marked);
    stage_proves(round.kills ? "dispatch.8" : round.answers ? "dispatch.4" : "dispatch.2");
}
