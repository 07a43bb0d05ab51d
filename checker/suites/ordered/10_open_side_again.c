/* Step 10: steps/ordered/10-open_side.md - what was there before stays, what is missing is made */
#include "10_open_side.h"

/* The CREATE TABLE of the role's table of that number, NULL behind the last. */
static char *table_of(const char *role, int number)
{
    auto_free char *copy = xstrdup(side_tables(role));
    char *rest = copy;
    char *table = NULL;

    for (int i = 0; i <= number; i++)
        table = strsep(&rest, ";");
    return table && *table ? xprintf("%s;", table) : NULL;
}

/* Twice: the second time nothing is missing. */
static void expect_rows_stay(struct puppet *worker, const char *store, const char *role,
                             const char *rows)
{
    for (int i = 0; i < 2; i++) {
        expect_opened(worker, store, role);
        worker_close(worker, store);
    }
    expect_same("rows", side_rows(role, store), side_with(role, rows));
    stage_forget();
}

/* rows: of each of its tables, in their order.  With all tables, in each mode; and with each alone. */
static void expect_each_stays(struct puppet *worker, const char *role, char *const *rows)
{
    auto_free char *all = xprintf("%s%s%s", rows[0], rows[1], rows[2]);
    auto_free char *whole = xprintf("%s-whole", role);
    auto_free char *plain = xprintf("%s-plain", role);
    char *table;

    side_make(role, whole, all);
    expect_rows_stay(worker, whole, role, all);
    side_make_plain(role, plain, all);
    expect_rows_stay(worker, plain, role, all);
    for (int i = 0; (table = table_of(role, i)) != NULL; i++) {
        auto_free char *store = xprintf("%s-%d", role, i);
        auto_free char *sql = xprintf("%s%s", table, rows[i]);

        stage_did("(the store before: %s)", sql);
        store_make(store, sql);
        expect_rows_stay(worker, store, role, rows[i]);
        free(table);
    }
}

CHECK(open_side, what_is_there_stays_and_what_is_missing_is_made, "open_side.2")
{
    struct puppet *worker = puppet_start();
    struct envelope first = event_of("flow-1", 1, 7);
    struct envelope second = event_of("flow-1", 2, 7);
    struct envelope third = event_of("flow-1", 3, 7);
    /* Flow and history, inbox and effects do not fit each other: it is no business of this call. */
    char *producer[] = { flow_row("flow-1", "released", 3, 7),
                         xprintf("%s%s", outbox_row(&first, 1), outbox_row(&second, 0)), "" };
    char *consumer[] = { xprintf("%s%s%s", inbox_row(&first, 1, 0, NULL),
                                 inbox_row(&second, 0, 1, "bad_payload"),
                                 inbox_row(&third, 0, 0, NULL)),
                         projection_row("flow-1", "reserved", 1, 7),
                         xprintf("%s%s", effect_row(&first, 7), effect_row(&third, 7)) };

    expect_each_stays(worker, "producer", producer);
    expect_each_stays(worker, "consumer", consumer);
}

/* They are counted: to read them all would take longer than the rest of the check. */
CHECK(open_side, of_a_long_history_each_row_stays, "open_side.2")
{
    struct puppet *worker = puppet_start();
    auto_free char *sent = many_rows("producer", 1, 1020);
    auto_free char *kept = many_rows("consumer", 1, 1020);
    auto_free char *applied = xprintf("%sUPDATE inbox SET applied = 1;", kept);

    side_make("producer", "shop", sent);
    side_make("consumer", "house", applied);
    stage_did("(1020 rows in each file, accepted or applied)");
    expect_opened(worker, "shop", "producer");
    expect_opened(worker, "house", "consumer");
    expect_same("events sent, and how many are accepted",
                store_rows("shop", "SELECT count(DISTINCT event_id), sum(accepted) FROM outbox"),
                xstrdup("1020|1020\n"));
    expect_same("events kept, and how many are applied",
                store_rows("house", "SELECT count(DISTINCT event_id), sum(applied) FROM inbox"),
                xstrdup("1020|1020\n"));
}

CHECK(open_side, what_a_dead_process_left_in_a_log_stays, "open_side.2")
{
    struct puppet *worker = puppet_start();
    struct puppet *hand = puppet_start_hand();
    struct envelope event = event_of("flow-1", 1, 7);
    char *sent = outbox_row(&event, 1);
    char *kept = inbox_row(&event, 0, 0, NULL);

    side_make("producer", "shop", "");
    side_make("consumer", "house", "");
    puppet_open(hand, "shop", "shop", 0);
    puppet_open(hand, "house", "house", 0);
    sql_on(hand, "shop", sent);
    sql_on(hand, "house", kept);
    puppet_kill(hand);
    stage_did("(a process wrote a row into each and was killed: the rows are in the -wal files)");
    expect_opened(worker, "shop", "producer");
    expect_opened(worker, "house", "consumer");
    expect_same("rows", side_rows("producer", "shop"), side_with("producer", sent));
    expect_same("rows", side_rows("consumer", "house"), side_with("consumer", kept));
}
