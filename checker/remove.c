/* remove.c - see remove.h */
#include "remove.h"

#include "base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS    5
#define DEPTH_MAX 16

static struct {
    int fd;         /* of the tree that is removed */
    unsigned count; /* of directories that lay too deep and are its own entries now */
} raised;

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int open_directory(int base_fd, const char *name)
{
    int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    /* O_PATH needs no permission on the directory itself and follows no link. */
    if (fd == -1 && errno == EACCES) {
        auto_close int path_fd =
            openat(base_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        auto_free char *path = xprintf("/proc/self/fd/%d", path_fd);

        if (path_fd != -1 && chmod(path, 0700) == 0)
            fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    return fd;
}

/* However deep a directory lies, it goes with few open files: what is deeper is removed later. */
static bool raise_directory(int fd, const char *name)
{
    auto_free char *path = xprintf("raised-%u", raised.count + 1);

    fchmodat(fd, name, 0700, 0);
    if (renameat(fd, name, raised.fd, path) != 0 && errno != ENOTEMPTY && errno != EEXIST)
        return false;
    raised.count++;
    return true;
}

static bool empty_directory(int fd, const char *spared, int depth);

static bool remove_entry(int fd, const char *name, int depth)
{
    int below;
    bool gone;

    if (unlinkat(fd, name, 0) == 0 || errno == ENOENT)
        return true;
    if (unlinkat(fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
        return true;
    if (depth == DEPTH_MAX && (errno == ENOTEMPTY || errno == EEXIST))
        return raise_directory(fd, name);
    below = open_directory(fd, name);
    if (below == -1)
        return false;
    gone = empty_directory(below, NULL, depth + 1);
    close(below);
    return unlinkat(fd, name, AT_REMOVEDIR) == 0 && gone;
}

static bool empty_directory(int fd, const char *spared, int depth)
{
    DIR *entries;
    const struct dirent *entry;
    bool gone = true;
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (again == -1 || !(entries = fdopendir(again)))
        return false;
    fchmod(fd, 0700);
    while ((entry = readdir(entries))) {
        if (is_dots(entry->d_name) || (spared && strcmp(entry->d_name, spared) == 0))
            continue;
        gone = remove_entry(fd, entry->d_name, depth) && gone;
    }
    closedir(entries);
    return gone;
}

bool remove_tree(int base_fd, const char *name, const char *last)
{
    auto_close int fd = open_directory(base_fd, name);

    if (fd == -1)
        return errno == ENOENT;
    raised.fd = fd;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned before = raised.count;
        bool empty = empty_directory(fd, last, 0);

        if (raised.count != before)
            round = -1;
        else if (empty)
            break;
    }
    if (last)
        unlinkat(fd, last, 0);
    return unlinkat(base_fd, name, AT_REMOVEDIR) == 0;
}

/* What Criterion names by the process that made it. */
static pid_t pid_in(const char *name)
{
    const char *const prefixes[] = { "bxf_arena_", "bxfi_", "criterion_" };

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return (pid_t)strtol(name + strlen(prefixes[i]), NULL, 10);
    return 0;
}

/* A zombie that nobody has waited for yet is dead too. */
static bool is_dead(pid_t pid)
{
    auto_free char *path = xprintf("/proc/%d/stat", (int)pid);
    FILE *stat = fopen(path, "re");
    char line[512] = "";
    const char *state;

    if (!stat)
        return kill(pid, 0) != 0 && errno == ESRCH;
    if (!fgets(line, sizeof line, stat))
        line[0] = '\0';
    fclose(stat);
    state = strrchr(line, ')');
    return state && state[1] && (state[2] == 'Z' || state[2] == 'X');
}

static void remove_of_dead(const char *directory, time_t since)
{
    DIR *entries = opendir(directory);
    const struct dirent *entry;
    struct stat status;

    while (entries && (entry = readdir(entries))) {
        pid_t pid = pid_in(entry->d_name);

        if (pid <= 0 || !is_dead(pid))
            continue;
        if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            status.st_uid == geteuid() && status.st_ctime >= since)
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries)
        closedir(entries);
}

void remove_traces(time_t since)
{
    remove_of_dead("/dev/shm", since);
    remove_of_dead("/tmp", since);
}
