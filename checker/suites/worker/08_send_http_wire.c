/* Step 8: steps/worker/08-send_http.md; proxies, the connection, and what a call leaves behind */
#include "worker_http.h"

#include "base.h"

#define TIMES 15

static const struct response right = { .status = 0 };
static const struct response kept = { .headers = "Connection: keep-alive\r\n" };
static const struct response down = { .status = 503 };
static const struct response unwanted = { .body = "{\"id\":\"@\"}" };
static const struct response too_long = { .pad_bytes = 2000 };
static const struct response endless = { .framing = FRAMING_CHUNKED, .ending = ENDING_ENDLESS };
static const struct response closed = { .cut = CUT_HEAD, .ending = ENDING_CLOSE };
static const struct response silent = { .cut = CUT_HEAD, .ending = ENDING_SILENT };

static void expect_gone(struct courier courier, const struct response *answer, const char *timeout)
{
    stage_forget();
    send_for(courier, answer, timeout);

    expect_idle(courier.server);
    expect_number("open connections", server_open_connections(courier.server), 0);
}

static void expect_no_proxy(struct courier courier, struct server *proxy, const char *name,
                            const char *scheme)
{
    auto_free char *url = xprintf("%s127.0.0.1:%d", scheme, server_port(proxy));

    set_environment(courier.worker, name, url);
    expect_outcome(send_event(courier, an_event(), USUAL_TIMEOUT), outcome_value(1));
    expect_idle(proxy);
    expect_number("connections made to the proxy", server_connections(proxy), 0);
    set_environment(courier.worker, name, "");
}

/* The same call again and again; the puppet says where memory grows. */
static void repeat(struct courier courier, const struct response *answer, const char *timeout,
                   enum outcome_kind kind)
{
    const struct how how = { .times = TIMES, .directions.deadline_ms = 15000 };

    server_answer(courier.server, answer);
    note_answer(answer, answer->body);
    expect_error(call_send_http(courier.worker, server_url(courier.server), spec_of(an_event()),
                                timeout, &how),
                 kind);
}

static void repeat_in_vain(struct courier courier, const char *url, cJSON *event,
                           const char *timeout)
{
    const struct how how = { .times = TIMES };

    expect_error(call_send_http(courier.worker, url, event, timeout, &how), OUTCOME_INVALID);
}

static void repeat_right(struct courier courier)
{
    const struct how how = { .times = TIMES, .directions.deadline_ms = 15000 };

    expect_outcome(call_send_http(courier.worker, server_url(courier.server), spec_of(an_event()),
                                  USUAL_TIMEOUT, &how),
                   outcome_value(1));
}

/* However often it failed before. */
static void expect_right_behind(struct courier courier, const struct response *answer,
                                enum outcome_kind kind)
{
    repeat(courier, answer, USUAL_TIMEOUT, kind);
    expect_outcome(send_for(courier, &right, USUAL_TIMEOUT), outcome_value(1));
}

static void alternate(struct courier courier, struct event event)
{
    const int i = server_requests(courier.server);

    expect_outcome(send_event(courier, event, USUAL_TIMEOUT), outcome_value(1));
    expect_requests(courier.server, i + 1);
    expect_post(courier.server, i, event);
}

/* A worker may send one of its own; but not what an answer set. */
static void expect_no_new_cookie(struct courier courier, struct event event)
{
    static const struct response sets = { .headers = "Set-Cookie: a=b; Path=/\r\n" };
    const int i = server_requests(courier.server);

    expect_outcome(send_for(courier, &sets, USUAL_TIMEOUT), outcome_value(1));
    alternate(courier, event);
    expect_number("headers Cookie behind an answer that sets one",
                  received_header_count(server_request(courier.server, i + 1), "Cookie"),
                  received_header_count(server_request(courier.server, i), "Cookie"));
}

CHECK(send_http, a_proxy_of_the_environment_is_not_used, "send_http.9")
{
    struct courier courier = courier_start();
    struct server *proxy = server_open();

    set_environment(courier.worker, "no_proxy", "");
    set_environment(courier.worker, "NO_PROXY", "");
    expect_no_proxy(courier, proxy, "ALL_PROXY", "");
    expect_no_proxy(courier, proxy, "ALL_PROXY", "socks5h://");
    expect_no_proxy(courier, proxy, "all_proxy", "http://");
    expect_no_proxy(courier, proxy, "HTTP_PROXY", "http://");
    expect_no_proxy(courier, proxy, "http_proxy", "http://");

    expect_requests(courier.server, 5);
}

EARLY_CHECK(send_http, the_connection_is_closed_whatever_the_call_came_to, "send_http.10")
{
    struct courier courier = courier_start();

    expect_gone(courier, &kept, USUAL_TIMEOUT);
    expect_gone(courier, &down, USUAL_TIMEOUT);
    expect_gone(courier, &unwanted, USUAL_TIMEOUT);
    expect_gone(courier, &endless, USUAL_TIMEOUT);
    expect_gone(courier, &silent, SHORT_TIMEOUT);
}

CHECK(send_http, calls_leave_nothing_in_memory_whatever_they_come_to, "common.3")
{
    struct courier courier = courier_start();
    const char *url = server_url(courier.server);

    repeat_in_vain(courier, "http://127.0.0.1:0/events", spec_of(an_event()), "1");
    repeat_in_vain(courier, url, spec_text("{\"id\":\"a\"}"), "1");
    repeat_in_vain(courier, url, spec_of(an_event()), "6");
    repeat_right(courier);
    repeat(courier, &down, USUAL_TIMEOUT, OUTCOME_HTTP);
    repeat(courier, &unwanted, USUAL_TIMEOUT, OUTCOME_DELIVERY);
    repeat(courier, &too_long, USUAL_TIMEOUT, OUTCOME_DELIVERY);
    repeat(courier, &closed, USUAL_TIMEOUT, OUTCOME_CURL);
    repeat(courier, &silent, "0.005", OUTCOME_CURL);
}

CHECK(send_http, earlier_calls_to_this_or_another_server_decide_nothing, "common.7")
{
    struct courier courier = courier_start();
    struct courier other = { .worker = courier.worker, .server = server_open() };
    struct event event = an_event();

    alternate(courier, event);
    alternate(other, event);
    alternate(courier, other_qty(event));
    alternate(other, an_event());
    expect_outcome(send_for(courier, &down, USUAL_TIMEOUT), outcome_of(OUTCOME_HTTP, 503));
    expect_outcome(send_for(courier, &unwanted, USUAL_TIMEOUT), outcome_of(OUTCOME_DELIVERY, 0));
    expect_outcome(send_for(courier, &right, USUAL_TIMEOUT), outcome_value(1));
    alternate(courier, event);
    expect_no_new_cookie(courier, event);
    expect_right_behind(courier, &closed, OUTCOME_CURL);
    expect_right_behind(courier, &down, OUTCOME_HTTP);
}

/* What a process does with SIGPIPE is its own affair: a call that wants something else puts it back. */
static void set_pipe_signal(struct puppet *worker, const char *how)
{
    cJSON *order = order_of("pipe_signal");

    stage_did("(the process has SIGPIPE %s)", how);
    cJSON_AddStringToObject(order, "how", how);
    cJSON_Delete(call_order(worker, order));
}

static void send_in_three_ways(struct courier courier)
{
    expect_outcome(send_for(courier, &right, USUAL_TIMEOUT), outcome_value(1));
    expect_outcome(send_for(courier, &down, USUAL_TIMEOUT), outcome_of(OUTCOME_HTTP, 503));
    expect_error(send_for(courier, &closed, USUAL_TIMEOUT), OUTCOME_CURL);
}

CHECK(send_http, event_environment_and_signals_stay_as_they_were, "common.5")
{
    struct courier courier = courier_start();

    set_environment(courier.worker, "http_proxy", "http://127.0.0.1:1");
    send_in_three_ways(courier);
    set_pipe_signal(courier.worker, "ignored");
    send_in_three_ways(courier);
    set_pipe_signal(courier.worker, "blocked");
    send_in_three_ways(courier);
}

/* A crash would be one, and what is left behind a breach of common.3. */
DEEP_CHECK(send_http, no_memory_at_any_moment_is_no_crash_and_leaves_nothing, "common.3")
{
    struct courier courier = courier_start();
    struct how how = { 0 };
    struct answer answer;

    server_answer(courier.server, &right);
    do {
        stage_forget();
        how.memory_at++;
        answer = call_send_http(courier.worker, server_url(courier.server), spec_of(an_event()),
                                USUAL_TIMEOUT, &how);
    } while (answer.operations >= how.memory_at);
    expect_outcome(answer, outcome_value(1));
}
