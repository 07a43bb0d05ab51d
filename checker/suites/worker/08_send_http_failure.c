/* Step 8: steps/worker/08-send_http.md; transfers that break off */
#include "worker_http.h"

#include "base.h"

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
static void expect_cut(const struct response *answer, const char *timeout, struct outcome status)
{
    struct answer came = send_for(puppet_start(), server_open(), answer, timeout);

    expect_curl_or(came, status);
    expect_within(came, SHORT_MS);
}

static void expect_timeout(const struct response *answer)
{
    struct answer came = send_for(puppet_start(), server_open(), answer, SHORT_TIMEOUT);

    expect_error(came, OUTCOME_CURL);
    expect_within(came, SHORT_MS);
}

CHECK(send_http, a_refused_connection_is_handed_on_with_its_code, "send_http.8")
{
    auto_free char *url = xprintf("http://127.0.0.1:%d/events", closed_port());

    struct answer answer = send_to(puppet_start(), url, an_event(), USUAL_TIMEOUT);

    expect_outcome(answer, outcome_of(OUTCOME_CURL, CURLE_COULDNT_CONNECT));
}

CHECK(send_http, a_connection_that_ends_at_once_is_a_failed_transfer, "send_http.8")
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    server_at_accept(server, ENDING_CLOSE);
    expect_error(send_to(worker, server_url(server), an_event(), USUAL_TIMEOUT), OUTCOME_CURL);
    server_at_accept(server, ENDING_RESET);
    expect_error(send_to(worker, server_url(server), an_event(), USUAL_TIMEOUT), OUTCOME_CURL);
}

CHECK(send_http, a_connection_that_ends_without_an_answer_is_a_failed_transfer, "send_http.8")
{
    static const struct response answers[] = { { .cut = CUT_HEAD, .ending = ENDING_CLOSE },
                                               { .cut = CUT_HEAD, .ending = ENDING_RESET } };

    send_for_each_kind(EACH(answers), USUAL_TIMEOUT, OUTCOME_CURL);
}

CHECK(send_http, what_is_no_http_is_a_failed_transfer, "send_http.8")
{
    static const struct response answers[] = {
        { .raw = "this is no HTTP\r\n\r\n", .ending = ENDING_CLOSE },
        { .raw = "{\"id\":\"@\",\"accepted\":true}", .ending = ENDING_CLOSE },
        { .raw = "SSH-2.0-OpenSSH_9.2\r\n", .ending = ENDING_CLOSE },
        { .raw = "200 OK\r\n\r\n{\"id\":\"@\",\"accepted\":true}", .ending = ENDING_CLOSE },
        { .raw = "\r\n{\"id\":\"@\",\"accepted\":true}", .ending = ENDING_CLOSE },
        { .raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "zz\r\n{\"id\":\"@\",\"accepted\":true}\r\n0\r\n\r\n",
          .ending = ENDING_CLOSE },
    };

    send_for_each_kind(EACH(answers), USUAL_TIMEOUT, OUTCOME_CURL);
}

CHECK(send_http, a_cut_body_is_no_answer_even_where_its_beginning_is_an_acknowledgement,
      "send_http.8")
{
    static const struct response answers[] = {
        { .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_CLOSE },
        { .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 299, .ending = ENDING_CLOSE },
        { .pad_bytes = 300,
          .framing = FRAMING_CHUNKED,
          .chunk_bytes = 100,
          .cut = CUT_BODY,
          .cut_at = 200,
          .ending = ENDING_CLOSE },
        { .framing = FRAMING_CHUNKED, .cut = CUT_BODY, .cut_at = 1000, .ending = ENDING_CLOSE },
        { .headers = "Content-Length: 1024\r\n", .ending = ENDING_CLOSE },
        { .headers = "Content-Length: 60\r\n", .ending = ENDING_RESET },
    };

    send_for_each_kind(EACH(answers), USUAL_TIMEOUT, OUTCOME_CURL);
}

CHECK(send_http, a_body_cut_anywhere_is_a_failed_transfer, "send_http.8")
{
    static const struct response answers[] = {
        { .cut = CUT_BODY, .cut_at = 0, .ending = ENDING_CLOSE },
        { .cut = CUT_BODY, .cut_at = 1, .ending = ENDING_CLOSE },
        { .cut = CUT_BODY, .cut_at = 20, .ending = ENDING_RESET },
        { .framing = FRAMING_CHUNKED, .cut = CUT_BODY, .cut_at = 0, .ending = ENDING_CLOSE },
        { .framing = FRAMING_CHUNKED, .cut = CUT_BODY, .cut_at = 11, .ending = ENDING_CLOSE },
        { .framing = FRAMING_CHUNKED,
          .chunk_bytes = 4,
          .cut = CUT_BODY,
          .cut_at = 12,
          .ending = ENDING_RESET },
    };

    send_for_each_kind(EACH(answers), USUAL_TIMEOUT, OUTCOME_CURL);
}

CHECK(send_http, a_body_cut_behind_another_status_is_one_error_or_the_other, "send_http.8")
{
    static const struct response created = {
        .status = 201, .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_CLOSE
    };
    static const struct response down = {
        .status = 500, .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_CLOSE
    };

    expect_cut(&created, USUAL_TIMEOUT, outcome_of(OUTCOME_DELIVERY, 0));
    expect_cut(&down, USUAL_TIMEOUT, outcome_of(OUTCOME_HTTP, 500));
}

CHECK(send_http, a_body_that_falls_silent_behind_another_status_is_waited_for_shortly,
      "send_http.8")
{
    static const struct response down = {
        .status = 503, .pad_bytes = 300, .cut = CUT_BODY, .cut_at = 200, .ending = ENDING_SILENT
    };

    expect_cut(&down, SHORT_TIMEOUT, outcome_of(OUTCOME_HTTP, 503));
}

CHECK(send_http, a_server_that_accepts_and_says_nothing_is_given_up, "send_http.8")
{
    struct server *server = server_open();
    struct answer answer;

    server_at_accept(server, ENDING_SILENT);
    answer = send_to(puppet_start(), server_url(server), an_event(), SHORT_TIMEOUT);

    expect_error(answer, OUTCOME_CURL);
    expect_within(answer, SHORT_MS);
}

CHECK(send_http, a_server_that_never_answers_is_given_up, "send_http.8")
{
    static const struct response silence = { .cut = CUT_HEAD, .ending = ENDING_SILENT };

    expect_timeout(&silence);
}

CHECK(send_http, a_body_that_falls_silent_is_given_up, "send_http.8")
{
    static const struct response half = { .cut = CUT_BODY, .cut_at = 9, .ending = ENDING_SILENT };

    expect_timeout(&half);
}

CHECK(send_http, a_chunked_body_that_falls_silent_is_given_up, "send_http.8")
{
    static const struct response half = {
        .framing = FRAMING_CHUNKED, .cut = CUT_BODY, .cut_at = 100, .ending = ENDING_SILENT
    };

    expect_timeout(&half);
}

CHECK(send_http, an_acknowledgement_whose_connection_never_ends_is_given_up, "send_http.8")
{
    static const struct response open_end = {
        .framing = FRAMING_CLOSE, .cut = CUT_BODY, .cut_at = 1000, .ending = ENDING_SILENT
    };

    expect_timeout(&open_end);
}

CHECK(send_http, an_answer_that_comes_too_late_is_not_believed, "send_http.8")
{
    struct response late = { .delay_ms = stage_ms(700) };

    struct answer answer = send_for(puppet_start(), server_open(), &late, "0.1");

    expect_error(answer, OUTCOME_CURL);
}

CHECK(send_http, an_answer_within_the_timeout_is_waited_for, "send_http.8")
{
    struct response slow = { .delay_ms = 400 };

    struct answer answer = send_for(puppet_start(), server_open(), &slow, "4.5");

    expect_outcome(answer, outcome_value(1));
}

CHECK(send_http, bytes_that_drip_for_longer_than_the_timeout_end_in_one_way_or_the_other,
      "send_http.8")
{
    static const struct response drip = { .piece_bytes = 4, .piece_gap_ms = 60 };

    struct answer answer = send_for(puppet_start(), server_open(), &drip, SHORT_TIMEOUT);

    expect_curl_or(answer, outcome_value(1));
}
