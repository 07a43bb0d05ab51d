/* worker_walk_take.c - what enqueue and receive must come to in a walk; worker_walk_play.h */
#include "worker_walk_play.h"

#include "base.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct taking {
    const struct once *once;
    const char *invalid, *fresh, *lock, *known, *conflict, *undone, *after, *killed, *apart;
};

static const struct taking takings[] = {
    [WALK_ENQUEUE] = { &once_enqueue, "enqueue.1", "enqueue.2", "enqueue.3", "enqueue.4",
                       "enqueue.5", "enqueue.6", "enqueue.7", "enqueue.8", "enqueue.2" },
    [WALK_RECEIVE] = { &once_receive, "receive.1", "receive.2", "receive.3", "receive.4",
                       "receive.5", "receive.7", "receive.8", "receive.9", "receive.6" },
};

/* --- in the middle of the call ------------------------------------------------------------- */

struct moment {
    const struct world *world;
    const struct move *move;
    const struct taking *taking;
    struct event event;
    struct event rival; /* that another process puts in meanwhile */
    bool is_put;
    struct text seen;
};

/* Both tables as a connection sees them, "1|0" where only the first has the event's effect. */
static char *look_sql(const struct moment *moment)
{
    if (!moment->world->model.is_sink)
        return once_sql(moment->taking->once->look, moment->event);
    return xprintf("SELECT (SELECT count(*) FROM inbox WHERE id = '%s' AND qty = %d),"
                   " (SELECT count(*) FROM stock WHERE total = %lld)",
                   moment->event.id, moment->event.qty,
                   model_total(&moment->world->model) + moment->event.qty);
}

static void look(struct moment *moment, const struct stop *stop)
{
    auto_free char *sql = look_sql(moment);
    auto_free char *own = puppet_rows(stop->puppet, moment->world->store, sql);
    auto_free char *others = puppet_rows(moment->world->hand, "hand", sql);
    bool can_write = hand_try(moment->world->hand, "BEGIN IMMEDIATE; ROLLBACK") == SQLITE_OK;

    text_add(&moment->seen, "%s: its own connection %sanother process %sand it %s write\n",
             stop->point, *own ? own : "nothing\n", *others ? others : "nothing\n",
             can_write ? "can" : "cannot");
}

static char *to_be_seen(const struct taking *taking)
{
    static const char *const seen[][3] = { { "1|0", "0|0", "cannot" },
                                           { "1|1", "0|0", "cannot" },
                                           { "1|1", "1|1", "can" } };
    struct text text = { 0 };

    for (int i = 0; i < 3; i++)
        text_add(&text, "%s: its own connection %s\nanother process %s\nand it %s write\n",
                 taking->once->points[i], seen[i][0], seen[i][1], seen[i][2]);
    return text.data;
}

static void put_rival(struct moment *moment)
{
    struct event rival = moment->rival;
    auto_free char *sql =
        moment->world->model.is_sink
            ? xprintf("INSERT INTO inbox VALUES ('%s', %d); UPDATE stock SET total = total + %d",
                      rival.id, rival.qty, rival.qty)
            : xprintf("INSERT INTO orders VALUES ('%s', %d);"
                      " INSERT INTO outbox (id, qty, sent) VALUES ('%s', %d, 0)",
                      rival.id, rival.qty, rival.id, rival.qty);

    moment->is_put = walk_meanwhile(moment->world, sql);
}

static struct outcome direct(void *context, struct stop *stop)
{
    struct moment *moment = context;
    const struct move *move = moment->move;
    bool is_here = stop->kind == STOP_FAULT &&
                   strcmp(stop->point, moment->taking->once->points[move->at]) == 0;

    if ((stop->kind == STOP_STORAGE && move->trouble == TROUBLE_KILL_STORAGE) ||
        (is_here && move->trouble == TROUBLE_KILL_POINT))
        puppet_kill(stop->puppet);
    if (stop->kind == STOP_STORAGE && move->trouble == TROUBLE_MEANWHILE)
        put_rival(moment);
    if (stop->kind == STOP_FAULT && move->trouble == TROUBLE_LOOK)
        look(moment, stop);
    if (stop->kind == STOP_FAULT && move->trouble == TROUBLE_ODD_VALUE)
        return outcome_value(move->reply.code);
    if (is_here && move->trouble == TROUBLE_HOOK)
        return move->reply;
    return call_go_on(stop);
}

/* --- what it comes to ---------------------------------------------------------------------- */

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

/* The error that a new id must come to; false where there is none. */
static bool expect_no_effect(struct answer answer, const struct taking *taking,
                             const struct move *move, int commit_code)
{
    stage_proves(move->trouble == TROUBLE_LOCK ? taking->lock : taking->undone);
    if (move->trouble == TROUBLE_HOOK && move->at < 2)
        expect_outcome(answer, move->reply);
    else if (move->trouble == TROUBLE_LOCK || commit_code)
        expect_sqlite(answer, commit_code ? commit_code : SQLITE_BUSY);
    else if (move->trouble == TROUBLE_REFUSED)
        expect_sqlite(answer, SQLITE_CONSTRAINT);
    else if (move->trouble == TROUBLE_STORAGE && answer.outcome.kind != OUTCOME_VALUE)
        expect_sqlite(answer, SQLITE_IOERR);
    else
        return false;
    return true;
}

/* The new id, that is: by the same qty, or by another one. */
static bool is_taken_for_known(struct answer answer)
{
    return answer.outcome.kind == OUTCOME_CONFLICT ||
           (answer.outcome.kind == OUTCOME_VALUE && answer.outcome.code == 0);
}

/* A new id, and nothing kills the process. */
static void expect_taken(struct world *world, struct moment *moment, struct answer answer)
{
    const struct taking *taking = moment->taking;
    const struct move *move = moment->move;
    int commit_code = walk_commit_code(world, move);
    int count = move->hook == HOOK_NONE         ? 0
                : move->trouble == TROUBLE_HOOK ? move->at + 1
                : commit_code                   ? 2
                                                : 3;
    auto_free char *points = once_points(taking->once, count);
    bool is_undone = expect_no_effect(answer, taking, move, commit_code);

    if (!is_undone && move->trouble == TROUBLE_HOOK) {
        stage_proves(taking->after);
        expect_outcome(answer, move->reply);
    } else if (!is_undone) {
        stage_proves(is_taken_for_known(answer) ? taking->apart : taking->fresh);
        expect_outcome(answer, outcome_value(1));
    }
    if (move->trouble == TROUBLE_HOOK || commit_code || answer.outcome.kind == OUTCOME_VALUE)
        expect_points(answer, points);
    if (move->trouble == TROUBLE_LOOK)
        expect_same("rows of each of the two tables at each point", moment->seen.data,
                    to_be_seen(taking));
    if (!is_undone)
        model_add(&world->model, moment->event);
}

static void expect_all_or_nothing(struct world *world, const struct moment *moment, bool is_new)
{
    struct model before = world->model;
    struct model after = world->model;

    stage_proves(moment->taking->undone);
    if (is_new)
        model_add(&after, moment->event);
    walk_settle(world, &before, &after);
}

static void expect_after_kill(struct world *world, const struct moment *moment)
{
    struct model before = world->model;
    struct model after = world->model;

    stage_proves(moment->taking->killed);
    model_add(&after, moment->event);
    if (moment->move->trouble == TROUBLE_KILL_STORAGE)
        walk_settle(world, &before, &after);
    else
        world->model = moment->move->at == 2 ? after : before;
    walk_expect_rows(world);
}

/* A new id where the stock row is missing: whatever else was wrong, nothing is recorded. */
static void expect_no_stock(struct answer answer)
{
    auto_free char *got = outcome_text(answer.outcome);

    stage_proves("receive.11");
    if (!answer.killed)
        expect(answer.outcome.kind != OUTCOME_VALUE, "an error, as the stock row is missing", "%s",
               got);
}

/* The clause of this call where nothing troubles it. */
static const char *clause_of(const struct taking *taking, const struct move *move, int place,
                             bool is_known)
{
    return move->trouble == TROUBLE_MEMORY ? "common.2"
           : move->variant == EVENT_NONE   ? taking->invalid
           : place < 0                     ? taking->fresh
           : is_known                      ? taking->known
                                           : taking->conflict;
}

struct answer walk_take(struct world *world, struct puppet *worker, const struct move *move)
{
    const struct taking *taking = &takings[world->function];
    struct event event = walk_event(world, move);
    struct moment moment = { .world = world, .move = move, .taking = taking, .event = event };
    struct how how = walk_how(world, move);
    int place = model_find(&world->model, event.id);
    bool is_known = place >= 0 && world->model.events[place].qty == event.qty;
    struct answer answer;

    how.directions = (struct directions){ .at = direct, .context = &moment };
    if (move->trouble == TROUBLE_AGAIN && (place >= 0 || move->variant == EVENT_NONE))
        how.times = AGAIN;
    moment.rival = move->operation % 2 ? event : other_qty(event);
    stage_proves(clause_of(taking, move, place, is_known));
    answer = call_once(taking->once, worker, walk_spec(world, move), &how);
    if (moment.is_put) {
        model_add(&world->model, moment.rival);
        place = world->model.count - 1;
        is_known = moment.rival.qty == event.qty;
        stage_proves(clause_of(taking, move, place, is_known));
    }
    if (move->trouble == TROUBLE_MEMORY)
        expect_all_or_nothing(world, &moment, place < 0 && move->variant != EVENT_NONE);
    else if (move->variant == EVENT_NONE)
        expect_nothing_taken(answer, move, outcome_of(OUTCOME_INVALID, 0));
    else if (place >= 0)
        expect_nothing_taken(answer, move,
                             is_known ? outcome_value(0) : outcome_of(OUTCOME_CONFLICT, 0));
    else if (world->model.has_no_stock)
        expect_no_stock(answer);
    else if (answer.killed)
        expect_after_kill(world, &moment);
    else
        expect_taken(world, &moment, answer);
    return answer;
}
