/*
 * stage.h - the set around one check: a directory, puppets, what was done, and the one
 * finding it all comes to.
 *
 * A check is a Criterion test; Criterion runs each in a process of its own.  What a test
 * acquires it never releases: the process ends, the fork server kills the puppets and the
 * checker removes the directory.
 */
#ifndef STAGE_H
#define STAGE_H

#include "finding.h"

#include <criterion/criterion.h>
#include <stdint.h>

/*
 * Defines a check: CHECK(enqueue, an_empty_id_is_refused, "enqueue.1") { ... }, where the first
 * is the step's slug and the last the clause that it proves.  A DEEP_CHECK runs with --thorough
 * only: it is slow, and what it finds is found by a CHECK too in every mistake we know of.  An
 * EARLY_CHECK mostly waits, so it begins first and others run meanwhile: Criterion goes by the
 * names of its suites, capital letters first.  WALK_CHECKs run alone in `checker walk` too.
 * SCENARIOs run in `checker experiment` only, see scene.h.
 */
#define CHECK(suite, name, clause)       STAGE_CHECK(suite, name, clause)
#define DEEP_CHECK(suite, name, clause)  STAGE_CHECK(suite##_deep, name, clause)
#define EARLY_CHECK(suite, name, clause) STAGE_CHECK(Early_##suite, name, clause)
#define WALK_CHECK(suite, name, clause)  STAGE_CHECK(Walk_##suite, name, clause)
#define SCENARIO(name, shows)            STAGE_CHECK(Scenario, name, shows)

#define STAGE_CHECK(suite, name, clause)                                                           \
    static void check_##name(void);                                                                \
    Test(suite, name, .description = (clause))                                                     \
    {                                                                                              \
        stage_play(check_##name);                                                                  \
    }                                                                                              \
    static void check_##name(void)

/* The step's slug of a test, and whether it is a deep one; the caller frees it. */
char *stage_suite(const struct criterion_test *test, bool *deep);

/* Raises the stage, plays the check and says its finding. */
void stage_play(void (*check)(void));

/* The check's own directory, absolute. */
const char *stage_directory(void);

/* Works there from now on; the check fails where learner code took it away. */
void stage_enter_directory(void);

/* Drawn from the run's seed and the check's name: the same in each run with that seed. */
uint64_t stage_random(void);

/* What is left of the time for all checks, in milliseconds. */
int stage_left_ms(void);

/* A wait, in milliseconds, on this machine: scaled where the machine is slow. */
int stage_ms(int ms);

/*
 * The same for a call that may hang: no more than half of what is left of the budget, so that
 * a hang is still told from a slow machine, and no less than ms, or twice that where the
 * run may go on (budget.h).
 */
int stage_call_ms(int ms);

/* Notes one thing that was done, for the report. */
void stage_did(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on it is this clause that fails, of all that are NULL to stage_fail; not copied. */
void stage_proves(const char *clause);

/* Makes this process a trial (trial.h), and ends one. */
enum { STAGE_TRIAL_HELD, STAGE_TRIAL_FAILED, STAGE_TRIAL_BROKEN };
void stage_begin_trial(void);
_Noreturn void stage_end_trial(void);

/* Forgets what was noted as done so far: a turn of a loop ended well. */
void stage_forget(void);
/* The same, of what was noted since stage_done() gave this. */
size_t stage_done(void);
void stage_forget_since(size_t done);

/* Notes something that was counted, for -v. */
void stage_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Counts one expectation that held; a check that expects nothing is broken. */
void stage_held(void);

/* Where the next expectation stands; the expect_ macros say it. */
void stage_at(const char *file, int line);

/* The clause that the check proves now. */
const char *stage_clause(void);

/*
 * What would be right too is said with every expectation from now on, until NULL.  The text is
 * borrowed.
 */
void stage_or(const char *also_right);

/* An error that was made may always be handed on. */
#define STAGE_OR_HANDED_ON "the error of that storage operation, handed on"

/*
 * Ends the check with a finding that is no pass.  clause NULL: the check's own.  The texts
 * are the report's "expected" and "got".
 */
_Noreturn void stage_fail(enum finding_kind kind, const char *clause, const char *expected,
                          const char *got);

/* Ends the check as "not run" where leaks cannot be found on this machine. */
void stage_needs_leaks(void);

#endif
