#!/usr/bin/env bash
# bench.sh - how long a run takes, beside the floor that docs/design.md defines: `make bench`
#
# usage: bench.sh BUILD [RUNS]
#
# The floor of a run is the compilation of the same file with the same flags and a Criterion run of
# as many empty tests.  Both are run in turn, so that a change of the machine's speed meets both.
# Prints milliseconds (minimum, median, maximum) and the ratio of the medians.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?BUILD is missing: see the head of $0}
runs=${2:-10}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# took COMMAND ...: the milliseconds of one run
took() {
    local begun=$EPOCHREALTIME
    "$@" >"$place/out" 2>&1 || { cat "$place/out" >&2; exit 1; }
    echo $(((${EPOCHREALTIME/./} - ${begun/./}) / 1000))
}

summary() {
    sort -n "$place/$1" | awk -v name="$2" '{ v[NR] = $1 }
        END { printf "%-36s %5d %6d %5d ms\n", name, v[1], v[int((NR + 1) / 2)], v[NR] }'
}

median() {
    sort -n "$place/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# floor_run PART: the compiler's command line as -v shows it, run where the includes are found, and the empty tests
floor_run() {
    (cd "$place" && bash "compile-$1")
    "$build/floor-$1" --quiet --jobs "$(($(nproc) * 3 + 4))"
}

bench() {
    local part=$1 file=solution/$1.c steps first last step
    steps=$("$build/checker" --list | awk -v file="$part.c:" '$1 ~ /:$/ { here = $1 == file } here && $1 + 0 { print $1 }')
    first=$(head -n 1 <<<"$steps") last=$(tail -n 1 <<<"$steps")
    "$build/checker" -v "$first" "$file" | sed -n 's/^compiled with: //p' >"$place/compile-$part"
    [ -s "$place/compile-$part" ] || { echo "the checker does not say how it compiles" >&2; exit 1; }
    cp "$file" "$place/"
    for _ in $(seq "$runs"); do
        took floor_run "$part" >>"$place/floor-$part"
        took "$build/checker" "$last" "$file" >>"$place/full-$part"
        took "$build/checker" "$first" "$file" >>"$place/step-$first"
    done
    printf '%-36s %5s %6s %5s\n' "$part: $runs runs in turn" min median max
    summary "floor-$part" "floor: compile and empty tests"
    summary "full-$part" "checker $last $file"
    summary "step-$first" "checker $first $file"
    for step in $(tail -n +2 <<<"$steps"); do
        for _ in 1 2 3; do took "$build/checker" --only "$step" "$file" >>"$place/step-$step"; done
        summary "step-$step" "checker --only $step $file"
    done
    awk -v a="$(median "full-$part")" -v b="$(median "floor-$part")" 'BEGIN { printf "full run / floor: %.2f\n\n", a / b }'
}

for folder in checker/suites/*/; do bench "$(basename "$folder")"; done
