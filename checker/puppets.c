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

#define READY_MS   3000
#define NOMINAL_MS 150.0 /* from start to ready beside a running compiler, on a common laptop */
#define SCALE_MAX  8.0

static const char asan[] = "ASAN_OPTIONS=detect_leaks=1:leak_check_at_exit=0:abort_on_error=1:"
                           "disable_coredump=1:handle_abort=0:detect_stack_use_after_return=0:"
                           "allocator_may_return_null=1";
static const char ubsan[] = "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:abort_on_error=1";

static void start(struct puppets *puppets)
{
    const char *part = puppets->part->name;
    auto_free char *program =
        home_program("puppet", puppets->part, puppets->sanitized ? "" : "-plain");
    auto_free char *name = xprintf("puppet-%s", part);
    auto_free char *stage = place_file("stage");
    auto_free char *temporary = xprintf("TMPDIR=%s", stage);
    auto_free char *place = xprintf("WORKBOOK_PLACE=%s", place_path());
    auto_free char *object = xprintf("WORKBOOK_OBJECT=%s", puppets->object);
    char *argv[] = { name, "--serve", NULL };
    char *env[] = { PUPPETS_PATH,
                    "LC_ALL=C.UTF-8",
                    "HOME=/nonexistent",
                    temporary,
                    place,
                    object,
                    (char *)asan,
                    (char *)ubsan,
                    "LSAN_OPTIONS=print_suppressions=0",
                    NULL };

    puppets->started_ms = clock_ms();
    puppets->child = child_spawn(&(struct child_spec){
        .path = program, .argv = argv, .env = env, .cwd = stage, .says = true });
    if (!puppets->child && !puppets->sanitized)
        die("cannot start %s: %s", program, strerror(errno));
}

struct puppets *puppets_start(const struct part *part, bool sanitized, const char *object)
{
    struct puppets *puppets = xmalloc(sizeof *puppets);

    *puppets = (struct puppets){ .part = part, .object = object, .sanitized = sanitized };
    start(puppets);
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

static bool is_ready(struct puppets *puppets)
{
    auto_free char *line = NULL;

    return puppets->child &&
           child_listen(puppets->child, clock_ms() + READY_MS, &line) == CHILD_LINE &&
           read_ready(puppets, line);
}

static void measure(struct puppets *puppets)
{
    double ratio;

    puppets->ready_ms = (int)(child_said_ms(puppets->child) - puppets->started_ms);
    ratio = puppets->ready_ms / NOMINAL_MS;
    puppets->scale = ratio < 1.0 ? 1.0 : ratio > SCALE_MAX ? SCALE_MAX : ratio;
}

void puppets_await(struct puppets *puppets)
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
    words = escape(output, bytes, false);
    die("the process that holds a worker does not get ready here: %.2000s", words);
}

void puppets_restart_plain(struct puppets *puppets)
{
    child_free(puppets->child);
    puppets->sanitized = false;
    start(puppets);
    puppets_await(puppets);
}

void puppets_free(struct puppets *puppets)
{
    if (puppets)
        child_free(puppets->child);
    free(puppets);
}
