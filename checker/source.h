/*
 * source.h - the learner's file, read once into memory: that copy is what is judged.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stddef.h>

#define SOURCE_BYTES_MAX ((size_t)1024 * 1024)

struct source {
    const char *name; /* as it was given: bytes, not text */
    char *directory;  /* absolute; where its own headers are looked for */
    char *data;
    size_t bytes;
    char sha256[65]; /* lower case hexadecimal */
};

/*
 * Reads a regular file (or a symbolic link to one) that holds 1 byte to 1 MiB of
 * text.  Anything else: NULL is not returned but one sentence that says what the name
 * stands for and what to do; the caller frees it.  NULL is success.  Never blocks.
 */
char *source_read(const char *name, struct source *source);

/* The SHA-256 of the bytes, as lower case hexadecimal. */
void source_sha256(const void *data, size_t bytes, char hex[65]);

#endif
