/* test_server_records.c - that the server records what clients send, whole or not */
#include "server_client.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(server_records, .init = open_server, .fini = close_server);

Test(server_records, a_client_may_send_more_on_one_connection)
{
    CURL *curl = make_client(server_url(server), 10000);

    expect_reply(perform(curl), CURLE_OK, 200, ACK);
    expect_reply(perform(curl), CURLE_OK, 200, ACK);
    cr_expect_not(server_wait_idle(server, clock_ms() + 50));
    cr_expect_eq(server_open_connections(server), 1);
    curl_easy_cleanup(curl);

    expect_requests(2);
    cr_expect_eq(server_connections(server), 1);
    cr_expect_eq(server_request(server, 1)->connection, 1);
    cr_expect_eq(server_open_connections(server), 0);
}

Test(server_records, keep_alive_then_close_makes_a_reused_connection_send_twice)
{
    CURL *curl = make_client(server_url(server), 10000);
    struct response gone = response_nothing(ENDING_CLOSE);

    server_answer_next(server, NULL);
    server_answer_next(server, &gone);
    expect_reply(perform(curl), CURLE_OK, 200, ACK);
    expect_reply(perform(curl), CURLE_OK, 200, ACK);
    curl_easy_cleanup(curl);

    expect_requests(3);
    cr_expect_eq(server_connections(server), 2);
}

Test(server_records, a_client_that_wants_to_close_is_closed)
{
    auto_close int fd = send_raw("POST / HTTP/1.0\r\nContent-Length: 20\r\n\r\n" EVENT);
    auto_free char *got = receive_until(fd, NULL);

    cr_expect(strstr(got, "Connection: close\r\n"));
    cr_expect(strstr(got, ACK));
    cr_expect_eq(server_request(server, 0)->minor, 0);
    cr_expect_eq(server_open_connections(server), 1, "our end is not the client's");
}

Test(server_records, a_client_that_ends_its_side_first_is_answered)
{
    auto_close int fd = send_raw(POST);
    auto_free char *got = NULL;

    shutdown(fd, SHUT_WR);
    got = receive_until(fd, NULL);

    cr_expect(strstr(got, ACK));
}

Test(server_records, requests_in_a_row_are_answered_in_turn)
{
    auto_close int fd = send_raw(POST POST);
    auto_free char *first = receive_until(fd, "true}");

    cr_expect(first);
    cr_expect(server_wait_requests(server, 2, SOON));
    cr_expect_eq(server_request(server, 1)->connection, 1);
}

Test(server_records, a_chunked_request_is_decoded)
{
    auto_close int fd = send_raw("POST /events HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                                 "5\r\n{\"id\"\r\n6\r\n:\"ab\"}\r\n0\r\n\r\n");
    auto_free char *got = receive_until(fd, "true}");

    cr_expect(strstr(got, "{\"id\":\"ab\",\"accepted\":true}"));
    cr_expect(server_request(server, 0)->chunked);
    cr_expect_str_eq(server_request(server, 0)->body, "{\"id\":\"ab\"}");
}

Test(server_records, headers_are_found_in_any_case_and_counted)
{
    auto_close int fd = send_raw("POST / HTTP/1.1\r\ncontent-TYPE:  application/json\r\n"
                                 "X: 1\r\nx: 2\r\nEmpty:\r\nContent-Length: 0\r\n\r\n");
    const struct received *request;

    cr_assert(fd >= 0 && server_wait_requests(server, 1, SOON));
    request = server_request(server, 0);

    cr_expect_str_eq(received_header(request, "Content-Type"), "application/json");
    cr_expect_str_eq(received_header(request, "x"), "1");
    cr_expect_str_eq(received_header(request, "empty"), "");
    cr_expect_eq(received_header_count(request, "X"), 2);
    cr_expect_eq(received_header_count(request, "Expect"), 0);
    cr_expect_null(received_header(request, "Expect"));
}

Test(server_records, a_proxy_request_is_in_absolute_form)
{
    struct response refuse = response_status(502);
    CURL *curl = make_client("http://127.0.0.1:9/events", 10000);

    server_answer(server, &refuse);
    curl_easy_setopt(curl, CURLOPT_PROXY, server_url(server));
    expect_reply(perform(curl), CURLE_OK, 502, ACK);
    curl_easy_cleanup(curl);

    expect_requests(1);
    cr_expect_str_eq(server_request(server, 0)->target, "http://127.0.0.1:9/events");
}

Test(server_records, a_tunnel_is_recorded_and_refused)
{
    CURL *curl = make_client("http://127.0.0.1:9/events", 10000);
    struct reply reply;

    curl_easy_setopt(curl, CURLOPT_PROXY, server_url(server));
    curl_easy_setopt(curl, CURLOPT_HTTPPROXYTUNNEL, 1L);
    reply = perform(curl);
    text_free(&reply.body);
    curl_easy_cleanup(curl);

    expect_requests(1);
    cr_expect_str_eq(server_request(server, 0)->method, "CONNECT");
    cr_expect_str_eq(server_request(server, 0)->target, "127.0.0.1:9");
}

Test(server_records, a_client_that_expects_100_gets_it_and_others_do_not)
{
    auto_close int fd = send_raw("POST / HTTP/1.1\r\nExpect: 100-continue\r\n"
                                 "Content-Length: 20\r\n\r\n");
    auto_free char *interim = receive_until(fd, "\r\n\r\n");
    auto_free char *final = NULL;
    auto_close int other = send_raw(POST);
    auto_free char *plain = receive_until(other, "true}");

    cr_expect_str_eq(interim, "HTTP/1.1 100 Continue\r\n\r\n");
    cr_expect(write_all(fd, EVENT, 20));
    final = receive_until(fd, "true}");
    cr_expect_eq(strncmp(final, "HTTP/1.1 200 OK\r\n", 17), 0);
    cr_expect_eq(strncmp(plain, "HTTP/1.1 200 OK\r\n", 17), 0);
}

Test(server_records, an_unfinished_request_is_recorded_as_such)
{
    int fd = send_raw("POST /events HTTP/1.1\r\nContent-Length: 20\r\n\r\n{\"id\"");

    expect_reply(post_within(10000), CURLE_OK, 200, ACK);
    cr_expect_not(server_wait_idle(server, clock_ms() + 50));
    cr_expect_eq(server_unfinished(server), 1);
    cr_expect_null(server_broken(server, 0));
    close(fd);

    expect_requests(1);
    cr_expect_eq(server_unfinished(server), 1);
    cr_assert_not_null(server_broken(server, 0));
    cr_expect_str_eq(server_broken(server, 0)->target, "/events");
    cr_expect_str_eq(server_broken(server, 0)->body, "{\"id\"");
    cr_expect_not_null(server_broken(server, 0)->fault);
}

Test(server_records, a_malformed_request_gets_400_and_is_recorded_as_such)
{
    auto_close int fd = send_raw("POST /events HTTP/1.1\r\nNoColon\r\n\r\n");
    auto_free char *got = receive_until(fd, NULL);
    auto_close int garbage = send_raw("\x16\x03\x01");
    auto_free char *more = receive_until(garbage, NULL);

    cr_expect_eq(strncmp(got, "HTTP/1.1 400 ", 13), 0);
    cr_expect_eq(strncmp(more, "HTTP/1.1 400 ", 13), 0);
    cr_expect_eq(server_requests(server), 0);
    cr_expect_not_null(server_broken(server, 1));
    cr_expect_eq(server_unfinished(server), 2);
}

Test(server_records, a_request_of_more_than_64_kib_is_refused)
{
    auto_free char *filler = xprintf("%070000d", 0);
    auto_close int fd = send_raw("POST / HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n");
    auto_free char *got = NULL;

    cr_expect(write_all(fd, filler, 70000));
    got = receive_until(fd, NULL);

    cr_expect_eq(strncmp(got, "HTTP/1.1 400 ", 13), 0);
    cr_expect_str_eq(server_broken(server, 0)->fault, "longer than 64 KiB");
}
