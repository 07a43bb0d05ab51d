/* head.c - see head.h */
#include "report/head.h"

#include "base.h"

#include <string.h>

#define WARNING_LINES 8

void head_print(const struct request *want, const struct build *built)
{
    auto_free char *name = escape(want->source.name, strlen(want->source.name), false);

    printf("%s: %zu bytes, sha256 %.12s\n", name, want->source.bytes, want->source.sha256);
    if (built->note)
        printf("note: judged without ASan and UBSan: %s\n", built->note);
    if (want->verbose && built->done)
        printf("compiled in %d ms by %s, sanitizers %s, leak detection %s, ready in %d ms, scale "
               "%.2f\n",
               built->ms, built->compiler, built->sanitized ? "on" : "off",
               built->leaks ? "on" : "off", built->ready_ms, built->scale);
    if (want->verbose)
        printf("compiled with: %s\n", built->command);
    if (built->done && *built->words) {
        puts("the compiler's advice:");
        print_prefixed("cc| ", built->words, want->verbose ? 0 : WARNING_LINES);
    }
}

bool head_print_obstacle(const struct print *print, const struct build *built,
                         const struct verdict *verdict)
{
    if (verdict->kind == VERDICT_CANNOT_JUDGE) {
        fputs("cannot judge here, and that is not your file's fault: ", stdout);
        print_prefixed("", verdict->reason, 0);
        return true;
    }
    if (!built->done) {
        print_colored(print, PRINT_RED, "does not compile");
        printf(": %s\n", built->message);
        print_prefixed("cc| ", built->words, 0);
        return true;
    }
    return false;
}
