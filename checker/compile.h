/*
 * compile.h - one run of the compiler, in bounds.
 */
#ifndef COMPILE_H
#define COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request;

enum compile_end {
    COMPILE_DONE,
    COMPILE_REFUSED, /* the compiler said no, or crashed */
    COMPILE_TOO_LONG,
    COMPILE_NO_TIME, /* the machine gave it no processor, or the budget was too small */
    COMPILE_TOO_LARGE,
    COMPILE_TOO_HUNGRY
};

struct compiled {
    enum compile_end end;
    char *words; /* what it printed: bytes, not text; the caller frees it */
    size_t bytes;
    char *command; /* its command line for a shell; the caller frees it */
};

#define COMPILE_CPU_S      5
#define COMPILE_WALL_MS    6000
#define COMPILE_MEMORY     (UINT64_C(1536) * 1024 * 1024)
#define COMPILE_FILE_BYTES (UINT64_C(32) * 1024 * 1024)

/* The compiler's path: CC where that names one program, else the one the workbook was
 * built with.  Dies where there is none.  The caller frees it. */
char *compile_find(void);

/* True where the object fits into a puppet with sanitizers: by the same kind of compiler. */
bool compile_suits(const char *compiler);

/*
 * Compiles <place>/source to <place>/object, both plain names, with the part's header
 * in front and the directory of the learner's file among those for its own headers.
 */
struct compiled compile_file(const struct request *want, const char *compiler, bool sanitized,
                             const char *source, const char *object);

#endif
