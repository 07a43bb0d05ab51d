/* home.c - see home.h */
#include "home.h"

#include "base.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The directory of the running program, without a slash at the end. */
static char *own_directory(void)
{
    char path[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash;

    if (bytes <= 0)
        die("cannot find out where the checker lies: is /proc mounted?");
    path[bytes] = '\0';
    slash = strrchr(path, '/');
    *slash = '\0';
    return xstrdup(path);
}

char *home_program(const char *name)
{
    auto_free char *own = own_directory();
    auto_free char *near = xprintf("%s/hand", own);
    const char *sub = access(near, F_OK) == 0 ? "" : "/../lib/workbook";

    return xprintf("%s%s/%s", own, sub, name);
}

static char *shared(const char *folder, const char *name)
{
    auto_free char *own = own_directory();
    auto_free char *near = xprintf("%s/../steps", own);
    const char *sub = access(near, F_OK) == 0 ? ".." : "../share/workbook";

    return xprintf("%s/%s/%s%s%s", own, sub, folder, *name ? "/" : "", name);
}

char *home_steps(const char *name)
{
    return shared("steps", name);
}

char *home_fixtures(const char *name)
{
    return shared("fixtures", name);
}
