#!/usr/bin/env bash
# referee.sh - proves that the checker's verdicts are right: `make check`
#
# usage: referee.sh BUILD [PATTERN]      PATTERN narrows the fixtures down, for a quick look
#
#   1. the clauses of each header = those that checks test = those on the step pages
#      = those that a wrong fixture breaks
#   2. every starter fails every step, and says what is not written yet
#   3. every solution passes with full points
#   4. every right fixture passes
#   5. every wrong fixture passes the earlier steps and fails at the clause its first line names
#
# Prints one line per complaint and the counts; ends with 1 where there was a complaint.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=$1
pattern=${2:-}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
complaints=0

complain() {
    echo "  NOT RIGHT: $*"
    complaints=$((complaints + 1))
}

# Judges every line "RESULT STEP FILE" of standard input, as many at once as there are cores; the
# results are RESULT.json, RESULT.text and RESULT.code.  Once more where the machine was at fault.
judge_all() {
    BUILD=$build RESULTS=$results xargs -P "$(nproc)" -L 1 bash -c '
        for _ in 1 2; do
            "$BUILD/checker" --budget 60 --json "$RESULTS/$0.json" "$1" "$2" >"$RESULTS/$0.text" 2>&1
            echo $? >"$RESULTS/$0.code"
            [ "$(cat "$RESULTS/$0.code")" = 75 ] || break
        done'
}

# Every tag in a text, one a line, sorted: [enqueue.2] -> enqueue.2
tags() {
    grep -ohE '\[[a-z_]+\.[0-9]+\]' "$@" | tr -d '[]' | sort -u
}

same_tags() {
    local name=$1 difference
    difference=$(comm -3 "$results/header" - | tr -s '\t\n' ' ')
    [ -z "${difference// /}" ] || complain "$name: not the header's clauses: $difference"
}

# A wrong fixture's first line: /* breaks: enqueue.2 (crash)   what is wrong */
breaks() {
    sed -n '1s/^.*breaks: *\([a-z_]*\.[0-9]*\).*$/\1/p' "$1"
}

check_clauses() {
    local part=$1
    tags "steps/$part/$part.h" >"$results/header"
    tags "steps/$part/"*.md | same_tags "steps/$part/*.md"
    {
        grep -ohE 'CHECK\([a-z_]+,[[:space:]]*[a-z_0-9]+,[[:space:]]*"[a-z_]+\.[0-9]+"' -z \
            "checker/suites/$part/"*.c | tr '\0' '\n' | grep -oE '[a-z_]+\.[0-9]+'
        grep -ohE '"common\.[0-9]+"' checker/puppet/*.c | tr -d '"'
    } | sort -u | same_tags "checker/suites/$part"
    for fixture in fixtures/"$part"/wrong/*.c; do breaks "$fixture"; done |
        sort -u | same_tags "fixtures/$part/wrong"
    echo "clauses of $part: $(wc -l <"$results/header")"
}

# ask RESULT ARGUMENTS ...: whether a jq expression holds of a result
ask() {
    local result=$1
    shift
    jq -e "$@" "$results/$result.json" >/dev/null 2>&1
}

tell() {
    local result=$1
    shift
    jq -r "$@" "$results/$result.json" 2>/dev/null || head -n 20 "$results/$result.text"
}

steps_of() {
    "$build/checker" --list | awk -v file="$1.c:" '$1 ~ /:$/ { here = $1 == file } here && $1 ~ /^[0-9]+$/ { print $1 }'
}

check_starter() {
    local step=$1 result=starter-$1
    [ "$(cat "$results/$result.code")" = 1 ] || complain "the starter does not fail step $step"
    ask "$result" --argjson step "$step" \
        '[.checks[] | select(.step == $step) | .kind] | length > 0 and all(. == "todo")' ||
        complain "the starter's step $step is not todo throughout"
    grep -q 'not written yet' "$results/$result.text" ||
        complain "step $step: the report does not say what is not written yet"
}

check_passes() {
    ask "$1" '.verdict == "passed" and .points == .max_points and .run == .declared' && return
    complain "$1 does not pass:"
    grep -v '^you|' "$results/$1.text" | head -n 30
    return 1
}

check_wrong() {
    local file=$1 result step=$2 clause kind
    result=$(basename "$file")
    clause=$(breaks "$file")
    kind=$(sed -n '1s/^.*breaks: *[a-z_.0-9]* *(\([a-z ]*\)).*$/\1/p' "$file")
    if [ -z "$clause" ]; then
        complain "$file: its first line names no clause"
    elif [ "$(cat "$results/$result.code")" != 1 ]; then
        complain "$file: the checker ends with $(cat "$results/$result.code")"
        head -n 20 "$results/$result.text"
    elif ! ask "$result" --argjson step "$step" 'all(.checks[] | select(.step < $step); .kind == "pass")'; then
        complain "$file: an earlier step fails: $(tell "$result" --argjson step "$step" \
            '[.checks[] | select(.step < $step and .kind != "pass") | "\(.clause) \(.name) \(.kind)"][0]')"
    elif ! ask "$result" --argjson step "$step" --arg clause "$clause" --arg kind "${kind:-fail}" \
        'any(.checks[]; .step == $step and .clause == $clause and .kind == $kind)'; then
        complain "$file: no ${kind:-fail} at $clause but: $(tell "$result" --argjson step "$step" \
            '[.checks[] | select(.step == $step and .kind != "pass") | "\(.clause) \(.kind)"] | unique | join(", ")')"
    else
        return 0
    fi
    return 1
}

step_of() {
    local number
    number=$(basename "$1")
    echo $((10#${number%%-*}))
}

referee_part() {
    local part=$1 last step file right=0 wrong=0
    last=$(steps_of "$part" | tail -n 1)
    check_clauses "$part"
    {
        if [ -z "$pattern" ]; then
            echo "$part.c $last solution/$part.c"
            for step in $(steps_of "$part"); do echo "starter-$step $step steps/$part/$part.c"; done
        fi
        for file in fixtures/"$part"/right/*"$pattern"*.c; do echo "$(basename "$file") $last $file"; done
        for file in fixtures/"$part"/wrong/*"$pattern"*.c; do
            echo "$(basename "$file") $(step_of "$file") $file"
        done
    } | grep -v '\*' | judge_all
    if [ -z "$pattern" ]; then
        for step in $(steps_of "$part"); do check_starter "$step"; done
        check_passes "$part.c" && echo "the solution of $part: $(tell "$part.c" \
            '"\(.points) of \(.max_points) points, \(.run) of \(.declared) declared checks run"')"
    fi
    for file in fixtures/"$part"/right/*"$pattern"*.c; do
        [ ! -e "$file" ] || { check_passes "$(basename "$file")" && right=$((right + 1)); }
    done
    for file in fixtures/"$part"/wrong/*"$pattern"*.c; do
        [ ! -e "$file" ] || { check_wrong "$file" "$(step_of "$file")" && wrong=$((wrong + 1)); }
    done
    echo "starters of $part that fail: $(steps_of "$part" | wc -l) steps"
    echo "right fixtures of $part that pass: $right"
    echo "wrong fixtures of $part that fail where they should: $wrong"
}

for folder in checker/suites/*/; do
    referee_part "$(basename "$folder")"
done
echo "complaints: $complaints"
[ "$complaints" = 0 ]
