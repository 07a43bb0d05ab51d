/* Step 16: steps/ordered/16-snapshot.md - the whole: two sides, any order, copies and kills */
#include "base.h"
#include "ordered_calls.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS 3

static const int orders[6][EVENTS] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                       { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

/* Two sides, and what is to be killed on the way. */
struct world {
    const char *producer_store;
    const char *consumer_store;
    struct puppet *producer;
    struct puppet *consumer;
    struct command commands[EVENTS];
    int kill_in; /* the process is killed at the so-many-th point from now; 0: not */
    bool kills;
};

/* Whether the process is to die at this stop, and how long the next one lives. */
static bool is_time(struct world *world)
{
    if (!world->kills || --world->kill_in > 0)
        return false;
    world->kill_in = 1 + (int)(stage_random() % 6);
    return true;
}

static struct outcome perhaps_kill(void *context, struct stop *stop)
{
    if (is_time(context))
        puppet_kill(stop->puppet);
    return call_go_on(stop);
}

/* The calls of one side again and again in new processes until one comes back. */
static struct answer advance_at_last(struct world *world, const struct command *command)
{
    struct how how = { .directions = { .at = perhaps_kill, .context = world },
                       .on = world->producer_store };
    struct answer answer = call_advance(world->producer, command, &how);

    while (answer.killed) {
        world->producer = worker_at(world->producer_store, 1000);
        answer = call_advance(world->producer, command, &how);
    }
    return answer;
}

static struct answer drain_at_last(struct world *world, const char *flow)
{
    struct how how = { .directions = { .at = perhaps_kill, .context = world },
                       .on = world->consumer_store };
    struct answer answer = call_drain(world->consumer, flow, 10, true, &how);

    while (answer.killed) {
        world->consumer = worker_at(world->consumer_store, 1000);
        answer = call_drain(world->consumer, flow, 10, true, &how);
    }
    return answer;
}

/* The other side: what was killed there has given no receipt. */
static struct outcome hand_over(void *context, struct stop *stop)
{
    struct world *world = context;
    struct how how = { .directions = { .at = perhaps_kill, .context = world },
                       .on = world->consumer_store };
    struct envelope event;
    struct answer answer;

    if (stop->kind != STOP_SEND)
        return perhaps_kill(context, stop);
    event = event_read(cJSON_GetStringValue(stop->event));
    answer = call_receive_event(world->consumer, &event, &how);
    if (answer.killed) {
        world->consumer = worker_at(world->consumer_store, 1000);
        return outcome_of(OUTCOME_FAULT, 110);
    }
    if (is_time(world))
        puppet_kill(stop->puppet);
    return answer.outcome;
}

static struct answer relay_once(struct world *world, const char *event_id)
{
    struct how how = { .directions = { .at = hand_over, .context = world },
                       .on = world->producer_store };
    struct answer answer = call_relay(world->producer, event_id, &how);

    if (answer.killed)
        world->producer = worker_at(world->producer_store, 1000);
    return answer;
}

/* Until the event is accepted. */
static void relay_at_last(struct world *world, const char *event_id)
{
    struct answer answer;

    do
        answer = relay_once(world, event_id);
    while (answer.killed || answer.outcome.kind == OUTCOME_FAULT);
    expect(answer.outcome.kind == OUTCOME_VALUE &&
               (answer.outcome.code == RECEIPT_ACCEPTED ||
                answer.outcome.code == RECEIPT_DUPLICATE || answer.outcome.code == RECEIPT_IDLE),
           "ACCEPTED, DUPLICATE or IDLE", "kind %d, code %d", (int)answer.outcome.kind,
           answer.outcome.code);
}

static struct world make_world(int number, bool kills)
{
    struct world world = { .producer_store = xprintf("producer%d", number),
                           .consumer_store = xprintf("consumer%d", number),
                           .kill_in = 1 + (int)(stage_random() % 6),
                           .kills = kills };
    const char *flow = a_name();
    int64_t quantity = a_quantity();

    for (int i = 0; i < EVENTS; i++) {
        world.commands[i] = move_of(flow, i, quantity);
        world.commands[i].schema = 1 + i % 2;
    }
    side_make("producer", world.producer_store, "");
    side_make("consumer", world.consumer_store, "");
    world.producer = worker_at(world.producer_store, 1000);
    world.consumer = worker_at(world.consumer_store, 1000);
    return world;
}

/* As if each event had come once and in order; the inbox is in the order of their arrival. */
static void expect_in_order(const struct world *world)
{
    const struct command *last = &world->commands[EVENTS - 1];
    struct text effects = { 0 };

    for (int i = 0; i < EVENTS; i++) {
        const struct command *command = &world->commands[i];

        text_add(&effects, "%s|%s|%d|%s|%lld\n", command->event_id, command->flow_id, i + 1,
                 command->stage, (long long)command->quantity);
    }
    expect_same("effects", store_rows(world->consumer_store, "SELECT * FROM effect ORDER BY seq"),
                effects.data);
    expect_same("projection", store_rows(world->consumer_store, "SELECT * FROM projection"),
                xprintf("%s|released|%d|%lld\n", last->flow_id, EVENTS, (long long)last->quantity));
    expect_same("inbox: how many, and how many of them applied",
                store_rows(world->consumer_store, "SELECT count(*), sum(applied) FROM inbox"),
                xprintf("%d|%d\n", EVENTS, EVENTS));
    expect_same("outbox: how many, and how many of them accepted",
                store_rows(world->producer_store, "SELECT count(*), sum(accepted) FROM outbox"),
                xprintf("%d|%d\n", EVENTS, EVENTS));
}

static void play(struct world *world, const int order[EVENTS])
{
    const char *flow = world->commands[0].flow_id;
    struct puppet *hand = hand_open(world->producer_store);

    stage_did("(the events arrive in the order %d, %d, %d)", order[0] + 1, order[1] + 1,
              order[2] + 1);
    for (int i = 0; i < EVENTS; i++) {
        struct answer answer = advance_at_last(world, &world->commands[i]);

        expect_either(answer, outcome_value(RECEIPT_COMMITTED), outcome_value(RECEIPT_DUPLICATE));
    }
    for (int i = 0; i < EVENTS; i++) {
        relay_at_last(world, world->commands[order[i]].event_id);
        drain_at_last(world, flow);
        /* A mark that is lost makes the next relay send a copy. */
        hand_do(hand, "UPDATE outbox SET accepted = 0");
        relay_at_last(world, NULL);
    }
    for (int i = 0; i < EVENTS; i++)
        relay_at_last(world, NULL);
    drain_at_last(world, flow);
    expect_in_order(world);
    stage_forget();
}

CHECK(snapshot, in_any_order_with_copies_each_event_takes_effect_once_and_in_order, "order.1")
{
    for (int i = 0; i < 6; i++) {
        struct world world = make_world(i, false);

        play(&world, orders[i]);
    }
}

CHECK(snapshot, so_it_does_with_kills_on_either_side, "order.1")
{
    for (int i = 0; i < 3; i++) {
        struct world world = make_world(i, true);

        play(&world, orders[stage_random() % 6]);
    }
}

/* Both sides in one process: the receiver is the learner's own receive_event. */
CHECK(snapshot, so_it_does_where_both_sides_are_one_process, "order.1")
{
    struct world world = make_world(0, false);
    struct how how = { .on = world.producer_store, .to = world.consumer_store };

    worker_open(world.producer, world.consumer_store, 1000);
    for (int i = 0; i < EVENTS; i++)
        expect_outcome(advance_at_last(&world, &world.commands[i]),
                       outcome_value(RECEIPT_COMMITTED));
    for (int i = EVENTS - 1; i >= 0; i--)
        expect_outcome(call_relay(world.producer, world.commands[i].event_id, &how),
                       outcome_value(RECEIPT_ACCEPTED));
    hand_do(hand_open(world.producer_store), "UPDATE outbox SET accepted = 0 WHERE seq = 2");
    expect_outcome(call_relay(world.producer, NULL, &how), outcome_value(RECEIPT_DUPLICATE));
    drain_at_last(&world, world.commands[0].flow_id);
    expect_in_order(&world);
}
