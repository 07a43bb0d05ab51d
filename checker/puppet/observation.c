/* observation.c - see observation.h */
#include "observation.h"

#include "base.h"
#include "connections.h"
#include "status.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Of the sanitizers' runtime, where the build has one (sanitizer/lsan_interface.h). */
/* NOLINTBEGIN(readability-identifier-naming) */
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);
/* NOLINTEND(readability-identifier-naming) */

/* A connection's file; it has that open once, and what is beside it as it likes. */
struct own {
    const char *path; /* or NULL */
    bool is_lent;     /* it was open before the call */
};

static struct own own_of(sqlite3 *con, bool is_lent)
{
    return (struct own){ con ? sqlite3_db_filename(con, "main") : NULL, is_lent };
}

/*
 * What a connection keeps of its own accord does not count: its file once, the log and the like
 * beside it.  A file that a closed connection had may stay open as long as another has it, too.
 */
static bool is_of_a_store(const char *target, struct own own, int *times_own)
{
    int opened;

    if (own.path && *own.path && strcmp(target, own.path) == 0)
        return !own.is_lent &&
               (++*times_own == 1 || (connections_have(target, &opened) && opened > 0));
    if (own.path && *own.path && strncmp(target, own.path, strlen(own.path)) == 0 &&
        target[strlen(own.path)] == '-')
        return true;
    return connections_have(target, &opened) || strstr(target, "etilqs_");
}

/* Read by getdents64(3) itself: opendir(3) would take 32 KiB of the heap each time. */
static char *list_descriptors(struct own own)
{
    int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    union {
        struct dirent64 first;
        char bytes[2048];
    } entries;
    struct text list = { 0 };
    int times_own = 0;
    ssize_t got;

    text_add(&list, "%s", "");
    while (directory >= 0 && (got = getdents64(directory, &entries, sizeof entries)) > 0) {
        const struct dirent64 *entry;

        for (ssize_t at = 0; at < got; at += entry->d_reclen) {
            char target[4096] = "";
            int fd;

            entry = (const struct dirent64 *)(const void *)(entries.bytes + at);
            fd = (int)strtol(entry->d_name, NULL, 10);
            if (entry->d_name[0] != '.' && fd != directory &&
                readlinkat(directory, entry->d_name, target, sizeof target - 1) >= 0 &&
                !is_of_a_store(target, own, &times_own))
                text_add(&list, "%d %s\n", fd, target);
        }
    }
    if (directory >= 0)
        close(directory);
    return list.data;
}

static int compare_variables(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Sorted: their order is no part of the environment. */
static char *list_environment(void)
{
    struct text list = { 0 };
    auto_free char **sorted = NULL;
    size_t count = 0;

    while (environ && environ[count])
        count++;
    sorted = xmalloc((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = environ[i];
    qsort(sorted, count, sizeof *sorted, compare_variables);
    text_add(&list, "%s", "");
    for (size_t i = 0; i < count; i++)
        text_add(&list, "%s\n", sorted[i]);
    return list.data;
}

static struct observation take(struct own own)
{
    auto_free char *directory = getcwd(NULL, 0);
    struct status status = status_read();

    return (struct observation){
        .borrowed = borrow_counts(),
        .descriptors = list_descriptors(own),
        .environment = list_environment(),
        .directory = xprintf("%s\n", directory ? directory : "none"),
        .locale = xprintf("%s, of this thread %jx\n", setlocale(LC_ALL, NULL),
                          (uintmax_t)(uintptr_t)uselocale((locale_t)0)),
        .signals = status_signals(status),
        .threads = status.threads,
    };
}

struct observation observation_take(sqlite3 *con)
{
    return take(own_of(con, true));
}

void observation_add(cJSON *breaches, const char *clause, const char *expected, const char *got)
{
    cJSON *breach = cJSON_CreateArray();

    cJSON_AddItemToArray(breach, cJSON_CreateString(clause));
    cJSON_AddItemToArray(breach, cJSON_CreateString(expected));
    cJSON_AddItemToArray(breach, cJSON_CreateString(got));
    cJSON_AddItemToArray(breaches, breach);
}

/* The first line of now that before has not, or the other way round; the caller frees it. */
static char *first_difference(const char *before, const char *now)
{
    for (int turn = 0; turn < 2; turn++) {
        const char *these = turn ? before : now;
        const char *those = turn ? now : before;

        while (*these) {
            size_t length = strcspn(these, "\n") + 1;
            auto_free char *line = xprintf("\n%.*s", (int)length, these);
            auto_free char *all = xprintf("\n%s", those);

            if (!strstr(all, line))
                return xprintf("%s: %.*s", turn ? "no longer" : "now", (int)length - 1, these);
            these += length;
        }
    }
    return xstrdup("the order changed");
}

static void compare_lists(cJSON *breaches, const char *expected, char *before, char *now)
{
    if (before && now && strcmp(before, now) != 0) {
        auto_free char *got = first_difference(before, now);

        observation_add(breaches, expected[0] == 'd' ? "common.3" : "common.5", expected, got);
    }
    free(before);
    free(now);
}

static void compare_connections(cJSON *breaches, struct borrow_counts before,
                                struct borrow_counts now, bool may_open)
{
    if (now.stolen != before.stolen)
        observation_add(breaches, "common.1", "the connection that was lent stays open",
                        "the call closed it");
    if (!may_open && now.opened != before.opened)
        observation_add(breaches, "common.1", "the call opens no connection", "it opened one");
    if (!may_open && now.closed - before.closed > now.opened - before.opened)
        observation_add(breaches, "common.1", "the call closes no connection", "it closed one");
}

static void look_at_connection(cJSON *breaches, sqlite3 *con)
{
    sqlite3_stmt *statement = sqlite3_next_stmt(con, NULL);

    if (!sqlite3_get_autocommit(con))
        observation_add(breaches, "common.2", "no transaction is open on return",
                        "a transaction is open (sqlite3_get_autocommit is 0)");
    if (statement) {
        auto_free char *got = xprintf("not finalised: %.120s", sqlite3_sql(statement));

        observation_add(breaches, "common.2", "every statement is finalised on return", got);
    } else if (sqlite3_txn_state(con, NULL) != SQLITE_TXN_NONE) {
        observation_add(breaches, "common.2", "no lock is held on return",
                        sqlite3_txn_state(con, NULL) == SQLITE_TXN_READ ? "a read lock is held"
                                                                        : "a write lock is held");
    }
}

static bool has_child(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

cJSON *observation_compare(struct observation *before, sqlite3 *con, bool may_open)
{
    struct observation now = take(own_of(con, !may_open));
    cJSON *breaches = cJSON_CreateArray();

    compare_connections(breaches, before->borrowed, now.borrowed, may_open);
    if (con)
        look_at_connection(breaches, con);
    compare_lists(breaches, "descriptors are closed again", before->descriptors, now.descriptors);
    compare_lists(breaches, "the environment stays as it was", before->environment,
                  now.environment);
    compare_lists(breaches, "the working directory stays as it was", before->directory,
                  now.directory);
    compare_lists(breaches, "the locale stays as it was", before->locale, now.locale);
    compare_lists(breaches, "the handling of signals stays as it was", before->signals,
                  now.signals);
    if (has_child())
        observation_add(breaches, "common.3", "no process that the call began is left",
                        "one is left, which still runs or was never waited for");
    if (now.threads > before->threads)
        observation_add(breaches, "common.3", "no thread goes on after the call",
                        "a thread goes on");
    *before = (struct observation){ 0 };
    return breaches;
}

static void describe(struct text *text, const cJSON *value)
{
    for (; value; value = value->next) {
        text_add(text, "%p type %d number %.17g %d name %p %s text %p %s\n", (const void *)value,
                 value->type, value->valuedouble, value->valueint, (void *)value->string,
                 value->string ? value->string : "", (void *)value->valuestring,
                 value->valuestring ? value->valuestring : "");
        if (value->child)
            describe(text, value->child);
        text_add(text, "end\n");
    }
}

char *observation_of_json(const cJSON *value)
{
    struct text text = { 0 };

    text_add(&text, "%s", "");
    describe(&text, value);
    return text.data;
}

size_t observation_heap_bytes(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

bool observation_sees_addresses(void)
{
    return __sanitizer_get_current_allocated_bytes != NULL;
}

bool observation_has_leak(void)
{
    return __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check() != 0;
}
