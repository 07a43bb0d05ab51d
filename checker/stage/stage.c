/* stage.c - see stage.h */
#include "stage.h"

#include "base.h"
#include "did.h"
#include "marks.h"
#include "puppet.h"
#include "scene.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES_MAX ((size_t)16 * 1024) /* of one text of a finding */

static struct {
    char directory[4096];
    uint64_t random;
    double scale;
    int64_t deadline_ms; /* of the whole suite                                  */
    int64_t latest_ms;   /* and where it goes on on a slow machine */
    bool leaks;
    bool is_trial;
    const char *clause; /* that fails from now on; NULL: the check's own */
    struct text note;
    char where[128];
    const char *also_right; /* or NULL */
    int held;
    int64_t started_ms;
} stage;

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    if (!value)
        die("a suite is run by the checker, which sets %s", name);
    return value;
}

void stage_enter_directory(void)
{
    if (chdir(stage.directory) != 0)
        stage_fail(FINDING_FAIL, NULL, "the directory of the stores stays as it is",
                   "it was removed, renamed or closed");
}

/* FNV-1a (Fowler, Noll, Vo), so that two checks of one run draw different numbers. */
static uint64_t hash(uint64_t start, const char *text)
{
    for (; *text; text++)
        start = (start ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return start;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
uint64_t stage_random(void)
{
    uint64_t z = stage.random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int stage_left_ms(void)
{
    return (int)(stage.deadline_ms - clock_ms());
}

int stage_ms(int ms)
{
    return (int)(ms * stage.scale);
}

int stage_call_ms(int ms)
{
    int64_t end_ms = clock_ms() < stage.deadline_ms ? stage.deadline_ms : stage.latest_ms;
    int64_t half_ms = (end_ms - clock_ms()) / 2;
    int least_ms = stage.latest_ms > stage.deadline_ms ? 2 * ms : ms;

    if (half_ms < least_ms)
        half_ms = least_ms;
    return stage_ms(ms) < half_ms ? stage_ms(ms) : (int)half_ms;
}

const char *stage_directory(void)
{
    return stage.directory;
}

char *stage_suite(const struct criterion_test *test, bool *deep)
{
    static const char *const kinds[] = { "Early_", "Walk_" };
    const char *slug = test->category;
    const char *end = strstr(slug, "_deep");

    if (deep)
        *deep = end != NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(slug, kinds[i], strlen(kinds[i])) == 0)
            slug += strlen(kinds[i]);
    return end ? xstrndup(slug, (size_t)(end - slug)) : xstrdup(slug);
}

/* The finding as far as it is the same whatever the check came to; texts are borrowed. */
static struct finding finding_here(enum finding_kind kind)
{
    const struct criterion_test *test = criterion_current_test;

    if (!stage.where[0])
        stage_at(test->data->file_, (int)test->data->line_);
    return (struct finding){
        .suite = stage_suite(test, NULL),
        .name = (char *)(uintptr_t)test->name,
        .clause = (char *)(uintptr_t)test->data->description,
        .kind = kind,
        .did = (char *)(uintptr_t)did_text(),
        .note = stage.note.data,
        .observed = scene_text(),
        .where = stage.where,
        .output = puppet_prints(false),
        .report = puppet_prints(true),
        .ms = (int)(clock_ms() - stage.started_ms),
    };
}

/* Says the finding as Criterion's assertion, which ends the check where it is no pass. */
static void say(const struct finding *finding) /* NOLINT(readability-function-size): macros */
{
    auto_free char *line = finding_encode(finding);

    if (stage.is_trial && finding->kind == FINDING_BROKEN)
        fprintf(stderr, "%s\n", finding->message);
    if (stage.is_trial)
        _exit(finding->kind == FINDING_BROKEN ? STAGE_TRIAL_BROKEN : STAGE_TRIAL_FAILED);
    if (finding->kind == FINDING_PASS)
        cr_assert(true, "%s", line);
    else
        cr_assert_fail("%s", line);
}

/* A fault of ours ends the check as broken, with the sentence. */
static void end_broken(const char *why)
{
    struct finding finding = finding_here(FINDING_BROKEN);

    finding.message = escape(why, strlen(why), true);
    say(&finding);
}

static void raise_stage(void)
{
    auto_free char *floor = xprintf("%s/stage", environment("WORKBOOK_PLACE"));
    const struct criterion_test *test = criterion_current_test;

    die_by(end_broken);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    stage.started_ms = clock_ms();
    stage.deadline_ms = strtoll(environment("WORKBOOK_DEADLINE_MS"), NULL, 10);
    stage.latest_ms = strtoll(environment("WORKBOOK_LATEST_MS"), NULL, 10);
    stage.scale = strtod(environment("WORKBOOK_SCALE"), NULL);
    stage.leaks = strcmp(environment("WORKBOOK_LEAKS"), "1") == 0;
    stage.random = strtoull(environment("WORKBOOK_SEED"), NULL, 10);
    stage.random =
        hash(hash(stage.random ^ UINT64_C(0xcbf29ce484222325), test->category), test->name);
    if (chdir(floor) != 0)
        die("cannot enter %s: %s", floor, strerror(errno));
    snprintf(stage.directory, sizeof stage.directory, "%s/XXXXXX", floor);
    if (!mkdtemp(stage.directory))
        die("cannot make %s: %s", stage.directory, strerror(errno));
}

void stage_proves(const char *clause)
{
    stage.clause = clause;
}

void stage_begin_trial(void)
{
    stage.is_trial = true;
}

void stage_end_trial(void)
{
    puppet_end_all(stage.leaks);
    _exit(STAGE_TRIAL_HELD);
}

void stage_note(const char *format, ...)
{
    va_list arguments;
    auto_free char *line = NULL;

    va_start(arguments, format);
    line = xvprintf(format, arguments);
    va_end(arguments);
    text_add(&stage.note, "%s%s", stage.note.bytes ? "; " : "", line);
}

void stage_held(void)
{
    stage.held++;
}

void stage_at(const char *file, int line)
{
    const char *slash = strrchr(file, '/');

    snprintf(stage.where, sizeof stage.where, "%s:%d", slash ? slash + 1 : file, line);
}

const char *stage_clause(void)
{
    return stage.clause ? stage.clause : criterion_current_test->data->description;
}

void stage_or(const char *also_right)
{
    stage.also_right = also_right;
}

void stage_fail(enum finding_kind kind, const char *clause, const char *expected, const char *got)
{
    struct finding finding = finding_here(kind);
    bool is_either = kind == FINDING_FAIL && !clause && stage.also_right;
    auto_free char *whole = xprintf("%.*s%s%s", (int)TEXT_BYTES_MAX, expected,
                                    is_either ? "\nor " : "", is_either ? stage.also_right : "");
    auto_free char *safe_expected = escape(whole, strlen(whole), true);
    auto_free char *safe_got =
        got ? escape(got, strnlen(got, TEXT_BYTES_MAX), true) : xstrdup("(nothing)");

    finding.expected = safe_expected;
    finding.got = safe_got;
    if (clause || stage.clause)
        finding.clause = (char *)(uintptr_t)(clause ? clause : stage.clause);
    say(&finding);
    abort();
}

void stage_needs_leaks(void)
{
    if (!stage.leaks)
        stage_fail(FINDING_NOT_RUN, NULL, "a machine on which leaks can be found",
                   "LeakSanitizer does not work here");
}

void stage_play(void (*check)(void))
{
    struct finding finding;

    raise_stage();
    check();
    puppet_end_all(stage.leaks);
    marks_judge(finding_here(FINDING_PASS).suite);
    if (stage.held == 0)
        die("%s/%s expects nothing", criterion_current_test->category,
            criterion_current_test->name);
    finding = finding_here(FINDING_PASS);
    say(&finding);
}
