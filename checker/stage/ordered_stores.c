/* ordered_stores.c - flows, events and the stores of Part 2, made and read; ordered_calls.h */
#include "ordered_calls.h"

#include "base.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static bool are_alike;

void names_alike(void)
{
    are_alike = true;
}

/* The first ends with '_', which LIKE takes for any letter; then A, a, B, b ... */
static const char *an_alike_name(void)
{
    static int drawn;
    char last = drawn == 0 ? '_' : (char)((drawn % 2 ? 'A' : 'a') + (drawn - 1) / 2 % 26);

    drawn++;
    return xprintf("%0*d%c", ORDERED_ID_MAX - 1, 7, last);
}

const char *a_name(void)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    static int drawn;
    char drawn_text[32];
    int length = 6 + (int)(stage_random() % 13);

    if (are_alike)
        return an_alike_name();
    for (int i = 0; i < length; i++)
        drawn_text[i] = letters[stage_random() % (sizeof letters - 1)];
    drawn_text[length] = '\0';
    return xprintf("%s%02d", drawn_text, drawn++ % 100);
}

int64_t a_quantity(void)
{
    return 2 + (int64_t)(stage_random() % 999000);
}

const char *payload_of(int schema, int64_t quantity)
{
    return xprintf("{\"%s\":%" PRId64 "}", schema == 1 ? "amount" : "units", quantity);
}

const char *const stage_words[STAGE_WORDS] = {
    "new",     "reserved",   "confirmed", "released",  "Reserved", "reservedx",
    "reserve", "confirmed2", "confirm",   "released2", "release",  "no-such-stage",
};

#define TEN_DIGITS "0123456789"

const char *const bad_ids[BAD_IDS] = {
    "",
    " good",
    "good ",
    "go od",
    "good\n",
    "go.od",
    "good\xc3\xa9",
    "\xc3\xa9",
    "\xc2\xb0\xe1\xb0\xb0", /* without the top bits: B0a00 */
    TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS TEN_DIGITS
        TEN_DIGITS TEN_DIGITS "x",
};

const char *stage_of(int64_t seq)
{
    return stage_words[seq >= 0 && seq <= 3 ? seq : 3];
}

struct command move_of(const char *flow_id, int64_t expected_seq, int64_t quantity)
{
    return (struct command){ .event_id = a_name(),
                             .flow_id = flow_id,
                             .expected_seq = expected_seq,
                             .stage = stage_of(expected_seq + 1),
                             .quantity = quantity,
                             .schema = 1 };
}

struct envelope event_of(const char *flow_id, int64_t seq, int64_t quantity)
{
    return (struct envelope){ .event_id = a_name(),
                              .flow_id = flow_id,
                              .seq = seq,
                              .schema = 1,
                              .stage = stage_of(seq),
                              .payload = payload_of(1, quantity) };
}

struct envelope event_by(const struct command *command)
{
    return (struct envelope){ .event_id = command->event_id,
                              .flow_id = command->flow_id,
                              .seq = command->expected_seq + 1,
                              .schema = command->schema,
                              .stage = command->stage,
                              .payload = payload_of(command->schema, command->quantity) };
}

/* --- stores --------------------------------------------------------------------------- */

#define EVENT_COLUMNS                                                                              \
    "position INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,"                   \
    " flow_id TEXT NOT NULL, seq INTEGER NOT NULL, schema INTEGER NOT NULL,"                       \
    " stage TEXT NOT NULL, payload TEXT NOT NULL,"

static bool is_producer(const char *role)
{
    return strcmp(role, "producer") == 0;
}

const char *side_tables(const char *role)
{
    if (is_producer(role))
        return "CREATE TABLE flow (flow_id TEXT PRIMARY KEY, stage TEXT NOT NULL,"
               " seq INTEGER NOT NULL, quantity INTEGER NOT NULL);"
               "CREATE TABLE outbox (" EVENT_COLUMNS
               " accepted INTEGER NOT NULL CHECK(accepted IN (0,1)), UNIQUE(flow_id, seq));";
    return "CREATE TABLE inbox (" EVENT_COLUMNS " applied INTEGER NOT NULL CHECK(applied IN (0,1)),"
           " blocked INTEGER NOT NULL CHECK(blocked IN (0,1)), reason TEXT,"
           " UNIQUE(flow_id, seq));"
           "CREATE TABLE projection (flow_id TEXT PRIMARY KEY, stage TEXT NOT NULL,"
           " last_seq INTEGER NOT NULL, quantity INTEGER NOT NULL);"
           "CREATE TABLE effect (event_id TEXT PRIMARY KEY, flow_id TEXT NOT NULL,"
           " seq INTEGER NOT NULL, stage TEXT NOT NULL, quantity INTEGER NOT NULL,"
           " UNIQUE(flow_id, seq));";
}

void side_make(const char *role, const char *store, const char *rows)
{
    auto_free char *sql =
        xprintf("%s%s PRAGMA journal_mode = WAL;", side_tables(role), rows ? rows : "");

    store_make(store, sql);
}

void side_make_wide(const char *role, const char *store, const char *rows)
{
    auto_free char *sql = xprintf("PRAGMA encoding = 'UTF-16'; %s%s PRAGMA journal_mode = WAL;",
                                  side_tables(role), rows);

    store_make(store, sql);
}

char *many_rows(const char *role, int first, int last)
{
    auto_free char *numbers = xprintf("WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1"
                                      " FROM n WHERE i < %d)",
                                      first, last);

    if (is_producer(role))
        return xprintf(
            "INSERT INTO outbox (event_id, flow_id, seq, schema, stage, payload, accepted)"
            " %s SELECT 'many-e' || i, 'many-' || i, 1, 1, 'reserved', '{\"amount\":7}', 1"
            " FROM n;",
            numbers);
    return xprintf("INSERT INTO inbox (event_id, flow_id, seq, schema, stage, payload, applied,"
                   " blocked) %s SELECT 'many-e' || i, 'many-' || i, 1, 1, 'reserved',"
                   " '{\"amount\":7}', 0, 0 FROM n;",
                   numbers);
}

void side_make_plain(const char *role, const char *store, const char *rows)
{
    auto_free char *sql = xprintf("%s%s", side_tables(role), rows ? rows : "");

    store_make(store, sql);
}

void side_make_bare(struct puppet *worker, const char *store)
{
    store_make(store, "CREATE TABLE other (id); PRAGMA journal_mode = WAL;");
    worker_open(worker, store, 50);
    stage_did("(a file without the tables)");
}

/* sqlite3_mprintf knows %Q, which quotes a text for SQL; the rest of the tree frees with free. */
static char *taken(char *sql)
{
    char *copy = xstrdup(sql ? sql : "");

    sqlite3_free(sql);
    return copy;
}

char *flow_row(const char *flow_id, const char *stage, int64_t seq, int64_t quantity)
{
    return taken(sqlite3_mprintf("INSERT INTO flow VALUES (%Q, %Q, %lld, %lld);", flow_id, stage,
                                 (long long)seq, (long long)quantity));
}

char *outbox_row(const struct envelope *event, int accepted)
{
    return taken(sqlite3_mprintf(
        "INSERT INTO outbox (event_id, flow_id, seq, schema, stage, payload, accepted)"
        " VALUES (%Q, %Q, %lld, %d, %Q, %Q, %d);",
        event->event_id, event->flow_id, (long long)event->seq, event->schema, event->stage,
        event->payload, accepted));
}

char *inbox_row(const struct envelope *event, int applied, int blocked, const char *reason)
{
    return taken(sqlite3_mprintf(
        "INSERT INTO inbox (event_id, flow_id, seq, schema, stage, payload, applied, blocked,"
        " reason) VALUES (%Q, %Q, %lld, %d, %Q, %Q, %d, %d, %Q);",
        event->event_id, event->flow_id, (long long)event->seq, event->schema, event->stage,
        event->payload, applied, blocked, reason));
}

char *projection_row(const char *flow_id, const char *stage, int64_t last_seq, int64_t quantity)
{
    return taken(sqlite3_mprintf("INSERT INTO projection VALUES (%Q, %Q, %lld, %lld);", flow_id,
                                 stage, (long long)last_seq, (long long)quantity));
}

char *effect_row(const struct envelope *event, int64_t quantity)
{
    return taken(sqlite3_mprintf("INSERT INTO effect VALUES (%Q, %Q, %lld, %Q, %lld);",
                                 event->event_id, event->flow_id, (long long)event->seq,
                                 event->stage, (long long)quantity));
}

char *applied_rows(const struct envelope *event, int64_t quantity)
{
    auto_free char *inbox = inbox_row(event, 1, 0, NULL);
    auto_free char *effect = effect_row(event, quantity);

    return xprintf("%s%s", inbox, effect);
}

#define EVENT_QUOTED                                                                               \
    "quote(event_id), quote(flow_id), quote(seq), quote(schema), quote(stage), quote(payload)"

const char *side_query(const char *role)
{
    if (is_producer(role))
        return "SELECT 'flow:'; SELECT quote(flow_id), quote(stage), quote(seq), quote(quantity)"
               " FROM flow ORDER BY flow_id; SELECT 'outbox:';"
               "SELECT " EVENT_QUOTED ", quote(accepted) FROM outbox ORDER BY position";
    return "SELECT 'inbox:'; SELECT " EVENT_QUOTED ", quote(applied), quote(blocked),"
           " quote(reason) FROM inbox ORDER BY position;"
           "SELECT 'projection:'; SELECT quote(flow_id), quote(stage), quote(last_seq),"
           " quote(quantity) FROM projection ORDER BY flow_id;"
           "SELECT 'effect:'; SELECT quote(event_id), quote(flow_id), quote(seq), quote(stage),"
           " quote(quantity) FROM effect ORDER BY flow_id, seq, event_id";
}

char *side_rows(const char *role, const char *store)
{
    return store_rows(store, side_query(role));
}

char *side_with(const char *role, const char *rows)
{
    static int made;
    auto_free char *store = xprintf("template%d", ++made);

    side_make_plain(role, store, rows);
    return side_rows(role, store);
}
