/* trap.c - see trap.h */
#include "trap.h"

#include "base.h"
#include "channel.h"
#include "commands.h"
#include "heap.h"
#include "observation.h"

#include <stdlib.h>
#include <string.h>

static struct fault fault; /* of the call under way */
static struct fault lent;  /* what the call has of it */
static cJSON *watched;
static const cJSON *guarded; /* an argument, and what it was before the call */
static const char *guarded_before;

void trap_watch(cJSON *breaches)
{
    watched = breaches;
}

static cJSON *ask(cJSON *message, struct outcome *go)
{
    channel_say(message);
    for (;;) {
        cJSON *order = channel_listen();
        const cJSON *way = cJSON_GetObjectItemCaseSensitive(order, "go");

        if (way) {
            *go = outcome_of((enum outcome_kind)cJSON_GetArrayItem(way, 0)->valueint,
                             cJSON_GetArrayItem(way, 1)->valueint);
            return order;
        }
        channel_say(commands_obey(order));
        cJSON_Delete(order);
    }
}

cJSON *trap_ask(cJSON *message, struct outcome *go)
{
    bool learners = heap_is_learners(false);
    cJSON *reply = ask(message, go);

    heap_is_learners(learners);
    return reply;
}

static void expect_unchanged(const char *expected, bool is_unchanged)
{
    if (!is_unchanged && watched)
        observation_add(watched, "common.5", expected, "the call changed it");
}

void trap_take_back(void)
{
    expect_unchanged("the fault that was passed stays as it was",
                     lent.at == fault.at && lent.context == fault.context);
    lent = fault;
}

void trap_guard(const cJSON *event, const char *before)
{
    guarded = event;
    guarded_before = before;
}

static void look_at_guarded(void)
{
    auto_free char *now = guarded ? observation_of_json(guarded) : NULL;

    expect_unchanged("the event that was passed stays as it was while the hook runs",
                     !now || strcmp(now, guarded_before) == 0);
}

static struct outcome at(void *context, const char *point)
{
    bool learners = heap_is_learners(false);
    cJSON *message = cJSON_CreateObject();
    struct outcome go;

    if (context != fault.context && watched)
        observation_add(watched, "common.6", "the hook gets its own context", "another pointer");
    trap_take_back();
    look_at_guarded();
    cJSON_AddStringToObject(message, "at", point ? point : "(NULL)");
    cJSON_Delete(trap_ask(message, &go));
    heap_is_learners(learners);
    return go;
}

const struct fault *trap_fault(bool has_context)
{
    static int own; /* only its address matters */

    lent = fault = (struct fault){ at, has_context ? &own : NULL };
    return &lent;
}

void trap_storage(int operation, const char *what)
{
    bool learners = heap_is_learners(false);
    cJSON *message = cJSON_CreateObject();
    struct outcome go;

    cJSON_AddNumberToObject(message, "operation", operation);
    cJSON_AddStringToObject(message, "what", what);
    cJSON_Delete(trap_ask(message, &go));
    heap_is_learners(learners);
}
