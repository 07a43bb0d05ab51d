/* Step 8: steps/worker/08-send_http.md; the whole, with real processes that die on the way */
#include "worker_recovery.h"

#include "base.h"

#define OPERATIONS_MAX 400

/* One order of several; the process dies at the place, and new ones finish. */
static void recover_from(struct plan plan, int orders, int received, const char *sent, int sends)
{
    struct shop shop = shop_open(orders);

    expect_killed(shop_run(&shop, &plan));
    expect_stores(&shop, received, sent);
    expect_recovery(&shop);
    expect_sends_of(&shop, plan.order, sends);
}

/* The warehouse dies; the publisher goes on living and is told so. */
static void recover_without_warehouse(const char *point, int received)
{
    const struct plan plan = { .place = PLACE_AT_POINT, .order = 2, .point = point };
    struct shop shop = shop_open(3);

    expect_error(shop_run(&shop, &plan), OUTCOME_CURL);
    expect(shop.happened, "receive reaches its fault points", "it does not reach %s", point);
    expect_stores(&shop, received, "100");
    expect_recovery(&shop);
    expect_sends_of(&shop, 2, 2);
    expect_sends_of(&shop, 3, 1);
}

/* Nobody dies: the publisher only does not hear the answer. */
static void recover_unheard(enum place place, enum outcome_kind kind)
{
    const struct plan plan = { .place = place, .order = 1 };
    struct shop shop = shop_open(2);

    expect_error(shop_run(&shop, &plan), kind);
    expect_stores(&shop, 1, "00");
    expect_recovery(&shop);
    expect_sends_of(&shop, 1, 2);
}

/* Every step-th operation from the first on. */
static void recover_at_each_operation(enum place place, int first, int step)
{
    struct shop shop = shop_open(0);
    int k = first;

    for (; k < OPERATIONS_MAX && shop_turn(&shop, place, k); k += step)
        stage_forget();
    expect(k > first && k < OPERATIONS_MAX, "a call with some storage operations, at most 400",
           "%d", k);
    stage_note("%d storage operations, killed at every second of them", k - 1);
}

/* The customer's order dies at the point; he orders again, and it is sent once. */
static struct outcome kill_at_point(void *context, struct stop *stop)
{
    const char *const *point = context;

    if (stop->kind == STOP_FAULT && is_same_text(stop->point, xstrdup(*point)))
        puppet_kill(stop->puppet);
    return call_go_on(stop);
}

static void order_again_after(const char *point)
{
    struct shop shop = shop_open(0);
    struct how how = { .directions = { .at = kill_at_point, .context = &point } };
    struct answer again;

    shop.orders[shop.count++] = an_event();
    expect_killed(call_enqueue(shop.publisher, spec_of(shop.orders[0]), &how));
    shop_revive(&shop);
    again = call_enqueue(shop.publisher, spec_of(shop.orders[0]), NULL);
    expect_either(again, outcome_value(1), outcome_value(0));
    expect_recovery(&shop);
    expect_sends_of(&shop, 1, 1);
}

CHECK(send_http, orders_reach_the_warehouse_where_nobody_dies, "recovery.2")
{
    struct shop shop = shop_open(4);

    expect_recovery(&shop);

    expect_sends_of(&shop, 1, 1);
    expect_sends_of(&shop, 4, 1);
}

CHECK(send_http, a_publisher_killed_when_the_warehouse_has_committed_sends_the_same_id_again,
      "recovery.1")
{
    recover_from((struct plan){ .place = PLACE_RECEIVED, .order = 1 }, 1, 1, "0", 2);
}

CHECK(send_http, a_publisher_killed_behind_half_the_answer_sends_the_same_id_again, "recovery.1")
{
    recover_from((struct plan){ .place = PLACE_HALF_ANSWER, .order = 1 }, 1, 1, "0", 2);
}

CHECK(send_http, a_publisher_killed_behind_the_answer_sends_the_same_id_again, "recovery.1")
{
    recover_from((struct plan){ .place = PLACE_ANSWERED, .order = 1 }, 1, 1, "0", 2);
}

CHECK(send_http, a_publisher_killed_before_it_marks_sends_the_same_id_again, "recovery.1")
{
    recover_from((struct plan){ .place = PLACE_AFTER_DELIVERY, .order = 1 }, 1, 1, "0", 2);
}

CHECK(send_http, a_publisher_killed_amid_a_batch_sends_the_same_id_again, "recovery.1")
{
    recover_from((struct plan){ .place = PLACE_RECEIVED, .order = 2 }, 4, 2, "1000", 2);
}

CHECK(send_http, a_publisher_killed_again_and_again_raises_the_stock_once, "recovery.1")
{
    const struct plan plan = { .place = PLACE_RECEIVED, .order = 1 };
    struct shop shop = shop_open(1);

    expect_killed(shop_run(&shop, &plan));
    shop_revive(&shop);
    expect_killed(shop_run(&shop, &plan));
    shop_revive(&shop);
    expect_killed(shop_run(&shop, &plan));

    expect_stores(&shop, 1, "0");
    expect_recovery(&shop);
    expect_sends_of(&shop, 1, 4);
}

CHECK(send_http, a_publisher_killed_before_it_sends_loses_nothing, "recovery.2")
{
    recover_from((struct plan){ .place = PLACE_BEFORE_SEND, .order = 2 }, 3, 1, "100", 1);
}

CHECK(send_http, a_publisher_killed_before_the_warehouse_looks_loses_nothing, "recovery.2")
{
    recover_from((struct plan){ .place = PLACE_ARRIVED, .order = 2 }, 3, 1, "100", 2);
}

CHECK(send_http, a_publisher_killed_when_the_sender_is_back_loses_nothing, "recovery.2")
{
    recover_from((struct plan){ .place = PLACE_SENT, .order = 3 }, 3, 3, "110", 2);
}

CHECK(send_http, a_publisher_killed_at_an_odd_storage_operation_loses_nothing, "recovery.2")
{
    recover_at_each_operation(PLACE_IN_PUBLISHER, 1, 2);
}

CHECK(send_http, a_publisher_killed_at_an_even_storage_operation_loses_nothing, "recovery.2")
{
    recover_at_each_operation(PLACE_IN_PUBLISHER, 2, 2);
}

CHECK(send_http, a_warehouse_killed_before_it_adds_loses_nothing, "recovery.2")
{
    recover_without_warehouse("after-inbox", 1);
}

CHECK(send_http, a_warehouse_killed_before_its_commit_loses_nothing, "recovery.2")
{
    recover_without_warehouse("after-total", 1);
}

CHECK(send_http, a_warehouse_killed_after_its_commit_counts_once, "recovery.2")
{
    recover_without_warehouse("after-commit", 2);
}

CHECK(send_http, a_warehouse_killed_at_an_odd_storage_operation_counts_once, "recovery.2")
{
    recover_at_each_operation(PLACE_IN_WAREHOUSE, 1, 2);
}

CHECK(send_http, a_warehouse_killed_at_an_even_storage_operation_counts_once, "recovery.2")
{
    recover_at_each_operation(PLACE_IN_WAREHOUSE, 2, 2);
}

CHECK(send_http, both_killed_when_the_warehouse_has_committed_count_once, "recovery.2")
{
    recover_from((struct plan){ .place = PLACE_POWER, .order = 2 }, 2, 2, "10", 2);
}

CHECK(send_http, an_answer_that_is_lost_is_asked_for_again, "recovery.2")
{
    recover_unheard(PLACE_LOST_ANSWER, OUTCOME_CURL);
}

CHECK(send_http, an_answer_that_does_not_come_in_time_is_asked_for_again, "recovery.2")
{
    recover_unheard(PLACE_LATE_ANSWER, OUTCOME_CURL);
}

CHECK(send_http, an_answer_that_denies_what_was_done_is_asked_for_again, "recovery.2")
{
    recover_unheard(PLACE_REFUSED, OUTCOME_HTTP);
}

CHECK(send_http, an_order_that_dies_before_its_intent_is_ordered_again_and_sent_once, "recovery.2")
{
    order_again_after("after-order");
}

CHECK(send_http, an_order_that_dies_before_its_commit_is_ordered_again_and_sent_once, "recovery.2")
{
    order_again_after("after-outbox");
}

CHECK(send_http, an_order_that_dies_after_its_commit_is_ordered_again_and_sent_once, "recovery.2")
{
    order_again_after("after-commit");
}
