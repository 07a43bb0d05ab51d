/* puppets.c - see puppets.h */
#include "puppets.h"

#include "base.h"
#include "child.h"
#include "home.h"
#include "place.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READY_MS   8000
#define NOMINAL_MS 150.0 /* from start to ready beside a running compiler, on a common laptop */
#define SCALE_MAX  8.0

/*
 * Of an allocation only malloc and its caller are kept: each stack that is new to a process
 * touches two pages, which was a tenth of a run.
 */
static const char asan[] = "ASAN_OPTIONS=detect_leaks=1:leak_check_at_exit=0:abort_on_error=1:"
                           "disable_coredump=1:handle_abort=0:detect_stack_use_after_return=0:"
                           "allocator_may_return_null=1:malloc_context_size=2";
static const char ubsan[] = "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:abort_on_error=1";

static struct child *start_server(const char *program, const char *server, const char *object)
{
    auto_free char *stage = place_file("stage");
    auto_free char *temporary = xprintf("TMPDIR=%s", stage);
    auto_free char *place = xprintf("WORKBOOK_PLACE=%s", place_path());
    auto_free char *variable = xprintf("WORKBOOK_OBJECT=%s", object);
    char *argv[] = { (char *)server, "--serve", (char *)server, NULL };
    char *env[] = { PUPPETS_PATH,
                    "LC_ALL=C.UTF-8",
                    "HOME=/nonexistent",
                    temporary,
                    place,
                    variable,
                    (char *)asan,
                    (char *)ubsan,
                    "LSAN_OPTIONS=print_suppressions=0",
                    NULL };

    return child_spawn(&(struct child_spec){
        .path = program, .argv = argv, .env = env, .cwd = stage, .says = true });
}

static void start(struct puppets *puppets)
{
    auto_free char *name =
        xprintf("puppet-%s%s", puppets->part->name, puppets->sanitized ? "" : "-plain");
    auto_free char *program = home_program(name);

    puppets->started_ms = clock_ms();
    puppets->child = start_server(program, "puppets", puppets->object);
    if (!puppets->child && !puppets->sanitized)
        die("cannot start %s: %s", program, strerror(errno));
}

static void start_hands(struct puppets *puppets)
{
    auto_free char *program = home_program("hand");

    puppets->hands = start_server(program, "hands", "");
    if (!puppets->hands)
        die("cannot start %s: %s", program, strerror(errno));
}

struct puppets *puppets_start(const struct part *part, bool sanitized, const char *object)
{
    struct puppets *puppets = xmalloc(sizeof *puppets);

    *puppets = (struct puppets){ .part = part, .object = object, .sanitized = sanitized };
    start(puppets);
    start_hands(puppets);
    return puppets;
}

static bool read_ready(struct puppets *puppets, const char *line)
{
    cJSON *object = cJSON_Parse(line);
    bool ready = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "ready"));

    puppets->addresses = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "addresses"));
    puppets->leaks = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "leaks"));
    cJSON_Delete(object);
    return ready;
}

/* Its first line, or NULL; the caller frees it. */
static char *first_line(struct child *server)
{
    char *line = NULL;

    if (server && child_listen(server, clock_ms() + READY_MS, &line) == CHILD_LINE)
        return line;
    return NULL;
}

static bool is_ready(struct puppets *puppets)
{
    auto_free char *line = first_line(puppets->child);

    return line && read_ready(puppets, line);
}

static void await_hands(const struct puppets *puppets)
{
    auto_free char *line = first_line(puppets->hands);

    if (!line)
        die("the processes without a worker do not get ready here");
}

static void measure(struct puppets *puppets)
{
    double ratio;

    puppets->ready_ms = (int)(child_said_ms(puppets->child) - puppets->started_ms);
    ratio = puppets->ready_ms / NOMINAL_MS;
    puppets->scale = ratio < 1.0 ? 1.0 : ratio > SCALE_MAX ? SCALE_MAX : ratio;
}

static void await_puppets(struct puppets *puppets)
{
    auto_free char *words = NULL;
    const char *output;
    size_t bytes, dropped;

    if (is_ready(puppets)) {
        measure(puppets);
        return;
    }
    if (puppets->sanitized) {
        puppets_restart_plain(puppets);
        return;
    }
    if (!puppets->child)
        die("the process that holds a worker cannot be started here");
    output = child_output(puppets->child, &bytes, &dropped);
    words = escape(output, bytes > 0 && output[bytes - 1] == '\n' ? bytes - 1 : bytes, false);
    die("the process that holds a worker does not get ready here: %.2000s", words);
}

void puppets_await(struct puppets *puppets)
{
    await_puppets(puppets);
    await_hands(puppets);
}

void puppets_restart_plain(struct puppets *puppets)
{
    child_free(puppets->child);
    puppets->sanitized = false;
    start(puppets);
    await_puppets(puppets);
}

void puppets_free(struct puppets *puppets)
{
    if (!puppets)
        return;
    child_free(puppets->child);
    child_free(puppets->hands);
    free(puppets);
}
