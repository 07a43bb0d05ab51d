/*
 * check.h - one check of a report, in full.
 */
#ifndef CHECK_H
#define CHECK_H

#include "report/print.h"
#include "verdict.h"

/* A check that went wrong: its clause, what was done, expected, got, where to read. */
void check_print(const struct print *print, const struct weighed *weighed, bool verbose);

/* Where to read: the page of the step, and the clause, or, with NULL, what is to be written. */
void check_print_page(const struct step *step, const char *clause);

/* One line a check: kind, clause, name, milliseconds and note. */
void check_print_times(const struct verdict *verdict, const struct step_verdict *sum);

#endif
