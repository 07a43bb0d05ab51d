/* Step 13: steps/ordered/13-relay.md - which event, to whom, and what is believed */
#include "13_relay.h"

#include <limits.h>
#include <sqlite3.h>

static void expect_sent(struct puppet *worker, const char *event_id, const struct envelope *event)
{
    struct notes notes = { 0 };

    expect_outcome(relay_noting(worker, event_id, &notes), outcome_value(RECEIPT_ACCEPTED));
    expect_number("times that the receiver was called", notes.count, 1);
    expect_same("the event that it got", notes.got, event_text(event));
}

static void expect_none_sent(struct puppet *worker, const char *event_id, struct outcome expected)
{
    struct notes notes = { 0 };
    struct answer answer = relay_noting(worker, event_id, &notes);

    expect_outcome(answer, expected);
    expect_number("times that the receiver was called", notes.count, 0);
    expect_points(answer, "");
}

CHECK(relay, the_oldest_by_position_is_sent_first_and_then_the_next, "relay.1")
{
    struct envelope events[ROWS];
    struct puppet *worker;

    draw_events(events);
    events[0].seq = 2; /* within a flow, too, it is the position that counts */
    events[2].seq = 1;
    worker = start_with(events, "000");
    free(puppet_rows(worker, "producer", "PRAGMA reverse_unordered_selects = ON"));
    expect_sent(worker, NULL, &events[1]);
    expect_sent(worker, NULL, &events[0]);
    expect_sent(worker, NULL, &events[2]);
    expect_none_sent(worker, NULL, outcome_value(RECEIPT_IDLE));
    expect_marks(events, "111");
}

CHECK(relay, an_event_that_is_named_is_sent_whatever_is_older, "relay.1")
{
    struct envelope events[ROWS];
    struct puppet *worker;

    draw_events(events);
    events[2].event_id = "event_id"; /* in double quotes it would be the column, and every row */
    worker = start_with(events, "000");
    expect_sent(worker, events[2].event_id, &events[2]);
    expect_none_sent(worker, events[2].event_id, outcome_value(RECEIPT_IDLE));
    expect_none_sent(worker, "unknown", outcome_of(OUTCOME_INVALID, 0));
    expect_none_sent(worker, "A-first", outcome_of(OUTCOME_INVALID, 0));
    expect_none_sent(worker, "", outcome_of(OUTCOME_INVALID, 0));
    expect_sent(worker, "a-first", &events[0]);
    expect_marks(events, "101");
}

CHECK(relay, nothing_to_send_is_idle, "relay.1")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct how empty = { .on = "empty" };

    draw_events(events);
    worker = start_with(events, "111");
    expect_none_sent(worker, NULL, outcome_value(RECEIPT_IDLE));
    expect_none_sent(worker, "z-last", outcome_value(RECEIPT_IDLE));
    side_make("producer", "empty", "");
    worker_open(worker, "empty", 50);
    expect_outcome(call_relay(worker, NULL, &empty), outcome_value(RECEIPT_IDLE));
    expect_outcome(call_relay(worker, "z-last", &empty), outcome_of(OUTCOME_INVALID, 0));
}

static struct outcome lock_meanwhile(void *hand, struct stop *stop)
{
    if (stop->kind == STOP_SEND) {
        stage_did("   another process: BEGIN EXCLUSIVE; UPDATE flow ...; COMMIT");
        expect_number("its result code while the receiver runs",
                      hand_try(hand, "BEGIN EXCLUSIVE; UPDATE flow SET quantity = 8 WHERE seq = 2;"
                                     " COMMIT"),
                      SQLITE_OK);
    }
    return call_go_on(stop);
}

CHECK(relay, no_lock_is_held_while_the_receiver_runs, "relay.2")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct how how = { .directions = { .at = lock_meanwhile } };

    draw_events(events);
    side_make_plain("producer", "producer", rows_of(events, "000"));
    worker = worker_at("producer", 50);
    how.directions.context = hand_open("producer");
    expect_outcome(call_relay(worker, NULL, &how), outcome_value(RECEIPT_ACCEPTED));
    expect_outcome(call_relay(worker, "a-first", &how), outcome_value(RECEIPT_ACCEPTED));
    expect_same("accepted",
                store_rows("producer", "SELECT event_id FROM outbox WHERE accepted = 1"
                                       " ORDER BY position"),
                xstrdup("z-last\na-first\n"));
}

CHECK(relay, the_receiver_gets_the_row_byte_for_byte, "relay.2")
{
    struct envelope events[ROWS];
    struct puppet *worker;

    draw_events(events);
    events[0].seq = INT64_MAX;
    events[0].schema = INT_MAX;
    events[0].payload = "";
    events[1].stage = xprintf("%0100d", 7);
    events[2].flow_id = xprintf("%0100d", 8);
    events[2].stage = "no-such-stage";
    events[2].payload = "{\"amount\":7.0,\"x\":\"100%% of %d %s, \\/ and \\u0041\"}\r\n";
    worker = start_with(events, "000");
    for (int i = 0; i < ROWS; i++)
        expect_sent(worker, events[i].event_id, &events[i]);
    expect_marks(events, "111");
}

static void expect_marked_by(enum receipt receipt, const char *event_id)
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct notes notes = { .reply = outcome_value(receipt) };
    auto_free char *store = xprintf("by%d-%s", (int)receipt, event_id);
    struct how how = { .directions = { .at = note_event, .context = &notes }, .on = store };
    struct answer answer;

    draw_events(events);
    events[0].event_id = event_id;
    side_make("producer", store, rows_of(events, "000"));
    worker = worker_at(store, 50);
    answer = call_relay(worker, event_id, &how);
    expect_outcome(answer, outcome_value(receipt));
    expect_points(answer, "after-receive");
    expect_same("rows", side_rows("producer", store),
                side_with("producer", rows_of(events, "100")));
}

CHECK(relay, accepted_and_duplicate_mark_that_row_alone, "relay.3")
{
    expect_marked_by(RECEIPT_ACCEPTED, "a-first");
    expect_marked_by(RECEIPT_DUPLICATE, "a-first");
    expect_marked_by(RECEIPT_ACCEPTED, "event_id"); /* the name of a column */
}

CHECK(relay, the_mark_comes_behind_its_point, "relay.3")
{
    struct change change = change_relay();

    change_is_seen(&change);
}

/* Another process marks the event that is sent, and this is what the receiver says. */
struct marking {
    struct puppet *hand;
    enum receipt receipt;
};

static struct outcome mark_meanwhile(void *context, struct stop *stop)
{
    const struct marking *marking = context;
    struct envelope event;

    if (stop->kind != STOP_SEND)
        return call_go_on(stop);
    event = event_read(cJSON_GetStringValue(stop->event));
    hand_do(marking->hand,
            xprintf("UPDATE outbox SET accepted = 1 WHERE event_id = '%s'", event.event_id));
    return outcome_value(marking->receipt);
}

CHECK(relay, a_row_that_someone_else_marked_meanwhile_is_no_error, "relay.3")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct marking marking = { .receipt = RECEIPT_ACCEPTED };
    struct how how = { .directions = { .at = mark_meanwhile, .context = &marking } };

    draw_events(events);
    worker = start_with(events, "000");
    marking.hand = hand_open("producer");
    expect_outcome(call_relay(worker, NULL, &how), outcome_value(RECEIPT_ACCEPTED));
    expect_marks(events, "010");
    marking.receipt = RECEIPT_DUPLICATE;
    expect_outcome(call_relay(worker, NULL, &how), outcome_value(RECEIPT_DUPLICATE));
    expect_marks(events, "110");
}

CHECK(relay, a_conflict_is_returned_and_met_again, "relay.4")
{
    struct envelope events[ROWS];
    struct puppet *worker;

    draw_events(events);
    worker = start_with(events, "000");
    for (int i = 0; i < 6; i++) {
        struct notes notes = { .reply = outcome_value(RECEIPT_CONFLICT) };
        struct answer answer = relay_noting(worker, NULL, &notes);

        expect_outcome(answer, outcome_value(RECEIPT_CONFLICT));
        expect_points(answer, "");
        expect_number("times that the receiver was called", notes.count, 1);
        expect_same("the event that it got", notes.got, event_text(&events[1]));
    }
    expect_marks(events, "000");
}

CHECK(relay, behind_a_conflict_an_event_that_is_named_goes_through, "relay.4")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct notes conflict = { .reply = outcome_value(RECEIPT_CONFLICT) };

    draw_events(events);
    worker = start_with(events, "000");
    expect_outcome(relay_noting(worker, NULL, &conflict), outcome_value(RECEIPT_CONFLICT));
    expect_sent(worker, events[2].event_id, &events[2]);
    expect_outcome(relay_noting(worker, "z-last", &conflict), outcome_value(RECEIPT_CONFLICT));
    expect_marks(events, "001");
    expect_sent(worker, NULL, &events[1]);
}

CHECK(relay, any_other_value_is_a_failed_delivery, "relay.5")
{
    static const int values[] = { 1, 4, 5, 7, 8, 9, 10, 11, -1, 262, -250, 65538, 65542 };
    struct envelope events[ROWS];
    struct puppet *worker;

    draw_events(events);
    worker = start_with(events, "000");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct notes notes = { .reply = outcome_value(values[i]) };
        struct answer answer = relay_noting(worker, NULL, &notes);

        expect_outcome(answer, outcome_of(OUTCOME_DELIVERY, 0));
        expect_points(answer, "");
        stage_forget();
    }
    expect_marks(events, "000");
}

static void expect_handed_on(struct puppet *worker, struct outcome error)
{
    struct notes notes = { .reply = error };
    struct answer answer = relay_noting(worker, NULL, &notes);

    expect_outcome(answer, error);
    expect_points(answer, "");
    stage_forget();
}

CHECK(relay, the_receivers_errors_are_handed_on, "relay.5")
{
    /* What an HTTP receiver says of a conflict, a copy or a bad moment is an error all the same. */
    static const struct outcome answers[] = { { OUTCOME_HTTP, 409 }, { OUTCOME_HTTP, 208 },
                                              { OUTCOME_HTTP, 202 }, { OUTCOME_HTTP, 503 },
                                              { OUTCOME_HTTP, 500 }, { OUTCOME_CURL, 7 } };
    struct envelope events[ROWS];
    struct puppet *worker;

    draw_events(events);
    worker = start_with(events, "000");
    for (int i = 0; i < FAILURES; i++)
        expect_handed_on(worker, failures[i]);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        expect_handed_on(worker, answers[i]);
    expect_marks(events, "000");
    expect_sent(worker, NULL, &events[1]);
}

static struct outcome answer_idle(void *context, struct stop *stop)
{
    (void)context;
    return stop->kind == STOP_SEND ? outcome_value(RECEIPT_IDLE) : call_go_on(stop);
}

CHECK(relay, a_receiver_that_has_nothing_to_do_took_nothing, "relay.5")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct how how = { .directions = { .at = answer_idle } };

    draw_events(events);
    worker = start_with(events, "000");
    expect_outcome(call_relay(worker, NULL, &how), outcome_of(OUTCOME_DELIVERY, 0));
    expect_marks(events, "000");
}
