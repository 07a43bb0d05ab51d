/* server_client.c - see server_client.h */
#include "server_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

struct server *server;

void open_server(void)
{
    server = server_open();
}

void close_server(void)
{
    server_close(server);
}

static size_t collect(char *data, size_t size, size_t count, void *reply_of_caller)
{
    struct reply *reply = reply_of_caller;

    text_add_bytes(&reply->body, data, size * count);
    reply->writes++;
    return reply->body.bytes > 100000 ? 0 : size * count;
}

CURL *make_client(const char *url, long timeout_ms)
{
    CURL *curl = curl_easy_init();

    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, EVENT);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    return curl;
}

struct reply perform(CURL *curl)
{
    struct reply reply = { 0 };

    text_add(&reply.body, "%s", "");
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
    reply.code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply.status);
    return reply;
}

struct reply post_within(long timeout_ms)
{
    CURL *curl = make_client(server_url(server), timeout_ms);
    struct reply reply = perform(curl);

    curl_easy_cleanup(curl);
    return reply;
}

struct reply post(const struct response *response)
{
    server_answer(server, response);
    return post_within(10000);
}

void expect_reply(struct reply reply, CURLcode code, long status, const char *body)
{
    cr_expect_eq(reply.code, code, "code: expected %d, found %d", code, reply.code);
    cr_expect_eq(reply.status, status, "status: expected %ld, found %ld", status, reply.status);
    cr_expect_str_eq(reply.body.data, body);
    text_free(&reply.body);
}

void expect_requests(int count)
{
    cr_expect(server_wait_idle(server, SOON), "a connection is still open");
    cr_expect_eq(server_requests(server), count, "requests: expected %d, found %d", count,
                 server_requests(server));
}

int connect_raw(int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                   .sin_port = htons((uint16_t)port) };
    const struct timeval patience = { .tv_sec = 10 };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int send_raw(const char *bytes)
{
    int fd = connect_raw(server_port(server));

    cr_assert(fd >= 0 && write_all(fd, bytes, strlen(bytes)));
    return fd;
}

char *receive_until(int fd, const char *end)
{
    struct text got = { 0 };
    char part[4096];
    ssize_t bytes;

    text_add(&got, "%s", "");
    while (!(end && strstr(got.data, end)) && (bytes = recv(fd, part, sizeof part, 0)) > 0)
        text_add_bytes(&got, part, (size_t)bytes);
    return got.data;
}

bool is_quiet(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}
