/* server_client.h - the clients with which the tests of the server talk to it */
#ifndef TESTS_SERVER_CLIENT_H
#define TESTS_SERVER_CLIENT_H

#include "base.h"
#include "stage/server.h"

#include <criterion/criterion.h>
#include <curl/curl.h>

#define EVENT "{\"id\":\"e-1\",\"qty\":3}"
#define ACK   "{\"id\":\"e-1\",\"accepted\":true}"
#define POST  "POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n" EVENT
#define SOON  (clock_ms() + 10000)

/* The server of the running test; every test of these suites has a fresh one. */
extern struct server *server;
void open_server(void);
void close_server(void);

struct reply {
    CURLcode code;
    long status;
    struct text body;
    int writes; /* how often libcurl handed over a part of the body */
};

/* A POST of EVENT; the caller cleans it up.  What perform returns owns its body. */
CURL *make_client(const char *url, long timeout_ms);
struct reply perform(CURL *curl);

/* One POST on a connection of its own; post() first sets what it is answered. */
struct reply post_within(long timeout_ms);
struct reply post(const struct response *response);

/* Frees the reply's body. */
void expect_reply(struct reply reply, CURLcode code, long status, const char *body);

/* So many whole requests, once every client has closed. */
void expect_requests(int count);

/* Bare sockets, the caller's to close; -1 with errno where there is no connection. */
int connect_raw(int port);
int send_raw(const char *bytes);

/* What comes until end is in it, or the connection ends (end may be NULL); the caller frees it. */
char *receive_until(int fd, const char *end);

/* Nothing has come, and the connection is open. */
bool is_quiet(int fd);

#endif
