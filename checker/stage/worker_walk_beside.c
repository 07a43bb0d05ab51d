/* worker_walk_beside.c - what others do between and beside the calls; worker_walk_play.h */
#include "worker_walk_play.h"

#include "base.h"

#include <string.h>

/* Another process, or the application on its own connection. */
static void do_beside(struct world *world, const struct move *move, const char *sql)
{
    struct puppet *worker = move->own ? world->pair[move->who] : NULL;

    stage_did("%s: %s", worker ? "the application itself" : "another process", sql);
    if (worker && sql_on(worker, world->store, sql) != 0)
        stage_fail(FINDING_FAIL, "common.2", "the application can go on on its connection",
                   "SQLite refuses its SQL there");
    if (!worker)
        hand_do(world->hand, sql);
}

static void do_hand(const struct world *world, const char *sql)
{
    stage_did("another process: %s", sql);
    hand_do(world->hand, sql);
}

/* --- between calls --------------------------------------------------------------------- */

/* The row comes first now and then, and now and then seq leaps over all that 32 bits hold. */
static void put_order(struct world *world, const struct move *move, struct event event)
{
    static const char leap[] = " UPDATE sqlite_sequence SET seq = (seq / 4294967296 + 1) * "
                               "4294967296 WHERE name = 'outbox';";
    static const char first[] = "(SELECT coalesce(min(seq), 1) - 1 FROM outbox), ";
    bool is_first = move->operation % 5 == 0;
    bool leaps = move->operation % 5 == 1;
    auto_free char *sql =
        xprintf("BEGIN; INSERT INTO orders VALUES ('%s', %d);%s"
                " INSERT INTO outbox (%sid, qty, sent) VALUES (%s'%s', %d, 0); COMMIT",
                event.id, event.qty, leaps ? leap : "", is_first ? "seq, " : "",
                is_first ? first : "", event.id, event.qty);

    do_beside(world, move, sql);
    if (is_first)
        model_add_first(&world->model, event);
    else
        model_add(&world->model, event);
}

static void put(struct world *world, const struct move *move)
{
    struct event event = walk_event(world, move);
    auto_free char *sql = NULL;

    if (model_find(&world->model, event.id) >= 0 || world->model.count == MODEL_ROWS_MAX)
        return;
    if (!world->model.is_sink) {
        put_order(world, move, event);
        return;
    }
    sql = xprintf("BEGIN; INSERT INTO inbox VALUES ('%s', %d);"
                  " UPDATE stock SET total = total + %d; COMMIT",
                  event.id, event.qty, event.qty);
    do_beside(world, move, sql);
    model_add(&world->model, event);
}

static void remove_event(struct world *world, const struct move *move, int place)
{
    const char *id = world->pool[move->event].id;
    auto_free char *sql = NULL;

    if (world->model.is_sink)
        sql = xprintf("BEGIN; DELETE FROM inbox WHERE id = '%s';"
                      " UPDATE stock SET total = total - %d; COMMIT",
                      id, world->model.events[place].qty);
    else
        sql = xprintf("BEGIN; DELETE FROM orders WHERE id = '%s';"
                      " DELETE FROM outbox WHERE id = '%s'; COMMIT",
                      id, id);
    do_beside(world, move, sql);
    model_remove(&world->model, place);
}

static void toggle_stock(struct world *world, const struct move *move)
{
    bool is_missing = world->model.has_no_stock;

    do_beside(world, move,
              is_missing ? "INSERT INTO stock SELECT 1, coalesce(sum(qty), 0) FROM inbox"
                         : "DELETE FROM stock");
    world->model.has_no_stock = !is_missing;
    world->model.extra = 0;
}

static void toggle_mark(struct world *world, const struct move *move, int place)
{
    auto_free char *sql =
        xprintf("UPDATE outbox SET sent = 1 - sent WHERE id = '%s'", world->model.events[place].id);

    if (world->model.sent[place] == MODEL_NO_ROW)
        return;
    do_beside(world, move, sql);
    world->model.sent[place] ^= '0' ^ '1';
}

static void bend_total(struct world *world, const struct move *move)
{
    static const long long steps[] = { 5000000000, -70000, 2147483000, 9007199254740993, 13 };
    long long step = steps[move->operation % 5];
    auto_free char *sql = xprintf("UPDATE stock SET total = total + %lld", step);

    if (world->model.has_no_stock || world->model.extra != 0)
        return;
    do_beside(world, move, sql);
    world->model.extra = step;
}

/* enqueue goes by the order alone, all others by the outbox row alone. */
static void bend_rows(struct world *world, const struct move *move, int place)
{
    const char *id = world->model.events[place].id;
    int *ordered = &world->model.ordered[place];
    auto_free char *sql = NULL;

    if (world->function == WALK_ENQUEUE || move->operation % 3 == 0) {
        sql = xprintf("DELETE FROM outbox WHERE id = '%s'", id);
        world->model.sent[place] = MODEL_NO_ROW;
    } else if (move->operation % 3 == 1) {
        sql = xprintf("DELETE FROM orders WHERE id = '%s'", id);
        *ordered = 0;
    } else {
        sql = xprintf("UPDATE orders SET qty = qty %% 1000 + 1 WHERE id = '%s'", id);
        *ordered = *ordered ? *ordered % 1000 + 1 : 0;
    }
    do_beside(world, move, sql);
    if (world->model.sent[place] == MODEL_NO_ROW && *ordered == 0)
        model_remove(&world->model, place);
}

void walk_beside(struct world *world, const struct move *move)
{
    int place = model_find(&world->model, world->pool[move->event].id);

    if (move->kind == MOVE_PUT)
        put(world, move);
    else if (move->kind == MOVE_MARK && world->model.is_sink)
        toggle_stock(world, move);
    else if (move->kind == MOVE_BEND && world->model.is_sink)
        bend_total(world, move);
    else if (place < 0)
        return;
    else if (move->kind == MOVE_REMOVE)
        remove_event(world, move, place);
    else if (move->kind == MOVE_MARK)
        toggle_mark(world, move, place);
    else
        bend_rows(world, move, place);
}

/* --- beside a call ----------------------------------------------------------------------- */

/* What fires for a known id is not tested: an INSERT OR IGNORE of one meets it too. */
static void refuse_changes(const struct world *world)
{
    static const char *const tables[][2] = { { "outbox", "outbox" }, { "inbox", "stock" } };
    const char *inserted = tables[world->model.is_sink][0];
    auto_free char *sql =
        xprintf("CREATE TRIGGER one BEFORE INSERT ON %s WHEN NOT EXISTS (SELECT 1 FROM %s WHERE id "
                "= new.id)"
                " BEGIN SELECT RAISE(ABORT, 'no'); END;"
                " CREATE TRIGGER two BEFORE UPDATE ON %s BEGIN SELECT RAISE(ABORT, 'no'); END",
                inserted, inserted, tables[world->model.is_sink][1]);

    do_hand(world, sql);
}

bool walk_shuts_out_readers(const struct move *move)
{
    return move->trouble == TROUBLE_LOCK && move->operation % 2 == 0;
}

void walk_trouble_begins(const struct world *world, const struct move *move)
{
    if (move->trouble == TROUBLE_LOCK)
        do_hand(world, walk_shuts_out_readers(move) ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE");
    if (move->trouble == TROUBLE_READER)
        do_hand(world, world->model.is_sink ? "BEGIN; SELECT count(*) FROM inbox"
                                            : "BEGIN; SELECT count(*) FROM outbox");
    if (move->trouble == TROUBLE_REFUSED)
        refuse_changes(world);
}

void walk_trouble_ends(const struct world *world, const struct move *move)
{
    if (move->trouble == TROUBLE_LOCK || move->trouble == TROUBLE_READER)
        hand_do(world->hand, "ROLLBACK");
    if (move->trouble == TROUBLE_REFUSED)
        hand_do(world->hand, "DROP TRIGGER one; DROP TRIGGER two");
}

/* In one transaction; its last statement changes a row, or nothing was done. */
bool walk_meanwhile(const struct world *world, const char *sql)
{
    auto_free char *whole = xprintf("BEGIN IMMEDIATE; %s", sql);
    auto_free char *changes = NULL;
    bool done = hand_try(world->hand, whole) == 0;

    changes = done ? puppet_rows(world->hand, "hand", "SELECT changes()") : xstrdup("0\n");
    done = done && strcmp(changes, "0\n") != 0 && hand_try(world->hand, "COMMIT") == 0;
    if (!done)
        hand_try(world->hand, "ROLLBACK");
    else
        stage_did("   before a storage operation of the call another process: %s", sql);
    return done;
}
