/* course.c - see course.h */
#include "course.h"

#include <string.h>

static const struct part worker = { "worker", "worker.c",
                                    "An order that is saved reaches the warehouse once" };
static const struct part ordered = { "ordered", "ordered.c",
                                     "Events in any order take effect in theirs" };

/*
 * To add a step: add its row, suite, page, clauses, solution and starter.  The points
 * of a part sum to 100; numbers ascend without a gap.
 */
/* clang-format off */
static const struct step course[] = {
    /* part    no  slug          function          points  title */
    { &worker, 1, "validate",    "validate_event",  8, "Is this an event?",           { { 0 } } },
    { &worker, 2, "open_store",  "open_store",     12, "A store that survives",       { { 0 } } },
    { &worker, 3, "enqueue",     "enqueue",        16, "One transaction, two rows",   { { 0 } } },
    { &worker, 4, "pending",     "pending",         8, "What is still to send",       { { 0 } } },
    { &worker, 5, "receive",     "receive",        16, "Delivered twice, counted once", { { 0 } } },
    { &worker, 6, "mark_sent",   "mark_sent",      10, "Note what was acknowledged",  { { 0 } } },
    { &worker, 7, "dispatch",    "dispatch",       14, "Send, believe, mark",
      { { "", { 4, 6 } }, { "dispatch.6", { 5 } } } },
    { &worker, 8, "send_http",   "send_http",      16, "Over HTTP, and only a full answer counts",
      { { "recovery.", { 1, 2, 3, 4, 5, 6, 7 } } } },
    { &ordered,  9, "validate_envelope", "validate_envelope",  8, "Fit to be kept?",              { { 0 } } },
    { &ordered, 10, "open_side",     "open_side",     12, "Two files, two owners",           { { 0 } } },
    { &ordered, 11, "advance",       "advance",       18, "A move and its event",            { { 0 } } },
    { &ordered, 12, "receive_event", "receive_event", 16, "Custody first",                   { { 0 } } },
    { &ordered, 13, "relay",         "relay",         14, "Hand over, then note it",         { { 0 } } },
    { &ordered, 14, "apply_next",    "apply_next",    18, "Whose turn it is",                { { 0 } } },
    { &ordered, 15, "drain",         "drain",          8, "As much as can be",
      { { "", { 14 } } } },
    { &ordered, 16, "snapshot",      "snapshot",       6, "One side at one moment",
      { { "order.", { 9, 11, 12, 13, 14, 15 } } } },
};
/* clang-format on */

#define STEPS (sizeof course / sizeof *course)

const struct step *course_steps(size_t *count)
{
    *count = STEPS;
    return course;
}

const struct step *course_step(int number)
{
    for (size_t i = 0; i < STEPS; i++)
        if (course[i].number == number)
            return &course[i];
    return NULL;
}

const struct step *course_step_of(const struct part *part, const char *slug)
{
    for (size_t i = 0; i < STEPS; i++)
        if (course[i].part == part && strcmp(course[i].slug, slug) == 0)
            return &course[i];
    return NULL;
}

const struct step *course_first(const struct part *part)
{
    for (size_t i = 0; i < STEPS; i++)
        if (course[i].part == part)
            return &course[i];
    return NULL;
}

const struct step *course_next(const struct step *step)
{
    const struct step *next = course_step(step->number + 1);

    return next && next->part == step->part ? next : NULL;
}

bool course_needs(const struct step *step, const char *clause, int earlier)
{
    for (size_t i = 0; i < sizeof step->needs / sizeof *step->needs; i++) {
        const struct need *need = &step->needs[i];

        if (!need->clauses || strncmp(clause, need->clauses, strlen(need->clauses)) != 0)
            continue;
        for (size_t k = 0; k < COURSE_NEEDS_MAX; k++)
            if (need->steps[k] && need->steps[k] == earlier)
                return true;
    }
    return false;
}
