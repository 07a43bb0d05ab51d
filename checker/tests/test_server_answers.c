/* test_server_answers.c - that the server answers as its script says */
#include "server_client.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

TestSuite(server_answers, .init = open_server, .fini = close_server);

Test(server_answers, unscripted_it_acknowledges_the_id_of_the_request)
{
    expect_reply(post_within(10000), CURLE_OK, 200, ACK);

    expect_requests(1);
    cr_expect_str_eq(server_request(server, 0)->method, "POST");
    cr_expect_str_eq(server_request(server, 0)->target, "/events");
    cr_expect_str_eq(server_request(server, 0)->body, EVENT);
    cr_expect_eq(server_request(server, 0)->body_bytes, strlen(EVENT));
    cr_expect_null(server_request(server, 0)->fault);
    cr_expect_null(server_request(server, 1));
}

Test(server_answers, a_request_without_an_id_gets_400)
{
    auto_close int fd = send_raw("GET / HTTP/1.1\r\n\r\n");
    auto_free char *got = receive_until(fd, "}");

    cr_expect(strstr(got, "HTTP/1.1 400 Bad Request\r\n"));
}

Test(server_answers, statuses_bodies_and_ids_are_as_scripted)
{
    struct response unavailable = response_status(503);
    struct response other = response_ack("other");
    struct response nul = { .body = "a\0b", .body_bytes = 3 };
    struct response text = response_text(201, "");

    expect_reply(post(&unavailable), CURLE_OK, 503, ACK);
    expect_reply(post(&other), CURLE_OK, 200, "{\"id\":\"other\",\"accepted\":true}");
    expect_reply(post(&nul), CURLE_OK, 200, "a");
    expect_reply(post(&text), CURLE_OK, 201, "");
    expect_reply(post(NULL), CURLE_OK, 200, ACK);
}

Test(server_answers, a_body_is_padded_to_its_size)
{
    struct reply reply = post(&(struct response){ .pad_bytes = 1025 });

    cr_expect_eq(reply.body.bytes, 1025);
    cr_expect_eq(strncmp(reply.body.data, ACK "  ", strlen(ACK) + 2), 0);
    text_free(&reply.body);
}

Test(server_answers, chunks_come_in_their_size)
{
    struct response chunked = { .framing = FRAMING_CHUNKED, .chunk_bytes = 20 };
    auto_close int fd = -1;
    auto_free char *got = NULL;

    expect_reply(post(&chunked), CURLE_OK, 200, ACK);
    fd = send_raw(POST);
    got = receive_until(fd, "\r\n0\r\n\r\n");

    cr_expect(
        strstr(got, "\r\n\r\n14\r\n{\"id\":\"e-1\",\"accepte\r\n8\r\nd\":true}\r\n0\r\n\r\n"));
}

Test(server_answers, a_body_may_end_with_the_connection)
{
    expect_reply(post(&(struct response){ .framing = FRAMING_CLOSE }), CURLE_OK, 200, ACK);
    expect_requests(1);
}

Test(server_answers, pieces_arrive_one_by_one)
{
    struct response pieces = { .piece_bytes = 10, .piece_gap_ms = 40 };
    int64_t start_ms = clock_ms();
    struct reply reply = post(&pieces);

    cr_expect_eq(reply.writes, 3, "parts: expected 3, found %d", reply.writes);
    cr_expect_geq(clock_ms() - start_ms, 80);
    expect_reply(reply, CURLE_OK, 200, ACK);
}

Test(server_answers, an_answer_may_be_late)
{
    int64_t start_ms = clock_ms();

    expect_reply(post(&(struct response){ .delay_ms = 100 }), CURLE_OK, 200, ACK);
    cr_expect_geq(clock_ms() - start_ms, 99);
}

Test(server_answers, a_cut_body_is_not_whole)
{
    struct response cut = { .cut = CUT_BODY, .cut_at = 9, .ending = ENDING_CLOSE };

    expect_reply(post(&cut), CURLE_PARTIAL_FILE, 200, "{\"id\":\"e-");
    cut.framing = FRAMING_CHUNKED;
    expect_reply(post(&cut), CURLE_PARTIAL_FILE, 200, "{\"id\":\"e-");
    cut.cut_at = 1000;
    expect_reply(post(&cut), CURLE_PARTIAL_FILE, 200, ACK);
}

Test(server_answers, a_header_of_the_script_replaces_ours)
{
    struct response lie = { .headers = "content-length: 99\r\nContent-Type: text/plain\r\n",
                            .ending = ENDING_CLOSE };
    auto_close int fd = -1;
    auto_free char *got = NULL;

    expect_reply(post(&lie), CURLE_PARTIAL_FILE, 200, ACK);
    fd = send_raw(POST);
    got = receive_until(fd, NULL);

    cr_expect(strstr(got, "\r\ncontent-length: 99\r\n"));
    cr_expect_null(strstr(got, "Content-Length"));
    cr_expect_null(strstr(got, "application/json"));
}

Test(server_answers, a_reset_is_an_error_of_the_connection)
{
    struct response reset = response_nothing(ENDING_RESET);
    auto_close int fd = -1;
    char byte;

    expect_reply(post(&reset), CURLE_RECV_ERROR, 0, "");
    fd = send_raw(POST);

    cr_expect_eq(recv(fd, &byte, 1, 0), -1);
    cr_expect_eq(errno, ECONNRESET);
    expect_requests(2);
}

Test(server_answers, silence_lasts_until_the_client_leaves)
{
    struct response silent = response_nothing(ENDING_SILENT);

    server_answer_next(server, &silent);
    expect_reply(post_within(100), CURLE_OPERATION_TIMEDOUT, 0, "");
    silent = (struct response){ .cut = CUT_BODY, .cut_at = 5, .ending = ENDING_SILENT };
    server_answer_next(server, &silent);
    expect_reply(post_within(100), CURLE_OPERATION_TIMEDOUT, 200, "{\"id\"");

    expect_requests(2);
}

Test(server_answers, an_endless_body_goes_on_until_the_client_leaves)
{
    struct response endless = { .ending = ENDING_ENDLESS };
    struct reply reply = post(&endless);

    cr_expect_eq(reply.code, CURLE_WRITE_ERROR);
    text_free(&reply.body);
    endless.framing = FRAMING_CHUNKED;
    reply = post(&endless);
    cr_expect_eq(reply.code, CURLE_WRITE_ERROR);
    cr_expect_gt(reply.body.bytes, 100000);
    text_free(&reply.body);
    expect_requests(2);
}

Test(server_answers, an_endless_body_has_a_bound_and_ends_cut)
{
    struct response endless = { .ending = ENDING_ENDLESS };
    auto_close int fd = -1;
    auto_free char *got = NULL;

    server_answer(server, &endless);
    fd = send_raw(POST);
    got = receive_until(fd, NULL);

    cr_expect_geq(strlen(got), (size_t)RESPONSE_ENDLESS_BYTES);
}

Test(server_answers, an_endless_body_may_drip)
{
    struct response drip = { .piece_bytes = 1, .piece_gap_ms = 10, .ending = ENDING_ENDLESS };
    struct reply reply;

    server_answer(server, &drip);
    reply = post_within(500);

    cr_expect_eq(reply.code, CURLE_OPERATION_TIMEDOUT);
    cr_expect_lt(reply.body.bytes, 60);
    text_free(&reply.body);
    expect_requests(1);
}

Test(server_answers, raw_bytes_go_out_as_they_are)
{
    struct response garbage = response_raw("HTTP/9 what\r\n", ENDING_CLOSE);
    auto_close int fd = -1;
    auto_free char *got = NULL;

    server_answer(server, &garbage);
    fd = send_raw(POST);
    got = receive_until(fd, NULL);

    cr_expect_str_eq(got, "HTTP/9 what\r\n");
}

Test(server_answers, interim_answers_go_ahead)
{
    struct response early = { .before = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" };

    expect_reply(post(&early), CURLE_OK, 200, ACK);
}
