/*
 * serve.c - see serve.h
 *
 * The thread turns a poll loop.  In each turn it accepts what there is, steps every connection
 * as far as it goes without blocking, and then publishes what it saw.  Whoever waits for the
 * connections to be gone asks for a turn that began after his question, so that none is missed
 * that the kernel has accepted and we have not.
 */
#include "stage/serve.h"

#include "base.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void reach(struct server *server, enum moment moment)
{
    pthread_mutex_lock(&server->lock);
    if (server->armed == moment) {
        server->armed = MOMENT_NONE;
        server->paused = true;
        pthread_cond_broadcast(&server->changed);
    }
    while (server->paused && !server->stopping)
        pthread_cond_wait(&server->changed, &server->lock);
    pthread_mutex_unlock(&server->lock);
}

static void record(struct server *server, struct records *records, struct received *request)
{
    pthread_mutex_lock(&server->lock);
    records->all = xrealloc(records->all, (size_t)(records->count + 1) * sizeof *records->all);
    records->all[records->count++] = request;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

static void answer(struct server *server, struct connection *connection)
{
    struct received *request = connection_take_request(connection);
    struct response response;
    bool halve;

    record(server, &server->whole, request);
    reach(server, MOMENT_REQUEST_ARRIVED);
    response = script_next(&server->script, request);
    pthread_mutex_lock(&server->lock);
    halve = server->armed == MOMENT_HALF_ANSWER_SENT;
    pthread_mutex_unlock(&server->lock);
    connection_answer(connection, &response, request, halve);
    response_free(&response);
}

/* As far as it goes without blocking; false once it is closed. */
static bool advance(struct server *server, struct connection *connection)
{
    for (;;) {
        switch (connection_step(connection)) {
        case STEP_WAIT:
            return true;
        case STEP_REQUEST:
            answer(server, connection);
            break;
        case STEP_BROKEN:
            record(server, &server->broken, connection_take_request(connection));
            break;
        case STEP_HALF_SENT:
            reach(server, MOMENT_HALF_ANSWER_SENT);
            break;
        case STEP_SENT:
            reach(server, MOMENT_ANSWER_SENT);
            break;
        case STEP_CLOSED:
            connection_close(connection);
            return false;
        }
    }
}

static void accept_all(struct server *server)
{
    for (;;) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        enum ending at_accept;
        int number;

        if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0)
            die("cannot accept a connection: %s", strerror(errno));
        pthread_mutex_lock(&server->lock);
        at_accept = server->at_accept;
        number = ++server->accepted;
        server->open++; /* until the end of this turn counts them anew */
        pthread_cond_broadcast(&server->changed);
        pthread_mutex_unlock(&server->lock);
        if (server->connection_count < CONNECTIONS_MAX)
            server->connections[server->connection_count++] =
                connection_open(fd, number, at_accept);
        else
            close(fd);
    }
}

/* Until something happens or is due. */
static void poll_all(struct server *server)
{
    struct pollfd fds[CONNECTIONS_MAX + 2] = { { .fd = server->wake, .events = POLLIN },
                                               { .fd = server->listener, .events = POLLIN } };
    int64_t due_ms = -1;
    uint64_t wakes;

    for (int i = 0; i < server->connection_count; i++) {
        int64_t its_due_ms = connection_poll(server->connections[i], &fds[i + 2]);

        if (its_due_ms >= 0 && (due_ms < 0 || its_due_ms < due_ms))
            due_ms = its_due_ms;
    }
    due_ms = due_ms < 0 ? -1 : due_ms > clock_ms() ? due_ms - clock_ms() : 0;
    if (poll(fds, (nfds_t)server->connection_count + 2, (int)due_ms) < 0 && errno != EINTR)
        die("cannot poll: %s", strerror(errno));
    if (fds[0].revents && read(server->wake, &wakes, sizeof wakes) < 0 && errno != EAGAIN)
        die("cannot read the server's eventfd: %s", strerror(errno));
    for (int i = 0; i < server->connection_count; i++)
        connection_polled(server->connections[i], fds[i + 2].revents);
}

static void advance_all(struct server *server)
{
    int kept = 0;

    for (int i = 0; i < server->connection_count; i++)
        if (advance(server, server->connections[i]))
            server->connections[kept++] = server->connections[i];
    server->connection_count = kept;
}

/* One turn of the loop; false once the server is to end. */
static bool turn(struct server *server)
{
    int open = 0;
    int halfway = 0;
    long asked;
    bool stopping;

    poll_all(server);
    pthread_mutex_lock(&server->lock);
    asked = server->turns_asked;
    pthread_mutex_unlock(&server->lock);
    accept_all(server);
    advance_all(server);
    for (int i = 0; i < server->connection_count; i++) {
        open += connection_is_open(server->connections[i]);
        halfway += connection_is_halfway(server->connections[i]);
    }
    pthread_mutex_lock(&server->lock);
    server->open = open;
    server->halfway = halfway;
    server->turns_done = asked;
    stopping = server->stopping;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    return !stopping;
}

void *serve(void *server)
{
    while (turn(server))
        ;
    return NULL;
}
