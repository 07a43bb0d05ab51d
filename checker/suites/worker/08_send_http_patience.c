/* Step 8: steps/worker/08-send_http.md; how long a server is waited for */
#include "worker_http.h"

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
