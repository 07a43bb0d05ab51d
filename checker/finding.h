/*
 * finding.h - what one check came to, and its form as one line of JSON, in which it
 * travels from the suite to the checker.
 */
#ifndef FINDING_H
#define FINDING_H

#include <stdbool.h>

#define FINDING_SCENARIO "Scenario" /* the suite of a part's scenarios, which are of no step */

enum finding_kind {
    FINDING_PASS,
    FINDING_FAIL,    /* a clause is broken                                         */
    FINDING_CRASH,   /* a signal or a sanitizer ended the learner's process        */
    FINDING_HANG,    /* a call did not come back before its deadline               */
    FINDING_ENDED,   /* the learner's code ended the process: exit, _exit, exec    */
    FINDING_TODO,    /* OUTCOME_TODO came back, or the function is not there       */
    FINDING_NOT_RUN, /* the budget was used up, or what the check needs is missing */
    FINDING_BROKEN   /* our own fault: the run cannot be judged                    */
};

/*
 * All texts are owned by the finding and valid UTF-8; NULL where there is nothing to say.
 * did is one line per thing that was done, in order, with the real arguments.
 */
struct finding {
    char *suite;  /* the step's slug                                               */
    char *name;   /* the check's                                                   */
    char *clause; /* the clause that is broken; of a pass, the one that was tested, or what a
                     scenario shows                                               */
    enum finding_kind kind;
    char *message;  /* one sentence: what is wrong                       */
    char *did;      /* lines                                             */
    char *expected; /* one line or a few                                 */
    char *got;      /* one line or a few                                 */
    char *output;   /* what the learner's code printed, escaped, bounded */
    char *report;   /* what a sanitizer printed, escaped, bounded        */
    char *note;     /* for -v: what was counted                          */
    char *observed; /* of a scenario: a JSON object, see experiment.h    */
    char *where;    /* file:line of the expectation                      */
    int ms;
};

/* "pass", "fail", "crash", "hang", "ended", "todo", "not run", "broken". */
const char *finding_kind_name(enum finding_kind kind);

/* One line of JSON without its newline; the caller frees it. */
char *finding_encode(const struct finding *finding);

/* False, with *finding emptied, where the line is no finding. */
bool finding_decode(const char *line, struct finding *finding);

void finding_free(struct finding *finding);

#endif
