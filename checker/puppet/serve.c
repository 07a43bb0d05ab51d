/* serve.c - see serve.h */
#include "serve.h"

#include "base.h"
#include "bounds.h"
#include "observation.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS_MAX 128

struct client {
    int socket; /* -1: free                          */
    pid_t pid;  /* 0: no puppet yet, -1: it is dead  */
};

static struct client clients[CLIENTS_MAX];
static int listener;
static int child_signals;

static void stop_serving_in_child(int channel)
{
    pid_t parent = getppid();
    sigset_t none;

    for (int i = 0; i < CLIENTS_MAX; i++)
        if (clients[i].socket != -1)
            close(clients[i].socket);
    close(listener);
    close(child_signals);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || parent == 1)
        _exit(EXIT_CANNOT_JUDGE);
    setsid();
    fcntl(channel, F_SETFD, FD_CLOEXEC);
}

static _Noreturn void be_puppet(const int fds[2], const char *directory, void (*play)(int channel))
{
    stop_serving_in_child(fds[0]);
    if (dup2(fds[1], STDOUT_FILENO) < 0 || dup2(fds[1], STDERR_FILENO) < 0)
        die("dup2: %s", strerror(errno));
    close(fds[1]);
    bounds_set();
    if (chdir(directory) != 0)
        die("cannot enter %s: %s", directory, strerror(errno));
    play(fds[0]);
    _exit(EXIT_CANNOT_JUDGE);
}

static void answer(int socket, const char *text, int fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct iovec part = { (char *)(uintptr_t)text, strlen(text) };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

    if (fd != -1) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fd),
                                           .cmsg_level = SOL_SOCKET,
                                           .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The packet's text and its two descriptors; false where there is no such packet. */
static bool receive_request(int socket, char *directory, size_t bytes, int fds[2])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = { 0 };
    struct iovec part = { directory, bytes - 1 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;

    if (!header || header->cmsg_len != CMSG_LEN(2 * sizeof(int)))
        return false;
    memcpy(fds, CMSG_DATA(header), 2 * sizeof(int));
    directory[got] = '\0';
    return true;
}

static void start_puppet(struct client *client, void (*play)(int channel))
{
    char directory[4096];
    int fds[2];
    int pidfd;
    auto_free char *text = NULL;

    if (!receive_request(client->socket, directory, sizeof directory, fds)) {
        close(client->socket);
        client->socket = -1;
        return;
    }
    client->pid = _Fork();
    if (client->pid == 0)
        be_puppet(fds, directory, play);
    close(fds[0]);
    close(fds[1]);
    if (client->pid < 0)
        die("fork: %s", strerror(errno));
    pidfd = (int)syscall(SYS_pidfd_open, client->pid, 0);
    text = xprintf("{\"pid\":%d}", (int)client->pid);
    answer(client->socket, text, pidfd);
    close(pidfd);
}

static bool is_puppet(pid_t pid)
{
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (clients[i].socket != -1 && clients[i].pid == pid)
            return true;
    return false;
}

/* What a puppet left behind is our child now, since we are a subreaper (prctl(2)). */
static void kill_strays(void)
{
    auto_free char *path = xprintf("/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    int pid;

    while (children && fscanf(children, "%d", &pid) == 1) /* NOLINT(cert-err34-c): the kernel's */
        if (!is_puppet(pid))
            kill(pid, SIGKILL);
    if (children)
        fclose(children);
}

static void report_death(pid_t pid, const siginfo_t *death)
{
    for (int i = 0; i < CLIENTS_MAX; i++) {
        if (clients[i].socket != -1 && clients[i].pid == pid) {
            auto_free char *text =
                xprintf("{\"%s\":%d}", death->si_code == CLD_EXITED ? "exited" : "killed",
                        death->si_status);

            clients[i].pid = -1;
            answer(clients[i].socket, text, -1);
        }
    }
}

static void reap(void)
{
    siginfo_t death = { 0 };
    struct signalfd_siginfo told;

    while (read(child_signals, &told, sizeof told) > 0)
        ;
    while (waitid(P_ALL, 0, &death, WEXITED | WNOHANG) == 0 && death.si_pid != 0) {
        if (is_puppet(death.si_pid)) {
            kill_strays();
            report_death(death.si_pid, &death);
        }
        death.si_pid = 0;
    }
    kill_strays();
}

static void accept_client(void)
{
    int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    for (int i = 0; i < CLIENTS_MAX && socket != -1; i++) {
        if (clients[i].socket == -1) {
            clients[i] = (struct client){ socket, 0 };
            return;
        }
    }
    if (socket != -1)
        close(socket);
}

static void drop(struct client *client)
{
    if (client->pid > 0)
        kill(client->pid, SIGKILL);
    close(client->socket);
    client->socket = -1;
}

static void wait_and_serve(void (*play)(int channel))
{
    struct pollfd polled[CLIENTS_MAX + 2] = { { listener, POLLIN, 0 },
                                              { child_signals, POLLIN, 0 } };
    struct client *asked[CLIENTS_MAX + 2];
    nfds_t count = 2; /* poll(2) refuses more than RLIMIT_NOFILE */

    for (int i = 0; i < CLIENTS_MAX; i++) {
        if (clients[i].socket == -1)
            continue;
        asked[count] = &clients[i];
        polled[count++] = (struct pollfd){ clients[i].socket, POLLIN, 0 };
    }
    if (poll(polled, count, -1) < 0 && errno != EINTR)
        die("poll: %s", strerror(errno));
    for (nfds_t i = 2; i < count; i++) {
        if (!polled[i].revents)
            continue;
        if (asked[i]->pid == 0)
            start_puppet(asked[i], play);
        else
            drop(asked[i]); /* a client says no more than one thing: it is gone */
    }
    if (polled[1].revents)
        reap();
    if (polled[0].revents)
        accept_client();
}

static void leak_on_purpose(void)
{
    char *volatile lost = malloc(64);

    lost[0] = 1;
    lost = NULL;
}

/* A leak made on purpose proves that one by accident would be found. */
static bool leaks_are_found(void)
{
    pid_t pid = _Fork();
    int status = 0;

    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

        dup2(null, STDERR_FILENO);
        for (int i = 0; i < 8; i++)
            leak_on_purpose();
        _exit(observation_has_leak() ? 1 : 0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 1;
}

static void listen_for_clients(const char *name)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    sigset_t child;

    snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
    unlink(name); /* of a server that was given up */

    for (int i = 0; i < CLIENTS_MAX; i++)
        clients[i].socket = -1;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    child_signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (child_signals < 0 || listener < 0 ||
        bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, CLIENTS_MAX) != 0)
        die("cannot listen for the suites: %s", strerror(errno));
}

_Noreturn void serve(const char *name, int ready_fd, void (*play)(int channel))
{
    bool addresses = observation_sees_addresses();
    char *ready;

    listen_for_clients(name);
    ready = xprintf("{\"ready\":true,\"addresses\":%s,\"leaks\":%s}\n",
                    addresses ? "true" : "false", leaks_are_found() ? "true" : "false");
    if (!write_all(ready_fd, ready, strlen(ready)))
        die("cannot say that it is ready: %s", strerror(errno));
    close(ready_fd);
    free(ready); /* in a puppet nothing would point to it */
    for (;;)
        wait_and_serve(play);
}
