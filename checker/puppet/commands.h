/*
 * commands.h - what a puppet can be told, docs/protocol.md.
 *
 * The commands that every part shares are in commands.c; a part adds a table of its own,
 * part_commands, in <part>_commands.c.  A command gets the order and an answer that it adds
 * to.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <cjson/cJSON.h>
#include <sqlite3.h>

struct puppet_command {
    const char *name;
    void (*play)(const cJSON *order, cJSON *answer);
};

/* Ends with an entry without a name; a program of no part has none. */
extern const struct puppet_command part_commands[] __attribute__((weak));

/* Plays the order; the answer is the caller's to free. */
cJSON *commands_obey(const cJSON *order);

/* The learner's function of that name; NULL, with "missing" in the answer, if there is none. */
void *commands_function(const char *name, cJSON *answer);

/* The learner's function in a variable of its own type; the command ends where it has none. */
#define LEARNERS(function)                                                                         \
    __typeof__(&function) learners_##function;                                                     \
    *(void **)&learners_##function = commands_function(#function, answer);                         \
    if (!learners_##function)                                                                      \
    return

/* Members of an order; they die where the order lacks one without a fallback. */
const char *order_text(const cJSON *order, const char *name);
int order_number(const cJSON *order, const char *name, int fallback);
sqlite3 *order_connection(const cJSON *order);

/* Keeps a connection under the name that the order gives as "as". */
void commands_keep(const cJSON *order, sqlite3 *con);

#endif
