/* 10_open_side.h - what the suites of step 10 share: a call by a store's name, and looks at files */
#ifndef SUITE_OPEN_SIDE_H
#define SUITE_OPEN_SIDE_H

#include "base.h"
#include "ordered_calls.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The connection is named as the store. */
static inline struct answer open_named(struct puppet *worker, const char *store, const char *role,
                                       const struct how *how)
{
    auto_free char *path = store_path(store);

    return call_open_side(worker, path, role, store, how);
}

static inline void expect_opened(struct puppet *worker, const char *store, const char *role)
{
    expect_outcome(open_named(worker, store, role, NULL), outcome_value(1));
}

static inline bool is_there(const char *store)
{
    auto_free char *path = store_path(store);
    struct stat status;

    return lstat(path, &status) == 0;
}

/* "table flow\n" for each table, view and trigger, by name; "" for no file or an empty one. */
static inline char *things_in(const char *store)
{
    auto_free char *path = store_path(store);
    struct stat status;

    if (lstat(path, &status) != 0 || (S_ISREG(status.st_mode) && status.st_size == 0))
        return xstrdup("");
    return store_rows(store, "SELECT type || ' ' || lower(name) FROM sqlite_schema"
                             " WHERE type <> 'index' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                             " ORDER BY lower(name)");
}

#define PRODUCER_THINGS "table flow\ntable outbox\n"
#define CONSUMER_THINGS "table effect\ntable inbox\ntable projection\n"

#endif
