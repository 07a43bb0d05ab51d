/* commands.c - see commands.h */
#include "commands.h"

#include "base.h"
#include "borrow.h"
#include "connections.h"
#include "heap.h"
#include "observation.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *object; /* the learner's, once loaded */

const char *order_text(const cJSON *order, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(order, name));
}

int order_number(const cJSON *order, const char *name, int fallback)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(order, name);

    return cJSON_IsNumber(number) ? number->valueint : fallback;
}

sqlite3 *order_connection(const cJSON *order)
{
    sqlite3 *con = connections_find(order_text(order, "on"));

    if (!con)
        die("no connection of that name is open in the puppet");
    return con;
}

void commands_keep(const cJSON *order, sqlite3 *con)
{
    connections_keep(order_text(order, "as"), con, false);
}

void *commands_function(const char *name, cJSON *answer)
{
    void *function = object ? dlsym(object, name) : NULL;

    if (!function)
        cJSON_AddStringToObject(answer, "missing", name);
    return function;
}

static void play_load(const cJSON *order, cJSON *answer)
{
    object = dlopen(order_text(order, "object"), RTLD_NOW | RTLD_LOCAL);
    if (!object)
        cJSON_AddStringToObject(answer, "refused", dlerror());
}

/* Without lookaside every allocation of SQLite is one that the sanitizer sees. */
static void play_open(const cJSON *order, cJSON *answer)
{
    sqlite3 *con = NULL;
    int code =
        borrow_open(order_text(order, "path"), &con, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);

    if (code == SQLITE_OK)
        code = sqlite3_db_config(con, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(con, order_number(order, "timeout", 0));
    if (code != SQLITE_OK) {
        cJSON_AddStringToObject(answer, "refused", sqlite3_errstr(code));
        borrow_close(con);
        return;
    }
    connections_keep(order_text(order, "as"), con, true);
    cJSON_AddNumberToObject(answer, "code", code);
}

static void play_close(const cJSON *order, cJSON *answer)
{
    order_connection(order);
    cJSON_AddNumberToObject(answer, "code", connections_close(order_text(order, "on")));
}

static int add_row(void *rows, int columns, char **values, char **names)
{
    cJSON *row = cJSON_CreateArray();

    (void)names;
    for (int i = 0; i < columns; i++)
        cJSON_AddItemToArray(row, cJSON_CreateString(values[i] ? values[i] : "NULL"));
    cJSON_AddItemToArray(rows, row);
    return 0;
}

/* What our own SQL sets is no change that learner code made. */
static bool sets(const char *sql)
{
    return (strstr(sql, "PRAGMA") && strchr(sql, '=')) || strstr(sql, "ATTACH") ||
           strstr(sql, "TEMP");
}

/* "patience": so many ms in which a COMMIT that is refused with SQLITE_BUSY is tried again. */
static void play_sql(const cJSON *order, cJSON *answer)
{
    cJSON *rows = cJSON_AddArrayToObject(answer, "rows");
    sqlite3 *con = order_connection(order);
    const char *sql = order_text(order, "sql");
    int64_t end_ms = clock_ms() + order_number(order, "patience", 0);
    int code = sqlite3_exec(con, sql, add_row, rows, NULL);

    if (sets(sql))
        connections_excuse(order_text(order, "on"));
    while (code == SQLITE_BUSY && clock_ms() < end_ms && !sqlite3_get_autocommit(con) &&
           strstr(sql, "COMMIT")) {
        poll(NULL, 0, 5);
        code = sqlite3_exec(con, "COMMIT", NULL, NULL, NULL);
    }
    cJSON_AddNumberToObject(answer, "code", code == SQLITE_OK ? 0 : sqlite3_extended_errcode(con));
    cJSON_AddNumberToObject(answer, "autocommit", sqlite3_get_autocommit(con));
}

static int refuse_commit(void *unused)
{
    (void)unused;
    return 1;
}

static void play_veto(const cJSON *order, cJSON *answer)
{
    (void)answer;
    sqlite3_commit_hook(order_connection(order), refuse_commit, NULL);
}

static void play_extended(const cJSON *order, cJSON *answer)
{
    (void)answer;
    connections_extend(order_text(order, "on"));
}

#define NAP_MS 5

static struct {
    int naps; /* one after the other, before it gives up */
    int gave_up;
} patience;

static int nap(void *unused, int times)
{
    (void)unused;
    if (times >= patience.naps) {
        patience.gave_up++;
        return 0;
    }
    poll(NULL, 0, NAP_MS);
    return 1;
}

/* "naps": the connection waits by a busy handler from now on; without it only the answer. */
static void play_patience(const cJSON *order, cJSON *answer)
{
    int naps = order_number(order, "naps", -1);

    cJSON_AddNumberToObject(answer, "gave_up", patience.gave_up);
    if (naps < 0)
        return;
    patience.naps = naps;
    patience.gave_up = 0;
    sqlite3_busy_handler(order_connection(order), nap, NULL);
}

static void play_environment(const cJSON *order, cJSON *answer)
{
    (void)answer;
    if (setenv(order_text(order, "name"), order_text(order, "value"), 1) != 0)
        die("setenv: %s", strerror(errno));
}

/* SIGPIPE is not as a process begins: ignored, or blocked. */
static void play_pipe_signal(const cJSON *order, cJSON *answer)
{
    const char *how = order_text(order, "how");
    sigset_t pipe;

    (void)answer;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (strcmp(how, "ignored") == 0)
        signal(SIGPIPE, SIG_IGN);
    else
        sigprocmask(SIG_BLOCK, &pipe, NULL);
}

/* The end: what is left is judged when nothing is in use any more. */
static void play_end(const cJSON *order, cJSON *answer)
{
    cJSON *breaches = cJSON_AddArrayToObject(answer, "breaches");

    (void)order;
    connections_judge(breaches);
    heap_judge(breaches);
    cJSON_AddBoolToObject(answer, "leaks", heap_is_suspect() && observation_has_leak());
}

static const struct puppet_command shared_commands[] = {
    { "load", play_load },
    { "open", play_open },
    { "close", play_close },
    { "sql", play_sql },
    { "veto", play_veto },
    { "extended", play_extended },
    { "patience", play_patience },
    { "environment", play_environment },
    { "pipe_signal", play_pipe_signal },
    { "end", play_end },
    { NULL, NULL },
};

static const struct puppet_command *find(const struct puppet_command *table, const char *name)
{
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

cJSON *commands_obey(const cJSON *order)
{
    const char *name = order_text(order, "do");
    const struct puppet_command *command = name ? find(shared_commands, name) : NULL;
    cJSON *answer = cJSON_CreateObject();

    if (name && !command && part_commands)
        command = find(part_commands, name);
    if (!command)
        die("the puppet does not know the order %s", name ? name : "without a name");
    cJSON_AddStringToObject(answer, "did", name);
    command->play(order, answer);
    return answer;
}
