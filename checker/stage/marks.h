/*
 * marks.h - numbers in a store's file that only a change of its tables moves.
 *
 * The schema cookie, the user version and the application id of the first page
 * (https://sqlite.org/fileformat2.html, 1.3): a call that makes a table or an index of its own, or
 * counts in the file, moves one of them.  A store with a log is left out: its first page may be there.
 */
#ifndef MARKS_H
#define MARKS_H

#include <stdbool.h>

/* From now on that store is looked at, too; the first few of a check are. */
void marks_watch(const char *store);

/* Our own SQL changes tables between the two: what it moves is what is expected. */
void marks_before(void);
void marks_after(void);

/* True where this SQL does so. */
bool marks_may_move(const char *sql);

/* Ends the check of this step where a store's marks are not as expected and a clause says so. */
void marks_judge(const char *slug);

#endif
