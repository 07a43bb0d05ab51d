/* Step 8: steps/worker/08-send_http.md; which answer is which error */
#include "worker_http.h"

#include "base.h"

#include <stdio.h>

#define ACK "{\"id\":\"@\",\"accepted\":true}"

#define DELIVERY outcome_of(OUTCOME_DELIVERY, 0)

static void refuse_each_status(struct courier courier, const int *statuses, size_t count)
{
    const int before = server_requests(courier.server);

    for (size_t i = 0; i < count; i++) {
        struct response answer = response_status(statuses[i]);

        stage_forget();
        expect_outcome(send_for(courier, &answer, USUAL_TIMEOUT),
                       statuses[i] < 300 ? DELIVERY : outcome_of(OUTCOME_HTTP, statuses[i]));
    }
    expect_requests(courier.server, before + (int)count);
}

/* To another server, or to the same one; only the first request may come.  No 201 leads anywhere. */
static void refuse_each_redirect(struct courier courier, const char *location)
{
    static const int statuses[] = { 301, 302, 303, 307, 308, 201, 202 };
    char headers[128];

    snprintf(headers, sizeof headers, "Location: %s\r\n", location);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct response answer = { .status = statuses[i], .headers = headers };
        const int requests = server_requests(courier.server);

        stage_forget();
        server_answer_next(courier.server, &answer);
        stage_did("(the server answers %d with %s)", statuses[i], headers);
        expect_outcome(send_event(courier, an_event(), USUAL_TIMEOUT),
                       statuses[i] < 300 ? DELIVERY : outcome_of(OUTCOME_HTTP, statuses[i]));
        expect_requests(courier.server, requests + 1);
    }
}

/* A worker may read on until its timeout is over. */
static void expect_delivery_errors(struct courier courier, const struct response *cut, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        auto_free char *timeout = scaled_timeout(1000);

        send_for_each_kind(courier, &cut[i], 1, timeout, OUTCOME_DELIVERY);
    }
}

CHECK(send_http, a_body_past_1024_bytes_is_no_acknowledgement_however_it_ends, "send_http.6")
{
    static const struct response whole[] = {
        { .pad_bytes = 1025 },
        { .pad_bytes = 1025, .framing = FRAMING_CHUNKED, .chunk_bytes = 1024 },
        { .pad_bytes = 1025, .framing = FRAMING_CLOSE, .piece_bytes = 1024 },
        { .pad_bytes = 2048, .framing = FRAMING_CHUNKED, .chunk_bytes = 1024 },
        { .pad_bytes = 60000 },
        { .status = 201, .pad_bytes = 5000 },
    };
    static const struct response endless[] = {
        { .framing = FRAMING_CHUNKED, .ending = ENDING_ENDLESS },
        { .status = 299, .framing = FRAMING_CLOSE, .ending = ENDING_ENDLESS },
    };
    static const struct response cut[] = {
        { .pad_bytes = 4000, .cut = CUT_BODY, .cut_at = 1025, .ending = ENDING_CLOSE },
        { .pad_bytes = 4000,
          .framing = FRAMING_CHUNKED,
          .chunk_bytes = 50,
          .cut = CUT_BODY,
          .cut_at = 1500,
          .ending = ENDING_CLOSE },
        { .pad_bytes = 4000, .cut = CUT_BODY, .cut_at = 1100, .ending = ENDING_SILENT },
    };
    struct courier courier = courier_start();

    send_for_each(courier, EACH(whole), DELIVERY);
    send_for_each(courier, EACH(endless), DELIVERY);
    expect_delivery_errors(courier, EACH(cut));
}

CHECK(send_http, any_other_whole_answer_of_the_200s_is_a_delivery_error, "send_http.6")
{
    static const int statuses[] = { 201, 202, 203, 206, 207, 208, 210, 218,
                                    220, 226, 230, 240, 250, 260, 298, 299 };
    static const struct response answers[] = {
        { .body = "" },
        { .body = "{\"id\":\"@\",\"accepted\":false}", .framing = FRAMING_CHUNKED },
        { .body = "no", .framing = FRAMING_CLOSE },
        { .body = "", .framing = FRAMING_CHUNKED },
        { .ack_id = "another-one" },
        { .status = 204, .body = "" },
        { .status = 202, .body = "", .framing = FRAMING_CHUNKED },
        { .status = 205, .body = "" },
        { .raw = "HTTP/1.1 204 No Content\r\n\r\n" },
    };
    struct courier courier = courier_start();

    refuse_each_status(courier, EACH(statuses));
    send_for_each(courier, EACH(answers), DELIVERY);
}

CHECK(send_http, a_status_outside_the_200s_is_handed_on_whatever_the_body_says, "send_http.7")
{
    static const int statuses[] = {
        300, 304, 399, 400, 401, 402, 404, 407, 408, 409, 410, 417, 418,
        422, 429, 499, 501, 502, 503, 504, 505, 511, 599, 600, 700, 999
    };
    static const struct response answers[] = {
        { .status = 500, .body = "" },
        { .status = 500, .framing = FRAMING_CHUNKED, .chunk_bytes = 5 },
        { .status = 500, .framing = FRAMING_CLOSE },
        { .status = 500, .body = "no JSON at all", .headers = "Content-Type: text/html\r\n" },
        { .status = 500, .pad_bytes = 1024 },
        { .status = 500, .pad_bytes = 1025 },
        { .status = 500, .pad_bytes = 20000, .framing = FRAMING_CHUNKED, .chunk_bytes = 900 },
        { .raw = "HTTP/1.0 500 Down\r\n\r\n" ACK, .ending = ENDING_CLOSE },
        { .raw = "HTTP/1.1 500 OK\r\nContent-Length: 0\r\n\r\n" },
    };
    struct courier courier = courier_start();

    refuse_each_status(courier, EACH(statuses));
    send_for_each(courier, EACH(answers), outcome_of(OUTCOME_HTTP, 500));
}

CHECK(send_http, a_redirect_is_not_followed, "send_http.7")
{
    struct courier courier = courier_start();
    struct server *other = server_open();

    refuse_each_redirect(courier, server_url(other));
    expect_untouched(other);

    refuse_each_redirect(courier, "/events");
}
