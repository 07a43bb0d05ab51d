/*
 * report.h - a verdict in words and as JSON.  Nothing is decided here.
 */
#ifndef REPORT_H
#define REPORT_H

#include "build.h"
#include "cli.h"
#include "verdict.h"

#include <stdbool.h>

/*
 * Prints the text on standard output; the last line is the command to type next.
 * Dies where it cannot be written.
 */
void report_text(const struct request *want, const struct build *built,
                 const struct verdict *verdict);

/*
 * Writes the result for programs where the request names a file: one JSON object of at
 * most 64 KiB.  did, expected, got and message are shortened where it would be larger,
 * no check is left out.  Where the file does not compile the member "compiler" holds
 * the compiler's words.  The file appears whole or not at all; where it cannot be
 * written an old one stays as it was, a sentence goes to standard error, and false
 * comes back.  Nothing is written, and an old file stays, where the run cannot be judged.
 */
bool report_json(const struct request *want, const struct build *built,
                 const struct verdict *verdict);

/* The object as text; the caller frees it. */
char *report_json_text(const struct request *want, const struct build *built,
                       const struct verdict *verdict);

#endif
