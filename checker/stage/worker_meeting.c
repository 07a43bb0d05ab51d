/* worker_meeting.c - see worker_meeting.h */
#include "worker_meeting.h"

#include <sqlite3.h>

static struct outcome meet(void *context, struct stop *stop)
{
    struct meeting *meeting = context;

    if (stop->kind != STOP_STORAGE)
        return call_go_on(stop);
    meeting->tried = true;
    meeting->first = hand_try(meeting->hand, meeting->sql) == SQLITE_OK;
    if (meeting->first)
        stage_did("   before storage operation %d (%s), another process: %s", stop->operation,
                  stop->point, meeting->sql);
    else
        hand_try(meeting->hand, "ROLLBACK");
    return call_go_on(stop);
}

struct how meeting_before(struct meeting *meeting, int operation)
{
    meeting->tried = meeting->first = false;
    return (struct how){ .directions = { .at = meet, .context = meeting },
                         .storage_at = operation };
}
