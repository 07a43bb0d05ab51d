/* worker_http.c - see worker_http.h */
#include "worker_http.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SETTLE_MS 3000 /* until all that was sent is recorded */

struct answer send_to(struct puppet *worker, const char *url, struct event event,
                      const char *timeout)
{
    return call_send_http(worker, url, spec_of(event), timeout, NULL);
}

static char *fill_in(const char *body, const char *id)
{
    struct text text = { 0 };

    text_add(&text, "%s", "");
    for (; *body; body++)
        if (*body == '@')
            text_add(&text, "%s", id);
        else
            text_add_bytes(&text, body, 1);
    return text.data;
}

void note_answer(const struct response *answer, const char *body)
{
    static const char *const framings[] = { "", ", chunked", ", until the connection closes" };
    static const char *const endings[] = { "", ", then the connection closes",
                                           ", then the connection is reset", ", then silence",
                                           ", and no end" };

    if (answer->raw)
        stage_did("(the server answers with these bytes: %.300s%s)", answer->raw,
                  endings[answer->ending]);
    else if (answer->cut == CUT_HEAD)
        stage_did("(the server does not answer%s)", endings[answer->ending]);
    else if (answer->delay_ms)
        stage_did("(the server answers after %d ms)", answer->delay_ms);
    else
        stage_did("(the server answers %d with %.300s%s%s%s)",
                  answer->status ? answer->status : 200, body ? body : "the acknowledgement",
                  answer->cut         ? ", cut"
                  : answer->pad_bytes ? ", padded with spaces"
                                      : "",
                  framings[answer->framing], endings[answer->ending]);
}

char *scaled_timeout(int ms)
{
    const int third_ms = stage_call_ms(CALL_MS) / 3;
    const int most_ms = third_ms < 5000 ? third_ms : 5000;

    return xprintf("%.3f", (stage_ms(ms) < most_ms ? stage_ms(ms) : most_ms) / 1000.0);
}

struct courier courier_start(void)
{
    return (struct courier){ .worker = puppet_start(), .server = server_open() };
}

struct answer send_event(struct courier courier, struct event event, const char *timeout)
{
    return send_to(courier.worker, server_url(courier.server), event, timeout);
}

static struct answer send_event_for(struct courier courier, const struct response *answer,
                                    struct event event, const char *timeout)
{
    struct response filled = *answer;
    auto_free char *body = answer->body ? fill_in(answer->body, event.id) : NULL;
    auto_free char *raw = answer->raw ? fill_in(answer->raw, event.id) : NULL;

    filled.body = body;
    filled.raw = raw;
    note_answer(&filled, body);
    server_answer(courier.server, &filled);
    return send_event(courier, event, timeout);
}

struct answer send_for(struct courier courier, const struct response *answer, const char *timeout)
{
    return send_event_for(courier, answer, an_event(), timeout);
}

void send_for_each(struct courier courier, const struct response *answers, size_t count,
                   struct outcome expected)
{
    const int before = server_requests(courier.server) + server_unfinished(courier.server);

    for (size_t i = 0; i < count; i++) {
        stage_forget();
        expect_outcome(send_for(courier, &answers[i], USUAL_TIMEOUT), expected);
    }
    expect_requests(courier.server, before + (int)count);
}

void send_for_each_kind(struct courier courier, const struct response *answers, size_t count,
                        const char *timeout, enum outcome_kind kind)
{
    for (size_t i = 0; i < count; i++) {
        stage_forget();
        expect_error(send_for(courier, &answers[i], timeout), kind);
    }
}

static void expect_for(struct courier courier, struct response answer, const char *id,
                       struct outcome expected)
{
    struct event event = id ? event_of(id, 7) : an_event();

    stage_forget();
    expect_outcome(send_event_for(courier, &answer, event, USUAL_TIMEOUT), expected);
}

void send_for_each_body(struct courier courier, const char *const *bodies, size_t count,
                        const char *id, struct outcome expected)
{
    for (size_t i = 0; i < count; i++)
        expect_for(courier, response_text(200, bodies[i]), id, expected);
}

void send_for_each_raw(struct courier courier, const char *const *raws, size_t count,
                       const char *id, struct outcome expected)
{
    for (size_t i = 0; i < count; i++)
        expect_for(courier, response_raw(raws[i], ENDING_CLOSE), id, expected);
}

void expect_idle(struct server *server)
{
    const char *clause = stage_clause();

    stage_proves("send_http.10");
    expect(server_wait_idle(server, clock_ms() + stage_ms(SETTLE_MS)),
           "the connection is closed when the call is back", "it is open");
    stage_proves(clause);
}

void expect_requests(struct server *server, int count)
{
    server_wait_requests(server, count, clock_ms() + stage_ms(SETTLE_MS));
    expect_idle(server);
    expect_number("requests that the server got",
                  server_requests(server) + server_unfinished(server), count);
}

void expect_untouched(struct server *server)
{
    expect_idle(server);
    expect_number("connections made to the server", server_connections(server), 0);
}

static bool is_json_type(const char *type)
{
    static const char json[] = "application/json";

    return type && !strncasecmp(type, json, strlen(json)) &&
           strchr(" \t;", type[strlen(json)]) != NULL;
}

/* One object with exactly the event's two members, and nothing behind it. */
static bool is_body_of(const struct received *request, struct event event)
{
    cJSON *json = strlen(request->body) == request->body_bytes
                      ? cJSON_ParseWithOpts(request->body, NULL, true)
                      : NULL;
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "id"));
    const cJSON *qty = cJSON_GetObjectItemCaseSensitive(json, "qty");
    bool is_it = cJSON_IsObject(json) && cJSON_GetArraySize(json) == 2 && id &&
                 !strcmp(id, event.id) && cJSON_IsNumber(qty) && qty->valuedouble == event.qty;

    cJSON_Delete(json);
    return is_it;
}

static bool has_length(const struct received *request)
{
    const char *length = received_header(request, "Content-Length");

    return length && !request->chunked && strtoull(length, NULL, 10) == request->body_bytes;
}

void expect_post(struct server *server, int i, struct event event)
{
    const struct received *request = server_request(server, i);
    auto_free char *expected = xprintf("the body {\"id\":\"%s\",\"qty\":%d}", event.id, event.qty);
    const char *type;

    expect(request != NULL, "a whole HTTP request", "%s",
           server_broken(server, 0) ? server_broken(server, 0)->fault : "none");
    if (!request)
        return;
    type = received_header(request, "Content-Type");
    expect(!strcmp(request->method, "POST"), "the method POST", "%s", request->method);
    expect(!strcmp(request->target, "/events"), "the path /events", "%.200s", request->target);
    expect(is_json_type(type) && received_header_count(request, "Content-Type") == 1,
           "one header Content-Type: application/json", "%d, the first: %.200s",
           received_header_count(request, "Content-Type"), type ? type : "none");
    expect(has_length(request), "a header Content-Length with the size of the body", "%.100s",
           received_header(request, "Content-Length") ? received_header(request, "Content-Length")
                                                      : "none");
    expect(is_body_of(request, event), expected, "%.300s", request->body);
}

void expect_curl_or(struct answer answer, struct outcome other)
{
    auto_free char *got = outcome_text(answer.outcome);
    auto_free char *text = outcome_text(other);
    auto_free char *expected = xprintf("{ CURL, any code but 0 } or %s", text);

    expect((answer.outcome.kind == OUTCOME_CURL && answer.outcome.code != 0) ||
               (answer.outcome.kind == other.kind && answer.outcome.code == other.code),
           expected, "%s", got);
}

void expect_within(struct answer answer, int ms)
{
    auto_free char *expected = xprintf("the call is back within %d ms", stage_ms(ms));

    expect(answer.ms <= stage_ms(ms), expected, "%lld ms", (long long)answer.ms);
}

void set_environment(struct puppet *worker, const char *name, const char *value)
{
    cJSON *order = order_of("environment");

    stage_did("(the environment has %s=%s)", name, value);
    cJSON_AddStringToObject(order, "name", name);
    cJSON_AddStringToObject(order, "value", value);
    cJSON_Delete(call_order(worker, order));
}
