/*
 * expect.h - every assertion, in the words of the contract.
 *
 * A macro, so that the finding says where the expectation stands.  The first one that does not
 * hold ends the check.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include "call.h"
#include "stage.h"

/* The answer's outcome is this one, kind and code. */
#define expect_outcome(answer, ...)                                                                \
    (stage_at(__FILE__, __LINE__), expect_that_outcome(answer, __VA_ARGS__))

/* An error of SQLite with this primary result code (https://sqlite.org/rescode.html). */
#define expect_sqlite(answer, primary)                                                             \
    (stage_at(__FILE__, __LINE__), expect_that_sqlite(answer, primary))

/* An error of this kind; the code is 0 for INVALID, CONFLICT, DELIVERY, and not 0 for others. */
#define expect_error(answer, kind) (stage_at(__FILE__, __LINE__), expect_that_error(answer, kind))

/* One of two outcomes. */
#define expect_either(answer, one, other)                                                          \
    (stage_at(__FILE__, __LINE__), expect_that_either(answer, one, other))

/* The fault points that the call reached, in order, "" for none. */
#define expect_points(answer, points)                                                              \
    (stage_at(__FILE__, __LINE__), expect_that_points(answer, points))

/* The call was killed where the check wanted it. */
#define expect_killed(answer) (stage_at(__FILE__, __LINE__), expect_that_killed(answer))

/* Two texts are equal; what names them.  Both are malloc'ed and freed; a NULL got is empty. */
#define expect_same(what, got, expected)                                                           \
    (stage_at(__FILE__, __LINE__), expect_that_same(what, got, expected))

/* Two numbers are equal. */
#define expect_number(what, got, expected)                                                         \
    (stage_at(__FILE__, __LINE__), expect_that_number(what, got, expected))

/* A long text has so many bytes; NULL has -1. */
#define expect_length(what, text, bytes) expect_number(what, text_length(text), bytes)
int text_length(const char *text);

/* Anything else: expected is a phrase, got a format and its arguments. */
#define expect(condition, expected, ...)                                                           \
    (stage_at(__FILE__, __LINE__), expect_that(condition, expected, __VA_ARGS__))

/* Compares two texts and frees the second. */
bool is_same_text(const char *one, char *other);

/* Two JSON texts say the same, whatever the order of members. */
bool is_same_json(const char *one, const char *other);

/*
 * The clause that says when a function comes to this outcome, NULL where several do.  Each part may
 * have one (stage/<part>_outcomes.c): a check of another clause then names both.
 */
const char *part_clause(const char *function, struct outcome outcome) __attribute__((weak));

/* The clause of a step by which a call makes nothing else in the store; NULL where none says so. */
const char *part_store_clause(const char *slug) __attribute__((weak));

void expect_that_outcome(struct answer answer, struct outcome expected);
void expect_that_sqlite(struct answer answer, int primary);
void expect_that_error(struct answer answer, enum outcome_kind kind);
void expect_that_either(struct answer answer, struct outcome one, struct outcome other);
void expect_that_points(struct answer answer, const char *points);
void expect_that_killed(struct answer answer);
void expect_that_same(const char *what, char *got, char *expected);
void expect_that_number(const char *what, long long got, long long expected);
void expect_that(bool condition, const char *expected, const char *got, ...)
    __attribute__((format(printf, 3, 4)));

#endif
