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
build=$1
runs=${2:-10}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# took COMMAND ...: the milliseconds of one run
took() {
    local begun=$EPOCHREALTIME
    "$@" >"$place/out" 2>&1 || { cat "$place/out" >&2; exit 1; }
    echo $(((${EPOCHREALTIME/./} - ${begun/./}) / 1000))
}

# The compiler's command line as -v shows it, run where the includes are found.
"$build/checker" -v 1 solution/worker.c | sed -n 's/^compiled with: //p' >"$place/compile"
[ -s "$place/compile" ] || { echo "the checker does not say how it compiles" >&2; exit 1; }
cp solution/worker.c "$place/"
floor_run() {
    (cd "$place" && bash compile)
    "$build/floor" --quiet --jobs "$(($(nproc) * 3 + 4))"
}
export -f floor_run
export place build

summary() {
    sort -n "$place/$1" | awk -v name="$2" '{ v[NR] = $1 }
        END { printf "%-34s %5d %6d %5d ms\n", name, v[1], v[int((NR + 1) / 2)], v[NR] }'
}

median() {
    sort -n "$place/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

for _ in $(seq "$runs"); do
    took floor_run >>"$place/floor"
    took "$build/checker" 8 solution/worker.c >>"$place/full"
    took "$build/checker" 1 solution/worker.c >>"$place/first"
done
printf '%-34s %5s %6s %5s\n' "$runs runs in turn" min median max
summary floor "floor: compile and empty tests"
summary full 'checker 8 solution/worker.c'
summary first 'checker 1 solution/worker.c'
for step in 2 3 4 5 6 7 8; do
    for _ in 1 2 3; do took "$build/checker" --only "$step" solution/worker.c >>"$place/only-$step"; done
    summary "only-$step" "checker --only $step solution/worker.c"
done
awk -v a="$(median full)" -v b="$(median floor)" 'BEGIN { printf "full run / floor: %.2f\n", a / b }'
