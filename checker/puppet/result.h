/*
 * result.h - what a call gave back through a pointer.
 */
#ifndef RESULT_H
#define RESULT_H

#include "call.h"

/* What an out-pointer holds before a call: neither NULL nor anything that a call returns. */
extern cJSON result_untouched;

/* Judges what came back through a pointer, as the clause says; true where there is a value. */
bool result_check(struct call *call, struct outcome outcome, const cJSON *result,
                  const char *clause);

/* Adds the value, printed, to the answer under that name. */
void result_show(cJSON *answer, const char *name, const cJSON *value);

#endif
