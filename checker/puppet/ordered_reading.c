/* ordered_reading.c - drain, process_all and snapshot: what comes back is more than an outcome */
#include "ordered_commands.h"

#include "base.h"
#include "call.h"
#include "result.h"

#define UNTOUCHED (-77) /* in *applied before a call */

void ordered_play_drain(const cJSON *order, cJSON *answer)
{
    LEARNERS(drain);
    const char *flow_id = order_text(order, "flow_id");
    char *before = xstrdup(flow_id);
    sqlite3 *con = order_connection(order);
    struct call call = call_begin(order, con, false);
    int applied = UNTOUCHED;
    struct outcome outcome;

    do
        outcome =
            learners_drain(con, flow_id, order_number(order, "limit", 0),
                           order_number(order, "support_v2", 0) != 0, call_fault(order), &applied);
    while (call_again(&call));
    call_compare(&call, "flow_id", before, xstrdup(flow_id));
    cJSON_AddNumberToObject(answer, "applied", applied);
    call_end(&call, outcome, answer);
}

void ordered_play_process_all(const cJSON *order, cJSON *answer)
{
    LEARNERS(process_all);
    sqlite3 *con = order_connection(order);
    struct call call = call_begin(order, con, false);
    cJSON *report = &result_untouched;
    struct outcome outcome;

    for (;;) {
        outcome = learners_process_all(con, order_number(order, "limit", 0),
                                       order_number(order, "support_v2", 0) != 0, &report);
        if (!call_again(&call))
            break;
        if (outcome.kind == OUTCOME_VALUE)
            cJSON_Delete(report);
        report = &result_untouched;
    }
    if (result_check(&call, outcome, report, "process_all.2")) {
        result_show(answer, "report", report);
        call_delete(report);
    }
    call_end(&call, outcome, answer);
}

void ordered_play_snapshot(const cJSON *order, cJSON *answer)
{
    LEARNERS(snapshot);
    const char *role = order_text(order, "role");
    char *before = xstrdup(role ? role : "");
    sqlite3 *con = order_connection(order);
    struct call call = call_begin(order, con, false);
    cJSON *tables = &result_untouched;
    struct outcome outcome;

    for (;;) {
        outcome = learners_snapshot(con, role, call_fault(order), &tables);
        if (!call_again(&call))
            break;
        if (outcome.kind == OUTCOME_VALUE)
            cJSON_Delete(tables);
        tables = &result_untouched;
    }
    call_compare(&call, "role", before, xstrdup(role ? role : ""));
    if (result_check(&call, outcome, tables, "snapshot.1")) {
        result_show(answer, "tables", tables);
        call_delete(tables);
    }
    call_end(&call, outcome, answer);
}
