/* whole.c - see whole.h */
#include "report/whole.h"

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beside the file it is to replace, so that the rename is one step. */
static bool write_whole(const char *path, const char *text)
{
    auto_free char *fresh = xprintf("%s.%d.tmp", path, (int)getpid());
    auto_close int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    struct stat status;
    int error;

    if (fd == -1)
        return false;
    errno = EISDIR;
    if ((stat(path, &status) != 0 || S_ISREG(status.st_mode)) &&
        write_all(fd, text, strlen(text)) && write_all(fd, "\n", 1) && fsync(fd) == 0 &&
        rename(fresh, path) == 0)
        return true;
    error = errno;
    unlink(fresh);
    errno = error;
    return false;
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
