/* operands.c - see operands.h */
#include "operands.h"

#include "base.h"
#include "foreign.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *shown(const char *text)
{
    return escape(text, strlen(text), false);
}

static const struct step *last_step_of(const struct part *part)
{
    const struct step *step = course_first(part);

    while (course_next(step))
        step = course_next(step);
    return step;
}

/* The last step of the part that has a file of that name, or else of the first part. */
static const struct step *last_step_for(const char *path)
{
    size_t count;
    const struct step *all = course_steps(&count);
    const struct part *part = all[0].part;
    const char *slash = strrchr(path, '/');

    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].part->file, slash ? slash + 1 : path) == 0)
            part = all[i].part;
    return last_step_of(part);
}

/* checker walk [N] FILE: the same as N FILE, where N is there. */
static char **take_walk(struct request *want, int *count, char **operands)
{
    static char number[16];
    static char *both[] = { number, NULL, NULL };

    want->walk = *count > 0 && strcmp(operands[0], "walk") == 0;
    if (want->minutes && !want->walk)
        refuse("--minutes is for checker walk");
    if (!want->walk)
        return operands;
    if (want->thorough)
        refuse("a walk takes no --thorough: --minutes says how long it looks");
    operands++;
    if (--*count == 0)
        refuse("say which file is to be walked through: checker walk FILE");
    if (*count != 1)
        return operands;
    snprintf(number, sizeof number, "%d", last_step_for(operands[0])->number);
    both[1] = operands[0];
    *count = 2;
    return both;
}

/* A step by its number, its slug or its function. */
static const struct step *find_step(const char *name)
{
    size_t count;
    const struct step *all = course_steps(&count);
    uint64_t number;

    if (read_number(name, 100000, &number))
        return course_step((int)number);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].slug, name) == 0 || strcmp(all[i].function, name) == 0)
            return &all[i];
    return NULL;
}

static const struct step *step_or_refuse(bool walk, int count, char **operands)
{
    size_t steps;
    const struct step *all = course_steps(&steps);
    const struct step *step;

    if (count == 0)
        refuse("say which step and which file: checker N FILE, for instance checker 1 worker.c "
               "(checker --help says more)");
    step = find_step(operands[0]);
    if (step)
        return step;
    if (count == 2 && find_step(operands[1]))
        refuse("the step comes first: checker %s%s FILE", walk ? "walk " : "", operands[1]);
    if (count == 1 && (strchr(operands[0], '.') || access(operands[0], F_OK) == 0))
        refuse("say which step '%s' is to be judged by: checker N FILE, for instance checker 1 "
               "worker.c (checker --list shows the steps)",
               shown(operands[0]));
    refuse("there is no step '%s': N is a number from %d to %d, or a name (checker --list)",
           shown(operands[0]), all[0].number, all[steps - 1].number);
}

static bool is_same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Before the work, not after it; what else may be in the way shows when it is written. */
static void demand_place(const char *option, const char *path, const char *source)
{
    const char *slash = strrchr(path, '/');
    auto_free char *directory = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
    struct stat status, judged;

    if (!*path || strcmp(path, "-") == 0)
        refuse("%s needs the name of a file", option);
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        refuse("%s needs the name of a file: %s is a directory", option, shown(path));
    if (stat(path, &status) == 0 && stat(source, &judged) == 0 && is_same_file(&status, &judged))
        refuse("%s %s is the file that is to be judged: name another, it would be overwritten",
               option, shown(path));
    if (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode))
        refuse("%s %s: there is no directory %s", option, shown(path), shown(directory));
}

/* checker experiment FILE: all scenarios of the part that the file says it is of. */
static void take_experiment(struct request *want, int count, char **operands)
{
    const struct part *part;
    char *refusal;

    if (count == 0)
        refuse("say which file is to be experimented with: checker experiment FILE");
    if (count > 1)
        refuse("an experiment has no steps, and one file at a time: checker experiment FILE");
    if (want->only || want->thorough || want->json || want->minutes || want->fail_fast)
        refuse("an experiment takes --output and --check, and neither --only, --thorough, --json, "
               "--minutes nor --fail-fast");
    if (want->output)
        demand_place("--output", want->output, operands[0]);
    refusal = source_read(operands[0], &want->source);
    if (refusal)
        refuse("%s", refusal);
    part = foreign_part(&want->source);
    want->last = part ? last_step_of(part) : last_step_for(operands[0]);
    want->first = course_first(want->last->part);
}

void operands_take(struct request *want, int count, char **operands)
{
    char *refusal;

    want->experiment = count > 0 && strcmp(operands[0], "experiment") == 0;
    if (want->experiment) {
        take_experiment(want, count - 1, operands + 1);
        return;
    }
    if (want->output || want->check)
        refuse("--output and --check are for checker experiment");
    operands = take_walk(want, &count, operands);
    want->last = step_or_refuse(want->walk, count, operands);
    want->first = want->only ? want->last : course_first(want->last->part);
    if (count == 1)
        refuse("say which file step %d is to be judged in: checker %d %s", want->last->number,
               want->last->number, want->last->part->file);
    if (count > 2)
        refuse("one file at a time: '%s' is one too many", shown(operands[2]));
    if (want->json)
        demand_place("--json", want->json, operands[1]);
    refusal = source_read(operands[1], &want->source);
    if (refusal || (refusal = foreign_refusal(&want->source, want->last)))
        refuse("%s", refusal);
}
