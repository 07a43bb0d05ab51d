/* response.c - see response.h */
#include "stage/response.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>

struct response response_ack(const char *id)
{
    return (struct response){ .ack_id = id };
}

struct response response_status(int status)
{
    return (struct response){ .status = status };
}

struct response response_text(int status, const char *body)
{
    return (struct response){ .status = status, .body = body };
}

struct response response_raw(const char *bytes, enum ending then)
{
    return (struct response){ .raw = bytes, .ending = then };
}

struct response response_nothing(enum ending then)
{
    return (struct response){ .cut = CUT_HEAD, .cut_at = 0, .ending = then };
}

static const char *copy_text(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

/* Sets *bytes to the true size where it was left at 0. */
static const char *copy_bytes(const char *data, size_t *bytes)
{
    char *copy;

    if (!data)
        return NULL;
    if (!*bytes)
        *bytes = strlen(data);
    copy = xmalloc(*bytes + 1);
    memcpy(copy, data, *bytes);
    return copy;
}

struct response response_copy(const struct response *response)
{
    struct response copy = *response;

    if (copy.cut != CUT_NOTHING &&
        (copy.ending == ENDING_KEEP_ALIVE || copy.ending == ENDING_ENDLESS))
        die("a response that is cut must close, reset or fall silent");
    copy.reason = copy_text(copy.reason);
    copy.headers = copy_text(copy.headers);
    copy.before = copy_text(copy.before);
    copy.ack_id = copy_text(copy.ack_id);
    copy.body = copy_bytes(copy.body, &copy.body_bytes);
    copy.raw = copy_bytes(copy.raw, &copy.raw_bytes);
    return copy;
}

void response_free(struct response *copy)
{
    free((char *)copy->reason);
    free((char *)copy->headers);
    free((char *)copy->before);
    free((char *)copy->ack_id);
    free((char *)copy->body);
    free((char *)copy->raw);
    *copy = (struct response){ 0 };
}
