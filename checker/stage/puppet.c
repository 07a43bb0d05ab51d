/* puppet.c - see puppet.h */
#include "puppet.h"

#include "base.h"
#include "diagnosis.h"
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define PUPPETS_MAX      400
#define LINE_BYTES_MAX   (1 << 20)
#define OUTPUT_BYTES_MAX (64 << 10)
#define START_MS         5000

struct puppet {
    int line;   /* our end of the channel                  */
    int output; /* what it prints                          */
    int server; /* the fork server's word on its death     */
    int pidfd;
    pid_t pid;
    bool has_worker;
    bool was_killed; /* by us */
    char nonce[33];
    char *end; /* NULL while it lives */
    enum puppet_state state;
    struct text heard;   /* of the channel, not yet a whole line */
    struct text printed; /* bounded */
    size_t printed_bytes;
};

static struct puppet *puppets[PUPPETS_MAX]; /* of this check */
static int puppets_count;

static void connect_to_server(struct puppet *puppet)
{
    struct sockaddr_un address = { AF_UNIX, "../puppets" };

    if (chdir(stage_directory()) != 0)
        stage_fail(FINDING_FAIL, NULL, "the directory of the stores stays as it is",
                   "it was removed, renamed or closed");
    puppet->server = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (puppet->server < 0 ||
        connect(puppet->server, (struct sockaddr *)&address, sizeof address) != 0)
        die("the fork server does not answer: %s", strerror(errno));
}

static void request(const struct puppet *puppet, int channel, int output)
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
    if (sendmsg(puppet->server, &message, MSG_NOSIGNAL) < 0)
        die("the fork server hears nothing: %s", strerror(errno));
}

/* The first packet: the puppet's pid, and its pidfd. */
static void receive_pid(struct puppet *puppet)
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
    struct pollfd polled = { puppet->server, POLLIN, 0 };
    ssize_t got = -1;

    if (poll(&polled, 1, stage_ms(START_MS)) == 1)
        got = recvmsg(puppet->server, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0 || !CMSG_FIRSTHDR(&message))
        die("the fork server makes no puppet");
    text[got] = '\0';
    puppet->pid = (pid_t)strtol(text + strcspn(text, "0123456789"), NULL, 10);
    memcpy(&puppet->pidfd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
}

struct puppet *puppet_start_hand(void)
{
    struct puppet *puppet = xmalloc(sizeof *puppet);
    int channel[2];
    int output[2];

    if (puppets_count == PUPPETS_MAX)
        die("too many puppets in one check");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0 ||
        pipe2(output, O_CLOEXEC) != 0)
        die("no descriptor for a puppet: %s", strerror(errno));
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    fcntl(channel[0], F_SETFL, O_NONBLOCK);
    puppet->line = channel[0];
    puppet->output = output[0];
    connect_to_server(puppet);
    request(puppet, channel[1], output[1]);
    close(channel[1]);
    close(output[1]);
    receive_pid(puppet);
    puppets[puppets_count++] = puppet;
    return puppet;
}

void puppet_say(struct puppet *puppet, cJSON *order)
{
    auto_free char *line = NULL;
    auto_free char *whole = NULL;

    if (!cJSON_HasObjectItem(order, "go"))
        snprintf(puppet->nonce, sizeof puppet->nonce, "%016jx", (uintmax_t)stage_random());
    cJSON_AddStringToObject(order, "n", puppet->nonce);
    line = cJSON_PrintUnformatted(order);
    cJSON_Delete(order);
    whole = xprintf("%s\n", line);
    write_all(puppet->line, whole, strlen(whole)); /* where it fails, the death will be seen */
}

static void read_output(struct puppet *puppet)
{
    char buffer[16384];
    ssize_t got;

    while ((got = read(puppet->output, buffer, sizeof buffer)) > 0) {
        size_t room = OUTPUT_BYTES_MAX - puppet->printed.bytes;

        puppet->printed_bytes += (size_t)got;
        text_add_bytes(&puppet->printed, buffer, (size_t)got < room ? (size_t)got : room);
        if (puppet->printed_bytes > 64 * (size_t)OUTPUT_BYTES_MAX)
            return; /* a flood: leave the rest for the next time round */
    }
    if (got == 0) {
        close(puppet->output);
        puppet->output = -1;
    }
}

static void read_line(struct puppet *puppet)
{
    char buffer[4096];
    ssize_t got = read(puppet->line, buffer, sizeof buffer);

    if (got > 0 && puppet->heard.bytes < LINE_BYTES_MAX)
        text_add_bytes(&puppet->heard, buffer, (size_t)got);
    if (got == 0) { /* closed, but only the fork server tells of a death */
        close(puppet->line);
        puppet->line = -1;
    }
}

static void read_death(struct puppet *puppet)
{
    char text[64];
    ssize_t got = recv(puppet->server, text, sizeof text - 1, MSG_DONTWAIT);
    int number;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0)
        die("the fork server is gone");
    text[got] = '\0';
    number = (int)strtol(text + strcspn(text, "0123456789"), NULL, 10);
    puppet->state = strstr(text, "killed") ? PUPPET_KILLED : PUPPET_EXITED;
    puppet->end = puppet->state == PUPPET_KILLED
                      ? xprintf("died of SIG%s", sigabbrev_np(number) ? sigabbrev_np(number) : "?")
                      : xprintf("ended the process with exit code %d", number);
    if (puppet->output != -1)
        read_output(puppet);
}

/* The next whole line that repeats the nonce; others are not ours and are dropped. */
static cJSON *next_line(struct puppet *puppet)
{
    char *newline;

    while (puppet->heard.data &&
           (newline = memchr(puppet->heard.data, '\n', puppet->heard.bytes))) {
        size_t bytes = (size_t)(newline - puppet->heard.data) + 1;
        cJSON *line = cJSON_ParseWithLength(puppet->heard.data, bytes - 1);
        const char *nonce = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, "n"));

        puppet->heard.bytes -= bytes;
        memmove(puppet->heard.data, newline + 1, puppet->heard.bytes);
        if (nonce && strcmp(nonce, puppet->nonce) == 0)
            return line;
        cJSON_Delete(line);
    }
    return NULL;
}

/* Waits until one of all puppets has something to be read, and reads it. */
static void pump(int wait_ms)
{
    struct pollfd polled[3 * PUPPETS_MAX];

    for (int i = 0; i < puppets_count; i++) {
        const struct puppet *puppet = puppets[i];

        polled[3L * i] = (struct pollfd){ puppet->output, POLLIN, 0 };
        polled[3L * i + 1] = (struct pollfd){ puppet->end ? -1 : puppet->line, POLLIN, 0 };
        polled[3L * i + 2] = (struct pollfd){ puppet->end ? -1 : puppet->server, POLLIN, 0 };
    }
    if (poll(polled, (nfds_t)puppets_count * 3, wait_ms) <= 0)
        return;
    for (int i = 0; i < puppets_count; i++) {
        if (polled[3L * i].revents)
            read_output(puppets[i]);
        if (polled[3L * i + 1].revents)
            read_line(puppets[i]);
        if (polled[3L * i + 2].revents)
            read_death(puppets[i]);
    }
}

cJSON *puppet_listen(struct puppet *puppet, int wait_ms, enum puppet_state *state)
{
    int64_t end_ms = clock_ms() + wait_ms;

    for (;;) {
        cJSON *line = next_line(puppet);
        int64_t left_ms = end_ms - clock_ms();

        *state = line ? PUPPET_SPOKE : puppet->end ? puppet->state : PUPPET_SILENT;
        if (line || puppet->end || left_ms <= 0)
            return line;
        pump((int)left_ms);
    }
}

void puppet_kill(struct puppet *puppet)
{
    int64_t end_ms = clock_ms() + stage_ms(START_MS);

    puppet->was_killed = true;
    syscall(SYS_pidfd_send_signal, puppet->pidfd, SIGKILL, NULL, 0);
    while (!puppet->end && clock_ms() < end_ms)
        pump((int)(end_ms - clock_ms()));
    if (!puppet->end)
        die("a killed puppet does not die");
    text_free(&puppet->heard);
}

bool puppet_was_killed(const struct puppet *puppet)
{
    return puppet->was_killed;
}

const char *puppet_end(const struct puppet *puppet)
{
    return puppet->end;
}

const char *puppet_output(const struct puppet *puppet)
{
    return puppet->printed.data ? puppet->printed.data : "";
}

char *puppet_whereabouts(const struct puppet *puppet)
{
    return diagnosis_whereabouts(puppet->pid);
}

char *puppet_outputs(void)
{
    struct text all = { 0 };
    char *shown;

    pump(0);
    for (int i = 0; i < puppets_count; i++)
        if (puppets[i]->has_worker && puppets[i]->printed.bytes)
            text_add_bytes(&all, puppets[i]->printed.data, puppets[i]->printed.bytes);
    shown = diagnosis_shorten(&all);
    text_free(&all);
    return shown;
}

struct puppet *puppet_start(void)
{
    struct puppet *puppet = puppet_start_hand();
    cJSON *order = cJSON_CreateObject();
    const char *object = getenv("WORKBOOK_OBJECT");
    enum puppet_state state;
    cJSON *answer;
    const char *refused;

    puppet->has_worker = true;
    cJSON_AddStringToObject(order, "do", "load");
    cJSON_AddStringToObject(order, "object", object ? object : "../../worker.so");
    puppet_say(puppet, order);
    answer = puppet_listen(puppet, stage_ms(START_MS), &state);
    refused = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, "refused"));
    if (state == PUPPET_SILENT)
        stage_fail(FINDING_HANG, NULL, "the file is loaded", "its constructors do not end");
    if (!answer)
        diagnosis_fail(puppet, "while your file was being loaded");
    if (refused)
        stage_fail(FINDING_FAIL, NULL, "the file can be loaded", refused);
    cJSON_Delete(answer);
    return puppet;
}

static void end(struct puppet *puppet, bool leaks)
{
    cJSON *order = cJSON_CreateObject();
    enum puppet_state state;
    cJSON *answer;

    cJSON_AddStringToObject(order, "do", "leaks");
    puppet_say(puppet, order);
    answer = leaks ? puppet_listen(puppet, stage_ms(START_MS), &state) : NULL;
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "leaks")))
        diagnosis_fail_leak(puppet);
    cJSON_Delete(answer);
}

void puppet_end_all(bool leaks)
{
    for (int i = 0; i < puppets_count; i++)
        if (puppets[i]->has_worker && !puppets[i]->end)
            end(puppets[i], leaks);
}
