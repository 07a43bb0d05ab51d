/*
 * sweep.h - no process is left behind.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>

/*
 * Kills and reaps every process below the checker, however it was orphaned, until none
 * is left.  False where some were still there after two seconds.
 */
bool sweep_children(void);

/*
 * Kills processes of this user that a killed run left behind: those whose environment
 * says WORKBOOK_PLACE=place, or whose working directory lies in it.
 */
void sweep_leftovers(const char *place);

#endif
