/* Step 13: steps/ordered/13-relay.md - what is nearly the same, among many, and what is left as it was */
#include "13_relay.h"

#include <sqlite3.h>

CHECK(relay, names_of_100_characters_are_told_apart_by_the_last, "relay.3")
{
    struct change change;

    names_alike();
    change = change_relay();
    change_is_made(&change);
}

CHECK(relay, an_event_that_is_named_is_not_one_of_a_name_like_it, "relay.1")
{
    struct envelope events[2];
    struct puppet *worker;
    struct notes notes = { 0 };

    names_alike();
    events[0] = event_of("flow-a", 1, 7);
    events[1] = event_of("flow-a", 2, 7);
    side_make("producer", "producer",
              xprintf("%s%s%s", flow_row("flow-a", "confirmed", 2, 7), outbox_row(&events[0], 0),
                      outbox_row(&events[1], 0)));
    worker = worker_at("producer", 50);
    expect_outcome(relay_noting(worker, events[1].event_id, &notes),
                   outcome_value(RECEIPT_ACCEPTED));
    expect_same("the event that it got", notes.got, event_text(&events[1]));
    expect_outcome(call_relay(worker, a_name(), NULL), outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_relay(worker, xprintf("%s0", events[0].event_id), NULL),
                   outcome_of(OUTCOME_INVALID, 0));
}

CHECK(relay, an_event_that_its_own_connection_brings_is_seen, "common.7")
{
    struct envelope event = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);
    struct puppet *worker;

    side_make("producer", "producer", "");
    worker = worker_at("producer", 50);
    expect_outcome(call_relay(worker, second.event_id, NULL), outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_relay(worker, NULL, NULL), outcome_value(RECEIPT_IDLE));
    sql_on(worker, "producer", outbox_row(&event, 0));
    sql_on(worker, "producer", outbox_row(&second, 0));
    stage_did("(on its own connection two events are put into the outbox)");
    expect_outcome(call_relay(worker, NULL, NULL), outcome_value(RECEIPT_ACCEPTED));
    expect_outcome(call_relay(worker, second.event_id, NULL), outcome_value(RECEIPT_ACCEPTED));
}

CHECK(relay, an_event_whose_mark_is_gone_is_the_oldest_again, "common.7")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct notes notes = { 0 };

    draw_events(events);
    worker = start_with(events, "000");
    expect_outcome(call_relay(worker, NULL, NULL), outcome_value(RECEIPT_ACCEPTED));
    sql_on(worker, "producer", "UPDATE outbox SET accepted = 0");
    stage_did("(on its own connection the mark is taken away)");
    expect_outcome(relay_noting(worker, NULL, &notes), outcome_value(RECEIPT_ACCEPTED));
    expect_same("the event that it got", notes.got, event_text(&events[1]));
}

/* Again and again; each time the receiver gets the event as if it were the first. */
static void expect_asked_anew(struct puppet *worker, struct outcome reply, struct outcome expected,
                              const struct envelope *event)
{
    for (int i = 0; i < 6; i++) {
        struct notes notes = { .reply = reply };

        expect_outcome(relay_noting(worker, NULL, &notes), expected);
        expect_number("times that the receiver was called", notes.count, 1);
        expect_same("the event that it got", notes.got, event_text(event));
    }
    stage_forget();
}

CHECK(relay, however_often_it_failed_the_receiver_is_asked_the_same, "common.7")
{
    struct envelope events[ROWS];
    struct puppet *worker;

    draw_events(events);
    worker = start_with(events, "000");
    expect_asked_anew(worker, outcome_value(RECEIPT_GAP), outcome_of(OUTCOME_DELIVERY, 0),
                      &events[1]);
    expect_asked_anew(worker, outcome_of(OUTCOME_DELIVERY, 0), outcome_of(OUTCOME_DELIVERY, 0),
                      &events[1]);
    expect_asked_anew(worker, outcome_of(OUTCOME_HTTP, 503), outcome_of(OUTCOME_HTTP, 503),
                      &events[1]);
    expect_outcome(call_relay(worker, NULL, NULL), outcome_value(RECEIPT_ACCEPTED));
}

CHECK(relay, a_receiver_may_have_no_context, "common.6")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct how how = { .bare = true };

    draw_events(events);
    worker = start_with(events, "000");
    expect_outcome(call_relay(worker, NULL, &how), outcome_value(RECEIPT_ACCEPTED));
    expect_outcome(call_relay(worker, "a-first", &how), outcome_value(RECEIPT_ACCEPTED));
    expect_marks(events, "110");
}

static void expect_unreadable(struct puppet *worker, const char *on, int code)
{
    struct how how = { .on = on };

    expect_sqlite(call_relay(worker, NULL, &how), code);
    expect_sqlite(call_relay(worker, "a-first", &how), code);
}

CHECK(relay, an_outbox_that_cannot_be_read_is_an_error, "common.4")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct puppet *hand;

    draw_events(events);
    side_make_plain("producer", "producer", rows_of(events, "000"));
    worker = worker_at("producer", 50);
    hand = hand_open("producer");
    hand_do(hand, "BEGIN EXCLUSIVE");
    stage_did("(another process: BEGIN EXCLUSIVE, in rollback mode)");
    expect_unreadable(worker, "producer", SQLITE_BUSY);
    hand_do(hand, "ROLLBACK");
    side_make_bare(worker, "bare");
    expect_unreadable(worker, "bare", SQLITE_ERROR);
}

CHECK(relay, a_store_in_UTF_16_sends_the_same_bytes, "relay.2")
{
    struct change change = change_relay();
    struct notes notes = { 0 };
    struct puppet *worker;

    change.is_wide = true;
    stage_did("(a store with PRAGMA encoding = 'UTF-16')");
    worker = change_start(&change, 50);
    expect_outcome(relay_noting(worker, change.event.event_id, &notes), change.done);
    expect_same("the event that it got", notes.got, event_text(&change.event));
    expect_same("rows", side_rows("producer", "producer"), change_after(&change));
}

CHECK(relay, a_receiver_is_called_once_whatever_it_says, "relay.2")
{
    static const struct outcome replies[] = { { OUTCOME_VALUE, RECEIPT_CONFLICT },
                                              { OUTCOME_VALUE, RECEIPT_GAP },
                                              { OUTCOME_SQLITE, 5 },
                                              { OUTCOME_CURL, 28 },
                                              { OUTCOME_HTTP, 503 },
                                              { OUTCOME_HTTP, 409 },
                                              { OUTCOME_DELIVERY, 0 },
                                              { OUTCOME_FAULT, 7 },
                                              { OUTCOME_VALUE, RECEIPT_DUPLICATE } };
    struct puppet *worker;
    struct envelope events[ROWS];

    draw_events(events);
    worker = start_with(events, "000");
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        struct notes notes = { .reply = replies[i] };

        (void)relay_noting(worker, "a-first", &notes);
        expect_number("times that the receiver was called", notes.count, 1);
    }
}

CHECK(relay, a_long_payload_is_sent_to_its_end, "relay.2")
{
    struct envelope events[ROWS];
    struct puppet *worker;
    struct notes notes = { 0 };

    draw_events(events);
    events[1].payload = xprintf("{\"text\":\"%070000d\"}", 7);
    worker = start_with(events, "000");
    expect_outcome(relay_noting(worker, NULL, &notes), outcome_value(RECEIPT_ACCEPTED));
    expect_length("bytes of the payload that it got", event_read(notes.got).payload, 70011);
    expect_same("the event that it got", notes.got, event_text(&events[1]));
}

CHECK(relay, the_oldest_is_found_behind_many_that_are_accepted, "relay.1")
{
    struct envelope event = event_of("flow-a", 1, 7);
    struct notes notes = { 0 };
    struct puppet *worker;

    side_make("producer", "producer",
              xprintf("%s%s", many_rows("producer", 1, 300), outbox_row(&event, 0)));
    worker = worker_at("producer", 50);
    stage_did("(behind 300 rows that are accepted)");
    expect_outcome(relay_noting(worker, NULL, &notes), outcome_value(RECEIPT_ACCEPTED));
    expect_same("the event that it got", notes.got, event_text(&event));
    expect_outcome(call_relay(worker, NULL, NULL), outcome_value(RECEIPT_IDLE));
}

CHECK(relay, a_receiver_that_relays_by_itself_disturbs_nothing, "common.7")
{
    struct envelope events[ROWS];
    struct envelope other = event_of("flow-c", 1, 7);
    struct how how = { .through = "second" };
    struct puppet *worker;

    draw_events(events);
    worker = start_with(events, "000");
    side_make("producer", "second", outbox_row(&other, 0));
    worker_open(worker, "second", 50);
    stage_did("(a receiver that relays the event of another store, and says ACCEPTED)");
    expect_outcome(call_relay(worker, NULL, &how), outcome_value(RECEIPT_ACCEPTED));
    expect_marks(events, "010");
    expect_same("rows of the other store", side_rows("producer", "second"),
                side_with("producer", outbox_row(&other, 1)));
}

CHECK(relay, of_many_events_no_memory_is_kept, "common.3")
{
    changes_are_not_kept(change_relay);
}

CHECK(relay, the_patience_of_the_connection_is_asked_and_stays, "common.5")
{
    struct change change = change_relay();

    change_keeps_patience(&change);
}
