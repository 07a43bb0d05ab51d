/* observed.c - see observed.h */
#include "report/observed.h"

#include "base.h"
#include "report/check.h"
#include "report/head.h"
#include "report/print.h"
#include "report/whole.h"
#include "shell.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LABEL     15
#define NAME      30
#define SHOWN_MAX 600 /* bytes of one side of a difference */

static bool is_for_standard_output(const struct request *want)
{
    return !want->output && !want->check;
}

/* errno is that of the first write that failed, where it was 0 before. */
static void flush_or_die(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        die("the experiment cannot be written to standard output: %s", strerror(errno));
}

bool observed_write(const struct request *want, const struct experiment *experiment)
{
    if (!experiment->text)
        return true;
    if (want->output)
        return whole_write(want->output, experiment->text);
    if (is_for_standard_output(want)) {
        errno = 0;
        puts(experiment->text);
        flush_or_die();
    }
    return true;
}

static bool differs(const struct experiment *experiment, const struct weighed *scenario)
{
    for (size_t i = 0; i < experiment->count; i++)
        if (experiment->mismatches[i].scenario == scenario)
            return true;
    return false;
}

static void print_line(const struct print *print, bool good, const char *word,
                       const struct weighed *scenario)
{
    fputs("  ", stdout);
    print_colored(print, good ? PRINT_GREEN : PRINT_RED,
                  good ? print_tick(print) : print_cross(print));
    printf(" %-10s %-*s  ", word, NAME, scenario->check->name);
    puts(scenario->check->clause);
}

static void print_failing(const struct weighed *scenario, bool verbose)
{
    const struct finding *finding = &scenario->check->finding;

    if (finding->clause && strcmp(finding->clause, scenario->check->clause) != 0)
        printf("    %-*s[%s]\n", LABEL - 4, "breaks", finding->clause);
    check_print_evidence(scenario, verbose);
    check_print_output(finding, verbose);
}

static void print_scenarios(const struct request *want, const struct print *print,
                            const struct verdict *verdict, const struct experiment *experiment)
{
    size_t failing = 0; /* the first is shown in full */

    for (size_t i = 0; i < verdict->declared; i++) {
        const struct weighed *scenario = &verdict->checks[i];
        bool passed = scenario->kind == FINDING_PASS;

        if (!passed)
            print_line(print, false, check_kind_words(scenario->kind), scenario);
        else if (!experiment->whole || !want->check)
            print_line(print, true, "played", scenario);
        else if (differs(experiment, scenario))
            print_line(print, false, "differs", scenario);
        else
            print_line(print, true, "the same", scenario);
        if (!passed && (want->verbose || !failing++))
            print_failing(scenario, want->verbose);
    }
}

static void print_side(const char *label, const char *text)
{
    size_t bytes = strnlen(text, SHOWN_MAX);
    auto_free char *cut = xstrndup(text, bytes);
    auto_free char *safe = escape(cut, strlen(cut), false);
    auto_free char *whole = xprintf("%s%s", safe, text[bytes] ? " ..." : "");

    printf("    %-*s", LABEL - 4, label);
    print_wrapped(LABEL, whole);
}

static void print_mismatch(const struct mismatch *mismatch)
{
    printf("\n  the first difference is in %s\n", mismatch->name);
    print_side("at", *mismatch->at.path ? mismatch->at.path : "the whole scenario");
    print_side("expected", mismatch->at.expected);
    print_side("got", mismatch->at.got);
}

static void print_sum(const struct request *want, const struct verdict *verdict,
                      const struct experiment *experiment)
{
    size_t same = verdict->passed;

    for (size_t i = 0; i < experiment->count; i++)
        same -= experiment->mismatches[i].scenario != NULL;
    printf("\n%zu scenarios, %zu %s, %.1f s\n", verdict->declared, same,
           experiment->whole && want->check ? "as they are kept" : "played to their end",
           (double)(clock_ms() - want->started_ms) / 1000.0);
}

void observed_print(const struct request *want, const struct build *built,
                    const struct verdict *verdict, const struct experiment *experiment)
{
    struct print print = { want->color, want->unicode };
    auto_free char *command = shell_file(want->command);
    auto_free char *file = shell_file(want->source.name);

    if (is_for_standard_output(want) && experiment->text)
        return;
    if (is_for_standard_output(want) && dup2(STDERR_FILENO, STDOUT_FILENO) == -1)
        die("standard error cannot be used: %s", strerror(errno));
    errno = 0;
    head_print(want, built);
    if (!head_print_obstacle(&print, built, verdict)) {
        print_scenarios(want, &print, verdict, experiment);
        if (experiment->count)
            print_mismatch(&experiment->mismatches[0]);
        print_sum(want, verdict, experiment);
    }
    if (experiment_exit_code(experiment, verdict) != EXIT_PASSED)
        printf("then again: %s experiment%s %s\n", command, want->check ? " --check" : "", file);
    flush_or_die();
}
