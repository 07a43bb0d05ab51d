/*
 * connection.h - one accepted connection: reads requests, sends what was scripted, ends as
 * scripted, and never blocks.  Private to the server, used on its thread only.
 *
 * The server polls as connection_poll() says, tells connection_polled() what came, and then
 * steps until STEP_WAIT or STEP_CLOSED.
 */
#ifndef STAGE_CONNECTION_H
#define STAGE_CONNECTION_H

#include "stage/received.h"
#include "stage/response.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct connection;

enum step {
    STEP_WAIT,      /* poll again */
    STEP_REQUEST,   /* a whole request: connection_take_request(), then connection_answer() */
    STEP_BROKEN,    /* one that will never be whole: connection_take_request() */
    STEP_HALF_SENT, /* half the answer's bytes; only where connection_answer() asked for it */
    STEP_SENT,      /* all its bytes; the ending comes with the next step */
    STEP_CLOSED     /* nothing more to come: connection_close() */
};

/* Takes over the socket, number counts the accepted ones from 1; at_accept as in server.h. */
struct connection *connection_open(int fd, int number, enum ending at_accept);
void connection_close(struct connection *connection);

/* Fills in what to poll for; returns when to step even so, in clock_ms(), or -1. */
int64_t connection_poll(const struct connection *connection, struct pollfd *poll);
void connection_polled(struct connection *connection, short events);
enum step connection_step(struct connection *connection);

/* The caller's, to free with received_free(). */
struct received *connection_take_request(struct connection *connection);

/* Starts to answer request.  With halve, stops once for STEP_HALF_SENT. */
void connection_answer(struct connection *connection, const struct response *response,
                       const struct received *request, bool halve);

/* The client has not ended its side yet, as far as was seen. */
bool connection_is_open(const struct connection *connection);

/* Part of a request has come, and not the rest. */
bool connection_is_halfway(const struct connection *connection);

#endif
