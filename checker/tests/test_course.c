/* test_course.c - the table is whole: points, order, needs. */
#include "course.h"

#include <criterion/criterion.h>
#include <string.h>

Test(course, points_of_every_part_sum_to_100)
{
    size_t count;
    const struct step *steps = course_steps(&count);

    for (size_t i = 0; i < count; i++) {
        int sum = 0;

        for (const struct step *step = course_first(steps[i].part); step; step = course_next(step))
            sum += step->points;
        cr_assert_eq(sum, COURSE_PART_POINTS, "part %s: %d", steps[i].part->name, sum);
    }
}

Test(course, numbers_ascend_without_a_gap)
{
    size_t count;
    const struct step *steps = course_steps(&count);

    for (size_t i = 0; i < count; i++)
        cr_assert_eq(steps[i].number, (int)i + 1);
}

Test(course, needs_name_earlier_steps_of_the_same_part)
{
    size_t count;
    const struct step *steps = course_steps(&count);

    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < 2 && steps[i].needs[n].clauses; n++)
            for (size_t k = 0; k < COURSE_NEEDS_MAX && steps[i].needs[n].steps[k]; k++)
                cr_assert(steps[i].needs[n].steps[k] < steps[i].number &&
                          course_step(steps[i].needs[n].steps[k])->part == steps[i].part);
}

Test(course, a_need_applies_to_its_clauses_only)
{
    const struct step *last = course_step(8);

    cr_assert(course_needs(last, "recovery.1", 5));
    cr_assert_not(course_needs(last, "send_http.1", 5));
    cr_assert(course_needs(course_step(7), "common.2", 4));
    cr_assert_not(course_needs(course_step(7), "dispatch.1", 5));
}
