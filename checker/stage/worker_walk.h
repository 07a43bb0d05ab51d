/*
 * worker_walk.h - calls of one function in an order that nobody thought of
 *
 * A walk is 10 to 40 moves drawn from the seed: calls with new, known, conflicting and invalid
 * events, failing hooks and senders, storage errors, locks and kills, by two processes, and what
 * other processes do to the store between them.  A model of the store (worker_model.h) says what
 * each call must come to and which rows are there then.  Where a walk fails, moves are left out
 * as long as it still does; the finding is what remains.
 */
#ifndef WORKER_WALK_H
#define WORKER_WALK_H

enum walk_function { WALK_ENQUEUE, WALK_PENDING, WALK_RECEIVE, WALK_MARK_SENT, WALK_DISPATCH };

/* One walk in a graded run; with WORKBOOK_WALK walk after walk until the time is used up. */
void walk(enum walk_function function);

#endif
