/*
 * hook.c - from Criterion's events to findings on descriptor 3
 *
 * Runs in Criterion's runner, which learner code is never in.  A test says its finding as the
 * message of its last assertion (--full-stats makes a passing one arrive too); a test that
 * ends without one is our own fault.
 */
#include "base.h"
#include "finding.h"
#include "stage.h"

#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FINDINGS_FD 3

static void say(const struct finding *finding)
{
    auto_free char *line = finding_encode(finding);
    auto_free char *whole = xprintf("%s\n", line);

    if (!write_all(FINDINGS_FD, whole, strlen(whole)))
        die("cannot write a finding: %s", strerror(errno));
}

static struct finding name_of(const struct criterion_test *test)
{
    return (struct finding){
        .suite = stage_suite(test, NULL),
        .name = (char *)(uintptr_t)test->name,
        .clause = (char *)(uintptr_t)test->data->description,
    };
}

static void say_broken(const struct criterion_test *test, const char *why)
{
    struct finding finding = name_of(test);

    finding.kind = FINDING_BROKEN;
    finding.message = (char *)(uintptr_t)why;
    say(&finding);
}

/* Scenarios are alone in an experiment, and nowhere else. */
static bool is_wanted(const struct criterion_test *test, bool deep)
{
    bool scenario = strcmp(test->category, FINDING_SCENARIO) == 0;
    bool walk = strncmp(test->category, "Walk_", strlen("Walk_")) == 0;

    if (scenario || getenv("WORKBOOK_EXPERIMENT"))
        return scenario && getenv("WORKBOOK_EXPERIMENT");
    return (!deep || getenv("WORKBOOK_THOROUGH")) && (walk || !getenv("WORKBOOK_WALK"));
}

static void declare(const struct criterion_test *test)
{
    struct finding finding = name_of(test);
    auto_free char *where = xprintf("%s:%u", test->data->file_, (unsigned)test->data->line_);
    bool deep;

    free(stage_suite(test, &deep));
    if (!test->data->description)
        die("%s/%s claims no clause", test->category, test->name);
    finding.kind = FINDING_NOT_RUN;
    finding.where = where;
    if (is_wanted(test, deep))
        say(&finding);
}

/* Criterion removes the socket that it names so at the end of a run, which is never reached. */
static void forget_socket(void)
{
    auto_free char *path = xprintf("/tmp/criterion_%d.sock", (int)getpid());

    unlink(path);
}

/* Before any test: with WORKBOOK_DECLARE every check is named, and none is run. */
ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
    if (!getenv("WORKBOOK_DECLARE"))
        return;
    FOREACH_SET(struct criterion_suite_set * suite, tests->suites)
    {
        FOREACH_SET(struct criterion_test * test, suite->tests)
        declare(test);
    }
    forget_socket();
    _exit(0);
}

ReportHook(POST_TEST)(struct criterion_test_stats *stats)
{
    struct finding finding = { 0 };
    bool found = false;

    for (struct criterion_assert_stats *assert = stats->asserts; assert; assert = assert->next) {
        struct finding heard;

        if (!finding_decode(assert->message, &heard))
            continue;
        if (!found || heard.kind != FINDING_PASS) {
            finding_free(&finding);
            finding = heard;
            found = true;
        } else {
            finding_free(&heard);
        }
    }
    if (found && (finding.kind != FINDING_PASS || !stats->test_status))
        say(&finding);
    else
        say_broken(stats->test, "the check ended without a finding");
    finding_free(&finding);
}

ReportHook(TEST_CRASH)(struct criterion_test_stats *stats)
{
    say_broken(stats->test, "the check itself crashed");
}
