/*
 * foreign.h - a file that was written for another part of the course.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "course.h"
#include "source.h"

/*
 * One sentence where the file includes the header of another part and not that of the step's: what
 * the step wants and where the file belongs.  NULL where it may be judged; the caller frees it.
 */
char *foreign_refusal(const struct source *source, const struct step *step);

/* The part whose header the file includes, the first of several; NULL where it includes none. */
const struct part *foreign_part(const struct source *source);

#endif
