/*
 * ordered.c - the reference: the events of one flow take effect in order, once, although
 * they arrive in any order, more than once, and either side may die.
 *
 * How to read it: each function keeps the clauses that ordered.h lists for it.  A helper
 * returns a struct outcome (or a library's own code) and decides nothing that its caller
 * should decide.  Whoever acquires something sets it to NULL first and releases it behind
 * the one label "out", which every path passes.
 */
#include "ordered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- small words used by all steps -------------------------------------------------- */

static bool has_failed(struct outcome outcome)
{
    return outcome.kind != OUTCOME_VALUE;
}

static struct outcome invalid(void)
{
    return outcome_of(OUTCOME_INVALID, 0);
}

/* The contract leaves open what this case returns; SQLite has the fitting code. */
static struct outcome report_no_memory(void)
{
    return outcome_of(OUTCOME_SQLITE, SQLITE_NOMEM);
}

/* Calls the hook, if there is one; without one the call goes on. */
static struct outcome reach_point(const struct fault *fault, const char *point)
{
    if (fault == NULL)
        return outcome_value(1);
    return fault->at(fault->context, point);
}

/* The stage that follows; NULL where none does, or where there is no such stage. */
static const char *stage_after(const char *stage)
{
    static const char *const way[] = { "new", "reserved", "confirmed", "released" };

    for (int i = 0; i < 3; i++)
        if (strcmp(stage, way[i]) == 0)
            return way[i + 1];
    return NULL;
}

static bool follows(const char *next, const char *stage)
{
    const char *expected = stage_after(stage);

    return expected != NULL && strcmp(next, expected) == 0;
}

/* --- step 9 ------------------------------------------------------------------------- */

/* isalnum() would ask the locale; the contract asks for ASCII. */
static bool is_id_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static bool is_id(const char *text)
{
    size_t length = 0;

    if (text == NULL)
        return false;
    while (length <= ORDERED_ID_MAX && is_id_character(text[length]))
        length++;
    /* The whole string counts: the loop must have stopped at its end, not before. */
    return length >= 1 && length <= ORDERED_ID_MAX && text[length] == '\0';
}

struct outcome validate_envelope(const struct envelope *event)
{
    if (event == NULL || !is_id(event->event_id) || !is_id(event->flow_id) || !is_id(event->stage))
        return invalid();
    if (event->seq < 1 || event->schema < 1 || event->payload == NULL)
        return invalid();
    return outcome_value(1);
}

/* --- SQLite: one statement, one transaction ----------------------------------------- */

static struct outcome execute(sqlite3 *con, const char *sql)
{
    int code = sqlite3_exec(con, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? outcome_value(1) : outcome_of(OUTCOME_SQLITE, code);
}

/*
 * Ends a transaction: commits what came to a value, where there is something to keep, and
 * undoes everything else.
 */
static struct outcome end_transaction(sqlite3 *con, struct outcome result, bool has_written)
{
    if (!has_failed(result) && has_written) {
        struct outcome committed = execute(con, "COMMIT");

        if (has_failed(committed))
            result = committed;
    }
    /*
     * A COMMIT that fails with SQLITE_BUSY leaves the transaction open, and some errors
     * close it by themselves: ask SQLite instead of guessing.  What ROLLBACK answers is
     * not looked at: the transaction is over either way, and the first error must not be
     * replaced by a later one.
     */
    if (!sqlite3_get_autocommit(con))
        (void)sqlite3_exec(con, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

/* What is bound to a statement; a text is borrowed until the statement is finalised. */
struct value {
    const char *text; /* NULL: it is the number */
    int64_t number;
};

static struct value text_value(const char *text)
{
    return (struct value){ text, 0 };
}

static struct value number_value(int64_t number)
{
    return (struct value){ NULL, number };
}

/* Prepares sql with these values for ?1, ?2, ... */
static int prepare(sqlite3 *con, const char *sql, const struct value *values, int count,
                   sqlite3_stmt **statement)
{
    int code = sqlite3_prepare_v2(con, sql, -1, statement, NULL);

    for (int i = 0; i < count && code == SQLITE_OK; i++) {
        if (values[i].text != NULL)
            code = sqlite3_bind_text(*statement, i + 1, values[i].text, -1, SQLITE_STATIC);
        else
            code = sqlite3_bind_int64(*statement, i + 1, values[i].number);
    }
    return code;
}

/*
 * Prepares a SELECT and steps to its first row, which *row stands on then: { VALUE, 1 }.
 * { VALUE, 0 } and NULL where there is none.  The caller finalises *row.
 */
static struct outcome find_row(sqlite3 *con, const char *sql, const struct value *values, int count,
                               sqlite3_stmt **row)
{
    int code = prepare(con, sql, values, count, row);

    if (code == SQLITE_OK)
        code = sqlite3_step(*row);
    if (code == SQLITE_ROW)
        return outcome_value(1);
    sqlite3_finalize(*row);
    *row = NULL;
    /* A SELECT that fails is no answer: it does not mean that the row is absent. */
    return code == SQLITE_DONE ? outcome_value(0) : outcome_of(OUTCOME_SQLITE, code);
}

/* Runs an INSERT or UPDATE that must change exactly one row. */
static struct outcome change_row(sqlite3 *con, const char *sql, const struct value *values,
                                 int count)
{
    sqlite3_stmt *statement = NULL;
    struct outcome result = outcome_value(1);
    int code = prepare(con, sql, values, count, &statement);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code != SQLITE_DONE)
        result = outcome_of(OUTCOME_SQLITE, code);
    else if (sqlite3_changes(con) != 1) /* an UPDATE without its row is no error of SQLite */
        result = outcome_of(OUTCOME_SQLITE, SQLITE_NOTFOUND);
    sqlite3_finalize(statement); /* repeats the code that we have already */
    return result;
}

/* A copy of a column's text; NULL where memory runs out. */
static char *copy_column(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text != NULL ? strdup(text) : NULL;
}

/* --- step 10 ------------------------------------------------------------------------ */

struct table {
    const char *name;
    const char *columns;
    const char *key;
};

static const struct table producer_tables[] = {
    { "flow",
      "flow_id TEXT PRIMARY KEY, stage TEXT NOT NULL, seq INTEGER NOT NULL,"
      " quantity INTEGER NOT NULL",
      "flow_id" },
    { "outbox",
      "position INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,"
      " flow_id TEXT NOT NULL, seq INTEGER NOT NULL, schema INTEGER NOT NULL, stage TEXT NOT NULL,"
      " payload TEXT NOT NULL, accepted INTEGER NOT NULL CHECK(accepted IN (0,1)),"
      " UNIQUE(flow_id, seq)",
      "position" },
    { NULL, NULL, NULL },
};

static const struct table consumer_tables[] = {
    { "inbox",
      "position INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,"
      " flow_id TEXT NOT NULL, seq INTEGER NOT NULL, schema INTEGER NOT NULL, stage TEXT NOT NULL,"
      " payload TEXT NOT NULL, applied INTEGER NOT NULL CHECK(applied IN (0,1)),"
      " blocked INTEGER NOT NULL CHECK(blocked IN (0,1)), reason TEXT, UNIQUE(flow_id, seq)",
      "position" },
    { "projection",
      "flow_id TEXT PRIMARY KEY, stage TEXT NOT NULL, last_seq INTEGER NOT NULL,"
      " quantity INTEGER NOT NULL",
      "flow_id" },
    { "effect",
      "event_id TEXT PRIMARY KEY, flow_id TEXT NOT NULL, seq INTEGER NOT NULL,"
      " stage TEXT NOT NULL, quantity INTEGER NOT NULL, UNIQUE(flow_id, seq)",
      "event_id" },
    { NULL, NULL, NULL },
};

static const struct table *find_tables(const char *role)
{
    if (role != NULL && strcmp(role, "producer") == 0)
        return producer_tables;
    if (role != NULL && strcmp(role, "consumer") == 0)
        return consumer_tables;
    return NULL;
}

static struct outcome make_tables(sqlite3 *con, const struct table *tables)
{
    struct outcome result = outcome_value(1);

    for (int i = 0; tables[i].name != NULL && !has_failed(result); i++) {
        char *sql = sqlite3_mprintf("CREATE TABLE IF NOT EXISTS %s (%s)", tables[i].name,
                                    tables[i].columns);

        result = sql == NULL ? report_no_memory() : execute(con, sql);
        sqlite3_free(sql);
    }
    return result;
}

/* Asks for WAL mode once; SQLite answers with the mode that the file is in then. */
static struct outcome ask_for_wal(sqlite3 *con)
{
    sqlite3_stmt *row = NULL;
    struct outcome result = find_row(con, "PRAGMA journal_mode = WAL", NULL, 0, &row);
    const char *mode = row != NULL ? (const char *)sqlite3_column_text(row, 0) : NULL;

    if (!has_failed(result) && (mode == NULL || strcmp(mode, "wal") != 0))
        result = outcome_of(OUTCOME_SQLITE, SQLITE_CANTOPEN);
    sqlite3_finalize(row);
    return result;
}

/* A change of the mode does not wait for another's lock by itself: SQLITE_BUSY comes at once. */
static struct outcome set_wal(sqlite3 *con)
{
    struct outcome result = ask_for_wal(con);

    for (int waited_ms = 0; waited_ms < ORDERED_BUSY_TIMEOUT_MS && has_failed(result) &&
                            (result.code & 0xff) == SQLITE_BUSY;
         waited_ms += 10) {
        (void)sqlite3_sleep(10);
        result = ask_for_wal(con);
    }
    return result;
}

/* Opens *side, which the caller closes, and sets what holds for the connection. */
static struct outcome open_connection(const char *path, sqlite3 **side)
{
    int code = sqlite3_open_v2(path, side, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(*side, ORDERED_BUSY_TIMEOUT_MS);
    if (code != SQLITE_OK)
        return outcome_of(OUTCOME_SQLITE, code);
    /* SQLite opens lazily: a file that is no database shows only here. */
    return execute(*side, "PRAGMA synchronous = FULL");
}

struct outcome open_side(const char *path, const char *role, sqlite3 **con)
{
    const struct table *tables = find_tables(role);
    sqlite3 *side = NULL;
    struct outcome result;

    *con = NULL;
    if (tables == NULL)
        return invalid(); /* before any file is touched */
    result = open_connection(path, &side);
    if (has_failed(result))
        goto out;
    result = execute(side, "BEGIN IMMEDIATE");
    if (has_failed(result))
        goto out;
    result = end_transaction(side, make_tables(side, tables), true);
    if (has_failed(result))
        goto out;
    result = set_wal(side);
    if (has_failed(result))
        goto out;
    *con = side; /* now it is the caller's */
    side = NULL;
out:
    /* Also where the opening failed: SQLite mostly gives a handle then, too. */
    (void)sqlite3_close(side);
    return result;
}

/* --- step 11 ------------------------------------------------------------------------ */

#define PAYLOAD_BYTES 48

/* The only spelling: a repeated command is recognised by it. */
static void write_payload(char *payload, const struct command *command)
{
    (void)snprintf(payload, PAYLOAD_BYTES, "{\"%s\":%d}", command->schema == 1 ? "amount" : "units",
                   (int)command->quantity);
}

static bool is_command(const struct command *command)
{
    return command != NULL && is_id(command->event_id) && is_id(command->flow_id) &&
           is_id(command->stage) && command->expected_seq >= 0 && command->quantity >= 1 &&
           command->quantity <= ORDERED_QUANTITY_MAX &&
           (command->schema == 1 || command->schema == 2);
}

/* Is the event_id on record?  DUPLICATE or CONFLICT if so, else IDLE. */
static struct outcome look_into_history(sqlite3 *con, const struct command *command,
                                        const char *payload)
{
    const struct value values[] = {
        text_value(command->event_id),       text_value(command->flow_id),
        text_value(command->stage),          number_value(command->schema),
        number_value(command->expected_seq), text_value(payload)
    };
    sqlite3_stmt *row = NULL;
    /* seq - 1, since expected_seq + 1 may be more than 64 bits hold. */
    struct outcome result =
        find_row(con,
                 "SELECT flow_id = ?2 AND stage = ?3 AND schema = ?4 AND seq - 1 = ?5"
                 " AND payload = ?6 FROM outbox WHERE event_id = ?1",
                 values, 6, &row);

    if (!has_failed(result)) {
        result = outcome_value(RECEIPT_IDLE);
        if (row != NULL)
            result =
                outcome_value(sqlite3_column_int(row, 0) ? RECEIPT_DUPLICATE : RECEIPT_CONFLICT);
    }
    sqlite3_finalize(row);
    return result;
}

/* May the flow go there?  STALE or INVALID_TRANSITION if not, else COMMITTED. */
static struct outcome judge_move(sqlite3 *con, const struct command *command)
{
    const struct value flow = text_value(command->flow_id);
    sqlite3_stmt *row = NULL;
    struct outcome result =
        find_row(con, "SELECT stage, seq, quantity FROM flow WHERE flow_id = ?1", &flow, 1, &row);
    const char *stage = "new";
    int64_t seq = 0;
    int64_t quantity = command->quantity;

    if (has_failed(result))
        return result;
    if (row != NULL) {
        stage = (const char *)sqlite3_column_text(row, 0);
        seq = sqlite3_column_int64(row, 1);
        quantity = sqlite3_column_int64(row, 2);
    }
    if (stage == NULL)
        result = report_no_memory();
    else if (seq != command->expected_seq)
        result = outcome_value(RECEIPT_STALE);
    else if (!follows(command->stage, stage) || quantity != command->quantity || seq == INT64_MAX)
        result = outcome_value(RECEIPT_INVALID_TRANSITION);
    else
        result = outcome_value(RECEIPT_COMMITTED);
    sqlite3_finalize(row);
    return result;
}

static struct outcome write_move(sqlite3 *con, const struct command *command, const char *payload,
                                 const struct fault *fault)
{
    const struct value flow[] = { text_value(command->flow_id), text_value(command->stage),
                                  number_value(command->expected_seq + 1),
                                  number_value(command->quantity) };
    const struct value event[] = { text_value(command->event_id),
                                   text_value(command->flow_id),
                                   number_value(command->expected_seq + 1),
                                   number_value(command->schema),
                                   text_value(command->stage),
                                   text_value(payload) };
    struct outcome result =
        change_row(con,
                   "INSERT INTO flow (flow_id, stage, seq, quantity) VALUES (?1, ?2, ?3, ?4)"
                   " ON CONFLICT (flow_id) DO UPDATE SET stage = ?2, seq = ?3",
                   flow, 4);

    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-flow");
    if (has_failed(result))
        return result;
    result = change_row(con,
                        "INSERT INTO outbox (event_id, flow_id, seq, schema, stage, payload,"
                        " accepted) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
                        event, 6);
    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-outbox");
    return has_failed(result) ? result : outcome_value(RECEIPT_COMMITTED);
}

static struct outcome move_flow(sqlite3 *con, const struct command *command,
                                const struct fault *fault)
{
    char payload[PAYLOAD_BYTES];
    struct outcome result;

    write_payload(payload, command);
    result = look_into_history(con, command, payload);
    if (has_failed(result) || result.code != RECEIPT_IDLE)
        return result;
    result = judge_move(con, command);
    if (has_failed(result) || result.code != RECEIPT_COMMITTED)
        return result;
    return write_move(con, command, payload, fault);
}

/* Reaches "after-commit" where this receipt says so; its error undoes nothing. */
static struct outcome reach_after_commit(struct outcome result, enum receipt receipt,
                                         const struct fault *fault)
{
    struct outcome hook;

    if (has_failed(result) || result.code != (int)receipt)
        return result;
    hook = reach_point(fault, "after-commit");
    return has_failed(hook) ? hook : result;
}

struct outcome advance(sqlite3 *con, const struct command *command, const struct fault *fault)
{
    struct outcome result;

    if (!is_command(command))
        return invalid();
    /*
     * IMMEDIATE takes the write lock now and waits for it.  A transaction that reads first
     * and asks for the lock later is refused at once where another has written meanwhile.
     */
    result = execute(con, "BEGIN IMMEDIATE");
    if (has_failed(result))
        return result;
    result = move_flow(con, command, fault);
    result = end_transaction(con, result, result.code == RECEIPT_COMMITTED);
    return reach_after_commit(result, RECEIPT_COMMITTED, fault);
}

/* --- step 12 ------------------------------------------------------------------------ */

static struct outcome keep_event(sqlite3 *con, const struct envelope *event,
                                 const struct fault *fault)
{
    const struct value values[] = { text_value(event->event_id), text_value(event->flow_id),
                                    number_value(event->seq),    number_value(event->schema),
                                    text_value(event->stage),    text_value(event->payload) };
    sqlite3_stmt *row = NULL;
    bool is_same;
    /* Of two rows, one with its id and one with its place, neither can be the same. */
    struct outcome result =
        find_row(con,
                 "SELECT event_id = ?1 AND flow_id = ?2 AND seq = ?3 AND schema = ?4"
                 " AND stage = ?5 AND payload = ?6 FROM inbox"
                 " WHERE event_id = ?1 OR (flow_id = ?2 AND seq = ?3)",
                 values, 6, &row);

    is_same = row != NULL && sqlite3_column_int(row, 0) != 0;
    sqlite3_finalize(row);
    if (has_failed(result))
        return result;
    if (result.code == 1)
        return outcome_value(is_same ? RECEIPT_DUPLICATE : RECEIPT_CONFLICT);
    result = change_row(con,
                        "INSERT INTO inbox (event_id, flow_id, seq, schema, stage, payload,"
                        " applied, blocked, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, NULL)",
                        values, 6);
    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-inbox");
    return has_failed(result) ? result : outcome_value(RECEIPT_ACCEPTED);
}

struct outcome receive_event(sqlite3 *con, const struct envelope *event, const struct fault *fault)
{
    struct outcome result = validate_envelope(event);

    if (has_failed(result))
        return result;
    result = execute(con, "BEGIN IMMEDIATE");
    if (has_failed(result))
        return result;
    result = keep_event(con, event, fault);
    result = end_transaction(con, result, result.code == RECEIPT_ACCEPTED);
    return reach_after_commit(result, RECEIPT_ACCEPTED, fault);
}

/* --- step 13 ------------------------------------------------------------------------ */

/* An outbox row in memory of its own, so that no lock is held while it travels. */
struct parcel {
    char *event_id;
    char *flow_id;
    char *stage;
    char *payload;
    struct envelope envelope; /* points to the four above */
};

static void empty_parcel(struct parcel *parcel)
{
    free(parcel->event_id);
    free(parcel->flow_id);
    free(parcel->stage);
    free(parcel->payload);
}

static struct outcome fill_parcel(struct parcel *parcel, sqlite3_stmt *row)
{
    parcel->event_id = copy_column(row, 0);
    parcel->flow_id = copy_column(row, 1);
    parcel->stage = copy_column(row, 4);
    parcel->payload = copy_column(row, 5);
    parcel->envelope = (struct envelope){
        .event_id = parcel->event_id,
        .flow_id = parcel->flow_id,
        .seq = sqlite3_column_int64(row, 2),
        .schema = sqlite3_column_int(row, 3),
        .stage = parcel->stage,
        .payload = parcel->payload,
    };
    if (parcel->event_id == NULL || parcel->flow_id == NULL || parcel->stage == NULL ||
        parcel->payload == NULL)
        return report_no_memory();
    return outcome_value(1);
}

#define OUTBOX_ROW "SELECT event_id, flow_id, seq, schema, stage, payload, accepted FROM outbox"

/* { VALUE, 1 } where the parcel is filled, { VALUE, 0 } where there is nothing to send. */
static struct outcome choose_parcel(sqlite3 *con, const char *event_id, struct parcel *parcel)
{
    const struct value id = text_value(event_id);
    sqlite3_stmt *row = NULL;
    struct outcome result;

    if (event_id != NULL)
        result = find_row(con, OUTBOX_ROW " WHERE event_id = ?1", &id, 1, &row);
    else
        result = find_row(con, OUTBOX_ROW " WHERE accepted = 0 ORDER BY position LIMIT 1", NULL, 0,
                          &row);
    if (has_failed(result))
        return result;
    if (row == NULL)
        result = event_id != NULL ? invalid() : outcome_value(0);
    else if (sqlite3_column_int(row, 6) != 0)
        result = outcome_value(0);
    else
        result = fill_parcel(parcel, row);
    sqlite3_finalize(row); /* gives the read lock back */
    return result;
}

static struct outcome mark_accepted(sqlite3 *con, const char *event_id)
{
    const struct value id = text_value(event_id);
    struct outcome result = execute(con, "BEGIN IMMEDIATE");

    if (has_failed(result))
        return result;
    /* Where somebody else marked it meanwhile this changes nothing that can be seen. */
    result = change_row(con, "UPDATE outbox SET accepted = 1 WHERE event_id = ?1", &id, 1);
    return end_transaction(con, result, true);
}

struct outcome relay(sqlite3 *con, const char *event_id, const struct receiver *receiver,
                     const struct fault *fault)
{
    struct parcel parcel = { 0 };
    struct outcome receipt;
    struct outcome result = choose_parcel(con, event_id, &parcel);

    if (has_failed(result) || result.code == 0) {
        result = has_failed(result) ? result : outcome_value(RECEIPT_IDLE);
        goto out;
    }
    receipt = receiver->receive(receiver->context, &parcel.envelope);
    result = receipt;
    if (has_failed(receipt) || receipt.code == RECEIPT_CONFLICT)
        goto out;
    if (receipt.code != RECEIPT_ACCEPTED && receipt.code != RECEIPT_DUPLICATE) {
        result = outcome_of(OUTCOME_DELIVERY, 0);
        goto out;
    }
    result = reach_point(fault, "after-receive");
    if (has_failed(result))
        goto out;
    result = mark_accepted(con, parcel.event_id);
    if (!has_failed(result))
        result = receipt;
out:
    empty_parcel(&parcel);
    return result;
}

/* --- step 14 ------------------------------------------------------------------------ */

/* Whose turn it is, how it is to be taken, and why it could not be. */
struct turn {
    const char *flow_id;
    bool support_v2;
    const struct fault *fault;
    const char *reason; /* of a block, else NULL */
};

/* Where a flow is on the consumer's side. */
struct standing {
    bool is_there;
    char *stage;
    int64_t last_seq;
    int64_t quantity;
};

static struct outcome read_standing(sqlite3 *con, const char *flow_id, struct standing *standing)
{
    const struct value flow = text_value(flow_id);
    sqlite3_stmt *row = NULL;
    struct outcome result = find_row(
        con, "SELECT stage, last_seq, quantity FROM projection WHERE flow_id = ?1", &flow, 1, &row);

    if (has_failed(result))
        return result;
    standing->is_there = row != NULL;
    standing->stage = row != NULL ? copy_column(row, 0) : strdup("new");
    if (standing->stage == NULL)
        result = report_no_memory();
    if (row != NULL) {
        standing->last_seq = sqlite3_column_int64(row, 1);
        standing->quantity = sqlite3_column_int64(row, 2);
    }
    sqlite3_finalize(row);
    return result;
}

/*
 * Reads the quantity out of a payload; false where it is bad.  cJSON stops behind the first
 * value unless it is told to look at the whole text.
 */
static bool read_payload(const char *payload, int64_t schema, int64_t *quantity)
{
    cJSON *json = cJSON_ParseWithOpts(payload, NULL, true);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, schema == 1 ? "amount" : "units");
    /* One member, and it is found by its name: so no other is there. */
    bool is_good = cJSON_IsObject(json) && cJSON_GetArraySize(json) == 1 && cJSON_IsNumber(item) &&
                   item->valuedouble >= 1 && item->valuedouble <= ORDERED_QUANTITY_MAX &&
                   item->valuedouble == (int)item->valuedouble;

    if (is_good)
        *quantity = (int64_t)item->valuedouble;
    cJSON_Delete(json);
    return is_good;
}

/* What the row (schema, stage, payload) says; the reason why it cannot be applied, or NULL. */
static const char *find_reason(const struct standing *standing, sqlite3_stmt *row, bool support_v2,
                               int64_t *quantity)
{
    int64_t schema = sqlite3_column_int64(row, 1);
    const char *stage = (const char *)sqlite3_column_text(row, 2);
    const char *payload = (const char *)sqlite3_column_text(row, 3);

    if (schema != 1 && !(schema == 2 && support_v2))
        return "unknown_version";
    if (payload == NULL || !read_payload(payload, schema, quantity))
        return "bad_payload";
    if (stage == NULL || !follows(stage, standing->stage))
        return "bad_transition";
    if (standing->is_there && standing->quantity != *quantity)
        return "quantity_changed";
    return NULL;
}

/* The flow's next event is not there: GAP if a later one is, else IDLE. */
static struct outcome look_behind_gap(sqlite3 *con, const char *flow_id, int64_t last_seq)
{
    const struct value values[] = { text_value(flow_id), number_value(last_seq) };
    sqlite3_stmt *row = NULL;
    struct outcome result = find_row(
        con, "SELECT 1 FROM inbox WHERE flow_id = ?1 AND seq > ?2 LIMIT 1", values, 2, &row);

    sqlite3_finalize(row);
    if (has_failed(result))
        return result;
    return outcome_value(result.code == 1 ? RECEIPT_GAP : RECEIPT_IDLE);
}

static struct outcome block(sqlite3 *con, const struct value *event_id, const char *reason)
{
    const struct value values[] = { *event_id, text_value(reason) };
    struct outcome result =
        change_row(con, "UPDATE inbox SET blocked = 1, reason = ?2 WHERE event_id = ?1", values, 2);

    return has_failed(result) ? result : outcome_value(RECEIPT_BLOCKED);
}

/* The three rows of one event; values are its id, flow, seq, stage and quantity. */
static struct outcome write_event(sqlite3 *con, const struct value values[5],
                                  const struct fault *fault)
{
    struct outcome result = change_row(
        con,
        "INSERT INTO projection (flow_id, stage, last_seq, quantity) VALUES (?1, ?3, ?2, ?4)"
        " ON CONFLICT (flow_id) DO UPDATE SET stage = ?3, last_seq = ?2",
        values + 1, 4);

    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-projection");
    if (has_failed(result))
        return result;
    result = change_row(con,
                        "INSERT INTO effect (event_id, flow_id, seq, stage, quantity)"
                        " VALUES (?1, ?2, ?3, ?4, ?5)",
                        values, 5);
    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-effect");
    if (has_failed(result))
        return result;
    result = change_row(con,
                        "UPDATE inbox SET applied = 1, blocked = 0, reason = NULL"
                        " WHERE event_id = ?1",
                        values, 1);
    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-applied");
    return has_failed(result) ? result : outcome_value(RECEIPT_APPLIED);
}

/* Applies or blocks the flow's next event; turn->reason is NULL where it is not blocked. */
static struct outcome take_turn(sqlite3 *con, struct turn *turn)
{
    struct standing standing = { 0 };
    sqlite3_stmt *row = NULL;
    struct value values[5] = { { NULL, 0 } };
    int64_t quantity = 0;
    struct outcome result = read_standing(con, turn->flow_id, &standing);

    if (has_failed(result))
        goto out;
    values[1] = text_value(turn->flow_id);
    values[2] = number_value(standing.last_seq);
    /* seq - 1, since last_seq + 1 may be more than 64 bits hold. */
    result = find_row(con,
                      "SELECT event_id, schema, stage, payload, seq FROM inbox"
                      " WHERE flow_id = ?1 AND seq - 1 = ?2",
                      values + 1, 2, &row);
    if (has_failed(result))
        goto out;
    if (row == NULL) {
        result = look_behind_gap(con, turn->flow_id, standing.last_seq);
        goto out;
    }
    values[0] = text_value((const char *)sqlite3_column_text(row, 0));
    values[2] = number_value(sqlite3_column_int64(row, 4));
    values[3] = text_value((const char *)sqlite3_column_text(row, 2));
    turn->reason = find_reason(&standing, row, turn->support_v2, &quantity);
    values[4] = number_value(quantity);
    result = turn->reason != NULL ? block(con, &values[0], turn->reason)
                                  : write_event(con, values, turn->fault);
out:
    sqlite3_finalize(row);
    free(standing.stage);
    return result;
}

static struct outcome apply_one(sqlite3 *con, struct turn *turn)
{
    struct outcome result = execute(con, "BEGIN IMMEDIATE");

    turn->reason = NULL;
    if (has_failed(result))
        return result;
    result = take_turn(con, turn);
    result = end_transaction(con, result,
                             result.code == RECEIPT_APPLIED || result.code == RECEIPT_BLOCKED);
    return reach_after_commit(result, RECEIPT_APPLIED, turn->fault);
}

struct outcome apply_next(sqlite3 *con, const char *flow_id, bool support_v2,
                          const struct fault *fault)
{
    struct turn turn = { flow_id, support_v2, fault, NULL };

    return apply_one(con, &turn);
}

/* --- step 15 ------------------------------------------------------------------------ */

static bool is_limit(int limit)
{
    return limit >= 1 && limit <= DRAIN_MAX;
}

static struct outcome drain_flow(sqlite3 *con, struct turn *turn, int limit, int *applied)
{
    while (*applied < limit) {
        struct outcome result = apply_one(con, turn);

        if (has_failed(result) || result.code != RECEIPT_APPLIED)
            return result;
        ++*applied;
    }
    return outcome_value(RECEIPT_LIMIT);
}

/* NOLINTNEXTLINE(readability-function-size): the header has so many parameters */
struct outcome drain(sqlite3 *con, const char *flow_id, int limit, bool support_v2,
                     const struct fault *fault, int *applied)
{
    struct turn turn = { flow_id, support_v2, fault, NULL };

    *applied = 0;
    if (!is_limit(limit))
        return invalid();
    return drain_flow(con, &turn, limit, applied);
}

/* The flows with something to apply, read whole so that no lock stays; an array of strings. */
static struct outcome list_flows(sqlite3 *con, cJSON **flows)
{
    cJSON *array = cJSON_CreateArray();
    sqlite3_stmt *statement = NULL;
    struct outcome result = outcome_value(1);
    int code = prepare(con,
                       "SELECT DISTINCT flow_id FROM inbox WHERE applied = 0"
                       " ORDER BY flow_id COLLATE BINARY",
                       NULL, 0, &statement);

    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        cJSON *flow = cJSON_CreateString((const char *)sqlite3_column_text(statement, 0));

        code = SQLITE_OK;
        if (flow == NULL || !cJSON_AddItemToArray(array, flow)) {
            cJSON_Delete(flow);
            code = SQLITE_NOMEM;
        }
    }
    if (array == NULL)
        result = report_no_memory();
    else if (code != SQLITE_DONE)
        result = outcome_of(OUTCOME_SQLITE, code);
    sqlite3_finalize(statement);
    if (has_failed(result)) {
        cJSON_Delete(array);
        array = NULL;
    }
    *flows = array;
    return result;
}

static const char *word_for(int receipt)
{
    switch (receipt) {
    case RECEIPT_LIMIT:
        return "limit";
    case RECEIPT_GAP:
        return "gap";
    case RECEIPT_BLOCKED:
        return "blocked";
    default:
        return "idle";
    }
}

/* Adds { flow_id, applied, stop, reason }; false where memory runs out. */
static bool add_entry(cJSON *array, const char *flow_id, int applied, int receipt,
                      const char *reason)
{
    cJSON *entry = cJSON_CreateObject();

    if (cJSON_AddStringToObject(entry, "flow_id", flow_id) == NULL ||
        cJSON_AddNumberToObject(entry, "applied", applied) == NULL ||
        cJSON_AddStringToObject(entry, "stop", word_for(receipt)) == NULL ||
        (reason != NULL ? cJSON_AddStringToObject(entry, "reason", reason)
                        : cJSON_AddNullToObject(entry, "reason")) == NULL ||
        !cJSON_AddItemToArray(array, entry)) {
        cJSON_Delete(entry);
        return false;
    }
    return true;
}

struct outcome process_all(sqlite3 *con, int limit, bool support_v2, cJSON **report)
{
    cJSON *array = NULL;
    cJSON *flows = NULL;
    const cJSON *flow;
    struct outcome result;

    *report = NULL;
    if (!is_limit(limit))
        return invalid();
    result = list_flows(con, &flows);
    if (has_failed(result))
        goto out;
    array = cJSON_CreateArray();
    cJSON_ArrayForEach(flow, flows)
    {
        struct turn turn = { flow->valuestring, support_v2, NULL, NULL };
        int applied = 0;

        result = drain_flow(con, &turn, limit, &applied);
        if (!has_failed(result) &&
            !add_entry(array, flow->valuestring, applied, result.code, turn.reason))
            result = report_no_memory();
        if (has_failed(result))
            goto out;
    }
    if (array == NULL) {
        result = report_no_memory();
        goto out;
    }
    result = outcome_value(cJSON_GetArraySize(array));
    *report = array;
    array = NULL;
out:
    cJSON_Delete(flows);
    cJSON_Delete(array);
    return result;
}

/* --- step 16 ------------------------------------------------------------------------ */

static bool is_sequence(const char *column)
{
    return strcmp(column, "seq") == 0 || strcmp(column, "last_seq") == 0;
}

/* A column's value as JSON.  SQLite writes a 64-bit number as text; a double would bend it. */
static cJSON *value_of(sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
        return cJSON_CreateNull();
    case SQLITE_INTEGER:
        if (!is_sequence(sqlite3_column_name(row, column)))
            return cJSON_CreateNumber((double)sqlite3_column_int64(row, column));
        break;
    default:
        break;
    }
    return cJSON_CreateString((const char *)sqlite3_column_text(row, column));
}

static bool add_row(cJSON *array, sqlite3_stmt *row)
{
    cJSON *object = cJSON_CreateObject();

    if (object == NULL || !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return false;
    }
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        cJSON *value = value_of(row, i);

        if (value == NULL || !cJSON_AddItemToObject(object, sqlite3_column_name(row, i), value)) {
            cJSON_Delete(value);
            return false;
        }
    }
    return true;
}

static struct outcome read_table(sqlite3 *con, const struct table *table, cJSON *tables)
{
    cJSON *array = cJSON_AddArrayToObject(tables, table->name);
    char *sql = sqlite3_mprintf("SELECT * FROM %s ORDER BY %s", table->name, table->key);
    sqlite3_stmt *statement = NULL;
    struct outcome result = outcome_value(1);
    int code = SQLITE_NOMEM;

    if (array != NULL && sql != NULL)
        code = prepare(con, sql, NULL, 0, &statement);
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        code = add_row(array, statement) ? SQLITE_OK : SQLITE_NOMEM;
    /* Only DONE is the end; anything else is an error, not a short table. */
    if (code != SQLITE_DONE)
        result = outcome_of(OUTCOME_SQLITE, code);
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return result;
}

static struct outcome read_tables(sqlite3 *con, const struct table *list, cJSON *tables,
                                  const struct fault *fault)
{
    struct outcome result = read_table(con, &list[0], tables);

    if (has_failed(result))
        return result;
    result = reach_point(fault, "between-tables");
    for (int i = 1; list[i].name != NULL && !has_failed(result); i++)
        result = read_table(con, &list[i], tables);
    return has_failed(result) ? result : outcome_value(1);
}

struct outcome snapshot(sqlite3 *con, const char *role, const struct fault *fault, cJSON **tables)
{
    const struct table *list = find_tables(role);
    cJSON *object = NULL;
    struct outcome result;

    *tables = NULL;
    if (list == NULL)
        return invalid();
    object = cJSON_CreateObject();
    if (object == NULL)
        return report_no_memory();
    /* Not IMMEDIATE: who only reads holds no writer up. */
    result = execute(con, "BEGIN");
    if (has_failed(result))
        goto out;
    result = end_transaction(con, read_tables(con, list, object, fault), true);
    if (has_failed(result))
        goto out;
    *tables = object;
    object = NULL;
out:
    cJSON_Delete(object);
    return result;
}
