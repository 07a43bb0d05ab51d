/*
 * base.h - what every trusted program here leans on: dying for our own faults,
 * memory that cannot fail, one clock, text that is safe to show.
 */
#ifndef BASE_H
#define BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXIT_PASSED       0
#define EXIT_NOT_PASSED   1
#define EXIT_USAGE        2
#define EXIT_CANNOT_JUDGE 75 /* EX_TEMPFAIL of sysexits.h: our fault or the machine's */

/* Closes a descriptor, or frees memory, when the variable goes out of scope. */
#define auto_close __attribute__((cleanup(base_close)))
#define auto_free  __attribute__((cleanup(base_free)))
void base_close(const int *fd);
void base_free(void *pointer_to_pointer);

/*
 * Reports a fault of ours or of the machine, never the learner's, as one sentence
 * on standard error, runs the function set with die_with, and exits 75.
 */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void die_with(void (*clean_up)(void));

/* Says in one sentence what is wrong with the command line, cleans up as die does, and exits 2. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on die says its sentence to this function, which does not return, instead. */
void die_by(void (*end)(const char *why));

/* These die where memory runs out; what they return is the caller's to free. */
void *xmalloc(size_t bytes);
void *xrealloc(void *old, size_t bytes);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t bytes_max);
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvprintf(const char *format, va_list arguments);

/* A text that grows.  Starts as { 0 }; data is always NUL-terminated once anything was added. */
struct text {
    char *data;
    size_t bytes;
    size_t room; /* bytes that data has */
};
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const void *data, size_t bytes);
void text_free(struct text *text);

/* Milliseconds of CLOCK_MONOTONIC, the only clock here. */
int64_t clock_ms(void);

/* A descriptor that is written to the end; false with errno where it is not. */
bool write_all(int fd, const void *data, size_t bytes);

/*
 * The bytes as text for a person or for JSON: valid UTF-8 and tab stay, newline stays
 * where keep_newlines, everything else becomes \xNN (C escapes for \r, \n, \0).  The
 * caller frees it.
 */
char *escape(const void *data, size_t bytes, bool keep_newlines);

/* True for decimal digits and nothing else, up to max. */
bool read_number(const char *text, uint64_t max, uint64_t *number);

#endif
