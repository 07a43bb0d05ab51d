/*
 * settings.h - how a connection is set.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <sqlite3.h>
#include <stdbool.h>

/* Notes how a connection is that was just opened; once, before the first difference is asked for. */
void settings_learn(void);

/*
 * What is set otherwise than on a connection that was just opened, but for whether it has extended
 * result codes: "synchronous is 0, not 2"; NULL where nothing is.  The caller frees it.  How long the connection waits for a lock is not looked
 * at, and is 0 afterwards.
 */
char *settings_difference(sqlite3 *con, bool extended);

#endif
