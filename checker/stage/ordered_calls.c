/* ordered_calls.c - see ordered_calls.h */
#include "ordered_calls.h"

#include "base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_text(cJSON *object, const char *name, const char *text)
{
    if (text)
        cJSON_AddStringToObject(object, name, text);
}

static void add_wide(cJSON *object, const char *name, int64_t number)
{
    auto_free char *text = xprintf("%" PRId64, number);

    cJSON_AddStringToObject(object, name, text);
}

static cJSON *event_json(const struct envelope *event)
{
    cJSON *json = cJSON_CreateObject();

    add_text(json, "event_id", event->event_id);
    add_text(json, "flow_id", event->flow_id);
    add_wide(json, "seq", event->seq);
    cJSON_AddNumberToObject(json, "schema", event->schema);
    add_text(json, "stage", event->stage);
    add_text(json, "payload", event->payload);
    return json;
}

char *event_text(const struct envelope *event)
{
    cJSON *json = event_json(event);
    char *text = cJSON_PrintUnformatted(json);

    cJSON_Delete(json);
    return text;
}

struct envelope event_read(const char *text)
{
    const cJSON *json = cJSON_Parse(text);
    const char *seq = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "seq"));
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(json, "schema");

    return (struct envelope){
        .event_id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "event_id")),
        .flow_id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "flow_id")),
        .seq = seq ? strtoll(seq, NULL, 10) : 0,
        .schema = cJSON_IsNumber(schema) ? schema->valueint : 0,
        .stage = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "stage")),
        .payload = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "payload")),
    };
}

static cJSON *command_json(const struct command *command)
{
    cJSON *json = cJSON_CreateObject();

    add_text(json, "event_id", command->event_id);
    add_text(json, "flow_id", command->flow_id);
    add_wide(json, "expected_seq", command->expected_seq);
    add_text(json, "stage", command->stage);
    add_wide(json, "quantity", command->quantity);
    cJSON_AddNumberToObject(json, "schema", command->schema);
    return json;
}

/* Begins a call; arguments, which is freed, is what the report shows between the brackets. */
static void begin(struct puppet *worker, const char *function, cJSON *order, char *arguments,
                  const struct how *how)
{
    auto_free char *mannered = how_text(how);
    auto_free char *shown = arguments;
    auto_free char *line = xprintf("%s(%.400s)%s", function, shown, mannered);

    call_begin(worker, order, line);
}

/* Adds the value, or nothing for NULL; the text that the report shows. */
static char *add_json(cJSON *order, const char *name, cJSON *json)
{
    char *text = json ? cJSON_PrintUnformatted(json) : xstrdup("NULL");

    if (json)
        cJSON_AddItemToObject(order, name, json);
    return text;
}

static const struct {
    const char *function;
    const char *points; /* in their order, a blank between two */
    int done;           /* the receipt of a call that reaches them */
} named[] = {
    { "advance", "after-flow after-outbox after-commit", RECEIPT_COMMITTED },
    { "receive_event", "after-inbox after-commit", RECEIPT_ACCEPTED },
    { "relay", "after-receive", -1 },
    { "apply_next", "after-projection after-effect after-applied after-commit", RECEIPT_APPLIED },
    { "drain", "after-projection after-effect after-applied after-commit", -1 },
    { "snapshot", "between-tables", 1 },
};

/* True where points is the beginning of the named ones, again and again where they repeat. */
static bool is_in_order(const char *points, const char *expected, bool repeat)
{
    size_t length = strlen(expected);

    while (repeat && length && strncmp(points, expected, length) == 0 && points[length] == ' ')
        points += length + 1;
    return strncmp(points, expected, strlen(points)) == 0 &&
           (!*points || expected[strlen(points)] == '\0' || expected[strlen(points)] == ' ');
}

/* [common.9], as far as one call shows it. */
static void judge_points(const struct answer *answer, const char *function)
{
    const char *expected = "";
    int done = -1;
    auto_free char *words = NULL;

    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (strcmp(named[i].function, function) == 0) {
            expected = named[i].points;
            done = named[i].done;
        }
    }
    words = xprintf("of the points \"%s\" each is called once, in this order", expected);
    if (!is_in_order(answer->points, expected, strcmp(function, "drain") == 0))
        stage_fail(FINDING_FAIL, "common.9", words, answer->points);
    if (*answer->points && !answer->killed && done >= 0 && answer->outcome.kind == OUTCOME_VALUE &&
        answer->outcome.code != done)
        stage_fail(FINDING_FAIL, "common.9", "no point is reached on a refusal", answer->points);
}

struct answer finish_call(struct puppet *worker, const char *function, const struct how *how)
{
    struct answer answer = call_finish(worker, how_directions(how));

    if (!how || !how->times)
        judge_points(&answer, function);
    return answer;
}

struct answer call_validate_envelope(struct puppet *worker, const struct envelope *event,
                                     const struct how *how)
{
    cJSON *order = how_order("validate_envelope", NULL, how);

    begin(worker, "validate_envelope", order,
          add_json(order, "event", event ? event_json(event) : NULL), how);
    return finish_call(worker, "validate_envelope", how);
}

void begin_open_side(struct puppet *worker, const char *path, const char *role, const char *as,
                     const struct how *how)
{
    cJSON *order = how_order("open_side", NULL, how);
    const char *slash = strrchr(path, '/');

    add_text(order, "path", path);
    add_text(order, "role", role);
    add_text(order, "as", as);
    begin(worker, "open_side", order,
          xprintf("\"%s\", %s", slash ? slash + 1 : path, role ? role : "NULL"), how);
}

struct answer call_open_side(struct puppet *worker, const char *path, const char *role,
                             const char *as, const struct how *how)
{
    begin_open_side(worker, path, role, as, how);
    return finish_call(worker, "open_side", how);
}

void begin_advance(struct puppet *worker, const struct command *command, const struct how *how)
{
    cJSON *order = how_order("advance", "producer", how);

    begin(worker, "advance", order,
          add_json(order, "command", command ? command_json(command) : NULL), how);
}

struct answer call_advance(struct puppet *worker, const struct command *command,
                           const struct how *how)
{
    begin_advance(worker, command, how);
    return finish_call(worker, "advance", how);
}

void begin_receive_event(struct puppet *worker, const struct envelope *event, const struct how *how)
{
    cJSON *order = how_order("receive_event", "consumer", how);

    begin(worker, "receive_event", order,
          add_json(order, "event", event ? event_json(event) : NULL), how);
}

struct answer call_receive_event(struct puppet *worker, const struct envelope *event,
                                 const struct how *how)
{
    begin_receive_event(worker, event, how);
    return finish_call(worker, "receive_event", how);
}

void begin_relay(struct puppet *worker, const char *event_id, const struct how *how)
{
    cJSON *order = how_order("relay", "producer", how);

    add_text(order, "event_id", event_id);
    if (how && how->to)
        add_text(order, "to", how->to);
    if (how && how->bare)
        cJSON_AddFalseToObject(order, "context");
    if (how && how->through)
        add_text(order, "through", how->through);
    begin(worker, "relay", order, xstrdup(event_id ? event_id : "NULL"), how);
}

struct answer call_relay(struct puppet *worker, const char *event_id, const struct how *how)
{
    begin_relay(worker, event_id, how);
    return finish_call(worker, "relay", how);
}

void begin_apply_next(struct puppet *worker, const char *flow_id, bool support_v2,
                      const struct how *how)
{
    cJSON *order = how_order("apply_next", "consumer", how);

    add_text(order, "flow_id", flow_id);
    cJSON_AddNumberToObject(order, "support_v2", support_v2);
    begin(worker, "apply_next", order, xprintf("%s%s", flow_id, support_v2 ? ", true" : ""), how);
}

struct answer call_apply_next(struct puppet *worker, const char *flow_id, bool support_v2,
                              const struct how *how)
{
    begin_apply_next(worker, flow_id, support_v2, how);
    return finish_call(worker, "apply_next", how);
}

struct answer call_drain(struct puppet *worker, const char *flow_id, int limit, bool support_v2,
                         const struct how *how)
{
    cJSON *order = how_order("drain", "consumer", how);

    add_text(order, "flow_id", flow_id);
    cJSON_AddNumberToObject(order, "limit", limit);
    cJSON_AddNumberToObject(order, "support_v2", support_v2);
    begin(worker, "drain", order,
          xprintf("%s, limit %d%s", flow_id, limit, support_v2 ? ", true" : ""), how);
    return finish_call(worker, "drain", how);
}

struct answer call_process_all(struct puppet *worker, int limit, bool support_v2,
                               const struct how *how)
{
    cJSON *order = how_order("process_all", "consumer", how);

    cJSON_AddNumberToObject(order, "limit", limit);
    cJSON_AddNumberToObject(order, "support_v2", support_v2);
    begin(worker, "process_all", order, xprintf("limit %d%s", limit, support_v2 ? ", true" : ""),
          how);
    return finish_call(worker, "process_all", how);
}

struct answer call_snapshot(struct puppet *worker, const char *on, const char *role,
                            const struct how *how)
{
    cJSON *order = how_order("snapshot", on, how);

    add_text(order, "role", role);
    begin(worker, "snapshot", order, xstrdup(role ? role : "NULL"), how);
    return finish_call(worker, "snapshot", how);
}

void expect_receipt_or_busy(struct answer answer, enum receipt receipt)
{
    if (answer.outcome.kind == OUTCOME_VALUE)
        expect_outcome(answer, outcome_value(receipt));
    else
        expect_sqlite(answer, SQLITE_BUSY);
    expect_points(answer, "");
}

int applied_of(struct answer answer)
{
    return said_number(answer.result, "applied");
}
