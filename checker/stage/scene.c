/* scene.c - see scene.h */
#include "scene.h"

#include "base.h"
#include "stage.h"
#include "store.h"

#include <stdlib.h>
#include <string.h>

static struct {
    cJSON *observed; /* { "steps": [...], side: {...} } */
    char *text;      /* what it is as text, once it was asked for */
} scene;

static cJSON *observed(void)
{
    if (!scene.observed) {
        scene.observed = cJSON_CreateObject();
        cJSON_AddArrayToObject(scene.observed, "steps");
    }
    return scene.observed;
}

cJSON *scene_step(const char *process, const char *does)
{
    cJSON *step = cJSON_CreateObject();

    cJSON_AddStringToObject(step, "process", process);
    cJSON_AddStringToObject(step, "does", does);
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(observed(), "steps"), step);
    return step;
}

static _Noreturn void distrust(const char *got)
{
    /* What is wrong must not be said again, by the finding that says so. */
    free(scene.text);
    scene.text = NULL;
    stage_fail(FINDING_FAIL, NULL,
               "the stores hold text and numbers, and no more than was asked for", got);
}

/* By now: text that is no UTF-8 would not be JSON either. */
static void seal(void)
{
    auto_free char *safe = NULL;

    free(scene.text);
    scene.text = cJSON_PrintUnformatted(scene.observed);
    if (!scene.text)
        die("out of memory");
    safe = escape(scene.text, strlen(scene.text), false);
    if (strlen(scene.text) > SCENE_BYTES_MAX)
        distrust("so much that it is not to be read any more");
    if (strcmp(safe, scene.text) != 0)
        distrust("bytes that are no text");
}

void scene_end_with(const char *side, cJSON *tables)
{
    cJSON_AddItemToObject(observed(), side, tables);
    seal();
    stage_held();
}

cJSON *scene_rows(const char *store, const char *query)
{
    cJSON *rows = cJSON_CreateArray();
    auto_free char *lines = store_rows(store, query);

    for (const char *line = lines; *line;) {
        size_t bytes = strcspn(line, "\n");
        cJSON *row = cJSON_ParseWithLength(line, bytes);

        if (!row)
            distrust("a row that cannot be shown as text");
        cJSON_AddItemToArray(rows, row);
        line += bytes + (line[bytes] == '\n');
    }
    return rows;
}

char *scene_text(void)
{
    return scene.text;
}
