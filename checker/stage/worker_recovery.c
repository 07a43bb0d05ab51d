/* worker_recovery.c - see worker_recovery.h */
#include "worker_recovery.h"

#include "base.h"
#include "worker_http.h"

#include <stdlib.h>
#include <string.h>

#define BATCH       8
#define TIMEOUT     "5"
#define PATIENCE_MS 300  /* of a publisher that is not to hear the answer in time */
#define MOMENT_MS   2500 /* until the server comes to a moment */

static struct puppet *open_process(struct puppet *process, const char *store, const char *role)
{
    auto_free char *path = store_path(store);

    expect_outcome(call_open_store(process, path, role, store, NULL), outcome_value(1));
    return process;
}

void shop_revive(struct shop *shop)
{
    if (!shop->publisher || puppet_was_killed(shop->publisher))
        shop->publisher = open_process(puppet_start(), shop->source, "source");
    if (!shop->warehouse || puppet_was_killed(shop->warehouse))
        shop->warehouse = open_process(puppet_start(), shop->sink, "sink");
}

static void enqueue_orders(struct shop *shop, int orders)
{
    const struct how how = { .on = shop->source, .no_hook = true };

    for (shop->count = 0; shop->count < orders; shop->count++) {
        shop->orders[shop->count] = an_event();
        expect_outcome(call_enqueue(shop->publisher, spec_of(shop->orders[shop->count]), &how),
                       outcome_value(1));
    }
}

struct shop shop_open(int orders)
{
    static const struct response refusal = { .status = 503, .body = "" };
    struct shop shop = { .source = "source", .sink = "sink" };

    shop.server = server_open();
    server_answer(shop.server, &refusal); /* only what the warehouse did is acknowledged */
    shop_revive(&shop);
    enqueue_orders(&shop, orders);
    return shop;
}

/* True where the run is at the plan's place. */
static bool is_at(struct shop *shop, enum place place)
{
    bool is_it = shop->plan->place == place && shop->sends == shop->plan->order;

    shop->happened |= is_it;
    return is_it;
}

static struct outcome kill_publisher_at(void *context, struct stop *stop)
{
    struct shop *shop = context;
    const bool is_in_storage = stop->kind == STOP_STORAGE;

    if (stop->kind == STOP_SEND)
        shop->sends++;
    shop->happened |= is_in_storage;
    if (is_in_storage || (stop->kind == STOP_SEND && is_at(shop, PLACE_BEFORE_SEND)) ||
        (stop->kind == STOP_FAULT && is_at(shop, PLACE_AFTER_DELIVERY)))
        puppet_kill(stop->puppet);
    else if (stop->kind == STOP_SEND)
        server_pause_at(shop->server, MOMENT_REQUEST_ARRIVED);
    return call_go_on(stop);
}

static struct outcome kill_warehouse_at(void *context, struct stop *stop)
{
    struct shop *shop = context;

    if (stop->kind == STOP_STORAGE ||
        (shop->plan->point && !strcmp(stop->point, shop->plan->point))) {
        shop->happened = true;
        puppet_kill(stop->puppet);
    }
    return call_go_on(stop);
}

/* The warehouse's own process takes the delivery; what it then answers. */
static struct response receive_at_warehouse(struct shop *shop, const struct received *request)
{
    const bool is_planned = shop->sends == shop->plan->order;
    struct how how = { .on = shop->sink, .directions = { .context = shop } };
    struct answer answer;
    cJSON *json = cJSON_Parse(request->body);
    const bool is_json = json != NULL;

    cJSON_Delete(json);
    if (!is_json)
        return response_text(400, "");
    if (is_planned &&
        (shop->plan->place == PLACE_AT_POINT || shop->plan->place == PLACE_IN_WAREHOUSE))
        how.directions.at = kill_warehouse_at;
    how.no_hook = !how.directions.at;
    if (is_planned && shop->plan->place == PLACE_IN_WAREHOUSE)
        how.storage_at = shop->plan->operation;
    answer = call_receive(shop->warehouse, spec_text(request->body), &how);
    if (answer.killed)
        return response_nothing(ENDING_CLOSE);
    if (answer.outcome.kind == OUTCOME_VALUE)
        return (struct response){ .status = 0 };
    return response_text(answer.outcome.kind == OUTCOME_CONFLICT ? 409 : 400, "");
}

/* Lets the server go on to the moment, and kills the publisher there. */
static void kill_publisher_when(struct shop *shop, enum moment moment)
{
    server_pause_at(shop->server, moment);
    server_continue(shop->server);
    if (server_wait_paused(shop->server, clock_ms() + stage_ms(MOMENT_MS)))
        puppet_kill(shop->publisher);
}

static void answer_after(struct shop *shop, struct response answer)
{
    if (is_at(shop, PLACE_POWER))
        puppet_kill(shop->warehouse);
    if (is_at(shop, PLACE_RECEIVED) || is_at(shop, PLACE_POWER))
        puppet_kill(shop->publisher);
    if (is_at(shop, PLACE_LOST_ANSWER))
        answer = response_nothing(ENDING_CLOSE);
    if (is_at(shop, PLACE_LATE_ANSWER))
        answer = response_nothing(ENDING_SILENT);
    if (is_at(shop, PLACE_REFUSED))
        answer = response_status(503);
    server_answer_next(shop->server, &answer);
    if (is_at(shop, PLACE_HALF_ANSWER))
        kill_publisher_when(shop, MOMENT_HALF_ANSWER_SENT);
    if (is_at(shop, PLACE_ANSWERED))
        kill_publisher_when(shop, MOMENT_ANSWER_SENT);
}

/* While the publisher sends: the server has stopped where the request has arrived. */
static void play_warehouse(void *context, const struct stop *stop)
{
    struct shop *shop = context;

    if (stop->kind != STOP_SEND)
        return;
    if (!server_wait_paused(shop->server, clock_ms() + stage_ms(MOMENT_MS)))
        return; /* it sends nothing; what it says will be judged */
    if (is_at(shop, PLACE_ARRIVED))
        puppet_kill(shop->publisher);
    else
        answer_after(shop,
                     receive_at_warehouse(
                         shop, server_request(shop->server, server_requests(shop->server) - 1)));
    server_continue(shop->server);
}

struct answer shop_run(struct shop *shop, const struct plan *plan)
{
    auto_free char *patience = scaled_timeout(PATIENCE_MS);
    struct how how = { .on = shop->source,
                       .url = server_url(shop->server),
                       .timeout = plan->place == PLACE_LATE_ANSWER ? patience : TIMEOUT,
                       .directions = { .at = kill_publisher_at,
                                       .meanwhile = play_warehouse,
                                       .deadline_ms = 10000,
                                       .context = shop } };

    if (plan->place == PLACE_IN_PUBLISHER)
        how.storage_at = plan->operation;
    shop->plan = plan;
    shop->sends = 0;
    shop->happened = false;
    return call_dispatch(shop->publisher, BATCH, &how);
}

void expect_stores(const struct shop *shop, int received, const char *sent)
{
    expect_same("the warehouse", sink_rows(shop->sink), sink_with(shop->orders, received));
    expect_same("the publisher", source_rows(shop->source),
                source_with(shop->orders, shop->count, sent));
}

static int count_pending(const struct shop *shop)
{
    auto_free char *rows = store_rows(shop->source, "SELECT 1 FROM outbox WHERE sent = 0");

    return (int)strlen(rows) / 2;
}

void expect_recovery(struct shop *shop)
{
    static const struct plan plan = { PLACE_NOWHERE, 0, 0, NULL };
    int left;

    stage_did("(new processes)");
    shop_revive(shop);
    left = count_pending(shop);
    expect_outcome(shop_run(shop, &plan), outcome_value(left));
    expect_stores(shop, shop->count, "1111");
}

bool shop_turn(struct shop *shop, enum place place, int operation)
{
    auto_free char *source = xprintf("source%d", operation);
    auto_free char *sink = xprintf("sink%d", operation);
    const struct plan plan = { .place = place, .order = 1, .operation = operation };
    struct shop turn = *shop;
    struct puppet **victim = place == PLACE_IN_PUBLISHER ? &turn.publisher : &turn.warehouse;

    turn.source = source;
    turn.sink = sink;
    *victim = puppet_start();
    open_process(turn.publisher, source, "source");
    open_process(turn.warehouse, sink, "sink");
    enqueue_orders(&turn, 1);
    shop_run(&turn, &plan);
    if (!turn.happened)
        return false;
    turn.publisher = shop->publisher;
    turn.warehouse = shop->warehouse;
    if (place == PLACE_IN_PUBLISHER)
        open_process(turn.publisher, source, "source");
    else
        open_process(turn.warehouse, sink, "sink");
    expect_recovery(&turn);
    worker_close(turn.publisher, source);
    worker_close(turn.warehouse, sink);
    return true;
}

/* The order that the request is for, from 1; 0 for none. */
static int order_of_request(const struct shop *shop, const struct received *request)
{
    for (int i = 0; i < shop->count; i++) {
        auto_free char *events = events_text(&shop->orders[i], 1);
        auto_free char *body = xprintf("[%s]", request->body);

        if (is_same_json(events, body))
            return i + 1;
    }
    return 0;
}

void expect_sends_of(const struct shop *shop, int order, int times)
{
    auto_free char *what = xprintf("requests with the id of order %d", order);
    int count = 0;

    for (int i = 0; i < server_requests(shop->server); i++) {
        const struct received *request = server_request(shop->server, i);
        int its_order = order_of_request(shop, request);

        expect(its_order > 0, "a request with the id and qty of an order", "%.300s", request->body);
        count += its_order == order;
    }
    expect_number(what, count, times);
}
