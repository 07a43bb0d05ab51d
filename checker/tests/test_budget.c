/* test_budget.c - when a run goes on after its deadline. */
#include "budget.h"

#include "base.h"

#include <criterion/criterion.h>

static const struct build slow = { .done = true, .scale = 2.5 };
static const struct request usual = { .started_ms = 1000, .deadline_ms = 13000, .budget_s = 12 };

/* Two checks that pass, and as many more of this kind as are wanted. */
static struct findings some_findings(enum finding_kind kind, int count)
{
    struct findings findings = { 0 };
    const struct step *step = course_step(4);

    for (int i = 0; i < 2 + count; i++) {
        auto_free char *line = xprintf("{\"suite\":\"%s\",\"name\":\"c%d\",\"clause\":\"%s.1\"}",
                                       step->slug, i, step->slug);

        findings_declare(&findings, step, step, line);
        if (i >= 1)
            findings_fill(&findings, i == 1 ? FINDING_PASS : kind, "");
    }
    return findings;
}

/* What the end becomes at the deadline, on a machine that is 2.5 times slower than usual. */
static int seconds_after(enum finding_kind kind, int count)
{
    struct budget budget = budget_of(&usual, &slow);
    struct findings findings = some_findings(kind, count);

    cr_assert_eq(budget.end_ms, 12400);
    cr_assert_eq(budget_seconds(&budget, &usual), 12);
    cr_assert_eq(budget_extend(&budget, &slow, &findings), budget.end_ms > 12400);
    return budget_seconds(&budget, &usual);
}

Test(budget, a_run_goes_on_where_the_machine_is_slow)
{
    cr_assert_eq(seconds_after(FINDING_PASS, 9), 30);
    cr_assert_eq(seconds_after(FINDING_FAIL, 2), 30);
    cr_assert_eq(seconds_after(FINDING_CRASH, 2), 30);
    cr_assert_eq(seconds_after(FINDING_NOT_RUN, 1), 30);
}

Test(budget, it_ends_where_little_holds_or_a_call_hung)
{
    cr_assert_eq(seconds_after(FINDING_FAIL, 3), 12);
    cr_assert_eq(seconds_after(FINDING_TODO, 3), 12);
    cr_assert_eq(seconds_after(FINDING_CRASH, 3), 12);
    cr_assert_eq(seconds_after(FINDING_HANG, 1), 12);
}

Test(budget, what_was_asked_for_is_the_end)
{
    struct findings holds = some_findings(FINDING_PASS, 0);
    struct request asked = usual, walk = usual;
    struct budget budget;

    asked.has_budget = walk.walk = true;
    budget = budget_of(&asked, &slow);
    cr_assert_not(budget_extend(&budget, &slow, &holds));
    budget = budget_of(&walk, &slow);
    cr_assert_not(budget_extend(&budget, &slow, &holds));
}

Test(budget, five_times_the_budget_is_the_most)
{
    const struct build slowest = { .done = true, .scale = 8 };
    struct budget budget = budget_of(&usual, &slowest);
    struct findings holds = some_findings(FINDING_PASS, 0);

    cr_assert(budget_extend(&budget, &slowest, &holds));
    cr_assert_not(budget_extend(&budget, &slowest, &holds));
    cr_assert_eq(budget_seconds(&budget, &usual), 60);
}
