/* ordered_commands.h - what the files of Part 2's commands share */
#ifndef ORDERED_COMMANDS_H
#define ORDERED_COMMANDS_H

#include "commands.h"
#include "ordered/ordered.h"

/* A 64-bit number of an order, which is spelled as text. */
int64_t ordered_number(const cJSON *order, const char *name);

/*
 * The envelope that the order's "event" describes, or NULL where it has none; a member that is
 * not there is a NULL pointer.  It points into the order and lives until the next of these calls.
 */
const struct envelope *ordered_envelope(const cJSON *order);

/* An envelope as text that says all of it, for the one who receives it: one JSON object. */
cJSON *ordered_json(const struct envelope *event);

void ordered_play_relay(const cJSON *order, cJSON *answer);
void ordered_play_drain(const cJSON *order, cJSON *answer);
void ordered_play_process_all(const cJSON *order, cJSON *answer);
void ordered_play_snapshot(const cJSON *order, cJSON *answer);

#endif
