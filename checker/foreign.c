/* foreign.c - see foreign.h */
#include "foreign.h"

#include "base.h"

#include <string.h>

/* True where a line of the file is #include "part.h", whatever the spaces in it. */
static bool includes(const struct source *source, const struct part *part)
{
    auto_free char *quoted = xprintf("\"%s.h\"", part->name);
    const char *end = source->data + source->bytes;
    const char *line = source->data;

    while (line && line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t bytes = (size_t)((newline ? newline : end) - line);
        const char *name = memmem(line, bytes, quoted, strlen(quoted));

        while (bytes && strchr(" \t", *line))
            line++, bytes--;
        if (name && bytes && *line == '#' && memmem(line, bytes, "include", 7))
            return true;
        line = newline ? newline + 1 : NULL;
    }
    return false;
}

char *foreign_refusal(const struct source *source, const struct step *step)
{
    size_t count;
    const struct step *steps = course_steps(&count);

    if (includes(source, step->part))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct part *other = steps[i].part;
        const struct step *first = course_first(other);
        const struct step *last = first;
        auto_free char *shown = NULL;

        if (other == step->part || !includes(source, other))
            continue;
        while (course_next(last))
            last = course_next(last);
        shown = escape(source->name, strlen(source->name), false);
        return xprintf("step %d is judged in %s, and %s includes %s.h, so that it belongs to steps "
                       "%d to %d",
                       step->number, step->part->file, shown, other->name, first->number,
                       last->number);
    }
    return NULL;
}

const struct part *foreign_part(const struct source *source)
{
    size_t count;
    const struct step *steps = course_steps(&count);

    for (size_t i = 0; i < count; i++)
        if (includes(source, steps[i].part))
            return steps[i].part;
    return NULL;
}
