/* birth.h - a new process is asked for: the fork server (puppet/serve.h) makes it */
#ifndef BIRTH_H
#define BIRTH_H

#include <sys/types.h>

/* Descriptors of ours, open and close-on-exec, and those of line and output do not block. */
struct birth {
    int line;   /* our end of the channel              */
    int output; /* what it prints                      */
    int server; /* the fork server's word on its death */
    int pidfd;
    pid_t pid;
};

/*
 * Of the fork server with that name: "puppets", or "hands" for one without learner code.  The
 * process works in the check's directory.  The check ends where there is none.
 */
struct birth birth_of(const char *server);

#endif
