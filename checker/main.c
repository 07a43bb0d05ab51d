/* main.c - the checker: a learner's file is judged by the steps of the workbook. */
#include "base.h"
#include "build.h"
#include "child.h"
#include "cli.h"
#include "experiment.h"
#include "place.h"
#include "report.h"
#include "report/observed.h"
#include "run.h"
#include "sweep.h"
#include "verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_WANTED 256
#define FILES_NEEDED 64

static void clean_up(void)
{
    sweep_children();
    place_remove();
}

static void (*pipe_signal)(int); /* how SIGPIPE was handled when we came */

/* Whoever no longer reads a report ends it, as with any program: 128+SIGPIPE, and not 75. */
static void end_with_the_reader(void)
{
    signal(SIGPIPE, pipe_signal);
}

/* Without this the first file that is opened would become standard output. */
static void open_missing_streams(void)
{
    int fd = open("/dev/null", O_RDWR);

    while (fd != -1 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDWR);
    base_close(&fd);
}

static void raise_files_limit(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FILES_WANTED)
        return;
    files.rlim_cur = files.rlim_max < FILES_WANTED ? files.rlim_max : FILES_WANTED;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < FILES_NEEDED)
        die("only %d files may be open at once here (ulimit -n), and %d are needed",
            (int)files.rlim_cur, FILES_NEEDED);
}

static void settle_in(void)
{
    struct rlimit none = { 0, 0 };

    pipe_signal = signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_CORE, &none);
    umask(022);
    open_missing_streams();
}

/* The last two calls of an experiment: what is kept takes the place of points. */
static int end_experiment(const struct request *want, const struct build *built,
                          const struct verdict *verdict)
{
    struct experiment experiment = experiment_reach(want, verdict);
    bool written = observed_write(want, &experiment);

    child_end();
    end_with_the_reader();
    observed_print(want, built, verdict, &experiment);
    return written ? experiment_exit_code(&experiment, verdict) : EXIT_CANNOT_JUDGE;
}

int main(int argc, char **argv)
{
    struct request want;
    struct build built;
    struct findings found;
    struct verdict verdict;
    bool written;

    settle_in();
    want = cli_parse(argc, argv);
    raise_files_limit();
    child_begin(clean_up);
    die_with(clean_up);
    place_make();

    built = build_worker(&want);
    found = run_checks(&want, &built);
    build_end(&built);
    clean_up();
    verdict = verdict_reach(&want, &built, &found);
    if (want.experiment)
        return end_experiment(&want, &built, &verdict);
    written = report_json(&want, &built, &verdict);
    child_end();
    end_with_the_reader();
    report_text(&want, &built, &verdict);
    return written ? verdict_exit_code(&verdict) : EXIT_CANNOT_JUDGE;
}
