/* test_child.c - processes end in time, are heard, and leave nothing. */
#include "child.h"

#include "base.h"
#include "sweep.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

static struct child *start_shell(const char *script)
{
    char *argv[] = { "sh", "-c", (char *)(uintptr_t)script, NULL };
    char *env[] = { "PATH=/usr/bin:/bin", NULL };

    return child_spawn(
        &(struct child_spec){ .path = "/bin/sh", .argv = argv, .env = env, .says = true });
}

static enum child_news listen(struct child *child, int ms, char **line)
{
    return child_listen(child, clock_ms() + ms, line);
}

static void begin(void)
{
    child_begin(NULL);
}

TestSuite(child, .init = begin);

Test(child, lines_come_one_by_one_and_then_the_end)
{
    struct child *child = start_shell("echo one >&3; printf 'two\\n' >&3; exit 7");
    char *line;

    cr_assert_eq(listen(child, 5000, &line), CHILD_LINE);
    cr_assert_str_eq(line, "one");
    cr_assert_eq(listen(child, 5000, &line), CHILD_LINE);
    cr_assert_str_eq(line, "two");
    cr_assert_eq(listen(child, 5000, &line), CHILD_ENDED);
    cr_assert_eq(WEXITSTATUS(child_status(child)), 7);
}

Test(child, a_flood_is_kept_in_bounds_and_counted)
{
    struct child *child = start_shell("head -c 1000000 /dev/zero");
    size_t bytes, dropped;

    cr_assert_eq(listen(child, 5000, NULL), CHILD_ENDED);
    child_output(child, &bytes, &dropped);
    cr_assert_eq(bytes, CHILD_OUTPUT_MAX);
    cr_assert_eq(bytes + dropped, 1000000);
}

Test(child, a_deadline_passes_whatever_the_child_does)
{
    struct child *child = start_shell("trap '' TERM; while :; do echo x; done");

    cr_assert_eq(listen(child, 100, NULL), CHILD_LATE);
    child_kill(child);
    cr_assert_eq(WTERMSIG(child_status(child)), SIGKILL);
}

Test(child, a_program_that_is_not_there_is_an_error)
{
    char *argv[] = { "none", NULL }, *env[] = { NULL };

    errno = 0;
    cr_assert_null(
        child_spawn(&(struct child_spec){ .path = "/nonexistent/none", .argv = argv, .env = env }));
    cr_assert_eq(errno, ENOENT);
}

Test(child, orphans_and_stopped_processes_are_swept)
{
    struct child *child = start_shell("(setsid sh -c 'kill -STOP $$' & setsid sleep 1000 &);"
                                      "sleep 1000 & echo ready >&3; kill -STOP $$");
    char *line;

    cr_assert_eq(listen(child, 5000, &line), CHILD_LINE);
    cr_assert(sweep_children());
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
    cr_assert_eq(errno, ECHILD);
    cr_assert_eq(listen(child, 1000, NULL), CHILD_ENDED);
}
