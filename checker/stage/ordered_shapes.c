/* ordered_shapes.c - the shapes that a change may have; ordered_change.h */
#include "ordered_change.h"

#include "base.h"

#include <inttypes.h>

/* Of that schema, the flow's so-many-th. */
static struct envelope event_in(int schema, const char *flow, int64_t seq, int64_t quantity)
{
    struct envelope event = event_of(flow, seq, quantity);

    event.schema = schema;
    event.payload = payload_of(schema, quantity);
    return event;
}

/* What is on record of a flow's first so many events, at the producer or the consumer. */
static char *history(bool is_applied, const char *flow, int64_t events, int64_t quantity)
{
    char *rows = xstrdup("");

    for (int64_t seq = 1; seq <= events; seq++) {
        struct envelope event = event_of(flow, seq, quantity);

        rows = xprintf("%s%s", rows,
                       is_applied ? applied_rows(&event, quantity) : outbox_row(&event, 1));
    }
    if (events == 0)
        return rows;
    return xprintf("%s%s", rows,
                   is_applied ? projection_row(flow, stage_of(events), events, quantity)
                              : flow_row(flow, stage_of(events), events, quantity));
}

static struct change move_in(int schema, int64_t from)
{
    struct change change = change_advance(true);
    const char *flow = change.command.flow_id;
    int64_t quantity = change.command.quantity;
    struct envelope event;

    change.command = move_of(flow, from, quantity);
    change.command.schema = schema;
    event = event_by(&change.command);
    change.before = xprintf("%s%s", change.before, history(false, flow, from, quantity));
    if (from > 0)
        change.effects[0] =
            xprintf("UPDATE flow SET stage = '%s', seq = %" PRId64 " WHERE flow_id = '%s';",
                    event.stage, event.seq, flow);
    change.effects[1] = outbox_row(&event, 0);
    return change;
}

int advance_shapes(struct change shapes[SHAPES_MAX])
{
    shapes[0] = move_in(2, 0);
    shapes[1] = move_in(2, 1);
    shapes[2] = move_in(1, 2);
    shapes[3] = move_in(2, 2);
    return 4;
}

static struct change taken_in(struct envelope event, const char *before)
{
    struct change change = change_receive();

    change.before = xprintf("%s%s", change.before, before);
    change.effects[0] = inbox_row(&event, 0, 0, NULL);
    change.event = event;
    return change;
}

int receive_shapes(struct change shapes[SHAPES_MAX])
{
    const char *flow = a_name();
    struct envelope blocked = event_of(flow, 1, 7);
    struct envelope odd = event_of(a_name(), 4, 7);

    odd.payload = "no JSON at all";
    shapes[0] = taken_in(event_in(1, a_name(), 1, 7), "");
    shapes[1] = taken_in(event_in(2, flow, 2, 7), inbox_row(&blocked, 0, 1, "bad_payload"));
    shapes[2] = taken_in(event_in(77, a_name(), 1, 7), "");
    shapes[3] = taken_in(odd, "");
    return 4;
}

static struct change handed_over(bool is_unnamed, enum receipt says)
{
    struct change change = change_relay();
    const char *flow = change.event.flow_id;

    change.before = xprintf("%s%s", history(false, flow, 1, 7), outbox_row(&change.event, 0));
    change.is_unnamed = is_unnamed;
    change.says = says;
    change.done = outcome_value(says);
    return change;
}

int relay_shapes(struct change shapes[SHAPES_MAX])
{
    shapes[0] = handed_over(true, RECEIPT_ACCEPTED);
    shapes[1] = handed_over(true, RECEIPT_DUPLICATE);
    shapes[2] = handed_over(false, RECEIPT_DUPLICATE);
    return 3;
}

static struct change turn_in(int schema, int64_t seq, const char *reason)
{
    struct change change = change_apply();
    const char *flow = a_name();
    int64_t quantity = a_quantity();
    struct envelope event = event_in(schema, flow, seq, quantity);
    struct envelope later = event_of(flow, seq + 2, quantity);

    change.before = xprintf("%s%s%s", history(true, flow, seq - 1, quantity),
                            inbox_row(&later, 0, 1, "bad_payload"),
                            inbox_row(&event, 0, reason != NULL, reason));
    change.effects[0] = seq == 1 ? projection_row(flow, event.stage, 1, quantity)
                                 : xprintf("UPDATE projection SET stage = '%s', last_seq = %" PRId64
                                           " WHERE flow_id = '%s';",
                                           event.stage, seq, flow);
    change.effects[1] = effect_row(&event, quantity);
    change.effects[2] = xprintf("UPDATE inbox SET applied = 1, blocked = 0, reason = NULL"
                                " WHERE event_id = '%s';",
                                event.event_id);
    change.event = event;
    change.support_v2 = schema == 2;
    change.again = outcome_value(RECEIPT_GAP);
    return change;
}

int apply_shapes(struct change shapes[SHAPES_MAX])
{
    shapes[0] = turn_in(1, 1, NULL);
    shapes[1] = turn_in(1, 2, NULL);
    shapes[2] = turn_in(1, 3, NULL);
    shapes[3] = turn_in(2, 1, "unknown_version");
    shapes[4] = turn_in(2, 2, NULL);
    return 5;
}

/* A turn that cannot be taken; was: the reason that is on record from before, or NULL. */
static struct change refused_turn(struct envelope event, const char *was, const char *reason)
{
    struct change change = change_block();
    struct envelope later = event_of(event.flow_id, event.seq + 1, 7);

    change.before = xprintf("%s%s%s", history(true, event.flow_id, event.seq - 1, 7),
                            inbox_row(&later, 0, 1, "quantity_changed"),
                            inbox_row(&event, 0, was != NULL, was));
    change.last = xprintf("UPDATE inbox SET blocked = 1, reason = '%s' WHERE event_id = '%s';",
                          reason, event.event_id);
    change.event = event;
    return change;
}

int block_shapes(struct change shapes[SHAPES_MAX])
{
    struct envelope bad = event_of(a_name(), 3, 7);
    struct envelope skips = event_of(a_name(), 1, 7);

    bad.payload = "{}";
    skips.stage = "released";
    shapes[0] = refused_turn(event_in(77, a_name(), 2, 7), NULL, "unknown_version");
    shapes[1] = refused_turn(event_of(a_name(), 2, 8), NULL, "quantity_changed");
    shapes[2] = refused_turn(bad, NULL, "bad_payload");
    shapes[3] = refused_turn(skips, NULL, "bad_transition");
    shapes[4] = refused_turn(event_in(2, a_name(), 1, 7), "bad_payload", "unknown_version");
    return 5;
}
