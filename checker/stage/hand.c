/* hand.c - see hand.h */
#include "hand.h"

#include "base.h"
#include "call.h"
#include "store.h"

cJSON *order_of(const char *name)
{
    cJSON *order = cJSON_CreateObject();

    cJSON_AddStringToObject(order, "do", name);
    return order;
}

static cJSON *run(struct puppet *puppet, const char *connection, const char *sql)
{
    cJSON *order = order_of("sql");

    cJSON_AddStringToObject(order, "on", connection);
    cJSON_AddStringToObject(order, "sql", sql);
    return call_order(puppet, order);
}

struct puppet *hand_open(const char *store)
{
    struct puppet *hand = puppet_start_hand();
    cJSON *order = order_of("open");
    auto_free char *path = store_path(store);

    cJSON_AddStringToObject(order, "path", path);
    cJSON_AddStringToObject(order, "as", "hand");
    cJSON_Delete(call_order(hand, order));
    return hand;
}

int hand_try(struct puppet *hand, const char *sql)
{
    cJSON *answer = run(hand, "hand", sql);
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(answer, "code");
    int value = cJSON_IsNumber(code) ? code->valueint : -1;

    cJSON_Delete(answer);
    return value;
}

void hand_do(struct puppet *hand, const char *sql)
{
    int code = hand_try(hand, sql);

    if (code != 0)
        die("another process cannot do \"%s\": code %d", sql, code);
}

char *puppet_rows(struct puppet *puppet, const char *connection, const char *sql)
{
    cJSON *answer = run(puppet, connection, sql);
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
