/* worker_calls.c - see worker_calls.h */
#include "worker_calls.h"

#include "base.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct event an_event(void)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    static int drawn;
    struct event event = { .qty = 1 + (int)(stage_random() % 500) };
    int length = 6 + (int)(stage_random() % 13);

    for (int i = 0; i < length; i++)
        event.id[i] = letters[stage_random() % (sizeof letters - 1)];
    snprintf(event.id + length, sizeof event.id - (size_t)length, "%02d", drawn++ % 100);
    return event;
}

struct event other_qty(struct event event)
{
    event.qty += event.qty < 1000 ? 1 : -1;
    return event;
}

struct event event_of(const char *id, int qty)
{
    struct event event = { .qty = qty };

    snprintf(event.id, sizeof event.id, "%s", id);
    return event;
}

static cJSON *json_of(struct event event)
{
    cJSON *json = cJSON_CreateObject();

    cJSON_AddStringToObject(json, "id", event.id);
    cJSON_AddNumberToObject(json, "qty", event.qty);
    return json;
}

cJSON *spec_text(const char *json)
{
    cJSON *spec = cJSON_CreateObject();

    cJSON_AddStringToObject(spec, "text", json);
    return spec;
}

cJSON *spec_of(struct event event)
{
    cJSON *json = json_of(event);
    char *text = cJSON_PrintUnformatted(json);
    cJSON *spec = spec_text(text);

    cJSON_free(text);
    cJSON_Delete(json);
    return spec;
}

cJSON *spec_odd(const char *name, struct event event)
{
    cJSON *spec = json_of(event);

    cJSON_AddStringToObject(spec, "odd", name);
    return spec;
}

/* For the report: the JSON text, or what is odd about it. */
static char *spell(const cJSON *spec)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(spec, "text"));
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(spec, "odd"));
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(spec, "id"));

    if (text)
        return strlen(text) > 200 ? xprintf("%.200s... (%zu bytes)", text, strlen(text))
                                  : xstrdup(text);
    if (strcmp(name, "NULL") == 0)
        return xstrdup("NULL");
    return xprintf("an event with %s, id %s", name, id);
}

static const char *usual_store(const char *function)
{
    return strcmp(function, "receive") == 0 ? "sink" : "source";
}

void begin_with_event(struct puppet *worker, const char *function, cJSON *event,
                      const struct how *how)
{
    bool has_store = strcmp(function, "validate_event") != 0;
    cJSON *order = how_order(function, has_store ? usual_store(function) : NULL, how);
    auto_free char *spelled = spell(event);
    auto_free char *mannered = how_text(how);
    auto_free char *line = xprintf("%s(%s)%s", function, spelled, mannered);

    cJSON_AddItemToObject(order, "event", event);
    call_begin(worker, order, line);
}

static struct answer call_with_event(struct puppet *worker, const char *function, cJSON *event,
                                     const struct how *how)
{
    begin_with_event(worker, function, event, how);
    return call_finish(worker, how_directions(how));
}

struct answer call_validate(struct puppet *worker, cJSON *event, const struct how *how)
{
    return call_with_event(worker, "validate_event", event, how);
}

struct answer call_enqueue(struct puppet *worker, cJSON *event, const struct how *how)
{
    return call_with_event(worker, "enqueue", event, how);
}

struct answer call_receive(struct puppet *worker, cJSON *event, const struct how *how)
{
    return call_with_event(worker, "receive", event, how);
}

struct answer call_mark_sent(struct puppet *worker, cJSON *event, const struct how *how)
{
    return call_with_event(worker, "mark_sent", event, how);
}

/* What of a path is worth telling: not where the check's directory lies. */
static const char *below_stage(const char *path)
{
    size_t bytes = strlen(stage_directory());
    const char *slash = strrchr(path, '/');

    if (strncmp(path, stage_directory(), bytes) == 0 && path[bytes] == '/')
        return path + bytes + 1;
    return slash ? slash + 1 : path;
}

void begin_open_store(struct puppet *worker, const char *path, const char *role, const char *as,
                      const struct how *how)
{
    cJSON *order = how_order("open_store", NULL, how);
    auto_free char *mannered = how_text(how);
    auto_free char *line =
        xprintf("open_store(\"%s\", %s%s%s)%s", below_stage(path), role ? "\"" : "",
                role ? role : "NULL", role ? "\"" : "", mannered);

    cJSON_AddStringToObject(order, "path", path);
    if (role)
        cJSON_AddStringToObject(order, "role", role);
    cJSON_AddStringToObject(order, "as", as);
    call_begin(worker, order, line);
}

struct answer call_open_store(struct puppet *worker, const char *path, const char *role,
                              const char *as, const struct how *how)
{
    begin_open_store(worker, path, role, as, how);
    return call_finish(worker, how_directions(how));
}

static void begin_with_limit(struct puppet *worker, const char *function, int limit,
                             const struct how *how)
{
    cJSON *order = how_order(function, "source", how);
    auto_free char *mannered = how_text(how);
    auto_free char *line = xprintf("%s(limit %d)%s", function, limit, mannered);

    cJSON_AddNumberToObject(order, "limit", limit);
    if (how && how->url)
        cJSON_AddStringToObject(order, "url", how->url);
    if (how && how->timeout)
        cJSON_AddStringToObject(order, "timeout", how->timeout);
    call_begin(worker, order, line);
}

struct answer call_pending(struct puppet *worker, int limit, const struct how *how)
{
    begin_with_limit(worker, "pending", limit, how);
    return call_finish(worker, how_directions(how));
}

void begin_dispatch(struct puppet *worker, int limit, const struct how *how)
{
    begin_with_limit(worker, "dispatch", limit, how);
}

struct answer call_dispatch(struct puppet *worker, int limit, const struct how *how)
{
    begin_dispatch(worker, limit, how);
    return call_finish(worker, how_directions(how));
}

void begin_send_http(struct puppet *worker, const char *url, cJSON *event, const char *timeout,
                     const struct how *how)
{
    cJSON *order = how_order("send_http", NULL, how);
    auto_free char *spelled = spell(event);
    auto_free char *mannered = how_text(how);
    auto_free char *line =
        xprintf("send_http(%s, %s, %s)%s", url ? url : "NULL", spelled, timeout, mannered);

    if (url)
        cJSON_AddStringToObject(order, "url", url);
    cJSON_AddItemToObject(order, "event", event);
    cJSON_AddStringToObject(order, "timeout", timeout);
    call_begin(worker, order, line);
}

struct answer call_send_http(struct puppet *worker, const char *url, cJSON *event,
                             const char *timeout, const struct how *how)
{
    begin_send_http(worker, url, event, timeout, how);
    return call_finish(worker, how_directions(how));
}

char *events_text(const struct event *events, int count)
{
    cJSON *array = cJSON_CreateArray();
    char *text;

    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(array, json_of(events[i]));
    text = cJSON_PrintUnformatted(array);
    cJSON_Delete(array);
    return text;
}
