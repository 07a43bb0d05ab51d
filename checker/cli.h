/*
 * cli.h - the command line, as a request.
 */
#ifndef CLI_H
#define CLI_H

#include "course.h"
#include "source.h"

#include <stdbool.h>
#include <stdint.h>

#define CLI_BUDGET_S 12 /* seconds from start to verdict, where --budget says nothing else */

struct request {
    const char *command; /* argv[0], for "type this next"                      */
    struct source source;
    const struct step *first, *last; /* the steps that are judged, in one part */
    bool only;                       /* --only: first is last                  */
    bool fail_fast;                  /* nothing more after a check that fails; so it is in a walk */
    uint64_t seed;                   /* --seed, or else of the file's hash */
    bool has_seed;
    int64_t started_ms;  /* CLOCK_MONOTONIC                                      */
    int64_t deadline_ms; /* started_ms plus the budget: the verdict is out by it (budget.h) */
    int budget_s;
    bool has_budget;  /* --budget */
    const char *json; /* where the result for programs goes, or NULL */
    bool color, unicode, verbose, sanitizers;
    bool thorough;      /* the deep checks too                                          */
    bool walk;          /* nothing but walks, until the time is used up                 */
    int minutes;        /* that were asked for, or 0                                    */
    bool experiment;    /* nothing but scenarios: what they observe is the result  */
    const char *output; /* where that goes, or NULL                                */
    bool check;         /* and whether it is compared with what is kept            */
    bool timing;        /* where the time went is printed                               */
};

/*
 * Reads the command line and the file it names.  --help, --version and --list print
 * and exit 0; a wrong command line or a file that cannot be one exits 2 with one
 * sentence on standard error.
 */
struct request cli_parse(int argc, char **argv);

/* The budget to try where so many seconds were not enough. */
int cli_larger_budget(int seconds);

#endif
