/* checker experiment: the ten boundaries at which a process may die, and the write that has one too many */
#include "experiment_moves.h"

#include <string.h>

/*
 * The first call of the function dies there; a new process makes the same call again, and the
 * flow is finished.
 */
static void kill_and_finish(const char *function, const char *point)
{
    struct sides sides = sides_open();
    struct command first = sides_move("A1", "order-1", 0);
    bool applies = strcmp(function, "apply_next") == 0;

    sides_kill(&sides, function, point);
    sides_advance(&sides, &first);
    if (strcmp(function, "advance") == 0) {
        sides_look(&sides);
        sides_advance(&sides, &first);
    }
    advance_from(&sides, "order-1", a_ids, 1);
    sides_relay(&sides, NULL);
    if (strcmp(function, "relay") == 0 || strcmp(function, "receive_event") == 0) {
        sides_look(&sides);
        sides_relay(&sides, NULL);
    }
    relay_times(&sides, MOVES - 1);
    sides_apply(&sides, "order-1", false);
    if (applies) {
        sides_look(&sides);
        sides_apply(&sides, "order-1", false);
    }
    sides_drain(&sides, "order-1", 10);
    sides_relay(&sides, NULL);
    sides_end(&sides);
}

SCENARIO(advance_killed_after_flow, "the flow moved and the event is not there yet: neither stays")
{
    kill_and_finish("advance", "after-flow");
}

SCENARIO(advance_killed_after_outbox, "both are written and not committed: neither stays")
{
    kill_and_finish("advance", "after-outbox");
}

SCENARIO(advance_killed_after_commit, "both are committed: the same command again is a duplicate")
{
    kill_and_finish("advance", "after-commit");
}

SCENARIO(receive_killed_after_inbox, "custody is not committed: the event is sent again")
{
    kill_and_finish("receive_event", "after-inbox");
}

SCENARIO(receive_killed_after_commit,
         "custody is committed and nobody was told: the copy is a duplicate")
{
    kill_and_finish("receive_event", "after-commit");
}

SCENARIO(relay_killed_after_receive,
         "custody is taken and not marked: the copy is a duplicate, and is marked")
{
    kill_and_finish("relay", "after-receive");
}

SCENARIO(apply_killed_after_projection, "the projection moved alone: it did not")
{
    kill_and_finish("apply_next", "after-projection");
}

SCENARIO(apply_killed_after_effect,
         "the inbox is not marked: projection and effect are not there either")
{
    kill_and_finish("apply_next", "after-effect");
}

SCENARIO(apply_killed_after_applied, "all three are written and not committed: none stays")
{
    kill_and_finish("apply_next", "after-applied");
}

SCENARIO(apply_killed_after_commit, "all three are committed: the next call takes the next event")
{
    kill_and_finish("apply_next", "after-commit");
}

/*
 * The control: a writer of ours that commits the flow and dies before it writes the event.  No call of
 * the learner's can send what is nowhere, nor make up for it.
 */
SCENARIO(unsafe_dual_write,
         "two commits instead of one, and a death between them: the event is lost")
{
    struct command same = sides_move("A1", "order-1", 0);
    struct command next = sides_move("A2", "order-1", 1);
    struct sides sides = sides_open();

    sides_write_and_die(flow_row("order-1", "reserved", 1, same.quantity),
                        "writes order-1 to its flow, commits, and was to write its event");
    sides_look(&sides);
    sides_advance(&sides, &same);
    relay_times(&sides, 1);
    sides_advance(&sides, &next);
    relay_times(&sides, 1);
    apply_times(&sides, "order-1", 1);
    sides_end(&sides);
}
