/* spawn.c - see spawn.h */
#include "spawn.h"

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The hard bound lies above the soft one: at CPU's soft one the signal says what it is for. */
static void limit(int resource, uint64_t most)
{
    struct rlimit bound = { most, most + 1 };

    if (most)
        setrlimit((__rlimit_resource_t)resource, &bound);
}

/* Between fork and exec: only what POSIX allows there.  Returns where something failed. */
static void become(const struct child_spec *spec, pid_t parent, int out, int says)
{
    struct rlimit none = { 0, 0 };
    sigset_t empty;
    int null;

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    for (int number = 1; number < SIGRTMIN; number++)
        signal(number, SIG_DFL);
    sigemptyset(&empty);
    sigprocmask(SIG_SETMASK, &empty, NULL);
    setrlimit(RLIMIT_CORE, &none);
    limit(RLIMIT_AS, spec->limits.memory_bytes);
    limit(RLIMIT_CPU, spec->limits.cpu_s);
    limit(RLIMIT_FSIZE, spec->limits.file_bytes);
    if (spec->cwd && chdir(spec->cwd) != 0)
        return;
    null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null == -1 || dup2(null, 0) == -1 || dup2(out, 1) == -1 || dup2(out, 2) == -1)
        return;
    if (says != -1 && dup2(says, 3) == -1)
        return;
    close_range(says != -1 ? 4 : 3, ~0U, CLOSE_RANGE_CLOEXEC);
    execve(spec->path, spec->argv, spec->env);
}

/* A pipe whose ends are above the numbers that become() gives a meaning to. */
static bool open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        int high = fcntl(ends[i], F_DUPFD_CLOEXEC, 10);

        if (high == -1)
            return false;
        close(ends[i]);
        ends[i] = high;
    }
    return true;
}

/* The exec's errno, or 0: the pipe closes without a word when the exec succeeds. */
static int read_exec_error(int fd)
{
    int error = 0;
    ssize_t got;

    do
        got = read(fd, &error, sizeof error);
    while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

pid_t spawn(const struct child_spec *spec, int *output_fd, int *said_fd)
{
    int output[2] = { -1, -1 }, said[2] = { -1, -1 }, failed[2] = { -1, -1 };
    pid_t parent = getpid(), pid;
    int error;

    if (!open_pipe(output) || !open_pipe(failed) || (spec->says && !open_pipe(said)))
        die("cannot make a pipe: %s", strerror(errno));
    pid = fork();
    if (pid == -1)
        die("cannot start a process: %s", strerror(errno));
    if (pid == 0) {
        become(spec, parent, output[1], said[1]);
        error = errno;
        _exit(write(failed[1], &error, sizeof error) == sizeof error ? 127 : 126);
    }
    close(output[1]);
    close(failed[1]);
    base_close(&said[1]);
    error = read_exec_error(failed[0]);
    close(failed[0]);
    *output_fd = output[0];
    *said_fd = said[0];
    if (!error)
        return pid;
    close(output[0]);
    base_close(&said[0]);
    waitpid(pid, NULL, 0);
    errno = error;
    return -1;
}
