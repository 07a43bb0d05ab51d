/* worker_walk_play.c - see worker_walk_play.h: the moves, and what is around a call */
#include "worker_walk_play.h"

#include "base.h"
#include "marks.h"
#include "worker_setting.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_MS 20
#define NAPS    2

struct event walk_event(const struct world *world, const struct move *move)
{
    struct event event = world->pool[move->event];
    int step = move->operation % 3 == 0 ? 256 : 1;

    if (move->variant == EVENT_OTHER_QTY)
        event.qty += event.qty + step <= 1000 ? step : -step;
    return event;
}

cJSON *walk_spec(const struct world *world, const struct move *move)
{
    static const char *const forms[] = {
        "{\"id\":\"%s\",\"qty\":0}",           "{\"id\":\"%s\",\"qty\":1001}",
        "{\"id\":\"%s\",\"qty\":7.5}",         "{\"id\":\"%s\",\"qty\":\"7\"}",
        "{\"id\":\"%s.\",\"qty\":7}",          "{\"id\":\"%s\",\"qty\":7,\"more\":1}",
        "{\"id\":\"%s\",\"qty\":7,\"qty\":7}", "{\"id\":\"%s\"}",
    };
    const char *form = forms[move->operation % (int)(sizeof forms / sizeof *forms)];
    size_t length = strcspn(form, "%");
    auto_free char *text = NULL;

    if (move->variant != EVENT_NONE)
        return spec_of(walk_event(world, move));
    text = xprintf("%.*s%s%s", (int)length, form, world->pool[move->event].id, form + length + 2);
    return spec_text(text);
}

struct how walk_how(const struct world *world, const struct move *move)
{
    bool takes_hook = world->function != WALK_PENDING && world->function != WALK_MARK_SENT;
    struct how how = { .on = world->store,
                       .no_hook = takes_hook && move->hook == HOOK_NONE,
                       .no_context = takes_hook && move->hook == HOOK_NO_CONTEXT };

    if (move->trouble == TROUBLE_STORAGE) {
        how.storage_at = move->operation;
        how.storage_code = SQLITE_IOERR;
        how.storage_reads = true;
    } else if (move->trouble == TROUBLE_KILL_STORAGE) {
        how.storage_at = move->operation;
    } else if (move->trouble == TROUBLE_MEANWHILE) {
        how.storage_at = move->operation;
        how.storage_reads = true;
    } else if (move->trouble == TROUBLE_MEMORY) {
        how.memory_at = move->operation;
    }
    return how;
}

bool walk_is_trouble(struct answer answer, const struct move *move)
{
    int code = move->trouble == TROUBLE_STORAGE ? SQLITE_IOERR
               : move->trouble == TROUBLE_VETO  ? SQLITE_CONSTRAINT
                                                : SQLITE_BUSY;

    return (move->trouble == TROUBLE_STORAGE || move->trouble == TROUBLE_LOCK ||
            move->trouble == TROUBLE_READER || move->trouble == TROUBLE_VETO) &&
           answer.outcome.kind == OUTCOME_SQLITE && (answer.outcome.code & 0xff) == code;
}

int walk_commit_code(const struct world *world, const struct move *move)
{
    return move->trouble == TROUBLE_READER && !world->setting.log ? SQLITE_BUSY
           : move->trouble == TROUBLE_VETO                        ? SQLITE_CONSTRAINT
                                                                  : SQLITE_OK;
}

static char *rows_of(const struct world *world)
{
    return world->model.is_sink ? sink_rows(world->store) : source_rows(world->store);
}

void walk_expect_rows(const struct world *world)
{
    expect_same("rows", rows_of(world), model_rows(&world->model));
}

void walk_settle(struct world *world, const struct model *before, const struct model *after)
{
    auto_free char *rows = rows_of(world);

    if (is_same_text(rows, model_rows(before))) {
        world->model = *before;
    } else {
        world->model = *after;
        walk_expect_rows(world);
    }
}

/* The process of the pair, which is started where there is none. */
static struct puppet *worker_of(struct world *world, int who)
{
    struct puppet **worker = &world->pair[who];

    if (*worker)
        return *worker;
    *worker = puppet_start();
    world->gave_up[who] = 0;
    puppet_open(*worker, world->store, world->store, BUSY_MS);
    if (world->setting.extended)
        setting_extended_codes(*worker, world->store);
    if (world->setting.patience)
        setting_patience(*worker, world->store, NAPS);
    return *worker;
}

/* How the connection waits for a lock is not for a call to change. */
static void expect_same_patience(struct world *world, const struct move *move, struct answer answer)
{
    struct puppet *worker = world->pair[move->who];
    bool is_busy = answer.outcome.kind == OUTCOME_SQLITE &&
                   (answer.outcome.code & 0xff) == SQLITE_BUSY && move->trouble != TROUBLE_SENDER &&
                   move->trouble != TROUBLE_HOOK;
    int gave_up;

    if (!world->setting.patience) {
        expect_same("PRAGMA busy_timeout, as it was before the call",
                    puppet_rows(worker, world->store, "PRAGMA busy_timeout"),
                    xprintf("%d\n", BUSY_MS));
        return;
    }
    gave_up = setting_gave_up(worker);
    expect_number("times the busy handler gave up in this call",
                  gave_up - world->gave_up[move->who], is_busy);
    world->gave_up[move->who] = gave_up;
}

static const struct {
    struct answer (*call)(struct world *world, struct puppet *worker, const struct move *move);
    const char *name;
    const char *patience; /* the clause on waiting for locks */
} functions[] = {
    [WALK_ENQUEUE] = { walk_take, "enqueue", "enqueue.3" },
    [WALK_PENDING] = { walk_pending, "pending", "common.5" },
    [WALK_RECEIVE] = { walk_take, "receive", "receive.3" },
    [WALK_MARK_SENT] = { walk_mark, "mark_sent", "mark_sent.7" },
    [WALK_DISPATCH] = { walk_dispatch, "dispatch", "common.5" },
};

static void replace(struct world *world, int who)
{
    stage_did("process %d is killed, and another takes its place", who + 1);
    puppet_kill(world->pair[who]);
    world->pair[who] = NULL;
}

static void call(struct world *world, const struct move *move)
{
    struct puppet *worker = worker_of(world, move->who);
    struct answer answer;

    walk_trouble_begins(world, move);
    if (move->trouble == TROUBLE_VETO)
        setting_veto(worker, world->store);
    stage_or(move->trouble == TROUBLE_STORAGE ? STAGE_OR_HANDED_ON : NULL);
    answer = functions[world->function].call(world, worker, move);
    stage_or(NULL);
    walk_trouble_ends(world, move);
    walk_expect_rows(world);
    marks_judge(functions[world->function].name);
    if (move->trouble == TROUBLE_VETO)
        replace(world, move->who);
    else if (puppet_was_killed(worker)) {
        world->pair[move->who] = NULL;
    } else {
        stage_proves(functions[world->function].patience);
        expect_same_patience(world, move, answer);
    }
}

void walk_play(struct world *world, const struct move *move)
{
    if (move->kind == MOVE_CALL) {
        call(world, move);
    } else if (move->kind != MOVE_PROCESS) {
        walk_beside(world, move);
    } else if (world->pair[move->who]) {
        replace(world, move->who);
    }
}
