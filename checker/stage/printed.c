/* printed.c - see printed.h */
#include "printed.h"

#include "diagnosis.h"

#include <string.h>

#define KEPT_BYTES_MAX (64 << 10)

static void forget_first(struct text *kept)
{
    const char *from = kept->data + kept->bytes - KEPT_BYTES_MAX;
    const char *line = memchr(from, '\n', KEPT_BYTES_MAX - 1);

    if (line)
        from = line + 1;
    kept->bytes -= (size_t)(from - kept->data);
    memmove(kept->data, from, kept->bytes + 1);
}

void printed_add(struct printed *printed, const char *data, size_t bytes)
{
    printed->bytes += bytes;
    text_add_bytes(&printed->kept, data, bytes);
    if (printed->kept.bytes > 2 * (size_t)KEPT_BYTES_MAX)
        forget_first(&printed->kept);
}

bool printed_is_flood(const struct printed *printed)
{
    return printed->bytes > 64 * (size_t)KEPT_BYTES_MAX;
}

void printed_tell(const struct printed *printed, bool reports, struct text *all)
{
    const struct text *kept = &printed->kept;
    size_t own = diagnosis_own_bytes(kept);

    if (reports) {
        text_add_bytes(all, kept->data + own, kept->bytes - own);
        return;
    }
    if (printed->bytes > kept->bytes)
        text_add(all, "... (%zu bytes before that are not kept) ...\n",
                 printed->bytes - kept->bytes);
    text_add_bytes(all, kept->data, own);
}
