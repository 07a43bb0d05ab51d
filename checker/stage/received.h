/*
 * received.h - one request as the server received it: a record that never changes once
 * the server has handed it out, and lives as long as the server.
 */
#ifndef STAGE_RECEIVED_H
#define STAGE_RECEIVED_H

#include <stdbool.h>
#include <stddef.h>

struct header {
    char *name; /* as it was spelled */
    char *value;
};

struct received {
    const char *method; /* "POST"; "" where the request broke off before it was known */
    char *target;       /* as it was sent: "/events", or a whole URL where we are the proxy */
    int major, minor;   /* the HTTP version */
    struct header *headers;
    size_t header_count;
    char *body; /* without chunk framing, a NUL behind it; may hold NULs */
    size_t body_bytes;
    bool chunked;      /* the body came with Transfer-Encoding: chunked */
    bool keep_alive;   /* the client offers another request on the same connection */
    int connection;    /* the 1st, 2nd ... accepted connection it came on */
    const char *fault; /* NULL: whole.  Otherwise what is wrong with it, as half a sentence */
};

/* The value of the first header of that name, in any case; NULL where there is none. */
const char *received_header(const struct received *request, const char *name);

/* How many headers have that name. */
int received_header_count(const struct received *request, const char *name);

/* The server frees its own records; NULL is fine. */
void received_free(struct received *request);

#endif
