/* worker_walk_dispatch.c - what a dispatch in a walk must come to; worker_walk_play.h */
#include "worker_walk_play.h"

#include "base.h"
#include "worker_round.h"

#include <sqlite3.h>
#include <stdlib.h>

/* What a rival does to the row that is under way, the oldest that is pending. */
#define UNDER_WAY " WHERE seq = (SELECT min(seq) FROM outbox WHERE sent = 0)"

static const char *const rivals[] = {
    "UPDATE outbox SET sent = 1" UNDER_WAY,
    "UPDATE outbox SET qty = qty % 1000 + 1" UNDER_WAY,
    "DELETE FROM outbox" UNDER_WAY,
    "UPDATE outbox SET seq = (SELECT max(seq) + 1 FROM outbox)" UNDER_WAY,
};
enum rival { RIVAL_MARKS, RIVAL_BENDS, RIVAL_DELETES, RIVAL_MOVES, RIVALS };

static enum rival rival_of(const struct move *move)
{
    return (enum rival)(move->operation % RIVALS);
}

static struct round round_of(const struct world *world, const struct move *move,
                             struct change *change)
{
    struct round round = { .kind = STOP_SEND, .count = move->at + 1 };

    if (move->trouble == TROUBLE_RIVAL)
        round = round_with_hand(change, move->at + 1, rivals[rival_of(move)]);
    round.how = walk_how(world, move);
    round.looks = move->trouble == TROUBLE_LOOK;
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

/* The places in the model of the events that are pending. */
struct batch {
    int places[MODEL_ROWS_MAX];
    int count;
};

/* How many of the batch are sent, reach their point and are marked. */
struct course_of {
    int sent, reached, marked;
    struct outcome outcome;
};

static struct course_of course_of(const struct move *move, const struct round *round, int count)
{
    bool is_met = move->at < count;
    bool at_point = round->kind == STOP_FAULT;
    struct course_of course = { count, count, count, outcome_value(count) };
    struct course_of cut = { move->at + 1, move->at + at_point, move->at, { 0 } };

    if (!is_met)
        return course;
    if (round->kills)
        return cut;
    if (round->answers) {
        cut.outcome =
            round->answer.kind == OUTCOME_VALUE ? outcome_of(OUTCOME_DELIVERY, 0) : round->answer;
        return cut;
    }
    if (move->trouble != TROUBLE_RIVAL || rival_of(move) == RIVAL_MOVES)
        return course;
    if (rival_of(move) == RIVAL_MARKS) {
        course.outcome.code--;
        return course;
    }
    cut.reached++;
    cut.outcome = outcome_of(rival_of(move) == RIVAL_BENDS ? OUTCOME_CONFLICT : OUTCOME_INVALID, 0);
    return cut;
}

static void mark_places(struct model *model, const int *places, int count)
{
    for (int i = 0; i < count; i++)
        model->sent[places[i]] = '1';
}

/* What the rival made of the rows. */
static void play_rival(struct model *model, const struct move *move, int place)
{
    struct event event = model->events[place];
    int ordered = model->ordered[place];
    char sent = model->sent[place];

    if (rival_of(move) == RIVAL_BENDS) {
        model->events[place].qty = event.qty % 1000 + 1;
    } else if (rival_of(move) == RIVAL_DELETES) {
        model->sent[place] = MODEL_NO_ROW;
        if (ordered == 0)
            model_remove(model, place);
    } else if (rival_of(move) == RIVAL_MOVES) {
        model_remove(model, place);
        model_add(model, event);
        model->ordered[model->count - 1] = ordered;
        model->sent[model->count - 1] = sent;
    }
}

static void add_marks(struct text *text, const struct model *model)
{
    text_add(text, " ");
    for (int i = 0; i < model->count; i++)
        if (model->sent[i] != MODEL_NO_ROW)
            text_add(text, "%c", model->sent[i]);
}

/* "send 000, after-delivery 000, send 100" with the marks there are then, or without. */
static char *log_of(const struct model *model, const int *places, struct course_of course,
                    bool has_points, bool looks)
{
    struct model then = *model;
    struct text log = { 0 };

    text_add(&log, "%s", "");
    for (int i = 0; i < course.sent; i++) {
        text_add(&log, "%ssend", i ? ", " : "");
        if (looks)
            add_marks(&log, &then);
        if (has_points && i < course.reached)
            text_add(&log, ", after-delivery");
        if (has_points && i < course.reached && looks)
            add_marks(&log, &then);
        then.sent[places[i]] = '1';
    }
    return log.data;
}

/* Killed or failed at some operation of storage, or locked out: what was sent decides. */
static void expect_prefix(struct world *world, const struct move *move, struct answer answer,
                          const struct batch *batch)
{
    const int *places = batch->places;
    int count = batch->count;
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
        expect_sqlite(answer, move->trouble == TROUBLE_REFUSED || move->trouble == TROUBLE_VETO
                                  ? SQLITE_CONSTRAINT
                              : move->trouble == TROUBLE_STORAGE ? SQLITE_IOERR
                                                                 : SQLITE_BUSY);
        world->model = before;
    } else {
        expect_outcome(answer, outcome_value(count));
        world->model = after;
    }
}

static bool is_of_storage(const struct world *world, const struct move *move)
{
    return move->trouble == TROUBLE_STORAGE || move->trouble == TROUBLE_KILL_STORAGE ||
           move->trouble == TROUBLE_LOCK || move->trouble == TROUBLE_REFUSED ||
           move->trouble == TROUBLE_MEMORY || walk_commit_code(world, move) != SQLITE_OK;
}

static void expect_course(struct world *world, const struct move *move, struct answer answer,
                          const struct round *round, const struct batch *batch)
{
    const int *places = batch->places;
    int count = batch->count;
    struct course_of course = course_of(move, round, count);
    bool is_rival = move->trouble == TROUBLE_RIVAL && move->at < count;
    struct event sent[MODEL_ROWS_MAX];
    auto_free char *log = log_of(&world->model, places, course, move->hook != HOOK_NONE,
                                 move->trouble == TROUBLE_LOOK);

    for (int i = 0; i < course.sent; i++)
        sent[i] = world->model.events[places[i]];
    mark_places(&world->model, places, course.marked);
    if (is_rival)
        play_rival(&world->model, move, places[move->at]);
    stage_proves(is_rival && rival_of(move) == RIVAL_MARKS ? "dispatch.7"
                 : round->kills                            ? "dispatch.8"
                 : round->answers                          ? "dispatch.3"
                 : is_rival                                ? "dispatch.6"
                                                           : "dispatch.2");
    if (!answer.killed)
        expect_outcome(answer, course.outcome);
    expect_same("what the sender got", round_sent(round), events_lines(sent, course.sent));
    expect_same("what was called, in order", round_log(round), xstrdup(log));
    stage_proves(round->kills ? "dispatch.8" : round->answers ? "dispatch.4" : "dispatch.2");
}

struct answer walk_dispatch(struct world *world, struct puppet *worker, const struct move *move)
{
    struct change change = { .hand = world->hand };
    struct round round = round_of(world, move, &change);
    bool is_limit = move->limit >= 1 && move->limit <= 16;
    struct batch batch;
    struct answer answer;

    stage_proves(move->trouble == TROUBLE_MEMORY ? "common.2"
                 : is_limit                      ? "dispatch.2"
                                                 : "dispatch.1");
    batch.count = model_pending(&world->model, move->limit, batch.places);
    answer = play_round(worker, move->limit, &round);
    if (!is_limit && move->trouble != TROUBLE_MEMORY)
        expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    else if (is_of_storage(world, move))
        expect_prefix(world, move, answer, &batch);
    else
        expect_course(world, move, answer, &round, &batch);
    return answer;
}
