/* text.c - the report for a person; see report.h */
#include "base.h"
#include "report.h"
#include "report/check.h"
#include "report/head.h"
#include "report/print.h"
#include "report/timing.h"
#include "shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_COLUMNS 52
#define FULL_MAX     3 /* failing checks of a step that are shown in full */

static bool went_wrong(enum finding_kind kind)
{
    return kind == FINDING_FAIL || kind == FINDING_CRASH || kind == FINDING_HANG ||
           kind == FINDING_ENDED || kind == FINDING_BROKEN;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Where a run ends early, and on a walk, points say nothing. */
static void print_step_line(const struct request *want, const struct print *print,
                            const struct step_verdict *sum)
{
    const struct step *step = sum->step;
    auto_free char *head = xprintf("step %d %s %s %s %s", step->number, print_dot(print),
                                   step->slug, print_dot(print), step->title);
    auto_free char *points = xprintf(", %d of %d points", sum->points, step->points);

    print_colored(print, PRINT_BOLD, head);
    printf("%*s", print_columns(head) < HEAD_COLUMNS ? HEAD_COLUMNS - print_columns(head) : 1, "");
    if (sum->holds)
        print_colored(print, PRINT_GREEN, "ok");
    else if (sum->broken)
        print_colored(print, PRINT_RED, "does not hold yet");
    else
        print_colored(print, PRINT_YELLOW, "not judged to its end");
    if (want->walk)
        putchar('\n');
    else
        printf("   %zu of %zu check%s%s\n", sum->passed, sum->count, plural(sum->count),
               want->fail_fast ? "" : points);
}

static bool is_first_of(const struct weighed *checks, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(checks[k].check->clause, checks[i].check->clause) == 0)
            return false;
    return true;
}

/* The clauses that hold, as far as this step shows. */
static void print_what_holds(const struct print *print, const struct verdict *verdict,
                             const struct step_verdict *sum)
{
    const struct weighed *checks = verdict->checks + sum->first;
    struct text holding = { 0 };

    for (size_t i = 0; i < sum->count; i++) {
        const char *clause = checks[i].check->clause;

        if (is_first_of(checks, i) && verdict_clause_holds(verdict, sum, clause))
            text_add(&holding, "%s%s", holding.bytes ? ", " : "", clause);
    }
    if (holding.bytes) {
        fputs("  ", stdout);
        print_colored(print, PRINT_GREEN, print_tick(print));
        fputs(" holds: ", stdout);
        print_wrapped(11, holding.data);
    }
    text_free(&holding);
}

static const char *message_of(const struct weighed *weighed)
{
    const char *got = weighed->check->finding.got;

    if (weighed->kind == FINDING_TODO && got)
        return got;
    return weighed->message ? weighed->message : "";
}

/* How many checks of the step say the same as the i-th; 0 where an earlier one said it. */
static size_t count_alike(const struct weighed *checks, size_t count, size_t i)
{
    size_t alike = 0;

    for (size_t k = 0; k < count; k++) {
        if (checks[k].kind != checks[i].kind ||
            strcmp(message_of(&checks[k]), message_of(&checks[i])) != 0)
            continue;
        if (k < i)
            return 0;
        alike++;
    }
    return alike;
}

/* The function that returned OUTCOME_TODO, as the message says, and the step that it is of. */
static void print_what_to_write(const struct step *step, const char *message)
{
    auto_free char *named = xstrndup(message, strcspn(message, " "));

    for (const struct step *at = course_first(step->part); at; at = course_next(at))
        if (strcmp(at->function, named) == 0)
            step = at;
    check_print_page(step, NULL, *named ? named : step->function);
}

/* One line for what is not written, and one for each reason why something was not run. */
static void print_quiet_kinds(const struct print *print, const struct verdict *verdict,
                              const struct step_verdict *sum)
{
    const struct weighed *checks = verdict->checks + sum->first;
    auto_free char *todo = xprintf("%s() returns OUTCOME_TODO", sum->step->function);

    for (size_t i = 0; i < sum->count; i++) {
        bool is_todo = checks[i].kind == FINDING_TODO;
        const char *message = message_of(&checks[i]);
        size_t alike = 0;

        if (is_todo || checks[i].kind == FINDING_NOT_RUN)
            alike = count_alike(checks, sum->count, i);
        if (!alike)
            continue;
        fputs("  ", stdout);
        print_colored(print, PRINT_YELLOW, is_todo ? "not written yet" : "not run");
        printf(": %s (%zu check%s)\n", is_todo && !*message ? todo : message, alike, plural(alike));
        if (is_todo)
            print_what_to_write(sum->step, message);
    }
}

static bool is_same(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "") == 0;
}

/* One of those that were shown broke the same clause in the same way: once is enough. */
static bool is_shown(const struct weighed *const *shown, size_t count, const struct weighed *other)
{
    const struct finding *finding = &other->check->finding;

    for (size_t i = 0; i < count; i++) {
        const struct finding *before = &shown[i]->check->finding;

        if (shown[i]->kind == other->kind && is_same(before->clause, finding->clause) &&
            is_same(before->got, finding->got) && is_same(before->expected, finding->expected) &&
            is_same(before->message, finding->message))
            return true;
    }
    return false;
}

static void print_failing(const struct request *want, const struct print *print,
                          const struct verdict *verdict, const struct step_verdict *sum)
{
    const struct weighed *full[FULL_MAX];
    struct text rest = { 0 };
    size_t shown = 0, left = 0;

    for (size_t i = 0; i < sum->count; i++) {
        const struct weighed *weighed = &verdict->checks[sum->first + i];
        const struct finding *finding = &weighed->check->finding;

        if (!went_wrong(weighed->kind))
            continue;
        if (want->verbose || (shown < FULL_MAX && !is_shown(full, shown, weighed))) {
            check_print(print, weighed, want->verbose);
            if (!want->verbose)
                full[shown++] = weighed;
            continue;
        }
        left++;
        if (!rest.data || !strstr(rest.data, finding->clause))
            text_add(&rest, "%s%s", rest.bytes ? ", " : " ", finding->clause);
    }
    if (left) {
        auto_free char *more =
            xprintf("and %zu more check%s, of%s (-v shows them)", left, plural(left), rest.data);

        fputs("\n  ", stdout);
        print_wrapped(4, more);
    }
    text_free(&rest);
}

/* How many walks there were. */
static void print_notes(const struct verdict *verdict, const struct step_verdict *sum)
{
    for (size_t i = 0; i < sum->count; i++) {
        const char *note = verdict->checks[sum->first + i].check->finding.note;

        if (note)
            printf("  %s\n", note);
    }
}

static void print_step(const struct request *want, const struct print *print,
                       const struct verdict *verdict, const struct step_verdict *sum)
{
    bool in_full = sum->step == want->last || !sum->holds;

    print_step_line(want, print, sum);
    if (want->walk)
        print_notes(verdict, sum);
    if (in_full) {
        print_failing(want, print, verdict, sum);
        print_quiet_kinds(print, verdict, sum);
        print_what_holds(print, verdict, sum);
        if (!sum->holds && sum->step != want->last)
            putchar('\n');
    }
    if (want->verbose)
        check_print_times(verdict, sum);
}

static void print_sum(const struct request *want, const struct print *print,
                      const struct verdict *verdict)
{
    bool passed = verdict->kind == VERDICT_PASSED;
    const char *s = plural(verdict->declared);

    putchar('\n');
    print_colored(print, passed ? PRINT_GREEN : PRINT_RED, passed ? "passed" : "not passed");
    if (want->walk)
        printf(": walks of %zu function%s", verdict->declared, s);
    else if (want->fail_fast)
        printf(": %zu of %zu check%s held when the run ended", verdict->passed, verdict->declared,
               s);
    else
        printf(": %d of %d points, %zu of %zu check%s hold", verdict->points, verdict->max_points,
               verdict->passed, verdict->declared, s);
    printf(", %.1f s\n", (double)(clock_ms() - want->started_ms) / 1000.0);
    printf("seed %llu: repeat with --seed %llu\n", (unsigned long long)want->seed,
           (unsigned long long)want->seed);
}

static void print_next(const struct request *want, const struct verdict *verdict)
{
    auto_free char *command = shell_file(want->command);
    auto_free char *file = shell_file(want->source.name);
    const struct step *next = course_next(want->last);
    bool is_mended = verdict->kind != VERDICT_CANNOT_JUDGE;
    auto_free char *budget =
        xprintf(" --budget %d", is_mended ? want->budget_s : cli_larger_budget(want->budget_s));
    auto_free char *walk = want->minutes ? xprintf(" walk --minutes %d", want->minutes)
                                         : xstrdup(want->walk ? " walk" : "");
    const char *only = want->only ? " --only" : "";
    auto_free char *again =
        xprintf("%s%s%s%s", command, walk, only, want->has_budget && !want->minutes ? budget : "");

    if (!is_mended)
        printf("when that is mended: %s %d %s\n", again, want->last->number, file);
    else if (verdict->kind == VERDICT_NOT_PASSED)
        printf("fix it, then: %s %d %s\n", again, want->last->number, file);
    else if (want->walk)
        printf("longer: %s walk%s --minutes 10 %d %s\n", command, only, want->last->number, file);
    else if (next)
        printf("next: %s%s %d %s\n", command, want->has_budget ? budget : "", next->number, file);
    else if (want->only)
        printf("next: %s %d %s\n", command, want->last->number, file);
    else
        printf("that was the last step of this part; the course: %s --list\n", command);
}

void report_text(const struct request *want, const struct build *built,
                 const struct verdict *verdict)
{
    struct print print = { want->color, want->unicode };

    head_print(want, built);
    if (!head_print_obstacle(&print, built, verdict)) {
        for (size_t i = 0; i < verdict->step_count; i++)
            print_step(want, &print, verdict, &verdict->steps[i]);
    }
    if (verdict->kind != VERDICT_CANNOT_JUDGE)
        print_sum(want, &print, verdict);
    if (want->timing && built->done)
        timing_print(built, verdict, (int)(clock_ms() - want->started_ms));
    print_next(want, verdict);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        die("the report cannot be written to standard output: %s", strerror(errno));
}
