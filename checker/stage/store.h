/*
 * store.h - the stores that a check makes, and the trusted look at them.
 *
 * The look is taken on a copy of the file and of its journal or log, so that the live file is
 * never opened by us: that would drop the puppet's locks, roll back its journal or checkpoint
 * its log away (https://sqlite.org/howtocorrupt.html).  A copy is taken when the puppet is
 * dead or waits.
 */
#ifndef STORE_H
#define STORE_H

/* The path of the store of that name in the check's directory; the caller frees it. */
char *store_path(const char *store);

/* Makes a store by SQL, in rollback mode. */
void store_make(const char *store, const char *sql);

/* Copies a store as it is on disk now, with its journal or log; the next process finds that. */
void store_copy(const char *store, const char *to);

/*
 * The rows that the query, one or more SELECTs, gives on what is committed: the columns with
 * '|' between two, a line each; "" for none.  Ends the check where the file is no regular
 * file, too large, no database, or has no such table.  The caller frees it.
 */
char *store_rows(const char *store, const char *query);

#endif
