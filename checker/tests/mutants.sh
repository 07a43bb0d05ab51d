#!/usr/bin/env bash
# mutants.sh - every small mistake in the solution is found: part of `make check`
#
# usage: mutants.sh BUILD [--quick] [PATTERN]      PATTERN narrows the keys (has_failed.drop.1) down
#
# checker/tests/mutate.c makes the mutants.  Each is judged by the step that its line belongs to and, where that passes,
# by the whole part and then by its step with --thorough.  One that passes must be listed in
# checker/tests/mutants-PART.txt, a line each: KEY, a tab, why no clause forbids it; those are spared the last.
# --quick judges one in 320.  Ends with 1 where a mutant survives, or is listed and dies.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
shift
every=1
[ "${1:-}" != --quick ] || { every=320 && shift; }
pattern=${1:-.}
judged=0
[ -x "$build/tests/mutate" ] || make --no-print-directory -s BUILD="$build" "$build/tests/mutate" || exit 1
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# shellcheck source=checker/tests/judge.sh
. checker/tests/judge.sh

# Judges a mutant; its word is in KEY.word: killed, stillborn (it does not compile) or alive.
try() {
    local key=$1 line=$2 file=$RESULTS/$1.c step steps word
    step=$(awk -v line="$line" 'NR > line { exit } /^\/\* --- step [0-9]+ -/ { step = $4 } END { print step }' "$SOLUTION")
    "$BUILD/tests/mutate" "$SOLUTION" "$key" >"$file" || { echo broken >"$RESULTS/$key.word" && return; }
    for steps in "--only ${step:-$FIRST}" "$LAST" "--budget 180 --thorough --only ${step:-$FIRST}"; do
        [[ $steps != *--thorough* ]] || ! grep -q "^$key	" "$LISTED" || break
        # shellcheck disable=SC2086 # words
        judge "$key" "$file" --fail-fast $steps
        case $(cat "$RESULTS/$key.code") in
        1) if grep -q 'does not compile' "$RESULTS/$key.text"; then word=stillborn; else word=killed; fi ;;
        0) word=alive ;;
        *) word=broken ;;
        esac
        [ "$word" = alive ] || break
    done
    echo "$word" >"$RESULTS/$key.word"
    rm -f "$file" "$RESULTS/$key".{json,text,code}
}
export -f try

count() {
    cat "$results"/*.word 2>/dev/null | grep -c "^$1\$"
}

for SOLUTION in solution/*.c; do
    export SOLUTION
    part=$(basename "$SOLUTION" .c)
    export LISTED=checker/tests/mutants-$part.txt
    FIRST=$("$build/checker" --list | awk -v file="$part.c:" '$1 ~ /:$/ { here = $1 == file } here && $1 + 0 { print $1; exit }')
    LAST=$("$build/checker" --list | awk -v file="$part.c:" '$1 ~ /:$/ { here = $1 == file } here && $1 + 0 { last = $1 } END { print last }')
    export FIRST LAST
    "$build/tests/mutate" "$SOLUTION" | grep -E -- "$pattern" | awk -v every="$every" 'NR % every == 0 || every == 1' >"$results/list"
    sed -E 's/^([^\t]*)\tline ([0-9]+):.*$/\1 \2/' "$results/list" | xargs -P "$(nproc)" -L 1 bash -c 'try "$@"' _
    while IFS=$'\t' read -r key what; do
        word=$(cat "$results/$key.word")
        if grep -q "^$key	" "$LISTED"; then
            [ "$word" = alive ] || not_ok "mutant $key is listed in $LISTED, and it is $word"
        elif [ "$word" != killed ] && [ "$word" != stillborn ]; then
            not_ok "mutant $key is $word: $what"
        fi
    done <"$results/list"
    judged=$((judged + $(wc -l <"$results/list")))
    ok "mutants of $part: $(count killed) killed, $(count alive) alive, of $(wc -l <"$LISTED") that are listed with a reason; $(count stillborn) do not compile"
done
[ "$judged" -gt 0 ] || not_ok "no key matches '$pattern' (keys are such as has_failed.drop.1: $build/tests/mutate FILE lists them)"
tap_end
