/* experiment.c - see experiment.h */
#include "experiment.h"

#include "base.h"
#include "home.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA         "workbook/experiment/v1"
#define KEPT_BYTES_MAX ((size_t)4 * 1024 * 1024)

static const char *member(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* --- the object ------------------------------------------------------------------------ */

static cJSON *scenario_object(const struct check *check)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *observed = cJSON_Parse(check->finding.observed ? check->finding.observed : "");

    if (!cJSON_IsObject(observed))
        die("the scenario %s says nothing of what it observed", check->name);
    cJSON_AddStringToObject(object, "name", check->name);
    cJSON_AddStringToObject(object, "shows", check->clause);
    while (observed->child) {
        cJSON *item = cJSON_DetachItemViaPointer(observed, observed->child);

        cJSON_AddItemToObject(object, item->string, item);
    }
    cJSON_Delete(observed);
    return object;
}

static cJSON *experiment_object(const struct request *want, const struct verdict *verdict)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *scenarios;

    cJSON_AddStringToObject(object, "schema", SCHEMA);
    cJSON_AddStringToObject(object, "part", want->last->part->name);
    scenarios = cJSON_AddArrayToObject(object, "scenarios");
    for (size_t i = 0; i < verdict->declared; i++)
        cJSON_AddItemToArray(scenarios, scenario_object(verdict->checks[i].check));
    return object;
}

/* --- what is kept ---------------------------------------------------------------------- */

static cJSON *read_kept(const struct part *part)
{
    auto_free char *name = xprintf("%s/experiment.json", part->name);
    auto_free char *path = home_fixtures(name);
    auto_free char *data = xmalloc(KEPT_BYTES_MAX + 1);
    FILE *file = fopen(path, "re");
    cJSON *kept;

    if (!file)
        die("cannot read what is kept of an experiment, %s: %s", path, strerror(errno));
    data[fread(data, 1, KEPT_BYTES_MAX, file)] = '\0';
    fclose(file);
    kept = cJSON_Parse(data);
    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(kept, "scenarios")) ||
        !member(kept, "schema") || strcmp(member(kept, "schema"), SCHEMA) != 0)
        die("%s is no experiment of the kind " SCHEMA, path);
    return kept;
}

/* --- how they differ ------------------------------------------------------------------- */

static const cJSON *find_named(const cJSON *scenarios, const char *name)
{
    const cJSON *scenario;

    cJSON_ArrayForEach(scenario, scenarios)
    {
        if (member(scenario, "name") && strcmp(member(scenario, "name"), name) == 0)
            return scenario;
    }
    return NULL;
}

static void compare_one(struct experiment *experiment, const struct weighed *scenario,
                        const cJSON *expected, const cJSON *got)
{
    struct mismatch mismatch = { .scenario = scenario };

    if (!difference_find(expected, got, &mismatch.at))
        return;
    mismatch.name = xstrdup(member(expected ? expected : got, "name"));
    experiment->mismatches =
        xrealloc(experiment->mismatches, (experiment->count + 1) * sizeof mismatch);
    experiment->mismatches[experiment->count++] = mismatch;
}

static void compare(struct experiment *experiment, const struct verdict *verdict, const cJSON *kept,
                    const cJSON *object)
{
    const cJSON *ours = cJSON_GetObjectItemCaseSensitive(object, "scenarios");
    const cJSON *theirs = cJSON_GetObjectItemCaseSensitive(kept, "scenarios");
    const cJSON *scenario;

    for (size_t i = 0; i < verdict->declared; i++) {
        const char *name = verdict->checks[i].check->name;

        compare_one(experiment, &verdict->checks[i], find_named(theirs, name),
                    find_named(ours, name));
    }
    cJSON_ArrayForEach(scenario, theirs)
    {
        const char *name = member(scenario, "name");

        if (name && !find_named(ours, name))
            compare_one(experiment, NULL, scenario, NULL);
    }
}

struct experiment experiment_reach(const struct request *want, const struct verdict *verdict)
{
    struct experiment experiment = { .whole = verdict->kind == VERDICT_PASSED };
    cJSON *object, *kept;

    if (!experiment.whole)
        return experiment;
    object = experiment_object(want, verdict);
    experiment.text = cJSON_Print(object);
    if (!experiment.text)
        die("out of memory");
    if (want->check) {
        kept = read_kept(want->last->part);
        compare(&experiment, verdict, kept, object);
        cJSON_Delete(kept);
    }
    cJSON_Delete(object);
    return experiment;
}

int experiment_exit_code(const struct experiment *experiment, const struct verdict *verdict)
{
    if (!experiment->whole)
        return verdict_exit_code(verdict);
    return experiment->count ? EXIT_NOT_PASSED : EXIT_PASSED;
}
