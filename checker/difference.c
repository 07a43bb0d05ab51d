/* difference.c - see difference.h */
#include "difference.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>

static char *shown(const cJSON *item)
{
    auto_free char *text = item ? cJSON_PrintUnformatted(item) : xstrdup("(nothing)");

    if (!text)
        die("out of memory");
    return escape(text, strlen(text), false);
}

static bool find_in_array(const cJSON *expected, const cJSON *got, struct difference *difference);
static bool find_in_object(const cJSON *expected, const cJSON *got, struct difference *difference);

/*
 * Finds the first difference of two items, of which one may be missing; path is that of the items, and
 * on success that of the place.
 */
static bool find(const cJSON *expected, const cJSON *got, struct difference *difference)
{
    if (cJSON_IsObject(expected) && cJSON_IsObject(got))
        return find_in_object(expected, got, difference);
    if (cJSON_IsArray(expected) && cJSON_IsArray(got))
        return find_in_array(expected, got, difference);
    if (expected && got && cJSON_Compare(expected, got, true))
        return false;
    difference->expected = shown(expected);
    difference->got = shown(got);
    return true;
}

/* The same one level deeper; the path stays as it was where nothing differs. */
static bool find_at(char *step, const cJSON *expected, const cJSON *got,
                    struct difference *difference)
{
    char *before = difference->path;

    difference->path = xprintf("%s%s%s", before, *before && *step != '[' ? "." : "", step);
    free(step);
    if (find(expected, got, difference)) {
        free(before);
        return true;
    }
    free(difference->path);
    difference->path = before;
    return false;
}

static bool find_in_array(const cJSON *expected, const cJSON *got, struct difference *difference)
{
    const cJSON *one = expected->child;
    const cJSON *other = got->child;

    for (int i = 0; one || other; i++) {
        if (find_at(xprintf("[%d]", i), one, other, difference))
            return true;
        one = one ? one->next : NULL;
        other = other ? other->next : NULL;
    }
    return false;
}

static bool find_in_object(const cJSON *expected, const cJSON *got, struct difference *difference)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, expected)
    {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(got, item->string);

        if (find_at(xstrdup(item->string), item, other, difference))
            return true;
    }
    cJSON_ArrayForEach(item, got)
    {
        if (!cJSON_GetObjectItemCaseSensitive(expected, item->string))
            return find_at(xstrdup(item->string), NULL, item, difference);
    }
    return false;
}

bool difference_find(const cJSON *expected, const cJSON *got, struct difference *difference)
{
    *difference = (struct difference){ .path = xstrdup("") };
    if (find(expected, got, difference))
        return true;
    difference_free(difference);
    return false;
}

void difference_free(struct difference *difference)
{
    free(difference->path);
    free(difference->expected);
    free(difference->got);
    *difference = (struct difference){ 0 };
}
