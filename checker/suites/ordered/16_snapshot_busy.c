/* Step 16: steps/ordered/16-snapshot.md - beside a writer that never rests */
#include "base.h"
#include "ordered_calls.h"
#include "stage.h"

#include <stdlib.h>
#include <string.h>

#define ROUND      150 /* transactions in one go of the writer, each of which moves both rows */
#define WRITING_MS 20000

static const char two_rows[] =
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

static const char *seq_of(const cJSON *tables, const char *table)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(tables, table);
    const cJSON *row = cJSON_GetArrayItem(rows, 0);
    const char *seq = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "seq"));

    return seq ? seq : "none";
}

static void expect_one_moment(struct answer answer)
{
    cJSON *tables = NULL;

    expect_outcome(answer, outcome_value(1));
    tables = cJSON_Parse(answer_text(answer, "tables"));
    expect(strcmp(seq_of(tables, "flow"), seq_of(tables, "outbox")) == 0,
           "the same seq in flow and outbox, which each transaction of the writer moves together",
           "%s and %s", seq_of(tables, "flow"), seq_of(tables, "outbox"));
    cJSON_Delete(tables);
}

static void take_many(int times)
{
    const struct how no_hook = { .no_hook = true };
    struct puppet *worker;
    struct puppet *hand;

    side_make("producer", "producer", two_rows);
    worker = worker_at("producer", 2000);
    hand = hand_open("producer");
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
