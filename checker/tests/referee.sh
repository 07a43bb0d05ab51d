#!/usr/bin/env bash
# referee.sh - proves that the checker's verdicts are right: `make check`
#
# usage: referee.sh BUILD [--only|--quick] [PATTERN]      PATTERN narrows the fixtures down, for a quick look
#
#   1. the clauses of each header = those that checks test = those on the step pages
#      = those that a wrong fixture breaks
#   2. every starter fails every step, and says what is not written yet
#   3. every solution passes with full points
#   4. every right fixture passes
#   5. every wrong fixture passes the earlier steps and fails at the clause its first line names
#
# --only judges starters and wrong fixtures by their own step alone; --quick does so too, with one wrong fixture in a
# hundred and fifty and one right one in twelve.  Ends with 1 where something is not so.
# shellcheck disable=SC2016 # jq's variables
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
shift
quick='' only=''
case ${1:-} in --quick) quick=1 only=--only && shift ;; --only) only=--only && shift ;; esac
pattern=${1:-}
[ -z "$pattern" ] || quick=''
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# shellcheck source=checker/tests/judge.sh
. checker/tests/judge.sh

# ask RESULT ARGUMENT ...: whether a jq expression holds of a result
ask() {
    local result=$1
    shift
    jq -e "$@" "$results/$result.json" >/dev/null 2>&1
}

# tell RESULT ARGUMENT ...: what a jq expression gives, or what the checker said
tell() {
    local result=$1
    shift
    jq -r "$@" "$results/$result.json" 2>/dev/null || head -n 20 "$results/$result.text"
}

# Every tag in a text, one a line: [enqueue.2] -> enqueue.2
tags() {
    grep -ohE '\[[a-z_]+\.[0-9]+\]' "$@" | tr -d '[]' | sort -u
}

same_tags() {
    local difference
    difference=$(comm -3 "$results/header" - | tr -s '\t\n' '  ')
    if [ -z "${difference// /}" ]; then ok "$1: the clauses of the header, no more, no less"; else
        not_ok "$1: not the header's clauses: $difference"
    fi
}

# A wrong fixture's first line: /* breaks: enqueue.2 (crash)   what is wrong */
breaks() {
    sed -n '1s/^.*breaks: *\([a-z_]*\.[0-9]*\).*$/\1/p' "$1"
}

# What checks claim, and what the common law's observers name after every call.
tested() {
    grep -ohzE 'CHECK\([a-z_]+,[[:space:]]*[a-z_0-9A-Z]+,[[:space:]]*"[a-z_]+\.[0-9]+"' checker/suites/"$1"/*.c |
        tr '\0' '\n' | grep -oE '[a-z_]+\.[0-9]+'
    grep -ohE '"common\.[0-9]+"' checker/puppet/*.c | tr -d '"'
}

check_clauses() {
    local part=$1 fixture
    tags "steps/$part/$part.h" >"$results/header"
    tags steps/README.md "steps/$part/"*.md | same_tags "the pages of $part"
    tested "$part" | sort -u | same_tags "the suites of $part"
    for fixture in fixtures/"$part"/wrong/*.c; do breaks "$fixture"; done | sort -u | same_tags "the wrong fixtures of $part"
    echo "clauses of $part: $(wc -l <"$results/header")"
}

steps_of() {
    "$build/checker" --list | awk -v file="$1.c:" '$1 ~ /:$/ { here = $1 == file } here && $1 ~ /^[0-9]+$/ { print $1 }'
}

check_starter() {
    local result=starter-$1
    if [ "$(cat "$results/$result.code")" = 1 ] && grep -q 'not written yet' "$results/$result.text" &&
        ask "$result" --argjson step "$1" '[.checks[] | select(.step == $step) | .kind] | length > 0 and all(. == "todo")'; then
        ok "the starter fails step $1, which is not written yet"
    else
        not_ok "the starter fails step $1, which is not written yet"
    fi
}

check_passes() {
    if ask "$1" '.verdict == "passed" and .points == .max_points and .run == .declared'; then
        ok "$2 passes"
    else
        not_ok "$2 passes"
        grep -v 'you|' "$results/$1.text" | head -n 30
    fi
}

check_wrong() {
    local file=$1 step=$2 result clause kind got
    result=$(basename "$file")
    clause=$(breaks "$file")
    kind=$(sed -n '1s/^.*breaks: *[a-z_.0-9]* *(\([a-z |]*\)).*$/\1/p' "$file")
    if [ -z "$clause" ]; then
        not_ok "wrong/$result: its first line names no clause"
    elif [ "$(cat "$results/$result.code")" != 1 ]; then
        not_ok "wrong/$result: the checker ends with $(cat "$results/$result.code")"
        head -n 20 "$results/$result.text"
    elif ! ask "$result" --argjson step "$step" 'all(.checks[] | select(.step < $step); .kind == "pass")'; then
        got=$(tell "$result" --argjson step "$step" '[.checks[] | select(.step < $step and .kind != "pass") | "\(.clause) \(.name) \(.kind)"][0]')
        not_ok "wrong/$result: an earlier step fails: $got"
    elif ! ask "$result" --argjson step "$step" --arg clause "$clause" --arg kind "${kind:-fail}" \
        'any(.checks[]; .step == $step and .clause == $clause and (.kind | test("^(" + $kind + ")$")))'; then
        got=$(tell "$result" --argjson step "$step" '[.checks[] | select(.step == $step and .kind != "pass") | "\(.clause) \(.kind)"] | unique | join(", ")')
        not_ok "wrong/$result: no ${kind:-fail} at $clause but: $got"
    else
        ok "wrong/$result"
    fi
}

right_fixtures() {
    local file
    for file in fixtures/"$1"/right/*"$pattern"*.c; do
        [ ! -e "$file" ] || echo "$file"
    done | thin 12
}

# The wrong fixtures that are judged.
wrong_fixtures() {
    local file
    for file in fixtures/"$1"/wrong/*"$pattern"*.c; do
        [ ! -e "$file" ] || echo "$(step_of "$file").$(breaks "$file") $file"
    done | thin 150 | cut -d' ' -f2-
}

# The lines for judge_all.
list_work() {
    local part=$1 last=$2 step file
    if [ -z "$pattern" ]; then
        echo "$part.c solution/$part.c $last"
        for step in $(steps_of "$part"); do echo "starter-$step steps/$part/$part.c $only $step"; done
    fi
    right_fixtures "$part" | while read -r file; do echo "$(basename "$file") $file $last"; done
    wrong_fixtures "$part" | while read -r file; do
        echo "$(basename "$file") $file $only $(step_of "$file")"
    done
}

referee_part() {
    local part=$1 last step file
    last=$(steps_of "$part" | tail -n 1)
    check_clauses "$part"
    list_work "$part" "$last" | grep -v '\*' | judge_all
    if [ -z "$pattern" ]; then
        for step in $(steps_of "$part"); do check_starter "$step"; done
        check_passes "$part.c" "the solution of $part"
        tell "$part.c" '"the solution: \(.points) of \(.max_points) points, \(.run) of \(.declared) declared checks run"'
    fi
    while read -r file; do check_passes "$(basename "$file")" "right/$(basename "$file")"; done < <(right_fixtures "$part")
    while read -r file; do check_wrong "$file" "$(step_of "$file")"; done < <(wrong_fixtures "$part")
}

for folder in checker/suites/*/; do
    referee_part "$(basename "$folder")"
done >"$results/said"
grep -v '^ok - wrong/' "$results/said"
echo "right fixtures that pass: $(grep -c '^ok - right/' "$results/said")"
echo "wrong fixtures that fail where they should: $(grep -c '^ok - wrong/' "$results/said")"
echo "not as they should be: $(grep -c '^not ok' "$results/said")"
if [ -n "$pattern" ] && ! grep -q '^ok - \(right\|wrong\)/\|^not ok' "$results/said"; then
    not_ok "no fixture has '$pattern' in its name" | tee -a "$results/said"
fi
! grep -q '^not ok' "$results/said"
