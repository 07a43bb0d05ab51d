/* test_verdict.c - what findings weigh. */
#include "verdict.h"

#include "base.h"

#include <criterion/criterion.h>
#include <string.h>

/* Three checks for each of steps 4 to 7, all passed. */
static struct findings some_findings(void)
{
    struct findings findings = { 0 };

    for (int number = 4; number <= 7; number++)
        for (int i = 1; i <= 3; i++) {
            char *line = xprintf("{\"suite\":\"%s\",\"name\":\"c%d\",\"clause\":\"%s.%d\"}",
                                 course_step(number)->slug, i, course_step(number)->slug, i);

            findings_declare(&findings, course_step(4), course_step(7), line);
        }
    findings_fill(&findings, FINDING_PASS, "");
    return findings;
}

static struct verdict judge(const struct findings *findings)
{
    struct request want = { .first = course_step(4), .last = course_step(7) };
    struct build built = { .done = true, .scale = 1.0 };

    return verdict_reach(&want, &built, findings);
}

Test(verdict, shares_sum_to_the_points)
{
    for (int points = 1; points <= 30; points++) {
        for (size_t count = 1; count <= 50; count++) {
            int sum = 0;

            for (size_t i = 0; i < count; i++)
                sum += verdict_share(points, i, count);
            cr_assert_eq(sum, points);
        }
    }
}

Test(verdict, all_passed_is_passed_with_all_points)
{
    struct findings findings = some_findings();
    struct verdict verdict = judge(&findings);

    cr_assert_eq(verdict.kind, VERDICT_PASSED);
    cr_assert_eq(verdict.points, verdict.max_points);
    cr_assert_eq(verdict.run, 12);
}

Test(verdict, nothing_declared_is_not_passed)
{
    struct findings none = { 0 };

    cr_assert_eq(judge(&none).kind, VERDICT_NOT_PASSED);
}

Test(verdict, a_step_that_needs_a_failing_one_is_not_run)
{
    struct findings findings = some_findings();
    struct verdict verdict;

    findings.checks[0].finding.kind = FINDING_FAIL; /* step 4 */
    findings.checks[9].finding.kind = FINDING_HANG; /* step 7 needs 4 and 6 */
    findings.checks[10].finding.kind = FINDING_TODO;
    verdict = judge(&findings);

    cr_assert_eq(verdict.kind, VERDICT_NOT_PASSED);
    cr_assert_eq(verdict.checks[0].kind, FINDING_FAIL);
    cr_assert_eq(verdict.checks[9].kind, FINDING_NOT_RUN);
    cr_assert_str_eq(verdict.checks[9].message, "needs step 4 (pending), which does not hold yet");
    cr_assert_eq(verdict.checks[10].kind, FINDING_TODO);
    cr_assert_eq(verdict.max_points, judge(&findings).max_points);
}

Test(verdict, a_step_that_needs_nothing_fails_by_itself)
{
    struct findings findings = some_findings();

    findings.checks[0].finding.kind = FINDING_FAIL; /* step 4 */
    findings.checks[3].finding.kind = FINDING_FAIL; /* step 5 */

    cr_assert_eq(judge(&findings).checks[3].kind, FINDING_FAIL);
}

Test(verdict, a_fault_of_ours_is_never_the_learners)
{
    struct findings findings = some_findings();

    findings_take(&findings, course_step(4)->part, "no finding");

    cr_assert_eq(judge(&findings).kind, VERDICT_CANNOT_JUDGE);
    cr_assert_eq(verdict_exit_code(&(struct verdict){ .kind = VERDICT_CANNOT_JUDGE }), 75);
}

Test(verdict, out_of_time_on_a_slow_machine_cannot_be_judged)
{
    struct request want = { .first = course_step(4), .last = course_step(7) };
    struct build slow = { .done = true, .scale = 5.0 };
    struct findings findings = some_findings();

    findings.checks[11].finding.kind = FINDING_NOT_RUN;
    findings.late = true;
    cr_assert_eq(verdict_reach(&want, &slow, &findings).kind, VERDICT_CANNOT_JUDGE);

    findings.checks[5].finding.kind = FINDING_HANG;
    cr_assert_eq(verdict_reach(&want, &slow, &findings).kind, VERDICT_NOT_PASSED);
}

Test(verdict, the_digest_depends_on_kinds_and_not_on_times)
{
    struct findings one = some_findings(), two = some_findings();
    char first[65];

    strcpy(first, judge(&one).digest);
    two.checks[2].finding.ms = 99;
    cr_assert_str_eq(judge(&two).digest, first);
    two.checks[2].finding.kind = FINDING_CRASH;
    cr_assert_str_neq(judge(&two).digest, first);
}
