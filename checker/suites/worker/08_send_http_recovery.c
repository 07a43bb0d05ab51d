/* Step 8: steps/worker/08-send_http.md; the whole, with real processes that die on the way */
#include "worker_recovery.h"

#include "base.h"

#define OPERATIONS_MAX 400

/* New processes for the dead; the publisher dies at the place of the order-th that is pending. */
static void die_at(struct shop *shop, enum place place, int order, int received, const char *sent)
{
    const struct plan plan = { .place = place, .order = order };

    shop_revive(shop);
    expect_killed(shop_run(shop, &plan));
    expect_stores(shop, received, sent);
}

/* The warehouse dies; the publisher goes on living and is told so. */
static void lose_warehouse_at(struct shop *shop, const char *point, int order, int received,
                              const char *sent)
{
    const struct plan plan = { .place = PLACE_AT_POINT, .order = order, .point = point };

    shop_revive(shop);
    expect_error(shop_run(shop, &plan), OUTCOME_CURL);
    expect(shop->happened, "receive reaches its fault points", "it does not reach %s", point);
    expect_stores(shop, received, sent);
}

/* Nobody dies: the publisher only does not hear the answer. */
static void send_unheard(struct shop *shop, enum place place, enum outcome_kind kind)
{
    const struct plan plan = { .place = place, .order = 1 };

    expect_error(shop_run(shop, &plan), kind);
    expect_stores(shop, 1, "00");
}

static void recover_at_each_operation(enum place place)
{
    struct shop shop = shop_open(0);
    int k = 1;

    for (; k < OPERATIONS_MAX && shop_turn(&shop, place, k); k++)
        stage_forget();
    expect(k > 1 && k < OPERATIONS_MAX, "a call with some storage operations, at most 400", "%d",
           k);
    stage_note("killed at each of %d storage operations", k - 1);
}

static struct outcome kill_at_point(void *context, struct stop *stop)
{
    const char *const *point = context;

    if (stop->kind == STOP_FAULT && is_same_text(stop->point, xstrdup(*point)))
        puppet_kill(stop->puppet);
    return call_go_on(stop);
}

/* The customer's order dies at the point; he orders again. */
static void order_twice(struct shop *shop, const char *point)
{
    struct how how = { .directions = { .at = kill_at_point, .context = &point } };
    struct event order = an_event();

    shop->orders[shop->count++] = order;
    expect_killed(call_enqueue(shop->publisher, spec_of(order), &how));
    shop_revive(shop);
    expect_either(call_enqueue(shop->publisher, spec_of(order), NULL), outcome_value(1),
                  outcome_value(0));
}

CHECK(send_http, a_publisher_killed_when_the_warehouse_has_committed_sends_the_same_id_again,
      "recovery.1")
{
    struct shop shop = shop_open(3);

    die_at(&shop, PLACE_RECEIVED, 2, 2, "100");
    expect_recovery(&shop);

    expect_sends_of(&shop, 1, 1);
    expect_sends_of(&shop, 2, 2);
    expect_sends_of(&shop, 3, 1);
}

CHECK(send_http, a_publisher_killed_behind_the_answer_or_before_it_marks_sends_the_same_id_again,
      "recovery.1")
{
    struct shop shop = shop_open(2);

    die_at(&shop, PLACE_HALF_ANSWER, 1, 1, "00");
    die_at(&shop, PLACE_ANSWERED, 1, 1, "00");
    die_at(&shop, PLACE_AFTER_DELIVERY, 1, 1, "00");
    expect_recovery(&shop);

    expect_sends_of(&shop, 1, 4);
    expect_sends_of(&shop, 2, 1);
}

CHECK(send_http, a_publisher_killed_before_the_warehouse_knows_loses_nothing, "recovery.2")
{
    struct shop shop = shop_open(2);

    die_at(&shop, PLACE_BEFORE_SEND, 2, 1, "10");
    die_at(&shop, PLACE_ARRIVED, 1, 1, "10");
    expect_recovery(&shop);

    expect_sends_of(&shop, 1, 1);
    expect_sends_of(&shop, 2, 2);
}

CHECK(send_http, a_warehouse_killed_before_or_after_its_commit_counts_once, "recovery.2")
{
    struct shop shop = shop_open(3);

    lose_warehouse_at(&shop, "after-total", 1, 0, "000");
    lose_warehouse_at(&shop, "after-commit", 2, 2, "100");
    die_at(&shop, PLACE_POWER, 1, 2, "100");
    expect_recovery(&shop);

    expect_sends_of(&shop, 1, 2);
    expect_sends_of(&shop, 2, 3);
    expect_sends_of(&shop, 3, 1);
}

EARLY_CHECK(send_http, an_answer_that_is_lost_late_or_denies_what_was_done_is_asked_for_again,
            "recovery.2")
{
    struct shop shop = shop_open(2);

    send_unheard(&shop, PLACE_LOST_ANSWER, OUTCOME_CURL);
    send_unheard(&shop, PLACE_LATE_ANSWER, OUTCOME_CURL);
    send_unheard(&shop, PLACE_REFUSED, OUTCOME_HTTP);
    expect_recovery(&shop);

    expect_sends_of(&shop, 1, 4);
    expect_sends_of(&shop, 2, 1);
}

CHECK(send_http, an_order_that_dies_is_ordered_again_and_sent_once, "recovery.2")
{
    struct shop shop = shop_open(0);

    order_twice(&shop, "after-outbox");
    order_twice(&shop, "after-commit");
    expect_recovery(&shop);

    expect_sends_of(&shop, 1, 1);
    expect_sends_of(&shop, 2, 1);
}

DEEP_CHECK(send_http, a_publisher_killed_at_each_storage_operation_loses_nothing, "recovery.2")
{
    recover_at_each_operation(PLACE_IN_PUBLISHER);
}

DEEP_CHECK(send_http, a_warehouse_killed_at_each_storage_operation_counts_once, "recovery.2")
{
    recover_at_each_operation(PLACE_IN_WAREHOUSE);
}
