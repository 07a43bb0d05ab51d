/* worker_commands.h - what the two files of Part 1's commands share */
#ifndef WORKER_COMMANDS_H
#define WORKER_COMMANDS_H

#include "commands.h"
#include "worker/worker.h"

/* The learner's function in a variable of its own type; the command ends where it has none. */
#define LEARNERS(function)                                                                         \
    __typeof__(&function) learners_##function;                                                     \
    *(void **)&learners_##function = commands_function(#function, answer);                         \
    if (!learners_##function)                                                                      \
    return

/* Adds the value, printed, to the answer under that name. */
void worker_show(cJSON *answer, const char *name, const cJSON *value);

void worker_play_dispatch(const cJSON *order, cJSON *answer);
void worker_play_send_http(const cJSON *order, cJSON *answer);

#endif
