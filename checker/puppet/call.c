/* call.c - see call.h */
#include "call.h"

#include "base.h"
#include "commands.h"
#include "heap.h"
#include "storage.h"
#include "trap.h"

#include <stdlib.h>
#include <string.h>

struct call call_begin(const cJSON *order, sqlite3 *con, bool may_open)
{
    const cJSON *storage = cJSON_GetObjectItemCaseSensitive(order, "storage");
    struct call call = {
        .con = con,
        .may_open = may_open,
        .counts_storage = storage != NULL,
        .counts_memory = order_number(order, "memory", 0) != 0,
        .times = order_number(order, "times", 1),
        .breaches = cJSON_CreateArray(),
    };

    trap_watch(call.breaches);
    borrow_lend(con);
    call.before = observation_take(con);
    if (storage)
        storage_arm(order_number(storage, "at", 0), order_number(storage, "code", 0),
                    order_number(storage, "reads", 0) != 0, trap_storage);
    heap_before(con);
    heap_fail_at(order_number(order, "memory", 0));
    heap_is_learners(true);
    return call;
}

bool call_again(struct call *call)
{
    int warm = call->times / 3;
    size_t grown;

    heap_is_learners(false);
    trap_take_back();
    call->done++;
    if (call->done == warm)
        call->heap_bytes = observation_heap_bytes();
    if (call->done < call->times) {
        heap_is_learners(true);
        return true;
    }
    grown = observation_heap_bytes() - call->heap_bytes;
    if (warm > 0 && observation_sees_addresses() && grown < SIZE_MAX / 2 &&
        grown >= (size_t)(call->times - warm) * 8) {
        auto_free char *got =
            xprintf("%zu bytes more after %d calls more of the same", grown, call->times - warm);

        observation_add(call->breaches, "common.3", "what a call acquires it releases", got);
    }
    return false;
}

/* A ROLLBACK without memory leaves its transaction open, for which the learner is not at fault. */
static void take_back_denied(sqlite3 *con)
{
    if (con && heap_denied_rollback() && !sqlite3_get_autocommit(con))
        sqlite3_exec(con, "ROLLBACK", NULL, NULL, NULL);
}

void call_end(struct call *call, struct outcome outcome, cJSON *answer)
{
    cJSON *pair = cJSON_AddArrayToObject(answer, "answer");
    cJSON *seen;

    heap_is_learners(false);
    if (call->counts_memory)
        cJSON_AddNumberToObject(answer, "operations", heap_allocations());
    take_back_denied(call->con);
    heap_fail_at(0);
    heap_after(call->con, call->may_open && call->con);
    if (call->counts_storage)
        cJSON_AddNumberToObject(answer, "operations", storage_disarm());
    seen = observation_compare(&call->before, call->con, call->may_open);
    borrow_lend(NULL);
    trap_watch(NULL);
    while (cJSON_GetArraySize(seen))
        cJSON_AddItemToArray(call->breaches, cJSON_DetachItemFromArray(seen, 0));
    cJSON_Delete(seen);
    cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)outcome.kind));
    cJSON_AddItemToArray(pair, cJSON_CreateNumber(outcome.code));
    cJSON_AddItemToObject(answer, "breaches", call->breaches);
}

const struct fault *call_fault(const cJSON *order)
{
    const cJSON *fault = cJSON_GetObjectItemCaseSensitive(order, "fault");

    return cJSON_IsFalse(fault) ? NULL : trap_fault(!cJSON_IsNull(fault));
}

void call_expect_kept(struct call *call, const char *name, bool is_kept)
{
    if (!is_kept) {
        auto_free char *expected = xprintf("the %s that was passed stays as it was", name);

        observation_add(call->breaches, "common.5", expected, "the call changed it");
    }
}

void call_compare(struct call *call, const char *name, char *before, char *now)
{
    call_expect_kept(call, name, strcmp(before, now) == 0);
    free(before);
    free(now);
}

void call_delete(cJSON *result)
{
    heap_is_learners(true);
    cJSON_Delete(result);
    heap_is_learners(false);
}
