/* compile.c - see compile.h */
#include "compile.h"

#include "base.h"
#include "child.h"
#include "cli.h"
#include "home.h"
#include "place.h"
#include "shell.h"
#include "starve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef WORKBOOK_CC
#define WORKBOOK_CC "cc"
#endif
#ifndef WORKBOOK_CC_IS_CLANG
#define WORKBOOK_CC_IS_CLANG 0
#endif

#define ARGUMENTS_MAX 64

/* A failing run still needs some time for its report and its clean-up. */
#define RESERVE_MS 600

static const char *search_path(void)
{
    const char *path = getenv("PATH");

    return path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
}

static char *find_in_path(const char *name)
{
    auto_free char *path = xstrdup(search_path());
    char *rest = path;
    const char *directory;

    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? realpath(name, NULL) : NULL;
    while ((directory = strsep(&rest, ":"))) {
        char *full = xprintf("%s/%s", directory, name);
        struct stat status;

        if (directory[0] == '/' && access(full, X_OK) == 0 && stat(full, &status) == 0 &&
            S_ISREG(status.st_mode))
            return full;
        free(full);
    }
    return NULL;
}

char *compile_find(void)
{
    const char *wanted = getenv("CC");
    char *found;

    if (!wanted || !*wanted)
        wanted = WORKBOOK_CC;
    if (strpbrk(wanted, " \t\n"))
        die("CC is '%s', but it must be the name of one program, without options", wanted);
    found = find_in_path(wanted);
    if (!found && strcmp(wanted, WORKBOOK_CC) == 0)
        found = find_in_path("cc");
    if (!found)
        die("there is no C compiler '%s' here: install one (apt install gcc)", wanted);
    return found;
}

static bool is_clang(const char *compiler)
{
    const char *name = strrchr(compiler, '/') + 1;
    auto_free char *built_with = find_in_path(WORKBOOK_CC);

    if (built_with && strcmp(built_with, compiler) == 0)
        return WORKBOOK_CC_IS_CLANG;
    return strstr(name, "clang") != NULL;
}

bool compile_suits(const char *compiler)
{
    return is_clang(compiler) == (bool)WORKBOOK_CC_IS_CLANG;
}

struct arguments {
    char *list[ARGUMENTS_MAX]; /* owned, NULL behind the last */
    size_t count;
};

static void add(struct arguments *arguments, const char *argument)
{
    if (arguments->count + 1 == ARGUMENTS_MAX)
        die("more than %d arguments for the compiler", ARGUMENTS_MAX);
    arguments->list[arguments->count++] = xstrdup(argument);
}

static void add_all(struct arguments *arguments, const char *const *list)
{
    for (; *list; list++)
        add(arguments, *list);
}

static void add_headers(struct arguments *arguments, const struct request *want)
{
    const char *part = want->last->part->name;
    auto_free char *of_part = home_steps(part);
    auto_free char *of_all = home_steps("");
    auto_free char *header = xprintf("%s.h", part);

    add_all(arguments, (const char *const[]){ "-iquote", of_part, "-iquote", of_all, "-iquote",
                                              want->source.directory, "-include", header, NULL });
}

/* -O0 compiles a worker of 300 lines in 250 ms with sanitizers where -O1 takes 440. */
static void add_flags(struct arguments *arguments, const char *compiler, bool sanitized)
{
    static const char *const flags[] = {
        "-std=gnu11",
        "-D_GNU_SOURCE=",
        "-Wall",
        "-Wextra",
        "-Werror=implicit-function-declaration",
        "-fdiagnostics-color=never",
        "-O0",
        "-g",
        "-fPIC",
        "-shared",
        "-Wl,-Bsymbolic", /* its own helper wins over libc's of that name */
        NULL
    };
    static const char *const checks[] = { "-fsanitize=address,undefined",
                                          "-fno-sanitize-recover=undefined",
                                          "-fno-omit-frame-pointer", NULL };

    add_all(arguments, flags);
    if (sanitized)
        add_all(arguments, checks);
    add(arguments, is_clang(compiler) ? "-ferror-limit=20" : "-fmax-errors=20");
}

/* clang leaves the runtime of ASan to the program: there -z defs would refuse every file. */
static void add_libraries(struct arguments *arguments, const char *compiler, bool sanitized)
{
    static const char *const libraries[] = { "-lcurl", "-lsqlite3", "-lcjson",
                                             "-lm",    "-lpthread", NULL };

    if (!sanitized || !is_clang(compiler))
        add(arguments, "-Wl,-z,defs");
    add_all(arguments, libraries);
}

static bool says(const struct compiled *compiled, const char *words)
{
    return memmem(compiled->words, compiled->bytes, words, strlen(words)) != NULL;
}

static bool is_there(const char *object)
{
    auto_free char *path = place_file(object);
    struct stat status;

    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

static enum compile_end how_it_ended(const struct compiled *compiled, int status,
                                     const char *object)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return is_there(object) ? COMPILE_DONE : COMPILE_REFUSED;
    if (says(compiled, "CPU time limit exceeded") ||
        (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return COMPILE_TOO_LONG;
    if (says(compiled, "File size limit exceeded") || says(compiled, "File too large"))
        return COMPILE_TOO_LARGE;
    if (says(compiled, "out of memory") || says(compiled, "memory exhausted") ||
        says(compiled, "Cannot allocate memory"))
        return COMPILE_TOO_HUNGRY;
    return COMPILE_REFUSED;
}

/* How long it may wait for something; a larger budget gives it more time. */
static int64_t most_ms(const struct request *want)
{
    int64_t half_ms = want->budget_s * INT64_C(500);

    return half_ms > COMPILE_WALL_MS ? half_ms : COMPILE_WALL_MS;
}

/*
 * A compiler that gets no processor is not the file's fault: it has all the time there is.
 * Nor is a budget that ends before the time any compiler may take.
 */
static struct compiled watch(struct child *child, const char *object, int64_t wall_ms,
                             int64_t last_ms)
{
    int64_t started_ms = clock_ms();
    enum child_news news = child_listen(child, wall_ms < last_ms ? wall_ms : last_ms, NULL);
    bool no_time =
        news == CHILD_LATE &&
        (last_ms < wall_ms || session_starves(child_pid(child), clock_ms() - started_ms));
    struct compiled compiled = { .end = no_time ? COMPILE_NO_TIME : COMPILE_TOO_LONG };
    size_t dropped;
    const char *words;

    if (no_time)
        news = child_listen(child, last_ms, NULL);
    child_kill(child);
    words = child_output(child, &compiled.bytes, &dropped);
    compiled.words = xmalloc(compiled.bytes + 1);
    memcpy(compiled.words, words, compiled.bytes);
    if (news == CHILD_ENDED)
        compiled.end = how_it_ended(&compiled, child_status(child), object);
    child_free(child);
    return compiled;
}

/* The command line for a shell; frees the arguments. */
static char *spell(struct arguments *arguments)
{
    struct text line = { 0 };

    for (size_t i = 0; i < arguments->count; i++) {
        auto_free char *word = shell_word(arguments->list[i]);

        text_add(&line, "%s%s", i ? " " : "", word);
        free(arguments->list[i]);
    }
    return line.data;
}

struct compiled compile_file(const struct request *want, const char *compiler, bool sanitized,
                             const char *source, const char *object)
{
    auto_free char *path = xprintf("PATH=%s", search_path());
    auto_free char *temporary = xprintf("TMPDIR=%s", place_path());
    auto_free char *place = xprintf("WORKBOOK_PLACE=%s", place_path());
    char *env[] = { path, "LC_ALL=C", temporary, place, NULL };
    int64_t wall_ms = clock_ms() + most_ms(want), last_ms = want->deadline_ms - RESERVE_MS;
    struct arguments arguments = { 0 };
    struct compiled compiled;
    struct child *child;

    add(&arguments, compiler);
    add_flags(&arguments, compiler, sanitized);
    add_headers(&arguments, want);
    add_all(&arguments,
            (const char *const[]){ "-x", "c", source, "-x", "none", "-o", object, NULL });
    add_libraries(&arguments, compiler, sanitized);
    child = child_spawn(
        &(struct child_spec){ .path = compiler,
                              .argv = arguments.list,
                              .env = env,
                              .cwd = place_path(),
                              .limits = { COMPILE_MEMORY, COMPILE_CPU_S, COMPILE_FILE_BYTES } });
    if (!child)
        die("cannot start the compiler %s: %s", compiler, strerror(errno));
    compiled = watch(child, object, wall_ms, last_ms);
    compiled.command = spell(&arguments);
    return compiled;
}
