#!/usr/bin/env bash
# units.sh - builds and runs the checker's own unit tests, test_*.c
#
# usage: units.sh BUILD [MAKE VARIABLE=VALUE ...]
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
shift

for source in checker/tests/test_*.c; do
    program=$build/tests/$(basename "$source" .c)
    make --no-print-directory -s BUILD="$build" "$@" "$program" || { not_ok "$source builds"; continue; }
    # Criterion counts "N | Passing: N"; no test at all is no success.
    output=$("$program" --tap=- 2>&1)
    passed=$(grep -c '^ok ' <<<"$output")
    if [ "$passed" -gt 0 ] && ! grep -q '^not ok ' <<<"$output"; then
        ok "$source: $passed tests"
    else
        not_ok "$source"
        grep -v '^ok ' <<<"$output" | head -n 30
    fi
done
tap_end
