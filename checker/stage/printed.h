/*
 * printed.h - what a process printed, or the last of it
 *
 * The end says most of what went wrong, and there a sanitizer speaks.
 */
#ifndef PRINTED_H
#define PRINTED_H

#include "base.h"

#include <stdbool.h>

struct printed {
    struct text kept;
    size_t bytes; /* in all */
};

void printed_add(struct printed *printed, const char *data, size_t bytes);

/* True where so much came that the rest is better left for another time. */
bool printed_is_flood(const struct printed *printed);

/* Adds the learner's own words to a text, or the reports of the sanitizers behind them. */
void printed_tell(const struct printed *printed, bool reports, struct text *all);

#endif
