/* worker_commands.c - the commands of Part 1: each plays one function of worker.h */
#include "base.h"
#include "call.h"
#include "commands.h"
#include "event.h"
#include "heap.h"
#include "opening.h"
#include "result.h"
#include "trap.h"

#include "worker_commands.h"

#include <stdlib.h>
#include <string.h>

/* What a name may be that no object owns: two of them may be one literal. */
enum names { NAMES_ARE_MEMORY, NAMES_MAY_BE_LITERALS };

static bool share_name(const cJSON *one, const cJSON *other, enum names names)
{
    bool are_literals =
        names == NAMES_MAY_BE_LITERALS && (one->type & other->type & cJSON_StringIsConst) != 0;

    return one->string && one->string == other->string && !are_literals;
}

/* True where any address of one is an address of the other. */
static bool share_memory(const cJSON *one, const cJSON *other, enum names names)
{
    for (const cJSON *a = one; a; a = a->next) {
        if (a->child && share_memory(a->child, other, names))
            return true;
        for (const cJSON *b = other; b; b = b->next) {
            if (a == b || share_name(a, b, names) ||
                (a->valuestring && a->valuestring == b->valuestring))
                return true;
            if (b->child && share_memory(a, b->child, names))
                return true;
        }
    }
    return false;
}

/* Where it is not, that is a breach, and one of the two stays: it cannot be freed twice. */
static bool is_own_copy(const struct call *call, const cJSON *copy, const cJSON *event)
{
    bool shares = share_memory(copy, event, NAMES_ARE_MEMORY);

    if (shares)
        observation_add(call->breaches, "validate.5", "a copy that shares no memory with the event",
                        "the copy and the event share memory");
    return !shares;
}

static cJSON *kept; /* a result of an earlier call that is still alive */

static void play_validate_event(const cJSON *order, cJSON *answer)
{
    LEARNERS(validate_event);
    cJSON *event = event_make(cJSON_GetObjectItemCaseSensitive(order, "event"));
    char *before = observation_of_json(event);
    struct call call;
    struct outcome outcome;
    cJSON *copy = &result_untouched;

    call = call_begin(order, NULL, false);
    for (;;) {
        outcome = learners_validate_event(event, &copy);
        if (!call_again(&call))
            break;
        if (outcome.kind == OUTCOME_VALUE)
            cJSON_Delete(copy);
        copy = &result_untouched;
    }
    call_compare(&call, "event", before, observation_of_json(event));
    if (result_check(&call, outcome, copy, "validate.5")) {
        if (is_own_copy(&call, copy, event))
            cJSON_Delete(event);
        result_show(answer, "copy", copy);
        if (cJSON_GetObjectItemCaseSensitive(order, "keep"))
            kept = copy;
        else
            call_delete(copy);
    } else {
        cJSON_Delete(event);
    }
    call_end(&call, outcome, answer);
}

static void play_kept(const cJSON *order, cJSON *answer)
{
    (void)order;
    result_show(answer, "copy", kept);
    cJSON_Delete(kept);
    kept = NULL;
}

/* Each event of a list in turn, between the same two observations: quicker where there are many. */
static void play_validate_events(const cJSON *order, cJSON *answer)
{
    LEARNERS(validate_event);
    cJSON *outcomes = cJSON_AddArrayToObject(answer, "outcomes");
    struct call call = call_begin(order, NULL, false);
    struct outcome outcome = outcome_of(OUTCOME_TODO, 0);
    const cJSON *spec;

    heap_is_learners(false);
    cJSON_ArrayForEach(spec, cJSON_GetObjectItemCaseSensitive(order, "events"))
    {
        cJSON *event = event_make(spec);
        char *before = observation_of_json(event);
        cJSON *copy = &result_untouched;

        heap_is_learners(true);
        outcome = learners_validate_event(event, &copy);
        heap_is_learners(false);
        call_compare(&call, "event", before, observation_of_json(event));
        if (result_check(&call, outcome, copy, "validate.5") && is_own_copy(&call, copy, event))
            call_delete(copy);
        cJSON_Delete(event);
        cJSON_AddItemToArray(outcomes,
                             cJSON_CreateIntArray((int[]){ outcome.kind, outcome.code }, 2));
    }
    call_end(&call, outcome, answer);
}

static void play_open_store(const cJSON *order, cJSON *answer)
{
    LEARNERS(open_store);
    opening_play(order, answer, learners_open_store, "open_store.2", "open_store.7");
}

/* enqueue, receive and mark_sent differ only in what they are given. */
static void play_with_event(const cJSON *order, cJSON *answer,
                            struct outcome (*function)(sqlite3 *, const cJSON *,
                                                       const struct fault *))
{
    cJSON *event = event_make(cJSON_GetObjectItemCaseSensitive(order, "event"));
    char *before = observation_of_json(event);
    sqlite3 *con = order_connection(order);
    struct call call = call_begin(order, con, false);
    struct outcome outcome;

    trap_guard(event, before);
    do
        outcome = function(con, event, call_fault(order));
    while (call_again(&call));
    trap_guard(NULL, NULL);
    call_compare(&call, "event", before, observation_of_json(event));
    cJSON_Delete(event);
    call_end(&call, outcome, answer);
}

static void play_enqueue(const cJSON *order, cJSON *answer)
{
    LEARNERS(enqueue);
    play_with_event(order, answer, learners_enqueue);
}

static void play_receive(const cJSON *order, cJSON *answer)
{
    LEARNERS(receive);
    play_with_event(order, answer, learners_receive);
}

static struct outcome (*mark)(sqlite3 *, const cJSON *);

static struct outcome mark_without_fault(sqlite3 *con, const cJSON *event,
                                         const struct fault *fault)
{
    (void)fault;
    return mark(con, event);
}

static void play_mark_sent(const cJSON *order, cJSON *answer)
{
    LEARNERS(mark_sent);
    mark = learners_mark_sent;
    play_with_event(order, answer, mark_without_fault);
}

static void check_elements(struct call *call, const cJSON *events)
{
    const cJSON *event;

    if (!cJSON_IsArray(events)) {
        observation_add(call->breaches, "pending.2", "an array", "another JSON value");
        return;
    }
    cJSON_ArrayForEach(
        event, events) for (const cJSON *other = event->next; other;
                            other = other->next) if (share_memory(event->child, other->child,
                                                                  NAMES_MAY_BE_LITERALS))
    {
        observation_add(call->breaches, "pending.3", "each element is a new object",
                        "two elements share memory");
        return;
    }
}

static void play_pending(const cJSON *order, cJSON *answer)
{
    LEARNERS(pending);
    sqlite3 *con = order_connection(order);
    struct call call;
    struct outcome outcome;
    cJSON *events = &result_untouched;

    call = call_begin(order, con, false);
    for (;;) {
        outcome = learners_pending(con, order_number(order, "limit", 0), &events);
        if (!call_again(&call))
            break;
        if (outcome.kind == OUTCOME_VALUE)
            cJSON_Delete(events);
        events = &result_untouched;
    }
    if (result_check(&call, outcome, events, "pending.2")) {
        check_elements(&call, events);
        result_show(answer, "events", events);
        call_delete(events);
    }
    call_end(&call, outcome, answer);
}

const struct puppet_command part_commands[] = {
    { "validate_event", play_validate_event },
    { "validate_events", play_validate_events },
    { "kept", play_kept },
    { "open_store", play_open_store },
    { "enqueue", play_enqueue },
    { "pending", play_pending },
    { "receive", play_receive },
    { "mark_sent", play_mark_sent },
    { "dispatch", worker_play_dispatch },
    { "sender", worker_play_sender },
    { "send_http", worker_play_send_http },
    { NULL, NULL },
};
