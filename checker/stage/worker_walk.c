/* worker_walk.c - see worker_walk.h: playing walks, making a failing one short */
#include "worker_walk.h"

#include "base.h"
#include "trial.h"
#include "worker_round.h"
#include "worker_walk_draw.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SHRINK_MS    1500
#define HANG_MS      3500 /* until a call that hangs is given up and known as such      */
#define END_WALKS    3    /* before the end a long walk is over in the time of so many   */

static bool is_endless(void)
{
    return getenv("WORKBOOK_WALK") != NULL;
}

/* --- playing -------------------------------------------------------------------------- */

static int stores; /* made by this process: a trial, which is another, makes the next one */

/* The caller frees it. */
static char *next_store(enum walk_function function)
{
    return xprintf("%s%d", function == WALK_RECEIVE ? "sink" : "source", stores + 1);
}

static const char *const tables[][2] = { { "orders", "outbox" }, { "inbox", "stock" } };

static const char *const indices[] = {
    "CREATE INDEX more ON outbox (sent, id DESC); CREATE INDEX most ON outbox (id, qty, sent)",
    "CREATE INDEX more ON inbox (qty DESC)"
};

static void make_notes(const char *store, bool is_sink)
{
    store_make(store, "CREATE TABLE notes (n);");
    for (int i = 0; i < 2; i++) {
        auto_free char *sql = xprintf("CREATE TRIGGER new%d AFTER INSERT ON %s BEGIN"
                                      " INSERT INTO notes VALUES (1), (2); END;"
                                      "CREATE TRIGGER changed%d AFTER UPDATE ON %s BEGIN"
                                      " INSERT INTO notes VALUES (3), (4); END",
                                      i, tables[is_sink][i], i, tables[is_sink][i]);

        store_make(store, sql);
    }
    stage_did("(in the store: a trigger on each table writes rows into a table of its own)");
}

/* The store as the setting wants it. */
static void make_store(const char *store, bool is_sink, struct setting setting)
{
    if (setting.utf16)
        store_make(store, STORE_UTF16);
    if (setting.utf16)
        stage_did("(the store's texts are UTF-16)");
    if (is_sink)
        sink_make_as(store);
    else
        source_make_as(store);
    if (setting.index)
        store_change(store, indices[is_sink]);
    if (setting.notes)
        make_notes(store, is_sink);
    if (setting.log)
        store_change(store, "PRAGMA journal_mode = WAL");
}

static void play(void *context)
{
    const struct plan *plan = context;
    auto_free char *store = next_store(plan->function);
    struct world world = { .function = plan->function, .store = store, .setting = plan->setting };

    stores++;
    world.model.is_sink = plan->function == WALK_RECEIVE;
    memcpy(world.pool, plan->pool, sizeof world.pool);
    make_store(store, world.model.is_sink, plan->setting);
    world.hand = hand_open(store);
    for (int i = 0; i < plan->count; i++)
        walk_play(&world, &plan->moves[i]);
}

static void forget_store(enum walk_function function)
{
    static const char *const behind[] = { "", "-journal", "-wal", "-shm" };
    auto_free char *store = next_store(function);
    auto_free char *path = store_path(store);

    for (size_t i = 0; i < COUNT(behind); i++) {
        auto_free char *name = xprintf("%s%s", path, behind[i]);

        unlink(name);
    }
}

static bool holds(struct plan *plan)
{
    bool held = trial_holds(play, plan);

    forget_store(plan->function);
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
    for (size_t i = 0; i < COUNT(plan->setting.all); i++) {
        struct plan calmer = *plan;

        calmer.setting.all[i] = false;
        if (plan->setting.all[i])
            adopt(plan, &calmer);
    }
}

/* Its id is short, where another will do. */
static void calm_event(struct plan *plan, int place)
{
    struct plan calmer = *plan;
    auto_free char *id = xprintf("order-%d", place);

    calmer.pool[place] = event_of(id, place + 1);
    adopt(plan, &calmer);
}

static bool is_called(const struct plan *plan, int event)
{
    for (int i = 0; i < plan->count; i++)
        if (plan->moves[i].event == event)
            return true;
    return false;
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
    calmer = *plan;
    calmer.moves[place].at = 0;
    if (move.at && calmer.moves[place].trouble != TROUBLE_NONE)
        adopt(plan, &calmer);
}

/* In the end a trial may hang, and what remains is played twice, which may hang, too. */
static int shrink_ms(void)
{
    int left_ms = stage_left_ms() - 3 * stage_ms(HANG_MS);

    if (!is_endless())
        return stage_ms(SHRINK_MS);
    return 10 * stage_ms(SHRINK_MS) < left_ms ? 10 * stage_ms(SHRINK_MS) : left_ms;
}

static void shrink(struct plan *plan)
{
    int64_t end_ms = clock_ms() + shrink_ms();

    for (int size = plan->count / 2; size > 0; size = size > 1 ? (size + 1) / 2 : 0)
        for (int from = plan->count - size; from >= 0; from--)
            if (from + size <= plan->count && clock_ms() < end_ms)
                leave_out(plan, from, size);
    for (int place = 0; place < plan->count && clock_ms() < end_ms; place++)
        calm_move(plan, place);
    if (clock_ms() < end_ms)
        calm_setting(plan);
    for (int event = 0; event < POOL && clock_ms() < end_ms; event++)
        if (is_called(plan, event))
            calm_event(plan, event);
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
    if (shorter.count < plan.count && holds(&shorter)) /* it does not fail always: a race */
        shorter = plan;
    play(&shorter);
    return false;
}

void walk(enum walk_function function)
{
    int64_t longest_ms = 0;
    int walks = 0;
    bool held;

    do {
        int64_t begun_ms = clock_ms(), took_ms;

        held = walk_once(function);
        took_ms = clock_ms() - begun_ms;
        longest_ms = took_ms > longest_ms ? took_ms : longest_ms;
        walks++;
    } while (held && is_endless() && stage_left_ms() > 2 * HANG_MS + END_WALKS * longest_ms);
    stage_held();
    stage_note("%d walk%s", walks, walks == 1 ? "" : "s");
}
