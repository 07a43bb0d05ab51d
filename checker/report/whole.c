/* whole.c - see whole.h */
#include "report/whole.h"

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_line(int fd, const char *text)
{
    return write_all(fd, text, strlen(text)) && write_all(fd, "\n", 1);
}

/* Whether the path leads to where a stream of ours goes: /dev/stdout, or the file behind it. */
static bool is_stream(int stream, const struct stat *status)
{
    struct stat ours;

    return fstat(stream, &ours) == 0 && ours.st_dev == status->st_dev &&
           ours.st_ino == status->st_ino;
}

/* A device or a pipe is written to, not replaced; nobody waits for one who would read. */
static bool write_through(const char *path, const struct stat *status, const char *text)
{
    auto_close int fd = -1;

    fflush(stdout);
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++)
        if (is_stream(stream, status))
            return write_line(stream, text);
    fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd != -1 && fcntl(fd, F_SETFL, O_WRONLY) == 0 && write_line(fd, text);
}

/* Beside the file it is to replace, so that the rename is one step. */
static bool replace(const char *path, const char *text)
{
    auto_free char *fresh = xprintf("%s.%d.tmp", path, (int)getpid());
    auto_close int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int error;

    if (fd == -1)
        return false;
    if (write_line(fd, text) && fsync(fd) == 0 && rename(fresh, path) == 0)
        return true;
    error = errno;
    unlink(fresh);
    errno = error;
    return false;
}

/* Where the path is a symbolic link, what it leads to. */
static bool write_whole(const char *path, const char *text)
{
    struct stat status;
    bool is_found = stat(path, &status) == 0;
    auto_free char *real = is_found ? realpath(path, NULL) : NULL;

    if (is_found && (!S_ISREG(status.st_mode) || is_stream(STDOUT_FILENO, &status) ||
                     is_stream(STDERR_FILENO, &status)))
        return write_through(path, &status, text);
    return replace(real ? real : path, text);
}

bool whole_write(const char *path, const char *text)
{
    auto_free char *shown = NULL;

    if (write_whole(path, text))
        return true;
    shown = escape(path, strlen(path), false);
    fprintf(stderr, "cannot write the result to %s: %s\n", shown, strerror(errno));
    return false;
}
