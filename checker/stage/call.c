/* call.c - see call.h */
#include "call.h"

#include "base.h"
#include "diagnosis.h"
#include "stage.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
    [OUTCOME_VALUE] = "VALUE",       [OUTCOME_INVALID] = "INVALID", [OUTCOME_CONFLICT] = "CONFLICT",
    [OUTCOME_DELIVERY] = "DELIVERY", [OUTCOME_SQLITE] = "SQLITE",   [OUTCOME_CURL] = "CURL",
    [OUTCOME_HTTP] = "HTTP",         [OUTCOME_FAULT] = "FAULT",     [OUTCOME_TODO] = "TODO",
};

char *outcome_text(struct outcome outcome)
{
    size_t kind = (size_t)outcome.kind;

    if (kind >= sizeof kinds / sizeof *kinds)
        return xprintf("{ kind %d, which is none, %d }", (int)outcome.kind, outcome.code);
    if (outcome.kind == OUTCOME_SQLITE)
        return xprintf("{ SQLITE, %d (%s) }", outcome.code, sqlite3_errstr(outcome.code));
    return xprintf("{ %s, %d }", kinds[kind], outcome.code);
}

struct outcome call_go_on(const struct stop *stop)
{
    return outcome_value(stop->kind == STOP_SEND ? stop->usual : 0);
}

/* What is under way in each puppet; a check has few of them at once. */
struct pending {
    struct puppet *puppet;
    char function[64];
    int calls; /* of it, which the puppet makes by itself */
    int64_t started_ms;
    int64_t stopped_ms; /* of the time since then it waited for us */
    bool told_todo;     /* a hook or a sender answered OUTCOME_TODO, which is handed on */
};

#define PENDING_CALLS_MAX 16

static struct pending pendings[PENDING_CALLS_MAX];

static struct pending *pending_of(const struct puppet *puppet)
{
    for (int i = 0; i < PENDING_CALLS_MAX; i++)
        if (pendings[i].puppet == puppet)
            return &pendings[i];
    die("a check has too many calls under way, or finishes one that it did not begin");
}

void call_begin(struct puppet *puppet, cJSON *order, const char *line)
{
    struct pending *pending = pending_of(NULL);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(order, "events");
    const cJSON *times = cJSON_GetObjectItemCaseSensitive(order, "times");

    stage_did("%s", line);
    pending->puppet = puppet;
    pending->started_ms = clock_ms();
    pending->calls = cJSON_IsNumber(times) ? times->valueint
                     : events              ? cJSON_GetArraySize(events)
                                           : 1;
    snprintf(pending->function, sizeof pending->function, "%.*s", (int)strcspn(line, " ("), line);
    puppet_say(puppet, order);
}

int said_number(const cJSON *said, const char *name)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(said, name);

    return cJSON_IsNumber(number) ? number->valueint : -1;
}

struct outcome said_outcome(const cJSON *pair)
{
    const cJSON *kind = cJSON_GetArrayItem(pair, 0);
    const cJSON *code = cJSON_GetArrayItem(pair, 1);

    if (!cJSON_IsNumber(kind) || !cJSON_IsNumber(code))
        return outcome_of((enum outcome_kind) - 1, 0);
    return outcome_of((enum outcome_kind)kind->valueint, code->valueint);
}

static void reply(const struct stop *stop, struct outcome go)
{
    cJSON *order = cJSON_CreateObject();
    cJSON *pair = cJSON_AddArrayToObject(order, "go");

    cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)go.kind));
    cJSON_AddItemToArray(pair, cJSON_CreateNumber(go.code));
    if (stop->spoil)
        cJSON_AddStringToObject(order, "spoil", stop->spoil);
    puppet_say(stop->puppet, order);
}

static void note_stop(const struct stop *stop, struct outcome go)
{
    auto_free char *text = outcome_text(go);
    struct outcome usual = call_go_on(stop);

    if (puppet_was_killed(stop->puppet))
        stage_did("   SIGKILL at %s", stop->point);
    else if (go.kind != usual.kind || go.code != usual.code || stop->spoil)
        stage_did("   at %s: answered %s%s%s", stop->point, text,
                  stop->spoil ? ", and the copy was changed: " : "",
                  stop->spoil ? stop->spoil : "");
}

/* The kind of stop that a line is about; false where it is none. */
static bool read_stop(const cJSON *line, struct stop *stop)
{
    const char *by = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, "by"));
    const cJSON *usual = cJSON_GetObjectItemCaseSensitive(line, "usual");
    const cJSON *item;

    if ((item = cJSON_GetObjectItemCaseSensitive(line, "at"))) {
        stop->kind = STOP_FAULT;
        stop->point = cJSON_GetStringValue(item);
    } else if ((item = cJSON_GetObjectItemCaseSensitive(line, "send"))) {
        stop->kind = STOP_SEND;
        stop->point = by ? by : "the sender";
        stop->usual = cJSON_IsNumber(usual) ? usual->valueint : 1;
        stop->event = item;
    } else if ((item = cJSON_GetObjectItemCaseSensitive(line, "sent"))) {
        stop->kind = STOP_SENT;
        stop->point = by ? by : "the return of send_http";
        stop->outcome = said_outcome(item);
    } else if ((item = cJSON_GetObjectItemCaseSensitive(line, "operation"))) {
        stop->kind = STOP_STORAGE;
        stop->operation = item->valueint;
        stop->point = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, "what"));
    }
    return item != NULL && stop->point != NULL;
}

static void play_stop(struct pending *pending, struct answer *answer, struct stop *stop,
                      int counts[4], const struct directions *directions)
{
    struct outcome go;

    stop->count = ++counts[stop->kind];
    if (stop->kind == STOP_FAULT && strlen(answer->points) + strlen(stop->point) < 1000)
        snprintf(answer->points + strlen(answer->points), 1000 - strlen(answer->points), "%s%s",
                 answer->points[0] ? " " : "", stop->point);
    answer->sends = counts[STOP_SEND];
    go =
        directions && directions->at ? directions->at(directions->context, stop) : call_go_on(stop);
    note_stop(stop, go);
    pending->told_todo |= go.kind == OUTCOME_TODO;
    if (puppet_was_killed(stop->puppet))
        return;
    reply(stop, go);
    if (directions && directions->meanwhile)
        directions->meanwhile(directions->context, stop);
}

/* The common law, as the puppet saw it kept or broken. */
static void judge_breaches(const struct answer *answer)
{
    const cJSON *breaches = cJSON_GetObjectItemCaseSensitive(answer->result, "breaches");
    const cJSON *breach = cJSON_GetArrayItem(breaches, 0);
    auto_free char *outcome = outcome_text(answer->outcome);
    auto_free char *behind = xprintf(" (the call returned %s)", outcome);

    if (breach)
        diagnosis_fail_breach(breach, behind);
}

static void judge_result(struct answer *answer, const struct pending *pending)
{
    const char *function = pending->function;
    const cJSON *pair = cJSON_GetObjectItemCaseSensitive(answer->result, "answer");
    const cJSON *operations = cJSON_GetObjectItemCaseSensitive(answer->result, "operations");
    auto_free char *missing = xprintf("a function %s with the signature of the header", function);
    auto_free char *none =
        xprintf("the file has no function %s (is it spelled as in the header?)", function);

    if (cJSON_HasObjectItem(answer->result, "missing"))
        stage_fail(FINDING_TODO, NULL, missing, none);
    answer->outcome = said_outcome(pair);
    answer->operations = cJSON_IsNumber(operations) ? operations->valueint : 0;
    if (answer->outcome.kind == OUTCOME_TODO && !pending->told_todo) {
        auto_free char *got = xprintf("%s returns OUTCOME_TODO", function);

        stage_fail(FINDING_TODO, NULL, "the function is written", got);
    }
    judge_breaches(answer);
}

static int wait_ms(const struct pending *pending, const struct directions *directions,
                   bool is_later)
{
    int deadline_ms = directions && directions->deadline_ms ? directions->deadline_ms : CALL_MS;
    int64_t until_ms = pending->started_ms + pending->stopped_ms + stage_call_ms(deadline_ms);

    if (is_later)
        until_ms = pending->started_ms + directions->later_ms;
    return until_ms > clock_ms() ? (int)(until_ms - clock_ms()) : 0;
}

/*
 * The next line of the call, with directions->later called on the way; NULL where the puppet
 * was killed by us.  Ends the check where it died or is silent.
 */
static cJSON *hear(struct pending *pending, const struct directions *directions, bool *is_later)
{
    auto_free char *during = xprintf("in %s", pending->function);
    enum puppet_state state;
    cJSON *line;

    if (*is_later) {
        line = puppet_listen(pending->puppet, wait_ms(pending, directions, true), &state);
        if (line)
            return line;
        *is_later = false;
        if (state == PUPPET_SILENT)
            directions->later(directions->context);
    }
    line = puppet_listen(pending->puppet, wait_ms(pending, directions, false), &state);
    if (!line && puppet_was_killed(pending->puppet))
        return NULL;
    if (!line && state == PUPPET_SILENT)
        diagnosis_fail_hang(pending->puppet, pending->function, pending->calls,
                            (int)(clock_ms() - pending->started_ms));
    if (!line)
        diagnosis_fail(pending->puppet, during);
    return line;
}

struct answer call_finish(struct puppet *puppet, const struct directions *directions)
{
    struct pending *pending = pending_of(puppet);
    struct answer answer = { .killed = false };
    bool is_later = directions && directions->later;
    int counts[4] = { 0 };

    for (;;) {
        struct stop stop = { .puppet = puppet };
        int64_t heard_ms;

        answer.result = hear(pending, directions, &is_later);
        if (!answer.result || !read_stop(answer.result, &stop))
            break;
        heard_ms = clock_ms();
        play_stop(pending, &answer, &stop, counts, directions);
        pending->stopped_ms += clock_ms() - heard_ms;
        cJSON_Delete(answer.result);
    }
    answer.killed = !answer.result;
    answer.ms = clock_ms() - pending->started_ms;
    snprintf(answer.function, sizeof answer.function, "%.31s", pending->function);
    if (!answer.killed)
        judge_result(&answer, pending);
    *pending = (struct pending){ 0 };
    return answer;
}

cJSON *call_order(struct puppet *puppet, cJSON *order)
{
    enum puppet_state state;
    cJSON *answer;

    puppet_say(puppet, order);
    answer = puppet_listen(puppet, stage_ms(CALL_MS + 5000), &state);
    if (!answer && state == PUPPET_SILENT)
        diagnosis_fail_hang(puppet, "the checker's own order", 1, CALL_MS);
    if (!answer)
        diagnosis_fail(puppet, "between two calls");
    return answer;
}

const char *answer_text(struct answer answer, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer.result, name));

    return text ? text : "";
}
