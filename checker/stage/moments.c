/* moments.c - see moments.h */
#include "moments.h"

#include "base.h"
#include "hand.h"
#include "stage.h"

#include <string.h>

/* Codes that mean something elsewhere in a worker are the ones that get lost. */
const struct outcome failures[FAILURES] = {
    { OUTCOME_FAULT, 7777 },  { OUTCOME_FAULT, 0 },    { OUTCOME_FAULT, 1 },
    { OUTCOME_FAULT, -1 },    { OUTCOME_SQLITE, 5 },   { OUTCOME_SQLITE, 19 },
    { OUTCOME_SQLITE, 1555 }, { OUTCOME_SQLITE, 101 }, { OUTCOME_CURL, 28 },
    { OUTCOME_HTTP, 404 },    { OUTCOME_INVALID, 0 },  { OUTCOME_CONFLICT, 0 },
    { OUTCOME_DELIVERY, 0 },
};

static struct outcome reply_at(void *context, struct stop *stop)
{
    const struct reply_at *reply = context;

    if (stop->kind == STOP_FAULT && (!reply->point || strcmp(stop->point, reply->point) == 0))
        return reply->reply;
    return call_go_on(stop);
}

struct how moment_reply(struct reply_at *reply)
{
    return (struct how){ .directions = { .at = reply_at, .context = reply } };
}

static void release(void *context)
{
    struct holder *holder = context;

    holder->released = true;
    hand_do(holder->hand, "ROLLBACK");
}

struct how moment_held(struct holder *holder, const char *store, const char *lock, int ms)
{
    if (!holder->hand)
        holder->hand = hand_open(store);
    holder->released = false;
    hand_do(holder->hand, lock);
    stage_did("(another process: %s, released after %d ms)", lock, ms);
    return (struct how){ .directions = { .later = release,
                                         .later_ms = ms,
                                         .context = holder,
                                         .deadline_ms = ms + CALL_MS } };
}

static struct outcome kill_at(void *context, struct stop *stop)
{
    if (stop->kind == STOP_FAULT && strcmp(stop->point, context) == 0)
        puppet_kill(stop->puppet);
    return call_go_on(stop);
}

struct how moment_kill(const char *point)
{
    return (struct how){ .directions = { .at = kill_at, .context = (char *)(uintptr_t)point } };
}
