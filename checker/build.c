/* build.c - see build.h */
#include "build.h"

#include "base.h"
#include "compile.h"
#include "home.h"
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define WORDS_MAX 4096
#define CONTROL   "control.c"

/* Uses every library and header that a worker may use; compiled where a worker is refused. */
static const char control[] =
    "#include <cjson/cJSON.h>\n"
    "#include <curl/curl.h>\n"
    "#include <math.h>\n"
    "#include <sqlite3.h>\n"
    "double control(double x)\n"
    "{\n"
    "    return cJSON_Version()[0] + curl_version()[0] + sqlite3_libversion_number() + floor(x);\n"
    "}\n";

static void write_file(const char *name, const void *data, size_t bytes)
{
    auto_free char *path = place_file(name);
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd == -1 || !write_all(fd, data, bytes))
        die("cannot write %s: %s", path, strerror(errno));
}

/* Takes a folder's name out of what the compiler said. */
static void forget(struct compiled *compiled, const char *folder)
{
    size_t length = strlen(folder);
    char *at = compiled->words;

    while ((at = memmem(at, compiled->bytes - (size_t)(at - compiled->words), folder, length))) {
        char *rest = at + length;

        compiled->bytes -= length;
        memmove(at, rest, compiled->bytes - (size_t)(at - compiled->words) + 1);
    }
}

/* The learner's file is worker.c to the learner, and the header worker.h, wherever they lie. */
static void forget_places(struct compiled *compiled, const struct part *part)
{
    auto_free char *place = place_file("");
    auto_free char *folder = xprintf("%s/", part->name);
    auto_free char *of_part = home_steps(folder);
    auto_free char *of_all = home_steps("");

    forget(compiled, place);
    forget(compiled, of_part);
    forget(compiled, of_all);
}

/* The words as they were, escaped, from the start, with a note of what was left out. */
static char *bounded_words(const struct compiled *compiled)
{
    size_t kept = compiled->bytes, cut;
    auto_free char *shown = NULL;

    if (kept <= WORDS_MAX)
        return escape(compiled->words, kept, true);
    for (cut = WORDS_MAX; cut > WORDS_MAX / 2 && compiled->words[cut - 1] != '\n';)
        cut--;
    if (cut == WORDS_MAX / 2)
        cut = WORDS_MAX;
    shown = escape(compiled->words, cut, true);
    return xprintf("%s[%zu more bytes are not shown]\n", shown, kept - cut);
}

static bool says(const struct compiled *compiled, const char *words)
{
    return memmem(compiled->words, compiled->bytes, words, strlen(words)) != NULL;
}

static bool looks_like_cpp(const struct compiled *compiled)
{
    static const char *const signs[] = {
        "unknown type name 'class'", "unknown type name 'namespace'",
        "unknown type name 'using'", "unknown type name 'template'",
        "iostream: No such file",    "'iostream' file not found",
        "iostream' file not found"
    };

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (says(compiled, signs[i]))
            return true;
    return false;
}

/* A shell's limit below ours is not the file's fault. */
static void demand_memory(int resource, const char *option)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur < COMPILE_MEMORY)
        die("the compiler needs more than the %llu KiB of memory that this shell allows it "
            "(ulimit %s)",
            (unsigned long long)limit.rlim_cur / 1024, option);
}

static char *sentence_for(const struct compiled *compiled)
{
    switch (compiled->end) {
    case COMPILE_TOO_LONG:
        return xprintf("the compiler used more than %d seconds on it", COMPILE_CPU_S);
    case COMPILE_TOO_LARGE:
        return xprintf("the object got larger than %d MiB",
                       (int)(COMPILE_FILE_BYTES / (1024 * 1024)));
    case COMPILE_TOO_HUNGRY:
        demand_memory(RLIMIT_AS, "-v");
        demand_memory(RLIMIT_DATA, "-d");
        return xprintf("the compiler needed more than %d MiB of memory for it",
                       (int)(COMPILE_MEMORY / (1024 * 1024)));
    case COMPILE_DONE:
    case COMPILE_NO_TIME:
    case COMPILE_REFUSED:
        break;
    }
    if (says(compiled, "internal compiler error") || says(compiled, "PLEASE submit a bug report"))
        return xstrdup("the compiler itself crashed on it");
    if (looks_like_cpp(compiled))
        return xstrdup("this is C++, and the workbook is written in C11");
    if (says(compiled, "undefined reference to") || says(compiled, "undefined symbol"))
        return xstrdup("it uses a function that is not there");
    return xstrdup("the compiler refuses it");
}

/* The first line that speaks of an error, for a sentence about the machine. */
static char *first_error(const struct compiled *compiled)
{
    const char *error = strstr(compiled->words, "error:");
    const char *start = error ? error : compiled->words;

    if (compiled->end == COMPILE_TOO_LONG)
        return xstrdup("it takes too long; a larger --budget gives it more");
    return escape(start, strcspn(start, "\n"), false);
}

/* A machine with other things to do says nothing about the file. */
static void demand_time(const struct request *want, const struct compiled *compiled)
{
    if (compiled->end == COMPILE_NO_TIME)
        die("there was no time to compile it, since the machine is busy or the budget is small: "
            "try --budget %d",
            cli_larger_budget(want->budget_s));
}

static bool control_compiles(const struct request *want, const struct build *built, bool sanitized,
                             char **error)
{
    struct compiled compiled;
    bool done;

    write_file(CONTROL, control, sizeof control - 1);
    compiled = compile_file(want, built->compiler, sanitized, CONTROL, "control.so");
    demand_time(want, &compiled);
    done = compiled.end == COMPILE_DONE;
    *error = done ? NULL : first_error(&compiled);
    free(compiled.words);
    free(compiled.command);
    return done;
}

/* A full disk is nobody's fault here; the word of the compiler alone is not believed. */
static void demand_room(const struct compiled *compiled)
{
    if ((says(compiled, "No space left on device") || says(compiled, "Disk quota exceeded")) &&
        !place_has_room())
        die("no space is left in %s: free some, or set TMPDIR", place_path());
}

/* Is it the machine that cannot compile?  True where it can, but only without sanitizers. */
static bool only_plain_works(const struct request *want, const struct build *built)
{
    auto_free char *error = NULL;
    auto_free char *plain_error = NULL;

    if (control_compiles(want, built, built->sanitized, &error))
        return false;
    if (built->sanitized && control_compiles(want, built, false, &plain_error))
        return true;
    die("%s cannot compile a file of ours: %s (needed: libsqlite3-dev, libcjson-dev, "
        "libcurl4-openssl-dev)",
        built->compiler, error);
}

static struct compiled compile_worker(const struct request *want, const struct build *built)
{
    auto_free char *object = xprintf("%s.so", want->last->part->name);

    return compile_file(want, built->compiler, built->sanitized, want->last->part->file, object);
}

static void fall_back_to_plain(struct build *built, const char *note)
{
    built->sanitized = false;
    built->note = note;
}

/* Compiles it, and once more without sanitizers where only that works here. */
static void compile_and_weigh(const struct request *want, struct build *built)
{
    struct compiled compiled = compile_worker(want, built);

    demand_time(want, &compiled);
    if (compiled.end != COMPILE_DONE)
        demand_room(&compiled);
    if (compiled.end != COMPILE_DONE && only_plain_works(want, built)) {
        fall_back_to_plain(built, "ASan and UBSan are not installed here");
        free(compiled.words);
        free(compiled.command);
        compiled = compile_worker(want, built);
    }
    forget_places(&compiled, want->last->part);
    free(built->command);
    built->command = compiled.command;
    built->done = compiled.end == COMPILE_DONE;
    built->words = bounded_words(&compiled);
    free(built->message);
    built->message = built->done ? NULL : sentence_for(&compiled);
    free(compiled.words);
}

/* Object and puppet have sanitizers both or neither: one without the other does not load. */
static void match_puppets(const struct request *want, struct build *built)
{
    puppets_await(built->puppets);
    if (built->sanitized && !built->puppets->sanitized) {
        fall_back_to_plain(built, "programs with ASan do not run here");
        free(built->words);
        compile_and_weigh(want, built);
    } else if (!built->sanitized && built->puppets->sanitized) {
        puppets_restart_plain(built->puppets);
    }
}

static void demand_header(const struct part *part)
{
    auto_free char *name = xprintf("%s/%s.h", part->name, part->name);
    auto_free char *path = home_steps(name);

    if (access(path, R_OK) != 0)
        die("the workbook's own header %s is not there: %s", path, strerror(errno));
}

struct build build_worker(const struct request *want)
{
    const struct part *part = want->last->part;
    struct build built = { .sanitized = want->sanitizers };
    auto_free char *object = xprintf("%s.so", part->name);
    int64_t started_ms;

    demand_header(part);
    built.object = place_file(object);
    built.compiler = compile_find();
    if (built.sanitized && !compile_suits(built.compiler))
        fall_back_to_plain(&built, "CC is another compiler than the workbook was built with");
    write_file(part->file, want->source.data, want->source.bytes);
    built.puppets = puppets_start(part, built.sanitized, built.object);
    started_ms = clock_ms();
    compile_and_weigh(want, &built);
    built.ms = (int)(clock_ms() - started_ms);
    built.scale = 1.0;
    if (built.done) {
        match_puppets(want, &built);
        built.scale = built.puppets->scale;
        built.ready_ms = built.puppets->ready_ms;
        built.leaks = built.puppets->leaks;
    }
    return built;
}

void build_end(struct build *built)
{
    puppets_free(built->puppets);
    built->puppets = NULL;
}
