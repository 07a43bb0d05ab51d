/*
 * worker.c - your file: an order that is saved must reach the warehouse, once,
 * whatever dies on the way.
 *
 * Each function has a page, named beside it; worker.h says what it must do, sentence by
 * sentence.  Write them in this order: the later ones call the earlier ones.
 */
#include "worker.h"

#include <curl/curl.h>

/* Step 1, see 01-validate.md: is this JSON value an event? */
struct outcome validate_event(const cJSON *event, cJSON **copy)
{
    (void)event;
    *copy = NULL;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 2, see 02-open_store.md: open one side's store and make what is missing in it. */
struct outcome open_store(const char *path, const char *role, sqlite3 **con)
{
    (void)path;
    (void)role;
    *con = NULL;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 3, see 03-enqueue.md: record the order and the intent to send it, together. */
struct outcome enqueue(sqlite3 *con, const cJSON *event, const struct fault *fault)
{
    (void)con;
    (void)event;
    (void)fault;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 4, see 04-pending.md: read the next events to send, in the order they came. */
struct outcome pending(sqlite3 *con, int limit, cJSON **events)
{
    (void)con;
    (void)limit;
    *events = NULL;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 5, see 05-receive.md: let a delivered event take effect once. */
struct outcome receive(sqlite3 *con, const cJSON *event, const struct fault *fault)
{
    (void)con;
    (void)event;
    (void)fault;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 6, see 06-mark_sent.md: note that one event was acknowledged. */
struct outcome mark_sent(sqlite3 *con, const cJSON *event)
{
    (void)con;
    (void)event;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 7, see 07-dispatch.md: send what is pending and mark what was acknowledged. */
struct outcome dispatch(sqlite3 *con, const struct sender *sender, int limit,
                        const struct fault *fault)
{
    (void)con;
    (void)sender;
    (void)limit;
    (void)fault;
    return outcome_of(OUTCOME_TODO, 0);
}

/* Step 8, see 08-send_http.md: deliver one event and believe only a full answer. */
struct outcome send_http(const char *url, const cJSON *event, double timeout)
{
    (void)url;
    (void)event;
    (void)timeout;
    return outcome_of(OUTCOME_TODO, 0);
}
