/* Step 8: steps/worker/08-send_http.md; which answer is which error */
#include "worker_http.h"

#include <stdio.h>

#define ACK "{\"id\":\"@\",\"accepted\":true}"

#define DELIVERY outcome_of(OUTCOME_DELIVERY, 0)

static void refuse_each_status(const int *statuses, size_t count, bool is_http)
{
    struct server *server = server_open();
    struct puppet *worker = puppet_start();

    for (size_t i = 0; i < count; i++) {
        struct response answer = response_status(statuses[i]);

        expect_outcome(send_for(worker, server, &answer, USUAL_TIMEOUT),
                       is_http ? outcome_of(OUTCOME_HTTP, statuses[i]) : DELIVERY);
    }
    expect_requests(server, (int)count);
}

/* To another server, or to the same one; only the first request may come. */
static void refuse_each_redirect(const char *location, struct server *server)
{
    static const int statuses[] = { 301, 302, 303, 307, 308 };
    struct puppet *worker = puppet_start();
    char headers[128];

    snprintf(headers, sizeof headers, "Location: %s\r\n", location);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct response answer = { .status = statuses[i], .headers = headers };

        server_answer_next(server, &answer);
        stage_did("(the server answers %d with %s)", statuses[i], headers);
        expect_outcome(send_to(worker, server_url(server), an_event(), USUAL_TIMEOUT),
                       outcome_of(OUTCOME_HTTP, statuses[i]));
        expect_requests(server, (int)i + 1);
    }
}

CHECK(send_http, a_body_of_1025_bytes_is_no_acknowledgement, "send_http.6")
{
    static const struct response answers[] = {
        { .pad_bytes = 1025 },
        { .pad_bytes = 1025, .framing = FRAMING_CHUNKED },
        { .pad_bytes = 1025, .framing = FRAMING_CHUNKED, .chunk_bytes = 1024 },
        { .pad_bytes = 1025, .framing = FRAMING_CHUNKED, .chunk_bytes = 41 },
        { .pad_bytes = 1025, .framing = FRAMING_CLOSE },
        { .pad_bytes = 1025, .piece_bytes = 1024 },
        { .pad_bytes = 1026 },
        { .pad_bytes = 2048, .framing = FRAMING_CHUNKED, .chunk_bytes = 1024 },
        { .pad_bytes = 60000 },
        { .pad_bytes = 70000, .framing = FRAMING_CLOSE },
        { .status = 201, .pad_bytes = 5000 },
    };

    send_for_each(EACH(answers), DELIVERY);
}

CHECK(send_http, a_body_without_end_is_no_acknowledgement, "send_http.6")
{
    static const struct response answers[] = {
        { .framing = FRAMING_CHUNKED, .ending = ENDING_ENDLESS },
        { .framing = FRAMING_CLOSE, .ending = ENDING_ENDLESS },
        { .framing = FRAMING_LENGTH, .ending = ENDING_ENDLESS },
        { .status = 299, .framing = FRAMING_CHUNKED, .ending = ENDING_ENDLESS },
    };

    send_for_each(EACH(answers), DELIVERY);
}

CHECK(send_http, a_body_past_1024_bytes_is_no_acknowledgement_however_it_ends, "send_http.6")
{
    static const struct response answers[] = {
        { .pad_bytes = 4000, .cut = CUT_BODY, .cut_at = 1025, .ending = ENDING_CLOSE },
        { .pad_bytes = 4000,
          .framing = FRAMING_CHUNKED,
          .chunk_bytes = 50,
          .cut = CUT_BODY,
          .cut_at = 1500,
          .ending = ENDING_CLOSE },
        { .pad_bytes = 4000, .cut = CUT_BODY, .cut_at = 1100, .ending = ENDING_SILENT },
        { .pad_bytes = 4000,
          .status = 202,
          .framing = FRAMING_CHUNKED,
          .cut = CUT_BODY,
          .cut_at = 3000,
          .ending = ENDING_SILENT },
    };

    send_for_each_kind(EACH(answers), "1", OUTCOME_DELIVERY);
}

CHECK(send_http, a_whole_answer_that_is_no_acknowledgement_is_a_delivery_error, "send_http.6")
{
    static const struct response answers[] = {
        { .body = "" },
        { .body = "{\"id\":\"@\",\"accepted\":false}" },
        { .body = "{\"id\":\"@\",\"accepted\":false}", .framing = FRAMING_CHUNKED },
        { .body = "no", .framing = FRAMING_CLOSE },
        { .body = "", .framing = FRAMING_CHUNKED },
        { .body = "", .framing = FRAMING_CLOSE },
        { .ack_id = "another-one" },
        { .body = "null", .piece_bytes = 1 },
    };

    send_for_each(EACH(answers), DELIVERY);
}

CHECK(send_http, another_status_of_the_200s_is_a_delivery_error, "send_http.6")
{
    static const int statuses[] = { 201, 202, 203, 206, 207, 208, 226, 250, 298, 299 };

    refuse_each_status(EACH(statuses), false);
}

CHECK(send_http, a_status_of_the_200s_without_a_body_is_a_delivery_error, "send_http.6")
{
    static const struct response answers[] = {
        { .status = 204, .body = "" },
        { .status = 201, .body = "" },
        { .status = 202, .body = "", .framing = FRAMING_CHUNKED },
        { .status = 205, .body = "" },
        { .raw = "HTTP/1.1 204 No Content\r\n\r\n" },
    };

    send_for_each(EACH(answers), DELIVERY);
}

CHECK(send_http, a_status_outside_the_200s_is_handed_on_whatever_the_body_says, "send_http.7")
{
    static const int statuses[] = { 300, 305, 306, 399, 400, 401, 402, 403, 404, 405, 406, 408, 409,
                                    410, 411, 412, 413, 414, 415, 416, 418, 422, 426, 428, 429, 431,
                                    451, 499, 500, 501, 502, 503, 504, 505, 507, 508, 511, 599 };

    refuse_each_status(EACH(statuses), true);
}

CHECK(send_http, a_status_outside_the_200s_is_handed_on_with_any_whole_body, "send_http.7")
{
    static const struct response answers[] = {
        { .status = 500, .body = "" },
        { .status = 500, .body = "{\"id\":\"@\",\"accepted\":false}" },
        { .status = 500, .framing = FRAMING_CHUNKED, .chunk_bytes = 5 },
        { .status = 500, .framing = FRAMING_CLOSE },
        { .status = 500, .body = "no JSON at all", .headers = "Content-Type: text/html\r\n" },
        { .status = 500, .pad_bytes = 1024 },
        { .status = 500, .pad_bytes = 1025 },
        { .status = 500, .pad_bytes = 20000, .framing = FRAMING_CHUNKED, .chunk_bytes = 900 },
        { .status = 500, .headers = "Retry-After: 0\r\n" },
        { .raw = "HTTP/1.0 500 Down\r\n\r\n" ACK, .ending = ENDING_CLOSE },
        { .raw = "HTTP/1.1 500 OK\r\nContent-Length: 0\r\n\r\n" },
    };

    send_for_each(EACH(answers), outcome_of(OUTCOME_HTTP, 500));
}

CHECK(send_http, an_answer_without_a_body_by_its_nature_has_its_status_handed_on, "send_http.7")
{
    static const struct response answers[] = { { .status = 304, .body = "" },
                                               { .raw = "HTTP/1.1 304 Not Modified\r\n\r\n" } };

    send_for_each(EACH(answers), outcome_of(OUTCOME_HTTP, 304));
}

CHECK(send_http, a_redirect_to_another_server_is_not_followed, "send_http.7")
{
    struct server *server = server_open();
    struct server *other = server_open();

    refuse_each_redirect(server_url(other), server);

    expect_untouched(other);
}

CHECK(send_http, a_redirect_to_the_same_server_is_not_followed, "send_http.7")
{
    refuse_each_redirect("/events", server_open());
}
