/*
 * opening.h - a call that opens a store: the puppet keeps the connection that it gives back.
 */
#ifndef OPENING_H
#define OPENING_H

#include "outcome.h"

#include <cjson/cJSON.h>
#include <sqlite3.h>

/*
 * Plays open with "path" and "role" (absent: NULL) and keeps the connection under the name "as".
 * opened is the clause by which one is given back, failed the one by which it is closed.
 */
void opening_play(const cJSON *order, cJSON *answer,
                  struct outcome (*open)(const char *, const char *, sqlite3 **),
                  const char *opened, const char *failed);

#endif
