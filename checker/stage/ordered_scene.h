/*
 * ordered_scene.h - two sides in processes of their own, and calls that are noted with their receipts
 *
 * Both stores are opened by the learner's open_side.  A relay hands over to the consumer's process,
 * whose step is noted first, since it comes back first.  A process that was killed is followed by
 * the next one of its side, which knows nothing but the store.
 */
#ifndef ORDERED_SCENE_H
#define ORDERED_SCENE_H

#include "ordered_calls.h"
#include "scene.h"

struct sides {
    struct puppet *producer, *consumer;
    int producers, consumers;         /* so many processes each side has had             */
    const char *kill_in, *kill_at;    /* the function and the point of the next kill     */
    const char *masked, *masked_name; /* an event_id that chance gave, and what it is called */
};

/* Two new stores, and a process at each. */
struct sides sides_open(void);

/* The next call of that function dies at that point, by SIGKILL. */
void sides_kill(struct sides *sides, const char *function, const char *point);

/* The flow's next move, and the event that comes of it: quantity 7, schema 1. */
struct command sides_move(const char *event_id, const char *flow_id, int64_t expected_seq);
struct envelope sides_event(const char *event_id, const char *flow_id, int64_t seq);

/* One call each. */
void sides_advance(struct sides *sides, const struct command *command);
struct answer sides_receive(struct sides *sides, const struct envelope *event);
void sides_relay(struct sides *sides, const char *event_id);
void sides_apply(struct sides *sides, const char *flow_id, bool support_v2);
void sides_drain(struct sides *sides, const char *flow_id, int limit);
void sides_process_all(struct sides *sides, int limit);

/* So many processes advance the flow from its beginning at once, each by an event_id of its own. */
void sides_race(struct sides *sides, const char *flow_id, const char *const *event_ids, int count);

/* A process of ours writes the producer's tables by itself; then it is killed. */
void sides_write_and_die(const char *sql, const char *does);

/* The event_id, or what it is called where chance gave it. */
const char *sides_name(const struct sides *sides, const char *event_id);

/* All rows of both sides, as a step in the middle and as the end of the scenario. */
void sides_look(const struct sides *sides);
void sides_end(const struct sides *sides);

#endif
