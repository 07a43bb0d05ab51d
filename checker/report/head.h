/*
 * head.h - how each report begins: which file, how it was compiled, and what keeps it from being judged.
 */
#ifndef HEAD_H
#define HEAD_H

#include "build.h"
#include "cli.h"
#include "report/print.h"
#include "verdict.h"

#include <stdbool.h>

void head_print(const struct request *want, const struct build *built);

/* Why nothing was judged, where it cannot be judged or does not compile; else false. */
bool head_print_obstacle(const struct print *print, const struct build *built,
                         const struct verdict *verdict);

#endif
