/* puppet.c - see puppet.h */
#include "puppet.h"

#include "base.h"
#include "birth.h"
#include "diagnosis.h"
#include "printed.h"
#include "stage.h"
#include "whereabouts.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUPPETS_MAX    400
#define LINE_BYTES_MAX (1 << 20)
#define START_MS       5000
#define LOAD_MS        3000 /* constructors are learner code, and may hang */

struct puppet {
    struct birth ends;           /* -1 where closed */
    bool has_worker, was_killed; /* killed by us */
    char nonce[33];
    char *end; /* NULL while it lives */
    enum puppet_state state;
    struct text heard; /* not yet a whole line of the channel */
    struct printed printed;
};

static struct puppet *puppets[PUPPETS_MAX]; /* of this check */
static int puppets_count;

static struct puppet *start(const char *server)
{
    struct puppet *puppet = xmalloc(sizeof *puppet);

    if (puppets_count == PUPPETS_MAX)
        die("too many puppets in one check");
    puppet->ends = birth_of(server);
    puppets[puppets_count++] = puppet;
    return puppet;
}

struct puppet *puppet_start_hand(void)
{
    return start("hands");
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
    write_all(puppet->ends.line, whole, strlen(whole)); /* where it fails, the death will be seen */
}

static void read_output(struct puppet *puppet)
{
    char buffer[16384];
    ssize_t got;

    while ((got = read(puppet->ends.output, buffer, sizeof buffer)) > 0) {
        printed_add(&puppet->printed, buffer, (size_t)got);
        if (printed_is_flood(&puppet->printed))
            return;
    }
    if (got == 0) {
        close(puppet->ends.output);
        puppet->ends.output = -1;
    }
}

/* False where there is nothing more now. */
static bool read_line(struct puppet *puppet)
{
    char buffer[4096];
    ssize_t got = read(puppet->ends.line, buffer, sizeof buffer);

    if (got > 0 && puppet->heard.bytes < LINE_BYTES_MAX)
        text_add_bytes(&puppet->heard, buffer, (size_t)got);
    if (got == 0) { /* closed, but only the fork server tells of a death */
        close(puppet->ends.line);
        puppet->ends.line = -1;
    }
    return got > 0;
}

/* What a dead one wrote is kept, its descriptors are not: a check may kill hundreds. */
static void close_ends(struct puppet *puppet)
{
    int *const ends[] = { &puppet->ends.line, &puppet->ends.output, &puppet->ends.server,
                          &puppet->ends.pidfd };

    while (puppet->heard.bytes < LINE_BYTES_MAX && puppet->ends.line != -1 && read_line(puppet))
        ;
    if (puppet->ends.output != -1)
        read_output(puppet);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        base_close(ends[i]);
        *ends[i] = -1;
    }
}

static void read_death(struct puppet *puppet)
{
    char text[64];
    ssize_t got = recv(puppet->ends.server, text, sizeof text - 1, MSG_DONTWAIT);
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
    close_ends(puppet);
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
    struct puppet *alive[PUPPETS_MAX];
    nfds_t count = 0; /* poll(2) refuses more than RLIMIT_NOFILE, those of -1 included */

    for (int i = 0; i < puppets_count; i++) {
        struct puppet *puppet = puppets[i];

        if (puppet->end)
            continue;
        alive[count / 3] = puppet;
        polled[count++] = (struct pollfd){ puppet->ends.output, POLLIN, 0 };
        polled[count++] = (struct pollfd){ puppet->ends.line, POLLIN, 0 };
        polled[count++] = (struct pollfd){ puppet->ends.server, POLLIN, 0 };
    }
    if (poll(polled, count, wait_ms) <= 0)
        return;
    for (nfds_t i = 0; i < count; i += 3) {
        if (polled[i].revents)
            read_output(alive[i / 3]);
        if (polled[i + 1].revents)
            read_line(alive[i / 3]);
        if (polled[i + 2].revents)
            read_death(alive[i / 3]);
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
    syscall(SYS_pidfd_send_signal, puppet->ends.pidfd, SIGKILL, NULL, 0);
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
    return puppet->printed.kept.data ? puppet->printed.kept.data : "";
}

char *puppet_whereabouts(const struct puppet *puppet)
{
    return whereabouts_of(puppet->ends.pid);
}

char *puppet_prints(bool reports)
{
    struct text all = { 0 };
    char *shown;

    pump(0);
    for (int i = 0; i < puppets_count; i++)
        if (puppets[i]->has_worker)
            printed_tell(&puppets[i]->printed, reports, &all);
    shown = diagnosis_shorten(&all);
    text_free(&all);
    return shown;
}

struct puppet *puppet_start(void)
{
    struct puppet *puppet = start("puppets");
    cJSON *order = cJSON_CreateObject();
    const char *object = getenv("WORKBOOK_OBJECT");
    enum puppet_state state;
    cJSON *answer;
    const char *refused;

    puppet->has_worker = true;
    cJSON_AddStringToObject(order, "do", "load");
    cJSON_AddStringToObject(order, "object", object ? object : "../../worker.so");
    puppet_say(puppet, order);
    answer = puppet_listen(puppet, stage_call_ms(LOAD_MS), &state);
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
    enum puppet_state state;
    const cJSON *breach;
    cJSON *answer;

    puppet_say(puppet, cJSON_Parse("{\"do\":\"end\"}"));
    answer = puppet_listen(puppet, stage_ms(START_MS), &state);
    breach = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(answer, "breaches"), 0);
    if (leaks && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "leaks")))
        diagnosis_fail_leak(puppet);
    if (breach)
        diagnosis_fail_breach(breach, "");
    cJSON_Delete(answer);
}

void puppet_end_all(bool leaks)
{
    for (int i = 0; i < puppets_count; i++)
        if (puppets[i]->has_worker && !puppets[i]->end)
            end(puppets[i], leaks);
}
