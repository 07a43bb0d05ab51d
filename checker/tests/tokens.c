/* tokens.c - see tokens.h */
#include "tokens.h"

#include "base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define TOKENS_MAX 20000

struct token tokens[TOKENS_MAX];
int tokens_count;
const char *tokens_source;

static const char *skip_to(const char *at, const char *end)
{
    const char *found = strstr(at, end);

    return found ? found + strlen(end) : at + strlen(at);
}

static const char *skip_quoted(const char *at)
{
    char quote = *at++;

    while (*at && *at != quote)
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

/* Behind a line of the preprocessor and those that continue it. */
static const char *skip_directive(const char *at)
{
    while (*at && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return at;
}

static size_t length_of(const char *at)
{
    static const char *const pairs[] = { "<=", ">=", "==", "!=", "&&", "||", "->", "++",
                                         "--", "+=", "-=", "*=", "/=", "<<", ">>" };
    size_t bytes = 1;

    if (*at == '"' || *at == '\'')
        return (size_t)(skip_quoted(at) - at);
    if (isalnum((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)at[bytes]) || at[bytes] == '_' || at[bytes] == '.')
            bytes++;
        return bytes;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strncmp(at, pairs[i], 2) == 0)
            return 2;
    return bytes;
}

int tokens_line(const char *at)
{
    int lines = 1;

    for (const char *c = tokens_source; c < at; c++)
        lines += *c == '\n';
    return lines;
}

void tokens_read(const char *text)
{
    const char *at = text;
    int depth = 0;

    tokens_source = text;
    while (*at && tokens_count < TOKENS_MAX) {
        size_t bytes = length_of(at);

        if (isspace((unsigned char)*at)) {
            at++;
        } else if (strncmp(at, "/*", 2) == 0) {
            at = skip_to(at, "*/");
        } else if (strncmp(at, "//", 2) == 0) {
            at = skip_to(at, "\n");
        } else if (*at == '#') {
            at = skip_directive(at);
        } else {
            depth -= *at == '}';
            tokens[tokens_count++] = (struct token){ at, bytes, tokens_line(at), depth };
            depth += *at == '{';
            at += bytes;
        }
    }
}

bool token_is(int i, const char *text)
{
    return i >= 0 && i < tokens_count && strlen(text) == tokens[i].bytes &&
           strncmp(tokens[i].text, text, tokens[i].bytes) == 0;
}

bool token_is_one_of(int i, const char *words)
{
    auto_free char *word = NULL;

    if (i < 0 || i >= tokens_count)
        return false;
    word = xprintf(" %.*s ", (int)tokens[i].bytes, tokens[i].text);
    return strstr(words, word) != NULL;
}

/* The parenthesis that closes the one at i. */
int tokens_closing(int i)
{
    int open = 0;

    for (; i < tokens_count; i++) {
        open += token_is(i, "(");
        open -= token_is(i, ")");
        if (open == 0)
            return i;
    }
    return i;
}
