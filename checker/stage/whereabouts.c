/* whereabouts.c - see whereabouts.h */
#include "whereabouts.h"

#include "base.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_MS     100
#define STACK_WORDS 4096 /* that are looked through for the way back into the learner's code */

static const struct {
    long number;
    const char *name;
} calls[] = {
    { SYS_poll, "poll" },
    { SYS_ppoll, "ppoll" },
    { SYS_select, "select" },
    { SYS_pselect6, "pselect" },
    { SYS_epoll_wait, "epoll_wait" },
    { SYS_read, "read" },
    { SYS_recvfrom, "recv" },
    { SYS_recvmsg, "recvmsg" },
    { SYS_write, "write" },
    { SYS_sendto, "send" },
    { SYS_connect, "connect" },
    { SYS_accept, "accept" },
    { SYS_nanosleep, "nanosleep" },
    { SYS_clock_nanosleep, "sleep" },
    { SYS_futex, "a lock (futex)" },
    { SYS_wait4, "wait" },
    { SYS_pause, "pause" },
    { SYS_fcntl, "fcntl (a file lock)" },
};

static char *read_proc(pid_t pid, const char *name)
{
    auto_free char *path = xprintf("/proc/%d/%s", (int)pid, name);
    FILE *file = fopen(path, "re");
    char line[512] = "";

    if (file) {
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
        fclose(file);
    }
    return xstrdup(line);
}

static char state_of(pid_t pid)
{
    auto_free char *stat = read_proc(pid, "stat");
    const char *name_end = strrchr(stat, ')');

    return name_end && name_end[1] ? name_end[2] : '?';
}

/* The code of the object in a process: from and to in memory, and where that is in the file. */
struct code {
    uint64_t from, to, offset;
};

static bool find_code(pid_t pid, const char *object, struct code *code)
{
    auto_free char *path = xprintf("/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");
    char line[4096], rights[8];
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &code->from, &code->to, rights,
                       &code->offset) == 4 &&
                strchr(rights, 'x') && strstr(line, object);
    }
    if (file)
        fclose(file);
    return found;
}

static bool is_in(const struct code *code, uint64_t address)
{
    return address >= code->from && address < code->to;
}

/* The counter itself where it is in that code, else the first address on the stack that is. */
static uint64_t find_frame(pid_t pid, const struct code *code)
{
    auto_free char *call = read_proc(pid, "syscall");
    auto_free char *path = xprintf("/proc/%d/mem", (int)pid);
    auto_free uint64_t *stack = xmalloc(STACK_WORDS * sizeof *stack);
    const char *counter = strrchr(call, ' ');
    const char *pointer = counter;
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes;

    while (pointer && pointer > call && pointer[-1] != ' ')
        pointer--;
    if (!pointer || pointer == call)
        return 0;
    if (is_in(code, strtoull(counter, NULL, 16)))
        return strtoull(counter, NULL, 16);
    bytes = fd < 0
                ? 0
                : pread(fd, stack, STACK_WORDS * sizeof *stack, (off_t)strtoull(pointer, NULL, 16));
    for (ssize_t i = 0; i < bytes / (ssize_t)sizeof *stack; i++)
        if (is_in(code, stack[i]))
            return stack[i] - 1; /* a way back is behind the call */
    return 0;
}

/* What addr2line(1) says of an address in the object: "worker.c:31", or NULL. */
static char *line_of(const char *object, uint64_t address)
{
    auto_free char *hex = xprintf("%#" PRIx64, address);
    char said[256] = "";
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
        execlp("addr2line", "addr2line", "-s", "-e", object, hex, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    if (pid > 0 && read(ends[0], said, sizeof said - 1) < 0)
        said[0] = '\0';
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    said[strcspn(said, " \n")] = '\0';
    return *said && said[0] != '?' ? xstrdup(said) : NULL;
}

/* " at worker.c:31", or "". */
static char *place_of(pid_t pid, const char *word)
{
    const char *object = getenv("WORKBOOK_OBJECT");
    struct code code = { 0 };
    uint64_t frame = object && find_code(pid, object, &code) ? find_frame(pid, &code) : 0;
    auto_free char *line = frame ? line_of(object, frame - code.from + code.offset) : NULL;

    return line ? xprintf("%s%s", word, line) : xstrdup("");
}

static char *waiting(pid_t pid)
{
    auto_free char *call = read_proc(pid, "syscall");
    auto_free char *place = place_of(pid, ", called at ");
    long number = strtol(call, NULL, 10);

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return xprintf("waiting in %s%s", calls[i].name, place);
    return xprintf("waiting in system call %ld%s", number, place);
}

char *whereabouts_of(pid_t pid)
{
    auto_free char *call = read_proc(pid, "syscall");
    auto_free char *place = NULL;
    char state = state_of(pid);

    if (state == 'T' || state == 't')
        return xstrdup("stopped by a signal");
    if (*call && strncmp(call, "running", strlen("running")) != 0 && state != 'R')
        return waiting(pid);
    kill(pid, SIGSTOP);
    for (int i = 0; i < STOP_MS && state_of(pid) != 'T'; i++)
        poll(NULL, 0, 1);
    place = place_of(pid, " at ");
    return xprintf("running%s (a loop that does not end?)", place);
}
