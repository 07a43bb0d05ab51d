/*
 * print.h - how the lines of a report look: colour, marks, wrapped text, shell words.
 */
#ifndef PRINT_H
#define PRINT_H

#include <stdbool.h>

enum print_color { PRINT_PLAIN, PRINT_BOLD, PRINT_GREEN, PRINT_RED, PRINT_YELLOW };

/* Set from the request and handed on; colour is never the only sign. */
struct print {
    bool color, unicode;
};

/* The text, without a newline, in that colour where there is colour. */
void print_colored(const struct print *print, enum print_color color, const char *text);

/* Marks of one column; words in ASCII where the locale is not UTF-8. */
const char *print_tick(const struct print *print);
const char *print_cross(const struct print *print);
const char *print_dot(const struct print *print);

/* How wide the text is. */
int print_columns(const char *text);

/* Words up to column 88.  The first line goes on where the cursor is, at column indent. */
void print_wrapped(int indent, const char *text);

/*
 * Each line of the text behind the prefix, at most lines_max (0: all), then how many
 * were left out.
 */
void print_prefixed(const char *prefix, const char *text, int lines_max);

/* The same with the last lines, and first how many stand before them. */
void print_last(const char *prefix, const char *text, int lines_max);

#endif
