/* worker_walk.c - see worker_walk.h: drawing walks, playing them, making a failing one short */
#include "worker_walk.h"

#include "base.h"
#include "trial.h"
#include "worker_walk_play.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOVES_MIN  10
#define MOVES_MAX  40
#define GRADED     20 /* moves at most in a graded run: somebody waits */
#define SHRINK_MS  1500
#define BETWEEN_MS 3000 /* of the time for walks: that much before its end no walk begins */

struct plan {
    enum walk_function function;
    struct event pool[POOL];
    bool has_log; /* the store is in WAL mode */
    struct move moves[MOVES];
    int count;
};

static bool is_endless(void)
{
    return getenv("WORKBOOK_WALK") != NULL;
}

static int draw(int count)
{
    return (int)(stage_random() % (unsigned)count);
}

/* --- drawing -------------------------------------------------------------------------- */

static const enum trouble taking_troubles[] = {
    TROUBLE_NO_HOOK,      TROUBLE_ODD_VALUE, TROUBLE_HOOK, TROUBLE_HOOK,    TROUBLE_KILL_POINT,
    TROUBLE_KILL_STORAGE, TROUBLE_STORAGE,   TROUBLE_LOCK, TROUBLE_REFUSED,
};
static const enum trouble reading_troubles[] = { TROUBLE_STORAGE, TROUBLE_LOCK };
static const enum trouble marking_troubles[] = { TROUBLE_KILL_STORAGE, TROUBLE_STORAGE,
                                                 TROUBLE_LOCK, TROUBLE_REFUSED };
static const enum trouble sending_troubles[] = {
    TROUBLE_NO_HOOK,    TROUBLE_ODD_VALUE,    TROUBLE_HOOK,    TROUBLE_SENDER,
    TROUBLE_KILL_POINT, TROUBLE_KILL_STORAGE, TROUBLE_STORAGE, TROUBLE_LOCK,
    TROUBLE_REFUSED,    TROUBLE_KILL_SEND,    TROUBLE_RIVAL,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const enum trouble *troubles;
    size_t count;
    int operations;    /* about as many as a call has, reads included */
    int events;        /* of the pool that calls are about            */
    int there;         /* are in the store at the start, at most      */
    const char *moves; /* a letter is drawn: call, put, remove, mark, kill (worker_walk_play.h) */
} means[] = {
    [WALK_ENQUEUE] = { taking_troubles, COUNT(taking_troubles), 40, 5, 3, "ccccccccccccpprrkk" },
    [WALK_PENDING] = { reading_troubles, COUNT(reading_troubles), 5, POOL, 20,
                       "ccccccccccccppprmmk" },
    [WALK_RECEIVE] = { taking_troubles, COUNT(taking_troubles), 32, 5, 3, "ccccccccccccpprrmkk" },
    [WALK_MARK_SENT] = { marking_troubles, COUNT(marking_troubles), 22, 6, 12,
                         "ccccccccccccpprrmmk" },
    [WALK_DISPATCH] = { sending_troubles, COUNT(sending_troubles), 45, POOL, 14,
                        "ccccccccccccppprmk" },
};

static struct outcome draw_reply(void)
{
    static const struct outcome replies[] = {
        { OUTCOME_FAULT, 7777 }, { OUTCOME_FAULT, 0 },    { OUTCOME_SQLITE, 5 },
        { OUTCOME_SQLITE, 19 },  { OUTCOME_CURL, 28 },    { OUTCOME_HTTP, 404 },
        { OUTCOME_INVALID, 0 },  { OUTCOME_CONFLICT, 0 }, { OUTCOME_DELIVERY, 0 },
    };

    return replies[draw((int)COUNT(replies))];
}

static int draw_limit(void)
{
    static const int limits[] = { 1, 2, 3, 5, 8, 16, 16, 0, 17, -1 };

    return limits[draw((int)COUNT(limits))];
}

/*
 * In a log a commit that stops at its last write is there for one who reads the file alone, and is
 * not there while others have the log open: what to expect is no question for a walk.
 */
static enum trouble draw_trouble(enum walk_function function, bool has_log)
{
    size_t kind = (size_t)draw((int)means[function].count + is_endless());
    enum trouble trouble =
        kind < means[function].count ? means[function].troubles[kind] : TROUBLE_MEMORY;

    if (has_log && (trouble == TROUBLE_STORAGE || trouble == TROUBLE_KILL_STORAGE))
        return TROUBLE_NONE;
    return trouble;
}

static int draw_kind(enum walk_function function)
{
    const char *moves = means[function].moves;

    switch (moves[draw((int)strlen(moves))]) {
    case 'p':
        return MOVE_PUT;
    case 'r':
        return MOVE_REMOVE;
    case 'm':
        return MOVE_MARK;
    case 'k':
        return MOVE_PROCESS;
    default:
        return MOVE_CALL;
    }
}

static struct move draw_move(enum walk_function function, bool has_log)
{
    static const int odd[] = { 0, 2, -1, 5, 1 };
    static const int variants[] = { EVENT_SAME, EVENT_SAME, EVENT_SAME,      EVENT_SAME,
                                    EVENT_SAME, EVENT_SAME, EVENT_SAME,      EVENT_OTHER_QTY,
                                    EVENT_NONE, EVENT_NONE, EVENT_OTHER_QTY, EVENT_SAME };
    struct move move = { .who = draw(4) == 0,
                         .event = draw(means[function].events),
                         .at = draw(3) };

    move.kind = draw_kind(function);
    move.variant = variants[draw((int)COUNT(variants))];
    if (draw(2))
        move.trouble = draw_trouble(function, has_log);
    move.operation = 1 + draw(means[function].operations);
    if (move.trouble == TROUBLE_MEMORY) /* a call allocates more often than it reads and writes */
        move.operation += draw(means[function].operations);
    move.limit = draw_limit();
    move.reply = draw_reply();
    if (move.trouble == TROUBLE_ODD_VALUE)
        move.reply = outcome_value(odd[draw((int)COUNT(odd))]);
    return move;
}

/* The first two have the shortest and the longest id, the least and the largest qty. */
static void draw_pool(struct event *pool)
{
    struct event *longest = &pool[1];

    for (int i = 0; i < POOL; i++)
        pool[i] = an_event();
    pool[0] = event_of((char[]){ (char)('a' + draw(26)), '\0' }, 1);
    memset(longest->id + strlen(longest->id), 'Z', sizeof longest->id - 1 - strlen(longest->id));
    longest->id[sizeof longest->id - 1] = '\0';
    longest->qty = 1000;
}

static struct plan draw_plan(enum walk_function function)
{
    struct plan plan = { .function = function, .has_log = draw(3) == 0 };
    int there = draw(means[function].there);
    int moves = MOVES_MIN + draw((is_endless() ? MOVES_MAX : GRADED) - MOVES_MIN + 1);

    draw_pool(plan.pool);
    for (int i = 0; i < there; i++)
        plan.moves[plan.count++] = (struct move){ .kind = MOVE_PUT, .event = draw(POOL) };
    for (int i = 0; i < moves; i++)
        plan.moves[plan.count++] = draw_move(function, plan.has_log);
    return plan;
}

/* --- playing -------------------------------------------------------------------------- */

static int stores; /* made by this process: a trial, which is another, makes the next one */

static void play(void *context)
{
    const struct plan *plan = context;
    auto_free char *store = xprintf("walk%d", stores++);
    struct world world = { .function = plan->function, .store = store };

    world.model.is_sink = plan->function == WALK_RECEIVE;
    memcpy(world.pool, plan->pool, sizeof world.pool);
    if (world.model.is_sink)
        sink_make_as(store);
    else
        source_make_as(store);
    if (plan->has_log)
        store_make(store, "PRAGMA journal_mode = WAL");
    if (plan->has_log)
        stage_did("(the store is in WAL mode)");
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

/* A move without its trouble, where the walk still fails. */
static void calm(struct plan *plan, int place)
{
    struct plan calmer = *plan;

    calmer.moves[place].trouble = TROUBLE_NONE;
    if (plan->moves[place].trouble != TROUBLE_NONE && !holds(&calmer))
        *plan = calmer;
}

static void shrink(struct plan *plan)
{
    int64_t end_ms = clock_ms() + (is_endless() ? 10 : 1) * stage_ms(SHRINK_MS);

    for (int size = plan->count / 2; size > 0; size = size > 1 ? (size + 1) / 2 : 0)
        for (int from = plan->count - size; from >= 0; from--)
            if (from + size <= plan->count && clock_ms() < end_ms)
                leave_out(plan, from, size);
    for (int place = 0; place < plan->count && clock_ms() < end_ms; place++)
        calm(plan, place);
}

/* One walk; where it fails the check fails, with what remains of it. */
static void walk_once(enum walk_function function)
{
    struct plan plan = draw_plan(function);
    struct plan shorter = plan;

    if (holds(&plan))
        return;
    shrink(&shorter);
    if (holds(&shorter)) /* it does not fail always: a race */
        shorter = plan;
    play(&shorter);
}

void walk(enum walk_function function)
{
    int walks = 0;

    do {
        walk_once(function);
        walks++;
    } while (is_endless() && stage_left_ms() > BETWEEN_MS);
    stage_held();
    stage_note("%d walk%s", walks, walks == 1 ? "" : "s");
}
