/* server.c - see server.h */
#include "stage/server.h"

#include "base.h"
#include "stage/port.h"
#include "stage/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void wake(struct server *server)
{
    const uint64_t one = 1;

    if (write(server->wake, &one, sizeof one) < 0 && errno != EAGAIN)
        die("cannot wake the server: %s", strerror(errno));
}

static void start_thread(struct server *server)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = pthread_create(&server->thread, NULL, serve, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (errno)
        die("cannot start the server's thread: %s", strerror(errno));
}

struct server *server_open(void)
{
    struct server *server = xmalloc(sizeof *server);
    pthread_condattr_t attributes;

    server->listener = port_bind(&server->port);
    if (listen(server->listener, SOMAXCONN) < 0)
        die("cannot listen on 127.0.0.1: %s", strerror(errno));
    server->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (server->wake < 0)
        die("cannot make an eventfd: %s", strerror(errno));
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/events", server->port);
    pthread_mutex_init(&server->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&server->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    script_open(&server->script);
    start_thread(server);
    return server;
}

static void free_records(struct records *records)
{
    for (int i = 0; i < records->count; i++)
        received_free(records->all[i]);
    free(records->all);
}

void server_close(struct server *server)
{
    if (!server)
        return;
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    wake(server);
    pthread_join(server->thread, NULL);
    for (int i = 0; i < server->connection_count; i++)
        connection_close(server->connections[i]);
    close(server->listener);
    close(server->wake);
    script_close(&server->script);
    free_records(&server->whole);
    free_records(&server->broken);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

int server_port(const struct server *server)
{
    return server->port;
}

const char *server_url(const struct server *server)
{
    return server->url;
}

void server_answer_next(struct server *server, const struct response *response)
{
    script_add(&server->script, response);
}

void server_answer(struct server *server, const struct response *response)
{
    script_set(&server->script, response);
}

void server_decide(struct server *server, server_decider *decide, void *context)
{
    script_set_decider(&server->script, decide, context);
}

void server_at_accept(struct server *server, enum ending ending)
{
    if (ending == ENDING_ENDLESS)
        die("there is no endless answer at accept");
    pthread_mutex_lock(&server->lock);
    server->at_accept = ending;
    pthread_mutex_unlock(&server->lock);
}

void server_pause_at(struct server *server, enum moment moment)
{
    pthread_mutex_lock(&server->lock);
    server->armed = moment;
    pthread_mutex_unlock(&server->lock);
}

void server_continue(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    server->paused = false;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

/* Under the lock, which it gives up while it sleeps; false at the deadline. */
static bool wait_change(struct server *server, int64_t deadline_ms)
{
    const struct timespec until = { .tv_sec = deadline_ms / 1000,
                                    .tv_nsec = deadline_ms % 1000 * 1000000 };

    return pthread_cond_timedwait(&server->changed, &server->lock, &until) != ETIMEDOUT;
}

bool server_wait_paused(struct server *server, int64_t deadline_ms)
{
    bool paused;

    pthread_mutex_lock(&server->lock);
    while (!server->paused && wait_change(server, deadline_ms))
        ;
    paused = server->paused;
    pthread_mutex_unlock(&server->lock);
    return paused;
}

static int read_count(struct server *server, const int *count)
{
    int value;

    pthread_mutex_lock(&server->lock);
    value = *count;
    pthread_mutex_unlock(&server->lock);
    return value;
}

static bool wait_count(struct server *server, const int *count, int enough, int64_t deadline_ms)
{
    bool reached;

    pthread_mutex_lock(&server->lock);
    while (*count < enough && wait_change(server, deadline_ms))
        ;
    reached = *count >= enough;
    pthread_mutex_unlock(&server->lock);
    return reached;
}

int server_requests(struct server *server)
{
    return read_count(server, &server->whole.count);
}

bool server_wait_requests(struct server *server, int count, int64_t deadline_ms)
{
    return wait_count(server, &server->whole.count, count, deadline_ms);
}

int server_connections(struct server *server)
{
    return read_count(server, &server->accepted);
}

bool server_wait_connections(struct server *server, int count, int64_t deadline_ms)
{
    return wait_count(server, &server->accepted, count, deadline_ms);
}

int server_open_connections(struct server *server)
{
    return read_count(server, &server->open);
}

int server_unfinished(struct server *server)
{
    return read_count(server, &server->broken.count) + read_count(server, &server->halfway);
}

static const struct received *find_record(struct server *server, const struct records *records,
                                          int i)
{
    const struct received *found = NULL;

    pthread_mutex_lock(&server->lock);
    if (i >= 0 && i < records->count)
        found = records->all[i];
    pthread_mutex_unlock(&server->lock);
    return found;
}

const struct received *server_request(struct server *server, int i)
{
    return find_record(server, &server->whole, i);
}

const struct received *server_broken(struct server *server, int i)
{
    return find_record(server, &server->broken, i);
}

bool server_wait_idle(struct server *server, int64_t deadline_ms)
{
    long asked;
    bool idle;

    pthread_mutex_lock(&server->lock);
    asked = ++server->turns_asked;
    pthread_mutex_unlock(&server->lock);
    wake(server);
    pthread_mutex_lock(&server->lock);
    while ((server->turns_done < asked || server->open) && wait_change(server, deadline_ms))
        ;
    idle = server->turns_done >= asked && !server->open;
    pthread_mutex_unlock(&server->lock);
    return idle;
}
