/* ordered_change.c - see ordered_change.h: the four changes, made and seen */
#include "ordered_change.h"

#include "base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct change change_advance(bool is_new)
{
    const char *flow = a_name();
    const char *beside = a_name();
    int64_t quantity = a_quantity();
    struct envelope earlier = event_of(flow, 1, quantity);
    struct envelope other = event_of(beside, 3, 7);
    struct command command = move_of(flow, is_new ? 0 : 1, quantity);
    struct envelope event = event_by(&command);
    char *rows = xprintf("%s%s", flow_row(beside, "released", 3, 7), outbox_row(&other, 0));

    if (!is_new)
        rows = xprintf("%s%s%s", rows, flow_row(flow, "reserved", 1, quantity),
                       outbox_row(&earlier, 1));
    return (struct change){
        .function = "advance",
        .role = "producer",
        .points = { "after-flow", "after-outbox", "after-commit" },
        .count = 3,
        .undone = 2,
        .tables = { "flow", "outbox" },
        .before = rows,
        .effects = { is_new ? flow_row(flow, "reserved", 1, quantity)
                            : xprintf("UPDATE flow SET stage = 'confirmed', seq = 2"
                                      " WHERE flow_id = '%s';",
                                      flow),
                     outbox_row(&event, 0) },
        .done = outcome_value(RECEIPT_COMMITTED),
        .again = outcome_value(RECEIPT_DUPLICATE),
        .command = command,
    };
}

struct change change_receive(void)
{
    const char *flow = a_name();
    int64_t quantity = a_quantity();
    struct envelope first = event_of(flow, 1, quantity);
    struct envelope event = event_of(flow, 3, quantity);
    struct envelope other = event_of(a_name(), 3, quantity);

    return (struct change){
        .function = "receive_event",
        .role = "consumer",
        .points = { "after-inbox", "after-commit" },
        .count = 2,
        .undone = 1,
        .tables = { "inbox" },
        .before =
            xprintf("%s%s%s", applied_rows(&first, quantity),
                    projection_row(flow, "reserved", 1, quantity), inbox_row(&other, 0, 0, NULL)),
        .effects = { inbox_row(&event, 0, 0, NULL) },
        .done = outcome_value(RECEIPT_ACCEPTED),
        .again = outcome_value(RECEIPT_DUPLICATE),
        .event = event,
    };
}

struct change change_relay(void)
{
    const char *flow = a_name();
    int64_t quantity = a_quantity();
    struct envelope events[] = { event_of(flow, 1, quantity), event_of(flow, 2, quantity),
                                 event_of(flow, 3, quantity) };
    struct envelope other = event_of(a_name(), 2, quantity);

    return (struct change){
        .function = "relay",
        .role = "producer",
        .points = { "after-receive" },
        .count = 1,
        .undone = 1,
        .tables = { "outbox" },
        .before = xprintf("%s%s%s%s%s", flow_row(flow, "released", 3, quantity),
                          outbox_row(&events[0], 0), outbox_row(&events[1], 0),
                          outbox_row(&events[2], 0), outbox_row(&other, 0)),
        .effects = { "" },
        .last =
            xprintf("UPDATE outbox SET accepted = 1 WHERE event_id = '%s';", events[1].event_id),
        .done = outcome_value(RECEIPT_ACCEPTED),
        .again = outcome_value(RECEIPT_IDLE),
        .event = events[1],
    };
}

struct change change_apply(void)
{
    const char *flow = a_name();
    int64_t quantity = a_quantity();
    struct envelope first = event_of(flow, 1, quantity);
    struct envelope event = event_of(flow, 2, quantity);
    const char *beside = a_name();
    struct envelope other = event_of(beside, 1, 7);
    struct envelope waiting = event_of(beside, 2, 7);

    return (struct change){
        .function = "apply_next",
        .role = "consumer",
        .points = { "after-projection", "after-effect", "after-applied", "after-commit" },
        .count = 4,
        .undone = 3,
        .tables = { "projection", "effect", "inbox" },
        .before =
            xprintf("%s%s%s%s%s%s", applied_rows(&other, 7),
                    projection_row(beside, "reserved", 1, 7), inbox_row(&waiting, 0, 0, NULL),
                    applied_rows(&first, quantity), projection_row(flow, "reserved", 1, quantity),
                    inbox_row(&event, 0, 1, "unknown_version")),
        .effects = { xprintf("UPDATE projection SET stage = 'confirmed', last_seq = 2"
                             " WHERE flow_id = '%s';",
                             flow),
                     effect_row(&event, quantity),
                     xprintf("UPDATE inbox SET applied = 1, blocked = 0, reason = NULL"
                             " WHERE event_id = '%s';",
                             event.event_id) },
        .done = outcome_value(RECEIPT_APPLIED),
        .again = outcome_value(RECEIPT_IDLE),
        .event = event,
    };
}

void change_make(const struct change *change, const char *store)
{
    if (change->is_wide)
        side_make_wide(change->role, store, change->before);
    else
        side_make(change->role, store, change->before);
}

struct puppet *change_start(const struct change *change, int busy_timeout_ms)
{
    change_make(change, change->role);
    return worker_at(change->role, busy_timeout_ms);
}

void begin_change(const struct change *change, struct puppet *worker, const struct how *how)
{
    if (strcmp(change->function, "advance") == 0)
        begin_advance(worker, &change->command, how);
    else if (strcmp(change->function, "receive_event") == 0)
        begin_receive_event(worker, &change->event, how);
    else if (strcmp(change->function, "relay") == 0)
        begin_relay(worker, change->is_unnamed ? NULL : change->event.event_id, how);
    else
        begin_apply_next(worker, change->event.flow_id, change->support_v2, how);
}

struct answer call_change(const struct change *change, struct puppet *worker, const struct how *how)
{
    begin_change(change, worker, how);
    return finish_call(worker, change->function, how);
}

char *change_at(const struct change *change, int points)
{
    struct text sql = { 0 };

    text_add(&sql, "%s", change->before);
    for (int i = 0; i < points; i++)
        text_add(&sql, "%s", change->effects[i] ? change->effects[i] : "");
    if (points > change->undone && change->last)
        text_add(&sql, "%s", change->last);
    return side_with(change->role, sql.data);
}

char *change_before(const struct change *change)
{
    return change_at(change, 0);
}

char *change_after(const struct change *change)
{
    return change_at(change,
                     change->undone + 1 > CHANGE_POINTS ? CHANGE_POINTS : change->undone + 1);
}

char *change_points(const struct change *change, int count)
{
    struct text text = { 0 };

    text_add(&text, "%s", "");
    for (int i = 0; i < count; i++)
        text_add(&text, "%s%s", i ? " " : "", change->points[i]);
    return text.data;
}

void change_is_made(const struct change *change)
{
    auto_free char *points = change_points(change, change->count);
    struct puppet *worker = change_start(change, 50);
    struct answer answer = call_change(change, worker, NULL);

    expect_outcome(answer, change->done);
    expect_points(answer, points);
    expect_same("rows", side_rows(change->role, change->role), change_after(change));
    answer = call_change(change, worker, NULL);
    expect_outcome(answer, change->again);
    expect_points(answer, "");
    expect_same("rows, unchanged", side_rows(change->role, change->role), change_after(change));
}

void change_is_made_wide(struct change change)
{
    change.is_wide = true;
    stage_did("(a store with PRAGMA encoding = 'UTF-16')");
    change_is_made(&change);
}

void change_is_made_among_many(const struct change *change)
{
    struct change among = *change;
    struct puppet *worker;
    auto_free char *later = many_rows(change->role, 301, 1320);
    char *rows;

    among.before = xprintf("%s%s", many_rows(change->role, 1, 300), change->before);
    worker = change_start(&among, 50);
    stage_did("(among 300 rows of other flows)");
    expect_outcome(call_change(&among, worker, NULL), change->done);
    hand_do(hand_open(change->role), later);
    rows = side_rows(change->role, change->role);
    stage_did("(1020 rows more)");
    expect_outcome(call_change(&among, worker, NULL), change->again);
    expect_same("rows, unchanged", side_rows(change->role, change->role), rows);
}

void changes_are_not_kept(struct change (*draw)(void))
{
    struct change changes[12];
    struct puppet *worker;
    struct puppet *hand;

    for (int i = 0; i < 12; i++)
        changes[i] = draw();
    worker = change_start(&changes[0], 50);
    hand = hand_open(changes[0].role);
    for (int i = 0; i < 12; i++) {
        if (i > 0)
            hand_do(hand, changes[i].before);
        expect_outcome(call_change(&changes[i], worker, NULL), changes[i].done);
        stage_forget();
    }
}

struct look {
    const struct change *change;
    struct puppet *hand;
    int reached;
};

static struct outcome look_at(void *context, struct stop *stop)
{
    struct look *look = context;
    const struct change *change = look->change;
    int reached;

    if (stop->kind != STOP_FAULT || look->reached >= change->count)
        return call_go_on(stop);
    reached = ++look->reached;
    stage_did("   at %s: what its connection sees, and another process", stop->point);
    expect_same("rows that its own connection sees",
                puppet_rows(stop->puppet, change->role, side_query(change->role)),
                change_at(change, reached));
    expect_same("rows that another process sees",
                puppet_rows(look->hand, "hand", side_query(change->role)),
                change_at(change, reached > change->undone ? reached : 0));
    return call_go_on(stop);
}

void change_is_seen(const struct change *change)
{
    struct puppet *worker = change_start(change, 50);
    struct look look = { change, hand_open(change->role), 0 };
    struct how how = { .directions = { .at = look_at, .context = &look } };

    expect_outcome(call_change(change, worker, &how), change->done);
    expect_number("points reached", look.reached, change->count);
    expect_same("rows", side_rows(change->role, change->role), change_after(change));
}
