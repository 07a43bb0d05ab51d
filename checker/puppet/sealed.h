/* sealed.h - a text that learner code may read and nobody may write, not even for a moment */
#ifndef SEALED_H
#define SEALED_H

#include <stddef.h>

struct sealed {
    const char *text; /* NULL where the one given was */
    void *pages;
    size_t bytes;
};

/* A copy on pages of its own, its end at the end of what can be read; for sealed_free(). */
struct sealed sealed_copy(const char *text);
void sealed_free(struct sealed *sealed);

#endif
