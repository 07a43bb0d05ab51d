/*
 * timing.h - where the time of a run went
 */
#ifndef TIMING_H
#define TIMING_H

#include "build.h"
#include "verdict.h"

/*
 * The compiler, the fork server beside it, the rest; the checks of each step, and those that took
 * longest.  Checks run beside each other, so that their times add up to more than the run's.
 */
void timing_print(const struct build *built, const struct verdict *verdict, int run_ms);

#endif
