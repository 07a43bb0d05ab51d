/* cli.c - see cli.h */
#include "cli.h"

#include "base.h"
#include "operands.h"
#include "terminal.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef WORKBOOK_VERSION
#define WORKBOOK_VERSION "unknown"
#endif

#define THOROUGH_S   120
#define WALK_S       60
#define EXPERIMENT_S 60
#define BUDGET_S_MIN 1
#define BUDGET_S_MAX 3600
#define LARGER_S     60

static const char usage[] =
    "usage: checker [options] N FILE\n"
    "       checker walk [options] [N] FILE\n"
    "       checker experiment [options] FILE\n"
    "\n"
    "Compiles a copy of FILE and judges steps 1 to N of its part, N being a number or a name\n"
    "(--list); walk looks for a sequence of calls that does not do what the contract says, for\n"
    "as long as you like; experiment plays the scenarios of FILE's part and prints what they\n"
    "observed, receipts and full state, as JSON.\n"
    "\n"
    "  --only            step N alone\n"
    "  --fail-fast       stop at the first check that fails\n"
    "  --list            the steps of the course\n"
    "  --seed S          what is drawn (ids, quantities, walks) comes from S, not from the file\n"
    "  --budget SECONDS  time from start to verdict (12)\n"
    "  --json FILE       write the result for programs, whole or not at all\n"
    "  --color WHEN      auto, always or never (auto)\n"
    "  --thorough        the slow, deep checks too, within 120 seconds\n"
    "  --minutes M       how long to walk (1)\n"
    "  --output FILE     where an experiment's JSON goes, whole or not at all\n"
    "  --check           compares it with the one that is kept, and shows the first difference\n"
    "  --timing          where the time of the run went\n"
    "  -v, --verbose     every failing check in full, counts and times\n"
    "  --no-sanitizers   compile without ASan and UBSan\n"
    "  -h, --help, --version\n"
    "  --                what follows is no option\n"
    "\n"
    "Exit: 0 passed, 1 not passed, 2 wrong usage, 75 cannot be judged here,\n"
    "128+n ended by signal n.\n";

enum option_code {
    OPTION_ONLY = 256,
    FAIL_FAST,
    LIST,
    SEED,
    BUDGET,
    JSON,
    COLOR,
    PLAIN,
    THOROUGH,
    MINUTES,
    OUTPUT,
    CHECK,
    TIMING,
    HELP,
    VERSION
};

static const struct option options[] = {
    { "only", no_argument, NULL, OPTION_ONLY },
    { "fail-fast", no_argument, NULL, FAIL_FAST },
    { "list", no_argument, NULL, LIST },
    { "seed", required_argument, NULL, SEED },
    { "budget", required_argument, NULL, BUDGET },
    { "json", required_argument, NULL, JSON },
    { "color", required_argument, NULL, COLOR },
    { "colour", required_argument, NULL, COLOR },
    { "verbose", no_argument, NULL, 'v' },
    { "no-sanitizers", no_argument, NULL, PLAIN },
    { "help", no_argument, NULL, HELP },
    { "version", no_argument, NULL, VERSION },
    { "thorough", no_argument, NULL, THOROUGH },
    { "timing", no_argument, NULL, TIMING },
    { "minutes", required_argument, NULL, MINUTES },
    { "output", required_argument, NULL, OUTPUT },
    { "check", no_argument, NULL, CHECK },
    { 0 },
};

_Noreturn static void leave_after_printing(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        die("cannot write to standard output: %s", strerror(errno));
    exit(EXIT_PASSED);
}

_Noreturn static void print_list(void)
{
    size_t count;
    const struct step *steps = course_steps(&count);

    for (size_t i = 0; i < count; i++) {
        if (i == 0 || steps[i].part != steps[i - 1].part)
            printf("%s: %s\nstep  function           points  title\n", steps[i].part->file,
                   steps[i].part->title);
        printf("%4d  %-17s  %6d  %s\n", steps[i].number, steps[i].function, steps[i].points,
               steps[i].title);
    }
    leave_after_printing();
}

_Noreturn static void print_and_leave(int code)
{
    if (code == LIST)
        print_list();
    if (code == VERSION)
        puts("checker " WORKBOOK_VERSION);
    else
        fputs(usage, stdout);
    leave_after_printing();
}

static char *shown(const char *text)
{
    return escape(text, strlen(text), false);
}

static uint64_t number_or_refuse(const char *what, const char *text, uint64_t min, uint64_t max)
{
    uint64_t number;

    if (!read_number(text, max, &number) || number < min)
        refuse("%s is a whole number from %llu to %llu, not '%s'", what, (unsigned long long)min,
               (unsigned long long)max, shown(text));
    return number;
}

static bool wants_color(const char *when)
{
    if (strcmp(when, "auto") == 0)
        return terminal_shows_color();
    if (strcmp(when, "always") != 0 && strcmp(when, "never") != 0)
        refuse("--color is auto, always or never, not '%s'", shown(when));
    return strcmp(when, "always") == 0;
}

/* Of the file, so that the same file gets the same verdict. */
static uint64_t seed_of(const struct source *source)
{
    auto_free char *digits = xstrndup(source->sha256, 8);

    return strtoull(digits, NULL, 16);
}

static void take_option(struct request *want, int code, char **argv)
{
    switch (code) {
    case OPTION_ONLY:
        want->only = true;
        break;
    case FAIL_FAST:
        want->fail_fast = true;
        break;
    case SEED:
        want->seed = number_or_refuse("--seed", optarg, 0, UINT64_MAX);
        want->has_seed = true;
        break;
    case BUDGET:
        want->budget_s = (int)number_or_refuse("--budget", optarg, BUDGET_S_MIN, BUDGET_S_MAX);
        want->has_budget = true;
        break;
    case JSON:
        want->json = optarg;
        break;
    case COLOR:
        want->color = wants_color(optarg);
        break;
    case 'v':
        want->verbose = true;
        break;
    case THOROUGH:
        want->thorough = true;
        break;
    case MINUTES:
        want->minutes = (int)number_or_refuse("--minutes", optarg, 1, BUDGET_S_MAX / 60);
        break;
    case OUTPUT:
        want->output = optarg;
        break;
    case CHECK:
        want->check = true;
        break;
    case TIMING:
        want->timing = true;
        break;
    case PLAIN:
        want->sanitizers = false;
        break;
    case LIST:
    case 'h':
    case HELP:
    case VERSION:
        print_and_leave(code);
    case ':':
        refuse("%s needs a value: see checker --help", shown(argv[optind - 1]));
    default:
        if (optopt > ' ' && optopt < 0x7f)
            refuse("there is no option -%c: see checker --help", optopt);
        refuse("there is no option %s, or it takes no value: see checker --help",
               shown(argv[optind - 1]));
    }
}

struct request cli_parse(int argc, char **argv)
{
    struct request want = { .started_ms = clock_ms(), .sanitizers = true };
    int code;

    want.command = argc > 0 && argv[0] ? argv[0] : "checker";
    want.color = wants_color("auto");
    want.unicode = terminal_shows_utf8();
    opterr = 0;
    while ((code = getopt_long(argc, argv, ":hv", options, NULL)) != -1)
        take_option(&want, code, argv);
    operands_take(&want, argc - optind, argv + optind);
    if (!want.has_seed)
        want.seed = seed_of(&want.source);
    want.fail_fast = want.fail_fast || want.walk;
    if (want.walk && (want.minutes || !want.budget_s))
        want.budget_s = want.minutes ? want.minutes * 60 : WALK_S;
    if (want.experiment && !want.budget_s)
        want.budget_s = EXPERIMENT_S;
    if (!want.budget_s)
        want.budget_s = want.thorough ? THOROUGH_S : CLI_BUDGET_S;
    want.deadline_ms = want.started_ms + want.budget_s * INT64_C(1000);
    return want;
}

int cli_larger_budget(int seconds)
{
    int twice = 2 * seconds;

    return twice < LARGER_S ? LARGER_S : twice > BUDGET_S_MAX ? BUDGET_S_MAX : twice;
}
