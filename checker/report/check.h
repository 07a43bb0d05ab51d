/*
 * check.h - one check of a report, in full.
 */
#ifndef CHECK_H
#define CHECK_H

#include "report/print.h"
#include "verdict.h"

/* A check that went wrong: its clause, what was done, expected, got, where to read. */
void check_print(const struct print *print, const struct weighed *weighed, bool verbose);

/* Its parts: what was found and done, expected and got; and what the learner's code printed. */
void check_print_evidence(const struct weighed *weighed, bool verbose);
void check_print_output(const struct finding *finding, bool verbose);

/* "fails", "crashes" and so on. */
const char *check_kind_words(enum finding_kind kind);

/* Where to read: the page of the step, and the clause, or, with NULL, the function that is to be written. */
void check_print_page(const struct step *step, const char *clause, const char *function);

/* One line a check: kind, clause, name, milliseconds and note. */
void check_print_times(const struct verdict *verdict, const struct step_verdict *sum);

#endif
