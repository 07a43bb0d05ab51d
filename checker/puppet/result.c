/* result.c - see result.h */
#include "result.h"

#include "base.h"

#include <stdlib.h>

cJSON result_untouched;

/* cJSON_Compare looks at valuedouble alone, but who has the number may read valueint. */
static bool have_same_integers(const cJSON *one, const cJSON *other)
{
    for (; one && other; one = one->next, other = other->next)
        if ((cJSON_IsNumber(one) && one->valueint != other->valueint) ||
            !have_same_integers(one->child, other->child))
            return false;
    return true;
}

void result_show(cJSON *answer, const char *name, const cJSON *value)
{
    char *text = cJSON_PrintUnformatted(value);
    cJSON *read = text ? cJSON_Parse(text) : NULL;

    /* A raw item, or a number that is none, prints as something that it is not. */
    cJSON_AddStringToObject(answer, name,
                            cJSON_Compare(value, read, true) && have_same_integers(value, read)
                                ? text
                                : "(not what it prints as)");
    cJSON_Delete(read);
    cJSON_free(text);
}

bool result_check(struct call *call, struct outcome outcome, const cJSON *result,
                  const char *clause)
{
    if (outcome.kind == OUTCOME_TODO)
        return false;
    if (outcome.kind != OUTCOME_VALUE && result) {
        observation_add(call->breaches, "common.3", "on failure the pointer is set to NULL",
                        result == &result_untouched ? "it was not set" : "it points somewhere");
        return false;
    }
    if (call->counts_memory && !result)
        return false; /* where memory runs out what a call returns is free */
    if (outcome.kind == OUTCOME_VALUE && (!result || result == &result_untouched)) {
        observation_add(call->breaches, clause, "the pointer is set to what is returned",
                        result ? "it was not set" : "it is NULL");
        return false;
    }
    return outcome.kind == OUTCOME_VALUE;
}
