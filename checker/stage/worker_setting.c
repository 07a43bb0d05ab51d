/* worker_setting.c - see worker_setting.h */
#include "worker_setting.h"

#include "base.h"
#include "call.h"
#include "hand.h"
#include "stage.h"

static cJSON *order_on(const char *name, const char *connection)
{
    cJSON *order = order_of(name);

    cJSON_AddStringToObject(order, "on", connection);
    return order;
}

void setting_veto(struct puppet *worker, const char *connection)
{
    cJSON_Delete(call_order(worker, order_on("veto", connection)));
    stage_did("(every COMMIT on the connection is refused from now on)");
}

void setting_extended_codes(struct puppet *worker, const char *connection)
{
    cJSON_Delete(call_order(worker, order_on("extended", connection)));
    stage_did("(sqlite3_extended_result_codes is on from now on)");
}

void setting_patience(struct puppet *worker, const char *connection, int naps)
{
    cJSON *order = order_on("patience", connection);

    cJSON_AddNumberToObject(order, "naps", naps);
    cJSON_Delete(call_order(worker, order));
    stage_did("(sqlite3_busy_handler: %d naps for a lock, then it gives up)", naps);
}

int setting_gave_up(struct puppet *worker)
{
    cJSON *answer = call_order(worker, order_of("patience"));
    int gave_up = said_number(answer, "gave_up");

    cJSON_Delete(answer);
    return gave_up;
}
