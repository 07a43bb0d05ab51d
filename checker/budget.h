/*
 * budget.h - how long a run may take: what was asked for or, where nothing was, 12 seconds of an
 * ordinary machine.
 *
 * Where this one is slower, or busy with other things, a run goes on beyond its deadline as long
 * as most checks hold and no call hangs: a file is judged late instead of in part.  One that
 * hangs, floods or holds little is told at the deadline.  With --budget that is always the end.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include "build.h"
#include "cli.h"
#include "findings.h"

#include <stdbool.h>
#include <stdint.h>

#define SLOW_SCALE 1.3 /* from here on a machine is called slow */

/* Moments of clock_ms(), each a little before the end, which is for killing and printing. */
struct budget {
    int64_t deadline_ms;
    int64_t latest_ms; /* the deadline itself where the run may not go on */
    int64_t end_ms;    /* one of the two: the deadline, until it goes on  */
    int reserve_ms;
};

struct budget budget_of(const struct request *want, const struct build *built);

/* At the deadline: moves the end where the run goes on, and is true then. */
bool budget_extend(struct budget *budget, const struct build *built,
                   const struct findings *findings);

/* From the start of the run to the end of the budget, in whole seconds. */
int budget_seconds(const struct budget *budget, const struct request *want);

/* More processes than processors want to run here, beside our own (getloadavg(3)). */
bool budget_is_busy(void);

#endif
