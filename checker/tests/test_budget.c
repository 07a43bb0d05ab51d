/* test_budget.c - when a run goes on after its deadline. */
#include "budget.h"

#include "base.h"

#include <criterion/criterion.h>

static const struct build slow = { .done = true, .scale = 2.5 };
static const struct request usual = { .started_ms = 1000, .deadline_ms = 13000, .budget_s = 12 };

static struct findings one_finding(enum finding_kind kind)
{
    struct findings findings = { 0 };
    const struct step *step = course_step(4);
    auto_free char *line =
        xprintf("{\"suite\":\"%s\",\"name\":\"c\",\"clause\":\"%s.1\"}", step->slug, step->slug);

    findings_declare(&findings, step, step, line);
    findings_fill(&findings, kind, "");
    return findings;
}

Test(budget, a_run_that_holds_goes_on_where_the_machine_is_slow)
{
    struct budget budget = budget_of(&usual, &slow);
    struct findings holds = one_finding(FINDING_PASS);

    cr_assert_eq(budget.deadline_ms, 12400);
    cr_assert_eq(budget.latest_ms, 12400 + 18000);
    cr_assert(budget_goes_on(&budget, &slow, &holds));
    cr_assert_eq(budget_seconds(&budget, &usual, budget.deadline_ms), 12);
    cr_assert_eq(budget_seconds(&budget, &usual, budget.latest_ms), 30);
}

Test(budget, it_ends_where_something_does_not_hold)
{
    static const enum finding_kind kinds[] = { FINDING_FAIL, FINDING_CRASH, FINDING_HANG,
                                               FINDING_ENDED, FINDING_TODO };
    struct budget budget = budget_of(&usual, &slow);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct findings findings = one_finding(kinds[i]);

        cr_assert_not(budget_goes_on(&budget, &slow, &findings));
    }
}

Test(budget, what_was_asked_for_is_the_end)
{
    struct findings holds = one_finding(FINDING_PASS);
    struct request asked = usual, walk = usual;
    struct budget budget;

    asked.has_budget = walk.walk = true;
    budget = budget_of(&asked, &slow);
    cr_assert_eq(budget.latest_ms, budget.deadline_ms);
    cr_assert_not(budget_goes_on(&budget, &slow, &holds));

    budget = budget_of(&walk, &slow);
    cr_assert_not(budget_goes_on(&budget, &slow, &holds));
}

Test(budget, five_times_the_budget_is_the_most)
{
    const struct build slowest = { .done = true, .scale = 8 };
    struct budget budget = budget_of(&usual, &slowest);

    cr_assert_eq(budget_seconds(&budget, &usual, budget.latest_ms), 60);
}
