/*
 * puppets.h - the untrusted program that holds the learner's code, as a server from
 * which the suites get one fresh process after the other.
 */
#ifndef PUPPETS_H
#define PUPPETS_H

#include "course.h"

#include <stdbool.h>
#include <stdint.h>

struct child;

struct puppets {
    const struct part *part;
    const char *object; /* borrowed */
    struct child *child;
    struct child *hands; /* a second server, of processes without learner code */
    bool sanitized;      /* it was built with ASan and UBSan              */
    bool addresses;      /* a control error of ASan was seen              */
    bool leaks;          /* a control leak of LSan was seen               */
    double scale;        /* how much longer everything takes here, 1 to 8 */
    int64_t started_ms;  /* of CLOCK_MONOTONIC */
    int ready_ms;        /* from there to its first line */
};

/*
 * Starts the server in <place>/stage, for the object that will lie at the path object.
 * puppets_await waits until it is ready and measures the scale; where the sanitized
 * one does not get ready it starts the plain one instead: look at sanitized.  Both die
 * where no puppet gets ready.
 */
struct puppets *puppets_start(const struct part *part, bool sanitized, const char *object);
void puppets_await(struct puppets *puppets);

/* Ends a server and waits for a plain one in its place. */
void puppets_restart_plain(struct puppets *puppets);

void puppets_free(struct puppets *puppets);

/* What our programs find programs with. */
#define PUPPETS_PATH "PATH=/usr/local/bin:/usr/bin:/bin"

#endif
