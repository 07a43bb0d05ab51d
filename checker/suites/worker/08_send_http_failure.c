/* Step 8: steps/worker/08-send_http.md; transfers that break off */
#include "worker_http.h"

#include "base.h"

#define ACK "{\"id\":\"@\",\"accepted\":true}"

/* The same for an id of 17 characters: 42 bytes in one chunk, and a byte that belongs nowhere. */
#define ID_17      "Order_12345678901"
#define CHUNKED    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define ACK_17     "{\"id\":\"" ID_17 "\",\"accepted\":true}"
#define STRAY      CHUNKED "2a\r\n" ACK_17 "x\r\n0\r\n\r\n"
#define LONG_CHUNK CHUNKED "10000002a\r\n" ACK_17 "\r\n0\r\n\r\n"
#define LONG_BODY  "HTTP/1.1 200 OK\r\nContent-Length: 4294967338\r\n\r\n" ACK_17

#define CURLE_COULDNT_CONNECT 7 /* https://curl.se/libcurl/c/libcurl-errors.html */

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

/* It announces 2^32 bytes more than come. */
static void expect_promise_refused(struct courier courier, const char *raw)
{
    const struct response answer = { .raw = raw, .ending = ENDING_CLOSE };

    stage_forget();
    stage_did("(the server answers: %s)", raw);
    server_answer(courier.server, &answer);
    expect_curl_or(send_event(courier, event_of(ID_17, 7), USUAL_TIMEOUT),
                   outcome_of(OUTCOME_DELIVERY, 0));
}

/* A status of four digits is none, or it is one outside of the 200s. */
static void expect_long_status_refused(struct courier courier)
{
    static const struct response answer = { .raw = "HTTP/1.1 2000 OK\r\n\r\n" ACK,
                                            .ending = ENDING_CLOSE };

    stage_forget();
    expect_curl_or(send_for(courier, &answer, USUAL_TIMEOUT), outcome_of(OUTCOME_HTTP, 2000));
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
    static const struct response too_long = { .headers = "Content-Length: 5000\r\n",
                                              .ending = ENDING_CLOSE };
    static const struct response created = {
        .status = 201, .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_CLOSE
    };
    static const struct response down = {
        .status = 500, .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_CLOSE
    };
    struct courier courier = courier_start();

    send_for_each_kind(courier, EACH(answers), USUAL_TIMEOUT, OUTCOME_CURL);
    expect_cut(courier, &too_long, USUAL_TIMEOUT, outcome_of(OUTCOME_DELIVERY, 0));
    expect_promise_refused(courier, LONG_CHUNK);
    expect_promise_refused(courier, LONG_BODY);
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
