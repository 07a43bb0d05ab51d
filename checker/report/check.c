/* check.c - see check.h */
#include "report/check.h"

#include "base.h"
#include "clause.h"
#include "home.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DID_MAX      8  /* things done that are shown ... */
#define DID_FIRST    2  /* ... so many of them from the beginning */
#define LABEL        15 /* the column where the text behind a label starts */
#define OUTPUT_LINES 6
#define TEXT_MAX     700 /* bytes of one text that are shown ... */
#define TEXT_END     200 /* ... so many of them from its end */

const char *check_kind_words(enum finding_kind kind)
{
    static const char *const words[] = {
        [FINDING_PASS] = "holds",
        [FINDING_FAIL] = "fails",
        [FINDING_CRASH] = "crashes",
        [FINDING_HANG] = "hangs",
        [FINDING_ENDED] = "ends the process",
        [FINDING_TODO] = "not written yet",
        [FINDING_NOT_RUN] = "not run",
        [FINDING_BROKEN] = "broken",
    };

    return words[kind];
}

static char *spoken(const char *name)
{
    char *words = xstrdup(name);

    for (char *at = words; *at; at++)
        if (*at == '_')
            *at = ' ';
    return words;
}

/* A text that is very long without its middle; the caller frees it. */
static char *shortened(const char *text, bool verbose)
{
    size_t bytes = strlen(text), from = bytes - TEXT_END, to = TEXT_MAX - TEXT_END;

    if (verbose || bytes <= TEXT_MAX + TEXT_END)
        return xstrdup(text);
    while (((unsigned char)text[to] & 0xc0) == 0x80)
        to--;
    while (((unsigned char)text[from] & 0xc0) == 0x80)
        from++;
    return xprintf("%.*s... %zu bytes more ...%s", (int)to, text, from - to, text + from);
}

static void print_label(const char *label)
{
    printf("    %-*s", LABEL - 4, label);
}

static void print_labelled(const char *label, const char *text, bool verbose)
{
    auto_free char *shown = shortened(text ? text : "", verbose);

    if (!*shown)
        return;
    print_label(label);
    print_wrapped(LABEL, shown);
}

/* Of many things the first and the last few, unless all are wanted. */
static void print_did(const char *did, bool verbose)
{
    int number = 0;
    int lines = 0;

    for (const char *at = did; at && *at; at++)
        lines += *at == '\n' || !at[1];
    while (did && *did) {
        size_t bytes = strcspn(did, "\n");
        auto_free char *line = xstrndup(did, bytes);
        auto_free char *shown = shortened(line, verbose);

        number++;
        if (!verbose && lines > DID_MAX && number == DID_FIRST + 1) {
            print_label("");
            printf("... %d more, see them with -v ...\n", lines - DID_MAX);
        }
        if (verbose || lines <= DID_MAX || number <= DID_FIRST ||
            number > lines - (DID_MAX - DID_FIRST)) {
            print_label(number == 1 ? "did" : "");
            printf("%d. ", number);
            print_wrapped(LABEL + 3, shown);
        }
        did += bytes + (did[bytes] == '\n');
    }
}

void check_print_page(const struct step *step, const char *clause, const char *function)
{
    const char *part = step->part->name;
    auto_free char *name = xprintf("%s/%02d-%s.md", part, step->number, step->slug);
    auto_free char *here = xprintf("steps/%s", name);
    auto_free char *installed = home_steps(name);
    const char *path = access(here, F_OK) == 0 ? here : installed;

    print_label("read");
    if (clause)
        printf("%s, and [%s] in %s.h\n", path, clause, part);
    else
        printf("%s, and write %s() in %s\n", path, function, step->part->file);
}

void check_print_evidence(const struct weighed *weighed, bool verbose)
{
    const struct finding *finding = &weighed->check->finding;

    print_labelled("found", weighed->message, verbose);
    print_did(finding->did, verbose);
    print_labelled("expected", finding->expected, verbose);
    print_labelled("got", finding->got, verbose);
    if (verbose)
        print_labelled("check at", finding->where, verbose);
}

void check_print_output(const struct finding *finding, bool verbose)
{
    if (verbose && finding->report)
        print_prefixed("    sanitizer| ", finding->report, 0);
    if (finding->output && *finding->output)
        print_last("    you| ", finding->output, verbose ? 0 : OUTPUT_LINES);
}

void check_print(const struct print *print, const struct weighed *weighed, bool verbose)
{
    const struct check *check = weighed->check;
    const struct finding *finding = &check->finding;
    auto_free char *sentence = clause_sentence(check->step->part->name, finding->clause);
    auto_free char *name = spoken(check->name);

    fputs("\n  ", stdout);
    print_colored(print, PRINT_RED, print_cross(print));
    putchar(' ');
    print_colored(print, PRINT_RED, check_kind_words(weighed->kind));
    if (strcmp(finding->clause, check->clause) == 0)
        printf("  %s: %s\n", finding->clause, name);
    else
        printf("  %s, seen while: %s\n", finding->clause, name);
    print_labelled("clause", sentence, true);
    check_print_evidence(weighed, verbose);
    check_print_page(check->step, finding->clause, NULL);
    check_print_output(finding, verbose);
}

void check_print_times(const struct verdict *verdict, const struct step_verdict *sum)
{
    for (size_t i = 0; i < sum->count; i++) {
        const struct weighed *weighed = &verdict->checks[sum->first + i];
        const struct finding *finding = &weighed->check->finding;

        printf("    %-8s %-14s %s, %d ms%s%s\n", finding_kind_name(weighed->kind),
               weighed->check->clause, weighed->check->name, finding->ms, finding->note ? ": " : "",
               finding->note ? finding->note : "");
    }
}
