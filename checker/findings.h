/*
 * findings.h - the checks that a suite declares, each with what it came to.
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "course.h"
#include "finding.h"

#include <stdbool.h>
#include <stddef.h>

struct check {
    const struct step *step;
    char *name;
    char *clause;           /* the declared one; finding.clause may name another that broke */
    bool is_scenario;       /* then it is of its part's last step, and clause is what it shows */
    char *where;            /* file:line in the suite                                       */
    bool found;             /* a finding came                                               */
    struct finding finding; /* texts are valid UTF-8 and safe to print                      */
};

struct findings {
    struct check *checks; /* in the order in which they are read: by step, the step's own
                           clauses first, by number, then as they stand in the suite;
                           scenarios as they stand there */
    size_t count;
    char *broken; /* why the run cannot be judged, NULL where it can         */
    bool late;    /* the time was used up before every check had its finding */
    bool busy;    /* and others used this machine too much meanwhile         */
    int seconds;  /* how long that was                                       */
};

/*
 * Adds a declared check from its line {"suite":..,"name":..,"clause":..,"where":..}; one of a step
 * that was not asked for is left out.  Marks the findings broken where the line is no
 * declaration of a step of the part.
 */
void findings_declare(struct findings *findings, const struct step *first, const struct step *last,
                      const char *line);

/* Brings the declared checks into that order. */
void findings_sort(struct findings *findings);

/* Takes one finding; broken where nothing like it was declared, or it comes twice. */
void findings_take(struct findings *findings, const struct part *part, const char *line);

/* One that was taken went wrong; what is not written or could not be run did not. */
bool findings_has_failed(const struct findings *findings);

/* So far most checks hold, and no call hung. */
bool findings_are_promising(const struct findings *findings);

/* Every check that has no finding becomes one of this kind with this sentence. */
void findings_fill(struct findings *findings, enum finding_kind kind, const char *message);

/* Notes a fault of ours; the first one stays. */
void findings_break(struct findings *findings, char *why);

#endif
