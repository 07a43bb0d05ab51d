/* Step 8: steps/worker/08-send_http.md; transfers that break off */
#include "worker_http.h"

#include "base.h"

#define ACK "{\"id\":\"@\",\"accepted\":true}"

/* The same for an id of 17 characters: 42 bytes in one chunk, and a byte that belongs nowhere. */
#define ID_17 "Order_12345678901"
#define STRAY                                                                                      \
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"                                        \
    "2a\r\n{\"id\":\"" ID_17 "\",\"accepted\":true}x\r\n0\r\n\r\n"

#define CURLE_COULDNT_CONNECT 7 /* https://curl.se/libcurl/c/libcurl-errors.html */

static void expect_curl_or(struct answer answer, struct outcome other)
{
    auto_free char *got = outcome_text(answer.outcome);
    auto_free char *text = outcome_text(other);
    auto_free char *expected = xprintf("{ CURL, any code but 0 } or %s", text);

    expect((answer.outcome.kind == OUTCOME_CURL && answer.outcome.code != 0) ||
               (answer.outcome.kind == other.kind && answer.outcome.code == other.code),
           expected, "%s", got);
}

/* A broken answer of another status: the status's error is right too. */
static void expect_cut(struct courier courier, const struct response *answer, const char *timeout,
                       struct outcome status)
{
    struct answer came;

    stage_forget();
    came = send_for(courier, answer, timeout);
    expect_curl_or(came, status);
    expect_within(came, SHORT_MS);
}

static void give_up_each(struct courier courier, const struct response *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct answer came;

        stage_forget();
        came = send_for(courier, &answers[i], SHORT_TIMEOUT);
        expect_error(came, OUTCOME_CURL);
        expect_within(came, SHORT_MS);
    }
}

/* To a server that is too busy to take one more connection. */
static void give_up_connecting(struct courier courier)
{
    auto_free char *url = xprintf("http://127.0.0.1:%d/events", full_port());
    struct answer answer;

    stage_forget();
    stage_did("(the server is there and takes no connection)");
    answer = send_to(courier.worker, url, an_event(), SHORT_TIMEOUT);
    expect_error(answer, OUTCOME_CURL);
    expect_within(answer, SHORT_MS);
}

static void expect_refused(struct courier courier)
{
    auto_free char *url = xprintf("http://127.0.0.1:%d/events", closed_port());

    expect_outcome(send_to(courier.worker, url, an_event(), USUAL_TIMEOUT),
                   outcome_of(OUTCOME_CURL, CURLE_COULDNT_CONNECT));
}

static void expect_ended_at_once(struct courier courier, enum ending ending)
{
    server_at_accept(courier.server, ending);
    stage_did("(the server accepts and the connection ends)");
    expect_error(send_event(courier, an_event(), USUAL_TIMEOUT), OUTCOME_CURL);
    server_at_accept(courier.server, ENDING_KEEP_ALIVE);
}

static void expect_stray_byte_refused(struct courier courier)
{
    static const struct response stray = { .raw = STRAY, .ending = ENDING_CLOSE };

    stage_forget();
    stage_did("(the server answers with a byte between the data of a chunk and its end)");
    server_answer(courier.server, &stray);
    expect_error(send_event(courier, event_of(ID_17, 7), USUAL_TIMEOUT), OUTCOME_CURL);
}

/* A status of four digits is none, or it is one outside of the 200s. */
static void expect_long_status_refused(struct courier courier)
{
    static const struct response answer = { .raw = "HTTP/1.1 2000 OK\r\n\r\n" ACK,
                                            .ending = ENDING_CLOSE };

    stage_forget();
    expect_curl_or(send_for(courier, &answer, USUAL_TIMEOUT), outcome_of(OUTCOME_HTTP, 2000));
}

/*
 * Not scaled, so that a timeout which is rounded up to seconds is seen: on a busy machine a right
 * worker may wake when the answer is there, but not again and again.
 */
static void expect_too_late(struct courier courier)
{
    static const struct response late = { .delay_ms = 500 };
    struct answer answer = send_for(courier, &late, SHORT_TIMEOUT);

    for (int i = 0; i < 3 && answer.outcome.kind == OUTCOME_VALUE; i++)
        answer = send_for(courier, &late, SHORT_TIMEOUT);
    expect_error(answer, OUTCOME_CURL);
}

CHECK(send_http, no_connection_and_what_is_no_http_are_failed_transfers, "send_http.8")
{
    static const struct response answers[] = {
        { .cut = CUT_HEAD, .ending = ENDING_CLOSE },
        { .cut = CUT_HEAD, .ending = ENDING_RESET },
        { .raw = "this is no HTTP\r\n\r\n", .ending = ENDING_CLOSE },
        { .raw = ACK, .ending = ENDING_CLOSE },
        { .raw = "200 OK\r\n\r\n" ACK, .ending = ENDING_CLOSE },
        { .raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "zz\r\n" ACK "\r\n0\r\n\r\n",
          .ending = ENDING_CLOSE },
        { .raw = "HTTP/1.1 abc OK\r\n\r\n" ACK, .ending = ENDING_CLOSE },
        { .headers = "Content-Length: abc\r\n", .ending = ENDING_CLOSE },
        { .headers = "Content-Length: -5\r\n", .ending = ENDING_CLOSE },
    };
    struct courier courier = courier_start();

    expect_refused(courier);
    expect_ended_at_once(courier, ENDING_CLOSE);
    expect_ended_at_once(courier, ENDING_RESET);
    send_for_each_kind(courier, EACH(answers), USUAL_TIMEOUT, OUTCOME_CURL);
    expect_stray_byte_refused(courier);
    expect_long_status_refused(courier);
}

CHECK(send_http, a_cut_body_is_no_answer_even_where_its_beginning_is_an_acknowledgement,
      "send_http.8")
{
    static const struct response answers[] = {
        { .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_CLOSE },
        { .pad_bytes = 300,
          .framing = FRAMING_CHUNKED,
          .chunk_bytes = 100,
          .cut = CUT_BODY,
          .cut_at = 200,
          .ending = ENDING_CLOSE },
        { .framing = FRAMING_CHUNKED, .cut = CUT_BODY, .cut_at = 1000, .ending = ENDING_CLOSE },
        { .headers = "Content-Length: 1024\r\n", .ending = ENDING_CLOSE },
        { .headers = "Content-Length: 60\r\n", .ending = ENDING_RESET },
        { .cut = CUT_BODY, .cut_at = 0, .ending = ENDING_CLOSE },
        { .cut = CUT_BODY, .cut_at = 20, .ending = ENDING_RESET },
        { .framing = FRAMING_CLOSE, .ending = ENDING_RESET },
        { .framing = FRAMING_CHUNKED, .cut = CUT_BODY, .cut_at = 0, .ending = ENDING_CLOSE },
    };
    static const struct response created = {
        .status = 201, .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_CLOSE
    };
    static const struct response down = {
        .status = 500, .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_CLOSE
    };
    struct courier courier = courier_start();

    send_for_each_kind(courier, EACH(answers), USUAL_TIMEOUT, OUTCOME_CURL);
    expect_cut(courier, &created, USUAL_TIMEOUT, outcome_of(OUTCOME_DELIVERY, 0));
    expect_cut(courier, &down, USUAL_TIMEOUT, outcome_of(OUTCOME_HTTP, 500));
}

EARLY_CHECK(send_http, a_server_that_falls_silent_is_given_up, "send_http.8")
{
    static const struct response answers[] = {
        { .cut = CUT_HEAD, .ending = ENDING_SILENT },
        { .cut = CUT_BODY, .cut_at = 9, .ending = ENDING_SILENT },
        { .framing = FRAMING_CHUNKED, .cut = CUT_BODY, .cut_at = 100, .ending = ENDING_SILENT },
        { .framing = FRAMING_CLOSE, .cut = CUT_BODY, .cut_at = 1000, .ending = ENDING_SILENT },
    };
    static const struct response down = {
        .status = 503, .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_SILENT
    };
    struct courier courier = courier_start();

    give_up_each(courier, EACH(answers));
    expect_cut(courier, &down, SHORT_TIMEOUT, outcome_of(OUTCOME_HTTP, 503));
    server_at_accept(courier.server, ENDING_SILENT);
    give_up_each(courier, answers, 1);
    give_up_connecting(courier);
}

#define LATE_MS 2500 /* for a timeout of half of it */

/* Not scaled either, so that more than twice the timeout is seen on a slow machine too. */
static void begin_before_answer(struct courier courier, int delay_ms, const char *timeout)
{
    const struct response answer = { .delay_ms = delay_ms };

    server_answer(courier.server, &answer);
    stage_did("(the server answers after %d ms)", delay_ms);
    begin_send_http(courier.worker, server_url(courier.server), spec_of(an_event()), timeout, NULL);
}

static void expect_given_up(struct courier courier, const char *timeout, int ms)
{
    const struct directions directions = { .deadline_ms = 3 * ms };
    struct answer answer = call_finish(courier.worker, &directions);

    if (answer.outcome.kind == OUTCOME_VALUE) {
        begin_before_answer(courier, LATE_MS, timeout);
        answer = call_finish(courier.worker, &directions);
    }
    expect_error(answer, OUTCOME_CURL);
    expect_within(answer, 3 * ms);
}

/* On a busy machine an answer may be late by what is left of the timeout, but not each time. */
static void expect_waited_for(struct courier courier, int delay_ms, const char *timeout)
{
    const struct directions patient = { .deadline_ms = 15000 };
    struct answer answer = call_finish(courier.worker, &patient);

    for (int i = 0; i < 2 && answer.outcome.kind == OUTCOME_CURL; i++) {
        begin_before_answer(courier, delay_ms, timeout);
        answer = call_finish(courier.worker, &patient);
    }
    expect_outcome(answer, outcome_value(1));
}

/* In eight pieces: it comes within seven gaps, and no wait is longer than one. */
static void begin_before_drip(struct courier courier, int gap_ms)
{
    const struct response drip = { .pad_bytes = 300, .piece_bytes = 38, .piece_gap_ms = gap_ms };

    server_answer(courier.server, &drip);
    stage_did("(the answer comes in eight pieces, one each %d ms)", gap_ms);
    begin_send_http(courier.worker, server_url(courier.server), spec_of(an_event()), "4.9", NULL);
}

EARLY_CHECK(send_http, an_answer_is_waited_for_as_long_as_the_timeout_says, "send_http.8")
{
    const struct directions patient = { .deadline_ms = 15000 };
    struct courier dripping = courier_start();
    struct courier longest = courier_start();
    struct courier nearly = courier_start();
    struct courier whole = courier_start();
    struct courier mixed = courier_start();

    begin_before_drip(dripping, 345);
    begin_before_answer(longest, 2200, "4.9");
    begin_before_answer(nearly, 1500, "1.9");
    begin_before_answer(whole, LATE_MS, "1.0");
    begin_before_answer(mixed, LATE_MS, "1.25");
    expect_given_up(whole, "1.0", 1000);
    expect_given_up(mixed, "1.25", 1250);
    expect_waited_for(nearly, 1500, "1.9");
    expect_too_late(nearly);

    expect_waited_for(longest, 2200, "4.9");
    expect_outcome(call_finish(dripping.worker, &patient), outcome_value(1));
}

DEEP_CHECK(send_http, a_timeout_of_more_than_two_seconds_is_waited_for_and_is_over, "send_http.8")
{
    static const struct response slow = { .delay_ms = 4200 };
    static const struct response silent = { .cut = CUT_HEAD, .ending = ENDING_SILENT };
    const struct directions patient = { .deadline_ms = 15000 };
    struct courier courier = courier_start();
    struct courier other = courier_start();
    struct courier dripping = courier_start();

    begin_before_drip(dripping, 630);
    server_answer(courier.server, &slow);
    server_answer(other.server, &silent);
    stage_did("(one server answers after %d ms, the other does not)", slow.delay_ms);
    begin_send_http(courier.worker, server_url(courier.server), spec_of(an_event()), "4.9", NULL);
    begin_send_http(other.worker, server_url(other.server), spec_of(an_event()), "2.5", NULL);

    expect_outcome(call_finish(courier.worker, &patient), outcome_value(1));
    expect_outcome(call_finish(dripping.worker, &patient), outcome_value(1));
    expect_given_up(other, "2.5", 2500);
}

DEEP_CHECK(send_http, bytes_that_drip_for_longer_than_the_timeout_end_in_one_way_or_the_other,
           "send_http.8")
{
    static const struct response drip = { .piece_bytes = 4, .piece_gap_ms = 60 };

    struct answer answer = send_for(courier_start(), &drip, "0.3");

    expect_curl_or(answer, outcome_value(1));
}
