/* Step 1: steps/worker/01-validate.md, the id */
#include "base.h"
#include "worker_calls.h"

#include <stdlib.h>
#include <string.h>

static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

#define IDS_MAX 700

static const struct outcome invalid = { OUTCOME_INVALID, 0 };

/* An event with this id; cJSON escapes what JSON does not allow as it is. */
static cJSON *spec_with_id(const char *id)
{
    cJSON *event = cJSON_CreateObject();
    cJSON *spec;
    char *text;

    cJSON_AddStringToObject(event, "id", id);
    cJSON_AddNumberToObject(event, "qty", an_event().qty);
    text = cJSON_PrintUnformatted(event);
    spec = spec_text(text);
    cJSON_free(text);
    cJSON_Delete(event);
    return spec;
}

/* Many ids, tried in one go. */
struct ids {
    char *id[IDS_MAX];
    int count;
};

static void add_id(struct ids *ids, char *id)
{
    ids->id[ids->count++] = id;
}

/* The list ends with NULL. */
static void add_ids(struct ids *ids, const char *const *list)
{
    for (; *list; list++)
        add_id(ids, xstrdup(*list));
}

/* An id of each length, of characters drawn; the list ends with -1. */
static void add_lengths(struct ids *ids, const int *lengths)
{
    for (; *lengths >= 0; lengths++) {
        char *id = xmalloc((size_t)*lengths + 1);

        for (int i = 0; i < *lengths; i++)
            id[i] = allowed[stage_random() % 64];
        id[*lengths] = '\0';
        add_id(ids, id);
    }
}

static struct answer validate_all(struct puppet *worker, const struct ids *ids)
{
    cJSON *order = order_of("validate_events");
    cJSON *events = cJSON_AddArrayToObject(order, "events");
    auto_free char *line = xprintf("validate_event for each of %d ids", ids->count);

    for (int i = 0; i < ids->count; i++)
        cJSON_AddItemToArray(events, spec_with_id(ids->id[i]));
    call_begin(worker, order, line);
    return call_finish(worker, NULL);
}

static void expect_all(struct puppet *worker, const struct ids *ids, struct outcome outcome)
{
    struct answer answer = validate_all(worker, ids);
    const cJSON *outcomes = cJSON_GetObjectItemCaseSensitive(answer.result, "outcomes");

    expect_number("outcomes", cJSON_GetArraySize(outcomes), ids->count);
    for (int i = 0; i < ids->count; i++) {
        struct answer one = { .outcome = said_outcome(cJSON_GetArrayItem(outcomes, i)) };

        stage_forget();
        stage_did("validate_event, id \"%.100s\"", ids->id[i]);
        expect_outcome(one, outcome);
    }
}

/* Each of them alone, and all in one id that begins with each in turn. */
static void add_allowed_characters(struct ids *ids)
{
    for (int i = 0; i < 64; i++) {
        add_id(ids, xprintf("%c", allowed[i]));
        add_id(ids, xprintf("%s%.*s", allowed + i, i, allowed));
    }
}

static const char *const allowed_shapes[] = {
    "-",    "_",    "--",       "-_-",
    "0",    "007",  "-1",       "1e5",
    "0x1F", "true", "null",     "NULL",
    "id",   "qty",  "a--b",     "-a",
    "a-",   "_a",   "a_",       "NaN",
    "inf",  "DROP", "AZaz09_-", "0123456789012345678901234567890123456789012345678901234567890123",
    NULL,
};

static const int allowed_lengths[] = { 1, 2, 3, 16, 31, 32, 33, 62, 63, 64, -1 };

CHECK(validate, an_id_of_one_to_sixty_four_allowed_characters_is_accepted, "validate.2")
{
    struct ids ids = { 0 };

    add_lengths(&ids, allowed_lengths);
    add_allowed_characters(&ids);
    add_ids(&ids, allowed_shapes);

    expect_all(puppet_start(), &ids, outcome_value(1));
}

/* Each character of ASCII that is not allowed, in an id that format makes of it. */
static void add_other_characters(struct ids *ids, const char *format)
{
    for (int c = 1; c < 128; c++)
        if (!strchr(allowed, c))
            add_id(ids, xprintf(format, c));
}

/* U+0080 to U+00FF in UTF-8, and some of what lies behind. */
static void add_letters_beyond_ASCII(struct ids *ids)
{
    static const char *const letters[] = {
        "stra\u00dfe", "\u0130d",    "d\u0131",      "\u017f",        "\u212a",       "\u0430bc",
        "\u03b1",      "\u05d0",     "\u4e2d\u6587", "a\uff11",       "\u0661\u0662", "\u0967",
        "\uff21",      "a\u0301",    "\u2013",       "a\u2010b",      "\uff3f",       "a\u200bb",
        "\u2460",      "\U0001F600", "\U0001D44E",   "abc\U0001F4E6", "\ufeffa",      "a\ufeff",
    };

    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        add_id(ids, xstrdup(letters[i]));
    for (int c = 0x80; c < 0x100; c++)
        add_id(ids, xprintf("a%c%c-1", 0xc0 | c >> 6, 0x80 | (c & 0x3f)));
}

static void add_other_characters_everywhere(struct ids *ids)
{
    add_other_characters(ids, "%c");
    add_other_characters(ids, "%cab-1");
    add_other_characters(ids, "A1%c_z");
    add_other_characters(ids, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%c");
}

static const char *const wrong_shapes[] = {
    " a",      "a ",    "a b", " ",     "\ta",  "a\n", "\na",   "a\nb", "!!\nabc",
    "abc\n!!", "a\r\n", "a.b", "a%20b", "../a", "1.0", "1,000", "+1",   "'; DROP TABLE orders; --",
    NULL,
};

static const int wrong_lengths[] = { 0,   65,  66,  96,  127,  128,   129,
                                     255, 256, 257, 320, 1000, 65537, -1 };

static const char *const no_string[] = {
    "null", "true", "false", "0", "1", "1.5", "[]", "[\"a\"]", "{}", "{\"id\":\"a\"}", NULL,
};

static void expect_no_string(struct puppet *worker)
{
    for (const char *const *value = no_string; *value; value++) {
        auto_free char *text = xprintf("{\"id\":%s,\"qty\":1}", *value);

        expect_outcome(call_validate(worker, spec_text(text), NULL), invalid);
        stage_forget();
    }
}

static void expect_raw_refused(struct puppet *worker)
{
    expect_outcome(call_validate(worker, spec_odd("raw", an_event()), NULL), invalid);
}

CHECK(validate, an_id_of_another_type_or_length_or_with_another_character_is_refused, "validate.2")
{
    struct puppet *worker = puppet_start();
    struct ids ids = { 0 };

    add_lengths(&ids, wrong_lengths);
    add_ids(&ids, wrong_shapes);
    add_other_characters_everywhere(&ids);
    add_letters_beyond_ASCII(&ids);

    expect_all(worker, &ids, invalid);
    expect_no_string(worker);
    expect_raw_refused(worker);
}
