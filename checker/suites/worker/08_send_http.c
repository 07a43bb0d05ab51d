/* Step 8: steps/worker/08-send_http.md; event, timeout, and the one request */
#include "worker_http.h"

#include "base.h"

static void refuse_each_event(const char *const *events, size_t count)
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    for (size_t i = 0; i < count; i++) {
        expect_outcome(
            call_send_http(worker, server_url(server), spec_text(events[i]), USUAL_TIMEOUT, NULL),
            outcome_of(OUTCOME_INVALID, 0));
        stage_forget();
    }
    expect_untouched(server);
}

static void refuse_each_odd_event(const char *const *names, size_t count)
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    for (size_t i = 0; i < count; i++)
        expect_outcome(call_send_http(worker, server_url(server), spec_odd(names[i], an_event()),
                                      USUAL_TIMEOUT, NULL),
                       outcome_of(OUTCOME_INVALID, 0));
    expect_untouched(server);
}

static void refuse_each_timeout(const char *const *timeouts, size_t count)
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    for (size_t i = 0; i < count; i++)
        expect_outcome(send_to(worker, server_url(server), an_event(), timeouts[i]),
                       outcome_of(OUTCOME_INVALID, 0));
    expect_untouched(server);
}

static void wait_shortly(struct puppet *worker, const struct server *server, const char *timeout)
{
    struct answer answer = send_to(worker, server_url(server), an_event(), timeout);

    expect_error(answer, OUTCOME_CURL);
    expect_within(answer, 3000);
}

/* One call for each answer: what else it comes to, there was one request. */
static void send_once_for_each(const struct response *answers, size_t count, const char *timeout)
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    for (size_t i = 0; i < count; i++) {
        send_for(worker, server, &answers[i], timeout);
        expect_requests(server, (int)i + 1);
    }
}

static void expect_post_of(struct server *server, struct puppet *worker, int i, cJSON *spec,
                           struct event event)
{
    struct answer answer = call_send_http(worker, server_url(server), spec, USUAL_TIMEOUT, NULL);

    expect_outcome(answer, outcome_value(1));
    expect_requests(server, i + 1);
    expect_post(server, i, event);
}

CHECK(send_http, an_invalid_event_reaches_no_server, "send_http.1")
{
    static const char *const events[] = {
        "{\"id\":\"a\",\"qty\":0}",
        "{\"id\":\"a\",\"qty\":1001}",
        "{\"id\":\"a\",\"qty\":-1}",
        "{\"id\":\"a\",\"qty\":1.5}",
        "{\"id\":\"a\",\"qty\":true}",
        "{\"id\":\"a\",\"qty\":\"1\"}",
        "{\"id\":\"a\",\"qty\":null}",
        "{\"id\":\"a\",\"qty\":4294967297}",
        "{\"id\":\"a\",\"qty\":1e400}",
        "{\"id\":\"\",\"qty\":1}",
        "{\"id\":\"a b\",\"qty\":1}",
        "{\"id\":\"a\\n\",\"qty\":1}",
        "{\"id\":\"a\\\"\",\"qty\":1}",
        "{\"id\":\"\\u00e9\",\"qty\":1}",
        "{\"id\":5,\"qty\":1}",
        "{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"qty\":1}",
        "{\"id\":\"a\"}",
        "{\"qty\":1}",
        "{}",
        "[]",
        "\"a\"",
        "{\"id\":\"a\",\"qty\":1,\"x\":1}",
        "{\"id\":\"a\",\"qty\":1,\"qty\":1}",
        "{\"ID\":\"a\",\"QTY\":1}",
    };

    refuse_each_event(EACH(events));
}

CHECK(send_http, an_odd_event_reaches_no_server, "send_http.1")
{
    static const char *const names[] = { "NULL", "raw", "NaN", "infinite", "true", "array" };

    refuse_each_odd_event(EACH(names));
}

CHECK(send_http, a_bad_timeout_reaches_no_server, "send_http.1")
{
    static const char *const timeouts[] = { "0", "-1", "5.5", "nan" };

    refuse_each_timeout(EACH(timeouts));
}

CHECK(send_http, a_bad_url_reaches_no_server, "send_http.1")
{
    struct server *server = server_open();
    auto_free char *url = xprintf("http://127.0.0.1:%d/event", server_port(server));

    struct answer answer = send_to(puppet_start(), url, an_event(), USUAL_TIMEOUT);

    expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
    expect_untouched(server);
}

CHECK(send_http, a_bad_url_or_timeout_is_refused_even_where_nobody_listens, "send_http.1")
{
    auto_free char *url = xprintf("http://127.0.0.1:%d/events", closed_port());
    auto_free char *other = xprintf("http://127.0.0.1:%d/event", closed_port());
    struct puppet *worker = puppet_start();

    struct answer late = send_to(worker, url, an_event(), "0");
    struct answer elsewhere = send_to(worker, other, an_event(), USUAL_TIMEOUT);

    expect_outcome(late, outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(elsewhere, outcome_of(OUTCOME_INVALID, 0));
}

CHECK(send_http, a_timeout_outside_its_bounds_reaches_no_server, "send_http.3")
{
    static const char *const timeouts[] = { "nan",        "-nan",   "inf",         "-inf",
                                            "0",          "-0.0",   "-1",          "-1e-9",
                                            "-0.5",       "5.0001", "5.000000001", "6",
                                            "5.5",        "1e9",    "1e300",       "4294967297",
                                            "2147483648", "-5",     "4294968" };

    refuse_each_timeout(EACH(timeouts));
}

CHECK(send_http, a_timeout_within_its_bounds_is_taken, "send_http.3")
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    expect_outcome(send_to(worker, server_url(server), an_event(), "5"), outcome_value(1));
    expect_outcome(send_to(worker, server_url(server), an_event(), "5.0"), outcome_value(1));
    expect_outcome(send_to(worker, server_url(server), an_event(), "4.9999"), outcome_value(1));
    expect_outcome(send_to(worker, server_url(server), an_event(), "1.5"), outcome_value(1));
    expect_outcome(send_to(worker, server_url(server), an_event(), "0.9"), outcome_value(1));
}

CHECK(send_http, a_tiny_timeout_is_a_short_wait, "send_http.3")
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    server_at_accept(server, ENDING_SILENT);
    wait_shortly(worker, server, "0.001");
    wait_shortly(worker, server, "1e-4");
    wait_shortly(worker, server, "1e-9");
    wait_shortly(worker, server, "1e-310");
}

CHECK(send_http, the_request_is_one_post_of_the_event, "send_http.4")
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();
    struct event event = an_event();

    struct answer answer = send_to(worker, server_url(server), event, USUAL_TIMEOUT);

    expect_outcome(answer, outcome_value(1));
    expect_requests(server, 1);
    expect_post(server, 0, event);
}

CHECK(send_http, any_valid_event_is_sent_as_it_is, "send_http.4")
{
    static const char every[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";
    struct server *server = server_open();
    struct puppet *worker = puppet_start();
    struct event longest = event_of(every, 1000);

    expect_post_of(server, worker, 0, spec_of(longest), longest);
    expect_post_of(server, worker, 1, spec_text("{\"qty\":1.0,\"id\":\"-\"}"), event_of("-", 1));
    expect_post_of(server, worker, 2, spec_text("{\"id\":\"007\",\"qty\":1e3}"),
                   event_of("007", 1000));
    expect_post_of(server, worker, 3, spec_text("{\"id\":\"\\u0041\",\"qty\":255}"),
                   event_of("A", 255));
    expect_post_of(server, worker, 4, spec_text("{\"id\":\"null\",\"qty\":999}"),
                   event_of("null", 999));
}

CHECK(send_http, an_event_that_was_built_in_another_way_is_sent_too, "send_http.4")
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();
    struct event event = an_event();

    expect_post_of(server, worker, 0, spec_odd("constant names", event), event);
    expect_post_of(server, worker, 1, spec_odd("reference", event), event);
    expect_post_of(server, worker, 2, spec_odd("stale integer", event), event);
}

CHECK(send_http, the_request_is_not_repeated_whatever_the_answer_is, "send_http.4")
{
    static const struct response answers[] = {
        { .status = 500 },
        { .status = 503, .headers = "Retry-After: 0\r\n" },
        { .status = 408, .ending = ENDING_CLOSE },
        { .status = 429 },
        { .status = 401, .headers = "WWW-Authenticate: Basic realm=\"x\"\r\n" },
        { .status = 425 },
        { .status = 409 },
        { .status = 202 },
        { .body = "{\"id\":\"@\",\"accepted\":false}" },
        { .body = "" },
        { .pad_bytes = 2000 },
        { .pad_bytes = 200, .cut = CUT_BODY, .cut_at = 9, .ending = ENDING_CLOSE },
        { .raw = "no HTTP\r\n\r\n", .ending = ENDING_CLOSE },
        { .cut = CUT_HEAD, .ending = ENDING_CLOSE },
        { .cut = CUT_HEAD, .ending = ENDING_RESET },
    };

    send_once_for_each(EACH(answers), USUAL_TIMEOUT);
}

CHECK(send_http, the_request_is_not_repeated_after_a_timeout, "send_http.4")
{
    static const struct response silent = { .cut = CUT_HEAD, .ending = ENDING_SILENT };
    struct server *server = server_open();

    send_for(puppet_start(), server, &silent, SHORT_TIMEOUT);

    server_wait_idle(server, clock_ms() + stage_ms(3000));
    expect(server_connections(server) <= 1 && server_requests(server) <= 1, "at most one request",
           "%d connections, %d requests", server_connections(server), server_requests(server));
}

CHECK(send_http, the_request_is_not_repeated_where_a_kept_connection_would_have_closed,
      "send_http.4")
{
    static const struct response kept = { .status = 0 };
    static const struct response closed = { .cut = CUT_HEAD, .ending = ENDING_CLOSE };
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    expect_outcome(send_for(worker, server, &kept, USUAL_TIMEOUT), outcome_value(1));
    expect_error(send_for(worker, server, &closed, USUAL_TIMEOUT), OUTCOME_CURL);
    expect_requests(server, 2);
}
