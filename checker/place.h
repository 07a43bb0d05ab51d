/*
 * place.h - the private directory of a run: everything a run makes lies in it.
 *
 *   <place>/lock      held with flock(2) while the run lives; made when it started
 *   <place>/worker.c  the copy, worker.so the object (named as the part says)
 *   <place>/stage/    where suites and puppets work
 */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>

/*
 * Removes what killed runs of this user left (directories, processes, shared memory),
 * then makes the directory below $TMPDIR, or /tmp or /var/tmp where that cannot be used
 * (noexec included).  Dies where nothing can be written there.
 */
void place_make(void);

/* Its absolute path, without a slash at the end; NULL where there is none. */
const char *place_path(void);

/* <place>/name; the caller frees it. */
char *place_file(const char *name);

/* True where a few MiB more can be written there. */
bool place_has_room(void);

/* Removes it with all that is in it.  Again, or without one: nothing happens. */
void place_remove(void);

#endif
