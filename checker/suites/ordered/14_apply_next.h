/* 14_apply_next.h - what the suites of step 14 share: many turns in one store, a flow for each */
#ifndef SUITE_APPLY_NEXT_H
#define SUITE_APPLY_NEXT_H

#include "base.h"
#include "ordered_change.h"

#include <string.h>

#define COUNT(array)  (sizeof(array) / sizeof *(array))
#define TURNS_MAX     100
#define FLOW_QUANTITY 300

/*
 * An event whose turn it is; it gets a flow of its own, which has applied what is before its seq
 * with quantity 300.
 */
struct turn {
    struct envelope event;
    const char *was;      /* the reason for which it is blocked already, or NULL */
    const char *reason;   /* for which it blocks; NULL: it is applied ...        */
    int64_t quantity;     /* ... with this quantity                              */
    bool without_support; /* support_v2 is false; else it is true now and then   */
};

struct turns {
    struct turn all[TURNS_MAX];
    int count;
    struct text before;
    struct text after;
};

static inline void turn_add(struct turns *turns, struct turn turn)
{
    struct envelope *event = &turn.event;
    int64_t last_seq = event->seq - 1;
    const char *standing;

    event->flow_id = xprintf("flow-%d", turns->count);
    standing = last_seq ? projection_row(event->flow_id, stage_of(last_seq), last_seq, 300) : "";
    text_add(&turns->before, "%s%s", standing, inbox_row(event, 0, turn.was != NULL, turn.was));
    if (turn.reason)
        text_add(&turns->after, "%s%s", standing, inbox_row(event, 0, 1, turn.reason));
    else
        text_add(&turns->after, "%s%s", applied_rows(event, turn.quantity),
                 projection_row(event->flow_id, event->stage, event->seq, turn.quantity));
    expect(turns->count < TURNS_MAX, "at most 100 turns", "more");
    turns->all[turns->count++] = turn;
}

/* Takes them one after the other, and looks at all rows in the end. */
static inline void turns_are_taken(const struct turns *turns)
{
    struct how how = { .on = "turns" };
    struct puppet *worker;

    side_make("consumer", "turns", turns->before.data);
    worker = worker_at("turns", 50);
    for (int i = 0; i < turns->count; i++) {
        const struct turn *turn = &turns->all[i];
        const struct envelope *event = &turn->event;
        bool support_v2 = !turn->without_support && (event->schema != 1 || i % 2 == 0);
        struct answer answer;

        stage_forget();
        stage_did("(the event's schema is %d, its seq %d, its stage %s, its payload %.200s)",
                  event->schema, (int)event->seq, event->stage, event->payload);
        answer = call_apply_next(worker, event->flow_id, support_v2, &how);
        expect_outcome(answer, outcome_value(turn->reason ? RECEIPT_BLOCKED : RECEIPT_APPLIED));
        expect_points(
            answer, turn->reason ? "" : "after-projection after-effect after-applied after-commit");
    }
    expect_same("rows", side_rows("consumer", "turns"), side_with("consumer", turns->after.data));
}

/* The flow's seq-th event, with the flow's quantity. */
static inline struct envelope event_in(int schema, int64_t seq)
{
    struct envelope event = event_of("flow", seq, FLOW_QUANTITY);

    event.schema = schema;
    event.payload = payload_of(schema, FLOW_QUANTITY);
    return event;
}

#endif
