#!/usr/bin/env bash
# soak.sh - the solution again and again on a loaded machine, each run with another seed: `make soak`
#
# usage: soak.sh BUILD [RUNS]
#
# Two busy loops per core take the machine's time meanwhile.  Ends with 1 where a run is no pass.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=$1
runs=${2:-200}
loops=()
trap 'kill "${loops[@]}" 2>/dev/null' EXIT
for _ in $(seq $(($(nproc) * 2))); do
    while :; do :; done &
    loops+=($!)
done

passed=0
for run in $(seq "$runs"); do
    if "$build/checker" --seed "$run" 8 solution/worker.c >"$build/soak.out" 2>&1; then
        passed=$((passed + 1))
    else
        echo "run $run ends with $?:"
        cat "$build/soak.out"
    fi
done
if [ "$passed" = "$runs" ]; then ok "$passed of $runs runs under load pass"; else
    not_ok "$passed of $runs runs under load pass"
fi
tap_end
