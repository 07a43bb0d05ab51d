/* status.c - see status.h */
#include "status.h"

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

static bool has(uint64_t signals, int number)
{
    return signals >> (number - 1) & 1;
}

/* The C library's own bit (SA_RESTORER of the kernel), which comes with its first sigaction(2). */
#define RESTORER 0x04000000U

static void describe_handler(struct text *list, int number, const char *name)
{
    struct sigaction action = { 0 };

    sigaction(number, NULL, &action);
    text_add(list, "SIG%s by %jx, flags %x\n", name, (uintmax_t)(uintptr_t)action.sa_sigaction,
             (unsigned)action.sa_flags & ~RESTORER);
}

static void describe_signal(struct text *list, struct status status, int number, const char *name)
{
    const bool is_caught = has(status.caught, number);

    text_add(list, "SIG%s is %s%s\n", name,
             is_caught                     ? "handled"
             : has(status.ignored, number) ? "ignored"
                                           : "as usual",
             has(status.blocked, number) ? " and blocked" : "");
    if (is_caught)
        describe_handler(list, number, name);
}

/* The two behind it are the C library's; from SIGRTMIN on they are of real time. */
#define USUAL_MAX 31

char *status_signals(struct status status)
{
    const uint64_t unusual = status.caught | status.ignored | status.blocked;
    struct text list = { 0 };

    for (int number = 1; number <= USUAL_MAX; number++)
        describe_signal(&list, status, number, sigabbrev_np(number));
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        if (has(unusual, number)) {
            auto_free char *name = xprintf("RTMIN+%d", number - SIGRTMIN);

            describe_signal(&list, status, number, name);
        }
    return list.data;
}
