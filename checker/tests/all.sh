#!/usr/bin/env bash
# all.sh - every test script, one after the other: `make test`; of fixtures, mutants and hostile cases a sample, and all of
# them in `make check`
#
# usage: all.sh BUILD
#
# Each script says "ok - ..." and "not ok - ..." lines (tap.sh).  The last line of all is
# "N passed, N failed"; ends with 1 where something failed or nothing was shown.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=${1:?BUILD is missing: see the head of $0}
log=$build/test.log
: >"$log"

# part NAME COMMAND ...: a script that fails without a line of its own counts as a failure too
part() {
    local name=$1 begun=$SECONDS before
    shift
    before=$(grep -c '^not ok' "$log")
    echo "== $name"
    "$@" 2>&1 | tee -a "$log"
    if [ "${PIPESTATUS[0]}" != 0 ] && [ "$(grep -c '^not ok' "$log")" = "$before" ]; then
        echo "not ok - $name ended badly" | tee -a "$log"
    fi
    echo "   ($((SECONDS - begun)) s)"
}

part 'lint' checker/tests/lint.sh
part 'unit tests' checker/tests/units.sh "$build"
part 'what the checker prints' checker/tests/transcripts.sh "$build"
part 'experiments' checker/tests/experiment.sh "$build" --quick
part 'the referee' checker/tests/referee.sh "$build" --quick
part 'mutants of the solution' checker/tests/mutants.sh "$build" --quick
part 'docs/maintaining.md: add a step' checker/tests/add_step.sh "$build"
part 'hostile files and machines' checker/tests/hostile.sh "$build" --quick
part 'other compilers and sanitizers' checker/tests/builds.sh "$build"
part 'under load' checker/tests/soak.sh "$build" 3 0

wrong=$(awk '/^wrong fixtures that fail where they should:/ { sum += $NF } END { print sum + 0 }' "$log")
passed=$(($(grep -c '^ok' "$log") + wrong))
failed=$(grep -c '^not ok' "$log")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
