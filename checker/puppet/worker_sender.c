/* worker_sender.c - dispatch and send_http: what leaves the process */
#include "base.h"
#include "call.h"
#include "event.h"
#include "heap.h"
#include "result.h"
#include "sealed.h"
#include "trap.h"
#include "worker_commands.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

static struct outcome call_send_http(const cJSON *order, const cJSON *event, cJSON *answer)
{
    struct sealed url;
    struct outcome outcome;
    struct outcome (*function)(const char *, const cJSON *, double);

    *(void **)&function = commands_function("send_http", answer);
    if (!function)
        return outcome_of(OUTCOME_TODO, 0);
    url = sealed_copy(order_text(order, "url"));
    outcome = function(url.text, event, strtod(order_text(order, "timeout"), NULL));
    sealed_free(&url);
    return outcome;
}

/* What a careless sender does to the copy that it was given. */
static void spoil(cJSON *event, const char *how)
{
    cJSON *id = cJSON_GetObjectItemCaseSensitive(event, "id");

    if (!how)
        return;
    if (strcmp(how, "bytes") == 0 && cJSON_IsString(id))
        memset(id->valuestring, 'X', strlen(id->valuestring));
    if (strcmp(how, "qty") == 0)
        cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(event, "qty"), 999);
    if (strcmp(how, "empty") == 0)
        while (event->child)
            cJSON_Delete(cJSON_DetachItemViaPointer(event, event->child));
}

struct errand { /* the sender's context */
    const cJSON *order;
    cJSON *breaches;
    cJSON *answer;
};

static struct errand *errand; /* the one under way */
static const cJSON *manner;   /* the last order "sender": how it is from now on */

static bool is_without_context(void)
{
    return cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(manner, "context"));
}

static struct outcome acknowledge(void *context, cJSON *event)
{
    (void)context;
    (void)event;
    return outcome_value(1);
}

/* Gives the copy to the learner's own receive, or plays the learner's dispatch of another store. */
static struct outcome pass_on(const cJSON *event)
{
    const struct sender inner = { acknowledge, errand };
    const char *by = order_text(manner, "by");
    sqlite3 *con = order_connection(manner);
    void *function = commands_function(by, errand->answer);
    __typeof__(&receive) learners_receive;
    __typeof__(&dispatch) learners_dispatch;
    struct outcome result;

    if (!function)
        return outcome_of(OUTCOME_TODO, 0);
    *(void **)&learners_receive = *(void **)&learners_dispatch = function;
    heap_is_learners(true);
    if (strcmp(by, "receive") == 0)
        result = learners_receive(con, event, NULL);
    else
        result = learners_dispatch(con, &inner, DISPATCH_LIMIT, NULL);
    heap_is_learners(false);
    return result.kind == OUTCOME_VALUE ? outcome_value(1) : result;
}

/*
 * Asks with { "send": event }; the reply's "go" is what the sender returns, unless the order
 * has a "url": then the learner's send_http is asked, and { "sent": [kind, code] } comes before
 * it returns.
 */
static struct outcome deliver(void *context, cJSON *event)
{
    bool learners = heap_is_learners(false);
    cJSON *message = cJSON_CreateObject();
    struct outcome go;
    cJSON *reply;

    if (context != (is_without_context() ? NULL : errand))
        observation_add(errand->breaches, "common.6", "the sender gets its own context",
                        "another pointer");
    result_show(message, "send", event);
    reply = trap_ask(message, &go);
    if (order_text(errand->order, "url") && go.kind == OUTCOME_VALUE) {
        struct outcome sent;
        cJSON *pair;

        heap_is_learners(true);
        sent = call_send_http(errand->order, event, errand->answer);
        heap_is_learners(false);
        message = cJSON_CreateObject();
        pair = cJSON_AddArrayToObject(message, "sent");
        cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)sent.kind));
        cJSON_AddItemToArray(pair, cJSON_CreateNumber(sent.code));
        cJSON_Delete(reply);
        reply = trap_ask(message, &go);
        go = sent;
    }
    spoil(event, order_text(reply, "spoil"));
    if (order_text(manner, "on") && go.kind == OUTCOME_VALUE)
        go = pass_on(event);
    cJSON_Delete(reply);
    heap_is_learners(learners);
    return go;
}

void worker_play_sender(const cJSON *order, cJSON *answer)
{
    (void)answer;
    manner = cJSON_Duplicate(order, true);
}

void worker_play_dispatch(const cJSON *order, cJSON *answer)
{
    LEARNERS(dispatch);
    sqlite3 *con = order_connection(order);
    struct errand this_one = { order, NULL, answer };
    void *context = is_without_context() ? NULL : &this_one;
    struct sender sender; /* lent: what the call does to it is seen */
    bool is_kept = true;
    struct call call;
    struct outcome outcome;

    if (order_text(order, "url"))
        curl_global_init(CURL_GLOBAL_DEFAULT);
    call = call_begin(order, con, false);
    this_one.breaches = call.breaches;
    errand = &this_one;
    do {
        sender = (struct sender){ deliver, context };
        outcome =
            learners_dispatch(con, &sender, order_number(order, "limit", 0), call_fault(order));
        is_kept = is_kept && sender.send == deliver && sender.context == context;
    } while (call_again(&call));
    errand = NULL;
    call_expect_kept(&call, "sender", is_kept);
    call_end(&call, outcome, answer);
}

void worker_play_send_http(const cJSON *order, cJSON *answer)
{
    LEARNERS(send_http);
    cJSON *event = event_make(cJSON_GetObjectItemCaseSensitive(order, "event"));
    char *before = observation_of_json(event);
    const char *url = order_text(order, "url");
    char *url_before = xstrdup(url ? url : "");
    struct outcome outcome;
    struct call call;

    (void)learners_send_http;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    call = call_begin(order, NULL, false);
    do
        outcome = call_send_http(order, event, answer);
    while (call_again(&call));
    call_compare(&call, "event", before, observation_of_json(event));
    call_compare(&call, "url", url_before, xstrdup(url ? url : ""));
    cJSON_Delete(event);
    call_end(&call, outcome, answer);
}
