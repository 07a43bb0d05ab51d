/* ordered_commands.c - the commands of Part 2: each plays one function of ordered.h */
#include "ordered_commands.h"

#include "base.h"
#include "call.h"
#include "opening.h"

#include <inttypes.h>
#include <stdlib.h>

int64_t ordered_number(const cJSON *order, const char *name)
{
    const char *text = order_text(order, name);

    return text ? strtoll(text, NULL, 10) : 0;
}

static const struct envelope *read_envelope(const cJSON *spec, struct envelope *event)
{
    if (!cJSON_IsObject(spec))
        return NULL;
    *event = (struct envelope){
        .event_id = order_text(spec, "event_id"),
        .flow_id = order_text(spec, "flow_id"),
        .seq = ordered_number(spec, "seq"),
        .schema = order_number(spec, "schema", 0),
        .stage = order_text(spec, "stage"),
        .payload = order_text(spec, "payload"),
    };
    return event;
}

const struct envelope *ordered_envelope(const cJSON *order)
{
    static struct envelope event;

    return read_envelope(cJSON_GetObjectItemCaseSensitive(order, "event"), &event);
}

static void add_text(cJSON *object, const char *name, const char *text)
{
    if (text)
        cJSON_AddStringToObject(object, name, text);
}

cJSON *ordered_json(const struct envelope *event)
{
    cJSON *object = cJSON_CreateObject();
    auto_free char *seq = xprintf("%" PRId64, event->seq);

    add_text(object, "event_id", event->event_id);
    add_text(object, "flow_id", event->flow_id);
    add_text(object, "seq", seq);
    cJSON_AddNumberToObject(object, "schema", event->schema);
    add_text(object, "stage", event->stage);
    add_text(object, "payload", event->payload);
    return object;
}

/* Addresses and texts, to see whether a call changed any of them; the caller frees it. */
static char *describe_envelope(const struct envelope *event)
{
    if (!event)
        return xstrdup("");
    return xprintf("%p %s %p %s %" PRId64 " %d %p %s %p %s", (const void *)event->event_id,
                   event->event_id ? event->event_id : "", (const void *)event->flow_id,
                   event->flow_id ? event->flow_id : "", event->seq, event->schema,
                   (const void *)event->stage, event->stage ? event->stage : "",
                   (const void *)event->payload, event->payload ? event->payload : "");
}

static void play_validate_envelope(const cJSON *order, cJSON *answer)
{
    LEARNERS(validate_envelope);
    const struct envelope *event = ordered_envelope(order);
    char *before = describe_envelope(event);
    struct call call = call_begin(order, NULL, false);
    struct outcome outcome;

    do
        outcome = learners_validate_envelope(event);
    while (call_again(&call));
    call_compare(&call, "event", before, describe_envelope(event));
    call_end(&call, outcome, answer);
}

static void play_open_side(const cJSON *order, cJSON *answer)
{
    LEARNERS(open_side);
    opening_play(order, answer, learners_open_side, "open_side.2", "open_side.4");
}

static char *describe_command(const struct command *command)
{
    if (!command)
        return xstrdup("");
    return xprintf("%p %s %p %s %" PRId64 " %p %s %" PRId64 " %d", (const void *)command->event_id,
                   command->event_id ? command->event_id : "", (const void *)command->flow_id,
                   command->flow_id ? command->flow_id : "", command->expected_seq,
                   (const void *)command->stage, command->stage ? command->stage : "",
                   command->quantity, command->schema);
}

static void play_advance(const cJSON *order, cJSON *answer)
{
    LEARNERS(advance);
    const cJSON *spec = cJSON_GetObjectItemCaseSensitive(order, "command");
    struct command whole = {
        .event_id = order_text(spec, "event_id"),
        .flow_id = order_text(spec, "flow_id"),
        .expected_seq = ordered_number(spec, "expected_seq"),
        .stage = order_text(spec, "stage"),
        .quantity = ordered_number(spec, "quantity"),
        .schema = order_number(spec, "schema", 0),
    };
    const struct command *command = cJSON_IsObject(spec) ? &whole : NULL;
    char *before = describe_command(command);
    sqlite3 *con = order_connection(order);
    struct call call = call_begin(order, con, false);
    struct outcome outcome;

    do
        outcome = learners_advance(con, command, call_fault(order));
    while (call_again(&call));
    call_compare(&call, "command", before, describe_command(command));
    call_end(&call, outcome, answer);
}

static void play_receive_event(const cJSON *order, cJSON *answer)
{
    LEARNERS(receive_event);
    const struct envelope *event = ordered_envelope(order);
    char *before = describe_envelope(event);
    sqlite3 *con = order_connection(order);
    struct call call = call_begin(order, con, false);
    struct outcome outcome;

    do
        outcome = learners_receive_event(con, event, call_fault(order));
    while (call_again(&call));
    call_compare(&call, "event", before, describe_envelope(event));
    call_end(&call, outcome, answer);
}

static void play_apply_next(const cJSON *order, cJSON *answer)
{
    LEARNERS(apply_next);
    const char *flow_id = order_text(order, "flow_id");
    char *before = xstrdup(flow_id);
    sqlite3 *con = order_connection(order);
    struct call call = call_begin(order, con, false);
    struct outcome outcome;

    do
        outcome = learners_apply_next(con, flow_id, order_number(order, "support_v2", 0) != 0,
                                      call_fault(order));
    while (call_again(&call));
    call_compare(&call, "flow_id", before, xstrdup(flow_id));
    call_end(&call, outcome, answer);
}

const struct puppet_command part_commands[] = {
    { "validate_envelope", play_validate_envelope },
    { "open_side", play_open_side },
    { "advance", play_advance },
    { "receive_event", play_receive_event },
    { "relay", ordered_play_relay },
    { "apply_next", play_apply_next },
    { "drain", ordered_play_drain },
    { "process_all", ordered_play_process_all },
    { "snapshot", ordered_play_snapshot },
    { NULL, NULL },
};
