/* diagnosis.c - see diagnosis.h */
#include "diagnosis.h"

#include "stage.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES 2000

/* "worker.c:" where the learner's object is worker.so; the caller frees it. */
static char *file_prefix(void)
{
    const char *object = getenv("WORKBOOK_OBJECT");
    const char *slash = object ? strrchr(object, '/') : NULL;
    const char *name = slash ? slash + 1 : "worker.so";

    return xprintf("%.*s.c:", (int)strcspn(name, "."), name);
}

/*
 * The first frame of a stack in the text that is in the learner's file, "worker.c:LINE, in FUNCTION",
 * the function only where during does not end with it.
 */
static char *first_frame(const char *text, const char *during)
{
    auto_free char *prefix = file_prefix();

    for (const char *frame = strstr(text, "    #"); frame; frame = strstr(frame + 1, "    #")) {
        auto_free char *line = xstrndup(frame, strcspn(frame, "\n"));
        const char *file = strstr(line, prefix);
        const char *function = strstr(line, " in ");

        if (file && function) {
            auto_free char *name = xstrndup(function + 1, strcspn(function + 4, " ") + 3);
            bool is_known = strcmp(name, during) == 0;

            return xprintf("%.*s%s%s", (int)strcspn(file, " )"), file, is_known ? "" : ", ",
                           is_known ? "" : name);
        }
    }
    return NULL;
}

/* "heap-use-after-free on address 0x...": up to the " on". */
static size_t kind_length(const char *words)
{
    size_t line = strcspn(words, "\n");
    const char *on = strstr(words, " on ");

    return on && (size_t)(on - words) < line ? (size_t)(on - words) : line;
}

/* "AddressSanitizer: heap-use-after-free", or the text of a "runtime error:", or NULL. */
static char *sanitizer_words(const char *text)
{
    static const char address[] = "ERROR: AddressSanitizer: ";
    static const char undefined[] = "runtime error: ";
    const char *error = strstr(text, address);
    const char *runtime = strstr(text, undefined);

    if (error)
        return xprintf("AddressSanitizer: %.*s", (int)kind_length(error + strlen(address)),
                       error + strlen(address));
    if (runtime)
        return xprintf("UndefinedBehaviorSanitizer: %.*s",
                       (int)strcspn(runtime + strlen(undefined), "\n"),
                       runtime + strlen(undefined));
    return NULL;
}

size_t diagnosis_own_bytes(const struct text *printed)
{
    static const char *const begins[] = { "=================================================",
                                          "runtime error: ", "AddressSanitizer" };
    size_t own = printed->bytes;

    for (size_t i = 0; printed->data && i < sizeof begins / sizeof *begins; i++) {
        const char *at = memmem(printed->data, own, begins[i], strlen(begins[i]));

        if (at)
            own = (size_t)(at - printed->data);
    }
    while (own < printed->bytes && own > 0 && printed->data[own - 1] != '\n')
        own--;
    return own;
}

/* No code of the learner's runs any more: what it gave us points to what is gone. */
static bool is_in_our_hands(const char *output, const char *words, const char *frame)
{
    return words && !frame && strstr(output, "checker/puppet/");
}

void diagnosis_fail(const struct puppet *puppet, const char *during)
{
    const char *output = puppet_output(puppet);
    auto_free char *words = sanitizer_words(output);
    auto_free char *frame = first_frame(output, during);
    bool is_ours = is_in_our_hands(output, words, frame);
    bool crashed = words || strstr(puppet_end(puppet), "died of");
    auto_free char *reading = xprintf("when what it returned was read, %s", during);
    auto_free char *got =
        xprintf("%s %s%s%s%s%s", words ? words : "your code", words ? "" : puppet_end(puppet),
                words ? "" : " ", is_ours ? reading : during, frame ? ", first at " : "",
                frame ? frame : "");

    stage_fail(crashed ? FINDING_CRASH : FINDING_ENDED, NULL,
               is_ours ? "what the call returns can be used" : "the call returns", got);
}

void diagnosis_fail_leak(const struct puppet *puppet)
{
    auto_free char *frame = first_frame(puppet_output(puppet), "");
    auto_free char *got = xprintf("memory that nothing points to any more%s%s",
                                  frame ? ", allocated at " : "", frame ? frame : "");

    stage_fail(FINDING_FAIL, "common.3", "what a call acquires it releases", got);
}

void diagnosis_fail_hang(const struct puppet *puppet, const char *function, int calls, int ms)
{
    auto_free char *where = puppet_whereabouts(puppet);
    auto_free char *expected = calls > 1 ? xprintf("%d calls of %s come back", calls, function)
                                         : xprintf("%s comes back", function);
    auto_free char *got =
        calls > 1
            ? xprintf("the last of %d calls of %s did not come back within %d ms of the first's "
                      "beginning; one was %s",
                      calls, function, ms, where)
            : xprintf("%s did not come back within %d ms; it was %s", function, ms, where);

    stage_fail(FINDING_HANG, NULL, expected, got);
}

char *diagnosis_shorten(const struct text *printed)
{
    struct text shown = { 0 };
    auto_free char *head = NULL;
    auto_free char *tail = NULL;

    if (!printed->bytes || strspn(printed->data, " \n") == printed->bytes)
        return NULL;
    if (printed->bytes <= 2 * SHOWN_BYTES)
        return escape(printed->data, printed->bytes, true);
    head = escape(printed->data, SHOWN_BYTES, true);
    tail = escape(printed->data + printed->bytes - SHOWN_BYTES, SHOWN_BYTES, true);
    text_add(&shown, "%s\n... (%zu bytes left out) ...\n%s", head, printed->bytes - 2 * SHOWN_BYTES,
             tail);
    return shown.data;
}

void diagnosis_fail_breach(const cJSON *breach, const char *behind)
{
    const char *got = cJSON_GetStringValue(cJSON_GetArrayItem(breach, 2));
    auto_free char *text = xprintf("%s%s", got ? got : "", behind);

    stage_fail(FINDING_FAIL, cJSON_GetStringValue(cJSON_GetArrayItem(breach, 0)),
               cJSON_GetStringValue(cJSON_GetArrayItem(breach, 1)), text);
}
