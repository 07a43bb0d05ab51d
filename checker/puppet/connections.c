/* connections.c - see connections.h */
#include "connections.h"

#include "base.h"
#include "borrow.h"
#include "observation.h"
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#define CONNECTIONS_MAX 16

static struct connection {
    char name[32];
    sqlite3 *con;
    bool is_lent;
    bool is_extended;     /* it was lent with extended result codes */
    sqlite3_int64 mapped; /* when it was lent */
} connections[CONNECTIONS_MAX];

static char hooked;      /* the context of our own hooks */
static char *difference; /* the first that was seen: "synchronous 0, not 2", or NULL */

static struct connection *find(const char *name)
{
    for (int i = 0; i < CONNECTIONS_MAX; i++)
        if (connections[i].con && name && strcmp(connections[i].name, name) == 0)
            return &connections[i];
    return NULL;
}

static void do_nothing(void *context)
{
    (void)context;
}

static void see_nothing(void *context, int change, const char *database, const char *table,
                        sqlite3_int64 row)
{
    (void)context;
    (void)change;
    (void)database;
    (void)table;
    (void)row;
}

/* A lender may have hooks; true where they were still there. */
static bool set_hooks(sqlite3 *con)
{
    void *update = sqlite3_update_hook(con, see_nothing, &hooked);
    void *rollback = sqlite3_rollback_hook(con, do_nothing, &hooked);

    return update == &hooked && rollback == &hooked;
}

/* mmap_size, which only a file has. */
static sqlite3_int64 mapped_of(sqlite3 *con)
{
    sqlite3_int64 bytes = -1;

    sqlite3_file_control(con, "main", SQLITE_FCNTL_MMAP_SIZE, &bytes);
    return bytes;
}

void connections_keep(const char *name, sqlite3 *con, bool is_lent)
{
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
        if (!connections[i].con) {
            snprintf(connections[i].name, sizeof connections[i].name, "%s", name ? name : "");
            connections[i].con = con;
            connections[i].is_lent = is_lent;
            connections[i].is_extended = false;
            connections[i].mapped = mapped_of(con);
            if (is_lent)
                set_hooks(con);
            return;
        }
    }
    die("too many connections are open in the puppet");
}

sqlite3 *connections_find(const char *name)
{
    const struct connection *connection = find(name);

    return connection ? connection->con : NULL;
}

void connections_excuse(const char *name)
{
    find(name)->is_lent = false;
}

void connections_extend(const char *name)
{
    struct connection *connection = find(name);

    sqlite3_extended_result_codes(connection->con, 1);
    connection->is_extended = true;
}

static void look_at(const struct connection *connection)
{
    if (!connection->is_lent || difference)
        return;
    difference = settings_difference(connection->con, connection->is_extended);
    if (!difference && mapped_of(connection->con) != connection->mapped)
        difference = xprintf("mmap_size is not %lld", (long long)connection->mapped);
    if (!difference && !set_hooks(connection->con))
        difference = xstrdup("a hook of the lender's is gone");
}

int connections_close(const char *name)
{
    struct connection *connection = find(name);
    int code;

    look_at(connection);
    code = borrow_close(connection->con);
    if (code == SQLITE_OK)
        connection->con = NULL;
    return code;
}

static bool is_beside(const char *path, const char *database)
{
    static const char *const behind[] = { "-wal", "-shm", "-journal" };
    size_t length = strlen(database);

    if (!length || strncmp(path, database, length) != 0)
        return false;
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        if (strncmp(path + length, behind[i], strlen(behind[i])) == 0)
            return true;
    return false;
}

bool connections_have(const char *path, int *opened)
{
    bool found = false;

    *opened = 0;
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
        const char *database =
            connections[i].con ? sqlite3_db_filename(connections[i].con, "main") : NULL;

        if (database && strcmp(database, path) == 0)
            ++*opened;
        found = found || (database && is_beside(path, database));
    }
    return found || *opened > 0;
}

void connections_judge(cJSON *breaches)
{
    for (int i = 0; i < CONNECTIONS_MAX; i++)
        if (connections[i].con)
            look_at(&connections[i]);
    if (difference)
        observation_add(breaches, "common.5", "the connection is set as it was when it was lent",
                        difference);
}
