/* starve.c - see starve.h */
#include "starve.h"

#include "base.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STAT_BYTES 1024

struct use {
    char state;
    int session;
    int64_t ticks; /* of its own and of its dead children, in clock ticks */
};

/* The name of a program may hold anything, a parenthesis too: what counts is behind the last. */
static bool read_use(const char *pid, struct use *use)
{
    auto_free char *path = xprintf("/proc/%s/stat", pid);
    char line[STAT_BYTES];
    FILE *file = fopen(path, "re");
    size_t bytes = file ? fread(line, 1, sizeof line - 1, file) : 0;
    const char *rest;
    long long user, system, children_user, children_system;

    if (file)
        fclose(file);
    line[bytes] = '\0';
    rest = strrchr(line, ')');
    if (!rest)
        return false;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
    if (sscanf(rest, ") %c %*d %*d %d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld", &use->state,
               &use->session, &user, &system, &children_user, &children_system) != 6)
        return false;
    use->ticks = user + system + children_user + children_system;
    return true;
}

bool session_starves(pid_t session, int64_t wall_ms)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    bool wants = false;
    int64_t ticks = 0;
    struct use use;

    while (processes && (entry = readdir(processes))) {
        if (!isdigit((unsigned char)entry->d_name[0]) || !read_use(entry->d_name, &use) ||
            use.session != session)
            continue;
        wants = wants || use.state == 'R' || use.state == 'D';
        ticks += use.ticks;
    }
    if (processes)
        closedir(processes);
    return wants && ticks * 1000 / sysconf(_SC_CLK_TCK) < wall_ms / 2;
}
