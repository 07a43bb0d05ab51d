/* opening.c - see opening.h */
#include "opening.h"

#include "base.h"
#include "call.h"
#include "commands.h"
#include "result.h"

void opening_play(const cJSON *order, cJSON *answer,
                  struct outcome (*open)(const char *, const char *, sqlite3 **),
                  const char *opened, const char *failed)
{
    const char *path = order_text(order, "path");
    const char *role = order_text(order, "role");
    char *path_before = xprintf("%s %s", path, role ? role : "");
    struct borrow_counts before = borrow_counts();
    struct borrow_counts now;
    struct outcome outcome;
    struct call call;
    sqlite3 *con = (sqlite3 *)&result_untouched;

    call = call_begin(order, NULL, true);
    for (;;) {
        outcome = open(path, role, &con);
        if (!call_again(&call))
            break;
        if (outcome.kind == OUTCOME_VALUE)
            sqlite3_close(con);
        con = (sqlite3 *)&result_untouched;
    }
    now = borrow_counts();
    call_compare(&call, "path and role", path_before, xprintf("%s %s", path, role ? role : ""));
    if (result_check(&call, outcome, (const cJSON *)con, opened)) {
        call.con = con;
        commands_keep(order, con);
    }
    if (now.opened - before.opened - (now.closed - before.closed) != (call.con ? 1 : 0) &&
        outcome.kind != OUTCOME_TODO)
        observation_add(call.breaches, call.con ? "common.3" : failed,
                        call.con ? "one connection is open on success" : "the connection is closed",
                        "a connection stays open");
    call_end(&call, outcome, answer);
}
