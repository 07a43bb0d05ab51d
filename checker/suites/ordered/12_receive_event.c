/* Step 12: steps/ordered/12-receive_event.md */
#include "base.h"
#include "ordered_change.h"

#include <limits.h>
#include <sqlite3.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct puppet *start_with(const char *rows)
{
    side_make("consumer", "consumer", rows);
    return worker_at("consumer", 50);
}

static void expect_refused(struct puppet *worker, const struct envelope *event,
                           struct outcome expected)
{
    char *before = side_rows("consumer", "consumer");
    struct answer answer = call_receive_event(worker, event, NULL);

    expect_outcome(answer, expected);
    expect_points(answer, "");
    expect_same("rows, unchanged", side_rows("consumer", "consumer"), before);
    stage_forget();
}

static void expect_accepted(struct puppet *worker, const struct envelope *event)
{
    expect_outcome(call_receive_event(worker, event, NULL), outcome_value(RECEIPT_ACCEPTED));
}

CHECK(receive_event, what_step_9_refuses_is_invalid_and_not_kept, "receive_event.1")
{
    struct puppet *worker = start_with("");
    struct envelope good = event_of("flow-a", 1, 7);
    struct envelope bad[7];

    for (size_t i = 0; i < COUNT(bad); i++)
        bad[i] = good;
    bad[0].seq = 0;
    bad[1].schema = 0;
    bad[2].payload = NULL;
    bad[3].event_id = NULL;
    bad[4].flow_id = NULL;
    bad[5].stage = NULL;
    bad[6].seq = INT64_MIN;
    for (size_t i = 0; i < COUNT(bad); i++)
        expect_refused(worker, &bad[i], outcome_of(OUTCOME_INVALID, 0));
    expect_refused(worker, NULL, outcome_of(OUTCOME_INVALID, 0));
    expect_accepted(worker, &good);
}

CHECK(receive_event, what_is_no_id_is_invalid_in_each_place_of_one, "receive_event.1")
{
    struct puppet *worker = start_with("");
    auto_free char *none = side_rows("consumer", "consumer");
    struct envelope good = event_of("flow-a", 1, 7);

    for (int i = 0; i < BAD_IDS; i++) {
        struct envelope bad[] = { good, good, good };

        bad[0].event_id = bad[1].flow_id = bad[2].stage = bad_ids[i];
        for (size_t k = 0; k < COUNT(bad); k++)
            expect_outcome(call_receive_event(worker, &bad[k], NULL),
                           outcome_of(OUTCOME_INVALID, 0));
        expect_same("rows, none", side_rows("consumer", "consumer"), xstrdup(none));
        stage_forget();
    }
    expect_accepted(worker, &good);
}

CHECK(receive_event, a_known_id_with_a_bad_member_is_invalid_too, "receive_event.1")
{
    struct envelope event = event_of("flow-a", 1, 7);
    struct puppet *worker = start_with(inbox_row(&event, 0, 0, NULL));
    struct envelope bad = event;

    bad.schema = -1;
    expect_refused(worker, &bad, outcome_of(OUTCOME_INVALID, 0));
    expect_refused(worker, &event, outcome_value(RECEIPT_DUPLICATE));
}

CHECK(receive_event, an_invalid_event_is_refused_at_once_while_a_lock_is_held, "common.9")
{
    struct puppet *worker;
    struct puppet *hand;
    struct envelope bad = event_of("flow-a", 0, 7);

    side_make("consumer", "consumer", "");
    worker = worker_at("consumer", 300);
    hand = hand_open("consumer");
    hand_do(hand, "BEGIN IMMEDIATE");
    stage_did("(another process: BEGIN IMMEDIATE)");
    expect_outcome(call_receive_event(worker, &bad, NULL), outcome_of(OUTCOME_INVALID, 0));
    hand_do(hand, "ROLLBACK");
}

CHECK(receive_event, a_new_event_is_put_into_the_inbox_by_two_points, "receive_event.2")
{
    struct change change = change_receive();

    change_is_made(&change);
}

CHECK(receive_event, its_point_shows_the_row_and_others_see_it_after_the_commit, "receive_event.2")
{
    struct change change = change_receive();

    change_is_seen(&change);
}

/* With one character more it is as long as a stage may be. */
#define TEN_LETTERS "no-such-st"
#define LONG_STAGE                                                                                 \
    TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS            \
        TEN_LETTERS TEN_LETTERS "123456789"

CHECK(receive_event, whatever_it_says_it_is_kept_byte_for_byte, "receive_event.2")
{
    struct puppet *worker = start_with("");
    struct envelope events[] = {
        { "e1", "flow-a", INT64_MAX, INT_MAX, "no-such-stage", "no JSON \xe2\x82\xac 'quoted'\n" },
        { "e2", "flow-a", 3, 2, "released", "" },
        { "e3", "flow-a", INT64_C(9007199254740993), 1, "new", " { \"amount\" : 5.0 } " },
        { "E3", "Flow-a", 3, 7, "reserved", "{\"amount\":\"\\u0041\"}" },
        { "007", "1e3", 1, 1, "reserved", "12" },
        { "7", "1000", 1, 1, "reserved", "12.50" },
        { "flow_id", "event_id", 1, 1, "payload", "stage" }, /* which are columns, too */
        { "event_id", "flow_id", 1, 1, "stage", "payload" },
        { "f1-1", "f1", 1, 1, "reserved", "100%% %d %s %5$s" }, /* the same digits in a row: */
        { "f-11", "f", 11, 1, LONG_STAGE "a", "" },
    };
    struct text rows = { 0 };

    for (size_t i = 0; i < COUNT(events); i++) {
        expect_accepted(worker, &events[i]);
        text_add(&rows, "%s", inbox_row(&events[i], 0, 0, NULL));
    }
    expect_same("rows", side_rows("consumer", "consumer"), side_with("consumer", rows.data));
    for (size_t i = 0; i < COUNT(events); i++)
        expect_refused(worker, &events[i], outcome_value(RECEIPT_DUPLICATE));
}

CHECK(receive_event, events_are_kept_in_whatever_order_they_come, "receive_event.2")
{
    struct puppet *worker = start_with("");
    struct envelope events[] = { event_of("flow-a", 3, 7), event_of("flow-b", 2, 7),
                                 event_of("flow-a", 1, 7), event_of("flow-a", 2, 9) };
    struct text rows = { 0 };

    for (size_t i = 0; i < COUNT(events); i++) {
        expect_accepted(worker, &events[i]);
        text_add(&rows, "%s", inbox_row(&events[i], 0, 0, NULL));
    }
    expect_same("rows", side_rows("consumer", "consumer"), side_with("consumer", rows.data));
}

CHECK(receive_event, the_same_is_a_duplicate_whatever_became_of_it, "receive_event.3")
{
    struct envelope applied = event_of("flow-a", 1, 7);
    struct envelope blocked = event_of("flow-a", 2, 7);
    struct envelope waiting = event_of("flow-b", 5, 7);
    struct puppet *worker = start_with(
        xprintf("%s%s%s%s", applied_rows(&applied, 7), projection_row("flow-a", "reserved", 1, 7),
                inbox_row(&blocked, 0, 1, "bad_payload"), inbox_row(&waiting, 0, 0, NULL)));

    expect_refused(worker, &applied, outcome_value(RECEIPT_DUPLICATE));
    expect_refused(worker, &blocked, outcome_value(RECEIPT_DUPLICATE));
    expect_refused(worker, &waiting, outcome_value(RECEIPT_DUPLICATE));
}

CHECK(receive_event, what_was_just_taken_is_a_duplicate, "receive_event.3")
{
    struct puppet *worker = start_with("");
    struct envelope event = event_of("flow-a", INT64_C(4294967297), 7);

    expect_accepted(worker, &event);
    expect_refused(worker, &event, outcome_value(RECEIPT_DUPLICATE));
    expect_refused(worker, &event, outcome_value(RECEIPT_DUPLICATE));
}

CHECK(receive_event, a_known_id_with_any_other_member_is_a_conflict, "receive_event.4")
{
    struct envelope known = event_of("flow-a", 1, 7);
    struct puppet *worker;
    struct envelope others[8]; /* so many that what each keeps is seen */

    known.stage = LONG_STAGE "a";
    worker = start_with(inbox_row(&known, 0, 0, NULL));
    for (size_t i = 0; i < COUNT(others); i++)
        others[i] = known;
    others[0].flow_id = "flow-b";
    others[1].seq = 2;
    others[2].schema = 2;
    others[3].stage = "confirmed";
    others[4].payload = "{\"amount\": 7}";
    others[5].seq = INT64_C(4294967297);
    others[6].schema = 65537;
    others[7].stage = LONG_STAGE "b";
    for (size_t i = 0; i < COUNT(others); i++)
        expect_refused(worker, &others[i], outcome_value(RECEIPT_CONFLICT));
    expect_refused(worker, &known, outcome_value(RECEIPT_DUPLICATE));
}

CHECK(receive_event, another_event_in_a_place_that_is_taken_is_a_conflict, "receive_event.4")
{
    struct envelope known = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);
    struct puppet *worker =
        start_with(xprintf("%s%s", inbox_row(&known, 0, 0, NULL), inbox_row(&second, 0, 0, NULL)));
    struct envelope other = known;
    struct envelope between = known;

    other.event_id = a_name();
    expect_refused(worker, &other, outcome_value(RECEIPT_CONFLICT));
    between.seq = 2;
    expect_refused(worker, &between, outcome_value(RECEIPT_CONFLICT));
    other.seq = 3;
    expect_accepted(worker, &other);
}

CHECK(receive_event, ids_are_compared_as_they_are, "receive_event.4")
{
    struct envelope known = event_of("flow-a", 1, 7);
    struct envelope upper = event_of("Flow-a", 1, 7);
    struct puppet *worker = start_with(inbox_row(&known, 0, 0, NULL));

    upper.event_id = xprintf("%s_", known.event_id);
    expect_accepted(worker, &upper);
    upper.stage = "Reserved";
    expect_refused(worker, &upper, outcome_value(RECEIPT_CONFLICT));
}

CHECK(receive_event, projection_and_effect_stay_as_they_are, "receive_event.5")
{
    struct envelope first = event_of("flow-a", 1, 7);
    struct envelope second = event_of("flow-a", 2, 7);
    struct envelope other = event_of("flow-b", 1, 9);
    char *before =
        xprintf("%s%s", applied_rows(&first, 7), projection_row("flow-a", "reserved", 1, 7));
    struct puppet *worker = start_with(before);

    expect_accepted(worker, &second);
    expect_accepted(worker, &other);
    expect_same("rows", side_rows("consumer", "consumer"),
                side_with("consumer", xprintf("%s%s%s", before, inbox_row(&second, 0, 0, NULL),
                                              inbox_row(&other, 0, 0, NULL))));
}

CHECK(receive_event, it_needs_neither_projection_nor_effect, "receive_event.5")
{
    struct puppet *worker = start_with("");
    struct envelope event = event_of("flow-a", 1, 7);

    hand_do(hand_open("consumer"),
            "CREATE TRIGGER one BEFORE INSERT ON projection BEGIN SELECT RAISE(ABORT, 'no'); END;"
            "CREATE TRIGGER two BEFORE INSERT ON effect BEGIN SELECT RAISE(ABORT, 'no'); END");
    stage_did("(in the store: triggers that refuse every row of projection and effect)");
    expect_accepted(worker, &event);
    expect_outcome(call_receive_event(worker, &event, NULL), outcome_value(RECEIPT_DUPLICATE));
}
