/*
 * course.h - the one table: parts and steps, their names, points and order.
 *
 * Command line, contents, reports and weights derive from it.  The slug of a step is
 * its Criterion suite, the prefix of its clauses, and, behind its number, the stem of
 * its page (steps/<part>/NN-<slug>.md) and of its suite (suites/<part>/NN_<slug>.c).
 */
#ifndef COURSE_H
#define COURSE_H

#include <stdbool.h>
#include <stddef.h>

#define COURSE_PART_POINTS 100 /* what the points of a part's steps sum to */
#define COURSE_NEEDS_MAX   7

struct part {
    const char *name; /* also the stem of its header, folder, suite and puppet */
    const char *file; /* what the learner's copy is called                     */
    const char *title;
};

/* Checks whose clause starts with clauses say nothing unless these steps hold. */
struct need {
    const char *clauses;         /* a prefix; "" is every clause; NULL is no need */
    int steps[COURSE_NEEDS_MAX]; /* numbers of earlier steps, 0 where unused      */
};

struct step {
    const struct part *part;
    int number;
    const char *slug;
    const char *function;
    int points;
    const char *title;
    struct need needs[2];
};

/* All steps in ascending order of their numbers. */
const struct step *course_steps(size_t *count);

/* NULL where there is no such step. */
const struct step *course_step(int number);
const struct step *course_step_of(const struct part *part, const char *slug);

/* The part's first step; the one behind a step in its part, NULL behind the last. */
const struct step *course_first(const struct part *part);
const struct step *course_next(const struct step *step);

/* True where a check of this step and clause needs the earlier step. */
bool course_needs(const struct step *step, const char *clause, int earlier);

#endif
