/* marks.c - see marks.h */
#include "marks.h"

#include "base.h"
#include "expect.h"
#include "stage.h"
#include "store.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WATCHED_MAX 8
#define HEAD_BYTES  100

static const struct mark {
    const char *name;
    size_t offset;
} marks[] = { { "schema version", 40 }, { "user version", 60 }, { "application id", 68 } };

#define MARKS (sizeof marks / sizeof *marks)

struct state {
    bool is_known; /* it is a database without a log */
    uint32_t values[MARKS];
};

static struct watched {
    char *store;
    struct state expected, before;
} watched[WATCHED_MAX];

static int count;

static struct state state_of(const char *store)
{
    auto_free char *path = store_path(store);
    auto_close int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct state state = { .is_known = false };
    unsigned char head[HEAD_BYTES];

    if (fd < 0 || read(fd, head, sizeof head) != (ssize_t)sizeof head || head[18] != 1)
        return state;
    state.is_known = true;
    for (size_t i = 0; i < MARKS; i++)
        for (size_t k = 0; k < 4; k++)
            state.values[i] = state.values[i] << 8 | head[marks[i].offset + k];
    return state;
}

void marks_watch(const char *store)
{
    if (count == WATCHED_MAX)
        return;
    for (int i = 0; i < count; i++)
        if (strcmp(watched[i].store, store) == 0)
            return;
    watched[count].store = xstrdup(store);
    watched[count++].expected = state_of(store);
}

bool marks_may_move(const char *sql)
{
    static const char *const words[] = { "CREATE", "DROP",    "ALTER", "ANALYZE",
                                         "VACUUM", "version", "WAL",   "journal" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(sql, words[i]))
            return true;
    return false;
}

void marks_before(void)
{
    for (int i = 0; i < count; i++)
        watched[i].before = state_of(watched[i].store);
}

void marks_after(void)
{
    for (int i = 0; i < count; i++) {
        struct watched *one = &watched[i];
        struct state now = state_of(one->store);

        one->expected.is_known = one->expected.is_known && one->before.is_known && now.is_known;
        for (size_t k = 0; k < MARKS; k++)
            one->expected.values[k] += now.values[k] - one->before.values[k];
    }
}

/* The first store whose marks are not as expected, in words; NULL where all are. */
static char *difference(void)
{
    for (int i = 0; i < count; i++) {
        const struct watched *one = &watched[i];
        struct state now = state_of(one->store);

        for (size_t k = 0; k < MARKS && now.is_known && one->expected.is_known; k++)
            if (now.values[k] != one->expected.values[k])
                return xprintf("in %s the %s is %u, not %u", one->store, marks[k].name,
                               now.values[k], one->expected.values[k]);
    }
    return NULL;
}

void marks_judge(const char *slug)
{
    const char *clause = part_store_clause ? part_store_clause(slug) : NULL;
    auto_free char *got = clause ? difference() : NULL;

    if (got)
        stage_fail(FINDING_FAIL, clause, "the calls make and change nothing else in the store",
                   got);
}
