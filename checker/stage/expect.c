/* expect.c - see expect.h */
#include "expect.h"

#include "base.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define CURL_CODE_MAX 101 /* CURLE_ECH_REQUIRED, the last: libcurl-errors(3) of 8.12 */

void expect_that(bool condition, const char *expected, const char *got, ...)
{
    va_list arguments;
    auto_free char *text = NULL;

    stage_held();
    if (condition)
        return;
    va_start(arguments, got);
    text = xvprintf(got, arguments);
    va_end(arguments);
    stage_fail(FINDING_FAIL, NULL, expected, text);
}

static void expect_one_of(struct answer answer, bool holds, const char *expected)
{
    auto_free char *got = outcome_text(answer.outcome);

    expect_that(!answer.killed && holds, expected, "%s",
                answer.killed ? "the process was killed" : got);
}

static bool is_same(struct outcome one, struct outcome other)
{
    return one.kind == other.kind && one.code == other.code;
}

/* Whether a check proves common law, which says nothing of what a call comes to. */
static bool is_of_common_law(void)
{
    return strncmp(stage_clause(), "common.", 7) == 0;
}

/* Which clause asks for an outcome, where it is not the check's own; the caller frees it. */
static char *authority(const char *function, struct outcome outcome)
{
    const char *clause = part_clause ? part_clause(function, outcome) : NULL;

    if (clause && strcmp(clause, stage_clause()) != 0)
        return xprintf(", as [%s] says", clause);
    return xstrdup(
        !clause && part_clause && is_of_common_law() ? ", as the clauses of the function say" : "");
}

void expect_that_outcome(struct answer answer, struct outcome expected)
{
    auto_free char *plain = outcome_text(expected);
    auto_free char *whose = authority(answer.function, expected);
    auto_free char *text = xprintf("%s%s", plain, whose);

    expect_one_of(answer, is_same(answer.outcome, expected), text);
}

void expect_that_sqlite(struct answer answer, int primary)
{
    bool is_other = is_of_common_law() && strcmp(stage_clause(), "common.4") != 0;
    auto_free char *text = xprintf("{ SQLITE, %d }, primary or extended (%s)%s", primary,
                                   sqlite3_errstr(primary), is_other ? ", as [common.4] says" : "");

    expect_one_of(answer,
                  answer.outcome.kind == OUTCOME_SQLITE && (answer.outcome.code & 0xff) == primary,
                  text);
}

void expect_that_error(struct answer answer, enum outcome_kind kind)
{
    bool is_zero = kind == OUTCOME_INVALID || kind == OUTCOME_CONFLICT || kind == OUTCOME_DELIVERY;
    bool is_none =
        kind == OUTCOME_CURL && (answer.outcome.code < 0 || answer.outcome.code > CURL_CODE_MAX);
    auto_free char *plain = outcome_text(outcome_of(kind, 0));
    auto_free char *whose =
        is_of_common_law() ? authority(answer.function, outcome_of(kind, 0)) : xstrdup("");
    auto_free char *text = is_zero
                               ? xprintf("%s%s", plain, whose)
                               : xprintf("%.*s any code but 0 }%s%s", (int)strcspn(plain, ",") + 1,
                                         plain, is_none ? " that is a CURLcode" : "", whose);

    expect_one_of(answer,
                  answer.outcome.kind == kind && !is_none && (answer.outcome.code == 0) == is_zero,
                  text);
}

void expect_that_either(struct answer answer, struct outcome one, struct outcome other)
{
    auto_free char *first = outcome_text(one);
    auto_free char *second = outcome_text(other);
    auto_free char *text = xprintf("%s or %s", first, second);

    expect_one_of(answer, is_same(answer.outcome, one) || is_same(answer.outcome, other), text);
}

void expect_that_points(struct answer answer, const char *points)
{
    auto_free char *expected =
        xprintf("fault points reached, in order: %s", *points ? points : "none");

    expect_that(strcmp(answer.points, points) == 0, expected, "%s",
                *answer.points ? answer.points : "none");
}

void expect_that_killed(struct answer answer)
{
    auto_free char *got = answer.killed ? NULL : outcome_text(answer.outcome);

    expect_that(answer.killed, "the call reaches the place where the process is to be killed",
                "it returned %s without", got ? got : "");
}

void expect_that_same(const char *what, char *got, char *expected)
{
    auto_free char *text = xprintf("%s:\n%s", what, *expected ? expected : "(nothing)");

    expect_that(strcmp(got ? got : "", expected) == 0, text, "%s", got && *got ? got : "(nothing)");
    free(got);
    free(expected);
}

void expect_that_number(const char *what, long long got, long long expected)
{
    auto_free char *text = xprintf("%s: %lld", what, expected);

    expect_that(got == expected, text, "%lld", got);
}

bool is_same_text(const char *one, char *other)
{
    bool same = strcmp(one, other) == 0;

    free(other);
    return same;
}

/* Values with all that is in them: cJSON_Compare does not see that a member is there twice. */
static int count_values(const cJSON *value)
{
    int count = 0;

    for (; value; value = value->next)
        count += 1 + count_values(value->child);
    return count;
}

bool is_same_json(const char *one, const char *other)
{
    cJSON *a = cJSON_Parse(one);
    cJSON *b = cJSON_Parse(other);
    bool same = a && b && count_values(a) == count_values(b) && cJSON_Compare(a, b, true);

    cJSON_Delete(a);
    cJSON_Delete(b);
    return same;
}

int text_length(const char *text)
{
    return text ? (int)strlen(text) : -1;
}
