/* 13_relay.h - what the suites of step 13 share: three events, and a receiver that takes notes */
#ifndef SUITE_RELAY_H
#define SUITE_RELAY_H

#include "base.h"
#include "moments.h"
#include "ordered_change.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 3

/* What the receiver says, and what it got. */
struct notes {
    struct outcome reply; /* VALUE 0: ACCEPTED */
    char *got;            /* the last event    */
    int count;
    const char *kill_at; /* a point, or "" for the receiver; NULL: nowhere */
};

static inline struct outcome note_event(void *context, struct stop *stop)
{
    struct notes *notes = context;

    if (notes->kill_at && ((stop->kind == STOP_SEND && !*notes->kill_at) ||
                           (stop->kind == STOP_FAULT && strcmp(stop->point, notes->kill_at) == 0)))
        puppet_kill(stop->puppet);
    if (stop->kind != STOP_SEND)
        return call_go_on(stop);
    notes->count++;
    notes->got = xstrdup(cJSON_GetStringValue(stop->event));
    if (notes->reply.kind == OUTCOME_VALUE && notes->reply.code == 0)
        return call_go_on(stop);
    return notes->reply;
}

static inline struct answer relay_noting(struct puppet *worker, const char *event_id,
                                         struct notes *notes)
{
    struct how how = { .directions = { .at = note_event, .context = notes } };

    return call_relay(worker, event_id, &how);
}

/* Three events of two flows; by position the order is 1, 0, 2. */
static inline void draw_events(struct envelope events[ROWS])
{
    events[0] = event_of("flow-a", 1, 7);
    events[1] = event_of("flow-b", INT64_C(9007199254740993), 300);
    events[2] = event_of("flow-a", 2, 7);
    events[0].event_id = "a-first";
    events[1].event_id = "z-last";
    events[1].schema = 2;
    events[1].payload = " {\"units\" : 3e2, \"x\":\"'\xe2\x82\xac\"} ";
}

/*
 * The rows, with a digit for each event that says whether it is accepted.  In 32 bits the second
 * position is the first, the third the second.
 */
static inline char *rows_of(const struct envelope events[ROWS], const char *accepted)
{
    static const int order[ROWS] = { 1, 0, 2 };
    struct text rows = { 0 };

    text_add(&rows, "%s%s", flow_row("flow-a", "confirmed", 2, 7),
             flow_row("flow-b", "released", INT64_C(9007199254740993), 300));
    for (int i = 0; i < ROWS; i++)
        text_add(&rows, "%s", outbox_row(&events[order[i]], accepted[order[i]] - '0'));
    text_add(&rows, "%s", "UPDATE outbox SET position = position + 4294967295 WHERE position > 1;");
    return rows.data;
}

static inline struct puppet *start_with(const struct envelope events[ROWS], const char *accepted)
{
    side_make("producer", "producer", rows_of(events, accepted));
    return worker_at("producer", 50);
}

static inline void expect_marks(const struct envelope events[ROWS], const char *accepted)
{
    expect_same("rows", side_rows("producer", "producer"),
                side_with("producer", rows_of(events, accepted)));
}

#endif
