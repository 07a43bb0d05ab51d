/* experiment_moves.h - what the scenarios share: a flow's three moves, handed over and applied */
#ifndef SUITE_EXPERIMENT_MOVES_H
#define SUITE_EXPERIMENT_MOVES_H

#include "ordered_scene.h"

#define MOVES 3

static const char *const a_ids[MOVES] = { "A1", "A2", "A3" };

/* The flow's moves from so many on, each by the id at its place. */
static inline void advance_from(struct sides *sides, const char *flow_id,
                                const char *const ids[MOVES], int from)
{
    for (int i = from; i < MOVES; i++) {
        struct command command = sides_move(ids[i], flow_id, i);

        sides_advance(sides, &command);
    }
}

static inline void relay_times(struct sides *sides, int times)
{
    for (int i = 0; i < times; i++)
        sides_relay(sides, NULL);
}

static inline void apply_times(struct sides *sides, const char *flow_id, int times)
{
    for (int i = 0; i < times; i++)
        sides_apply(sides, flow_id, false);
}

#endif
