/*
 * spawn.h - fork and exec, the half of child.c that runs before there is a child.
 */
#ifndef SPAWN_H
#define SPAWN_H

#include "child.h"

/*
 * Starts the program of the specification.  Returns its pid, and the reading ends of
 * its pipes (*said_fd is -1 where it does not say anything), which are the caller's to
 * close; -1 with errno where the exec failed, and nothing is left then.
 */
pid_t spawn(const struct child_spec *spec, int *output_fd, int *said_fd);

#endif
