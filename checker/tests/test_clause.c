/* test_clause.c - sentences come out of a header as they are meant to be read. */
#include "clause.h"

#include <criterion/criterion.h>

static char header[] = "/*\n"
                       " * [a.1] One sentence, and\n"
                       " *       its second line.\n"
                       " * [a.10] Ten.\n"
                       " *\n"
                       " * Not a clause.\n"
                       " * [b.1] The last one. */\n"
                       "int b(void);\n";

static void expect_sentence(const char *tag, const char *expected)
{
    char *found = clause_find(header, tag);

    cr_assert_not_null(found, "[%s] is not found", tag);
    cr_assert_str_eq(found, expected);
}

Test(clause, lines_are_joined_up_to_the_next_tag)
{
    expect_sentence("a.1", "One sentence, and its second line.");
}

Test(clause, an_empty_line_ends_it)
{
    expect_sentence("a.10", "Ten.");
}

Test(clause, the_end_of_the_comment_ends_it)
{
    expect_sentence("b.1", "The last one.");
}

Test(clause, a_tag_that_is_not_there_is_null)
{
    cr_assert_null(clause_find(header, "a.2"));
}
