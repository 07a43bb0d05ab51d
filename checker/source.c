/* source.c - see source.h */
#include "source.h"

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    default:
        return "no regular file";
    }
}

static char *refuse_open(const char *shown, const char *name, int error)
{
    struct stat status;

    if (!*name)
        return xstrdup("the name of the file is empty");
    if (error == ENOENT && lstat(name, &status) == 0 && S_ISLNK(status.st_mode))
        return xprintf("%s is a symbolic link to a file that is not there", shown);
    if (error == ENOENT)
        return xprintf("there is no file %s: check the name and the directory", shown);
    if (error == ENXIO)
        return xprintf("%s is a socket or a device, not a C file", shown);
    if (error == EACCES)
        return xprintf("%s may not be read by you: try chmod u+r", shown);
    if (error == ELOOP)
        return xprintf("%s is a symbolic link that leads back to itself", shown);
    return xprintf("%s cannot be opened: %s", shown, strerror(error));
}

static char *refuse_content(const char *shown, const struct source *source)
{
    const char *data = source->data;

    if (source->bytes == 0)
        return xprintf("%s is empty: start from the starter", shown);
    if (source->bytes > SOURCE_BYTES_MAX)
        return xprintf("%s is larger than 1 MiB, which no worker needs", shown);
    if (source->bytes >= 2 &&
        (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
        return xprintf("%s is UTF-16: save it as UTF-8", shown);
    if (memchr(data, '\0', source->bytes))
        return xprintf("%s contains NUL bytes, so it is no C text: save it as UTF-8", shown);
    return NULL;
}

/* One byte more than allowed is read, so that a file that grows meanwhile is noticed. */
static char *read_all(int fd, const char *shown, struct source *source)
{
    source->data = xmalloc(SOURCE_BYTES_MAX + 2);
    while (source->bytes <= SOURCE_BYTES_MAX) {
        ssize_t got = read(fd, source->data + source->bytes, SOURCE_BYTES_MAX + 1 - source->bytes);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return xprintf("%s cannot be read: %s", shown, strerror(errno));
        if (got == 0)
            break;
        source->bytes += (size_t)got;
    }
    return NULL;
}

static char *directory_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    auto_free char *stem =
        slash ? xstrndup(name, slash == name ? 1 : (size_t)(slash - name)) : xstrdup(".");
    char *absolute = realpath(stem, NULL);

    return absolute ? absolute : xstrdup("/");
}

void source_sha256(const void *data, size_t bytes, char hex[65])
{
    SHA2_CTX context;

    SHA256Init(&context);
    SHA256Update(&context, data, bytes);
    SHA256End(&context, hex);
}

char *source_read(const char *name, struct source *source)
{
    auto_close int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    auto_free char *shown = escape(name, strlen(name), false);
    struct stat status;
    char *refusal;

    *source = (struct source){ .name = name };
    if (fd == -1)
        return refuse_open(shown, name, errno);
    if (fstat(fd, &status) != 0)
        return xprintf("%s cannot be looked at: %s", shown, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return xprintf("%s is %s: name a C file", shown, kind_of(status.st_mode));
    refusal = read_all(fd, shown, source);
    if (!refusal)
        refusal = refuse_content(shown, source);
    if (refusal)
        return refusal;
    source_sha256(source->data, source->bytes, source->sha256);
    source->directory = directory_of(name);
    return NULL;
}
