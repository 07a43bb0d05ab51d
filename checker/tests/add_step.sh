#!/usr/bin/env bash
# add_step.sh - docs/maintaining.md, "Add a step", holds: a copy of the tree gets a step 17 by those moves and no other
#
# usage: add_step.sh BUILD      BUILD is built already: only what the moves touch is built again
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -a Makefile checker docs fixtures solution steps "$copy" && cp -a "$build" "$copy/build" || exit 1
cd "$copy" || exit 1

# before PATTERN FILE: puts standard input before the first line that matches
before() {
    local pattern=$1 file=$2 line text
    text=$(cat)
    line=$(grep -nm1 -- "$pattern" "$file" | cut -d: -f1)
    [ -n "$line" ] || { not_ok "$file has no line $pattern" && exit 1; }
    { head -n $((line - 1)) "$file" && echo "$text" && tail -n +"$line" "$file"; } >"$file.new" && mv "$file.new" "$file"
}

# 1. The row; the step before it gives a point away.
row() {
    sed -i -E '/^ *\{ &ordered, 16,/s/"snapshot", +6,/"snapshot", 5,/' checker/course.c
    before '^};$' checker/course.c <<'ROW'
    { &ordered, 17, "stage_number", "stage_number", 1, "Which stage is it?", { { 0 } } },
ROW
}

# 2. The header's entry, and the function in solution and starter.
header() {
    before '^#endif$' steps/ordered/ordered.h <<'ENTRY'
/*
 * stage_number - step 17: which stage of a flow is it?
 *
 * [stage_number.1] "reserved", "confirmed" and "released" are { VALUE, 1 }, { VALUE, 2 } and
 *                  { VALUE, 3 }.
 * [stage_number.2] Anything else, NULL included, is OUTCOME_INVALID.
 */
struct outcome stage_number(const char *stage);

ENTRY
    cat >>solution/ordered.c <<'SOLUTION'

/* --- step 17 ------------------------------------------------------------------------ */

struct outcome stage_number(const char *stage)
{
    static const char *const way[] = { "reserved", "confirmed", "released" };

    for (int i = 0; i < 3; i++)
        if (stage != NULL && strcmp(stage, way[i]) == 0)
            return outcome_value(i + 1);
    return invalid();
}
SOLUTION
    cat >>steps/ordered/ordered.c <<'STARTER'

/* Step 17, see 17-stage_number.md: which stage of a flow is it? */
struct outcome stage_number(const char *stage)
{
    (void)stage;
    return outcome_of(OUTCOME_TODO, 0);
}
STARTER
}

# 3. The puppet's command and the typed call.
command() {
    before '^const struct puppet_command part_commands' checker/puppet/ordered_commands.c <<'COMMAND'
static void play_stage_number(const cJSON *order, cJSON *answer)
{
    LEARNERS(stage_number);
    struct call call = call_begin(order, NULL, false);
    struct outcome outcome;

    do
        outcome = learners_stage_number(order_text(order, "stage"));
    while (call_again(&call));
    call_end(&call, outcome, answer);
}

COMMAND
    before '{ NULL, NULL }' checker/puppet/ordered_commands.c <<<'    { "stage_number", play_stage_number },'
    before '^int applied_of' checker/stage/ordered_calls.h <<'DECLARATION'
struct answer call_stage_number(struct puppet *worker, const char *stage, const struct how *how);

DECLARATION
    before '^int applied_of' checker/stage/ordered_calls.c <<'CALL'
struct answer call_stage_number(struct puppet *worker, const char *stage, const struct how *how)
{
    cJSON *order = how_order("stage_number", NULL, how);

    add_text(order, "stage", stage);
    begin(worker, "stage_number", order, xstrdup(stage ? stage : "NULL"), how);
    return finish_call(worker, "stage_number", how);
}

CALL
}

# 4. to 6. The suite, the page, a wrong fixture for each clause.
suite_page_and_fixtures() {
    cat >checker/suites/ordered/17_stage_number.c <<'SUITE'
/* Step 17: steps/ordered/17-stage_number.md */
#include "ordered_calls.h"

CHECK(stage_number, the_three_stages_have_the_numbers_1_to_3, "stage_number.1")
{
    struct puppet *worker = puppet_start();

    expect_outcome(call_stage_number(worker, "reserved", NULL), outcome_value(1));
    expect_outcome(call_stage_number(worker, "confirmed", NULL), outcome_value(2));
    expect_outcome(call_stage_number(worker, "released", NULL), outcome_value(3));
}

CHECK(stage_number, anything_else_is_invalid, "stage_number.2")
{
    struct puppet *worker = puppet_start();

    expect_outcome(call_stage_number(worker, "new", NULL), outcome_of(OUTCOME_INVALID, 0));
    expect_outcome(call_stage_number(worker, NULL, NULL), outcome_of(OUTCOME_INVALID, 0));
}
SUITE
    cat >steps/ordered/17-stage_number.md <<'PAGE'
# Step 17: Which stage is it?

- [stage_number.1] The stages have the numbers 1 to 3.
- [stage_number.2] Anything else is `OUTCOME_INVALID`.
PAGE
    fixture 'stages-begin-at-0' 'stage_number.1   the first stage is 0' \
        'stage != NULL && strcmp(stage, "reserved") == 0 ? outcome_value(0) : right_stage_number(stage)'
    fixture 'new-is-a-stage' 'stage_number.2   "new" is a stage' \
        'stage != NULL && strcmp(stage, "new") == 0 ? outcome_value(0) : right_stage_number(stage)'
}

# fixture NAME BREAKS EXPRESSION
fixture() {
    cat >"fixtures/ordered/wrong/17-stage_number--$1.c" <<FIXTURE
/* breaks: $2 */
#include "ordered.h"

#define stage_number right_stage_number
#include "../../../solution/ordered.c"
#undef stage_number

struct outcome stage_number(const char *stage)
{
    return $3;
}
FIXTURE
}

lists_it() {
    build/checker --list | grep -E '^ *17 ' | grep -F stage_number
}

starter_is_todo() {
    build/checker --budget 60 --only 17 steps/ordered/ordered.c >said 2>&1
    if [ $? != 1 ] || ! grep -q 'not written yet' said; then
        cat said
        return 1
    fi
}

both_fail() {
    if ! checker/tests/referee.sh build --only 17-stage_number >said 2>&1 || ! grep -q 'fail where they should: 2$' said; then
        cat said
        return 1
    fi
}

row && header && command && suite_page_and_fixtures
shows "add a step: the tree is built" make --no-print-directory -s -j1 BUILD=build all build/tests/test_course
shows "add a step: the points sum to 100" build/tests/test_course
shows "add a step: the course has it" lists_it
shows "add a step: the solution passes it" build/checker --budget 60 17 solution/ordered.c
shows "add a step: in the starter it is not written yet" starter_is_todo
shows "add a step: clauses agree and the wrong workers fail where they should" both_fail
tap_end
