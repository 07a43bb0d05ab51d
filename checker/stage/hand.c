/* hand.c - see hand.h */
#include "hand.h"

#include "base.h"
#include "call.h"
#include "marks.h"
#include "stage.h"
#include "store.h"

#include <sqlite3.h>

#define PATIENCE_MS 300

cJSON *order_of(const char *name)
{
    cJSON *order = cJSON_CreateObject();

    cJSON_AddStringToObject(order, "do", name);
    return order;
}

static cJSON *run(struct puppet *puppet, const char *connection, const char *sql, int patience_ms)
{
    cJSON *order = order_of("sql");

    cJSON_AddStringToObject(order, "on", connection);
    cJSON_AddStringToObject(order, "sql", sql);
    cJSON_AddNumberToObject(order, "patience", patience_ms);
    return call_order(puppet, order);
}

static int code_of(cJSON *answer)
{
    int value = said_number(answer, "code");

    cJSON_Delete(answer);
    return value;
}

int sql_on(struct puppet *puppet, const char *connection, const char *sql)
{
    int code;

    if (marks_may_move(sql))
        marks_before();
    code = code_of(run(puppet, connection, sql, stage_ms(PATIENCE_MS)));
    if (marks_may_move(sql))
        marks_after();
    return code;
}

void puppet_open(struct puppet *puppet, const char *store, const char *name, int busy_timeout_ms)
{
    cJSON *order = order_of("open");
    auto_free char *path = store_path(store);
    cJSON *answer;

    cJSON_AddStringToObject(order, "path", path);
    cJSON_AddStringToObject(order, "as", name);
    cJSON_AddNumberToObject(order, "timeout", busy_timeout_ms);
    answer = call_order(puppet, order);
    if (!cJSON_HasObjectItem(answer, "code"))
        stage_fail(FINDING_FAIL, NULL, "the store can be opened",
                   cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "refused")));
    cJSON_Delete(answer);
}

struct puppet *hand_open(const char *store)
{
    struct puppet *hand = puppet_start_hand();

    puppet_open(hand, store, "hand", 0);
    return hand;
}

int hand_try(struct puppet *hand, const char *sql)
{
    return code_of(run(hand, "hand", sql, 0));
}

void hand_do(struct puppet *hand, const char *sql)
{
    int code = sql_on(hand, "hand", sql);

    if (code != 0) {
        auto_free char *expected = xprintf("another process can do \"%s\" in the store", sql);
        auto_free char *got = xprintf("SQLite's code %d (%s)", code, sqlite3_errstr(code));

        stage_fail(FINDING_FAIL, NULL, expected, got);
    }
}

char *puppet_rows(struct puppet *puppet, const char *connection, const char *sql)
{
    cJSON *answer = run(puppet, connection, sql, 0);
    const cJSON *row;
    struct text rows = { 0 };

    text_add(&rows, "%s", "");
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(answer, "rows"))
    {
        const cJSON *value;

        cJSON_ArrayForEach(value, row)
            text_add(&rows, "%s%s", value == row->child ? "" : "|", value->valuestring);
        text_add(&rows, "\n");
    }
    cJSON_Delete(answer);
    return rows.data;
}
