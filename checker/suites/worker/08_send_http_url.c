/* Step 8: steps/worker/08-send_http.md; the url */
#include "worker_http.h"

#include "base.h"

#include <string.h>

/* '%' in the text is the port of a server that would answer rightly. */
static char *with_port(const char *text, int port)
{
    struct text url = { 0 };

    for (; *text; text++)
        if (*text == '%')
            text_add(&url, "%d", port);
        else
            text_add_bytes(&url, text, 1);
    return url.data ? url.data : xstrdup("");
}

static void refuse_each_url(struct courier courier, const char *const *urls, size_t count)
{
    struct event event = an_event();

    for (size_t i = 0; i < count; i++) {
        auto_free char *url = with_port(urls[i], server_port(courier.server));

        stage_forget();
        expect_outcome(send_to(courier.worker, url, event, USUAL_TIMEOUT),
                       outcome_of(OUTCOME_INVALID, 0));
    }
}

/* An escape such as %65, which with_port would take for the port. */
static void refuse_escape(struct courier courier, const char *before, const char *escape)
{
    auto_free char *url =
        xprintf("http://127.0.0.1:%d%s%%%s", server_port(courier.server), before, escape);

    expect_outcome(send_to(courier.worker, url, an_event(), USUAL_TIMEOUT),
                   outcome_of(OUTCOME_INVALID, 0));
}

static void refuse_port(struct courier courier, const char *port)
{
    auto_free char *url = xprintf("http://127.0.0.1:%s/events", port);

    expect_outcome(send_to(courier.worker, url, an_event(), USUAL_TIMEOUT),
                   outcome_of(OUTCOME_INVALID, 0));
}

/* The port, then so many times the character, then the rest. */
static void refuse_long(struct courier courier, char c, const char *behind)
{
    char many[5001] = "";
    auto_free char *url = NULL;

    memset(many, c, sizeof many - 1);
    url = xprintf("http://127.0.0.1:%d%s%s", server_port(courier.server), many, behind);
    stage_forget();
    expect_outcome(send_to(courier.worker, url, an_event(), USUAL_TIMEOUT),
                   outcome_of(OUTCOME_INVALID, 0));
}

/* The port plus a power of two, which a conversion to that many bits would take for the port. */
static void refuse_ports_that_wrap(struct courier courier)
{
    const unsigned long long port = (unsigned long long)server_port(courier.server);
    auto_free char *in_16_bits = xprintf("%llu", port + 65536);
    auto_free char *in_32_bits = xprintf("%llu", port + (1ULL << 32));
    auto_free char *in_64_bits = xprintf("%llu%05llu", 184467440737095ULL + (51616 + port) / 100000,
                                         (51616 + port) % 100000);
    auto_free char *longer = xprintf("%llu0", port);

    refuse_port(courier, in_16_bits);
    refuse_port(courier, in_32_bits);
    refuse_port(courier, in_64_bits);
    refuse_port(courier, longer);
}

static void accept_port(struct courier courier, int port)
{
    auto_free char *url = xprintf("http://127.0.0.1:%d/events", port);
    struct answer answer = send_to(courier.worker, url, an_event(), "0.2");
    auto_free char *got = outcome_text(answer.outcome);

    expect(answer.outcome.kind != OUTCOME_INVALID, "a url that is tried", "%s", got);
}

CHECK(send_http, another_scheme_host_or_user_is_refused, "send_http.2")
{
    static const char *const schemes[] = {
        "https://127.0.0.1:%/events",
        "HTTP://127.0.0.1:%/events",
        "Http://127.0.0.1:%/events",
        "httpx://127.0.0.1:%/events",
        "ftp://127.0.0.1:%/events",
        "xhttp://127.0.0.1:%/events",
        "http:/127.0.0.1:%/events",
        "http:127.0.0.1:%/events",
        "http:///127.0.0.1:%/events",
        "//127.0.0.1:%/events",
        "127.0.0.1:%/events",
        "://127.0.0.1:%/events",
        "http:\\\\127.0.0.1:%/events",
        "http://http://127.0.0.1:%/events",
        "ttp://127.0.0.1:%/events",
        "",
        "http://",
    };
    static const char *const hosts[] = {
        "http://localhost:%/events",
        "http://127.1:%/events",
        "http://127.0.1:%/events",
        "http://0x7f.1:%/events",
        "http://0177.0.0.1:%/events",
        "http://127.0.0.01:%/events",
        "http://127.0.0.1.:%/events",
        "http://127.0.0.2:%/events",
        "http://127.0.0.11:%/events",
        "http://127.0.0.10:%/events",
        "http://2130706433:%/events",
        "http://0x7f000001:%/events",
        "http://LOCALHOST:%/events",
        "http://::1:%/events",
        "http:// 127.0.0.1:%/events",
        "http://127.0.0.1 :%/events",
        "http://1127.0.0.1:%/events",
        "http://127a0b0c1:%/events",
        "http://0.0.0.0:%/events",
        "http://[::1]:%/events",
        "http://[::ffff:127.0.0.1]:%/events",
        "http://[127.0.0.1]:%/events",
        "http://:%/events",
        "http://127\xe3\x80\x82"
        "0\xe3\x80\x82"
        "0\xe3\x80\x82"
        "1:%/events",
    };
    struct courier courier = courier_start();

    refuse_each_url(courier, EACH(schemes));
    refuse_each_url(courier, EACH(hosts));
    expect_outcome(send_to(courier.worker, NULL, an_event(), USUAL_TIMEOUT),
                   outcome_of(OUTCOME_INVALID, 0));

    expect_untouched(courier.server);
}

CHECK(send_http, a_port_is_1_to_65535_in_plain_decimal, "send_http.2")
{
    static const char *const urls[] = {
        "http://127.0.0.1/events",
        "http://127.0.0.1:/events",
        "http://127.0.0.1:0/events",
        "http://127.0.0.1:0%/events",
        "http://127.0.0.1:00%/events",
        "http://127.0.0.1:%e0/events",
        "http://127.0.0.1:http/events",
        "http://127.0.0.1:/%/events",
        "http://127.0.0.1::%/events",
        "http://127.0.0.1:+%/events",
        "http://127.0.0.1:-%/events",
        "http://127.0.0.1: %/events",
        "http://127.0.0.1:\t%/events",
        "http://127.0.0.1:% /events",
        "http://127.0.0.1:%a/events",
        "http://127.0.0.1:a%/events",
        "http://127.0.0.1:%.0/events",
        "http://127.0.0.1:0x50/events",
        "http://127.0.0.1:%:%/events",
        "http://127.0.0.1%/events",
        "http://127.0.0.1:-1/events",
        "http://127.0.0.1:000000000000000000000%/events",
        "http://127.0.0.1:65536/events",
        "http://127.0.0.1:65540/events",
        "http://127.0.0.1:65590/events",
        "http://127.0.0.1:65616/events",
        "http://127.0.0.1:99999/events",
        "http://127.0.0.1:100000/events",
        "http://127.0.0.1:99999999999/events",
    };
    struct courier courier = courier_start();

    refuse_each_url(courier, EACH(urls));
    refuse_ports_that_wrap(courier);
    refuse_long(courier, '0', "/events");
    expect_untouched(courier.server);
    accept_port(courier, 1);
    accept_port(courier, 11);
    accept_port(courier, 80);
    accept_port(courier, 101);
    accept_port(courier, 1001);
    accept_port(courier, closed_port_from(59990, 10));
    accept_port(courier, closed_port_from(60000, 10));
    accept_port(courier, closed_port_from(61000, 10));
    accept_port(courier, closed_port_from(64990, 10));
    accept_port(courier, closed_port_from(65000, 10));
    accept_port(courier, closed_port_from(65490, 10));
    accept_port(courier, closed_port_from(65500, 10));
    accept_port(courier, closed_port_from(65530, 5));
    accept_port(courier, 65535);
    accept_port(courier, closed_port());
}

CHECK(send_http, another_path_or_anything_around_the_url_is_refused, "send_http.2")
{
    static const char *const paths[] = {
        "http://127.0.0.1:%",
        "http://127.0.0.1:%/",
        "http://127.0.0.1:%/event",
        "http://127.0.0.1:%/eventsx",
        "http://127.0.0.1:%/events/",
        "http://127.0.0.1:%/Events",
        "http://127.0.0.1:%/EVENTS",
        "http://127.0.0.1:%/events/x",
        "http://127.0.0.1:%/events/events",
        "http://127.0.0.1:%/events/..",
        "http://127.0.0.1:%/../events",
        "http://127.0.0.1:%/api/events",
        "http://127.0.0.1:%//events",
        "http://127.0.0.1:%/./events",
        "http://127.0.0.1:%/x/../events",
        "http://127.0.0.1:%/x/events",
        "http://127.0.0.1:%/events/.",
        "http://127.0.0.1:%/events;x",
        "http://127.0.0.1:%\\events",
        "http://127.0.0.1:%events",
    };
    static const char *const queries[] = {
        "http://user@127.0.0.1:%/events", "http://user:word@127.0.0.1:%/events",
        "http://@127.0.0.1:%/events",     "http://127.0.0.1:%@127.0.0.1:%/events",
        "http://127.0.0.1:%/events?",     "http://127.0.0.1:%/events?x=1",
        "http://127.0.0.1:%/events#",     "http://127.0.0.1:%/events#x",
        "http://127.0.0.1:%/events?#",    "http://127.0.0.1:%/events&x=1",
        "http://127.0.0.1:%#/events",     "http://127.0.0.1:%?/events",
        "http://127.0.0.1:%/?/events",
    };
    static const char *const spaces[] = {
        " http://127.0.0.1:%/events",
        "\thttp://127.0.0.1:%/events",
        "\nhttp://127.0.0.1:%/events",
        "http://127.0.0.1:%/events ",
        "http://127.0.0.1:%/events\t",
        "http://127.0.0.1:%/events\n",
        "http://127.0.0.1:%/events\r\n",
        "http://127.0.0.1:%/events\r",
        "http://127.0.0.1:%/events\v",
        "http://127.0.0.1:%/events HTTP/1.1\r\nHost: x\r\n\r\n",
        "ht\ttp://127.0.0.1:%/events",
        "http://127.0.0.1:%\n/events",
        "http://127.0.0.1:%/ev\nents",
        "http://127.0.0.1:%/events\r\nX-Other: 1",
        "http://127.0.0.1:%/events\xc2\xa0",
        "\x01http://127.0.0.1:%/events",
        "http://127.0.0.1:%/events\x7f",
    };
    struct courier courier = courier_start();

    refuse_each_url(courier, EACH(paths));
    refuse_each_url(courier, EACH(queries));
    refuse_each_url(courier, EACH(spaces));
    refuse_escape(courier, "/", "65vents");
    refuse_escape(courier, "", "2fevents");
    refuse_escape(courier, "/events", "00");
    refuse_long(courier, '/', "events");
    expect_untouched(courier.server);

    expect_outcome(send_event(courier, an_event(), USUAL_TIMEOUT), outcome_value(1));
    expect_requests(courier.server, 1);
}
