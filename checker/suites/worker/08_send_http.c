/* Step 8: steps/worker/08-send_http.md; event, timeout, and the one request */
#include "worker_http.h"

#include "base.h"

static void refuse_each_event(struct courier courier, const char *const *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stage_forget();
        expect_outcome(call_send_http(courier.worker, server_url(courier.server),
                                      spec_text(events[i]), USUAL_TIMEOUT, NULL),
                       outcome_of(OUTCOME_INVALID, 0));
    }
}

static void refuse_each_odd_event(struct courier courier, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stage_forget();
        expect_outcome(call_send_http(courier.worker, server_url(courier.server),
                                      spec_odd(names[i], an_event()), USUAL_TIMEOUT, NULL),
                       outcome_of(OUTCOME_INVALID, 0));
    }
}

static void refuse_each_timeout(struct courier courier, const char *const *timeouts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stage_forget();
        expect_outcome(send_event(courier, an_event(), timeouts[i]),
                       outcome_of(OUTCOME_INVALID, 0));
    }
}

/* A url that is nearly right, and one behind which nobody listens. */
static void refuse_the_path(struct courier courier, int port)
{
    auto_free char *url = xprintf("http://127.0.0.1:%d/event", port);

    expect_outcome(send_to(courier.worker, url, an_event(), USUAL_TIMEOUT),
                   outcome_of(OUTCOME_INVALID, 0));
}

static void refuse_the_timeout(struct courier courier, int port)
{
    auto_free char *url = xprintf("http://127.0.0.1:%d/events", port);

    expect_outcome(send_to(courier.worker, url, an_event(), "0"), outcome_of(OUTCOME_INVALID, 0));
}

static void take_each_timeout(struct courier courier, const char *const *timeouts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stage_forget();
        expect_outcome(send_event(courier, an_event(), timeouts[i]), outcome_value(1));
    }
}

static void wait_shortly_for_each(struct courier courier, const char *const *timeouts, size_t count)
{
    server_at_accept(courier.server, ENDING_SILENT);
    for (size_t i = 0; i < count; i++) {
        struct answer answer = send_event(courier, an_event(), timeouts[i]);

        expect_error(answer, OUTCOME_CURL);
        expect_within(answer, 3000);
        stage_forget();
    }
}

/* One call for each answer: what else it comes to, there was one request. */
static void send_once_for_each(struct courier courier, const struct response *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stage_forget();
        send_for(courier, &answers[i], USUAL_TIMEOUT);
        expect_requests(courier.server, (int)i + 1);
    }
}

static void send_once_for_each_status(struct courier courier)
{
    static const int statuses[] = { 400, 403, 404, 405, 406, 409, 411, 412, 413, 415, 421, 423, 424,
                                    425, 428, 431, 451, 500, 502, 504, 507, 508, 509, 511, 520, 521,
                                    522, 523, 524, 525, 526, 527, 529, 530, 561, 598, 599 };
    const int before = server_requests(courier.server);

    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct response answer = response_status(statuses[i]);

        stage_forget();
        send_for(courier, &answer, USUAL_TIMEOUT);
        expect_requests(courier.server, before + (int)i + 1);
    }
}

/* Its connection may be given up before a request is on it. */
static void send_at_most_once_in_silence(struct courier courier)
{
    static const struct response silent = { .cut = CUT_HEAD, .ending = ENDING_SILENT };
    const int connections = server_connections(courier.server);
    const int requests = server_requests(courier.server);

    send_for(courier, &silent, SHORT_TIMEOUT);
    expect_idle(courier.server);
    expect(server_connections(courier.server) <= connections + 1 &&
               server_requests(courier.server) <= requests + 1,
           "at most one request", "%d connections, %d requests",
           server_connections(courier.server) - connections,
           server_requests(courier.server) - requests);
}

static void expect_post_of(struct courier courier, cJSON *spec, struct event event)
{
    const int i = server_requests(courier.server);

    stage_forget();
    expect_outcome(
        call_send_http(courier.worker, server_url(courier.server), spec, USUAL_TIMEOUT, NULL),
        outcome_value(1));
    expect_requests(courier.server, i + 1);
    expect_post(courier.server, i, event);
}

CHECK(send_http, an_invalid_event_url_or_timeout_reaches_no_server, "send_http.1")
{
    static const char *const events[] = {
        "{\"id\":\"a\",\"qty\":0}",
        "{\"id\":\"a\",\"qty\":1001}",
        "{\"id\":\"a\",\"qty\":1.5}",
        "{\"id\":\"a\",\"qty\":true}",
        "{\"id\":\"a\",\"qty\":\"1\"}",
        "{\"id\":\"a\",\"qty\":4294967297}",
        "{\"id\":\"a\",\"qty\":1e400}",
        "{\"id\":\"\",\"qty\":1}",
        "{\"id\":\"a b\",\"qty\":1}",
        "{\"id\":\"a\\\"\",\"qty\":1}",
        "{\"id\":\"\\u00e9\",\"qty\":1}",
        "{\"id\":5,\"qty\":1}",
        "{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"qty\":1}",
        "{\"id\":\"a\"}",
        "{\"qty\":1}",
        "[]",
        "\"a\"",
        "{\"id\":\"a\",\"qty\":1,\"x\":1}",
        "{\"id\":\"a\",\"qty\":1,\"qty\":1}",
        "{\"ID\":\"a\",\"QTY\":1}",
    };
    static const char *const odd[] = { "NULL", "raw", "NaN", "infinite", "true", "array" };
    static const char *const timeouts[] = { "0", "-1", "5.5", "nan" };
    struct courier courier = courier_start();

    refuse_each_event(courier, EACH(events));
    refuse_each_odd_event(courier, EACH(odd));
    refuse_each_timeout(courier, EACH(timeouts));
    refuse_the_path(courier, server_port(courier.server));
    refuse_the_path(courier, closed_port());
    refuse_the_timeout(courier, closed_port());

    expect_untouched(courier.server);
}

CHECK(send_http, a_timeout_counts_within_its_bounds_only_and_a_tiny_one_is_a_short_wait,
      "send_http.3")
{
    static const char *const outside[] = {
        "nan", "-nan",   "inf",         "-inf", "0",   "-0.0",       "-1",         "-1e-9",
        "-5",  "5.0001", "5.000000001", "5.5",  "1e9", "4294967297", "2147483648", "4294968",
    };
    static const char *const inside[] = { "5", "5.0", "4.9999", "1.5" };
    static const char *const tiny[] = { "0.001", "1e-4", "1e-9", "1e-310" };
    struct courier courier = courier_start();

    refuse_each_timeout(courier, EACH(outside));
    expect_untouched(courier.server);
    take_each_timeout(courier, EACH(inside));
    wait_shortly_for_each(courier, EACH(tiny));
}

CHECK(send_http, the_request_is_one_post_of_the_event_as_it_is, "send_http.4")
{
    static const char every[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
    struct courier courier = courier_start();
    struct event event = an_event();
    struct event longest = event_of(every, 1000);

    expect_post_of(courier, spec_of(event), event);
    expect_post_of(courier, spec_of(longest), longest);
    expect_post_of(courier, spec_text("{\"qty\":1.0,\"id\":\"-\"}"), event_of("-", 1));
    expect_post_of(courier, spec_text("{\"id\":\"007\",\"qty\":1e3}"), event_of("007", 1000));
    expect_post_of(courier, spec_text("{\"id\":\"null\",\"qty\":255}"), event_of("null", 255));
    expect_post_of(courier, spec_odd("constant names", event), event);
    expect_post_of(courier, spec_odd("reference", event), event);
}

CHECK(send_http, the_request_is_not_repeated_whatever_the_answer_is, "send_http.4")
{
    static const struct response answers[] = {
        { .status = 500 },
        { .status = 503, .headers = "Retry-After: 0\r\n" },
        { .status = 408, .ending = ENDING_CLOSE },
        { .status = 429, .headers = "Retry-After: 0\r\n" },
        { .status = 401, .headers = "WWW-Authenticate: Basic realm=\"x\"\r\n" },
        { .status = 201, .headers = "Location: /events\r\n" },
        { .status = 202, .headers = "Location: /events\r\nRetry-After: 0\r\n" },
        { .body = "<html><body>Log in</body></html>", .headers = "Content-Type: text/html\r\n" },
        { .body = "{\"id\":\"@\",\"acc" },
        { .body = "{\"id\":\"@\",\"accepted\":false}" },
        { .pad_bytes = 2000 },
        { .pad_bytes = 200, .cut = CUT_BODY, .cut_at = 9, .ending = ENDING_CLOSE },
        { .pad_bytes = 200, .cut = CUT_BODY, .cut_at = 9, .ending = ENDING_RESET },
        { .raw = "no HTTP\r\n\r\n", .ending = ENDING_CLOSE },
        { .cut = CUT_HEAD, .ending = ENDING_RESET },
        { .status = 0 },
        { .cut = CUT_HEAD, .ending = ENDING_CLOSE }, /* as if the one before had been kept */
    };
    struct courier courier = courier_start();
    struct courier other = { .worker = courier.worker, .server = server_open() };

    send_once_for_each(courier, EACH(answers));
    send_once_for_each_status(other);
    send_at_most_once_in_silence(courier);
}
