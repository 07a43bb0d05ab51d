/* ordered_scene.c - see ordered_scene.h */
#include "ordered_scene.h"

#include "base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define QUANTITY 7
#define RACERS   8
#define LOST     110 /* ETIMEDOUT: what the receiver says where nobody answers */
#define RACE_MS  8000

/* --- receipts -------------------------------------------------------------------------- */

static char *receipt_text(struct outcome outcome)
{
    static const char *const names[] = {
        [RECEIPT_IDLE] = "IDLE",
        [RECEIPT_COMMITTED] = "COMMITTED",
        [RECEIPT_DUPLICATE] = "DUPLICATE",
        [RECEIPT_CONFLICT] = "CONFLICT",
        [RECEIPT_STALE] = "STALE",
        [RECEIPT_INVALID_TRANSITION] = "INVALID_TRANSITION",
        [RECEIPT_ACCEPTED] = "ACCEPTED",
        [RECEIPT_APPLIED] = "APPLIED",
        [RECEIPT_GAP] = "GAP",
        [RECEIPT_BLOCKED] = "BLOCKED",
        [RECEIPT_LIMIT] = "LIMIT",
    };

    if (outcome.kind != OUTCOME_VALUE || outcome.code < 0 ||
        outcome.code >= (int)(sizeof names / sizeof *names))
        return outcome_text(outcome);
    return xstrdup(names[outcome.code]);
}

/* --- the sides ------------------------------------------------------------------------- */

static struct puppet *start(const char *role)
{
    auto_free char *path = store_path(role);
    struct puppet *worker = puppet_start();

    expect_outcome(call_open_side(worker, path, role, role, NULL), outcome_value(1));
    return worker;
}

struct sides sides_open(void)
{
    return (struct sides){
        .producer = start("producer"),
        .consumer = start("consumer"),
        .producers = 1,
        .consumers = 1,
    };
}

void sides_kill(struct sides *sides, const char *function, const char *point)
{
    sides->kill_in = function;
    sides->kill_at = point;
}

struct command sides_move(const char *event_id, const char *flow_id, int64_t expected_seq)
{
    struct command command = move_of(flow_id, expected_seq, QUANTITY);

    command.event_id = event_id;
    return command;
}

struct envelope sides_event(const char *event_id, const char *flow_id, int64_t seq)
{
    struct envelope event = event_of(flow_id, seq, QUANTITY);

    event.event_id = event_id;
    return event;
}

/* --- one call -------------------------------------------------------------------------- */

/* A call under way. */
struct passage {
    struct sides *sides;
    const char *function;
    bool is_producers;
};

static struct outcome pass(void *context, struct stop *stop)
{
    struct passage *passage = context;
    struct sides *sides = passage->sides;
    struct envelope event;
    struct answer answer;

    if (stop->kind == STOP_FAULT && sides->kill_in &&
        strcmp(sides->kill_in, passage->function) == 0 && strcmp(sides->kill_at, stop->point) == 0)
        puppet_kill(stop->puppet);
    if (stop->kind != STOP_SEND)
        return call_go_on(stop);
    event = event_read(cJSON_GetStringValue(stop->event));
    answer = sides_receive(sides, &event);
    return answer.killed ? outcome_of(OUTCOME_FAULT, LOST) : answer.outcome;
}

static struct how way_of(struct passage *passage)
{
    return (struct how){ .directions = { .at = pass, .context = passage } };
}

/* The step of a call that is over; where its process is dead the next one is started. */
static cJSON *note(const struct passage *passage, const char *does, struct answer answer)
{
    struct sides *sides = passage->sides;
    int number = passage->is_producers ? sides->producers : sides->consumers;
    auto_free char *process =
        xprintf("%s %d", passage->is_producers ? "producer" : "consumer", number);
    auto_free char *receipt = receipt_text(answer.outcome);
    cJSON *step = scene_step(process, does);

    if (!answer.killed) {
        cJSON_AddStringToObject(step, "receipt", receipt);
        return step;
    }
    cJSON_AddStringToObject(step, "killed_at", sides->kill_at);
    sides->kill_in = NULL;
    if (passage->is_producers) {
        sides->producer = start("producer");
        sides->producers++;
    } else {
        sides->consumer = start("consumer");
        sides->consumers++;
    }
    return step;
}

void sides_advance(struct sides *sides, const struct command *command)
{
    struct passage passage = { sides, "advance", true };
    struct how how = way_of(&passage);
    auto_free char *does =
        xprintf("advance %s: %s from %" PRId64 " to %s, quantity %" PRId64 ", schema %d",
                command->event_id, command->flow_id, command->expected_seq, command->stage,
                command->quantity, command->schema);

    note(&passage, does, call_advance(sides->producer, command, &how));
}

struct answer sides_receive(struct sides *sides, const struct envelope *event)
{
    struct passage passage = { sides, "receive_event", false };
    struct how how = way_of(&passage);
    auto_free char *does =
        xprintf("receive_event %.200s: %.200s seq %" PRId64 ", %.200s, schema %d, %.200s",
                sides_name(sides, event->event_id), event->flow_id, event->seq, event->stage,
                event->schema, event->payload);
    struct answer answer = call_receive_event(sides->consumer, event, &how);

    note(&passage, does, answer);
    return answer;
}

void sides_relay(struct sides *sides, const char *event_id)
{
    struct passage passage = { sides, "relay", true };
    struct how how = way_of(&passage);
    auto_free char *does = xprintf("relay %s", event_id ? event_id : "the oldest");

    note(&passage, does, call_relay(sides->producer, event_id, &how));
}

void sides_apply(struct sides *sides, const char *flow_id, bool support_v2)
{
    struct passage passage = { sides, "apply_next", false };
    struct how how = way_of(&passage);
    auto_free char *does =
        xprintf("apply_next %s%s", flow_id, support_v2 ? ", with support_v2" : "");

    note(&passage, does, call_apply_next(sides->consumer, flow_id, support_v2, &how));
}

void sides_drain(struct sides *sides, const char *flow_id, int limit)
{
    struct passage passage = { sides, "drain", false };
    struct how how = way_of(&passage);
    auto_free char *does = xprintf("drain %s, limit %d", flow_id, limit);
    struct answer answer = call_drain(sides->consumer, flow_id, limit, false, &how);
    cJSON *step = note(&passage, does, answer);

    cJSON_AddNumberToObject(step, "applied", applied_of(answer));
}

/* The report's entries in one order of members, whatever the learner's is. */
static cJSON *read_report(const char *text)
{
    static const char *const members[] = { "flow_id", "applied", "stop", "reason" };
    cJSON *report = cJSON_CreateArray();
    const cJSON *entry;

    cJSON_ArrayForEach(entry, cJSON_Parse(text))
    {
        cJSON *copy = cJSON_CreateObject();

        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            cJSON_AddItemToObject(
                copy, members[i],
                cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(entry, members[i]), true));
        cJSON_AddItemToArray(report, copy);
    }
    return report;
}

void sides_process_all(struct sides *sides, int limit)
{
    struct passage passage = { sides, "process_all", false };
    struct how how = way_of(&passage);
    auto_free char *does = xprintf("process_all, limit %d", limit);
    struct answer answer = call_process_all(sides->consumer, limit, false, &how);
    auto_free char *receipt = outcome_text(answer.outcome);
    cJSON *step = note(&passage, does, answer);

    /* Its value is a count and no receipt. */
    cJSON_ReplaceItemInObjectCaseSensitive(step, "receipt", cJSON_CreateString(receipt));
    cJSON_AddItemToObject(step, "report", read_report(answer_text(answer, "report")));
}

/* --- what is no single call ------------------------------------------------------------ */

static int compare(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* { "COMMITTED": 1, ... }, by name, so that it does not tell who came first. */
static cJSON *count_receipts(char **receipts, int count)
{
    cJSON *counts = cJSON_CreateObject();

    qsort(receipts, (size_t)count, sizeof *receipts, compare);
    for (int i = 0, from = 0; i < count; i++) {
        if (i + 1 < count && strcmp(receipts[i], receipts[i + 1]) == 0)
            continue;
        cJSON_AddNumberToObject(counts, receipts[i], i + 1 - from);
        from = i + 1;
    }
    return counts;
}

/* Who comes first is chance; how many get which receipt is not. */
void sides_race(struct sides *sides, const char *flow_id, const char *const *event_ids, int count)
{
    struct how how = { .no_hook = true, .directions.deadline_ms = RACE_MS };
    struct puppet *workers[RACERS];
    struct puppet *gate = hand_open("producer");
    auto_free char *does = xprintf("%d processes advance %s from 0 at once, each by an event_id of "
                                   "its own",
                                   count, flow_id);
    char *receipts[RACERS];
    char *winner;

    for (int i = 0; i < count; i++)
        workers[i] = start("producer");
    hand_do(gate, "BEGIN IMMEDIATE");
    for (int i = 0; i < count; i++) {
        struct command command = sides_move(event_ids[i], flow_id, 0);

        begin_advance(workers[i], &command, &how);
    }
    hand_do(gate, "ROLLBACK");
    for (int i = 0; i < count; i++) {
        struct answer answer = finish_call(workers[i], "advance", &how);

        receipts[i] = receipt_text(answer.outcome);
    }
    winner = store_rows("producer", "SELECT event_id FROM outbox ORDER BY position LIMIT 1");
    winner[strcspn(winner, "\n")] = '\0';
    sides->masked = winner;
    sides->masked_name = "(the winner's)";
    cJSON_AddItemToObject(scene_step("producers", does), "receipts",
                          count_receipts(receipts, count));
}

void sides_write_and_die(const char *sql, const char *does)
{
    struct puppet *hand = hand_open("producer");

    hand_do(hand, sql);
    stage_did("(a process of the checker's: %s SIGKILL)", sql);
    puppet_kill(hand);
    cJSON_AddStringToObject(scene_step("the unsafe writer", does), "killed_at",
                            "between-the-writes");
}
