/* channel.c - see channel.h */
#include "channel.h"

#include "base.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct {
    int in;
    int out;
    struct text pending; /* bytes that came behind the last line */
    char nonce[33];
} channel = { .in = -1, .out = -1 };

void channel_open(int in, int out)
{
    channel.in = in;
    channel.out = out;
}

/* The next line without its newline; the caller frees it. */
static char *read_line(void)
{
    char *newline;
    char *line;

    while (!channel.pending.data || !(newline = strchr(channel.pending.data, '\n'))) {
        char buffer[4096];
        ssize_t got = read(channel.in, buffer, sizeof buffer);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            _exit(EXIT_CANNOT_JUDGE); /* the test is gone, and so is our purpose */
        text_add_bytes(&channel.pending, buffer, (size_t)got);
    }
    line = xstrndup(channel.pending.data, (size_t)(newline - channel.pending.data));
    channel.pending.bytes -= strlen(line) + 1;
    memmove(channel.pending.data, newline + 1, channel.pending.bytes + 1);
    return line;
}

cJSON *channel_listen(void)
{
    auto_free char *line = read_line();
    cJSON *order = cJSON_Parse(line);
    const char *nonce = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(order, "n"));

    if (!order)
        die("the puppet was told something that is no JSON: %s", line);
    snprintf(channel.nonce, sizeof channel.nonce, "%s", nonce ? nonce : "");
    return order;
}

void channel_say(cJSON *message)
{
    auto_free char *line = NULL;
    auto_free char *whole = NULL;

    cJSON_AddStringToObject(message, "n", channel.nonce);
    line = cJSON_PrintUnformatted(message);
    cJSON_Delete(message);
    if (!line)
        die("out of memory");
    whole = xprintf("%s\n", line);
    if (!write_all(channel.out, whole, strlen(whole)))
        _exit(EXIT_CANNOT_JUDGE);
}
