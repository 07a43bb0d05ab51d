/* Step 16: steps/ordered/16-snapshot.md - beside a writer that never rests */
#include "base.h"
#include "ordered_calls.h"
#include "stage.h"

#include <stdlib.h>
#include <string.h>

#define ROUND      150 /* transactions in one go of the writer, each of which moves both rows */
#define WRITING_MS 20000

static const char producer_rows[] =
    "INSERT INTO flow VALUES ('a', 'reserved', 1, 7);"
    "INSERT INTO outbox VALUES (1, 'e', 'a', 1, 1, 'reserved', '{}', 0);";

/* Sets the writer going; it answers when the round is over. */
static void write_on(struct puppet *hand)
{
    cJSON *order = order_of("sql");
    struct text sql = { 0 };

    for (int i = 0; i < ROUND; i++)
        text_add(&sql, "%s",
                 "BEGIN IMMEDIATE; UPDATE flow SET seq = seq + 1;"
                 " UPDATE outbox SET seq = seq + 1; COMMIT;");
    cJSON_AddStringToObject(order, "on", "hand");
    cJSON_AddStringToObject(order, "sql", sql.data);
    puppet_say(hand, order);
    text_free(&sql);
}

/* True where the writer's round was over. */
static bool has_written(struct puppet *hand, int timeout_ms)
{
    enum puppet_state state;
    cJSON *answer = puppet_listen(hand, timeout_ms, &state);

    if (!answer)
        return false;
    expect_number("the writer's result code", said_number(answer, "code"), 0);
    cJSON_Delete(answer);
    return true;
}

/* Of the table's one row. */
static const char *seq_of(const cJSON *table)
{
    const cJSON *row = cJSON_GetArrayItem(table, 0);
    const char *seq = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "seq"));
    const char *last_seq = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "last_seq"));

    return seq ? seq : last_seq ? last_seq : "none";
}

static void expect_one_moment(struct answer answer)
{
    cJSON *tables = NULL;
    const cJSON *table;
    const char *first;
    int rows;

    expect_outcome(answer, outcome_value(1));
    tables = cJSON_Parse(answer_text(answer, "tables"));
    rows = cJSON_GetArraySize(cJSON_GetArrayItem(tables, 0));
    first = seq_of(cJSON_GetArrayItem(tables, 0));
    cJSON_ArrayForEach(table, tables)
    {
        expect(strcmp(seq_of(table), first) == 0,
               "the same seq in all tables, which each transaction of the writer moves together",
               "%s and %s", first, seq_of(table));
        expect(cJSON_GetArraySize(table) == rows,
               "as many rows in all tables, to which each transaction of the writer adds the same",
               "%d and %d", rows, cJSON_GetArraySize(table));
    }
    cJSON_Delete(tables);
}

static void take_many(int times)
{
    const struct how no_hook = { .no_hook = true };
    struct puppet *worker;
    struct puppet *hand;

    side_make("producer", "producer", producer_rows);
    worker = worker_at("producer", 2000);
    hand = puppet_start_hand();
    puppet_open(hand, "producer", "hand", 2000); /* who reads a torn header takes the lock */
    stage_did("(another process moves both rows together, again and again)");
    write_on(hand);
    for (int i = 0; i < times; i++) {
        size_t done = stage_done();

        if (has_written(hand, 0))
            write_on(hand);
        expect_one_moment(call_snapshot(worker, "producer", "producer", i % 2 ? &no_hook : NULL));
        stage_forget_since(done);
    }
    expect(has_written(hand, stage_ms(WRITING_MS)), "the writer comes to its end", "it does not");
}

CHECK(snapshot, each_of_many_beside_a_busy_writer_is_of_one_moment, "snapshot.2")
{
    take_many(40);
}

DEEP_CHECK(snapshot, each_of_500_beside_a_busy_writer_is_of_one_moment, "snapshot.2")
{
    take_many(500);
}

static const char consumer_rows[] =
    "INSERT INTO inbox VALUES (1, 'e', 'a', 1, 1, 'reserved', '{}', 1, 0, NULL);"
    "INSERT INTO projection VALUES ('a', 'reserved', 1, 7);"
    "INSERT INTO effect VALUES ('e', 'a', 1, 'reserved', 7);";

#define MOVE_CONSUMER                                                                              \
    "BEGIN IMMEDIATE; UPDATE inbox SET seq = seq + 1;"                                             \
    " UPDATE projection SET last_seq = last_seq + 1; UPDATE effect SET seq = seq + 1;"             \
    " INSERT INTO inbox SELECT NULL, 'e' || count(*), 'f' || count(*), 1, 1, 'reserved', '{}', 1," \
    " 0, NULL FROM inbox;"                                                                         \
    " INSERT INTO projection SELECT 'f' || count(*), 'reserved', 1, 7 FROM projection;"            \
    " INSERT INTO effect SELECT 'e' || count(*), 'f' || count(*), 1, 'reserved', 7 FROM effect;"   \
    " COMMIT"

/* Where the reader just waits for the lock of the log itself, the writer has to let it go on. */
static struct outcome move_here(void *hand, struct stop *stop)
{
    int code = hand_try(hand, MOVE_CONSUMER);

    stage_did("   before storage operation %d: another process moves all rows, and adds one to each"
              " table (code %d)",
              stop->operation, code);
    return call_go_on(stop);
}

CHECK(snapshot, without_a_hook_a_consumers_is_of_one_moment_too, "snapshot.2")
{
    struct puppet *worker;
    struct how how = { .no_hook = true, .directions = { .at = move_here } };
    struct answer answer;

    side_make("consumer", "consumer", consumer_rows);
    worker = worker_at("consumer", 2000);
    how.directions.context = hand_open("consumer");
    hand_do(how.directions.context, MOVE_CONSUMER);
    do {
        stage_forget();
        how.storage_at++;
        answer = call_snapshot(worker, "consumer", "consumer", &how);
        expect_one_moment(answer);
    } while (answer.operations >= how.storage_at);
    expect(how.storage_at > 1, "at least one storage operation on the store", "none");
}
