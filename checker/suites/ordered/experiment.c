/* checker experiment: order of arrival, copies, conflicts, and what is not applied */
#include "experiment_moves.h"

SCENARIO(happy_path, "three moves of one flow are handed over and applied, one after the other")
{
    struct sides sides = sides_open();

    for (int i = 0; i < MOVES; i++) {
        struct command command = sides_move(a_ids[i], "order-1", i);

        sides_advance(&sides, &command);
        sides_relay(&sides, NULL);
        sides_apply(&sides, "order-1", false);
    }
    sides_relay(&sides, NULL);
    sides_apply(&sides, "order-1", false);
    sides_end(&sides);
}

SCENARIO(arrival_3_1_2, "what comes too early waits behind a gap that nothing skips")
{
    struct sides sides = sides_open();

    advance_from(&sides, "order-1", a_ids, 0);
    sides_relay(&sides, "A3");
    apply_times(&sides, "order-1", 1);
    sides_relay(&sides, "A1");
    apply_times(&sides, "order-1", 2);
    sides_look(&sides);
    sides_relay(&sides, "A2");
    apply_times(&sides, "order-1", 3);
    sides_end(&sides);
}

/* One flow for each order, in the same two stores; after each arrival what can be applied is. */
static void arrive_in(struct sides *sides, int number, const int order[MOVES])
{
    static const char *const flows[] = { "order-1", "order-2", "order-3",
                                         "order-4", "order-5", "order-6" };
    static const char *const ids[][MOVES] = { { "A1", "A2", "A3" }, { "B1", "B2", "B3" },
                                              { "C1", "C2", "C3" }, { "D1", "D2", "D3" },
                                              { "E1", "E2", "E3" }, { "F1", "F2", "F3" } };

    advance_from(sides, flows[number], ids[number], 0);
    for (int i = 0; i < MOVES; i++) {
        sides_relay(sides, ids[number][order[i] - 1]);
        sides_drain(sides, flows[number], 10);
    }
}

SCENARIO(six_permutations, "whatever the order of arrival, a flow ends the same")
{
    static const int orders[6][MOVES] = { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 },
                                          { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } };
    struct sides sides = sides_open();

    for (int i = 0; i < 6; i++)
        arrive_in(&sides, i, orders[i]);
    sides_end(&sides);
}

SCENARIO(six_process_race, "of six processes that advance a flow from one seq one does")
{
    static const char *const ids[] = { "R1", "R2", "R3", "R4", "R5", "R6" };
    struct sides sides = sides_open();

    sides_race(&sides, "order-1", ids, 6);
    relay_times(&sides, 2);
    apply_times(&sides, "order-1", 2);
    sides_end(&sides);
}

SCENARIO(duplicate_delivery,
         "a copy is a duplicate before and after it was applied, and has no effect")
{
    struct envelope event = sides_event("A1", "order-1", 1);
    struct sides sides = sides_open();

    advance_from(&sides, "order-1", a_ids, 2);
    sides_receive(&sides, &event);
    sides_receive(&sides, &event);
    apply_times(&sides, "order-1", 1);
    sides_receive(&sides, &event);
    apply_times(&sides, "order-1", 1);
    sides_end(&sides);
}

SCENARIO(conflict_by_event_id, "an id names one event for ever: there is one trusted producer")
{
    struct command command = sides_move("A1", "order-1", 0);
    struct command other_command = sides_move("A1", "order-2", 0);
    struct envelope other = sides_event("A1", "order-2", 1);
    struct sides sides = sides_open();

    sides_advance(&sides, &command);
    sides_advance(&sides, &other_command);
    sides_relay(&sides, NULL);
    sides_receive(&sides, &other);
    apply_times(&sides, "order-1", 1);
    apply_times(&sides, "order-2", 1);
    sides_end(&sides);
}

SCENARIO(conflict_by_flow_and_seq, "a place in a flow belongs to one event for ever")
{
    struct command command = sides_move("A1", "order-1", 0);
    struct envelope other = sides_event("Z1", "order-1", 1);
    struct sides sides = sides_open();

    sides_advance(&sides, &command);
    sides_relay(&sides, NULL);
    sides_receive(&sides, &other);
    apply_times(&sides, "order-1", 2);
    sides_end(&sides);
}

SCENARIO(unknown_version,
         "an unknown version is kept and blocks, and is applied as it is by a call that knows it")
{
    struct command first = sides_move("A1", "order-1", 0);
    struct command second = sides_move("A2", "order-1", 1);
    struct sides sides = sides_open();

    first.schema = second.schema = 2;
    sides_advance(&sides, &first);
    sides_advance(&sides, &second);
    relay_times(&sides, 2);
    apply_times(&sides, "order-1", 2);
    sides_look(&sides);
    sides_apply(&sides, "order-1", true);
    apply_times(&sides, "order-1", 1);
    sides_apply(&sides, "order-1", true);
    sides_end(&sides);
}

/* No producer writes these: they come from elsewhere. */
SCENARIO(bad_events,
         "a bad payload, a bad transition and a changed quantity block, and none is skipped")
{
    struct envelope payload = sides_event("P1", "bad-payload", 1);
    struct envelope transition = sides_event("T1", "bad-transition", 1);
    struct envelope before = sides_event("Q1", "changed-quantity", 1);
    struct envelope quantity = sides_event("Q2", "changed-quantity", 2);
    struct envelope behind = sides_event("Q3", "changed-quantity", 3);
    struct sides sides = sides_open();

    payload.payload = "{\"amount\":\"7\"}";
    transition.stage = "released";
    quantity.payload = "{\"amount\":8}";
    sides_receive(&sides, &payload);
    sides_receive(&sides, &transition);
    sides_receive(&sides, &before);
    sides_receive(&sides, &quantity);
    sides_receive(&sides, &behind);
    apply_times(&sides, "bad-payload", 2);
    apply_times(&sides, "bad-transition", 2);
    apply_times(&sides, "changed-quantity", 3);
    sides_end(&sides);
}

SCENARIO(default_relay_starves,
         "behind an event that is refused for ever all others wait, until one is named")
{
    struct command first = sides_move("A1", "order-1", 0);
    struct command behind = sides_move("B1", "order-2", 0);
    struct envelope taken = sides_event("A1", "order-9", 1);
    struct sides sides = sides_open();

    sides_receive(&sides, &taken);
    sides_advance(&sides, &first);
    sides_advance(&sides, &behind);
    relay_times(&sides, 3);
    sides_look(&sides);
    sides_relay(&sides, "B1");
    apply_times(&sides, "order-2", 1);
    relay_times(&sides, 1);
    sides_end(&sides);
}

SCENARIO(bounded_drain, "a drain ends at its limit, and a flow that is stuck holds no other up")
{
    static const char *const b_ids[] = { "B1", "B2", "B3" };
    struct envelope bad = sides_event("C1", "order-3", 1);
    struct sides sides = sides_open();

    advance_from(&sides, "order-1", a_ids, 0);
    relay_times(&sides, MOVES);
    sides_drain(&sides, "order-1", 2);
    advance_from(&sides, "order-2", b_ids, 0);
    sides_relay(&sides, "B3");
    bad.schema = 3;
    sides_receive(&sides, &bad);
    sides_drain(&sides, "order-2", 10);
    sides_drain(&sides, "order-3", 10);
    sides_process_all(&sides, 10);
    sides_relay(&sides, "B1");
    sides_relay(&sides, "B2");
    sides_process_all(&sides, 1);
    sides_process_all(&sides, 10);
    sides_end(&sides);
}
