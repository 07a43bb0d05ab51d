/* test_server_moments.c - that the server stops, decides, refuses and serves many at once */
#include "server_client.h"
#include "stage/port.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(server_moments, .init = open_server, .fini = close_server);

Test(server_moments, it_pauses_before_anything_is_answered)
{
    auto_close int fd = -1;
    auto_free char *got = NULL;

    server_pause_at(server, MOMENT_REQUEST_ARRIVED);
    cr_expect_not(server_wait_paused(server, clock_ms() + 20));
    fd = send_raw(POST);
    cr_assert(server_wait_paused(server, SOON));
    cr_expect_eq(server_requests(server), 1);
    cr_expect(is_quiet(fd));
    server_continue(server);

    got = receive_until(fd, "true}");
    cr_expect(strstr(got, ACK));
}

Test(server_moments, it_pauses_at_half_the_answer_and_at_its_end)
{
    struct response ten = response_raw("0123456789", ENDING_CLOSE);
    char got[20];
    auto_close int fd = -1;

    server_answer(server, &ten);
    server_pause_at(server, MOMENT_HALF_ANSWER_SENT);
    fd = send_raw(POST);
    cr_assert(server_wait_paused(server, SOON));
    cr_expect_eq(recv(fd, got, sizeof got, MSG_DONTWAIT), 5);
    cr_expect(is_quiet(fd));
    server_pause_at(server, MOMENT_ANSWER_SENT);
    server_continue(server);
    cr_assert(server_wait_paused(server, SOON));

    cr_expect_eq(recv(fd, got, sizeof got, MSG_DONTWAIT), 5);
    cr_expect(is_quiet(fd));
    server_continue(server);
    cr_expect_eq(recv(fd, got, sizeof got, 0), 0);
}

Test(server_moments, it_ends_while_it_is_paused)
{
    auto_close int fd = -1;

    server_pause_at(server, MOMENT_REQUEST_ARRIVED);
    fd = send_raw(POST);

    cr_assert(server_wait_paused(server, SOON));
}

static struct response decide_by_count(void *context, const struct received *request)
{
    int *calls = context;

    cr_expect_str_eq(request->body, EVENT);
    cr_expect_eq(server_requests(server), ++*calls);
    return (struct response){ .status = 200 + *calls };
}

Test(server_moments, a_decider_says_what_is_answered)
{
    struct response first = response_status(500);
    int calls = 0;

    server_decide(server, decide_by_count, &calls);
    expect_reply(post_within(10000), CURLE_OK, 201, ACK);
    expect_reply(post_within(10000), CURLE_OK, 202, ACK);
    server_answer_next(server, &first);
    expect_reply(post_within(10000), CURLE_OK, 500, ACK);
    server_decide(server, NULL, NULL);
    expect_reply(post_within(10000), CURLE_OK, 200, ACK);
}

Test(server_moments, nobody_listens_on_a_closed_port)
{
    int port = closed_port();

    cr_expect_neq(closed_port(), port);
    cr_expect_eq(connect_raw(port), -1);
    cr_expect_eq(errno, ECONNREFUSED);
    cr_expect_eq(connect_raw(closed_port_from(port + 1, 9)), -1);
    cr_expect_eq(errno, ECONNREFUSED);
}

static void expect_no_answer(enum ending at_accept)
{
    struct reply reply;

    server_at_accept(server, at_accept);
    reply = post_within(200);
    cr_expect_neq(reply.code, CURLE_OK);
    expect_reply(reply, reply.code, 0, "");
}

Test(server_moments, a_connection_may_be_ended_at_accept)
{
    expect_no_answer(ENDING_CLOSE);
    expect_no_answer(ENDING_RESET);
    expect_no_answer(ENDING_SILENT);

    expect_requests(0);
    cr_expect_eq(server_connections(server), 3);
}

Test(server_moments, clients_do_not_wait_for_each_other)
{
    int fds[40];

    for (int i = 0; i < 40; i++)
        fds[i] = send_raw("POST / HTTP/1.1\r\nContent-Le");
    expect_reply(post_within(10000), CURLE_OK, 200, ACK);
    for (int i = 0; i < 40; i++)
        cr_expect(write_all(fds[i], "ngth: 20\r\n\r\n" EVENT, 32));

    cr_expect(server_wait_requests(server, 41, SOON));
    for (int i = 0; i < 40; i++)
        close(fds[i]);
    expect_requests(41);
}

Test(server_moments, connections_beyond_the_bound_are_closed)
{
    int fds[64];
    auto_close int beyond = -1;
    char byte;

    for (int i = 0; i < 64; i++)
        fds[i] = connect_raw(server_port(server));
    beyond = connect_raw(server_port(server));

    cr_expect_eq(recv(beyond, &byte, 1, 0), 0);
    cr_expect_eq(server_connections(server), 65);
    for (int i = 0; i < 64; i++)
        close(fds[i]);
    expect_reply((expect_requests(0), post_within(10000)), CURLE_OK, 200, ACK);
}
