/* how.c - see how.h */
#include "how.h"

#include "base.h"
#include "hand.h"

#include <sqlite3.h>

cJSON *how_order(const char *function, const char *on, const struct how *how)
{
    cJSON *order = order_of(function);

    if (how && how->on)
        on = how->on;
    if (on)
        cJSON_AddStringToObject(order, "on", on);
    if (how && (how->no_hook || how->no_context))
        cJSON_AddItemToObject(order, "fault",
                              how->no_hook ? cJSON_CreateFalse() : cJSON_CreateNull());
    if (how && how->times)
        cJSON_AddNumberToObject(order, "times", how->times);
    if (how && (how->storage || how->storage_at)) {
        cJSON *storage = cJSON_AddObjectToObject(order, "storage");

        cJSON_AddNumberToObject(storage, "at", how->storage_at);
        cJSON_AddNumberToObject(storage, "code", how->storage_code);
        cJSON_AddNumberToObject(storage, "reads", how->storage_reads);
    }
    if (how && how->memory_at)
        cJSON_AddNumberToObject(order, "memory", how->memory_at);
    return order;
}

const struct directions *how_directions(const struct how *how)
{
    return how ? &how->directions : NULL;
}

char *how_text(const struct how *how)
{
    struct text text = { 0 };

    text_add(&text, "%s%s", how && how->on ? " on connection " : "", how && how->on ? how->on : "");
    if (how && (how->no_hook || how->no_context))
        text_add(&text, how->no_hook ? ", without a hook" : ", with a hook of context NULL");
    if (how && how->bare)
        text_add(&text, ", to a receiver of context NULL");
    if (how && how->times)
        text_add(&text, ", %d times", how->times);
    if (how && how->storage_at && how->storage_code)
        text_add(&text, ", and storage operation %d fails: %s", how->storage_at,
                 sqlite3_errstr(how->storage_code));
    if (how && how->memory_at)
        text_add(&text, ", and allocation %d finds no memory", how->memory_at);
    return text.data;
}

void worker_open(struct puppet *worker, const char *store, int busy_timeout_ms)
{
    puppet_open(worker, store, store, busy_timeout_ms);
}

void worker_close(struct puppet *worker, const char *store)
{
    cJSON *order = order_of("close");

    cJSON_AddStringToObject(order, "on", store);
    cJSON_Delete(call_order(worker, order));
}

struct puppet *worker_at(const char *store, int busy_timeout_ms)
{
    struct puppet *worker = puppet_start();

    worker_open(worker, store, busy_timeout_ms);
    return worker;
}
