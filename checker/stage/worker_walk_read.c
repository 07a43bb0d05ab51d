/* worker_walk_read.c - what pending and mark_sent must come to in a walk; worker_walk_play.h */
#include "worker_walk_play.h"

#include "base.h"

#include <sqlite3.h>
#include <stdlib.h>

/* What another process does in the middle of the call. */
struct beside {
    const struct world *world;
    const struct move *move;
    const char *sql;
    bool is_done;
};

static struct outcome direct(void *context, struct stop *stop)
{
    struct beside *beside = context;

    if (stop->kind == STOP_STORAGE && beside->move->trouble == TROUBLE_KILL_STORAGE)
        puppet_kill(stop->puppet);
    if (stop->kind == STOP_STORAGE && beside->move->trouble == TROUBLE_MEANWHILE)
        beside->is_done = walk_meanwhile(beside->world, beside->sql);
    return call_go_on(stop);
}

/* --- pending --------------------------------------------------------------------------- */

static int pending_of(const struct model *model, int limit, struct event *events)
{
    int places[MODEL_ROWS_MAX];
    int count = model_pending(model, limit, places);

    for (int i = 0; i < count; i++)
        events[i] = model->events[places[i]];
    return count;
}

/* Each qty rises, and the oldest that is pending is sent. */
static const char rises[] = "UPDATE outbox SET qty = qty % 1000 + 1;"
                            " UPDATE outbox SET sent = 1 WHERE seq ="
                            " (SELECT min(seq) FROM outbox WHERE sent = 0)";

static void rise(struct model *model)
{
    int places[MODEL_ROWS_MAX];

    for (int i = 0; i < model->count; i++)
        model->events[i].qty = model->events[i].qty % 1000 + 1;
    if (model_pending(model, 1, places))
        model->sent[places[0]] = '1';
}

/* The batch is one look: as it was before the other process wrote, or behind that. */
static void expect_one_look(struct world *world, const struct move *move, struct answer answer,
                            bool is_risen)
{
    struct event before[MODEL_ROWS_MAX], after[MODEL_ROWS_MAX];
    int count = pending_of(&world->model, move->limit, before);
    auto_free char *earlier = events_text(before, count);

    if (!is_risen) {
        expect_events(answer, before, count);
        return;
    }
    rise(&world->model);
    if (is_same_json(answer_text(answer, "events"), earlier))
        expect_outcome(answer, outcome_value(count));
    else
        expect_events(answer, after, pending_of(&world->model, move->limit, after));
}

struct answer walk_pending(struct world *world, struct puppet *worker, const struct move *move)
{
    struct beside beside = { .world = world, .move = move, .sql = rises };
    struct how how = walk_how(world, move);
    bool is_limit = move->limit >= 1 && move->limit <= 16;
    struct answer answer;

    how.directions = (struct directions){ .at = direct, .context = &beside };
    how.times = move->trouble == TROUBLE_AGAIN ? AGAIN : 0;
    stage_proves(move->trouble == TROUBLE_MEMORY ? "common.2"
                 : !is_limit                     ? "pending.1"
                 : walk_shuts_out_readers(move)  ? "common.4"
                                                 : "pending.2");
    answer = call_pending(worker, move->limit, &how);
    if (move->trouble == TROUBLE_MEMORY)
        return answer;
    if (!is_limit)
        expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    else if (walk_shuts_out_readers(move) && !world->setting.log)
        expect_sqlite(answer, SQLITE_BUSY);
    else if (move->trouble != TROUBLE_STORAGE || !walk_is_trouble(answer, move))
        expect_one_look(world, move, answer, beside.is_done);
    stage_proves("pending.4");
    return answer;
}

/* --- mark_sent --------------------------------------------------------------------------- */

/* The outcome where nothing troubles the call, and the clause that says so. */
static struct outcome usual_mark(const struct world *world, const struct move *move, int place)
{
    if (move->variant == EVENT_NONE || place < 0 || world->model.sent[place] == MODEL_NO_ROW) {
        stage_proves(move->variant == EVENT_NONE ? "mark_sent.1" : "mark_sent.4");
        return outcome_of(OUTCOME_INVALID, 0);
    }
    if (world->model.events[place].qty != walk_event(world, move).qty) {
        stage_proves("mark_sent.5");
        return outcome_of(OUTCOME_CONFLICT, 0);
    }
    stage_proves(world->model.sent[place] == '1' ? "mark_sent.3" : "mark_sent.2");
    return outcome_value(world->model.sent[place] == '0');
}

static void expect_mark(struct world *world, const struct move *move, struct answer answer,
                        int place)
{
    struct outcome usual = usual_mark(world, move, place);
    bool marks = usual.kind == OUTCOME_VALUE && usual.code == 1;
    struct model before = world->model;
    struct model after = world->model;

    if (marks)
        after.sent[place] = '1';
    if (answer.killed || move->trouble == TROUBLE_MEMORY) {
        stage_proves("mark_sent.6");
        walk_settle(world, &before, &after);
    } else if (marks && (move->trouble == TROUBLE_LOCK || walk_commit_code(world, move))) {
        stage_proves(move->trouble == TROUBLE_LOCK ? "mark_sent.7" : "mark_sent.8");
        expect_sqlite(answer,
                      move->trouble == TROUBLE_LOCK ? SQLITE_BUSY : walk_commit_code(world, move));
    } else if (marks && move->trouble == TROUBLE_REFUSED) {
        stage_proves("mark_sent.8");
        expect_sqlite(answer, SQLITE_CONSTRAINT);
    } else if (move->variant == EVENT_NONE || !walk_is_trouble(answer, move)) {
        expect_outcome(answer, usual);
        world->model = after;
    } else {
        stage_proves("mark_sent.8");
    }
}

struct answer walk_mark(struct world *world, struct puppet *worker, const struct move *move)
{
    struct event event = walk_event(world, move);
    int place = model_find(&world->model, event.id);
    auto_free char *marks =
        xprintf("UPDATE outbox SET sent = 1 WHERE id = '%s' AND qty = %d AND sent = 0", event.id,
                event.qty);
    struct beside beside = { .world = world, .move = move, .sql = marks };
    struct how how = walk_how(world, move);
    struct outcome usual;
    struct answer answer;

    how.directions = (struct directions){ .at = direct, .context = &beside };
    usual = usual_mark(world, move, place);
    if (move->trouble == TROUBLE_AGAIN && !(usual.kind == OUTCOME_VALUE && usual.code == 1))
        how.times = AGAIN;
    if (move->trouble == TROUBLE_MEMORY)
        stage_proves("common.2");
    answer = call_mark_sent(worker, walk_spec(world, move), &how);
    if (beside.is_done) /* before the call saw the row, or it would have been marked already */
        world->model.sent[place] = '1';
    expect_mark(world, move, answer, place);
    return answer;
}
