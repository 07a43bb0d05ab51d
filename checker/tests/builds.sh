#!/usr/bin/env bash
# builds.sh - the same verdicts by clang, from programs that are sanitized themselves, and without sanitizers
#
# usage: builds.sh BUILD
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh

starter_fails() {
    "$1/checker" --budget 60 2 steps/worker/worker.c >/dev/null 2>&1
    [ $? = 1 ]
}

# agrees NAME BUILD: the solution passes, the starter does not, a wrong worker fails where it should
agrees() {
    shows "$1: the solution passes" "$2/checker" --budget 60 8 solution/worker.c
    shows "$1: the starter does not pass" starter_fails "$2"
    shows "$1: a wrong worker fails where it should" checker/tests/referee.sh "$2" --quick 04-pending--s4-02
}

build() {
    local name=$1 folder=$2
    shift 2
    shows "$name: is built" make --no-print-directory -s -j"$(nproc)" BUILD="$folder" "$@" all
}

shows "without sanitizers the solution passes" "$1/checker" --no-sanitizers --budget 60 8 solution/worker.c

build clang build-clang CC=clang
agrees clang build-clang
shows "clang: unit tests" checker/tests/units.sh build-clang CC=clang

# What a check acquires it leaves to the end of its process: leaks are not looked for there.
export ASAN_OPTIONS=detect_leaks=0
build sanitized build-sanitized SANITIZE=1
agrees sanitized build-sanitized
shows "sanitized: unit tests" checker/tests/units.sh build-sanitized SANITIZE=1
tap_end
