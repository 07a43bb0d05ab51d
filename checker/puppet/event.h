/*
 * event.h - the JSON values that a puppet is told to pass, those that no text can spell
 * included.
 */
#ifndef EVENT_H
#define EVENT_H

#include <cjson/cJSON.h>

/*
 * spec is { "text": "JSON" } or { "odd": NAME, "id": TEXT, "qty": NUMBER } with one of the
 * names in event.c.  The caller frees the value, which is NULL for the odd one "NULL".
 */
cJSON *event_make(const cJSON *spec);

#endif
