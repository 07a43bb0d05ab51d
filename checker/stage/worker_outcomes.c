/* worker_outcomes.c - which clause of worker.h says when a function comes to an outcome */
#include "expect.h"

#include <string.h>

#define ANY_CODE (-1)

static const struct meaning {
    const char *function;
    struct outcome outcome;
    const char *clause;
} meanings[] = {
    { "enqueue", { OUTCOME_INVALID, 0 }, "enqueue.1" },
    { "enqueue", { OUTCOME_VALUE, 1 }, "enqueue.2" },
    { "enqueue", { OUTCOME_VALUE, 0 }, "enqueue.4" },
    { "enqueue", { OUTCOME_CONFLICT, 0 }, "enqueue.5" },
    { "pending", { OUTCOME_INVALID, 0 }, "pending.1" },
    { "pending", { OUTCOME_VALUE, ANY_CODE }, "pending.2" },
    { "receive", { OUTCOME_INVALID, 0 }, "receive.1" },
    { "receive", { OUTCOME_VALUE, 1 }, "receive.2" },
    { "receive", { OUTCOME_VALUE, 0 }, "receive.4" },
    { "receive", { OUTCOME_CONFLICT, 0 }, "receive.5" },
    { "mark_sent", { OUTCOME_VALUE, 1 }, "mark_sent.2" },
    { "mark_sent", { OUTCOME_VALUE, 0 }, "mark_sent.3" },
    { "mark_sent", { OUTCOME_CONFLICT, 0 }, "mark_sent.5" },
    { "dispatch", { OUTCOME_INVALID, 0 }, "dispatch.1" },
    { "dispatch", { OUTCOME_VALUE, ANY_CODE }, "dispatch.2" },
    { "dispatch", { OUTCOME_CONFLICT, 0 }, "mark_sent.5" },
    { "dispatch", { OUTCOME_DELIVERY, 0 }, "dispatch.3" },
    { "send_http", { OUTCOME_VALUE, 1 }, "send_http.5" },
    { "send_http", { OUTCOME_DELIVERY, 0 }, "send_http.6" },
    { "send_http", { OUTCOME_HTTP, ANY_CODE }, "send_http.7" },
    { "send_http", { OUTCOME_CURL, ANY_CODE }, "send_http.8" },
};

const char *part_clause(const char *function, struct outcome outcome)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        const struct meaning *meaning = &meanings[i];

        if (strcmp(meaning->function, function) == 0 && meaning->outcome.kind == outcome.kind &&
            (meaning->outcome.code == ANY_CODE || meaning->outcome.code == outcome.code))
            return meaning->clause;
    }
    return NULL;
}

const char *part_store_clause(const char *slug)
{
    static const char *const clauses[][2] = {
        { "enqueue", "enqueue.2" },     { "pending", "pending.4" },   { "receive", "receive.2" },
        { "mark_sent", "mark_sent.2" }, { "dispatch", "dispatch.2" },
    };

    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (strcmp(clauses[i][0], slug) == 0)
            return clauses[i][1];
    return NULL;
}
