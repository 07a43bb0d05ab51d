/* did.c - see did.h */
#include "did.h"

#include "base.h"
#include "stage.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)16 * 1024) /* a loop can do very much */

static struct text did;
static struct text ended_well; /* what was forgotten last */

void stage_did(const char *format, ...)
{
    va_list arguments;
    auto_free char *line = NULL;
    auto_free char *safe = NULL;

    if (did.bytes > BYTES_MAX)
        return;
    va_start(arguments, format);
    line = xvprintf(format, arguments);
    va_end(arguments);
    safe = escape(line, strnlen(line, BYTES_MAX), false);
    text_add(&did, "%s%s", did.bytes ? "\n" : "", safe);
    if (did.bytes > BYTES_MAX)
        text_add(&did, "\n... and more");
}

size_t stage_done(void)
{
    return did.bytes;
}

void stage_forget_since(size_t done)
{
    did.bytes = done;
    if (did.data)
        did.data[done] = '\0';
}

void stage_forget(void)
{
    const char *last = did.data ? strrchr(did.data, '\n') : NULL;

    if (did.bytes) {
        text_free(&ended_well);
        text_add(&ended_well, "(calls that came to what was expected, the last of them:) %s",
                 last ? last + 1 : did.data);
    }
    text_free(&did);
}

const char *did_text(void)
{
    return did.bytes ? did.data : ended_well.data;
}
