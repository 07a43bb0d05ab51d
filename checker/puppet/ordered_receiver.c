/* ordered_receiver.c - relay, and the receiver that it is given */
#include "ordered_commands.h"

#include "base.h"
#include "call.h"
#include "heap.h"
#include "result.h"
#include "trap.h"

struct errand { /* the receiver's context */
    const cJSON *order;
    cJSON *breaches;
    cJSON *answer;
};

static struct errand *errand; /* the one under way */
static void *own;             /* the context that the receiver is lent: it, or NULL */

/* The connection that the order names so. */
static sqlite3 *connection_named(const char *name)
{
    cJSON *on = cJSON_CreateObject();
    sqlite3 *con;

    cJSON_AddStringToObject(on, "on", order_text(errand->order, name));
    con = order_connection(on);
    cJSON_Delete(on);
    return con;
}

static struct outcome accept(void *context, const struct envelope *event)
{
    (void)context;
    (void)event;
    return outcome_value(RECEIPT_ACCEPTED);
}

/* The learner's own relay of another store, in the middle of this one. */
static struct outcome pass_on(void)
{
    const struct receiver inner = { accept, errand };
    sqlite3 *con = connection_named("through");
    __typeof__(&relay) learners_relay;
    struct outcome outcome;

    *(void **)&learners_relay = commands_function("relay", errand->answer);
    if (!learners_relay)
        return outcome_of(OUTCOME_TODO, 0);
    heap_is_learners(true);
    outcome = learners_relay(con, NULL, &inner, NULL);
    heap_is_learners(false);
    return outcome;
}

/* The learner's own receive_event, on the connection that the order names as "to". */
static struct outcome hand_over(const struct envelope *event)
{
    struct outcome (*receive)(sqlite3 *, const struct envelope *, const struct fault *);
    sqlite3 *con = connection_named("to");
    struct outcome outcome;

    *(void **)&receive = commands_function("receive_event", errand->answer);
    if (!receive)
        return outcome_of(OUTCOME_TODO, 0);
    heap_is_learners(true);
    outcome = receive(con, event, NULL);
    heap_is_learners(false);
    return outcome;
}

/*
 * Asks with { "send": event }; the reply's "go" is what the receiver returns, unless the order
 * has a "to": then the learner's receive_event is asked, and { "sent": [kind, code] } comes
 * before it returns; or a "through".
 */
static struct outcome receive(void *context, const struct envelope *event)
{
    bool learners = heap_is_learners(false);
    cJSON *message = cJSON_CreateObject();
    cJSON *json = event ? ordered_json(event) : cJSON_CreateNull();
    struct outcome go;

    if (context != own)
        observation_add(errand->breaches, "common.6", "the receiver gets its own context",
                        "another pointer");
    result_show(message, "send", json);
    cJSON_Delete(json);
    cJSON_AddStringToObject(message, "by", "the receiver");
    cJSON_AddNumberToObject(message, "usual", RECEIPT_ACCEPTED);
    cJSON_Delete(trap_ask(message, &go));
    if (event && order_text(errand->order, "to") && go.kind == OUTCOME_VALUE) {
        struct outcome sent = hand_over(event);

        message = cJSON_CreateObject();
        cJSON_AddItemToObject(message, "sent",
                              cJSON_CreateIntArray((int[]){ (int)sent.kind, sent.code }, 2));
        cJSON_AddStringToObject(message, "by", "the return of receive_event");
        cJSON_Delete(trap_ask(message, &go));
        go = sent;
    }
    if (order_text(errand->order, "through") && go.kind == OUTCOME_VALUE)
        go = pass_on();
    heap_is_learners(learners);
    return go;
}

void ordered_play_relay(const cJSON *order, cJSON *answer)
{
    LEARNERS(relay);
    const char *event_id = order_text(order, "event_id");
    char *before = xstrdup(event_id ? event_id : "");
    sqlite3 *con = order_connection(order);
    struct errand this_one = { order, NULL, answer };
    struct receiver receiver; /* lent: what the call does to it is seen */
    bool is_kept = true;
    struct call call = call_begin(order, con, false);
    struct outcome outcome;

    this_one.breaches = call.breaches;
    errand = &this_one;
    own = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(order, "context")) ? NULL : errand;
    do {
        receiver = (struct receiver){ receive, own };
        outcome = learners_relay(con, event_id, &receiver, call_fault(order));
        is_kept = is_kept && receiver.receive == receive && receiver.context == own;
    } while (call_again(&call));
    errand = NULL;
    call_expect_kept(&call, "receiver", is_kept);
    call_compare(&call, "event_id", before, xstrdup(event_id ? event_id : ""));
    call_end(&call, outcome, answer);
}
