/* timing.c - see timing.h */
#include "report/timing.h"

#include "base.h"

#include <stdio.h>
#include <stdlib.h>

#define LONGEST 10

static int compare_ms(const void *one, const void *other)
{
    const struct weighed *a = *(const struct weighed *const *)one;
    const struct weighed *b = *(const struct weighed *const *)other;

    return b->check->finding.ms - a->check->finding.ms;
}

static void print_steps(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->step_count; i++) {
        const struct step_verdict *sum = &verdict->steps[i];
        long ms = 0;

        for (size_t k = 0; k < sum->count; k++)
            ms += verdict->checks[sum->first + k].check->finding.ms;
        printf("  %6ld ms  the %zu checks of step %d (%s), one after the other\n", ms, sum->count,
               sum->step->number, sum->step->slug);
    }
}

static void print_longest(const struct verdict *verdict)
{
    auto_free const struct weighed **sorted =
        xmalloc((verdict->declared + 1) * sizeof(struct weighed *));

    for (size_t i = 0; i < verdict->declared; i++)
        sorted[i] = &verdict->checks[i];
    qsort(sorted, verdict->declared, sizeof *sorted, compare_ms);
    for (size_t i = 0; i < verdict->declared && i < LONGEST; i++)
        printf("  %6d ms  %s, %s\n", sorted[i]->check->finding.ms, sorted[i]->check->clause,
               sorted[i]->check->name);
}

void timing_print(const struct build *built, const struct verdict *verdict, int run_ms)
{
    printf("\nwhere the time went\n");
    printf("  %6d ms  the whole run\n", run_ms);
    printf("  %6d ms  the compiler\n", built->ms);
    printf("  %6d ms  the fork server, beside it, until it was ready\n", built->ready_ms);
    printf("  %6d ms  all checks, beside each other, and the end\n", run_ms - built->ms);
    print_steps(verdict);
    printf("the longest\n");
    print_longest(verdict);
}
