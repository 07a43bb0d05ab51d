/*
 * moments.h - what may happen at a moment of a call: a hook that fails, a kill, a lock that is
 * let go.
 */
#ifndef MOMENTS_H
#define MOMENTS_H

#include "how.h"

/* All the ways in which a hook fails. */
#define FAILURES 13
extern const struct outcome failures[FAILURES];

/* A hook that answers so at the point (NULL: at each), and goes on elsewhere. */
struct reply_at {
    const char *point;
    struct outcome reply;
};
struct how moment_reply(struct reply_at *reply);

/* SIGKILL at that fault point. */
struct how moment_kill(const char *point);

/* A lock that another process releases after so many ms; released where the call outlasted it. */
struct holder {
    struct puppet *hand;
    bool released;
};
struct how moment_held(struct holder *holder, const char *store, const char *lock, int ms);

#endif
