/* child.c - see child.h */
#include "child.h"

#include "base.h"
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN_MAX 8
#define TAKE_MAX     ((size_t)64 * 1024)

struct child {
    pid_t pid;
    int pidfd;
    int output_fd, said_fd;
    int status;
    bool dead;
    struct text output, said;
    size_t dropped;
    int64_t said_ms;
};

static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct child *children[CHILDREN_MAX];
static int signals_fd = -1;
static void (*on_interrupt)(void);

/* One that is ignored from the start (nohup, a job in the background) stays ignored. */
static void fill_signals(sigset_t *set)
{
    struct sigaction old;

    sigemptyset(set);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (sigaction(endings[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaddset(set, endings[i]);
}

static void end_at_once(int number)
{
    _exit(128 + number);
}

void child_begin(void (*interrupted)(void))
{
    sigset_t set;

    on_interrupt = interrupted;
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fill_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals_fd == -1)
        die("cannot wait for signals: %s", strerror(errno));
}

void child_end(void)
{
    sigset_t set;

    fill_signals(&set);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (sigismember(&set, endings[i]))
            signal(endings[i], end_at_once);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void child_heed_signals(void)
{
    struct signalfd_siginfo info;

    if (signals_fd == -1 || read(signals_fd, &info, sizeof info) != sizeof info)
        return;
    if (on_interrupt)
        on_interrupt();
    _exit(128 + (int)info.ssi_signo);
}

static struct child *adopt(pid_t pid, int output_fd, int said_fd)
{
    struct child *child = xmalloc(sizeof *child);

    *child = (struct child){ .pid = pid, .output_fd = output_fd, .said_fd = said_fd };
    child->pidfd = pidfd_open(pid, 0);
    if (child->pidfd == -1)
        die("cannot watch a process: %s", strerror(errno));
    fcntl(output_fd, F_SETFL, O_NONBLOCK);
    if (said_fd != -1)
        fcntl(said_fd, F_SETFL, O_NONBLOCK);
    for (size_t i = 0; i < CHILDREN_MAX; i++) {
        if (!children[i]) {
            children[i] = child;
            return child;
        }
    }
    die("more than %d processes at once", CHILDREN_MAX);
}

struct child *child_spawn(const struct child_spec *spec)
{
    int output_fd, said_fd;
    pid_t pid;

    child_heed_signals();
    pid = spawn(spec, &output_fd, &said_fd);
    return pid == -1 ? NULL : adopt(pid, output_fd, said_fd);
}

/* Takes what is there, up to TAKE_MAX; *fd becomes -1 where the other ends are closed. */
static void take(int *fd, struct text *kept, size_t most, size_t *dropped)
{
    char bytes[4096];
    size_t taken = 0;
    ssize_t got = 0;

    while (*fd != -1 && taken < TAKE_MAX && (got = read(*fd, bytes, sizeof bytes)) > 0) {
        size_t room = kept->bytes < most ? most - kept->bytes : 0;
        size_t fits = (size_t)got < room ? (size_t)got : room;

        text_add_bytes(kept, bytes, fits);
        *dropped += (size_t)got - fits;
        taken += (size_t)got;
    }
    if (*fd != -1 && (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))) {
        close(*fd);
        *fd = -1;
    }
}

static bool take_line(struct child *child, char **line)
{
    char *data = child->said.data, *newline;
    size_t bytes;

    if (!data)
        return false;
    newline = memchr(data, '\n', child->said.bytes);
    if (!newline && child->said.bytes < CHILD_LINE_MAX)
        return false;
    bytes = newline ? (size_t)(newline - data) : child->said.bytes;
    *line = xstrndup(data, bytes);
    if (newline)
        bytes++;
    memmove(data, data + bytes, child->said.bytes - bytes + 1);
    child->said.bytes -= bytes;
    return true;
}

static bool reap_if_dead(struct child *child)
{
    if (!child->dead && waitpid(child->pid, &child->status, WNOHANG) == child->pid)
        child->dead = true;
    return child->dead;
}

/* Waits until a child has written or this one has died, then takes what was written. */
static void wait_for_news(const struct child *child, int timeout_ms)
{
    struct pollfd polled[2 * CHILDREN_MAX + 2] = { { signals_fd, POLLIN, 0 },
                                                   { child->dead ? -1 : child->pidfd, POLLIN, 0 } };
    size_t dropped = 0;
    nfds_t count = 2;

    for (size_t i = 0; i < CHILDREN_MAX; i++) {
        if (!children[i])
            continue;
        polled[count++] = (struct pollfd){ children[i]->output_fd, POLLIN, 0 };
        polled[count++] = (struct pollfd){ children[i]->said_fd, POLLIN, 0 };
    }
    if (poll(polled, count, timeout_ms) < 0 && errno != EINTR)
        die("cannot wait for a process: %s", strerror(errno));
    child_heed_signals();
    for (size_t i = 0; i < CHILDREN_MAX; i++) {
        struct child *other = children[i];

        if (!other)
            continue;
        take(&other->output_fd, &other->output, CHILD_OUTPUT_MAX, &other->dropped);
        take(&other->said_fd, &other->said, 2 * CHILD_LINE_MAX, &dropped);
        if (other->said.bytes && !other->said_ms)
            other->said_ms = clock_ms();
    }
}

enum child_news child_listen(struct child *child, int64_t deadline_ms, char **line)
{
    for (;;) {
        int64_t left_ms = deadline_ms - clock_ms();
        bool was_dead = reap_if_dead(child);
        size_t before;

        if (line && take_line(child, line))
            return CHILD_LINE;
        if (left_ms <= 0 && !was_dead)
            return CHILD_LATE;
        before = child->said.bytes + child->output.bytes + child->dropped;
        wait_for_news(child, was_dead ? 0 : left_ms > 1000 ? 1000 : (int)left_ms);
        if (was_dead && before == child->said.bytes + child->output.bytes + child->dropped)
            return CHILD_ENDED;
        if (was_dead && left_ms <= 0)
            return CHILD_ENDED;
    }
}

const char *child_output(const struct child *child, size_t *bytes, size_t *dropped)
{
    *bytes = child->output.bytes;
    *dropped = child->dropped;
    return child->output.data ? child->output.data : "";
}

pid_t child_pid(const struct child *child)
{
    return child->pid;
}

int64_t child_said_ms(const struct child *child)
{
    return child->said_ms;
}

int child_status(const struct child *child)
{
    return child->status;
}

void child_bury(pid_t pid, int status)
{
    for (size_t i = 0; i < CHILDREN_MAX; i++) {
        if (children[i] && children[i]->pid == pid) {
            children[i]->status = status;
            children[i]->dead = true;
        }
    }
}

void child_kill(struct child *child)
{
    if (reap_if_dead(child))
        return;
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
    while (!child->dead) {
        pid_t got = waitpid(child->pid, &child->status, 0);

        child->dead = got == child->pid || (got < 0 && errno == ECHILD);
    }
}

void child_free(struct child *child)
{
    if (!child)
        return;
    child_kill(child);
    for (size_t i = 0; i < CHILDREN_MAX; i++)
        if (children[i] == child)
            children[i] = NULL;
    close(child->pidfd);
    base_close(&child->output_fd);
    base_close(&child->said_fd);
    text_free(&child->output);
    text_free(&child->said);
    free(child);
}
