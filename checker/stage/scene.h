/*
 * scene.h - what a scenario observes, for `checker experiment`
 *
 * SCENARIO(name, "what it shows") { ... } notes each thing that was done with what it came to, and
 * at the end the whole state as the trusted side sees it.  It expects nothing: what it observed
 * is written out, and compared with what is kept.  So nothing that differs from run to run may be
 * in it: no time, path, pid or winner of a race, and its ids and numbers are written there,
 * not drawn.  It makes a fixed number of calls, whatever they come to.
 */
#ifndef SCENE_H
#define SCENE_H

#include <cjson/cJSON.h>

#define SCENE_BYTES_MAX ((size_t)64 * 1024) /* of one scenario: above it fails */

/* Notes { "process", "does" }; the step is the scene's, for more members to be added. */
cJSON *scene_step(const char *process, const char *does);

/*
 * The state at the end, a member of the scenario; takes the tables over.  Ends the check where all that
 * was observed is too long or no UTF-8: the stores hold what nobody wrote.
 */
void scene_end_with(const char *side, cJSON *tables);

/*
 * An array of what the query gives on the store: each row is one JSON text (json_object of SQLite).
 * The look is that of store_rows.
 */
cJSON *scene_rows(const char *store, const char *query);

/* { "steps": [...], side: {...} ... } on one line, the scene's; NULL before the end. */
char *scene_text(void);

#endif
