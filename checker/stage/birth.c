/* birth.c - see birth.h */
#include "birth.h"

#include "base.h"
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define START_MS 5000

static void connect_to(const char *server, struct birth *birth)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    snprintf(address.sun_path, sizeof address.sun_path, "../%s", server);

    stage_enter_directory();
    birth->server = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (birth->server < 0 ||
        connect(birth->server, (struct sockaddr *)&address, sizeof address) != 0)
        die("the fork server does not answer: %s", strerror(errno));
}

static void request(const struct birth *birth, int channel, int output)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = { 0 };
    int fds[2] = { channel, output };
    struct iovec part = { (char *)(uintptr_t)stage_directory(), strlen(stage_directory()) };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };

    control.header.cmsg_len = CMSG_LEN(sizeof fds);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&control.header), fds, sizeof fds);
    if (sendmsg(birth->server, &message, MSG_NOSIGNAL) < 0)
        die("the fork server hears nothing: %s", strerror(errno));
}

/* The first packet: the puppet's pid, and its pidfd. */
static void receive_pid(struct birth *birth)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    char text[64];
    struct iovec part = { text, sizeof text - 1 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    struct pollfd polled = { birth->server, POLLIN, 0 };
    ssize_t got = -1;

    if (poll(&polled, 1, stage_ms(START_MS)) == 1)
        got = recvmsg(birth->server, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0 || !CMSG_FIRSTHDR(&message))
        die("the fork server makes no puppet");
    text[got] = '\0';
    birth->pid = (pid_t)strtol(text + strcspn(text, "0123456789"), NULL, 10);
    memcpy(&birth->pidfd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
}

struct birth birth_of(const char *server)
{
    struct birth birth;
    int channel[2];
    int output[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0 ||
        pipe2(output, O_CLOEXEC) != 0)
        die("no descriptor for a puppet: %s", strerror(errno));
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    fcntl(channel[0], F_SETFL, O_NONBLOCK);
    birth.line = channel[0];
    birth.output = output[0];
    connect_to(server, &birth);
    request(&birth, channel[1], output[1]);
    close(channel[1]);
    close(output[1]);
    receive_pid(&birth);
    return birth;
}
