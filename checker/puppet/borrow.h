/*
 * borrow.h - SQLite's own open and close, watched.
 *
 * The puppet exports sqlite3_open and its kin, so that learner code calls these.  A lent
 * connection that learner code tries to close stays open: the attempt is counted, the call
 * says SQLITE_OK and the puppet goes on ([common.1]).
 */
#ifndef BORROW_H
#define BORROW_H

#include <sqlite3.h>

struct borrow_counts {
    int opened; /* connections opened                       */
    int closed; /* connections closed that were opened so   */
    int stolen; /* attempts to close the connection lent    */
};

struct borrow_counts borrow_counts(void);

/* The connection that learner code may not close; NULL: none. */
void borrow_lend(sqlite3 *con);

/* The puppet's own way in and out, which is not counted. */
int borrow_open(const char *path, sqlite3 **con, int flags);
int borrow_close(sqlite3 *con);

#endif
