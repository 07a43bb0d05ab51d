/* Step 7: steps/worker/07-dispatch.md */
#include "worker_round.h"
#include "worker_setting.h"

#include <limits.h>

/* One event, refused at the sender or at the point: what comes back, and it stays pending. */
static void expect_handed_on(struct puppet *worker, enum stop_kind kind, struct event event,
                             struct outcome answer, struct outcome expected)
{
    struct round round = { .kind = kind, .answers = true, .answer = answer };
    struct answer got = play_round(worker, 8, &round);

    expect_outcome(got, expected);
    expect_same("what the sender got", round_sent(&round), events_lines(&event, 1));
    expect_points(got, kind == STOP_FAULT ? "after-delivery" : "");
}

/* The same at the sender where there is no hook. */
static void expect_handed_on_unhooked(struct puppet *worker, const char *store,
                                      struct outcome answer, struct outcome expected)
{
    struct round round = { .kind = STOP_SEND,
                           .count = 1,
                           .answers = true,
                           .answer = answer,
                           .how = { .no_hook = true, .on = store } };
    struct answer got = play_round(worker, 8, &round);

    expect_outcome(got, expected);
    expect_number("events sent", got.sends, 1);
}

/* The twelfth of sixteen is refused. */
static void expect_late_refusal(struct puppet *worker, const char *store)
{
    struct event events[16];
    struct round round = {
        .kind = STOP_SEND, .count = 12, .answers = true, .answer = outcome_value(0), .how.on = store
    };

    draw_events(events, 16);
    source_fill(store, events, 16, "0000000000000000");
    worker_open(worker, store, 50);
    expect_outcome(play_round(worker, 16, &round), outcome_of(OUTCOME_DELIVERY, 0));
    expect_same("what the sender got", round_sent(&round), events_lines(events, 12));
    expect_same("marks", source_marks(store), xstrdup("1111111111100000"));
}

static const int no_acknowledgements[] = { 0, 2, -1, 3, 255, 256, 257, 65537, INT_MIN, INT_MAX };

static void expect_no_acknowledgement_counts(struct puppet *worker, struct event event)
{
    for (size_t i = 0; i < sizeof no_acknowledgements / sizeof(int); i++)
        expect_handed_on(worker, STOP_SEND, event, outcome_value(no_acknowledgements[i]),
                         outcome_of(OUTCOME_DELIVERY, 0));
}

CHECK(dispatch, any_value_but_one_is_no_acknowledgement, "dispatch.3")
{
    struct event events[2];
    draw_events(events, 2);
    source_fill("source", events, 2, "00");

    struct puppet *worker = worker_at("source", 50);

    expect_no_acknowledgement_counts(worker, events[0]);
    expect_handed_on_unhooked(worker, "source", outcome_value(0), outcome_of(OUTCOME_DELIVERY, 0));
    expect_same("rows", source_rows("source"), source_with(events, 2, "00"));

    expect_late_refusal(worker, "sixteen");
}

static const struct outcome errors[] = {
    { OUTCOME_INVALID, 0 },    { OUTCOME_CONFLICT, 0 },    { OUTCOME_DELIVERY, 0 },
    { OUTCOME_SQLITE, 5 },     { OUTCOME_SQLITE, 517 },    { OUTCOME_CURL, 28 },
    { OUTCOME_HTTP, 503 },     { OUTCOME_HTTP, 302 },      { OUTCOME_FAULT, 7777 },
    { OUTCOME_FAULT, 0 },      { OUTCOME_FAULT, -3 },      { OUTCOME_FAULT, 1 },
    { OUTCOME_INVALID, 1 },    { OUTCOME_CONFLICT, 1 },    { OUTCOME_DELIVERY, 1 },
    { OUTCOME_SQLITE, 1 },     { OUTCOME_CURL, 1 },        { OUTCOME_HTTP, 1 },
    { OUTCOME_DELIVERY, 9 },   { OUTCOME_TODO, 0 },        { OUTCOME_TODO, 1 },
    { OUTCOME_FAULT, 100000 }, { OUTCOME_FAULT, INT_MIN }, { OUTCOME_HTTP, 70503 },
};

static void expect_errors_are_handed_on(struct puppet *worker, enum stop_kind kind,
                                        struct event event)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        expect_handed_on(worker, kind, event, errors[i], errors[i]);
}

CHECK(dispatch, every_error_of_the_sender_and_of_the_hook_is_handed_on_unchanged, "dispatch.3")
{
    struct event events[2];
    draw_events(events, 2);
    source_fill("source", events, 2, "00");
    struct puppet *worker = worker_at("source", 50);

    expect_errors_are_handed_on(worker, STOP_SEND, events[0]);
    expect_errors_are_handed_on(worker, STOP_FAULT, events[0]);

    expect_same("rows", source_rows("source"), source_with(events, 2, "00"));
}

#define ROWS 4

/* Fails at the count-th event: what was sent, what is marked, and how the next call goes on. */
static void expect_stop(struct puppet *worker, enum stop_kind kind, int count,
                        struct outcome answer, struct outcome expected)
{
    static int stores;
    auto_free char *store = xprintf("source%d", ++stores);
    auto_free char *marks = xprintf("%.*s%s", count - 1, "1111", &"0000"[count - 1]);
    struct event events[ROWS];
    struct round round = {
        .kind = kind, .count = count, .answers = true, .answer = answer, .how.on = store
    };
    struct round next = { .how.on = store };

    draw_events(events, ROWS);
    source_fill(store, events, ROWS, "0000");
    worker_open(worker, store, 50);
    expect_outcome(play_round(worker, ROWS, &round), expected);
    expect_same("what the sender got", round_sent(&round), events_lines(events, count));
    expect_same("rows", source_rows(store), source_with(events, ROWS, marks));
    expect_outcome(play_round(worker, ROWS, &next), outcome_value(ROWS + 1 - count));
    expect_same("what the sender got next", round_sent(&next),
                events_lines(events + count - 1, ROWS + 1 - count));
    stage_forget();
}

CHECK(dispatch, at_the_first_failure_it_stops_and_the_next_call_goes_on_there, "dispatch.4")
{
    const struct outcome http = outcome_of(OUTCOME_HTTP, 503);
    const struct outcome fault = outcome_of(OUTCOME_FAULT, 7777);
    struct puppet *worker = puppet_start();

    expect_stop(worker, STOP_SEND, 1, outcome_value(0), outcome_of(OUTCOME_DELIVERY, 0));
    expect_stop(worker, STOP_SEND, 3, http, http);
    expect_stop(worker, STOP_SEND, 4, outcome_value(2), outcome_of(OUTCOME_DELIVERY, 0));
    expect_stop(worker, STOP_FAULT, 1, http, http);
    expect_stop(worker, STOP_FAULT, 2, fault, fault);
    source_fill("unhooked", (struct event[]){ an_event(), an_event() }, 2, "00");
    worker_open(worker, "unhooked", 50);
    expect_handed_on_unhooked(worker, "unhooked", http, http);
    expect_same("marks", source_marks("unhooked"), xstrdup("00"));
}

/* Refuses the mark of this event, with RAISE(how). */
static void refuse_mark(struct event event, const char *how)
{
    auto_free char *sql = xprintf("CREATE TRIGGER refuses AFTER UPDATE ON outbox WHEN new.id = '%s'"
                                  " BEGIN SELECT RAISE(%s, 'no'); END",
                                  event.id, how);

    store_change("source", sql);
}

static const char refuse_all[] =
    "CREATE TRIGGER refuses AFTER UPDATE ON outbox BEGIN SELECT RAISE(ABORT, 'no'); END";

/* So many events were sent, and what is marked. */
static void expect_left(const struct round *round, const struct event *events, int sent,
                        const char *marks)
{
    expect_same("what the sender got", round_sent(round), events_lines(events, sent));
    expect_same("marks", source_marks(round->how.on), xstrdup(marks));
}

/* At that send another process has the lock until the call is over; with a hook or without. */
static void expect_busy_mark(struct puppet *worker, struct round *round)
{
    const struct change *change = round->context;

    expect_sqlite(play_round(worker, 8, round), 5);
    hand_do(change->hand, "ROLLBACK");
}

/* The first event's sender or hook fails, or its mark is refused. */
static void expect_first_left(struct puppet *worker, struct puppet *hand, const char *store)
{
    const struct outcome fault = outcome_of(OUTCOME_FAULT, 7777);
    struct round unsent = { .kind = STOP_SEND, .answers = true, .answer = fault, .how.on = store };
    struct round stopped = unsent;
    struct round refused = { .how.on = store };

    stopped.kind = STOP_FAULT;
    expect_outcome(play_round(worker, 8, &unsent), fault);
    expect_outcome(play_round(worker, 8, &stopped), fault);
    stage_did("(another process: %s)", refuse_all);
    hand_do(hand, refuse_all);
    expect_sqlite(play_round(worker, 8, &refused), 19);
    hand_do(hand, "DROP TRIGGER refuses");
    expect_same("marks", source_marks(store), xstrdup("000"));
}

/* Of three events one mark after the other: busy, busy without a hook, without its row, vetoed. */
static void expect_stop_at_marks(struct puppet *worker, const char *store)
{
    struct event events[3];
    struct change change = { .hand = hand_open(store) };
    struct round refused = { .how.on = store };
    draw_events(events, 3);
    auto_free char *gone = xprintf("DELETE FROM outbox WHERE id = '%s'", events[1].id);

    source_refill(change.hand, events, 3, "000");
    worker_open(worker, store, 50);
    stage_proves("dispatch.4");
    expect_first_left(worker, change.hand, store);
    struct round busy = round_with_hand(&change, 2, "BEGIN IMMEDIATE");
    busy.how.on = store;
    expect_busy_mark(worker, &busy);
    expect_left(&busy, events, 2, "100");

    struct round unhooked = round_with_hand(&change, 1, "BEGIN IMMEDIATE");
    unhooked.how = (struct how){ .on = store, .no_hook = true };
    expect_busy_mark(worker, &unhooked);
    expect_left(&unhooked, events + 1, 1, "100");

    struct round lost = round_with_hand(&change, 1, gone);
    lost.how.on = store;
    expect_outcome(play_round(worker, 8, &lost), outcome_of(OUTCOME_INVALID, 0));
    expect_left(&lost, events + 1, 1, "10");

    setting_veto(worker, store);
    expect_sqlite(play_round(worker, 8, &refused), 19);
    expect_left(&refused, events + 2, 1, "10");
    stage_proves("dispatch.2");
    expect_same("calls where the mark was busy", round_log(&busy),
                xstrdup("send, after-delivery, send, after-delivery"));
}

CHECK(dispatch, at_the_first_mark_that_cannot_be_made_it_stops, "dispatch.4")
{
    struct puppet *worker = puppet_start();

    source_make();
    source_make_as("log");
    store_make("log", "PRAGMA journal_mode = WAL");

    expect_stop_at_marks(worker, "source");
    stage_did("(then in a store with a log: in WAL mode)");
    expect_stop_at_marks(worker, "log");
}

CHECK(dispatch, an_error_of_sqlite_is_handed_on_with_its_first_code, "common.4")
{
    struct event events[3];
    struct round unread = { 0 };
    struct round round = { .how.no_hook = true };
    draw_events(events, 3);
    source_fill("source", events, 3, "000");
    refuse_mark(events[1], "ROLLBACK");
    struct puppet *worker = worker_at("source", 30);
    struct puppet *hand = hand_open("source");

    hand_do(hand, "BEGIN EXCLUSIVE");
    expect_sqlite(play_round(worker, 8, &unread), 5);
    expect_same("what was called", round_log(&unread), xstrdup(""));
    hand_do(hand, "ROLLBACK");

    expect_sqlite(play_round(worker, 8, &round), 19);
    expect_same("what the sender got", round_sent(&round), events_lines(events, 2));
    expect_same("rows", source_rows("source"), source_with(events, 3, "100"));
}

static struct answer play_often(struct puppet *worker, enum stop_kind kind, struct outcome answer)
{
    struct round round = { .kind = kind, .answers = true, .answer = answer, .how.times = 24 };

    return play_round(worker, 8, &round);
}

CHECK(dispatch, the_same_call_again_and_again_keeps_no_memory, "common.3")
{
    const struct outcome fault = outcome_of(OUTCOME_FAULT, 7777);
    struct event events[2];
    draw_events(events, 2);
    source_fill("source", events, 2, "00");
    refuse_mark(events[0], "ABORT");
    source_make_as("empty");
    struct puppet *worker = worker_at("source", 50);
    worker_open(worker, "empty", 50);
    struct round idle = { .how = { .times = 24, .on = "empty" } };

    expect_outcome(play_round(worker, 8, &idle), outcome_value(0));
    expect_outcome(play_often(worker, STOP_SEND, outcome_value(0)),
                   outcome_of(OUTCOME_DELIVERY, 0));
    expect_outcome(play_often(worker, STOP_SEND, fault), fault);
    expect_outcome(play_often(worker, STOP_FAULT, fault), fault);
    expect_sqlite(play_often(worker, STOP_SEND, outcome_value(1)), 19);
}
