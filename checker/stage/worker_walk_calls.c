/* worker_walk_calls.c - what a call of a walk must come to; worker_walk_play.h */
#include "worker_walk_play.h"

#include "base.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* Kills or answers at a fault point, and kills before a storage operation. */
struct direction {
    const struct move *move;
    const char *const *points;
};

static struct outcome direct(void *context, struct stop *stop)
{
    const struct direction *direction = context;
    const struct move *move = direction->move;
    bool is_here =
        stop->kind == STOP_FAULT && strcmp(stop->point, direction->points[move->at]) == 0;

    if ((stop->kind == STOP_STORAGE && move->trouble == TROUBLE_KILL_STORAGE) ||
        (is_here && move->trouble == TROUBLE_KILL_POINT))
        puppet_kill(stop->puppet);
    if (stop->kind == STOP_FAULT && move->trouble == TROUBLE_ODD_VALUE)
        return outcome_value(move->reply.code);
    if (is_here && move->trouble == TROUBLE_HOOK)
        return move->reply;
    return call_go_on(stop);
}

/* --- enqueue and receive --------------------------------------------------------------- */

struct taking {
    const struct once *once;
    const char *invalid, *fresh, *lock, *known, *conflict, *undone, *after, *killed;
};

static const struct taking takings[] = {
    [WALK_ENQUEUE] = { &once_enqueue, "enqueue.1", "enqueue.2", "enqueue.3", "enqueue.4",
                       "enqueue.5", "enqueue.6", "enqueue.7", "enqueue.8" },
    [WALK_RECEIVE] = { &once_receive, "receive.1", "receive.2", "receive.3", "receive.4",
                       "receive.5", "receive.7", "receive.8", "receive.9" },
};

/* No row changes: it is no event, or known, or a conflict. */
static void expect_nothing_taken(struct answer answer, const struct move *move,
                                 struct outcome expected)
{
    if (move->trouble == TROUBLE_KILL_STORAGE && answer.killed)
        return;
    if (walk_is_trouble(answer, move) && move->variant != EVENT_NONE)
        return;
    expect_outcome(answer, expected);
    expect_points(answer, "");
}

/* A new id, and nothing kills the process. */
static void expect_taken(struct world *world, const struct taking *taking, const struct move *move,
                         struct answer answer, struct event event)
{
    bool is_over = move->trouble == TROUBLE_HOOK && move->at == 2;
    auto_free char *points = once_points(taking->once, move->trouble == TROUBLE_HOOK ? move->at + 1
                                                       : move->trouble == TROUBLE_NO_HOOK ? 0
                                                                                          : 3);

    if (move->trouble == TROUBLE_HOOK) {
        stage_proves(is_over ? taking->after : taking->undone);
        expect_outcome(answer, move->reply);
    } else if (move->trouble == TROUBLE_LOCK) {
        stage_proves(taking->lock);
        expect_sqlite(answer, SQLITE_BUSY);
    } else if (move->trouble == TROUBLE_REFUSED) {
        stage_proves(taking->undone);
        expect_sqlite(answer, SQLITE_CONSTRAINT);
    } else if (move->trouble == TROUBLE_STORAGE && answer.outcome.kind != OUTCOME_VALUE) {
        stage_proves(taking->undone);
        expect_sqlite(answer, SQLITE_IOERR);
    } else {
        stage_proves(taking->fresh);
        expect_outcome(answer, outcome_value(1));
        is_over = true;
    }
    if (move->trouble == TROUBLE_HOOK || answer.outcome.kind == OUTCOME_VALUE)
        expect_points(answer, points);
    if (is_over)
        model_add(&world->model, event);
}

static void expect_all_or_nothing(struct world *world, const struct taking *taking, bool is_new,
                                  struct event event)
{
    struct model before = world->model;
    struct model after = world->model;

    stage_proves(taking->undone);
    if (is_new)
        model_add(&after, event);
    walk_settle(world, &before, &after);
}

static void expect_after_kill(struct world *world, const struct taking *taking,
                              const struct move *move, struct event event)
{
    struct model before = world->model;
    struct model after = world->model;

    stage_proves(taking->killed);
    model_add(&after, event);
    if (move->trouble == TROUBLE_KILL_STORAGE)
        walk_settle(world, &before, &after);
    else
        world->model = move->at == 2 ? after : before;
    walk_expect_rows(world);
}

/* A new id where the stock row is missing: whatever else was wrong, nothing is recorded. */
static void expect_no_stock(struct answer answer)
{
    stage_proves("receive.11");
    if (!answer.killed)
        expect(answer.outcome.kind != OUTCOME_VALUE && answer.outcome.kind != OUTCOME_TODO,
               "an error, as the stock row is missing", "{ VALUE, %d }", answer.outcome.code);
}

void walk_take(struct world *world, struct puppet *worker, const struct move *move)
{
    const struct taking *taking = &takings[world->function];
    struct direction direction = { move, taking->once->points };
    struct how how = { .directions = { .at = direct, .context = &direction },
                       .no_hook = move->trouble == TROUBLE_NO_HOOK,
                       .on = world->store };
    struct event event = walk_event(world, move);
    int place = model_find(&world->model, event.id);
    bool is_known = place >= 0 && world->model.events[place].qty == event.qty;
    struct answer answer;

    walk_arm(move, &how);
    stage_proves(move->trouble == TROUBLE_MEMORY ? "common.2"
                 : move->variant == EVENT_NONE   ? taking->invalid
                 : place < 0                     ? taking->fresh
                 : is_known                      ? taking->known
                                                 : taking->conflict);
    answer = call_once(taking->once, worker, walk_spec(world, move), &how);
    if (move->trouble == TROUBLE_MEMORY)
        expect_all_or_nothing(world, taking, place < 0 && move->variant != EVENT_NONE, event);
    else if (move->variant == EVENT_NONE)
        expect_nothing_taken(answer, move, outcome_of(OUTCOME_INVALID, 0));
    else if (place >= 0)
        expect_nothing_taken(answer, move,
                             is_known ? outcome_value(0) : outcome_of(OUTCOME_CONFLICT, 0));
    else if (world->model.has_no_stock)
        expect_no_stock(answer);
    else if (answer.killed)
        expect_after_kill(world, taking, move, event);
    else
        expect_taken(world, taking, move, answer, event);
}

/* --- pending and mark_sent ----------------------------------------------------------- */

void walk_pending(struct world *world, struct puppet *worker, const struct move *move)
{
    struct how how = { .on = world->store };
    struct event events[MODEL_ROWS_MAX];
    int places[MODEL_ROWS_MAX];
    int count = model_pending(&world->model, move->limit, places);
    struct answer answer;

    for (int i = 0; i < count; i++)
        events[i] = world->model.events[places[i]];
    if (move->trouble == TROUBLE_STORAGE || move->trouble == TROUBLE_MEMORY)
        walk_arm(move, &how);
    stage_proves(move->trouble == TROUBLE_MEMORY       ? "common.2"
                 : move->limit < 1 || move->limit > 16 ? "pending.1"
                                                       : "pending.2");
    answer = call_pending(worker, move->limit, &how);
    if (move->trouble == TROUBLE_MEMORY)
        return;
    if (move->limit < 1 || move->limit > 16)
        expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    else if (move->trouble != TROUBLE_STORAGE || !walk_is_trouble(answer, move))
        expect_events(answer, events, count);
    stage_proves("pending.4");
}

/* The outcome where nothing troubles the call, and the clause that says so. */
static struct outcome usual_mark(const struct world *world, const struct move *move, int place)
{
    if (move->variant == EVENT_NONE || place < 0) {
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

void walk_mark(struct world *world, struct puppet *worker, const struct move *move)
{
    static const char *const none[] = { "", "", "" };
    struct direction direction = { move, none };
    struct how how = { .directions = { .at = direct, .context = &direction }, .on = world->store };
    int place = model_find(&world->model, walk_event(world, move).id);
    struct outcome usual = usual_mark(world, move, place);
    bool marks = usual.kind == OUTCOME_VALUE && usual.code == 1;
    struct model before = world->model;
    struct model after = world->model;
    struct answer answer;

    walk_arm(move, &how);
    if (move->trouble == TROUBLE_MEMORY)
        stage_proves("common.2");
    if (marks)
        after.sent[place] = '1';
    answer = call_mark_sent(worker, walk_spec(world, move), &how);
    if (answer.killed || move->trouble == TROUBLE_MEMORY) {
        stage_proves("mark_sent.6");
        walk_settle(world, &before, &after);
    } else if (marks && move->trouble == TROUBLE_LOCK) {
        stage_proves("mark_sent.7");
        expect_sqlite(answer, SQLITE_BUSY);
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
