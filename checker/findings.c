/* findings.c - see findings.h */
#include "findings.h"

#include "base.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define CHECKS_MAX 5000

void findings_break(struct findings *findings, char *why)
{
    if (findings->broken)
        free(why);
    else
        findings->broken = why;
}

static const char *member(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static struct check *find(struct findings *findings, const struct step *step, const char *name)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->checks[i].step == step && strcmp(findings->checks[i].name, name) == 0)
            return &findings->checks[i];
    return NULL;
}

static void add(struct findings *findings, struct check check)
{
    findings->checks = xrealloc(findings->checks, (findings->count + 1) * sizeof *findings->checks);
    findings->checks[findings->count++] = check;
}

static bool is_scenario(const char *suite)
{
    return suite && strcmp(suite, FINDING_SCENARIO) == 0;
}

/* A scenario shows the whole, which is there with the part's last step. */
static const struct step *step_of(const struct part *part, const char *suite)
{
    const struct step *step = course_first(part);

    if (!is_scenario(suite))
        return suite ? course_step_of(part, suite) : NULL;
    while (course_next(step))
        step = course_next(step);
    return step;
}

void findings_declare(struct findings *findings, const struct step *first, const struct step *last,
                      const char *line)
{
    cJSON *object = cJSON_Parse(line);
    const char *suite = member(object, "suite"), *name = member(object, "name");
    const char *clause = member(object, "clause"), *where = member(object, "where");
    const struct step *step = step_of(last->part, suite);

    if (!step || !name || !*name || !clause || !*clause || findings->count == CHECKS_MAX)
        findings_break(findings, xprintf("this is no declaration of a check: %.200s", line));
    else if (find(findings, step, name))
        findings_break(findings, xprintf("two checks are called %s.%s", suite, name));
    else if (step->number >= first->number && step->number <= last->number)
        add(findings, (struct check){ .step = step,
                                      .name = xstrdup(name),
                                      .clause = xstrdup(clause),
                                      .is_scenario = is_scenario(suite),
                                      .where = xstrdup(where ? where : "") });
    cJSON_Delete(object);
}

static bool is_own(const struct check *check)
{
    return strncmp(check->clause, check->step->slug, strlen(check->step->slug)) == 0;
}

static int compare(const void *one, const void *other)
{
    const struct check *a = one;
    const struct check *b = other;
    int clause = strverscmp(a->clause, b->clause);

    if (a->step->number != b->step->number)
        return a->step->number - b->step->number;
    if (a->is_scenario)
        return strverscmp(a->where, b->where);
    if (is_own(a) != is_own(b))
        return is_own(b) - is_own(a);
    return clause ? clause : strverscmp(a->where, b->where);
}

void findings_sort(struct findings *findings)
{
    qsort(findings->checks, findings->count, sizeof *findings->checks, compare);
}

static void make_safe(char **text)
{
    char *safe = *text ? escape(*text, strlen(*text), true) : NULL;

    free(*text);
    *text = safe;
}

void findings_take(struct findings *findings, const struct part *part, const char *line)
{
    struct finding finding;
    const struct step *step;
    struct check *check = NULL;

    if (!finding_decode(line, &finding)) {
        findings_break(findings, xprintf("this is no finding: %.200s", line));
        return;
    }
    step = step_of(part, finding.suite);
    if (step)
        check = find(findings, step, finding.name);
    if (!check || check->found) {
        findings_break(findings, xprintf("check %s.%s %s", finding.suite, finding.name,
                                         check ? "reported twice" : "was not declared"));
        finding_free(&finding);
        return;
    }
    make_safe(&finding.message);
    make_safe(&finding.did);
    make_safe(&finding.expected);
    make_safe(&finding.got);
    make_safe(&finding.output);
    make_safe(&finding.note);
    check->finding = finding;
    check->found = true;
    if (finding.kind == FINDING_BROKEN)
        findings_break(findings,
                       xprintf("check %s.%s: %s", finding.suite, finding.name,
                               check->finding.message ? check->finding.message : "broke"));
}

bool findings_has_failed(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        enum finding_kind kind = findings->checks[i].finding.kind;

        if (findings->checks[i].found && kind != FINDING_PASS && kind != FINDING_TODO &&
            kind != FINDING_NOT_RUN)
            return true;
    }
    return false;
}

bool findings_are_promising(const struct findings *findings)
{
    size_t taken = 0, passed = 0;

    for (size_t i = 0; i < findings->count; i++) {
        const struct check *check = &findings->checks[i];

        if (check->found && check->finding.kind == FINDING_HANG)
            return false;
        taken += check->found;
        passed += check->found && check->finding.kind == FINDING_PASS;
    }
    return 2 * passed >= taken;
}

void findings_fill(struct findings *findings, enum finding_kind kind, const char *message)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct check *check = &findings->checks[i];

        if (check->found)
            continue;
        check->found = true;
        check->finding = (struct finding){ .suite = xstrdup(check->step->slug),
                                           .name = xstrdup(check->name),
                                           .clause = xstrdup(check->clause),
                                           .kind = kind,
                                           .message = xstrdup(message) };
    }
}
