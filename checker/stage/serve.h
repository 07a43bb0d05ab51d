/*
 * serve.h - the thread of the server, and what it shares with those who call it.  Private to
 * the server.
 */
#ifndef STAGE_SERVE_H
#define STAGE_SERVE_H

#include "stage/connection.h"
#include "stage/script.h"
#include "stage/server.h"

#include <pthread.h>

#define CONNECTIONS_MAX 64

struct records {
    struct received **all;
    int count;
};

struct server {
    /* Set before the thread starts. */
    pthread_t thread;
    int listener, wake, port;
    char url[64];
    struct script script; /* has a lock of its own */

    /* The thread's. */
    struct connection *connections[CONNECTIONS_MAX];
    int connection_count;

    /* Under the lock; changed is broadcast when any of it changes. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stopping;
    enum ending at_accept;
    enum moment armed;
    bool paused;
    long turns_asked, turns_done; /* see server_wait_idle */
    struct records whole, broken;
    int accepted, open, halfway;
};

/* The body of the thread; takes a struct server, returns NULL once stopping is set. */
void *serve(void *server);

#endif
