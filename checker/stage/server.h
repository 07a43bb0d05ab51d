/*
 * server.h - the warehouse: a real HTTP/1.1 server on the loopback that records every request
 * and answers by script.  Nobody else is needed to use it: this header, response.h (what it
 * answers) and received.h (what it recorded).
 *
 *     struct server *server = server_open();
 *
 *     server_answer_next(server, &(struct response){ .status = 503 });
 *     ... the worker sends to server_url(server) twice: 503, then a proper acknowledgement ...
 *     cr_assert(server_wait_idle(server, clock_ms() + 2000));
 *     cr_assert_eq(server_requests(server), 2);
 *     server_close(server);
 *
 * Unscripted it is a right warehouse: 200, the acknowledgement of the request's id, keep-alive.
 * "Expect: 100-continue" gets its 100 where the client asks.  A request may be chunked, in
 * absolute form (we are the proxy) or a CONNECT: unscripted that gets 405; scripted to 200, what
 * comes through the tunnel is read and recorded as the next request.
 *
 * Bounds: 64 KiB a request, 64 connections at a time; what is beyond is closed.  Malformed
 * requests get 400.  None of that, and no client that stays silent, holds up another one.
 *
 * Threads: the server runs on one of its own, with every signal blocked.  All functions here
 * may be called from any other thread, all but server_close() and the waits also from the
 * decider.  A
 * deadline_ms is a moment of clock_ms(), not a span; the waits return true at once where their
 * fact already holds, false at the deadline.  Sockets are close-on-exec.
 */
#ifndef STAGE_SERVER_H
#define STAGE_SERVER_H

#include "stage/received.h"
#include "stage/response.h"

#include <stdbool.h>
#include <stdint.h>

struct server;

/* Life.  Listening before open returns; dies where there is no loopback. */
struct server *server_open(void);
void server_close(struct server *server); /* ends the thread and every connection; NULL is fine */
int server_port(const struct server *server);
const char *server_url(const struct server *server); /* .../events; the server's to free */

/*
 * The script.  For each whole request: the oldest answer_next not used yet; else what answer
 * or decide, whichever was called last, said.  NULL takes us back to the right answer.
 */
void server_answer_next(struct server *server, const struct response *response);
void server_answer(struct server *server, const struct response *response);

/*
 * decide is called on the server's thread with no lock held and may block (every other
 * connection then waits too, and so does server_close).  What its response points to must
 * last until the next call or server_close; the request until server_close.
 */
typedef struct response server_decider(void *context, const struct received *request);
void server_decide(struct server *server, server_decider *decide, void *context);

/*
 * What connections accepted from now on meet: ENDING_KEEP_ALIVE, they are read (as at first);
 * ENDING_CLOSE, our side ends at once and no request is recorded; ENDING_RESET; ENDING_SILENT,
 * accepted and never read.
 */
void server_at_accept(struct server *server, enum ending ending);

/*
 * Moments, for kills.  The server's thread, the next time it comes to the moment, stops there
 * (all connections with it) until server_continue(); then the moment is spent.  Arm it before
 * the request is sent.
 */
enum moment {
    MOMENT_NONE,             /* disarms */
    MOMENT_REQUEST_ARRIVED,  /* recorded; nobody has decided yet, no byte of an answer is sent */
    MOMENT_HALF_ANSWER_SENT, /* half the bytes the answer will have are in the client's socket */
    MOMENT_ANSWER_SENT       /* all are; what the ending says has not happened yet */
};
void server_pause_at(struct server *server, enum moment moment);
bool server_wait_paused(struct server *server, int64_t deadline_ms);
void server_continue(struct server *server); /* no harm where it is not paused */

/*
 * Records.  Whole requests count from 0 in the order in which they became whole.  To be sure
 * that nothing is still on its way, server_wait_idle() first.
 */
int server_requests(struct server *server);
const struct received *server_request(struct server *server, int i); /* NULL: no such one */
bool server_wait_requests(struct server *server, int count, int64_t deadline_ms);

/*
 * Requests that were begun and are not whole: cut off, malformed, too long, or still coming.
 * Exact as of the last server_wait_idle(), whatever that returned.
 */
int server_unfinished(struct server *server);

/* The i-th that is known to stay so, its fault said; NULL: no such one. */
const struct received *server_broken(struct server *server, int i);

/*
 * Connections accepted so far, and those of them whose client has not closed its side as far
 * as was seen: server_wait_idle() is the way to prove that there is none.
 */
int server_connections(struct server *server);
int server_open_connections(struct server *server);
bool server_wait_connections(struct server *server, int count, int64_t deadline_ms);

/*
 * Waits until the client has closed every connection that it has made before this call, and
 * all that it sent is recorded (but what follows, on the same connection, an answer that closed,
 * reset or fell silent).  Connections that we reset count as closed.
 */
bool server_wait_idle(struct server *server, int64_t deadline_ms);

#endif
