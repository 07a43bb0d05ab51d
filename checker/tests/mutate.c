/*
 * mutate.c - small mistakes made on purpose, one in each copy of a C file
 *
 * usage: mutate FILE          lists the mutants, a line each: KEY, a tab, what was changed
 *        mutate FILE KEY      prints the file with that one mistake
 *
 * A key is "FUNCTION.KIND.N", so that it stays where other functions change.  Within function
 * bodies each statement is dropped, each condition negated or left out, each comparison and
 * number shifted by one, each pair of neighbouring statements swapped, and words of SQL are
 * left out.  Not all of them compile.
 */
#include "tokens.h"

#include "base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MUTANTS_MAX 5000

static const char *wanted; /* a key, or NULL: list */
static char function[64];

static const char *start_of(int i)
{
    return tokens[i].text;
}

static const char *end_of(int i)
{
    return tokens[i].text + tokens[i].bytes;
}

/* One mutant: the text from begin to end becomes another. */
static void mutant(const char *kind, const char *begin, const char *end, const char *becomes)
{
    static char *kinds[MUTANTS_MAX]; /* of the mutants so far: "FUNCTION.KIND" */
    static int count;
    char *here = xprintf("%s.%s", function, kind);
    auto_free char *key = NULL;
    int number = 1;

    if (count == MUTANTS_MAX)
        die("too many mutants");
    for (int i = 0; i < count; i++)
        number += strcmp(kinds[i], here) == 0;
    kinds[count++] = here;
    key = xprintf("%s.%d", here, number);
    if (!wanted) {
        auto_free char *was = escape(begin, (size_t)(end - begin), false);
        auto_free char *now = escape(becomes, strlen(becomes), false);

        printf("%s\tline %d: %s => %s\n", key, tokens_line(begin), was, now);
    } else if (strcmp(wanted, key) == 0) {
        printf("%.*s%s%s", (int)(begin - tokens_source), tokens_source, becomes, end);
        exit(EXIT_SUCCESS);
    }
}

static void mutate_operator(int i)
{
    static const char *const pairs[][2] = { { "<", "<=" },  { "<=", "<" },  { ">", ">=" },
                                            { ">=", ">" },  { "==", "!=" }, { "!=", "==" },
                                            { "&&", "||" }, { "||", "&&" }, { "true", "false" },
                                            { "+=", "-=" } };

    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (token_is(i, pairs[k][0]))
            mutant("operator", start_of(i), end_of(i), pairs[k][1]);
}

static void mutate_number(int i)
{
    char *end = NULL;
    long number;

    if (!isdigit((unsigned char)*tokens[i].text))
        return;
    number = strtol(tokens[i].text, &end, 10);
    if (*end == '.' || *end == 'e')
        return;
    for (int step = -1; step <= 1; step += 2) {
        auto_free char *text = xprintf("%ld%.*s", number + step, (int)(end_of(i) - end), end);

        if (number + step >= 0)
            mutant("number", start_of(i), end_of(i), text);
    }
}

/* A constant that could have been mistaken for another. */
static void mutate_name(int i)
{
    static const char *const names[][2] = { { "OUTCOME_INVALID", "OUTCOME_CONFLICT" },
                                            { "OUTCOME_CONFLICT", "OUTCOME_INVALID" },
                                            { "OUTCOME_DELIVERY", "OUTCOME_INVALID" },
                                            { "OUTCOME_SQLITE", "OUTCOME_DELIVERY" },
                                            { "OUTCOME_CURL", "OUTCOME_DELIVERY" },
                                            { "OUTCOME_HTTP", "OUTCOME_DELIVERY" },
                                            { "SQLITE_OK", "SQLITE_DONE" },
                                            { "SQLITE_ROW", "SQLITE_DONE" },
                                            { "SQLITE_DONE", "SQLITE_ROW" },
                                            { "EVENT_ID_MAX", "(EVENT_ID_MAX + 1)" },
                                            { "EVENT_QTY_MAX", "(EVENT_QTY_MAX + 1)" },
                                            { "PENDING_MAX", "(PENDING_MAX + 1)" },
                                            { "ACK_MAX", "(ACK_MAX + 1)" },
                                            { "ACK_MAX", "(ACK_MAX - 1)" },
                                            { "BUSY_TIMEOUT_MS", "(BUSY_TIMEOUT_MS * 3)" },
                                            { "BUSY_TIMEOUT_MS", "(BUSY_TIMEOUT_MS / 3)" },
                                            { "SEND_TIMEOUT_MAX", "(SEND_TIMEOUT_MAX + 1)" } };

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (token_is(i, names[k][0]))
            mutant("name", start_of(i), end_of(i), names[k][1]);
}

static void mutate_condition(int i)
{
    int last;

    if (!token_is_one_of(i, " if while ") || !token_is(i + 1, "("))
        return;
    last = tokens_closing(i + 1);
    if (token_is(i - 1, "}") && token_is(last + 1, ";"))
        return; /* of do { } while */
    {
        int bytes = (int)(start_of(last) - end_of(i + 1));
        auto_free char *negated = xprintf("!(%.*s)", bytes, end_of(i + 1));
        auto_free char *never = xprintf("0 && (%.*s)", bytes, end_of(i + 1));

        mutant("negate", end_of(i + 1), start_of(last), negated);
        mutant("never", end_of(i + 1), start_of(last), never);
    }
}

/* The last token of the statement that begins at i, or -1: a declaration or no simple one. */
static int statement_end(int i)
{
    static const char *const no_start =
        " if while for do else switch case default static const struct char int long size_t "
        "double bool cJSON sqlite3 sqlite3_stmt CURL CURLM CURLcode CURLMsg ";
    int k = i;

    if (i >= tokens_count || tokens[i].depth == 0 || token_is_one_of(i, no_start) ||
        token_is(i, "{") || token_is(i, "}") || token_is(i, ";") || token_is(i + 1, ":"))
        return -1;
    while (k < tokens_count && !token_is(k, ";"))
        k++;
    return k;
}

static bool begins_statement(int i)
{
    return token_is(i - 1, ";") || token_is(i - 1, "{") || token_is(i - 1, "}") ||
           token_is(i - 1, ":") || token_is(i - 1, "else") ||
           (token_is(i - 1, ")") && tokens[i].line > tokens[i - 1].line);
}

static void mutate_statement(int i)
{
    int last = begins_statement(i) ? statement_end(i) : -1;
    int next = last < 0 ? -1 : statement_end(last + 1);

    if (last < 0)
        return;
    mutant("drop", start_of(i), end_of(last), ";");
    if (next >= 0 && tokens[last + 1].depth == tokens[i].depth && !token_is(i - 1, ")") &&
        !token_is(i - 1, "else")) {
        auto_free char *swapped =
            xprintf("%.*s%.*s%.*s", (int)(end_of(next) - start_of(last + 1)), start_of(last + 1),
                    (int)(start_of(last + 1) - end_of(last)), end_of(last),
                    (int)(end_of(last) - start_of(i)), start_of(i));

        mutant("swap", start_of(i), end_of(next), swapped);
    }
}

static void mutate_sql(int i)
{
    static const char *const words[] = { " IMMEDIATE",
                                         " IF NOT EXISTS",
                                         " PRIMARY KEY",
                                         " NOT NULL",
                                         " UNIQUE",
                                         " AUTOINCREMENT",
                                         " ORDER BY seq",
                                         " LIMIT ?",
                                         " WHERE id = ?1",
                                         " WHERE id = 1",
                                         " AND qty = ?2",
                                         " WHERE sent = 0",
                                         " CHECK(id=1)",
                                         " CHECK(sent IN (0,1))",
                                         " ON CONFLICT (id) DO NOTHING" };

    if (*tokens[i].text != '"')
        return;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const char *at = start_of(i);

        while ((at = strstr(at, words[k])) && at < end_of(i)) {
            mutant("sql", at, at + strlen(words[k]), "");
            at += strlen(words[k]);
        }
    }
}

int main(int argc, char **argv)
{
    static char text[1 << 20];
    FILE *file = argc >= 2 ? fopen(argv[1], "re") : NULL;

    if (!file || fread(text, 1, sizeof text - 1, file) == 0) {
        fputs("usage: mutate FILE [KEY]\n", stderr);
        return EXIT_USAGE;
    }
    fclose(file);
    wanted = argc > 2 ? argv[2] : NULL;
    tokens_read(text);
    for (int i = 0; i < tokens_count; i++) {
        if (tokens[i].depth == 0 && isalpha((unsigned char)*start_of(i)) && token_is(i + 1, "("))
            snprintf(function, sizeof function, "%.*s", (int)tokens[i].bytes, tokens[i].text);
        if (tokens[i].depth == 0)
            continue;
        mutate_operator(i);
        mutate_number(i);
        mutate_name(i);
        mutate_condition(i);
        mutate_statement(i);
        mutate_sql(i);
    }
    return wanted ? EXIT_FAILURE : EXIT_SUCCESS;
}
