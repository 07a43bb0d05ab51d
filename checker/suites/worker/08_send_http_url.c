/* Step 8: steps/worker/08-send_http.md; the url */
#include "worker_http.h"

#include "base.h"

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

static void refuse_each_url(const char *const *urls, size_t count)
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();
    struct event event = an_event();

    for (size_t i = 0; i < count; i++) {
        auto_free char *url = with_port(urls[i], server_port(server));

        expect_outcome(send_to(worker, url, event, USUAL_TIMEOUT), outcome_of(OUTCOME_INVALID, 0));
        stage_forget();
    }
    expect_untouched(server);
}

/* The port plus a power of two, which a conversion to that many bits would take for the port. */
static void refuse_port(struct puppet *worker, const char *port)
{
    auto_free char *url = xprintf("http://127.0.0.1:%s/events", port);

    expect_outcome(send_to(worker, url, an_event(), USUAL_TIMEOUT), outcome_of(OUTCOME_INVALID, 0));
}

static void accept_port(struct puppet *worker, int port)
{
    auto_free char *url = xprintf("http://127.0.0.1:%d/events", port);
    struct answer answer = send_to(worker, url, an_event(), "0.2");
    auto_free char *got = outcome_text(answer.outcome);

    expect(answer.outcome.kind != OUTCOME_INVALID, "a url that is tried", "%s", got);
}

CHECK(send_http, another_scheme_is_refused, "send_http.2")
{
    static const char *const urls[] = {
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
        "http//127.0.0.1:%/events",
        "http:\\\\127.0.0.1:%/events",
        "http://http://127.0.0.1:%/events",
        "hhttp://127.0.0.1:%/events",
        "ttp://127.0.0.1:%/events",
        "http:////127.0.0.1:%/events",
        "",
        "http://",
        "/events",
    };

    refuse_each_url(EACH(urls));
}

CHECK(send_http, another_spelling_of_the_host_is_refused, "send_http.2")
{
    static const char *const urls[] = {
        "http://localhost:%/events",
        "http://LOCALHOST:%/events",
        "http://127.1:%/events",
        "http://127.0.1:%/events",
        "http://0x7f.1:%/events",
        "http://0x7f000001:%/events",
        "http://2130706433:%/events",
        "http://0177.0.0.1:%/events",
        "http://017700000001:%/events",
        "http://127.0.0.01:%/events",
        "http://127.000.000.001:%/events",
        "http://127.0.0.1.:%/events",
        "http://127.0.0.2:%/events",
        "http://127.0.0.11:%/events",
        "http://1127.0.0.1:%/events",
        "http://127.0.0.10:%/events",
        "http://127a0b0c1:%/events",
        "http://0.0.0.0:%/events",
        "http://0:%/events",
        "http://[::1]:%/events",
        "http://::1:%/events",
        "http://[::ffff:127.0.0.1]:%/events",
        "http://[127.0.0.1]:%/events",
        "http://:%/events",
        "http:// 127.0.0.1:%/events",
        "http://127.0.0.1 :%/events",
        "http://127\xe3\x80\x82"
        "0\xe3\x80\x82"
        "0\xe3\x80\x82"
        "1:%/events",
    };

    refuse_each_url(EACH(urls));
}

CHECK(send_http, another_spelling_of_the_port_is_refused, "send_http.2")
{
    static const char *const urls[] = {
        "http://127.0.0.1/events",
        "http://127.0.0.1:/events",
        "http://127.0.0.1:0/events",
        "http://127.0.0.1:00/events",
        "http://127.0.0.1:0%/events",
        "http://127.0.0.1:00%/events",
        "http://127.0.0.1:+%/events",
        "http://127.0.0.1:-%/events",
        "http://127.0.0.1: %/events",
        "http://127.0.0.1:\t%/events",
        "http://127.0.0.1:% /events",
        "http://127.0.0.1:%a/events",
        "http://127.0.0.1:a%/events",
        "http://127.0.0.1:%.0/events",
        "http://127.0.0.1:%e0/events",
        "http://127.0.0.1:0x50/events",
        "http://127.0.0.1:%:%/events",
        "http://127.0.0.1::%/events",
        "http://127.0.0.1:%,/events",
        "http://127.0.0.1%/events",
        "http://127.0.0.1:-1/events",
        "http://127.0.0.1:/%/events",
        "http://127.0.0.1:http/events",
        "http://127.0.0.1:%'/events",
        "http://127.0.0.1:000000000000000000000%/events",
    };

    refuse_each_url(EACH(urls));
}

CHECK(send_http, a_port_beyond_65535_is_refused, "send_http.2")
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();
    const unsigned long long port = (unsigned long long)server_port(server);
    auto_free char *in_16_bits = xprintf("%llu", port + 65536);
    auto_free char *in_32_bits = xprintf("%llu", port + (1ULL << 32));
    auto_free char *in_64_bits = xprintf("%llu%05llu", 184467440737095ULL + (51616 + port) / 100000,
                                         (51616 + port) % 100000);
    auto_free char *longer = xprintf("%llu0", port);

    refuse_port(worker, "65536");
    refuse_port(worker, "65616");
    refuse_port(worker, "99999");
    refuse_port(worker, "100000");
    refuse_port(worker, "99999999999");
    refuse_port(worker, longer);
    refuse_port(worker, in_16_bits);
    refuse_port(worker, in_32_bits);
    refuse_port(worker, in_64_bits);
    expect_untouched(server);
}

CHECK(send_http, every_port_from_1_to_65535_is_tried, "send_http.2")
{
    struct puppet *worker = puppet_start();

    accept_port(worker, 1);
    accept_port(worker, 11);
    accept_port(worker, 101);
    accept_port(worker, 1001);
    accept_port(worker, 65535);
    accept_port(worker, closed_port());
}

CHECK(send_http, another_path_is_refused, "send_http.2")
{
    static const char *const urls[] = {
        "http://127.0.0.1:%",
        "http://127.0.0.1:%/",
        "http://127.0.0.1:%/event",
        "http://127.0.0.1:%/eventsx",
        "http://127.0.0.1:%/events/",
        "http://127.0.0.1:%/events/x",
        "http://127.0.0.1:%/Events",
        "http://127.0.0.1:%/EVENTS",
        "http://127.0.0.1:%//events",
        "http://127.0.0.1:%/./events",
        "http://127.0.0.1:%/x/../events",
        "http://127.0.0.1:%/../events",
        "http://127.0.0.1:%/x/events",
        "http://127.0.0.1:%/events/events",
        "http://127.0.0.1:%/events/.",
        "http://127.0.0.1:%/events/..",
        "http://127.0.0.1:%/events;x",
        "http://127.0.0.1:%\\events",
        "http://127.0.0.1:%events",
        "http://127.0.0.1:%/eve\tnts",
        "http://127.0.0.1:%/api/events",
    };

    refuse_each_url(EACH(urls));
}

CHECK(send_http, an_escape_in_the_path_is_refused, "send_http.2")
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();
    auto_free char *letter = xprintf("http://127.0.0.1:%d/%%65vents", server_port(server));
    auto_free char *slash = xprintf("http://127.0.0.1:%d%%2fevents", server_port(server));
    auto_free char *space = xprintf("http://127.0.0.1:%d/events%%20", server_port(server));
    auto_free char *nul = xprintf("http://127.0.0.1:%d/events%%00", server_port(server));

    expect_outcome(send_to(worker, letter, an_event(), "1"), outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(send_to(worker, slash, an_event(), "1"), outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(send_to(worker, space, an_event(), "1"), outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(send_to(worker, nul, an_event(), "1"), outcome_of(OUTCOME_INVALID, 0));
    expect_untouched(server);
}

CHECK(send_http, a_user_a_query_or_a_fragment_is_refused, "send_http.2")
{
    static const char *const urls[] = {
        "http://user@127.0.0.1:%/events",
        "http://user:word@127.0.0.1:%/events",
        "http://@127.0.0.1:%/events",
        "http://:@127.0.0.1:%/events",
        "http://127.0.0.1:%@127.0.0.1:%/events",
        "http://127.0.0.1:%/events?",
        "http://127.0.0.1:%/events?x=1",
        "http://127.0.0.1:%/events#",
        "http://127.0.0.1:%/events#x",
        "http://127.0.0.1:%/events?#",
        "http://127.0.0.1:%/events&x=1",
        "http://127.0.0.1:%?/events",
        "http://127.0.0.1:%#/events",
        "http://127.0.0.1:%/?/events",
    };

    refuse_each_url(EACH(urls));
}

CHECK(send_http, white_space_or_a_line_break_in_the_url_is_refused, "send_http.2")
{
    static const char *const urls[] = {
        " http://127.0.0.1:%/events",
        "\thttp://127.0.0.1:%/events",
        "\nhttp://127.0.0.1:%/events",
        "http://127.0.0.1:%/events ",
        "http://127.0.0.1:%/events\t",
        "http://127.0.0.1:%/events\n",
        "http://127.0.0.1:%/events\r",
        "http://127.0.0.1:%/events\r\n",
        "http://127.0.0.1:%/events\v",
        "ht\ttp://127.0.0.1:%/events",
        "http://127.0.0.1:%\n/events",
        "http://127.0.0.1:%/ev\nents",
        "http://127.0.0.1:%/events\r\nX-Other: 1",
        "http://127.0.0.1:%/events HTTP/1.1\r\nHost: x\r\n\r\n",
        "http://127.0.0.1:%/events http://127.0.0.1:%/events",
        "http://127.0.0.1:%/events\xc2\xa0",
        "\x01http://127.0.0.1:%/events",
        "http://127.0.0.1:%/events\x7f",
    };

    refuse_each_url(EACH(urls));
}

CHECK(send_http, no_url_at_all_is_refused, "send_http.2")
{
    struct puppet *worker = puppet_start();

    struct answer answer = send_to(worker, NULL, an_event(), USUAL_TIMEOUT);

    expect_outcome(answer, outcome_of(OUTCOME_INVALID, 0));
}

CHECK(send_http, the_url_as_the_contract_spells_it_is_taken, "send_http.2")
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    struct answer answer = send_to(worker, server_url(server), an_event(), USUAL_TIMEOUT);

    expect_outcome(answer, outcome_value(1));
    expect_requests(server, 1);
}
