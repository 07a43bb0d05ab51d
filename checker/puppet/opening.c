/* opening.c - see opening.h */
#include "opening.h"

#include "base.h"
#include "call.h"
#include "commands.h"
#include "result.h"
#include "sealed.h"

void opening_play(const cJSON *order, cJSON *answer,
                  struct outcome (*open)(const char *, const char *, sqlite3 **),
                  const char *opened, const char *failed)
{
    struct sealed path = sealed_copy(order_text(order, "path"));
    struct sealed role = sealed_copy(order_text(order, "role"));
    struct borrow_counts before = borrow_counts();
    struct borrow_counts now;
    struct outcome outcome;
    struct call call;
    sqlite3 *con = (sqlite3 *)&result_untouched;

    call = call_begin(order, NULL, true);
    for (;;) {
        outcome = open(path.text, role.text, &con);
        if (!call_again(&call))
            break;
        if (outcome.kind == OUTCOME_VALUE)
            sqlite3_close(con);
        con = (sqlite3 *)&result_untouched;
    }
    now = borrow_counts();
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
    sealed_free(&path);
    sealed_free(&role);
}
