/* budget.c - see budget.h */
#include "budget.h"

#include "base.h"

#include <stdlib.h>
#include <unistd.h>

#define RESERVE_MS 600
#define GO_ON_MIN  2.0 /* times the budget, at most, where a machine is busy but not slow */
#define GO_ON_MAX  5.0

struct budget budget_of(const struct request *want, const struct build *built)
{
    int reserve_ms = want->budget_s < 3 ? RESERVE_MS / 2 : RESERVE_MS;
    struct budget budget = { .deadline_ms = want->deadline_ms - reserve_ms,
                             .reserve_ms = reserve_ms };
    double times = built->scale < GO_ON_MIN   ? GO_ON_MIN
                   : built->scale > GO_ON_MAX ? GO_ON_MAX
                                              : built->scale;

    budget.latest_ms = budget.end_ms = budget.deadline_ms;
    if (!want->has_budget && !want->walk)
        budget.latest_ms += (int64_t)((times - 1) * want->budget_s * 1000);
    return budget;
}

bool budget_extend(struct budget *budget, const struct build *built,
                   const struct findings *findings)
{
    if (budget->end_ms == budget->latest_ms || !findings_are_promising(findings) ||
        (built->scale < SLOW_SCALE && !budget_is_busy()))
        return false;
    budget->end_ms = budget->latest_ms;
    return true;
}

int budget_seconds(const struct budget *budget, const struct request *want)
{
    return (int)((budget->end_ms + budget->reserve_ms - want->started_ms + 500) / 1000);
}

bool budget_is_busy(void)
{
    double load = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return getloadavg(&load, 1) == 1 && load > 1.5 * (double)(cores > 0 ? cores : 1);
}
