/* status.c - see status.h */
#include "status.h"

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What stands behind a line's name. */
static const char *value_of(const char *text, const char *name)
{
    const char *line = strstr(text, name);

    if (!line)
        die("/proc/thread-self/status has no line %s", name + 1);
    return line + strlen(name);
}

struct status status_read(void)
{
    char text[4096];
    int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (bytes < 0)
        die("/proc/thread-self/status cannot be read: %s", strerror(errno));
    close(fd);
    text[bytes] = '\0';
    return (struct status){
        .threads = (int)strtol(value_of(text, "\nThreads:"), NULL, 10),
        .blocked = strtoull(value_of(text, "\nSigBlk:"), NULL, 16),
        .ignored = strtoull(value_of(text, "\nSigIgn:"), NULL, 16),
        .caught = strtoull(value_of(text, "\nSigCgt:"), NULL, 16),
    };
}

bool status_has(uint64_t signals, int number)
{
    return signals >> (number - 1) & 1;
}
