/*
 * experiment.h - what the scenarios of a part observed, as one JSON object, and how that differs from
 * what is kept in fixtures/<part>/experiment.json.
 *
 *     { "schema": "workbook/experiment/v1", "part": ..., "scenarios": [
 *         { "name": ..., "shows": ..., "steps": [...], and what else it observed } ... ] }
 *
 * in the order in which they stand in the suite.  The order of an object's members makes no difference.
 */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "cli.h"
#include "difference.h"
#include "verdict.h"

#include <stdbool.h>
#include <stddef.h>

/* A scenario that differs from what is kept, and where first. */
struct mismatch {
    const struct weighed *scenario; /* NULL: one that is kept, and that there is not */
    char *name;
    struct difference at;
};

struct experiment {
    bool whole;                  /* every scenario was played to its end */
    char *text;                  /* the object, pretty; NULL where it is not whole */
    struct mismatch *mismatches; /* in the order of the scenarios */
    size_t count;
};

/*
 * Puts it together, and compares where the request wants that; nothing is compared where it is not
 * whole.  Dies where what is kept cannot be read, or where a scenario observed nothing.
 */
struct experiment experiment_reach(const struct request *want, const struct verdict *verdict);

/* The same or written: 0; not whole, or different: 1; 75 where it cannot be judged. */
int experiment_exit_code(const struct experiment *experiment, const struct verdict *verdict);

#endif
