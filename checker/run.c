/* run.c - see run.h */
#include "run.h"

#include "base.h"
#include "budget.h"
#include "child.h"
#include "home.h"
#include "place.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DECLARE_MS        3000
#define EARLIER_MS        100 /* the suite is told to be ready a little before it is killed */
#define JOBS_MIN          4
#define JOBS_MAX          12
#define FINDING_BYTES_MAX ((size_t)32 * 1024 * 1024)

/* A check that talks to a server of ours must be able to. */
static void probe_loopback(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t bytes = sizeof address;
    auto_close int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    auto_close int calling = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = { .tv_sec = 1 };
    auto_close int accepted = -1;

    if (listening != -1 && calling != -1 &&
        setsockopt(calling, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        bind(listening, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listening, 1) == 0 &&
        getsockname(listening, (struct sockaddr *)&address, &bytes) == 0 &&
        connect(calling, (struct sockaddr *)&address, bytes) == 0)
        accepted = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (accepted == -1)
        die("no TCP connection to 127.0.0.1 is possible here: %s (is the loopback interface up?)",
            strerror(errno));
}

static struct child *spawn_suite(const struct request *want, char **argv, char **env)
{
    auto_free char *name = xprintf("suite-%s", want->last->part->name);
    auto_free char *program = home_program(name);
    auto_free char *stage = place_file("stage");
    struct child *child;

    argv[0] = program;
    child = child_spawn(&(struct child_spec){
        .path = program, .argv = argv, .env = env, .cwd = stage, .says = true });
    if (!child)
        die("cannot start %s: %s", program, strerror(errno));
    return child;
}

/* The suite's own last words, for a fault of ours. */
static char *last_words(const struct child *suite)
{
    size_t bytes, dropped, kept;
    const char *output = child_output(suite, &bytes, &dropped);

    kept = bytes < 1000 ? bytes : 1000;
    return escape(output + bytes - kept, kept, true);
}

/* For the suite: which checks there are besides those of every run, or instead of them. */
static char *which_checks(const struct request *want)
{
    return want->experiment ? "WORKBOOK_EXPERIMENT=1"
           : want->walk     ? "WORKBOOK_WALK=1"
           : want->thorough ? "WORKBOOK_THOROUGH=1"
                            : NULL;
}

static void declare_checks(const struct request *want, struct findings *findings)
{
    auto_free char *place = xprintf("WORKBOOK_PLACE=%s", place_path());
    auto_free char *temporary = xprintf("TMPDIR=%s", place_path());
    char *argv[] = { NULL, NULL };
    char *env[] = { PUPPETS_PATH, "LC_ALL=C.UTF-8", "WORKBOOK_DECLARE=1",
                    place,        temporary,        which_checks(want),
                    NULL };
    struct child *suite = spawn_suite(want, argv, env);
    int64_t deadline_ms = clock_ms() + DECLARE_MS;
    enum child_news news;
    char *line;

    while ((news = child_listen(suite, deadline_ms, &line)) == CHILD_LINE) {
        findings_declare(findings, want->first, want->last, line);
        free(line);
    }
    child_kill(suite);
    if (news == CHILD_LATE || !WIFEXITED(child_status(suite))) {
        auto_free char *words = last_words(suite);

        findings_break(findings, xprintf("the suite did not declare its checks: %s", words));
    }
    child_free(suite);
    findings_sort(findings);
}

/*
 * Criterion takes an extended glob: '@(validate|open_store)' and a slash and a star.  The early
 * and the deep checks of a step are Criterion suites of their own.
 */
static char *filter(const struct request *want)
{
    struct text text = { 0 };
    const struct step *step = want->first;

    if (want->experiment)
        return xstrdup(FINDING_SCENARIO "/*");
    text_add(&text, "@(");
    for (; step; step = step == want->last ? NULL : course_next(step)) {
        text_add(&text, "%sWalk_%s", step == want->first ? "" : "|", step->slug);
        if (!want->walk)
            text_add(&text, "|%s|Early_%s", step->slug, step->slug);
        if (want->thorough)
            text_add(&text, "|%s_deep", step->slug);
    }
    text_add(&text, ")/*");
    return text.data;
}

static int jobs(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long wanted = 3 * (cores > 0 ? cores : 1) + 4;

    return (int)(wanted < JOBS_MIN ? JOBS_MIN : wanted > JOBS_MAX ? JOBS_MAX : wanted);
}

static struct child *start_suite(const struct request *want, const struct build *built,
                                 const struct budget *budget)
{
    const struct puppets *puppets = built->puppets;
    auto_free char *temporary = xprintf("TMPDIR=%s", place_path());
    auto_free char *place = xprintf("WORKBOOK_PLACE=%s", place_path());
    auto_free char *seed = xprintf("WORKBOOK_SEED=%llu", (unsigned long long)want->seed);
    auto_free char *scale = xprintf("WORKBOOK_SCALE=%.2f", puppets->scale);
    auto_free char *end =
        xprintf("WORKBOOK_DEADLINE_MS=%lld", (long long)(budget->deadline_ms - EARLIER_MS));
    auto_free char *latest =
        xprintf("WORKBOOK_LATEST_MS=%lld", (long long)(budget->latest_ms - EARLIER_MS));
    auto_free char *object = xprintf("WORKBOOK_OBJECT=%s", built->object);
    auto_free char *pattern = filter(want);
    auto_free char *parallel = xprintf("%d", jobs());
    char *argv[] = {
        NULL, "--jobs", parallel, "--full-stats", "--quiet", "--filter", pattern, NULL
    };
    char *env[] = { PUPPETS_PATH,
                    "LC_ALL=C.UTF-8",
                    temporary,
                    place,
                    seed,
                    scale,
                    puppets->leaks ? "WORKBOOK_LEAKS=1" : "WORKBOOK_LEAKS=0",
                    puppets->addresses ? "WORKBOOK_ADDRESSES=1" : "WORKBOOK_ADDRESSES=0",
                    end,
                    latest,
                    object,
                    which_checks(want),
                    NULL };

    return spawn_suite(want, argv, env);
}

/* What the suite says next, until the end of the budget, which depends on what it said. */
static enum child_news listen_to(struct child *suite, struct budget *budget,
                                 const struct build *built, const struct findings *findings,
                                 char **line)
{
    enum child_news news;

    if (!findings_are_promising(findings))
        budget->end_ms = budget->deadline_ms;
    news = child_listen(suite, budget->end_ms, line);
    if (news == CHILD_LATE && budget_extend(budget, built, findings))
        news = child_listen(suite, budget->end_ms, line);
    return news;
}

static void collect(const struct request *want, const struct build *built,
                    struct findings *findings)
{
    struct budget budget = budget_of(want, built);
    struct child *suite = start_suite(want, built, &budget);
    auto_free char *words = NULL;
    enum child_news news;
    size_t bytes = 0;
    char *line;

    while ((news = listen_to(suite, &budget, built, findings, &line)) == CHILD_LINE) {
        bytes += strlen(line);
        if (bytes < FINDING_BYTES_MAX)
            findings_take(findings, want->last->part, line);
        free(line);
        if (want->fail_fast && findings_has_failed(findings)) {
            child_kill(suite);
            findings_fill(findings, FINDING_NOT_RUN,
                          want->walk ? "another walk failed first" : "another check failed first");
            child_free(suite);
            return;
        }
    }
    findings->late = news == CHILD_LATE;
    findings->busy = findings->late && budget_is_busy();
    findings->seconds = budget_seconds(&budget, want);
    child_kill(suite);
    words = last_words(suite);
    if (news == CHILD_ENDED && !WIFEXITED(child_status(suite)))
        findings_break(findings, xprintf("the suite was ended by signal %d: %s",
                                         WTERMSIG(child_status(suite)), words));
    for (size_t i = 0; i < findings->count && !findings->late; i++)
        if (!findings->checks[i].found)
            findings_break(findings,
                           xprintf("check %s.%s never reported: %s", findings->checks[i].step->slug,
                                   findings->checks[i].name, words));
    child_free(suite);
}

static void demand_checks_of_every_step(const struct request *want, struct findings *findings)
{
    for (const struct step *step = want->first; step; step = course_next(step)) {
        bool declared = false;

        for (size_t i = 0; i < findings->count; i++)
            declared = declared || findings->checks[i].step == step;
        if (!declared)
            findings_break(findings, xprintf("step %d has no checks", step->number));
        if (step == want->last)
            break;
    }
}

struct findings run_checks(const struct request *want, const struct build *built)
{
    struct findings findings = { 0 };

    declare_checks(want, &findings);
    if (want->experiment && !findings.count && !findings.broken)
        refuse("%s has no scenarios, so that there is nothing to experiment with",
               want->last->part->file);
    if (want->walk && !findings.count && !course_next(want->last))
        refuse("there are no walks of %s: only its checks judge it (checker N FILE)",
               want->last->part->file);
    if (want->walk && !findings.count)
        refuse("there are no walks of %s up to step %d: checker walk FILE takes those of all steps",
               want->last->part->file, want->last->number);
    if (!want->walk && !want->experiment)
        demand_checks_of_every_step(want, &findings);
    if (!built->done) {
        findings_fill(&findings, FINDING_NOT_RUN, "the file does not compile");
        return findings;
    }
    if (findings.broken)
        return findings;
    probe_loopback();
    collect(want, built, &findings);
    if (findings.late) {
        auto_free char *used_up = xprintf("the %d seconds were used up before (try --budget %d)",
                                          findings.seconds, cli_larger_budget(findings.seconds));

        findings_fill(&findings, FINDING_NOT_RUN, used_up);
    }
    return findings;
}
