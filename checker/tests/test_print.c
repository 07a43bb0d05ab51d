/* test_print.c - the next command can be typed as it is shown. */
#include "report/print.h"
#include "shell.h"

#include <criterion/criterion.h>

static void expect_word(const char *word, const char *expected)
{
    cr_assert_str_eq(shell_file(word), expected);
}

Test(shell_word, plain_names_stay)
{
    expect_word("../a/worker-1.c", "../a/worker-1.c");
}

Test(shell_word, blanks_and_quotes_are_quoted)
{
    expect_word("a b.c", "'a b.c'");
    expect_word("it's.c", "'it'\\''s.c'");
    expect_word("$(x).c", "'$(x).c'");
    expect_word("", "''");
}

Test(shell_word, a_leading_dash_is_no_option)
{
    expect_word("-o.c", "./-o.c");
    expect_word("-o x.c", "'./-o x.c'");
}

Test(shell_word, what_cannot_be_shown_is_escaped)
{
    expect_word("a\nb.c", "$'a\\x0ab.c'");
    expect_word("\xff'\\.c", "$'\\xff\\'\\\\.c'");
}
