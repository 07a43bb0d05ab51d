/* place.c - see place.h */
#include "place.h"

#include "base.h"
#include "remove.h"
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define LOCK         "lock"
#define GRACE_S      10 /* how long a directory may be without its lock while it is made */
#define PROBE_BYTES  ((size_t)256 * 1024)
#define ROOM_BYTES   ((size_t)4 * 1024 * 1024)
#define MEMORY       "/dev/shm"          /* a file system in memory (shm_overview(7)) */
#define MEMORY_BYTES ((size_t)512 << 20) /* a worker that fills a file must not fill it up */
#define BASE_MAX     180 /* bytes: SQLite takes paths of 512, of which a check needs 300 */
#define FREE_BYTES   ((size_t)16 * 1024 * 1024)

static struct {
    char *base, *path; /* path is NULL where there is no place */
    const char *name;
    time_t made;
    int lock_fd;
    time_t oldest; /* of the stale ones that were removed; what was dying then is dead now */
} place = { .lock_fd = -1 };

/* Where nothing may be executed (noexec) no object can be loaded from either. */
static bool is_usable(const char *base)
{
    struct stat status;
    struct statvfs mounted;

    return base && base[0] == '/' && stat(base, &status) == 0 && S_ISDIR(status.st_mode) &&
           access(base, W_OK | X_OK) == 0 && statvfs(base, &mounted) == 0 &&
           !(mounted.f_flag & ST_NOEXEC);
}

/* workbook-<uid>- is what all directories of this user start with. */
static char *prefix(void)
{
    return xprintf("workbook-%u-", (unsigned)geteuid());
}

/* The lock of a directory that nobody holds, taken; -1 where it is alive or not ours. */
static int take_stale_lock(int directory_fd, const char *name, time_t *made)
{
    auto_free char *start = prefix();
    struct stat directory, lock;
    int fd;

    if (fstat(directory_fd, &directory) != 0 || directory.st_uid != geteuid())
        return -1;
    fd = openat(directory_fd, LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd == -1 && errno == ENOENT &&
        kill((pid_t)strtol(name + strlen(start), NULL, 10), 0) != 0 &&
        directory.st_mtime + GRACE_S < time(NULL))
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd == -1 || fstat(fd, &lock) != 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
        base_close(&fd);
        return -1;
    }
    *made = lock.st_mtime;
    return fd;
}

static void remove_if_stale(int base_fd, const char *name)
{
    auto_close int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    auto_free char *path = xprintf("%s/%s", place.base, name);
    time_t made = time(NULL);
    int lock_fd;

    if (fd == -1)
        return;
    lock_fd = take_stale_lock(fd, name, &made);
    if (lock_fd == -1)
        return;
    sweep_leftovers(path);
    remove_tree(base_fd, name, LOCK);
    remove_traces(made);
    if (!place.oldest || made < place.oldest)
        place.oldest = made;
    close(lock_fd);
}

static void remove_stale(void)
{
    auto_free char *start = prefix();
    DIR *entries = opendir(place.base);
    const struct dirent *entry;

    while (entries && (entry = readdir(entries)))
        if (strncmp(entry->d_name, start, strlen(start)) == 0)
            remove_if_stale(dirfd(entries), entry->d_name);
    if (entries)
        closedir(entries);
}

/* The lock gets its name only when it is held: whoever sees it free may remove all. */
static void lock_place(void)
{
    auto_free char *fresh = place_file(LOCK ".new");
    auto_free char *lock = place_file(LOCK);

    place.lock_fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (place.lock_fd == -1 || flock(place.lock_fd, LOCK_EX | LOCK_NB) != 0 ||
        rename(fresh, lock) != 0)
        die("cannot lock a directory in %s: %s", place.base, strerror(errno));
}

/* False, with errno, where so much cannot be written. */
static bool can_write(size_t bytes)
{
    auto_free char *path = place_file("probe");
    auto_free char *data = xmalloc(bytes);
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = fd != -1 && write_all(fd, data, bytes);
    int error = errno;

    unlink(path);
    errno = error;
    return written;
}

bool place_has_room(void)
{
    return can_write(ROOM_BYTES);
}

static void probe_space(void)
{
    struct statvfs space;
    bool writes = can_write(PROBE_BYTES);

    if (!writes && errno != ENOSPC && errno != EDQUOT)
        die("cannot write in %s: %s", place.base, strerror(errno));
    if (!writes || (statvfs(place.path, &space) == 0 && space.f_blocks &&
                    (uint64_t)space.f_bavail * space.f_frsize < FREE_BYTES))
        die("less than %zu MiB are free in %s: free some, or set TMPDIR", FREE_BYTES >> 20,
            place.base);
}

/* False, with errno, where no directory can be made there. */
static bool make_below(const char *base)
{
    auto_free char *start = prefix();
    int error;

    place.base = realpath(base, NULL);
    if (!place.base)
        return false;
    if (strlen(place.base) > BASE_MAX) {
        free(place.base);
        return false;
    }
    remove_stale();
    place.made = time(NULL);
    place.path = xprintf("%s/%s%d-XXXXXX", place.base, start, (int)getpid());
    if (mkdtemp(place.path)) {
        place.name = strrchr(place.path, '/') + 1;
        return true;
    }
    error = errno;
    free(place.path);
    free(place.base);
    place.path = place.base = NULL;
    errno = error;
    return false;
}

/* A check makes and removes many small files: in memory that takes half of the time. */
static const char *memory(void)
{
    struct statvfs space;

    if (statvfs(MEMORY, &space) != 0 || (uint64_t)space.f_bavail * space.f_frsize < MEMORY_BYTES)
        return NULL;
    return MEMORY;
}

void place_make(void)
{
    const char *const bases[] = { getenv("TMPDIR"), memory(), "/tmp", "/var/tmp" };
    auto_free char *stage = NULL;

    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (is_usable(bases[i]) && make_below(bases[i]))
            break;
    if (!place.path)
        die("no directory can be made in /tmp or /var/tmp, or nothing may be executed there "
            "(noexec): set TMPDIR to another one");
    lock_place();
    probe_space();
    stage = place_file("stage");
    if (mkdir(stage, 0700) != 0)
        die("cannot make a directory in %s: %s", place.path, strerror(errno));
}

const char *place_path(void)
{
    return place.path;
}

char *place_file(const char *name)
{
    return xprintf("%s/%s", place.path, name);
}

void place_remove(void)
{
    auto_close int base_fd = -1;

    if (!place.path)
        return;
    base_fd = open(place.base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (base_fd != -1)
        remove_tree(base_fd, place.name, LOCK);
    remove_traces(place.oldest && place.oldest < place.made ? place.oldest : place.made);
    base_close(&place.lock_fd);
    place.lock_fd = -1;
    free(place.path);
    place.path = NULL;
}
