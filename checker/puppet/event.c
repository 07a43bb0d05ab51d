/* event.c - see event.h */
#include "event.h"

#include "base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cJSON *object_of(cJSON *id, cJSON *qty)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToObject(object, "id", id);
    cJSON_AddItemToObject(object, "qty", qty);
    return object;
}

static cJSON *make_null(const char *id, double qty)
{
    (void)id;
    (void)qty;
    return NULL;
}

/* Valid, with member names that the object does not own (cJSON_StringIsConst). */
static cJSON *make_constant_names(const char *id, double qty)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToObjectCS(object, "id", cJSON_CreateString(id));
    cJSON_AddItemToObjectCS(object, "qty", cJSON_CreateNumber(qty));
    return object;
}

/* Valid, with an id that the object does not own (cJSON_IsReference). */
static cJSON *make_reference(const char *id, double qty)
{
    static char kept[512];

    snprintf(kept, sizeof kept, "%s", id);
    return object_of(cJSON_CreateStringReference(kept), cJSON_CreateNumber(qty));
}

static cJSON *make_raw(const char *id, double qty)
{
    return object_of(cJSON_CreateRaw(id), cJSON_CreateNumber(qty));
}

static cJSON *make_nan(const char *id, double qty)
{
    (void)qty;
    return object_of(cJSON_CreateString(id), cJSON_CreateNumber((double)NAN));
}

static cJSON *make_infinite(const char *id, double qty)
{
    return object_of(cJSON_CreateString(id),
                     cJSON_CreateNumber(qty < 0 ? -(double)INFINITY : (double)INFINITY));
}

static cJSON *make_true(const char *id, double qty)
{
    (void)qty;
    return object_of(cJSON_CreateString(id), cJSON_CreateTrue());
}

/* The children of an object, called an array. */
static cJSON *make_array(const char *id, double qty)
{
    cJSON *object = object_of(cJSON_CreateString(id), cJSON_CreateNumber(qty));

    object->type = cJSON_Array;
    return object;
}

/* Text that is parsed, with the event for its %s. */
static cJSON *parse_around(const char *format, const char *id, double qty)
{
    cJSON *event = object_of(cJSON_CreateString(id), cJSON_CreateNumber(qty));
    char *inner = cJSON_PrintUnformatted(event);
    char *text = xprintf(format, inner);
    cJSON *value = cJSON_Parse(text);

    free(text);
    cJSON_free(inner);
    cJSON_Delete(event);
    return value;
}

/*
 * The second of the children, with what is around it.  Whoever frees it frees those behind it
 * too; the one before it stays until the next is taken.
 */
static cJSON *take_second(cJSON *parent)
{
    static cJSON *first;

    if (first)
        first->next = NULL;
    cJSON_Delete(first);
    first = parent->child;
    parent->child = NULL;
    cJSON_Delete(parent);
    return first->next;
}

/* Valid, one of several in an array. */
static cJSON *make_neighbours(const char *id, double qty)
{
    return take_second(parse_around("[{\"id\":\"a\",\"qty\":1},%s,{\"id\":\"b\"}]", id, qty));
}

/* Valid, a member of an object. */
static cJSON *make_named(const char *id, double qty)
{
    return take_second(parse_around("{\"id\":\"a\",\"event\":%s,\"qty\":1}", id, qty));
}

/* Valid, with members that the object does not own (cJSON_IsReference). */
static cJSON *make_borrowed_members(const char *id, double qty)
{
    static cJSON *owner;

    cJSON_Delete(owner);
    owner = object_of(cJSON_CreateString(id), cJSON_CreateNumber(qty));
    return cJSON_CreateObjectReference(owner->child);
}

static const struct {
    const char *name;
    cJSON *(*make)(const char *id, double qty);
} odd[] = {
    { "NULL", make_null },
    { "constant names", make_constant_names },
    { "reference", make_reference },
    { "neighbours in an array", make_neighbours },
    { "a name of its own", make_named },
    { "borrowed members", make_borrowed_members },
    { "raw", make_raw },
    { "NaN", make_nan },
    { "infinite", make_infinite },
    { "true", make_true },
    { "array", make_array },
};

cJSON *event_make(const cJSON *spec)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(spec, "text"));
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(spec, "odd"));
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(spec, "id"));
    const cJSON *qty = cJSON_GetObjectItemCaseSensitive(spec, "qty");

    if (text) {
        cJSON *value = cJSON_Parse(text);

        if (!value)
            die("no JSON: %s", text);
        return value;
    }
    for (size_t i = 0; name && i < sizeof odd / sizeof *odd; i++)
        if (strcmp(odd[i].name, name) == 0)
            return odd[i].make(id ? id : "id", cJSON_IsNumber(qty) ? qty->valuedouble : 1);
    die("an event spec without text and without a known name");
}
