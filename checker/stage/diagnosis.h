/* diagnosis.h - from a death, a hang or a sanitizer's report to words for the learner */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "base.h"
#include "puppet.h"

#include <cjson/cJSON.h>
#include <sys/types.h>

/* Ends the check: the puppet died, and not by us.  during: "in enqueue", "while ...". */
_Noreturn void diagnosis_fail(const struct puppet *puppet, const char *during);

/* Ends the check: memory was lost. */
_Noreturn void diagnosis_fail_leak(const struct puppet *puppet);

/* Ends the check: the call did not come back. */
_Noreturn void diagnosis_fail_hang(const struct puppet *puppet, const char *function, int calls,
                                   int ms);

/* How much of it the learner's code printed: the rest is a sanitizer's report. */
size_t diagnosis_own_bytes(const struct text *printed);

/* What was printed, escaped, head and tail of it; NULL for nothing.  The caller frees it. */
char *diagnosis_shorten(const struct text *printed);

/* Ends the check by a breach { clause, expected, got } that the puppet saw; behind follows got. */
_Noreturn void diagnosis_fail_breach(const cJSON *breach, const char *behind);

#endif
