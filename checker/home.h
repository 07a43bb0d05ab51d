/*
 * home.h - where the checker's own files lie, built or installed.
 */
#ifndef HOME_H
#define HOME_H

/* A program of ours: beside the checker, else in ../lib/workbook.  The caller frees the path. */
char *home_program(const char *name);

/* A file below steps/: beside the checker's directory, else ../share/workbook. */
char *home_steps(const char *name);

/* The same below fixtures/, of which what a program needs is installed, too. */
char *home_fixtures(const char *name);

#endif
