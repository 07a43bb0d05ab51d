/*
 * whole.h - a file for programs appears whole or not at all.
 */
#ifndef WHOLE_H
#define WHOLE_H

#include <stdbool.h>

/*
 * Writes the text and a newline to that path, by way of a file beside it; into a device, a pipe or what
 * standard output is, directly.  Where that is not possible an old file stays as it was, a sentence
 * goes to standard error, and false comes back.
 */
bool whole_write(const char *path, const char *text);

#endif
