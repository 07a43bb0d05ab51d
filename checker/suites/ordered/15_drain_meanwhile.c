/* Step 15: steps/ordered/15-drain.md - what comes between two events, and a file that fails */
#include "base.h"
#include "ordered_calls.h"

#include <sqlite3.h>
#include <string.h>

/* Another process, and what it does once the first event is applied. */
struct other {
    struct puppet *hand;
    const char *sql;
    bool is_done;
};

static struct puppet *start_with(const char *rows, struct other *other)
{
    side_make("consumer", "consumer", rows);
    other->hand = hand_open("consumer");
    return worker_at("consumer", 50);
}

static char *inbox_of(const char *flow, int64_t seq)
{
    struct envelope event = event_of(flow, seq, 7);

    return inbox_row(&event, 0, 0, NULL);
}

static struct outcome act_behind_the_commit(void *context, struct stop *stop)
{
    struct other *other = context;

    if (stop->kind == STOP_FAULT && !other->is_done && strcmp(stop->point, "after-commit") == 0) {
        stage_did("   another process: %.60s ...", other->sql);
        hand_do(other->hand, other->sql);
        other->is_done = true;
    }
    return call_go_on(stop);
}

/* process_all has no hook: as soon as an effect is seen and the lock is free. */
static struct outcome act_behind_the_effect(void *context, struct stop *stop)
{
    struct other *other = context;
    auto_free char *effects = NULL;

    if (stop->kind != STOP_STORAGE || other->is_done)
        return call_go_on(stop);
    effects = puppet_rows(other->hand, "hand", "SELECT 1 FROM effect");
    if (*effects && hand_try(other->hand, other->sql) == SQLITE_OK) {
        stage_did("   another process: %.60s ...", other->sql);
        other->is_done = true;
    }
    return call_go_on(stop);
}

static struct answer drain_beside(struct puppet *worker, struct other *other)
{
    struct how how = { .directions = { .at = act_behind_the_commit, .context = other } };

    return call_drain(worker, "flow-a", 9, false, &how);
}

static struct answer process_beside(struct puppet *worker, struct other *other)
{
    struct how how = { .directions = { .at = act_behind_the_effect, .context = other },
                       .storage_at = STORAGE_EVERY };

    return call_process_all(worker, 9, false, &how);
}

static void expect_applied(struct answer answer, struct outcome outcome, int applied)
{
    expect_outcome(answer, outcome);
    expect_number("*applied", applied_of(answer), applied);
}

CHECK(drain, an_event_that_comes_meanwhile_is_applied, "drain.2")
{
    struct other other = { .sql = inbox_of("flow-a", 2) };
    struct puppet *worker = start_with(inbox_of("flow-a", 1), &other);

    expect_applied(drain_beside(worker, &other), outcome_value(RECEIPT_IDLE), 2);
}

CHECK(drain, what_another_applies_meanwhile_is_not_counted, "drain.4")
{
    struct envelope second = event_of("flow-a", 2, 7);
    struct other other = { .sql = xprintf("UPDATE projection SET stage = 'confirmed',"
                                          " last_seq = 2; %s",
                                          applied_rows(&second, 7)) };
    struct puppet *worker =
        start_with(xprintf("%s%s", inbox_of("flow-a", 1), inbox_of("flow-a", 3)), &other);

    expect_applied(drain_beside(worker, &other), outcome_value(RECEIPT_IDLE), 2);
}

CHECK(drain, a_lock_that_another_takes_meanwhile_is_an_error_behind_what_was_applied, "drain.4")
{
    struct other other = { .sql = "BEGIN IMMEDIATE" };
    struct puppet *worker =
        start_with(xprintf("%s%s", inbox_of("flow-a", 1), inbox_of("flow-a", 2)), &other);
    struct answer answer = drain_beside(worker, &other);

    expect_sqlite(answer, SQLITE_BUSY);
    expect_number("*applied", applied_of(answer), 1);
}

CHECK(drain, all_are_drained_though_another_process_writes_meanwhile, "process_all.1")
{
    struct envelope done = event_of("done", 1, 7);
    struct other other = { .sql = applied_rows(&done, 7) };
    struct puppet *worker = start_with(xprintf("%s%s", inbox_of("a", 1), inbox_of("b", 1)), &other);

    expect_outcome(process_beside(worker, &other), outcome_value(2));
    expect_same("flows", store_rows("consumer", "SELECT flow_id FROM projection ORDER BY 1"),
                xstrdup("a\nb\n"));
}

CHECK(drain, a_lock_that_another_takes_meanwhile_ends_all, "process_all.3")
{
    struct other other = { .sql = "BEGIN IMMEDIATE" };
    struct puppet *worker = start_with(xprintf("%s%s", inbox_of("a", 1), inbox_of("b", 1)), &other);

    expect_sqlite(process_beside(worker, &other), SQLITE_BUSY);
    expect_same("flows", store_rows("consumer", "SELECT flow_id FROM projection ORDER BY 1"),
                xstrdup("a\n"));
}

CHECK(drain, a_commit_that_fails_ends_all, "process_all.3")
{
    struct other other = { 0 };
    struct puppet *worker = start_with(inbox_of("a", 1), &other);
    cJSON *order = order_of("veto");
    struct answer answer;

    cJSON_AddStringToObject(order, "on", "consumer");
    cJSON_Delete(call_order(worker, order));
    stage_did("(every COMMIT on the connection is refused from now on)");
    expect_sqlite(call_process_all(worker, 9, false, NULL), SQLITE_CONSTRAINT);
    answer = call_drain(worker, "a", 9, false, NULL);
    expect_sqlite(answer, SQLITE_CONSTRAINT);
    expect_number("*applied", applied_of(answer), 0);
}

CHECK(drain, a_file_without_the_tables_is_an_error, "common.4")
{
    struct puppet *worker = puppet_start();
    struct how how = { .on = "bare" };

    side_make_bare(worker, "bare");
    expect_sqlite(call_process_all(worker, 9, false, &how), SQLITE_ERROR);
    expect_sqlite(call_drain(worker, "a", 9, false, &how), SQLITE_ERROR);
}
