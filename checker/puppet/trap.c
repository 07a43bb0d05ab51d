/* trap.c - see trap.h */
#include "trap.h"

#include "channel.h"
#include "commands.h"
#include "heap.h"
#include "observation.h"

static struct fault fault; /* of the call under way */
static cJSON *watched;

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

static struct outcome at(void *context, const char *point)
{
    bool learners = heap_is_learners(false);
    cJSON *message = cJSON_CreateObject();
    struct outcome go;

    if (context != fault.context && watched)
        observation_add(watched, "common.6", "the hook gets its own context", "another pointer");
    cJSON_AddStringToObject(message, "at", point ? point : "(NULL)");
    cJSON_Delete(trap_ask(message, &go));
    heap_is_learners(learners);
    return go;
}

const struct fault *trap_fault(bool has_context)
{
    static int own; /* only its address matters */

    fault = (struct fault){ at, has_context ? &own : NULL };
    return &fault;
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
