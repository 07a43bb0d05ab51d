/* verdict.c - see verdict.h */
#include "verdict.h"

#include "base.h"
#include "budget.h"

#include <stdlib.h>
#include <string.h>

int verdict_share(int points, size_t i, size_t count)
{
    size_t p = (size_t)points;

    return (int)((i + 1) * p / count - i * p / count);
}

static bool went_wrong(enum finding_kind kind)
{
    return kind == FINDING_FAIL || kind == FINDING_CRASH || kind == FINDING_HANG ||
           kind == FINDING_ENDED;
}

/* The first earlier step that was judged, is broken, and is needed for this check. */
static const struct step *missing_need(const struct verdict *verdict, const struct check *check)
{
    for (size_t i = 0; i < verdict->step_count; i++) {
        const struct step_verdict *earlier = &verdict->steps[i];

        if (earlier->step->number < check->step->number && earlier->broken &&
            course_needs(check->step, check->clause, earlier->step->number))
            return earlier->step;
    }
    return NULL;
}

static void weigh_check(const struct verdict *verdict, struct weighed *weighed)
{
    const struct finding *finding = &weighed->check->finding;
    const struct step *missing = NULL;

    weighed->kind = finding->kind;
    weighed->message = finding->message;
    if (went_wrong(finding->kind))
        missing = missing_need(verdict, weighed->check);
    if (missing) {
        weighed->kind = FINDING_NOT_RUN;
        weighed->blocked =
            xprintf("needs step %d (%s), which does not hold yet", missing->number, missing->slug);
        weighed->message = weighed->blocked;
    }
    weighed->points = weighed->kind == FINDING_PASS ? weighed->max_points : 0;
}

/* Steps come in order, so that what a later one needs is decided already. */
static void weigh_step(struct verdict *verdict, const struct findings *findings,
                       const struct step *step)
{
    struct step_verdict sum = { .step = step, .first = verdict->declared };

    for (size_t i = 0; i < findings->count; i++)
        if (findings->checks[i].step == step)
            verdict->checks[sum.first + sum.count++].check = &findings->checks[i];
    for (size_t i = 0; i < sum.count; i++) {
        struct weighed *weighed = &verdict->checks[sum.first + i];

        weighed->max_points = verdict_share(step->points, i, sum.count);
        weigh_check(verdict, weighed);
        sum.points += weighed->points;
        sum.passed += weighed->kind == FINDING_PASS;
        sum.broken = sum.broken || went_wrong(weighed->kind) || weighed->kind == FINDING_TODO ||
                     weighed->blocked;
        verdict->run += weighed->kind != FINDING_NOT_RUN;
    }
    sum.holds = sum.count > 0 && sum.passed == sum.count;
    if (!sum.holds && sum.points == step->points)
        sum.points--; /* there are more checks than points, and none is for nothing */
    if (sum.count == 0)
        return; /* nothing was to be judged there: a walk has no more than some steps */
    verdict->declared += sum.count;
    verdict->passed += sum.passed;
    verdict->points += sum.points;
    verdict->max_points += step->points;
    verdict->steps[verdict->step_count++] = sum;
}

static void digest(struct verdict *verdict)
{
    struct text lines = { 0 };

    text_add_bytes(&lines, "", 0);
    for (size_t i = 0; i < verdict->declared; i++) {
        const struct weighed *weighed = &verdict->checks[i];

        text_add(&lines, "%d %s %s %s\n", weighed->check->step->number,
                 weighed->check->finding.clause ? weighed->check->finding.clause
                                                : weighed->check->clause,
                 weighed->check->name, finding_kind_name(weighed->kind));
    }
    source_sha256(lines.data, lines.bytes, verdict->digest);
    text_free(&lines);
}

/* Out of time, by a slow machine or a small budget, and nothing that ran went wrong. */
static bool is_too_slow(const struct request *want, const struct verdict *verdict,
                        const struct build *built, const struct findings *findings)
{
    if (!findings->late ||
        (built->scale < SLOW_SCALE && !findings->busy && want->budget_s >= CLI_BUDGET_S))
        return false;
    for (size_t i = 0; i < verdict->declared; i++)
        if (went_wrong(verdict->checks[i].check->finding.kind) ||
            verdict->checks[i].kind == FINDING_TODO)
            return false;
    return true;
}

static void decide(const struct request *want, struct verdict *verdict, const struct build *built,
                   const struct findings *findings)
{
    verdict->kind = verdict->declared > 0 && verdict->passed == verdict->declared
                        ? VERDICT_PASSED
                        : VERDICT_NOT_PASSED;
    for (size_t i = 0; i < verdict->step_count; i++)
        if (!verdict->steps[i].holds)
            verdict->kind = VERDICT_NOT_PASSED;
    if (findings->broken)
        verdict->reason = xstrdup(findings->broken);
    else if (is_too_slow(want, verdict, built, findings))
        verdict->reason =
            xprintf("%d seconds were not enough, on a machine that is %.1f times "
                    "slower than usual now: try --budget %d",
                    findings->seconds, built->scale, cli_larger_budget(findings->seconds));
    if (verdict->reason)
        verdict->kind = VERDICT_CANNOT_JUDGE;
}

struct verdict verdict_reach(const struct request *want, const struct build *built,
                             const struct findings *findings)
{
    struct verdict verdict = { 0 };
    size_t steps;

    course_steps(&steps);
    verdict.steps = xmalloc(steps * sizeof *verdict.steps);
    verdict.checks = xmalloc((findings->count + 1) * sizeof *verdict.checks);
    for (const struct step *step = want->first; step; step = course_next(step)) {
        weigh_step(&verdict, findings, step);
        if (step == want->last)
            break;
    }
    digest(&verdict);
    decide(want, &verdict, built, findings);
    return verdict;
}

void verdict_free(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->declared; i++)
        free(verdict->checks[i].blocked);
    free(verdict->checks);
    free(verdict->steps);
    free(verdict->reason);
    *verdict = (struct verdict){ 0 };
}

bool verdict_clause_holds(const struct verdict *verdict, const struct step_verdict *sum,
                          const char *clause)
{
    const struct weighed *checks = verdict->checks + sum->first;

    for (size_t i = 0; i < sum->count; i++) {
        const char *found = checks[i].check->finding.clause;
        bool is_of = strcmp(checks[i].check->clause, clause) == 0;

        if (checks[i].kind != FINDING_PASS && (is_of || (found && strcmp(found, clause) == 0)))
            return false;
    }
    return true;
}

int verdict_exit_code(const struct verdict *verdict)
{
    switch (verdict->kind) {
    case VERDICT_PASSED:
        return EXIT_PASSED;
    case VERDICT_NOT_PASSED:
        return EXIT_NOT_PASSED;
    case VERDICT_CANNOT_JUDGE:
        break;
    }
    return EXIT_CANNOT_JUDGE;
}
