/*
 * tokens.h - a C file as tokens; comments and the preprocessor's lines are none
 */
#ifndef TOKENS_H
#define TOKENS_H

#include <stdbool.h>
#include <stddef.h>

struct token {
    const char *text; /* in tokens_source */
    size_t bytes;
    int line;
    int depth; /* of braces around it */
};

extern struct token tokens[];
extern int tokens_count;
extern const char *tokens_source;

/* Reads a text, which must stay. */
void tokens_read(const char *text);

/* The line on which this place of the source is, from 1. */
int tokens_line(const char *at);

/* The parenthesis that closes the one at i. */
int tokens_closing(int i);

/* False where there is no token i; words is " if while ". */
bool token_is(int i, const char *text);
bool token_is_one_of(int i, const char *words);

#endif
