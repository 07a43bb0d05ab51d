/* borrow.c - see borrow.h */
#include "borrow.h"

#include "next.h"

static struct borrow_counts counts;
static sqlite3 *lent;

/* A connection that does not come to be SQLite closes by itself, by our sqlite3_close. */
static bool opening;

static int count_open(int code, sqlite3 *const *con)
{
    opening = false;
    if (con && *con)
        counts.opened++;
    return code;
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): SQLite shouts some of them */
EXPORTED int sqlite3_open(const char *path, sqlite3 **con)
{
    opening = true;
    return count_open(NEXT(sqlite3_open)(path, con), con);
}

EXPORTED int sqlite3_open16(const void *path, sqlite3 **con)
{
    opening = true;
    return count_open(NEXT(sqlite3_open16)(path, con), con);
}

EXPORTED int sqlite3_open_v2(const char *path, sqlite3 **con, int flags, const char *vfs)
{
    opening = true;
    return count_open(NEXT(sqlite3_open_v2)(path, con, flags, vfs), con);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

static bool is_stolen(const sqlite3 *con)
{
    if (con && con == lent) {
        counts.stolen++;
        return true;
    }
    return false;
}

static int count_close(int code, const sqlite3 *con)
{
    if (con && code == SQLITE_OK && !opening)
        counts.closed++;
    return code;
}

EXPORTED int sqlite3_close(sqlite3 *con)
{
    return is_stolen(con) ? SQLITE_OK : count_close(NEXT(sqlite3_close)(con), con);
}

EXPORTED int sqlite3_close_v2(sqlite3 *con)
{
    return is_stolen(con) ? SQLITE_OK : count_close(NEXT(sqlite3_close_v2)(con), con);
}

struct borrow_counts borrow_counts(void)
{
    return counts;
}

void borrow_lend(sqlite3 *con)
{
    lent = con;
}

int borrow_open(const char *path, sqlite3 **con, int flags)
{
    return NEXT(sqlite3_open_v2)(path, con, flags, NULL);
}

int borrow_close(sqlite3 *con)
{
    return NEXT(sqlite3_close)(con);
}
