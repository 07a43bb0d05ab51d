/*
 * worker_meeting.h - another process commits in the middle of a call, where nothing keeps it out
 *
 *     struct meeting meeting = { .hand = hand_open("source"), .sql = "BEGIN IMMEDIATE; ... COMMIT" };
 *     struct how how = meeting_before(&meeting, 3);
 *
 *     answer = call_pending(worker, 16, &how);
 */
#ifndef WORKER_MEETING_H
#define WORKER_MEETING_H

#include "worker_calls.h"

struct meeting {
    struct puppet *hand; /* the other process, which does not wait for a lock     */
    const char *sql;     /* one transaction of it                                 */
    bool tried;          /* the call came to that operation ...                   */
    bool first;          /* ... and the transaction was committed there, else not */
};

/* How a call meets it before its operation-th storage operation, from 1. */
struct how meeting_before(struct meeting *meeting, int operation);

#endif
