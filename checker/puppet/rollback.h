/*
 * rollback.h - whether learner code is taking a transaction back just now.
 *
 * The puppet exports sqlite3_exec and sqlite3_prepare and its kin, so that learner code calls
 * these.  Where a ROLLBACK itself finds no memory the transaction stays open, and no clause says
 * that a call must try again.
 */
#ifndef ROLLBACK_H
#define ROLLBACK_H

#include <stdbool.h>

bool rollback_is_under_way(void);

#endif
