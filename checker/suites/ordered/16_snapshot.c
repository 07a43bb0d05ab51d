/* Step 16: steps/ordered/16-snapshot.md */
#include "base.h"
#include "moments.h"
#include "ordered_calls.h"
#include "storage_sweep.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define WIDE "9007199254740993"

static const char producer_text[] =
    "{\"flow\":["
    "{\"flow_id\":\"A\",\"stage\":\"confirmed\",\"seq\":\"" WIDE "\",\"quantity\":1000000},"
    "{\"flow_id\":\"a\",\"stage\":\"reserved\",\"seq\":\"1\",\"quantity\":7}],"
    "\"outbox\":["
    "{\"position\":3,\"event_id\":\"e3\",\"flow_id\":\"a\",\"seq\":\"1\",\"schema\":2,"
    "\"stage\":\"reserved\",\"payload\":\" {\\\"units\\\":7}\",\"accepted\":1},"
    "{\"position\":4294967307,\"event_id\":\"e1\",\"flow_id\":\"A\",\"seq\":\"" WIDE
    "\",\"schema\":1,"
    "\"stage\":\"confirmed\",\"payload\":\"{}\",\"accepted\":0}]}";

static void make_producer(const char *store)
{
    side_make(
        "producer", store,
        "INSERT INTO flow VALUES ('a', 'reserved', 1, 7), ('A', 'confirmed', " WIDE ", 1000000);"
        "INSERT INTO outbox VALUES (4294967307, 'e1', 'A', " WIDE ", 1, 'confirmed', '{}', 0),"
        " (3, 'e3', 'a', 1, 2, 'reserved', ' {\"units\":7}', 1);");
}

static const char consumer_text[] =
    "{\"inbox\":["
    "{\"position\":2,\"event_id\":\"e9\",\"flow_id\":\"b\",\"seq\":\"9223372036854775807\","
    "\"schema\":7,\"stage\":\"x\",\"payload\":\"\",\"applied\":0,\"blocked\":1,"
    "\"reason\":\"unknown_version\"},"
    "{\"position\":5,\"event_id\":\"e1\",\"flow_id\":\"a\",\"seq\":\"1\",\"schema\":1,"
    "\"stage\":\"reserved\",\"payload\":\"{}\",\"applied\":1,\"blocked\":0,\"reason\":null}],"
    "\"projection\":["
    "{\"flow_id\":\"a\",\"stage\":\"reserved\",\"last_seq\":\"1\",\"quantity\":7},"
    "{\"flow_id\":\"b\",\"stage\":\"x\",\"last_seq\":\"" WIDE "\",\"quantity\":9}],"
    "\"effect\":["
    "{\"event_id\":\"d\",\"flow_id\":\"b\",\"seq\":\"" WIDE "\",\"stage\":\"x\",\"quantity\":9},"
    "{\"event_id\":\"e1\",\"flow_id\":\"a\",\"seq\":\"1\",\"stage\":\"reserved\","
    "\"quantity\":7}]}";

static void make_consumer(const char *store)
{
    side_make("consumer", store,
              "INSERT INTO inbox VALUES"
              " (5, 'e1', 'a', 1, 1, 'reserved', '{}', 1, 0, NULL),"
              " (2, 'e9', 'b', 9223372036854775807, 7, 'x', '', 0, 1, 'unknown_version');"
              "INSERT INTO projection VALUES ('b', 'x', " WIDE ", 9), ('a', 'reserved', 1, 7);"
              "INSERT INTO effect VALUES ('e1', 'a', 1, 'reserved', 7), ('d', 'b', " WIDE
              ", 'x', 9);");
}

static void expect_tables(struct answer answer, const char *tables)
{
    const char *got = answer_text(answer, "tables");

    expect_outcome(answer, outcome_value(1));
    expect(is_same_json(got, tables), tables, "%s", got);
}

/* The names of an object's members, in their order. */
static char *names_of(const char *json)
{
    cJSON *object = cJSON_Parse(json);
    const cJSON *member;
    struct text names = { 0 };

    text_add(&names, "%s", "");
    cJSON_ArrayForEach(member, object) text_add(&names, "%s ", member->string);
    cJSON_Delete(object);
    return names.data;
}

CHECK(snapshot, a_producer_is_two_tables_with_all_their_rows_by_key, "snapshot.1")
{
    struct puppet *worker;
    struct answer answer;

    make_producer("producer");
    worker = worker_at("producer", 50);
    answer = call_snapshot(worker, "producer", "producer", NULL);
    expect_tables(answer, producer_text);
    expect_points(answer, "between-tables");
    expect_same("tables in their order", names_of(answer_text(answer, "tables")),
                xstrdup("flow outbox "));
}

CHECK(snapshot, a_consumer_is_three_tables_with_all_their_rows_by_key, "snapshot.1")
{
    struct puppet *worker;
    struct answer answer;

    make_consumer("consumer");
    worker = worker_at("consumer", 50);
    answer = call_snapshot(worker, "consumer", "consumer", NULL);
    expect_tables(answer, consumer_text);
    expect_same("tables in their order", names_of(answer_text(answer, "tables")),
                xstrdup("inbox projection effect "));
}

CHECK(snapshot, tables_without_rows_are_empty_arrays, "snapshot.1")
{
    struct puppet *worker;

    side_make("producer", "producer", "");
    side_make("consumer", "consumer", "");
    worker = worker_at("producer", 50);
    worker_open(worker, "consumer", 50);
    expect_tables(call_snapshot(worker, "producer", "producer", NULL),
                  "{\"flow\":[],\"outbox\":[]}");
    expect_tables(call_snapshot(worker, "consumer", "consumer", NULL),
                  "{\"inbox\":[],\"projection\":[],\"effect\":[]}");
}

CHECK(snapshot, of_three_hundred_rows_none_is_left_out, "snapshot.1")
{
    struct puppet *worker;
    struct answer answer;
    cJSON *tables;

    side_make_wide("producer", "producer", many_rows("producer", 1, 300));
    worker = worker_at("producer", 50);
    stage_did("(a store with PRAGMA encoding = 'UTF-16')");
    answer = call_snapshot(worker, "producer", "producer", NULL);
    expect_outcome(answer, outcome_value(1));
    tables = cJSON_Parse(answer_text(answer, "tables"));
    expect_number("rows of the outbox",
                  cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(tables, "outbox")), 300);
    cJSON_Delete(tables);
}

CHECK(snapshot, no_snapshot_is_remembered, "common.7")
{
    struct puppet *worker;
    const char *before;

    make_producer("producer");
    worker = worker_at("producer", 50);
    before = answer_text(call_snapshot(worker, "producer", "producer", NULL), "tables");
    sql_on(worker, "producer", "UPDATE flow SET quantity = 8 WHERE flow_id = 'a'");
    expect(!is_same_json(answer_text(call_snapshot(worker, "producer", "producer", NULL), "tables"),
                         before),
           "the new rows, after a write through the same connection", "the old ones");
}

struct writer {
    struct puppet *hand;
    const char *sql;
    int code;
};

static struct outcome write_between(void *context, struct stop *stop)
{
    struct writer *writer = context;

    stage_did("   at %s: another process: %s", stop->point, writer->sql);
    writer->code = hand_try(writer->hand, writer->sql);
    return call_go_on(stop);
}

static void expect_unseen(const char *role, const char *tables, const char *sql)
{
    struct puppet *worker = worker_at(role, 50);
    struct writer writer = { hand_open(role), sql, -1 };
    struct how how = { .directions = { .at = write_between, .context = &writer } };
    struct answer answer = call_snapshot(worker, role, role, &how);

    expect_number("the writer's result code", writer.code, SQLITE_OK);
    expect_tables(answer, tables);
    answer = call_snapshot(worker, role, role, NULL);
    expect(!is_same_json(answer_text(answer, "tables"), tables), "the next call sees the new rows",
           "the old ones");
}

CHECK(snapshot, a_producers_writer_is_not_held_up_and_not_seen, "snapshot.2")
{
    make_producer("producer");
    expect_unseen(
        "producer", producer_text,
        "BEGIN IMMEDIATE; UPDATE flow SET seq = 2 WHERE flow_id = 'a';"
        " INSERT INTO outbox VALUES (4294967308, 'e4', 'a', 2, 1, 'confirmed', '{}', 0); COMMIT");
}

CHECK(snapshot, a_consumers_writer_is_not_held_up_and_not_seen, "snapshot.2")
{
    make_consumer("consumer");
    expect_unseen("consumer", consumer_text,
                  "BEGIN IMMEDIATE; UPDATE projection SET quantity = 8;"
                  " UPDATE effect SET quantity = 8; COMMIT");
}

CHECK(snapshot, a_hook_that_fails_between_the_tables_is_handed_on, "snapshot.2")
{
    struct puppet *worker;

    make_producer("producer");
    worker = worker_at("producer", 50);
    for (int i = 0; i < FAILURES; i++) {
        struct reply_at reply = { "between-tables", failures[i] };
        struct how how = moment_reply(&reply);
        struct answer answer = call_snapshot(worker, "producer", "producer", &how);

        expect_outcome(answer, failures[i]);
        expect_points(answer, "between-tables");
    }
    expect_tables(call_snapshot(worker, "producer", "producer", NULL), producer_text);
}

CHECK(snapshot, a_writer_that_holds_its_lock_holds_no_reader_up, "snapshot.2")
{
    struct puppet *worker;
    struct puppet *hand;

    make_consumer("consumer");
    worker = worker_at("consumer", 50);
    hand = hand_open("consumer");
    hand_do(hand, "BEGIN IMMEDIATE; UPDATE effect SET quantity = 8");
    stage_did("(another process is in the middle of a write)");
    expect_tables(call_snapshot(worker, "consumer", "consumer", NULL), consumer_text);
    hand_do(hand, "ROLLBACK");
}

CHECK(snapshot, another_role_is_invalid, "snapshot.3")
{
    static const char *const roles[] = { NULL, "", "Producer", "consumers", "source", "flow" };
    struct puppet *worker;

    make_producer("producer");
    worker = worker_at("producer", 50);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        struct answer answer = call_snapshot(worker, "producer", roles[i], NULL);

        expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
        expect_points(answer, "");
    }
    expect_tables(call_snapshot(worker, "producer", "producer", NULL), producer_text);
}

CHECK(snapshot, another_role_is_invalid_on_a_consumers_file_too, "snapshot.3")
{
    struct puppet *worker;

    make_consumer("consumer");
    worker = worker_at("consumer", 50);
    expect_outcome(call_snapshot(worker, "consumer", "sink", NULL), outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_snapshot(worker, "consumer", NULL, NULL), outcome_of(OUTCOME_INVALID, 0));
    expect_tables(call_snapshot(worker, "consumer", "consumer", NULL), consumer_text);
}

static struct answer read_swept(void *context, struct puppet *worker, const struct how *how)
{
    struct how mine = *how;

    (void)context;
    mine.no_hook = true;
    return call_snapshot(worker, how->on, "consumer", &mine);
}

static void judge_swept(void *context, const char *store, struct answer answer)
{
    (void)context;
    (void)store;
    if (answer.outcome.kind == OUTCOME_VALUE)
        expect_tables(answer, consumer_text);
    else
        expect_sqlite(answer, SQLITE_IOERR);
}

CHECK(snapshot, an_error_of_any_read_is_handed_on, "common.4")
{
    struct sweep sweep = { .store = "read",
                           .make = make_consumer,
                           .busy_timeout_ms = 20,
                           .call = read_swept,
                           .judge = judge_swept };

    sweep_errors(&sweep, SQLITE_IOERR);
}

CHECK(snapshot, memory_does_not_grow, "common.3")
{
    struct puppet *worker;
    struct how how = { .times = 30, .no_hook = true };

    make_consumer("consumer");
    worker = worker_at("consumer", 50);
    expect_tables(call_snapshot(worker, "consumer", "consumer", &how), consumer_text);
    expect_outcome(call_snapshot(worker, "consumer", "x", &how), outcome_of(OUTCOME_INVALID, 0));
}
