/* Step 8: steps/worker/08-send_http.md; proxies, the connection, and what a call leaves behind */
#include "worker_http.h"

#include "base.h"

static void expect_gone(const struct response *answer, const char *timeout)
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    send_for(worker, server, answer, timeout);

    expect(server_wait_idle(server, clock_ms() + stage_ms(2000)),
           "the connection is closed when the call is back", "it is open");
    expect_number("open connections", server_open_connections(server), 0);
}

static void expect_no_proxy(const char *name, const char *scheme)
{
    struct server *server = server_open();
    struct server *proxy = server_open();
    struct puppet *worker = puppet_start();
    auto_free char *url = xprintf("%s127.0.0.1:%d", scheme, server_port(proxy));

    set_environment(worker, "no_proxy", "");
    set_environment(worker, "NO_PROXY", "");
    set_environment(worker, name, url);
    expect_outcome(send_to(worker, server_url(server), an_event(), USUAL_TIMEOUT),
                   outcome_value(1));
    expect_untouched(proxy);
    expect_requests(server, 1);
}

/* The same call 30 times; the puppet says where memory grows. */
static void repeat(const struct response *answer, const char *timeout, enum outcome_kind kind)
{
    struct server *server = server_open();
    const struct how how = { .times = 30, .directions.deadline_ms = 15000 };
    struct puppet *worker = puppet_start();
    struct answer last;

    server_answer(server, answer);
    last = call_send_http(worker, server_url(server), spec_of(an_event()), timeout, &how);
    expect_number("the kind of outcome", (int)last.outcome.kind, (int)kind);
}

static void alternate(struct puppet *worker, struct server *server, int i, struct event event)
{
    expect_outcome(send_to(worker, server_url(server), event, USUAL_TIMEOUT), outcome_value(1));
    expect_requests(server, i + 1);
    expect_post(server, i, event);
}

CHECK(send_http, a_proxy_in_http_proxy_is_not_used, "send_http.9")
{
    expect_no_proxy("http_proxy", "http://");
}

CHECK(send_http, a_proxy_in_all_proxy_is_not_used, "send_http.9")
{
    expect_no_proxy("all_proxy", "http://");
}

CHECK(send_http, a_proxy_in_ALL_PROXY_is_not_used, "send_http.9")
{
    expect_no_proxy("ALL_PROXY", "");
}

CHECK(send_http, a_proxy_in_HTTP_PROXY_is_not_used, "send_http.9")
{
    expect_no_proxy("HTTP_PROXY", "http://");
}

CHECK(send_http, a_proxy_of_another_kind_is_not_used, "send_http.9")
{
    expect_no_proxy("ALL_PROXY", "socks5h://");
}

CHECK(send_http, the_connection_is_closed_after_an_acknowledgement, "send_http.10")
{
    static const struct response kept = { .headers = "Connection: keep-alive\r\n" };

    expect_gone(&kept, USUAL_TIMEOUT);
}

CHECK(send_http, the_connection_is_closed_after_a_refusal, "send_http.10")
{
    static const struct response refused = { .status = 500 };
    static const struct response unwanted = { .body = "no" };

    expect_gone(&refused, USUAL_TIMEOUT);
    expect_gone(&unwanted, USUAL_TIMEOUT);
}

CHECK(send_http, the_connection_is_closed_after_a_transfer_that_was_broken_off, "send_http.10")
{
    static const struct response endless = { .framing = FRAMING_CHUNKED, .ending = ENDING_ENDLESS };
    static const struct response silent = { .cut = CUT_HEAD, .ending = ENDING_SILENT };

    expect_gone(&endless, USUAL_TIMEOUT);
    expect_gone(&silent, "0.1");
}

CHECK(send_http, calls_that_are_invalid_leave_nothing_in_memory, "common.3")
{
    const struct how how = { .times = 30 };
    struct puppet *worker = puppet_start();
    struct answer url =
        call_send_http(worker, "http://127.0.0.1:0/events", spec_of(an_event()), "1", &how);
    struct answer event =
        call_send_http(worker, "http://127.0.0.1:1/events", spec_text("{\"id\":\"a\"}"), "1", &how);
    struct answer timeout =
        call_send_http(worker, "http://127.0.0.1:1/events", spec_of(an_event()), "6", &how);

    expect_error(url, OUTCOME_INVALID);
    expect_error(event, OUTCOME_INVALID);
    expect_error(timeout, OUTCOME_INVALID);
}

CHECK(send_http, calls_that_are_acknowledged_leave_nothing_in_memory, "common.3")
{
    repeat(NULL, USUAL_TIMEOUT, OUTCOME_VALUE);
}

CHECK(send_http, calls_that_are_refused_leave_nothing_in_memory, "common.3")
{
    static const struct response down = { .status = 500 };
    static const struct response unwanted = { .body = "{\"id\":1}" };
    static const struct response too_long = { .pad_bytes = 2000 };

    repeat(&down, USUAL_TIMEOUT, OUTCOME_HTTP);
    repeat(&unwanted, USUAL_TIMEOUT, OUTCOME_DELIVERY);
    repeat(&too_long, USUAL_TIMEOUT, OUTCOME_DELIVERY);
}

CHECK(send_http, calls_that_fail_leave_nothing_in_memory, "common.3")
{
    static const struct response closed = { .cut = CUT_HEAD, .ending = ENDING_CLOSE };
    static const struct response silent = { .cut = CUT_HEAD, .ending = ENDING_SILENT };

    repeat(&closed, USUAL_TIMEOUT, OUTCOME_CURL);
    repeat(&silent, "0.005", OUTCOME_CURL);
}

CHECK(send_http, calls_to_two_servers_in_turn_know_nothing_of_each_other, "common.7")
{
    struct server *one = server_open();
    struct server *other = server_open();
    struct puppet *worker = puppet_start();
    struct event event = an_event();

    alternate(worker, one, 0, event);
    alternate(worker, other, 0, event);
    alternate(worker, one, 1, other_qty(event));
    alternate(worker, other, 1, an_event());
    alternate(worker, one, 2, event);
}

CHECK(send_http, an_earlier_answer_decides_nothing, "common.7")
{
    static const struct response right = { .status = 0 };
    static const struct response wrong = { .body = "{\"id\":\"@\"}" };
    static const struct response down = { .status = 503 };
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    expect_outcome(send_for(worker, server, &right, "3"), outcome_value(1));
    expect_outcome(send_for(worker, server, &down, "3"), outcome_of(OUTCOME_HTTP, 503));
    expect_outcome(send_for(worker, server, &wrong, "3"), outcome_of(OUTCOME_DELIVERY, 0));
    expect_outcome(send_for(worker, server, &right, "3"), outcome_value(1));
}

CHECK(send_http, event_environment_and_signals_stay_as_they_were, "common.5")
{
    static const struct response right = { .status = 0 };
    static const struct response down = { .status = 503 };
    static const struct response closed = { .cut = CUT_HEAD, .ending = ENDING_CLOSE };
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    set_environment(worker, "http_proxy", "http://127.0.0.1:1");
    expect_outcome(send_for(worker, server, &right, "3"), outcome_value(1));
    expect_outcome(send_for(worker, server, &down, "3"), outcome_of(OUTCOME_HTTP, 503));
    expect_error(send_for(worker, server, &closed, "3"), OUTCOME_CURL);
}
