/*
 * trial.h - the body of a check, played in a process of its own to see what it comes to
 *
 * What it says is forgotten.  It shares the check's directory, and has puppets of its own, which
 * die with it; the check itself must have none.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include <stdbool.h>

/* True where the body ends without a failing expectation, and its puppets without a leak. */
bool trial_holds(void (*body)(void *context), void *context);

#endif
