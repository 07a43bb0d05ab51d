/* worker_walk_play.c - see worker_walk_play.h: the moves, and what is around a call */
#include "worker_walk_play.h"

#include "base.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_MS 20

struct event walk_event(const struct world *world, const struct move *move)
{
    struct event event = world->pool[move->event];

    if (move->variant == EVENT_OTHER_QTY)
        event.qty = event.qty % 1000 + 1;
    return event;
}

cJSON *walk_spec(const struct world *world, const struct move *move)
{
    static const char *const forms[] = {
        "{\"id\":\"%s\",\"qty\":0}",           "{\"id\":\"%s\",\"qty\":1001}",
        "{\"id\":\"%s\",\"qty\":7.5}",         "{\"id\":\"%s\",\"qty\":\"7\"}",
        "{\"id\":\"%s.\",\"qty\":7}",          "{\"id\":\"%s\",\"qty\":7,\"more\":1}",
        "{\"id\":\"%s\",\"qty\":7,\"qty\":7}", "{\"id\":\"%s\"}",
    };
    const char *form = forms[move->at % (int)(sizeof forms / sizeof *forms)];
    size_t length = strcspn(form, "%");
    auto_free char *text = NULL;

    if (move->variant != EVENT_NONE)
        return spec_of(walk_event(world, move));
    text = xprintf("%.*s%s%s", (int)length, form, world->pool[move->event].id, form + length + 2);
    return spec_text(text);
}

void walk_arm(const struct move *move, struct how *how)
{
    if (move->trouble == TROUBLE_STORAGE) {
        how->storage_at = move->operation;
        how->storage_code = SQLITE_IOERR;
        how->storage_reads = true;
    } else if (move->trouble == TROUBLE_KILL_STORAGE) {
        how->storage_at = move->operation;
    } else if (move->trouble == TROUBLE_MEMORY) {
        how->memory_at = move->operation;
    }
}

bool walk_is_trouble(struct answer answer, const struct move *move)
{
    int code = move->trouble == TROUBLE_STORAGE ? SQLITE_IOERR : SQLITE_BUSY;

    return (move->trouble == TROUBLE_STORAGE || move->trouble == TROUBLE_LOCK) &&
           answer.outcome.kind == OUTCOME_SQLITE && (answer.outcome.code & 0xff) == code;
}

static char *rows_of(const struct world *world)
{
    return world->model.is_sink ? sink_rows(world->store) : source_rows(world->store);
}

void walk_expect_rows(const struct world *world)
{
    expect_same("rows", rows_of(world), model_rows(&world->model));
}

void walk_settle(struct world *world, const struct model *before, const struct model *after)
{
    auto_free char *rows = rows_of(world);

    if (is_same_text(rows, model_rows(before))) {
        world->model = *before;
    } else {
        world->model = *after;
        walk_expect_rows(world);
    }
}

/* --- what other processes do -------------------------------------------------------- */

static void do_beside(const struct world *world, const char *sql)
{
    stage_did("another process: %s", sql);
    hand_do(world->hand, sql);
}

static void put(struct world *world, const struct move *move)
{
    struct event event = walk_event(world, move);
    auto_free char *sql = NULL;

    if (model_find(&world->model, event.id) >= 0 || world->model.count == MODEL_ROWS_MAX)
        return;
    if (world->model.is_sink)
        sql = xprintf("BEGIN; INSERT INTO inbox VALUES ('%s', %d);"
                      " UPDATE stock SET total = total + %d; COMMIT",
                      event.id, event.qty, event.qty);
    else
        sql = xprintf("BEGIN; INSERT INTO orders VALUES ('%s', %d);"
                      " INSERT INTO outbox (id, qty, sent) VALUES ('%s', %d, 0); COMMIT",
                      event.id, event.qty, event.id, event.qty);
    do_beside(world, sql);
    model_add(&world->model, event);
}

static void remove_event(struct world *world, const struct move *move)
{
    const char *id = world->pool[move->event].id;
    int place = model_find(&world->model, id);
    auto_free char *sql = NULL;

    if (place < 0)
        return;
    if (world->model.is_sink)
        sql = xprintf("BEGIN; DELETE FROM inbox WHERE id = '%s';"
                      " UPDATE stock SET total = total - %d; COMMIT",
                      id, world->model.events[place].qty);
    else
        sql = xprintf("BEGIN; DELETE FROM orders WHERE id = '%s';"
                      " DELETE FROM outbox WHERE id = '%s'; COMMIT",
                      id, id);
    do_beside(world, sql);
    model_remove(&world->model, place);
}

static void toggle_stock(struct world *world)
{
    bool is_missing = world->model.has_no_stock;

    do_beside(world, is_missing ? "INSERT INTO stock SELECT 1, coalesce(sum(qty), 0) FROM inbox"
                                : "DELETE FROM stock");
    world->model.has_no_stock = !is_missing;
}

static void toggle_mark(struct world *world, const struct move *move)
{
    const char *id = world->pool[move->event].id;
    int place = model_find(&world->model, id);
    auto_free char *sql = xprintf("UPDATE outbox SET sent = 1 - sent WHERE id = '%s'", id);

    if (place < 0)
        return;
    do_beside(world, sql);
    world->model.sent[place] ^= '0' ^ '1';
}

/* --- a call, and what is around it --------------------------------------------------- */

static struct puppet *worker_of(struct world *world, int who)
{
    if (!world->pair[who]) {
        world->pair[who] = puppet_start();
        puppet_open(world->pair[who], world->store, world->store, BUSY_MS);
    }
    return world->pair[who];
}

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

    do_beside(world, sql);
}

/* How long the connection waits for a lock is not for a call to change. */
static void expect_same_patience(const struct world *world, struct puppet *worker)
{
    static const char *const clauses[] = { "enqueue.3", "common.7", "receive.3", "mark_sent.7",
                                           "common.7" };

    stage_proves(clauses[world->function]);
    expect_same("PRAGMA busy_timeout, as it was before the call",
                puppet_rows(worker, world->store, "PRAGMA busy_timeout"), xprintf("%d\n", BUSY_MS));
}

static void call(struct world *world, const struct move *move)
{
    static void (*const calls[])(struct world *, struct puppet *,
                                 const struct move *) = { walk_take, walk_pending, walk_take,
                                                          walk_mark, walk_dispatch };
    struct puppet *worker = worker_of(world, move->who);

    if (move->trouble == TROUBLE_LOCK)
        do_beside(world, "BEGIN IMMEDIATE");
    if (move->trouble == TROUBLE_REFUSED)
        refuse_changes(world);
    stage_or(move->trouble == TROUBLE_STORAGE ? STAGE_OR_HANDED_ON : NULL);
    calls[world->function](world, worker, move);
    stage_or(NULL);
    if (move->trouble == TROUBLE_LOCK)
        hand_do(world->hand, "ROLLBACK");
    if (move->trouble == TROUBLE_REFUSED)
        hand_do(world->hand, "DROP TRIGGER one; DROP TRIGGER two");
    if (puppet_was_killed(worker))
        world->pair[move->who] = NULL;
    else
        expect_same_patience(world, worker);
}

void walk_play(struct world *world, const struct move *move)
{
    switch (move->kind) {
    case MOVE_CALL:
        call(world, move);
        walk_expect_rows(world);
        break;
    case MOVE_PUT:
        put(world, move);
        break;
    case MOVE_REMOVE:
        remove_event(world, move);
        break;
    case MOVE_MARK:
        if (world->model.is_sink)
            toggle_stock(world);
        else
            toggle_mark(world, move);
        break;
    case MOVE_PROCESS:
        if (world->pair[move->who]) {
            stage_did("process %d is killed, and another takes its place", move->who + 1);
            puppet_kill(world->pair[move->who]);
            world->pair[move->who] = NULL;
        }
        break;
    }
}
