/* worker_walk.c - see worker_walk.h: playing walks, making a failing one short */
#include "worker_walk.h"

#include "base.h"
#include "trial.h"
#include "worker_walk_draw.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SHRINK_MS    1500
#define BETWEEN_MS   3000 /* of the time for walks: that much before its end no walk begins */

static bool is_endless(void)
{
    return getenv("WORKBOOK_WALK") != NULL;
}

/* --- playing -------------------------------------------------------------------------- */

static int stores; /* made by this process: a trial, which is another, makes the next one */

/* The store as the setting wants it, and what the report says of that. */
static void make_store(const char *store, bool is_sink, struct setting setting)
{
    static const char notes[] = "CREATE TABLE notes (n);";
    static const char *const indices[] = {
        "CREATE INDEX more ON outbox (sent, id DESC); CREATE INDEX most ON outbox (id, qty, sent)",
        "CREATE INDEX more ON inbox (qty DESC)"
    };
    static const char *const tables[][2] = { { "orders", "outbox" }, { "inbox", "stock" } };

    if (setting.utf16)
        store_make(store, STORE_UTF16);
    if (is_sink)
        sink_make_as(store);
    else
        source_make_as(store);
    if (setting.index)
        store_make(store, indices[is_sink]);
    if (setting.notes)
        store_make(store, notes);
    for (int i = 0; i < 2 && setting.notes; i++) {
        auto_free char *sql = xprintf("CREATE TRIGGER new%d AFTER INSERT ON %s BEGIN"
                                      " INSERT INTO notes VALUES (1), (2); END;"
                                      "CREATE TRIGGER changed%d AFTER UPDATE ON %s BEGIN"
                                      " INSERT INTO notes VALUES (3), (4); END",
                                      i, tables[is_sink][i], i, tables[is_sink][i]);

        store_make(store, sql);
    }
    if (setting.log)
        store_make(store, "PRAGMA journal_mode = WAL");
    if (setting.log || setting.utf16 || setting.index || setting.notes)
        stage_did("(the store %s%s%s%s)", setting.log ? "is in WAL mode" : "has a rollback journal",
                  setting.utf16 ? ", its texts are UTF-16" : "",
                  setting.index ? ", its tables have one more index" : "",
                  setting.notes ? ", triggers write into a table of their own" : "");
}

static void play(void *context)
{
    const struct plan *plan = context;
    auto_free char *store = xprintf("walk%d", stores++);
    struct world world = { .function = plan->function, .store = store, .setting = plan->setting };

    world.model.is_sink = plan->function == WALK_RECEIVE;
    memcpy(world.pool, plan->pool, sizeof world.pool);
    make_store(store, world.model.is_sink, plan->setting);
    world.hand = hand_open(store);
    for (int i = 0; i < plan->count; i++)
        walk_play(&world, &plan->moves[i]);
}

static void forget_store(void)
{
    static const char *const behind[] = { "", "-journal", "-wal", "-shm" };
    auto_free char *store = xprintf("walk%d", stores);
    auto_free char *path = store_path(store);

    for (size_t i = 0; i < COUNT(behind); i++) {
        auto_free char *name = xprintf("%s%s", path, behind[i]);

        unlink(name);
    }
}

static bool holds(struct plan *plan)
{
    bool held = trial_holds(play, plan);

    forget_store();
    return held;
}

/* Leaves out so many moves from there on, where it still fails without them. */
static bool leave_out(struct plan *plan, int from, int size)
{
    struct plan shorter = *plan;
    int behind = plan->count - from - size;

    memmove(shorter.moves + from, plan->moves + from + size, (size_t)behind * sizeof *plan->moves);
    shorter.count -= size;
    if (holds(&shorter))
        return false;
    *plan = shorter;
    return true;
}

/* A calmer plan is taken where the walk still fails. */
static void adopt(struct plan *plan, const struct plan *calmer)
{
    struct plan trial = *calmer;

    if (!holds(&trial))
        *plan = *calmer;
}

static void calm_setting(struct plan *plan)
{
    struct setting setting = plan->setting;
    struct plan calmer = *plan;

    calmer.setting = (struct setting){ .log = setting.log };
    if (setting.utf16 || setting.index || setting.notes || setting.extended || setting.patience)
        adopt(plan, &calmer);
}

static void calm_move(struct plan *plan, int place)
{
    struct move move = plan->moves[place];
    struct plan calmer = *plan;

    calmer.moves[place].trouble = TROUBLE_NONE;
    if (move.trouble != TROUBLE_NONE)
        adopt(plan, &calmer);
    calmer = *plan;
    calmer.moves[place].hook = HOOK_USUAL;
    calmer.moves[place].own = false;
    if (move.kind == MOVE_PUT)
        calmer.moves[place].operation = WALK_PUT_PLAINLY;
    if (move.hook != HOOK_USUAL || move.own || move.kind == MOVE_PUT)
        adopt(plan, &calmer);
}

static void shrink(struct plan *plan)
{
    int64_t end_ms = clock_ms() + (is_endless() ? 10 : 1) * stage_ms(SHRINK_MS);

    for (int size = plan->count / 2; size > 0; size = size > 1 ? (size + 1) / 2 : 0)
        for (int from = plan->count - size; from >= 0; from--)
            if (from + size <= plan->count && clock_ms() < end_ms)
                leave_out(plan, from, size);
    for (int place = 0; place < plan->count && clock_ms() < end_ms; place++)
        calm_move(plan, place);
    if (clock_ms() < end_ms)
        calm_setting(plan);
}

/*
 * One walk; where it fails the check fails with what remains of it: now, or with the leak that is
 * found at its end.
 */
static bool walk_once(enum walk_function function)
{
    struct plan plan = walk_draw(function, is_endless());
    struct plan shorter = plan;

    if (holds(&plan))
        return true;
    shrink(&shorter);
    if (holds(&shorter)) /* it does not fail always: a race */
        shorter = plan;
    play(&shorter);
    return false;
}

void walk(enum walk_function function)
{
    int walks = 0;
    bool held;

    do {
        held = walk_once(function);
        walks++;
    } while (held && is_endless() && stage_left_ms() > stage_ms(BETWEEN_MS));
    stage_held();
    stage_note("%d walk%s", walks, walks == 1 ? "" : "s");
}
