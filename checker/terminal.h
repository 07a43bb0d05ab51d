/*
 * terminal.h - what standard output can show, as the environment has it.
 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>

/* It is a terminal that knows colors, and nobody said NO_COLOR (https://no-color.org). */
bool terminal_shows_color(void);

/* The locale's encoding, by LC_ALL, LC_CTYPE or LANG (locale(7)), is UTF-8. */
bool terminal_shows_utf8(void);

#endif
