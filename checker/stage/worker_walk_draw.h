/* worker_walk_draw.h - a walk as it is drawn, before it is played */
#ifndef WORKER_WALK_DRAW_H
#define WORKER_WALK_DRAW_H

#include "worker_walk_play.h"

struct plan {
    enum walk_function function;
    struct setting setting;
    struct event pool[POOL];
    struct move moves[MOVES];
    int count;
};

/* From the seed of the check: 10 to 40 moves, or 20 where somebody waits. */
struct plan walk_draw(enum walk_function function, bool is_long);

#endif
