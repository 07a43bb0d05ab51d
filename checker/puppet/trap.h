/*
 * trap.h - the places where a puppet stops in the middle of a call and asks how to go on:
 * fault points, storage operations, and whatever a part's commands add (a sender).
 */
#ifndef TRAP_H
#define TRAP_H

#include "outcome.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * A fault whose hook is the trap; its context is the trap's own, or NULL.  It is lent: whether
 * it is still what it was is looked at in each hook, and by trap_take_back.
 */
const struct fault *trap_fault(bool has_context);
void trap_take_back(void);

/* From now on each hook looks whether the event, or NULL for none, is still what before says. */
void trap_guard(const cJSON *event, const char *before);

/* Breaches seen inside the trap (a wrong context) are added to this array from now on. */
void trap_watch(cJSON *breaches);

/*
 * Says the message and obeys orders (commands.h) until one of them is { "go": [kind, code] },
 * which is returned with the outcome read from it; the caller frees it.
 */
cJSON *trap_ask(cJSON *message, struct outcome *go);

/* For storage_arm. */
void trap_storage(int operation, const char *what);

#endif
