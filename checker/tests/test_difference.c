/* test_difference.c - the first difference is found, and only where there is one. */
#include "difference.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect_difference(const char *expected, const char *got, const char *words)
{
    struct difference difference;
    char said[200] = "none";

    if (difference_find(cJSON_Parse(expected), cJSON_Parse(got), &difference))
        snprintf(said, sizeof said, "%s: %s, not %s", difference.path, difference.got,
                 difference.expected);
    cr_assert_str_eq(said, words);
}

Test(difference, the_order_of_members_makes_none)
{
    expect_difference("{\"a\":1,\"b\":[null,{\"c\":\"x\"}]}",
                      "{\"b\":[null,{\"c\":\"x\"}],\"a\":1}", "none");
}

Test(difference, the_first_one_is_named_by_its_path)
{
    expect_difference("{\"a\":[{\"b\":1},{\"b\":2}],\"z\":0}",
                      "{\"z\":9,\"a\":[{\"b\":1},{\"b\":3}]}", "a[1].b: 3, not 2");
    expect_difference("[[1,2],[3,4]]", "[[1,2],[3,5]]", "[1][1]: 5, not 4");
}

Test(difference, what_is_missing_or_too_much_is_one)
{
    expect_difference("{\"a\":[1,2]}", "{\"a\":[1]}", "a[1]: (nothing), not 2");
    expect_difference("{\"a\":[1]}", "{\"a\":[1,{}]}", "a[1]: {}, not (nothing)");
    expect_difference("{\"a\":1}", "{\"a\":1,\"b\":null}", "b: null, not (nothing)");
    expect_difference("{\"a\":1,\"b\":null}", "{\"a\":1}", "b: (nothing), not null");
    expect_difference("{}", "", ": (nothing), not {}");
}

Test(difference, kinds_and_capitals_count)
{
    expect_difference("{\"a\":1}", "{\"a\":\"1\"}", "a: \"1\", not 1");
    expect_difference("{\"a\":\"x\"}", "{\"a\":\"X\"}", "a: \"X\", not \"x\"");
    expect_difference("{\"a\":1}", "{\"A\":1}", "a: (nothing), not 1");
    expect_difference("{\"a\":{}}", "{\"a\":[]}", "a: [], not {}");
}
