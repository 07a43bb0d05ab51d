/* Step 10: steps/ordered/10-open_side.md - roles, tables and their rules */
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

static void expect_columns(const char *store, const char *table, const char *columns)
{
    auto_free char *what = xprintf("columns of %s", table);
    auto_free char *query = xprintf("SELECT name || ' ' || upper(type) FROM"
                                    " (SELECT * FROM pragma_table_info('%s') ORDER BY name)",
                                    table);

    expect_same(what, store_rows(store, query), xstrdup(columns));
}

CHECK(open_side, the_tables_have_these_columns, "open_side.2")
{
    struct puppet *worker = puppet_start();

    expect_opened(worker, "shop", "producer");
    expect_opened(worker, "house", "consumer");
    expect_columns("shop", "flow", "flow_id TEXT\nquantity INTEGER\nseq INTEGER\nstage TEXT\n");
    expect_columns("shop", "outbox",
                   "accepted INTEGER\nevent_id TEXT\nflow_id TEXT\npayload TEXT\n"
                   "position INTEGER\nschema INTEGER\nseq INTEGER\nstage TEXT\n");
    expect_columns("house", "inbox",
                   "applied INTEGER\nblocked INTEGER\nevent_id TEXT\nflow_id TEXT\npayload TEXT\n"
                   "position INTEGER\nreason TEXT\nschema INTEGER\nseq INTEGER\nstage TEXT\n");
    expect_columns("house", "projection",
                   "flow_id TEXT\nlast_seq INTEGER\nquantity INTEGER\nstage TEXT\n");
    expect_columns("house", "effect",
                   "event_id TEXT\nflow_id TEXT\nquantity INTEGER\nseq INTEGER\nstage TEXT\n");
}

static void expect_refused(struct puppet *hand, const char *sql)
{
    auto_free char *expected = xprintf("the store refuses: %s", sql);
    int code = hand_try(hand, sql);

    expect((code & 0xff) == SQLITE_CONSTRAINT, expected, "code %d (%s)", code,
           sqlite3_errstr(code));
}

/* The store has a row in the table, and none of these columns may become NULL. */
static void expect_not_null(struct puppet *hand, const char *table, const char *columns)
{
    char *names = xstrdup(columns);
    char *rest = names;
    char *column;

    while ((column = strsep(&rest, " ")) != NULL) {
        auto_free char *sql = xprintf("UPDATE %s SET %s = NULL", table, column);

        expect_refused(hand, sql);
    }
    free(names);
}

#define OUTBOX                                                                                     \
    "INSERT INTO outbox (event_id, flow_id, seq, schema, stage, payload, accepted) VALUES "

CHECK(open_side, the_producers_tables_have_these_keys_and_constraints, "open_side.2")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand;

    expect_opened(worker, "shop", "producer");
    hand = hand_open("shop");
    hand_do(hand, "INSERT INTO flow VALUES ('a', 'reserved', 1, 5), ('A', 'reserved', 1, 5)");
    expect_refused(hand, "INSERT INTO flow VALUES ('a', 'confirmed', 2, 5)");
    expect_refused(hand, "INSERT INTO flow VALUES ('b', NULL, 1, 5)");
    expect_refused(hand, "INSERT INTO flow VALUES ('b', 'x', NULL, 5)");
    expect_refused(hand, "INSERT INTO flow VALUES ('b', 'x', 1, NULL)");
    hand_do(hand, OUTBOX "('e1', 'a', 1, 1, 's', 'p', 0), ('E1', 'a', 2, 1, 's', 'p', 1)");
    expect_refused(hand, OUTBOX "('e1', 'b', 1, 1, 's', 'p', 0)");
    expect_refused(hand, OUTBOX "('e2', 'a', 2, 1, 's', 'p', 0)");
    expect_refused(hand, OUTBOX "('e2', 'b', 1, 1, 's', 'p', 2)");
    expect_refused(hand, OUTBOX "('e2', 'b', 1, 1, 's', 'p', NULL)");
    expect_refused(hand, OUTBOX "('e2', 'b', 1, 1, 's', NULL, 0)");
    expect_refused(hand, OUTBOX "(NULL, 'b', 1, 1, 's', 'p', 0)");
    expect_not_null(hand, "flow", "stage seq quantity");
    expect_not_null(hand, "outbox", "event_id flow_id seq schema stage payload accepted");
    hand_do(hand, "INSERT INTO flow VALUES ('odd', '', -1, 9000000000)");
    hand_do(hand, OUTBOX "('odd', '', 0, -1, '', '', 1)");
    hand_do(hand, OUTBOX "('e2', 'b', 9223372036854775807, 1, 's', 'p', 0)");
    hand_do(hand, "DELETE FROM outbox; " OUTBOX "('e3', 'b', 1, 1, 's', 'p', 0)");
    expect_same("positions are not used again",
                store_rows("shop", "SELECT event_id, position > 4 FROM outbox"), xstrdup("e3|1\n"));
}

#define INBOX                                                                                      \
    "INSERT INTO inbox (event_id, flow_id, seq, schema, stage, payload, applied, blocked, reason)" \
    " VALUES "

CHECK(open_side, the_consumers_tables_have_these_keys_and_constraints, "open_side.2")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand;

    expect_opened(worker, "house", "consumer");
    hand = hand_open("house");
    hand_do(hand, INBOX "('e1', 'a', 1, 1, 's', 'p', 0, 1, 'r'), ('e2', 'a', 2, 1, 's', 'p', 1, 0,"
                        " NULL)");
    expect_refused(hand, INBOX "('e1', 'b', 1, 1, 's', 'p', 0, 0, NULL)");
    expect_refused(hand, INBOX "('e3', 'a', 2, 1, 's', 'p', 0, 0, NULL)");
    expect_refused(hand, INBOX "('e3', 'b', 1, 1, 's', 'p', 2, 0, NULL)");
    expect_refused(hand, INBOX "('e3', 'b', 1, 1, 's', 'p', 0, 2, NULL)");
    expect_refused(hand, INBOX "('e3', 'b', 1, 1, NULL, 'p', 0, 0, NULL)");
    expect_not_null(hand, "inbox", "event_id flow_id seq schema stage payload applied blocked");
    hand_do(hand,
            INBOX "('E1', 'A', 1, -1, '', '', 1, 1, ''), ('odd', '', 0, 0, '', '', 0, 0, 'r')");
    hand_do(hand, "INSERT INTO projection VALUES ('a', 's', 1, 5), ('A', '', -1, 9000000000)");
    expect_refused(hand, "INSERT INTO projection VALUES ('a', 's', 2, 5)");
    expect_refused(hand, "INSERT INTO projection VALUES ('b', 's', NULL, 5)");
    expect_not_null(hand, "projection", "stage last_seq quantity");
    hand_do(hand, "INSERT INTO effect VALUES ('e1', 'a', 1, 's', 5), ('E1', 'A', 0, '', -1)");
    expect_not_null(hand, "effect", "flow_id seq stage quantity");
    expect_refused(hand, "INSERT INTO effect VALUES ('e1', 'b', 1, 's', 5)");
    expect_refused(hand, "INSERT INTO effect VALUES ('e2', 'a', 1, 's', 5)");
    expect_refused(hand, "INSERT INTO effect VALUES ('e2', 'b', 1, 's', NULL)");
    hand_do(hand, "DELETE FROM inbox; " INBOX "('e5', 'b', 1, 1, 's', 'p', 0, 0, NULL)");
    expect_same("positions are not used again",
                store_rows("house", "SELECT event_id, position > 4 FROM inbox"), xstrdup("e5|1\n"));
}

/* The code of sqlite3_close on the connection. */
static int close_of(struct puppet *worker, const char *connection)
{
    cJSON *order = order_of("close");

    cJSON_AddStringToObject(order, "on", connection);
    return cJSON_GetObjectItemCaseSensitive(call_order(worker, order), "code")->valueint;
}

CHECK(open_side, the_connection_closes_and_the_file_can_be_opened_again, "open_side.2")
{
    struct puppet *worker = puppet_start();

    for (int i = 0; i < 2; i++) {
        expect_opened(worker, "shop", "producer");
        expect_number("the code of sqlite3_close", close_of(worker, "shop"), SQLITE_OK);
    }
    expect_same("in the file", things_in("shop"), xstrdup(PRODUCER_THINGS));
}

CHECK(open_side, what_was_opened_before_is_looked_at_anew, "common.7")
{
    struct puppet *worker = puppet_start();

    expect_opened(worker, "shop", "producer");
    expect_number("the code of sqlite3_close", close_of(worker, "shop"), SQLITE_OK);
    hand_do(hand_open("shop"), "DROP TABLE outbox");
    stage_did("(another process: DROP TABLE outbox)");
    expect_opened(worker, "shop", "producer");
    expect_same("in the file", things_in("shop"), xstrdup(PRODUCER_THINGS));
}

CHECK(open_side, what_is_there_stays_and_what_is_missing_is_made, "open_side.2")
{
    struct puppet *worker = puppet_start();
    struct envelope event = event_of("flow-1", 1, 7);
    char *rows = xprintf("%s%s", flow_row("flow-1", "reserved", 1, 7), outbox_row(&event, 1));

    side_make("producer", "whole", rows);
    side_make_plain("producer", "plain", rows);
    store_make("half", "CREATE TABLE flow (flow_id TEXT PRIMARY KEY, stage TEXT NOT NULL,"
                       " seq INTEGER NOT NULL, quantity INTEGER NOT NULL);"
                       "INSERT INTO flow VALUES ('f', 'reserved', 1, 9);");
    expect_opened(worker, "whole", "producer");
    expect_opened(worker, "plain", "producer");
    expect_opened(worker, "half", "producer");
    expect_same("rows", side_rows("producer", "whole"), side_with("producer", rows));
    expect_same("rows", side_rows("producer", "plain"), side_with("producer", rows));
    expect_same("rows of half a store", side_rows("producer", "half"),
                side_with("producer", flow_row("f", "reserved", 1, 9)));
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
