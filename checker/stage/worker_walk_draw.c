/* worker_walk_draw.c - see worker_walk_draw.h */
#include "worker_walk_draw.h"

#include "base.h"
#include "stage.h"

#include <ctype.h>
#include <sqlite3.h>
#include <string.h>

#define MOVES_MIN 10
#define MOVES_MAX 40
#define GRADED    20 /* moves at most in a graded run */

static int draw(int count)
{
    return (int)(stage_random() % (unsigned)count);
}

/* --- moves ------------------------------------------------------------------------------- */

static const enum trouble taking_troubles[] = {
    TROUBLE_ODD_VALUE,    TROUBLE_HOOK,      TROUBLE_HOOK,    TROUBLE_KILL_POINT,
    TROUBLE_KILL_STORAGE, TROUBLE_STORAGE,   TROUBLE_LOCK,    TROUBLE_LOOK,
    TROUBLE_READER,       TROUBLE_MEANWHILE, TROUBLE_REFUSED,
};
static const enum trouble reading_troubles[] = { TROUBLE_STORAGE, TROUBLE_LOCK, TROUBLE_MEANWHILE,
                                                 TROUBLE_AGAIN };
static const enum trouble marking_troubles[] = { TROUBLE_KILL_STORAGE, TROUBLE_STORAGE,
                                                 TROUBLE_LOCK,         TROUBLE_READER,
                                                 TROUBLE_MEANWHILE,    TROUBLE_REFUSED,
                                                 TROUBLE_VETO,         TROUBLE_AGAIN };
static const enum trouble sending_troubles[] = {
    TROUBLE_ODD_VALUE,    TROUBLE_HOOK,    TROUBLE_SENDER, TROUBLE_SENDER,    TROUBLE_KILL_POINT,
    TROUBLE_KILL_STORAGE, TROUBLE_STORAGE, TROUBLE_LOCK,   TROUBLE_LOOK,      TROUBLE_READER,
    TROUBLE_REFUSED,      TROUBLE_RIVAL,   TROUBLE_RIVAL,  TROUBLE_KILL_SEND, TROUBLE_VETO,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const enum trouble *troubles;
    size_t count;
    int operations;    /* about as many as a call has, reads included */
    int events;        /* of the pool that calls are about            */
    int there;         /* are in the store at the start, at most      */
    const char *moves; /* a letter is drawn: call, put, remove, mark, bend, kill */
} means[] = {
    [WALK_ENQUEUE] = { taking_troubles, COUNT(taking_troubles), 40, 8, 4, "ccccccccccccpprrmbkk" },
    [WALK_PENDING] = { reading_troubles, COUNT(reading_troubles), 8, POOL, 20,
                       "ccccccccccccpppprmmbk" },
    [WALK_RECEIVE] = { taking_troubles, COUNT(taking_troubles), 32, 8, 4, "ccccccccccccpprrmbbkk" },
    [WALK_MARK_SENT] = { marking_troubles, COUNT(marking_troubles), 22, 8, 12,
                         "cccccccccccccpprrmmbbk" },
    [WALK_DISPATCH] = { sending_troubles, COUNT(sending_troubles), 45, POOL, 14,
                        "ccccccccccccppprmbk" },
};

static struct outcome draw_reply(void)
{
    static const struct outcome replies[] = {
        { OUTCOME_FAULT, 7777 }, { OUTCOME_FAULT, 1 },         { OUTCOME_SQLITE, 5 },
        { OUTCOME_SQLITE, 19 },  { OUTCOME_SQLITE, 2067 },     { OUTCOME_CURL, 28 },
        { OUTCOME_HTTP, 404 },   { OUTCOME_HTTP, 70001 },      { OUTCOME_INVALID, 0 },
        { OUTCOME_INVALID, 3 },  { OUTCOME_CONFLICT, 0 },      { OUTCOME_DELIVERY, 0 },
        { OUTCOME_TODO, 0 },     { (enum outcome_kind)77, 1 },
    };

    return replies[draw((int)COUNT(replies))];
}

static int draw_limit(void)
{
    static const int limits[] = { 1, 2, 3, 5, 8, 10, 13, 16, 16, 16, 0, 17, -1 };

    return limits[draw((int)COUNT(limits))];
}

/*
 * In a log a commit that stops at its last write is there for one who reads the file alone, and is
 * not there while others have the log open: what to expect is no question for a walk.  And who
 * writes while a call is stopped where it recovers the log waits for it, for ten seconds.
 */
static enum trouble draw_trouble(enum walk_function function, bool has_log, bool is_long)
{
    size_t kind = (size_t)draw((int)means[function].count + is_long);
    enum trouble trouble =
        kind < means[function].count ? means[function].troubles[kind] : TROUBLE_MEMORY;

    if (has_log && (trouble == TROUBLE_STORAGE || trouble == TROUBLE_KILL_STORAGE ||
                    trouble == TROUBLE_MEANWHILE))
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
    case 'b':
        return MOVE_BEND;
    case 'k':
        return MOVE_PROCESS;
    default:
        return MOVE_CALL;
    }
}

/* Where something happens at a point there is a hook. */
static int draw_hook(enum trouble trouble)
{
    bool is_at_point = trouble == TROUBLE_ODD_VALUE || trouble == TROUBLE_HOOK ||
                       trouble == TROUBLE_KILL_POINT || trouble == TROUBLE_LOOK;
    int hook = draw(8);

    return hook == 0 ? HOOK_NO_CONTEXT : hook < 3 && !is_at_point ? HOOK_NONE : HOOK_USUAL;
}

static struct move draw_move(enum walk_function function, bool has_log, bool is_long)
{
    static const int odd[] = { 0, 2, -1, 257, 1 };
    static const int variants[] = { EVENT_SAME, EVENT_SAME, EVENT_SAME,      EVENT_SAME,
                                    EVENT_SAME, EVENT_SAME, EVENT_SAME,      EVENT_OTHER_QTY,
                                    EVENT_NONE, EVENT_NONE, EVENT_OTHER_QTY, EVENT_SAME };
    struct move move;

    memset(&move, 0, sizeof move);
    move.who = draw(4) == 0;
    move.event = draw(means[function].events);
    move.own = draw(3) == 0;
    move.at = draw(3);
    if (function == WALK_DISPATCH && draw(3) == 0)
        move.at += 4;
    move.kind = draw_kind(function);
    move.variant = variants[draw((int)COUNT(variants))];
    if (draw(3))
        move.trouble = draw_trouble(function, has_log, is_long);
    move.hook = draw_hook(move.trouble);
    move.operation = 1 + draw(means[function].operations);
    if (move.trouble == TROUBLE_MEMORY) /* a call allocates more often than it reads and writes */
        move.operation += draw(means[function].operations);
    move.limit = draw_limit();
    move.reply = draw_reply();
    if (move.trouble == TROUBLE_ODD_VALUE)
        move.reply = outcome_value(odd[draw((int)COUNT(odd))]);
    return move;
}

/* --- events ------------------------------------------------------------------------------ */

/* Makes an id that is nearly that one. */
static void make_alike(char *id)
{
    size_t length = strlen(id);
    size_t at = (size_t)draw((int)length);

    switch (draw(4)) {
    case 0: /* in the other case */
        for (char *c = id; *c; c++)
            *c = (char)(islower(*c) ? toupper(*c) : tolower(*c));
        break;
    case 1: /* one place is a character for which LIKE takes any */
        id[at] = '_';
        break;
    case 2: /* the end differs */
        id[length - 1] = (char)('A' + draw(26));
        break;
    default: /* a number, with one more zero in front */
        memmove(id + 1, id, length < 64 ? length + 1 : 64);
        id[0] = '0';
        id[length < 64 ? length + 1 : 64] = '\0';
    }
}

static bool is_there(const struct event *pool, int count, const char *id)
{
    for (int i = 0; i < count; i++)
        if (strcmp(pool[i].id, id) == 0)
            return true;
    return false;
}

/*
 * The first have the shortest and the longest id, the least and the largest qty; most others are
 * like one before.
 */
static void draw_pool(struct event *pool)
{
    struct event *longest = &pool[1];

    for (int i = 0; i < POOL; i++)
        pool[i] = an_event();
    pool[0] = event_of((char[]){ (char)('a' + draw(26)), '\0' }, 1);
    memset(longest->id + strlen(longest->id), 'Z', sizeof longest->id - 1 - strlen(longest->id));
    longest->id[sizeof longest->id - 1] = '\0';
    longest->qty = 1000;
    pool[2] = event_of((char[]){ (char)('1' + draw(9)), '\0' }, 7);
    for (int i = 3; i < POOL; i++) {
        struct event alike = pool[draw(i)];

        make_alike(alike.id);
        if (draw(3) && !is_there(pool, i, alike.id))
            memcpy(pool[i].id, alike.id, sizeof alike.id);
    }
}

struct plan walk_draw(enum walk_function function, bool is_long)
{
    struct plan plan;
    int there = draw(means[function].there + 1);
    int moves = MOVES_MIN + draw((is_long ? MOVES_MAX : GRADED) - MOVES_MIN + 1);

    memset(&plan, 0, sizeof plan);
    plan.function = function;
    plan.setting = (struct setting){ .log = draw(3) == 0,
                                     .utf16 = draw(5) == 0,
                                     .index = draw(4) == 0,
                                     .notes = draw(4) == 0,
                                     .extended = draw(4) == 0,
                                     .patience = draw(4) == 0 };
    draw_pool(plan.pool);
    for (int i = 0; i < there; i++) {
        struct move *put = &plan.moves[plan.count++];

        put->kind = MOVE_PUT;
        put->event = draw(means[function].events);
        put->operation = draw(15);
    }
    for (int i = 0; i < moves; i++)
        plan.moves[plan.count++] = draw_move(function, plan.setting.log, is_long);
    return plan;
}
