/*
 * worker.c - the reference: an order that is saved must reach the warehouse, once,
 * whatever dies on the way.
 *
 * How to read it: each function keeps the clauses that worker.h lists for it.  A helper
 * returns a struct outcome (or a library's own code) and decides nothing that its caller
 * should decide.  Whoever acquires something sets it to NULL first and releases it behind
 * the one label "out", which every path passes.
 */
#include "worker.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* --- small words used by all steps -------------------------------------------------- */

static bool has_failed(struct outcome outcome)
{
    return outcome.kind != OUTCOME_VALUE;
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

static const char *get_id(const cJSON *event)
{
    return cJSON_GetObjectItemCaseSensitive(event, "id")->valuestring;
}

static int get_qty(const cJSON *event)
{
    return (int)cJSON_GetObjectItemCaseSensitive(event, "qty")->valuedouble;
}

/* Makes { "id": id, "qty": qty }; NULL where memory runs out. */
static cJSON *build_event(const char *id, double qty)
{
    cJSON *event = cJSON_CreateObject();

    /* The Add functions copy name and value, and accept a NULL object. */
    if (cJSON_AddStringToObject(event, "id", id) == NULL ||
        cJSON_AddNumberToObject(event, "qty", qty) == NULL) {
        cJSON_Delete(event);
        return NULL;
    }
    return event;
}

/* --- step 1 ------------------------------------------------------------------------- */

/* isalnum() would ask the locale; the contract asks for ASCII. */
static bool is_id_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static bool is_id(const cJSON *item)
{
    size_t length = 0;

    if (!cJSON_IsString(item) || item->valuestring == NULL)
        return false;
    while (length <= EVENT_ID_MAX && is_id_character(item->valuestring[length]))
        length++;
    /* The whole string counts: the loop must have stopped at its end, not before. */
    return length >= 1 && length <= EVENT_ID_MAX && item->valuestring[length] == '\0';
}

static bool is_qty(const cJSON *item)
{
    /* Not valueint: cJSON cuts 1.5 to 1 there, and a parsed true has valueint 1. */
    if (!cJSON_IsNumber(item))
        return false;
    /* Written as "not inside" so that NaN, which compares false, is refused too. */
    if (!(item->valuedouble >= 1 && item->valuedouble <= EVENT_QTY_MAX))
        return false;
    /* Only now is the cast to int defined. */
    return item->valuedouble == (int)item->valuedouble;
}

struct outcome validate_event(const cJSON *event, cJSON **copy)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(event, "id");
    const cJSON *qty = cJSON_GetObjectItemCaseSensitive(event, "qty");

    *copy = NULL;
    /* Two members, and both names are found: so no other is there and none is twice. */
    if (!cJSON_IsObject(event) || cJSON_GetArraySize(event) != 2 || !is_id(id) || !is_qty(qty))
        return outcome_of(OUTCOME_INVALID, 0);
    /* Built anew, because cJSON_Duplicate would share names that are marked constant. */
    *copy = build_event(id->valuestring, qty->valuedouble);
    return *copy == NULL ? report_no_memory() : outcome_value(1);
}

/* --- SQLite: one statement, one transaction ----------------------------------------- */

static struct outcome execute(sqlite3 *con, const char *sql)
{
    int code = sqlite3_exec(con, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? outcome_value(1) : outcome_of(OUTCOME_SQLITE, code);
}

/* Ends a transaction: commits what came to { VALUE, 1 } and undoes everything else. */
static struct outcome end_transaction(sqlite3 *con, struct outcome result)
{
    /* A { VALUE, 0 } wrote nothing, so there is nothing that a COMMIT could make last. */
    if (!has_failed(result) && result.code == 1) {
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

/* Prepares sql and binds the event's id to ?1 and its qty to ?2. */
static int prepare_with_event(sqlite3 *con, const char *sql, const cJSON *event,
                              sqlite3_stmt **statement)
{
    int code = sqlite3_prepare_v2(con, sql, -1, statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 1, get_id(event), -1, SQLITE_TRANSIENT);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int(*statement, 2, get_qty(event));
    return code;
}

/* What a table has on record for an event's id. */
struct record {
    bool is_there;
    bool has_same_qty;
    bool is_sent;
};

/* Runs a SELECT of two columns, "is the qty the same" and "is it sent". */
static struct outcome look_up(sqlite3 *con, const char *sql, const cJSON *event,
                              struct record *record)
{
    sqlite3_stmt *statement = NULL;
    struct outcome result = outcome_value(1);
    int code = prepare_with_event(con, sql, event, &statement);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    /* A SELECT that fails is no answer: it does not mean that the row is absent. */
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        result = outcome_of(OUTCOME_SQLITE, code);
        goto out;
    }
    record->is_there = code == SQLITE_ROW;
    record->has_same_qty = record->is_there && sqlite3_column_int(statement, 0) != 0;
    record->is_sent = record->is_there && sqlite3_column_int(statement, 1) != 0;
out:
    sqlite3_finalize(statement); /* repeats the code that we have already */
    return result;
}

/* Runs an INSERT or UPDATE that must change exactly one row. */
static struct outcome change_row(sqlite3 *con, const char *sql, const cJSON *event)
{
    sqlite3_stmt *statement = NULL;
    struct outcome result = outcome_value(1);
    int code = prepare_with_event(con, sql, event, &statement);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code != SQLITE_DONE)
        result = outcome_of(OUTCOME_SQLITE, code);
    else if (sqlite3_changes(con) != 1) /* an UPDATE without its row is no error of SQLite */
        result = outcome_of(OUTCOME_SQLITE, SQLITE_NOTFOUND);
    sqlite3_finalize(statement);
    return result;
}

/*
 * Validates the event and runs change with a copy of it in one immediate transaction.
 * change comes to { VALUE, 1 } where it wrote something, to { VALUE, 0 } where not.
 */
static struct outcome transact(sqlite3 *con, const cJSON *event, const struct fault *fault,
                               struct outcome (*change)(sqlite3 *con, const cJSON *event,
                                                        const struct fault *fault))
{
    cJSON *copy = NULL;
    struct outcome result = validate_event(event, &copy);

    if (has_failed(result))
        goto out;
    /*
     * IMMEDIATE takes the write lock now and waits for it.  A transaction that reads first
     * and asks for the lock later is refused at once where another has written meanwhile.
     */
    result = execute(con, "BEGIN IMMEDIATE");
    if (has_failed(result))
        goto out;
    result = end_transaction(con, change(con, copy, fault));
out:
    cJSON_Delete(copy);
    return result;
}

/* Reaches "after-commit" for what was new; its error is handed on and nothing is undone. */
static struct outcome reach_after_commit(struct outcome result, const struct fault *fault)
{
    struct outcome hook;

    if (has_failed(result) || result.code != 1)
        return result;
    hook = reach_point(fault, "after-commit");
    return has_failed(hook) ? hook : result;
}

/* --- step 2 ------------------------------------------------------------------------- */

static const char *find_schema(const char *role)
{
    if (role != NULL && strcmp(role, "source") == 0)
        return "CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, qty INTEGER NOT NULL);"
               "CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT,"
               " id TEXT NOT NULL UNIQUE, qty INTEGER NOT NULL,"
               " sent INTEGER NOT NULL CHECK(sent IN (0,1)));";
    /* The two are different questions: is the table missing, is the row missing? */
    if (role != NULL && strcmp(role, "sink") == 0)
        return "CREATE TABLE IF NOT EXISTS inbox (id TEXT PRIMARY KEY, qty INTEGER NOT NULL);"
               "CREATE TABLE IF NOT EXISTS stock (id INTEGER PRIMARY KEY CHECK(id=1),"
               " total INTEGER NOT NULL);"
               "INSERT INTO stock (id, total) VALUES (1, 0) ON CONFLICT (id) DO NOTHING;";
    return NULL;
}

struct outcome open_store(const char *path, const char *role, sqlite3 **con)
{
    const char *schema = find_schema(role);
    sqlite3 *store = NULL;
    struct outcome result;
    int code;

    *con = NULL;
    if (schema == NULL)
        return outcome_of(OUTCOME_INVALID, 0); /* before any file is touched */
    code = sqlite3_open_v2(path, &store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(store, BUSY_TIMEOUT_MS);
    if (code != SQLITE_OK) {
        result = outcome_of(OUTCOME_SQLITE, code);
        goto out;
    }
    /* SQLite opens lazily: a file that is no database shows only here. */
    result = execute(store, "BEGIN IMMEDIATE");
    if (has_failed(result))
        goto out;
    result = end_transaction(store, execute(store, schema));
    if (has_failed(result))
        goto out;
    *con = store; /* now it is the caller's */
    store = NULL;
out:
    /* Also where the opening failed: SQLite mostly gives a handle then, too. */
    (void)sqlite3_close(store);
    return result;
}

/* --- step 3 ------------------------------------------------------------------------- */

static struct outcome record_order(sqlite3 *con, const cJSON *event, const struct fault *fault)
{
    struct record record;
    struct outcome result =
        look_up(con, "SELECT qty = ?2, 0 FROM orders WHERE id = ?1", event, &record);

    if (has_failed(result))
        return result;
    if (record.is_there)
        return record.has_same_qty ? outcome_value(0) : outcome_of(OUTCOME_CONFLICT, 0);

    /* Looked up under the write lock, so a refused INSERT is never a repeated order. */
    result = change_row(con, "INSERT INTO orders (id, qty) VALUES (?1, ?2)", event);
    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-order");
    if (has_failed(result))
        return result;
    result = change_row(con, "INSERT INTO outbox (id, qty, sent) VALUES (?1, ?2, 0)", event);
    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-outbox");
    return has_failed(result) ? result : outcome_value(1);
}

struct outcome enqueue(sqlite3 *con, const cJSON *event, const struct fault *fault)
{
    return reach_after_commit(transact(con, event, fault, record_order), fault);
}

/* --- step 4 ------------------------------------------------------------------------- */

/* Adds the row that the statement stands on to the array; false where memory runs out. */
static bool append_row(cJSON *array, sqlite3_stmt *statement)
{
    cJSON *event = build_event((const char *)sqlite3_column_text(statement, 0),
                               sqlite3_column_double(statement, 1));

    if (event == NULL || !cJSON_AddItemToArray(array, event)) {
        cJSON_Delete(event);
        return false;
    }
    return true;
}

struct outcome pending(sqlite3 *con, int limit, cJSON **events)
{
    cJSON *array = NULL;
    sqlite3_stmt *statement = NULL;
    struct outcome result;
    int code;

    *events = NULL;
    if (limit < 1 || limit > PENDING_MAX)
        return outcome_of(OUTCOME_INVALID, 0);
    array = cJSON_CreateArray();
    if (array == NULL)
        return report_no_memory();

    /* Without ORDER BY the order is whatever index SQLite happens to read. */
    code = sqlite3_prepare_v2(con, "SELECT id, qty FROM outbox WHERE sent = 0 ORDER BY seq LIMIT ?",
                              -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int(statement, 1, limit);
    if (code != SQLITE_OK) {
        result = outcome_of(OUTCOME_SQLITE, code);
        goto out;
    }
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!append_row(array, statement)) {
            result = report_no_memory();
            goto out;
        }
    }
    /* Only DONE is the end; anything else is an error, not a short batch. */
    if (code != SQLITE_DONE) {
        result = outcome_of(OUTCOME_SQLITE, code);
        goto out;
    }
    result = outcome_value(cJSON_GetArraySize(array));
    *events = array;
    array = NULL;
out:
    sqlite3_finalize(statement); /* gives the read lock back */
    cJSON_Delete(array);
    return result;
}

/* --- step 5 ------------------------------------------------------------------------- */

static struct outcome apply_delivery(sqlite3 *con, const cJSON *event, const struct fault *fault)
{
    struct record record;
    struct outcome result =
        look_up(con, "SELECT qty = ?2, 0 FROM inbox WHERE id = ?1", event, &record);

    if (has_failed(result))
        return result;
    if (record.is_there)
        return record.has_same_qty ? outcome_value(0) : outcome_of(OUTCOME_CONFLICT, 0);

    result = change_row(con, "INSERT INTO inbox (id, qty) VALUES (?1, ?2)", event);
    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-inbox");
    if (has_failed(result))
        return result;
    /* SQLite adds in 64 bits; read into an int here, a large total would be cut. */
    result = change_row(con, "UPDATE stock SET total = total + ?2 WHERE id = 1", event);
    if (has_failed(result))
        return result;
    result = reach_point(fault, "after-total");
    return has_failed(result) ? result : outcome_value(1);
}

struct outcome receive(sqlite3 *con, const cJSON *event, const struct fault *fault)
{
    return reach_after_commit(transact(con, event, fault, apply_delivery), fault);
}

/* --- step 6 ------------------------------------------------------------------------- */

static struct outcome mark_row(sqlite3 *con, const cJSON *event, const struct fault *fault)
{
    struct record record;
    struct outcome result =
        look_up(con, "SELECT qty = ?2, sent FROM outbox WHERE id = ?1", event, &record);

    (void)fault; /* this step has no points */
    if (has_failed(result))
        return result;
    if (!record.is_there)
        return outcome_of(OUTCOME_INVALID, 0);
    if (!record.has_same_qty) /* asked before is_sent: another qty is wrong, sent or not */
        return outcome_of(OUTCOME_CONFLICT, 0);
    if (record.is_sent)
        return outcome_value(0);
    return change_row(con, "UPDATE outbox SET sent = 1 WHERE id = ?1 AND qty = ?2", event);
}

struct outcome mark_sent(sqlite3 *con, const cJSON *event)
{
    return transact(con, event, NULL, mark_row);
}

/* --- step 7 ------------------------------------------------------------------------- */

/* Sends one event and marks it; { VALUE, 1 } if this call marked it, 0 if another had. */
static struct outcome deliver(sqlite3 *con, const cJSON *event, const struct sender *sender,
                              const struct fault *fault)
{
    struct outcome result;
    cJSON *copy = cJSON_Duplicate(event, true); /* the sender may scribble on it */

    if (copy == NULL)
        return report_no_memory();
    result = sender->send(sender->context, copy);
    cJSON_Delete(copy);
    if (has_failed(result))
        return result;
    if (result.code != 1) /* only a strict yes is an acknowledgement */
        return outcome_of(OUTCOME_DELIVERY, 0);
    result = reach_point(fault, "after-delivery");
    if (has_failed(result))
        return result;
    return mark_sent(con, event);
}

struct outcome dispatch(sqlite3 *con, const struct sender *sender, int limit,
                        const struct fault *fault)
{
    cJSON *batch = NULL;
    const cJSON *event = NULL;
    int marked = 0;
    struct outcome result = pending(con, limit, &batch); /* read whole: no lock stays */

    if (has_failed(result))
        goto out;
    cJSON_ArrayForEach(event, batch)
    {
        result = deliver(con, event, sender, fault);
        if (has_failed(result))
            goto out;
        marked += result.code;
    }
    result = outcome_value(marked);
out:
    cJSON_Delete(batch);
    return result;
}

/* --- step 8 ------------------------------------------------------------------------- */

#define HEAD_MAX 16384 /* bytes of status line and headers */
#define PATIENCE 10    /* timeouts that a whole request may last: dripping bytes must end */

/* Compares the text itself: libcurl would take 127.1 or a trailing # for the same URL. */
static bool is_events_url(const char *url)
{
    static const char before[] = "http://127.0.0.1:";
    long port = 0;
    int digits = 0;

    if (url == NULL || strncmp(url, before, strlen(before)) != 0)
        return false;
    url += strlen(before);
    if (*url == '0')
        return false;
    for (; digits <= 5 && *url >= '0' && *url <= '9'; digits++)
        port = 10 * port + (*url++ - '0');
    return port >= 1 && port <= 65535 && strcmp(url, "/events") == 0;
}

static double read_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What has arrived of the answer so far. */
struct answer {
    size_t head_bytes;
    size_t length;
    bool is_too_long;
    char body[ACK_MAX + 1]; /* room for a final NUL */
};

/* libcurl's header callback: only counts, so that a head without end is cut off. */
static size_t count_head(char *bytes, size_t size, size_t count, void *context)
{
    struct answer *answer = context;

    (void)bytes;
    answer->head_bytes += size * count;
    return answer->head_bytes > HEAD_MAX ? 0 : size * count;
}

/* libcurl's write callback: keeps the body, which may come in any number of pieces. */
static size_t keep_body(char *bytes, size_t size, size_t count, void *context)
{
    struct answer *answer = context;
    size_t length = size * count;

    if (length > ACK_MAX - answer->length) {
        answer->is_too_long = true;
        return 0; /* stops the transfer with CURLE_WRITE_ERROR */
    }
    memcpy(answer->body + answer->length, bytes, length);
    answer->length += length;
    return length;
}

/* Describes the one POST; the answer will be collected in *answer. */
static CURLcode configure(CURL *easy, const char *url, const char *body, struct curl_slist *headers,
                          struct answer *answer)
{
    CURLcode code = CURLE_OK;

#define SET(option, value)                                                                         \
    do {                                                                                           \
        if (code == CURLE_OK)                                                                      \
            code = curl_easy_setopt(easy, option, value);                                          \
    } while (0)
    SET(CURLOPT_URL, url);
    SET(CURLOPT_POSTFIELDS, body); /* makes it a POST; libcurl does not copy the text */
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_HTTP09_ALLOWED, 0L); /* bytes without a status line are no answer */
    SET(CURLOPT_FOLLOWLOCATION, 0L); /* a redirect is an answer, not an errand */
    SET(CURLOPT_PROXY, "");          /* the empty text: NULL would ask the environment */
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NOSIGNAL, 1L);      /* leaves the handling of signals alone */
    SET(CURLOPT_FRESH_CONNECT, 1L); /* on a reused connection libcurl may send again */
    SET(CURLOPT_FORBID_REUSE, 1L);
    SET(CURLOPT_HEADERFUNCTION, count_head);
    SET(CURLOPT_HEADERDATA, answer);
    SET(CURLOPT_WRITEFUNCTION, keep_body);
    SET(CURLOPT_WRITEDATA, answer);
#undef SET
    return code;
}

/*
 * Runs the transfer that was added to multi and waits while nothing moves for at most
 * timeout seconds.  libcurl's own CURLOPT_TIMEOUT_MS bounds the whole request instead,
 * and cut to whole milliseconds a tiny one becomes 0, which means "for ever".
 */
static CURLcode transfer(CURLM *multi, double timeout)
{
    double start = read_clock();
    double last_move = start;
    int running = 1;
    int moved = 0; /* sockets on which something happened during the last wait */
    int left = 0;
    const CURLMsg *message;

    while (curl_multi_perform(multi, &running) == CURLM_OK && running > 0) {
        double now = read_clock();

        if (moved > 0)
            last_move = now;
        if (now - last_move > timeout || now - start > PATIENCE * timeout)
            return CURLE_OPERATION_TIMEDOUT;
        /* Rounded up, so that the wait is over when we look at the clock again. */
        if (curl_multi_poll(multi, NULL, 0, (int)((last_move + timeout - now) * 1000) + 1,
                            &moved) != CURLM_OK)
            break;
    }
    message = curl_multi_info_read(multi, &left);
    return message != NULL && message->msg == CURLMSG_DONE ? message->data.result
                                                           : CURLE_FAILED_INIT;
}

/* Is the body one JSON object with exactly this id and accepted true? */
static bool is_acknowledgement(struct answer *answer, const char *id)
{
    const cJSON *answered_id;
    cJSON *json = NULL;
    bool is_yes = false;

    /* The parser stops at a NUL byte and would never see what follows it. */
    if (memchr(answer->body, '\0', answer->length) != NULL)
        return false;
    answer->body[answer->length] = '\0';
    json = cJSON_ParseWithOpts(answer->body, NULL, true); /* true: nothing may follow */
    answered_id = cJSON_GetObjectItemCaseSensitive(json, "id");
    is_yes = cJSON_IsObject(json) && cJSON_GetArraySize(json) == 2 && cJSON_IsString(answered_id) &&
             strcmp(answered_id->valuestring, id) == 0 &&
             cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "accepted"));
    cJSON_Delete(json);
    return is_yes;
}

static struct outcome judge(CURLcode code, long status, struct answer *answer, const char *id)
{
    /* A body that we stopped ourselves is no failed transfer: the status is known. */
    if (code != CURLE_OK && !answer->is_too_long)
        return outcome_of(OUTCOME_CURL, (int)code);
    if (status < 200 || status > 299)
        return outcome_of(OUTCOME_HTTP, (int)status);
    if (status != 200 || answer->is_too_long || !is_acknowledgement(answer, id))
        return outcome_of(OUTCOME_DELIVERY, 0);
    return outcome_value(1);
}

/* Sends the text as one POST, on a connection of its own, and judges the answer. */
static struct outcome post(const char *url, const char *text, const char *id, double timeout)
{
    struct answer answer = { 0 };
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    CURL *easy = curl_easy_init();
    CURLM *multi = curl_multi_init();
    CURLcode code = CURLE_OUT_OF_MEMORY;
    long status = 0;

    if (headers == NULL || easy == NULL || multi == NULL)
        goto out;
    code = configure(easy, url, text, headers, &answer);
    if (code != CURLE_OK)
        goto out;
    if (curl_multi_add_handle(multi, easy) != CURLM_OK) {
        code = CURLE_FAILED_INIT;
        goto out;
    }
    code = transfer(multi, timeout);
    if (curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK)
        status = 0;
    (void)curl_multi_remove_handle(multi, easy); /* it must go before the handles do */
out:
    curl_easy_cleanup(easy); /* cleans up NULL, too, like the next one */
    (void)curl_multi_cleanup(multi);
    curl_slist_free_all(headers);
    return judge(code, status, &answer, id);
}

struct outcome send_http(const char *url, const cJSON *event, double timeout)
{
    cJSON *copy = NULL;
    char *text = NULL;
    struct outcome result = validate_event(event, &copy);

    if (has_failed(result))
        goto out;
    /* "Not inside" again: NaN is neither above 0 nor at most 5. */
    if (!is_events_url(url) || !(timeout > 0 && timeout <= SEND_TIMEOUT_MAX)) {
        result = outcome_of(OUTCOME_INVALID, 0);
        goto out;
    }
    text = cJSON_PrintUnformatted(copy);
    if (text == NULL) {
        result = report_no_memory();
        goto out;
    }
    result = post(url, text, get_id(copy), timeout);
out:
    cJSON_free(text);
    cJSON_Delete(copy);
    return result;
}
