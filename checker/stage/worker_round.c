/* worker_round.c - see worker_round.h */
#include "worker_round.h"

#include <stdlib.h>
#include <string.h>

/* The event as a line; the text itself where it is not exactly an id and a qty. */
static void note_event(struct text *sent, const char *json)
{
    cJSON *event = cJSON_Parse(json);
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(event, "id");
    const cJSON *qty = cJSON_GetObjectItemCaseSensitive(event, "qty");

    if (cJSON_GetArraySize(event) == 2 && cJSON_IsString(id) && cJSON_IsNumber(qty))
        text_add(sent, "%s|%.17g\n", id->valuestring, qty->valuedouble);
    else
        text_add(sent, "%s\n", json);
    cJSON_Delete(event);
}

static void note_stop(struct round *round, const struct stop *stop)
{
    const char *what = stop->kind == STOP_SEND ? "send" : stop->point;

    if (stop->kind == STOP_SEND)
        note_event(&round->sent, cJSON_GetStringValue(stop->event));
    text_add(&round->log, "%s%s", round->log.bytes ? ", " : "", what);
    if (round->looks) {
        auto_free char *marks = source_marks(round->how.on ? round->how.on : "source");

        text_add(&round->log, " %s", marks);
    }
}

static struct outcome direct(void *context, struct stop *stop)
{
    struct round *round = context;

    if (stop->kind == STOP_SEND || stop->kind == STOP_FAULT)
        note_stop(round, stop);
    if (stop->kind != round->kind || (round->count && stop->count != round->count))
        return call_go_on(stop);
    if (round->act)
        round->act(round->context);
    if (round->kills)
        puppet_kill(stop->puppet);
    stop->spoil = round->spoil;
    return round->answers ? round->answer : call_go_on(stop);
}

void begin_round(struct puppet *worker, int limit, struct round *round)
{
    round->how.directions.at = direct;
    round->how.directions.context = round;
    begin_dispatch(worker, limit, &round->how);
}

struct answer finish_round(struct puppet *worker, struct round *round)
{
    return call_finish(worker, &round->how.directions);
}

struct answer play_round(struct puppet *worker, int limit, struct round *round)
{
    begin_round(worker, limit, round);
    return finish_round(worker, round);
}

static char *text_or_nothing(const struct text *text)
{
    return xstrdup(text->data ? text->data : "");
}

char *round_sent(const struct round *round)
{
    return text_or_nothing(&round->sent);
}

char *round_log(const struct round *round)
{
    return text_or_nothing(&round->log);
}

char *events_lines(const struct event *events, int count)
{
    struct text lines = { 0 };

    text_add(&lines, "%s", "");
    for (int i = 0; i < count; i++)
        text_add(&lines, "%s|%d\n", events[i].id, events[i].qty);
    return lines.data;
}

void play_change(void *context)
{
    const struct change *change = context;
    int code;

    stage_did("   while the sender runs another process: %s", change->sql);
    code = hand_try(change->hand, change->sql);
    if (code != 0) {
        auto_free char *got = xprintf("SQLite refuses it with code %d", code);

        stage_fail(FINDING_FAIL, "dispatch.5", "another process can write and commit at once", got);
    }
}

struct round round_with_hand(struct change *change, int count, const char *sql)
{
    change->sql = sql;
    return (
        struct round){ .kind = STOP_SEND, .count = count, .act = play_change, .context = change };
}

struct round round_with_change(struct change *change, int count, const char *sql)
{
    change->hand = hand_open("source");
    return round_with_hand(change, count, sql);
}

void draw_events(struct event *events, int count)
{
    for (int i = 0; i < count; i++)
        events[i] = an_event();
}

static void add_rows(struct text *sql, const struct event *events, int count, const char *sent)
{
    for (int i = 0; i < count; i++) {
        stage_did("(in the store: %s, qty %d, sent %c)", events[i].id, events[i].qty, sent[i]);
        text_add(sql,
                 "INSERT INTO orders VALUES ('%s', %d);"
                 "INSERT INTO outbox (id, qty, sent) VALUES ('%s', %d, %c);",
                 events[i].id, events[i].qty, events[i].id, events[i].qty, sent[i]);
    }
    text_add(sql, "COMMIT;");
}

void source_fill(const char *store, const struct event *events, int count, const char *sent)
{
    struct text sql = { 0 };

    source_make_as(store);
    text_add(&sql, "BEGIN;");
    add_rows(&sql, events, count, sent);
    store_make(store, sql.data);
    text_free(&sql);
}

void source_refill(struct puppet *hand, const struct event *events, int count, const char *sent)
{
    struct text sql = { 0 };

    stage_forget();
    text_add(&sql, "BEGIN; DELETE FROM orders; DELETE FROM outbox;");
    add_rows(&sql, events, count, sent);
    hand_do(hand, sql.data);
    text_free(&sql);
}

char *source_marks(const char *store)
{
    char *marks = store_rows(store, "SELECT coalesce(group_concat(sent, ''), '') FROM"
                                    " (SELECT sent FROM outbox ORDER BY seq)");

    marks[strcspn(marks, "\n")] = '\0';
    return marks;
}

void store_change(const char *store, const char *sql)
{
    stage_did("(in the store: %s)", sql);
    store_make(store, sql);
}

void sender_without_context(struct puppet *worker)
{
    cJSON *order = order_of("sender");

    cJSON_AddFalseToObject(order, "context");
    stage_did("(from now on the sender's context is NULL)");
    cJSON_Delete(call_order(worker, order));
}

void sender_passes_on(struct puppet *worker, const char *function, const char *store)
{
    cJSON *order = order_of("sender");

    cJSON_AddStringToObject(order, "by", function);
    cJSON_AddStringToObject(order, "on", store);
    stage_did("(from now on the sender itself calls %s on %s, in the same process)", function,
              store);
    cJSON_Delete(call_order(worker, order));
}

void worker_veto(struct puppet *worker)
{
    cJSON *order = order_of("veto");

    cJSON_AddStringToObject(order, "on", "source");
    stage_did("(from now on SQLite refuses every COMMIT of this connection: a commit hook)");
    cJSON_Delete(call_order(worker, order));
}
