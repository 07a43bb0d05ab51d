/* worker_commands.h - what the two files of Part 1's commands share */
#ifndef WORKER_COMMANDS_H
#define WORKER_COMMANDS_H

#include "commands.h"
#include "worker/worker.h"

void worker_play_dispatch(const cJSON *order, cJSON *answer);
void worker_play_sender(const cJSON *order, cJSON *answer);
void worker_play_send_http(const cJSON *order, cJSON *answer);

#endif
