/*
 * ordered.c - your file: the events of one flow take effect in order, once, although they
 * arrive in any order, more than once, and either side may die.
 *
 * Each function has a page, named beside it; ordered.h says what it must do, sentence by
 * sentence.  Write them in this order: the later ones call the earlier ones.
 */
#include "ordered.h"

/* Step 9, see 09-validate_envelope.md: could this event be kept at all? */
struct outcome validate_envelope(const struct envelope *event)
{
    (void)event;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 10, see 10-open_side.md: open one side's file and make what is missing in it. */
struct outcome open_side(const char *path, const char *role, sqlite3 **con)
{
    (void)path;
    (void)role;
    *con = NULL;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 11, see 11-advance.md: move a flow and write its event, together. */
struct outcome advance(sqlite3 *con, const struct command *command, const struct fault *fault)
{
    (void)con;
    (void)command;
    (void)fault;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 12, see 12-receive_event.md: take an event into custody, in whatever order it comes. */
struct outcome receive_event(sqlite3 *con, const struct envelope *event, const struct fault *fault)
{
    (void)con;
    (void)event;
    (void)fault;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 13, see 13-relay.md: hand one event over and note that it was taken. */
struct outcome relay(sqlite3 *con, const char *event_id, const struct receiver *receiver,
                     const struct fault *fault)
{
    (void)con;
    (void)event_id;
    (void)receiver;
    (void)fault;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 14, see 14-apply_next.md: apply the one event whose turn it is. */
struct outcome apply_next(sqlite3 *con, const char *flow_id, bool support_v2,
                          const struct fault *fault)
{
    (void)con;
    (void)flow_id;
    (void)support_v2;
    (void)fault;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 15, see 15-drain.md: apply of one flow what can be applied, within bounds ... */
struct outcome drain(sqlite3 *con, const char *flow_id, int limit, bool support_v2,
                     const struct fault *fault, int *applied)
{
    (void)con;
    (void)flow_id;
    (void)limit;
    (void)support_v2;
    (void)fault;
    *applied = 0;
    return outcome_of(OUTCOME_TODO, 0);
}

/* ... and the same of every flow. */
struct outcome process_all(sqlite3 *con, int limit, bool support_v2, cJSON **report)
{
    (void)con;
    (void)limit;
    (void)support_v2;
    *report = NULL;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 16, see 16-snapshot.md: one side's state, as of one moment. */
struct outcome snapshot(sqlite3 *con, const char *role, const struct fault *fault, cJSON **tables)
{
    (void)con;
    (void)role;
    (void)fault;
    *tables = NULL;
    return outcome_of(OUTCOME_TODO, 0);
}
