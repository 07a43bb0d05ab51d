#!/usr/bin/env bash
# soak.sh - the same verdicts again and again, under load and in odd surroundings: `make soak`
#
# usage: soak.sh BUILD [RUNS [ROUNDS]]
#
# Two busy loops per core take the machine's time meanwhile.  RUNS (500) of the solution take turns among the
# surroundings below; in each of ROUNDS (20) every fixture is judged by its step.  Each run has another seed.  Without
# rounds there is only the first of the surroundings.  Ends with 1 where a verdict is not the expected one.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
runs=${2:-500}
rounds=${3:-20}
work=$(mktemp -d)
loops=()
slow=

# shellcheck disable=SC2317 # called by the trap
clean_up() {
    kill "${loops[@]}" 2>/dev/null
    [ -z "$slow" ] || rmdir "$slow"
    rm -rf "$work"
}
trap clean_up EXIT

# --- surroundings: each runs the checker with these arguments

as_it_is() { "$build/checker" "$@"; }
by_clang() { build-clang/checker "$@"; }
by_sanitized_programs() { ASAN_OPTIONS=detect_leaks=0 build-sanitized/checker "$@"; }
by_programs_without_optimization() { build-o0/checker "$@"; }
by_programs_with_optimization() { build-o2/checker "$@"; }
with_an_optimized_worker() { CC=$work/gcc "$build/checker" "$@"; }
without_sanitizers() { "$build/checker" --no-sanitizers "$@"; }
on_disk() { TMPDIR=/var/tmp "$build/checker" "$@"; }
in_turkish() { LOCPATH=$work LC_ALL=tr_TR.UTF-8 "$build/checker" "$@"; }
in_german() { LOCPATH=$work LC_ALL=de_DE.UTF-8 "$build/checker" "$@"; }
with_few_descriptors() { (ulimit -n 64 && exec "$build/checker" "$@"); }
with_a_tenth_of_the_processors() { (echo "$BASHPID" >"$slow/cgroup.procs" && exec "$build/checker" "$@"); }

surroundings=(as_it_is)

add_all_surroundings() {
    local language
    shows 'clang: is built' make --no-print-directory -s BUILD=build-clang CC=clang all
    shows 'sanitized: is built' make --no-print-directory -s BUILD=build-sanitized SANITIZE=1 all
    shows 'without optimization: is built' make --no-print-directory -s BUILD=build-o0 CFLAGS='-O0 -g' all
    shows 'with optimization: is built' make --no-print-directory -s BUILD=build-o2 CFLAGS='-O2 -g' all
    printf '#!/bin/sh\nexec %s "$@" -O2\n' "$(command -v gcc)" >"$work/gcc"
    chmod +x "$work/gcc"
    surroundings+=(by_clang by_sanitized_programs by_programs_without_optimization by_programs_with_optimization
        with_an_optimized_worker without_sanitizers on_disk with_few_descriptors)
    for language in tr_TR de_DE; do
        shows "$language: is made" localedef -i $language -f UTF-8 "$work/$language.UTF-8"
    done
    surroundings+=(in_turkish in_german)
    if make_slow; then surroundings+=(with_a_tenth_of_the_processors); else echo "no cgroup can be made here: nothing runs at a tenth"; fi
}

# A cgroup with a tenth of all processors, by the first or the second kind of cgroups.
make_slow() {
    local share=$(($(nproc) * 10000)) folder
    for folder in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
        mkdir "$folder/soak-$$" 2>/dev/null || continue
        slow=$folder/soak-$$
        { echo "$share" >"$slow/cpu.cfs_quota_us" || echo "$share 100000" >"$slow/cpu.max"; } 2>/dev/null && return
        rmdir "$slow"
        slow=
    done
    return 1
}

# --- the verdicts

solution_again() {
    local run how passed=0
    for run in $(seq "$runs"); do
        how=${surroundings[$((run % ${#surroundings[@]}))]}
        if "$how" --budget 60 --seed "$run" 8 solution/worker.c >"$work/out" 2>&1; then
            passed=$((passed + 1))
        else
            echo "run $run, $how, ends with $?:"
            cat "$work/out"
        fi
    done
    if [ "$passed" = "$runs" ]; then ok "$passed of $runs runs of the solution pass"; else
        not_ok "$passed of $runs runs of the solution pass"
    fi
}

fixtures_again() {
    local round
    for round in $(seq "$rounds"); do
        SEED=$round shows "round $round: every fixture is judged as it should be" checker/tests/referee.sh "$build" --only
    done
}

[ "$rounds" = 0 ] || add_all_surroundings
for _ in $(seq $(($(nproc) * 2))); do
    while :; do :; done &
    loops+=($!)
done
solution_again
fixtures_again
echo "surroundings: ${surroundings[*]//_/ }; $SECONDS s"
tap_end
