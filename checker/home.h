/*
 * home.h - where the checker's own files lie, built or installed.
 */
#ifndef HOME_H
#define HOME_H

#include "course.h"

/*
 * The programs: beside the checker where a suite lies there, else ../lib/workbook.
 * name is "suite", "puppet"; ending is "" or "-plain".  The caller frees the path.
 */
char *home_program(const char *name, const struct part *part, const char *ending);

/* A file below steps/: beside the checker's directory, else ../share/workbook. */
char *home_steps(const char *name);

#endif
