/*
 * difference.h - the first place at which two JSON texts do not say the same.
 *
 * Members are looked for by name, elements by place; what comes first is decided by the order in which
 * what is expected stands.
 */
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct difference {
    char *path;     /* steps[3].receipt; "" for the whole                        */
    char *expected; /* JSON on one line, safe to print, or "(nothing)"           */
    char *got;      /* the same                                                  */
};

/* True with *difference filled in, for difference_free; NULL is nothing. */
bool difference_find(const cJSON *expected, const cJSON *got, struct difference *difference);
void difference_free(struct difference *difference);

#endif
