/* json.c - the result for programs; see report.h */
#include "base.h"
#include "report.h"
#include "report/whole.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#ifndef WORKBOOK_VERSION
#define WORKBOOK_VERSION "unknown"
#endif
#ifndef WORKBOOK_SQLITE
#define WORKBOOK_SQLITE "unknown"
#endif

#define SCHEMA     "workbook/result/v1"
#define BYTES_MAX  ((size_t)64 * 1024)
#define TEXT_START 4096 /* bytes of one text, halved until all fits */

static const char *const verdict_words[] = {
    [VERDICT_PASSED] = "passed",
    [VERDICT_NOT_PASSED] = "not passed",
    [VERDICT_CANNOT_JUDGE] = "cannot judge",
};

static bool is_inside_character(const char *at)
{
    return ((unsigned char)*at & 0xc0) == 0x80;
}

/* Cut between characters, with three dots where something is missing. */
static void add_text(cJSON *object, const char *name, const char *text, size_t most)
{
    auto_free char *cut = NULL;
    size_t bytes = most;

    if (!text || strlen(text) <= most) {
        cJSON_AddStringToObject(object, name, text ? text : "");
        return;
    }
    while (bytes && is_inside_character(text + bytes))
        bytes--;
    cut = xprintf("%.*s...", (int)bytes, text);
    cJSON_AddStringToObject(object, name, cut);
}

/* The same, but the end is kept: the last thing that was done is the one that failed. */
static void add_end(cJSON *object, const char *name, const char *text, size_t most)
{
    auto_free char *cut = NULL;
    size_t from = text ? strlen(text) : 0;

    if (from <= most) {
        add_text(object, name, text, most);
        return;
    }
    from -= most;
    while (is_inside_character(text + from))
        from++;
    cut = xprintf("...%s", text + from);
    cJSON_AddStringToObject(object, name, cut);
}

static cJSON *check_object(const struct weighed *weighed, size_t most)
{
    cJSON *object = cJSON_CreateObject();
    const struct finding *finding = &weighed->check->finding;
    const char *clause = finding->clause ? finding->clause : weighed->check->clause;

    cJSON_AddNumberToObject(object, "step", weighed->check->step->number);
    cJSON_AddStringToObject(object, "clause", clause);
    cJSON_AddStringToObject(object, "name", weighed->check->name);
    cJSON_AddStringToObject(object, "kind", finding_kind_name(weighed->kind));
    cJSON_AddNumberToObject(object, "points", weighed->points);
    cJSON_AddNumberToObject(object, "max_points", weighed->max_points);
    add_text(object, "message", weighed->message, most);
    add_end(object, "did", finding->did, most);
    add_text(object, "expected", finding->expected, most);
    add_text(object, "got", finding->got, most);
    cJSON_AddNumberToObject(object, "ms", finding->ms);
    return object;
}

static cJSON *environment_object(const struct build *built)
{
    cJSON *object = cJSON_CreateObject();
    struct utsname machine;

    cJSON_AddStringToObject(object, "cc", built->compiler);
    cJSON_AddStringToObject(object, "sqlite", WORKBOOK_SQLITE);
    cJSON_AddStringToObject(object, "kernel", uname(&machine) == 0 ? machine.release : "unknown");
    cJSON_AddBoolToObject(object, "sanitizers", built->sanitized);
    cJSON_AddBoolToObject(object, "leaks", built->leaks);
    cJSON_AddNumberToObject(object, "scale", built->scale);
    return object;
}

static void add_numbers(cJSON *object, const struct verdict *verdict)
{
    cJSON_AddStringToObject(object, "verdict", verdict_words[verdict->kind]);
    cJSON_AddNumberToObject(object, "points", verdict->points);
    cJSON_AddNumberToObject(object, "max_points", verdict->max_points);
    cJSON_AddNumberToObject(object, "declared", (double)verdict->declared);
    cJSON_AddNumberToObject(object, "run", (double)verdict->run);
    cJSON_AddStringToObject(object, "digest", verdict->digest);
}

/* most: bytes of one text; below TEXT_START the object is on one line too. */
static char *object_text(const struct request *want, const struct build *built,
                         const struct verdict *verdict, size_t most)
{
    cJSON *object = cJSON_CreateObject(), *submission, *checks;
    auto_free char *seed = xprintf("%llu", (unsigned long long)want->seed);
    char *text;

    cJSON_AddStringToObject(object, "schema", SCHEMA);
    cJSON_AddStringToObject(object, "checker", WORKBOOK_VERSION);
    cJSON_AddStringToObject(object, "part", want->last->part->name);
    cJSON_AddNumberToObject(object, "step", want->last->number);
    cJSON_AddRawToObject(object, "seed", seed);
    submission = cJSON_AddObjectToObject(object, "submission");
    cJSON_AddStringToObject(submission, "sha256", want->source.sha256);
    cJSON_AddNumberToObject(submission, "bytes", (double)want->source.bytes);
    add_numbers(object, verdict);
    cJSON_AddItemToObject(object, "environment", environment_object(built));
    cJSON_AddNumberToObject(object, "ms", (double)(clock_ms() - want->started_ms));
    if (!built->done)
        add_text(object, "compiler", built->words, most);
    checks = cJSON_AddArrayToObject(object, "checks");
    for (size_t i = 0; i < verdict->declared; i++)
        cJSON_AddItemToArray(checks, check_object(&verdict->checks[i], most));
    text = most < TEXT_START ? cJSON_PrintUnformatted(object) : cJSON_Print(object);
    cJSON_Delete(object);
    if (!text)
        die("out of memory");
    return text;
}

char *report_json_text(const struct request *want, const struct build *built,
                       const struct verdict *verdict)
{
    size_t most = TEXT_START;
    char *text = object_text(want, built, verdict, most);

    while (strlen(text) >= BYTES_MAX && most > 0) {
        free(text);
        most /= 2;
        text = object_text(want, built, verdict, most);
    }
    return text;
}

bool report_json(const struct request *want, const struct build *built,
                 const struct verdict *verdict)
{
    auto_free char *text = NULL;

    if (!want->json || verdict->kind == VERDICT_CANNOT_JUDGE)
        return true;
    text = report_json_text(want, built, verdict);
    return whole_write(want->json, text);
}
