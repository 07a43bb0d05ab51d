/* connection.c - see connection.h */
#include "stage/connection.h"

#include "base.h"
#include "stage/reader.h"
#include "stage/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define INPUT_BYTES       (16 * 1024)
#define DISCARD_BYTES_MAX (64 * 1024)

enum phase {
    PHASE_READING,
    PHASE_REFUSING, /* what was read is no request */
    PHASE_ANSWERING,
    PHASE_SENT,
    PHASE_FILLING,   /* the endless rest */
    PHASE_LINGERING, /* our side has ended; the client's is awaited */
    PHASE_SILENT,
    PHASE_CLOSED
};

struct connection {
    int fd, number; /* fd is -1 once reset */
    enum phase phase;
    bool left; /* the client has ended its side */
    bool dead; /* both sides have ended, or it was reset */
    char input[INPUT_BYTES];
    size_t taken, received; /* of input: the reader has the first taken of received */
    struct reader reader;
    struct wire wire;
    size_t sent, paused; /* the bytes, and how many of the wire's pauses, that are behind us */
    bool halve;          /* STEP_HALF_SENT is still owed */
    int64_t due_ms;
    size_t filled, discarded;
};

static enum step leave(struct connection *c)
{
    c->phase = PHASE_CLOSED;
    return STEP_CLOSED;
}

static void reset(struct connection *c)
{
    const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(c->fd);
    c->fd = -1;
    c->phase = PHASE_CLOSED;
}

/* A whole close() with unread bytes would reset and could take our own last bytes with it. */
static void linger(struct connection *c)
{
    shutdown(c->fd, SHUT_WR);
    c->phase = PHASE_LINGERING;
}

/* A line of our own outside the script; the empty buffer of the socket has room for it. */
static void send_line(const struct connection *c, const char *line)
{
    send(c->fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool must_wait(void)
{
    return errno == EAGAIN || errno == EINTR;
}

static enum step read_on(struct connection *c)
{
    while (!c->reader.whole && !c->reader.fault) {
        ssize_t got;

        c->taken += reader_feed(&c->reader, c->input + c->taken, c->received - c->taken);
        if (c->reader.whole || c->reader.fault || c->taken < c->received)
            continue;
        if (c->reader.wants_continue)
            send_line(c, "HTTP/1.1 100 Continue\r\n\r\n");
        c->reader.wants_continue = false;
        got = recv(c->fd, c->input, sizeof c->input, MSG_DONTWAIT);
        if (got < 0 && must_wait())
            return STEP_WAIT;
        if (got <= 0) {
            leave(c);
            return c->reader.request ? STEP_BROKEN : STEP_CLOSED;
        }
        c->taken = 0;
        c->received = (size_t)got;
    }
    if (c->reader.whole)
        return STEP_REQUEST;
    c->phase = PHASE_REFUSING;
    return STEP_BROKEN;
}

/* How far may be sent before something else is to be done. */
static size_t next_stop(const struct connection *c)
{
    const struct wire *wire = &c->wire;
    size_t stop = c->halve ? wire->bytes / 2 : wire->bytes;

    if (c->paused < wire->pause_count && wire->pauses[c->paused] < stop)
        stop = wire->pauses[c->paused];
    return stop;
}

static enum step send_on(struct connection *c)
{
    const struct wire *wire = &c->wire;
    const size_t stop = next_stop(c);
    ssize_t got = 0;

    if (clock_ms() < c->due_ms)
        return STEP_WAIT;
    if (c->sent < stop)
        got = send(c->fd, wire->data + c->sent, stop - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (got < 0)
        return must_wait() ? STEP_WAIT : leave(c);
    c->sent += (size_t)got;
    if (c->halve && c->sent == wire->bytes / 2) {
        c->halve = false;
        return STEP_HALF_SENT;
    }
    if (c->paused < wire->pause_count && c->sent == wire->pauses[c->paused]) {
        c->paused++;
        c->due_ms = clock_ms() + wire->gap_ms;
    }
    if (c->sent < wire->bytes)
        return STEP_WAIT;
    c->phase = PHASE_SENT;
    return STEP_SENT;
}

static enum step fill_on(struct connection *c)
{
    const struct wire *wire = &c->wire;
    const size_t rest = wire->filler_bytes - c->sent;
    ssize_t got;

    if (clock_ms() < c->due_ms)
        return STEP_WAIT;
    got = send(c->fd, wire->filler + c->sent, rest, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (got < 0)
        return must_wait() ? STEP_WAIT : leave(c);
    c->sent += (size_t)got;
    c->filled += (size_t)got;
    if (c->sent < wire->filler_bytes)
        return STEP_WAIT;
    c->sent = 0;
    c->due_ms = clock_ms() + wire->gap_ms;
    if (c->filled >= (size_t)RESPONSE_ENDLESS_BYTES)
        linger(c);
    return STEP_WAIT;
}

static enum step discard(struct connection *c)
{
    while (c->discarded < DISCARD_BYTES_MAX) {
        ssize_t got = recv(c->fd, c->input, sizeof c->input, MSG_DONTWAIT);

        if (got < 0 && must_wait())
            return STEP_WAIT;
        if (got <= 0)
            break;
        c->discarded += (size_t)got;
    }
    return leave(c);
}

static void end(struct connection *c, enum ending ending)
{
    switch (ending) {
    case ENDING_KEEP_ALIVE:
        reader_start(&c->reader);
        c->phase = PHASE_READING;
        break;
    case ENDING_CLOSE:
        linger(c);
        break;
    case ENDING_RESET:
        reset(c);
        break;
    case ENDING_SILENT:
        c->phase = PHASE_SILENT;
        break;
    case ENDING_ENDLESS:
        c->phase = PHASE_FILLING;
        c->sent = 0;
        c->due_ms = clock_ms() + c->wire.gap_ms;
        break;
    }
}

enum step connection_step(struct connection *c)
{
    if (c->dead && c->phase != PHASE_READING && c->phase != PHASE_LINGERING)
        return leave(c);
    switch (c->phase) {
    case PHASE_READING:
        return read_on(c);
    case PHASE_REFUSING:
        send_line(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        linger(c);
        return discard(c);
    case PHASE_ANSWERING:
        return send_on(c);
    case PHASE_SENT:
        end(c, c->wire.ending);
        return connection_step(c);
    case PHASE_FILLING:
        return fill_on(c);
    case PHASE_LINGERING:
        return discard(c);
    case PHASE_SILENT:
        return STEP_WAIT; /* a client that ends its side alone still waits for an answer */
    case PHASE_CLOSED:
        break;
    }
    return STEP_CLOSED;
}

struct connection *connection_open(int fd, int number, enum ending at_accept)
{
    struct connection *c = xmalloc(sizeof *c);
    const int yes = 1;

    *c = (struct connection){ .fd = fd, .number = number };
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    end(c, at_accept);
    return c;
}

void connection_close(struct connection *c)
{
    if (c->fd != -1)
        close(c->fd);
    reader_start(&c->reader);
    wire_free(&c->wire);
    free(c);
}

int64_t connection_poll(const struct connection *c, struct pollfd *poll)
{
    const bool sending = c->phase == PHASE_ANSWERING || c->phase == PHASE_FILLING;
    const bool is_due = sending && c->due_ms <= clock_ms();
    const short leaving = c->left ? 0 : POLLRDHUP;

    *poll = (struct pollfd){ .fd = c->fd, .events = is_due ? POLLOUT | leaving : leaving };
    if (c->phase == PHASE_READING || c->phase == PHASE_LINGERING)
        poll->events = POLLIN;
    return sending && !is_due ? c->due_ms : -1;
}

void connection_polled(struct connection *c, short events)
{
    c->left |= (events & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
    c->dead |= (events & (POLLHUP | POLLERR)) != 0;
}

struct received *connection_take_request(struct connection *c)
{
    const char *cut = "the connection ended in its middle";
    const char *fault = c->reader.fault ? c->reader.fault : cut;
    struct received *request = reader_take(&c->reader, c->reader.whole ? NULL : fault);

    request->connection = c->number;
    return request;
}

void connection_answer(struct connection *c, const struct response *response,
                       const struct received *request, bool halve)
{
    wire_free(&c->wire);
    wire_render(&c->wire, response, request);
    c->phase = PHASE_ANSWERING;
    c->sent = c->paused = c->filled = 0;
    c->halve = halve;
    c->due_ms = clock_ms() + c->wire.delay_ms;
}

bool connection_is_open(const struct connection *c)
{
    return c->phase != PHASE_CLOSED && (c->phase == PHASE_READING || !c->left);
}

bool connection_is_halfway(const struct connection *c)
{
    return c->phase == PHASE_READING && c->reader.request;
}
