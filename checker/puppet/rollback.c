/* rollback.c - see rollback.h */
#include "rollback.h"

#include "next.h"

#include <sqlite3.h>
#include <string.h>
#include <strings.h>

static bool is_under_way;

bool rollback_is_under_way(void)
{
    return is_under_way;
}

/* Notes what the text does; says what was noted before. */
static bool begin(const char *sql)
{
    static const char word[] = "ROLLBACK";
    bool before = is_under_way;

    is_under_way = sql && strncasecmp(sql + strspn(sql, " \t\r\n\f;"), word, sizeof word - 1) == 0;
    return before;
}

static int end(bool before, int code)
{
    is_under_way = before;
    return code;
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-function-size): SQLite's */
EXPORTED int sqlite3_exec(sqlite3 *con, const char *sql,
                          int (*callback)(void *, int, char **, char **), void *context,
                          char **message)
{
    bool before = begin(sql);

    return end(before, NEXT(sqlite3_exec)(con, sql, callback, context, message));
}

EXPORTED int sqlite3_prepare(sqlite3 *con, const char *sql, int bytes, sqlite3_stmt **statement,
                             const char **rest)
{
    bool before = begin(sql);

    return end(before, NEXT(sqlite3_prepare)(con, sql, bytes, statement, rest));
}

EXPORTED int sqlite3_prepare_v2(sqlite3 *con, const char *sql, int bytes, sqlite3_stmt **statement,
                                const char **rest)
{
    bool before = begin(sql);

    return end(before, NEXT(sqlite3_prepare_v2)(con, sql, bytes, statement, rest));
}

EXPORTED int sqlite3_prepare_v3(sqlite3 *con, const char *sql, int bytes, unsigned flags,
                                sqlite3_stmt **statement, const char **rest)
{
    bool before = begin(sql);

    return end(before, NEXT(sqlite3_prepare_v3)(con, sql, bytes, flags, statement, rest));
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-function-size) */
