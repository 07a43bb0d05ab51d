/* finding.c - see finding.h */
#include "finding.h"

#include "base.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
    [FINDING_PASS] = "pass",       [FINDING_FAIL] = "fail",     [FINDING_CRASH] = "crash",
    [FINDING_HANG] = "hang",       [FINDING_ENDED] = "ended",   [FINDING_TODO] = "todo",
    [FINDING_NOT_RUN] = "not run", [FINDING_BROKEN] = "broken",
};

/* The members that are texts, by their JSON names. */
static const struct {
    const char *name;
    size_t offset;
} texts[] = {
    { "suite", offsetof(struct finding, suite) },
    { "name", offsetof(struct finding, name) },
    { "clause", offsetof(struct finding, clause) },
    { "message", offsetof(struct finding, message) },
    { "did", offsetof(struct finding, did) },
    { "expected", offsetof(struct finding, expected) },
    { "got", offsetof(struct finding, got) },
    { "output", offsetof(struct finding, output) },
    { "report", offsetof(struct finding, report) },
    { "note", offsetof(struct finding, note) },
    { "observed", offsetof(struct finding, observed) },
    { "where", offsetof(struct finding, where) },
};

#define TEXTS (sizeof texts / sizeof *texts)

static char **text_of(const struct finding *finding, size_t i)
{
    return (char **)((char *)finding + texts[i].offset);
}

const char *finding_kind_name(enum finding_kind kind)
{
    return kind_names[kind];
}

char *finding_encode(const struct finding *finding)
{
    cJSON *object = cJSON_CreateObject();
    char *line;

    for (size_t i = 0; i < TEXTS; i++)
        if (*text_of(finding, i))
            cJSON_AddStringToObject(object, texts[i].name, *text_of(finding, i));
    cJSON_AddStringToObject(object, "kind", finding_kind_name(finding->kind));
    cJSON_AddNumberToObject(object, "ms", finding->ms);
    line = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (!line)
        die("out of memory");
    return line;
}

static bool decode_kind(const cJSON *object, enum finding_kind *kind)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "kind"));

    for (size_t i = 0; name && i < sizeof kind_names / sizeof *kind_names; i++) {
        if (strcmp(kind_names[i], name) == 0) {
            *kind = (enum finding_kind)i;
            return true;
        }
    }
    return false;
}

bool finding_decode(const char *line, struct finding *finding)
{
    cJSON *object = cJSON_Parse(line);
    bool whole = false;

    *finding = (struct finding){ 0 };
    for (size_t i = 0; i < TEXTS; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, texts[i].name);

        if (cJSON_IsString(item))
            *text_of(finding, i) = xstrdup(item->valuestring);
    }
    if (decode_kind(object, &finding->kind))
        whole = finding->suite && finding->name && finding->clause;
    if (whole)
        finding->ms = (int)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, "ms"));
    else
        finding_free(finding);
    cJSON_Delete(object);
    return whole;
}

void finding_free(struct finding *finding)
{
    for (size_t i = 0; i < TEXTS; i++)
        free(*text_of(finding, i));
    *finding = (struct finding){ 0 };
}
