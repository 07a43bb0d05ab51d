/* Step 16: steps/ordered/16-snapshot.md */
#include "16_snapshot.h"

/* What JSON, a format or SQL would take for more than a text. */
#define ODD_PAYLOAD "{\"amount\":7,\"x\":\"100% of %d %s, \\/ and \\u0041, 'a'\"}\t\r\n"

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

CHECK(snapshot, names_stages_and_payloads_are_unchanged, "snapshot.1")
{
    const char *longest = xprintf("%0100d", 7);
    struct envelope event = { longest, longest, 1, 1, longest, ODD_PAYLOAD };
    auto_free char *flow = xprintf("\"flow_id\":\"%s\",\"stage\":\"%s\"", longest, longest);
    char *as_json = event_text(&event) + 1; /* without its first brace */
    struct puppet *worker;

    side_make("producer", "producer",
              xprintf("%s%s", flow_row(longest, longest, 1, 7), outbox_row(&event, 0)));
    side_make("consumer", "consumer",
              xprintf("%s%s", applied_rows(&event, 7), projection_row(longest, longest, 1, 7)));
    worker = worker_at("producer", 50);
    worker_open(worker, "consumer", 50);
    expect_tables(call_snapshot(worker, "producer", "producer", NULL),
                  xprintf("{\"flow\":[{%s,\"seq\":\"1\",\"quantity\":7}],"
                          "\"outbox\":[{\"position\":1,\"accepted\":0,%s]}",
                          flow, as_json));
    expect_tables(call_snapshot(worker, "consumer", "consumer", NULL),
                  xprintf("{\"inbox\":[{\"position\":1,\"applied\":1,\"blocked\":0,"
                          "\"reason\":null,%s],"
                          "\"projection\":[{%s,\"last_seq\":\"1\",\"quantity\":7}],"
                          "\"effect\":[{\"event_id\":\"%s\",%s,\"seq\":\"1\",\"quantity\":7}]}",
                          as_json, flow, longest, flow));
}

/* SQL of so many rows in each table of the role, in their order. */
static char *rows_of(const char *role, const int counts[3])
{
    static const char *const inserts[2][3] = {
        { "INSERT INTO flow SELECT 'f' || i, 'x', i, 7 FROM n;",
          "INSERT INTO outbox SELECT i, 'e' || i, 'f' || i, 1, 1, 'x', '', 0 FROM n;" },
        { "INSERT INTO inbox SELECT i, 'e' || i, 'f' || i, 1, 1, 'x', '', 1, 0, NULL FROM n;",
          "INSERT INTO projection SELECT 'f' || i, 'x', 1, 7 FROM n;",
          "INSERT INTO effect SELECT 'e' || i, 'f' || i, 1, 'x', 7 FROM n;" },
    };
    const char *const *insert = inserts[role[0] == 'c'];
    struct text sql = { 0 };

    for (int i = 0; i < 3 && insert[i]; i++)
        text_add(&sql,
                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) %s",
                 counts[i], insert[i]);
    return sql.data;
}

static void expect_all_there(struct puppet *worker, const char *role, const int counts[3])
{
    struct answer answer;
    cJSON *tables;
    const cJSON *table;

    side_make_wide(role, role, rows_of(role, counts));
    worker_open(worker, role, 50);
    stage_did("(a store with PRAGMA encoding = 'UTF-16', and many rows in each table)");
    answer = call_snapshot(worker, role, role, NULL);
    expect_outcome(answer, outcome_value(1));
    tables = cJSON_Parse(answer_text(answer, "tables"));
    cJSON_ArrayForEach(table, tables)
    {
        auto_free char *what = xprintf("rows of %s", table->string);

        expect_number(what, cJSON_GetArraySize(table), *counts++);
    }
    cJSON_Delete(tables);
}

/* A thousand in the tables with the fewest columns: what is written down here takes its time. */
CHECK(snapshot, of_a_thousand_rows_and_more_none_is_left_out, "snapshot.1")
{
    static const int producer[] = { 1010, 120, 0 };
    static const int consumer[] = { 120, 1010, 120 };
    struct puppet *worker = puppet_start();

    expect_all_there(worker, "producer", producer);
    expect_all_there(worker, "consumer", consumer);
}

CHECK(snapshot, a_long_payload_is_there_to_its_end, "snapshot.1")
{
    struct puppet *worker;
    struct envelope event = event_of("long", 1, 7);
    struct answer answer;
    cJSON *tables;
    const cJSON *outbox;

    event.payload = xprintf("{\"text\":\"%070000d\"}", 7);
    side_make_wide("producer", "producer", outbox_row(&event, 0));
    worker = worker_at("producer", 50);
    stage_did("(a store with PRAGMA encoding = 'UTF-16'; the payload has 70011 bytes)");
    answer = call_snapshot(worker, "producer", "producer", NULL);
    expect_outcome(answer, outcome_value(1));
    tables = cJSON_Parse(answer_text(answer, "tables"));
    outbox = cJSON_GetObjectItemCaseSensitive(tables, "outbox");
    expect_length("bytes of the payload",
                  cJSON_GetStringValue(
                      cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(outbox, 0), "payload")),
                  70011);
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

CHECK(snapshot, behind_many_rows_a_writer_is_not_seen_either, "snapshot.2")
{
    static const int counts[] = { 210, 3, 0 };
    struct puppet *worker;
    struct answer answer;

    side_make("producer", "producer", rows_of("producer", counts));
    worker = worker_at("producer", 50);
    answer = call_snapshot(worker, "producer", "producer", NULL);
    stage_did("(210 flows, and 3 events)");
    expect_unseen("producer", answer_text(answer, "tables"),
                  "BEGIN IMMEDIATE; UPDATE flow SET quantity = 8; UPDATE outbox SET accepted = 1;"
                  " COMMIT");
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
