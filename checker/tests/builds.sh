#!/usr/bin/env bash
# builds.sh - the same verdicts by clang, and from programs that are sanitized themselves
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. checker/tests/tap.sh

# agrees BUILD NAME: the solution passes, the starter does not, a wrong fixture fails at its clause
agrees() {
    local build=$1 name=$2
    shows "$name: the solution passes" "$build/checker" --budget 60 8 solution/worker.c
    "$build/checker" --budget 60 1 steps/worker/worker.c >/dev/null 2>&1
    [ $? = 1 ] && ok "$name: the starter does not pass" || not_ok "$name: the starter does not pass"
    shows "$name: a fixture of each clause fails there" checker/tests/referee.sh "$build" --quick --sample
}

build() {
    local folder=$1
    shift
    shows "$folder is built ($*)" make --no-print-directory -s -j"$(nproc)" BUILD="$folder" "$@" all
}

build build-clang CC=clang
agrees build-clang clang
shows "clang: unit tests" checker/tests/units.sh build-clang CC=clang

# What a check acquires it leaves to the end of its process: leaks are not looked for there.
export ASAN_OPTIONS=detect_leaks=0
build build-sanitized SANITIZE=1
agrees build-sanitized sanitized
shows "sanitized: unit tests" checker/tests/units.sh build-sanitized SANITIZE=1
tap_end
