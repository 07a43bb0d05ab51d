/*
 * connections.h - the connections that are open in this puppet, each under a name.
 *
 * Those that the puppet opened are lent to learner code and stay as they are set: [common.5].
 */
#ifndef CONNECTIONS_H
#define CONNECTIONS_H

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdbool.h>

/* is_lent: opened by us, and looked at again before it is closed.  Dies where there are too many. */
void connections_keep(const char *name, sqlite3 *con, bool is_lent);

/* NULL where there is none of that name. */
sqlite3 *connections_find(const char *name);

/* Our own SQL changes its settings: they are not compared. */
void connections_excuse(const char *name);

/* It is lent with extended result codes from now on. */
void connections_extend(const char *name);

/* Closes it and forgets it, where that succeeds; SQLite's code. */
int connections_close(const char *name);

/*
 * True where the path is a database of a connection, or a file that SQLite has beside one; *opened
 * is how many connections there are to the very path.
 */
bool connections_have(const char *path, int *opened);

/* Adds what is not as it was on any connection, open or closed since, as observation_add does. */
void connections_judge(cJSON *breaches);

#endif
