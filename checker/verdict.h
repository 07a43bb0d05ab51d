/*
 * verdict.h - findings weighed by the course.  Pure: no input, no output, no clock.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "build.h"
#include "cli.h"
#include "findings.h"

#include <stdbool.h>
#include <stddef.h>

enum verdict_kind { VERDICT_PASSED, VERDICT_NOT_PASSED, VERDICT_CANNOT_JUDGE };

/* What the checks of one step came to, in the order in which they were declared. */
struct step_verdict {
    const struct step *step;
    size_t first, count; /* its checks in verdict.checks               */
    size_t passed;
    bool holds;  /* every check passed, and there was one      */
    bool broken; /* a check of it went wrong or is not written yet; out of time is neither */
    int points;
};

/* One check as it counts: the finding may have become "not run" by an earlier step. */
struct weighed {
    const struct check *check;
    enum finding_kind kind;
    const char *message; /* owned by the verdict or by the finding; NULL if there is none */
    char *blocked;       /* the message where an earlier step is in the way, else NULL    */
    int points, max_points;
};

struct verdict {
    enum verdict_kind kind;
    char *reason; /* why it cannot be judged, NULL otherwise */
    struct step_verdict *steps;
    size_t step_count;
    struct weighed *checks;
    size_t declared, run, passed; /* checks; run leaves "not run" out */
    int points, max_points;       /* max_points never depends on what happened */
    char digest[65];              /* SHA-256 over "step clause name kind\n" of each check */
};

/* The findings are borrowed by the verdict. */
struct verdict verdict_reach(const struct request *want, const struct build *built,
                             const struct findings *findings);
void verdict_free(struct verdict *verdict);

/* What the i-th of count checks is worth: integers that sum to points. */
int verdict_share(int points, size_t i, size_t count);

/* Whether every check of that clause passed, and no other check of the step found it broken. */
bool verdict_clause_holds(const struct verdict *verdict, const struct step_verdict *sum,
                          const char *clause);

int verdict_exit_code(const struct verdict *verdict);

#endif
