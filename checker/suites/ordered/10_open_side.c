/* Step 10: steps/ordered/10-open_side.md - roles, what is made and what comes back */
#include "10_open_side.h"

static void expect_no_role(struct puppet *worker, const char *role)
{
    expect_outcome(open_named(worker, "new", role, NULL), outcome_of(OUTCOME_INVALID, 0));
    expect(!is_there("new"), "no file appears", "a file is there");
    stage_forget();
}

CHECK(open_side, another_role_is_invalid_and_makes_no_file, "open_side.1")
{
    struct puppet *worker = puppet_start();

    expect_no_role(worker, NULL);
    expect_no_role(worker, "");
    expect_no_role(worker, "Producer");
    expect_no_role(worker, "consumers");
    expect_no_role(worker, "produce");
    expect_no_role(worker, "source");
    expect_opened(worker, "new", "producer");
}

CHECK(open_side, another_role_changes_nothing_in_a_file_that_is_there, "open_side.1")
{
    struct puppet *worker = puppet_start();

    store_make("new", "CREATE TABLE mine (a)");
    expect_outcome(open_named(worker, "new", "sink", NULL), outcome_of(OUTCOME_INVALID, 0));
    expect_same("in the file", things_in("new"), xstrdup("table mine\n"));
}

CHECK(open_side, a_new_file_has_the_tables_of_its_role_and_nothing_else, "open_side.2")
{
    struct puppet *worker = puppet_start();

    expect_opened(worker, "shop", "producer");
    expect_opened(worker, "house", "consumer");
    expect_same("in the producer's file", things_in("shop"), xstrdup(PRODUCER_THINGS));
    expect_same("in the consumer's file", things_in("house"), xstrdup(CONSUMER_THINGS));
}

/* The code of sqlite3_close on the connection. */
static int close_of(struct puppet *worker, const char *connection)
{
    cJSON *order = order_of("close");

    cJSON_AddStringToObject(order, "on", connection);
    return said_number(call_order(worker, order), "code");
}

/* Twice, so that it was closed; its path is taken as it is, whatever characters are in it. */
static void expect_opens_again(struct puppet *worker, const char *store)
{
    auto_free char *path = store_path(store);

    for (int i = 0; i < 2; i++) {
        expect_outcome(call_open_side(worker, path, "producer", "odd", NULL), outcome_value(1));
        expect_number("the code of sqlite3_close", close_of(worker, "odd"), SQLITE_OK);
    }
    expect_same("in the file", things_in(store), xstrdup(PRODUCER_THINGS));
    stage_forget();
}

CHECK(open_side, the_connection_closes_and_the_file_can_be_opened_again, "open_side.2")
{
    struct puppet *worker = puppet_start();
    auto_free char *folder = xprintf("%0120d", 7);
    auto_free char *below = xprintf("%s/%s", folder, folder);
    auto_free char *deep = xprintf("%s/shop", below);

    mkdir(folder, 0700);
    mkdir(below, 0700);
    expect_opens_again(worker, "shop");
    expect_opens_again(worker, deep);
    expect_opens_again(worker, "it's \"odd\"; %41%s%d #1?mode=memory&x=y");
}

CHECK(open_side, what_was_opened_before_is_looked_at_anew, "common.7")
{
    struct puppet *worker = puppet_start();

    expect_opened(worker, "shop", "producer");
    expect_number("the code of sqlite3_close", close_of(worker, "shop"), SQLITE_OK);
    hand_do(hand_open("shop"), "PRAGMA journal_mode = DELETE; DROP TABLE outbox");
    stage_did("(another process: PRAGMA journal_mode = DELETE; DROP TABLE outbox)");
    expect_opened(worker, "shop", "producer");
    expect_same("in the file", things_in("shop"), xstrdup(PRODUCER_THINGS));
    expect_same("PRAGMA journal_mode", puppet_rows(worker, "shop", "PRAGMA journal_mode"),
                xstrdup("wal\n"));
}

CHECK(open_side, the_connection_is_in_autocommit_and_others_can_use_the_file, "open_side.2")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand;

    expect_opened(worker, "shop", "producer");
    hand = hand_open("shop");
    hand_do(hand, "BEGIN IMMEDIATE; INSERT INTO flow VALUES ('a', 'reserved', 1, 5); COMMIT");
    expect_number("a write through the connection",
                  sql_on(worker, "shop", "UPDATE flow SET seq = 2"), SQLITE_OK);
    hand_do(hand, "BEGIN EXCLUSIVE; UPDATE flow SET seq = seq + 1; COMMIT");
    expect_same("flow", store_rows("shop", "SELECT seq FROM flow"), xstrdup("3\n"));
}
