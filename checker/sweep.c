/* sweep.c - see sweep.h */
#include "sweep.h"

#include "base.h"
#include "child.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS   4000
#define ROUND_MS      50
#define BELOW_MAX     4096
#define ENVIRON_BYTES ((size_t)256 * 1024)

struct below {
    pid_t pids[BELOW_MAX];
    size_t count;
};

/* Adds the children that one thread has, as the kernel lists them. */
static void add_children_of_thread(struct below *below, pid_t pid, const char *thread)
{
    auto_free char *path = xprintf("/proc/%d/task/%s/children", (int)pid, thread);
    FILE *file = fopen(path, "re");
    int child;

    /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
    while (file && below->count < BELOW_MAX && fscanf(file, "%d", &child) == 1)
        below->pids[below->count++] = child;
    if (file)
        fclose(file);
}

static void add_children(struct below *below, pid_t pid)
{
    auto_free char *path = xprintf("/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    const struct dirent *entry;

    while (threads && (entry = readdir(threads)))
        if (isdigit((unsigned char)entry->d_name[0]))
            add_children_of_thread(below, pid, entry->d_name);
    if (threads)
        closedir(threads);
}

static void kill_all_below(struct below *below)
{
    below->count = 0;
    add_children(below, getpid());
    for (size_t i = 0; i < below->count; i++)
        add_children(below, below->pids[i]);
    for (size_t i = 0; i < below->count; i++)
        kill(below->pids[i], SIGKILL);
}

/* True where there is no child any more. */
static bool reap_dead(void)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        child_bury(pid, status);
    return pid < 0 && errno == ECHILD;
}

static void wait_for_death(pid_t pid, int timeout_ms)
{
    struct pollfd polled = { pidfd_open(pid, 0), POLLIN, 0 };

    poll(&polled, 1, timeout_ms);
    base_close(&polled.fd);
}

bool sweep_children(void)
{
    struct below *below = xmalloc(sizeof *below);
    int64_t deadline_ms = clock_ms() + PATIENCE_MS;
    bool empty;

    while (!(empty = reap_dead()) && clock_ms() < deadline_ms) {
        kill_all_below(below);
        if (!reap_dead())
            wait_for_death(below->count ? below->pids[0] : 0, ROUND_MS);
    }
    free(below);
    return empty;
}

static bool works_in(const char *pid, const char *place)
{
    auto_free char *path = xprintf("/proc/%s/cwd", pid);
    char target[4096];
    ssize_t bytes = readlink(path, target, sizeof target - 1);
    size_t length = strlen(place);

    if (bytes < (ssize_t)length)
        return false;
    target[bytes] = '\0';
    return strncmp(target, place, length) == 0 &&
           (target[length] == '\0' || target[length] == '/' || target[length] == ' ');
}

static bool names_place(const char *pid, const char *place)
{
    auto_free char *path = xprintf("/proc/%s/environ", pid);
    auto_free char *wanted = xprintf("WORKBOOK_PLACE=%s", place);
    auto_free char *environment = xmalloc(ENVIRON_BYTES + 1);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t bytes = 0;
    ssize_t got;

    while (fd != -1 && bytes < ENVIRON_BYTES &&
           (got = read(fd, environment + bytes, ENVIRON_BYTES - bytes)) > 0)
        bytes += (size_t)got;
    for (size_t at = 0; at < bytes; at += strlen(environment + at) + 1)
        if (strcmp(environment + at, wanted) == 0)
            return true;
    return false;
}

static bool is_ours(const char *pid)
{
    auto_free char *path = xprintf("/proc/%s", pid);
    struct stat status;

    return stat(path, &status) == 0 && status.st_uid == geteuid() &&
           strtol(pid, NULL, 10) != getpid();
}

static size_t kill_leftovers_once(const char *place)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    size_t killed = 0;

    while (processes && (entry = readdir(processes))) {
        const char *pid = entry->d_name;

        if (!isdigit((unsigned char)pid[0]) || !is_ours(pid))
            continue;
        if (!names_place(pid, place) && !works_in(pid, place))
            continue;
        if (kill((pid_t)strtol(pid, NULL, 10), SIGKILL) == 0)
            killed++;
        wait_for_death((pid_t)strtol(pid, NULL, 10), ROUND_MS);
    }
    if (processes)
        closedir(processes);
    return killed;
}

void sweep_leftovers(const char *place)
{
    int64_t deadline_ms = clock_ms() + PATIENCE_MS;

    while (kill_leftovers_once(place) && clock_ms() < deadline_ms)
        ;
}
