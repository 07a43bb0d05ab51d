#!/usr/bin/env bash
# walks.sh - how many of the wrong fixtures are found by walks alone, all other checks off: part of `make check`
#
# usage: walks.sh BUILD [SECONDS] [PATTERN]      SECONDS that each may take (20)
#
# Only steps that have walks.  Ends with 1 where fewer than four in five are found.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
seconds=${2:-20}
pattern=${3:-}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# shellcheck source=checker/tests/judge.sh
. checker/tests/judge.sh

for part in fixtures/*/wrong; do
    walked=$(grep -ohE 'WALK_CHECK\([a-z_]+' "checker/suites/$(basename "$(dirname "$part")")"/*.c | cut -d'(' -f2)
    for slug in $walked; do
        for file in "$part"/[0-9][0-9]-"$slug"--*"$pattern"*.c; do
            [ ! -e "$file" ] || echo "$(basename "$file") $file walk --budget $seconds --only $(step_of "$file")"
        done
    done
done | judge_all

for file in "$results"/*.code; do
    name=$(basename "$file" .code)
    echo "$(step_of "$name") $(cat "$file") $name"
done | sort -k1n -k3 >"$results/all"
while read -r step code name; do
    [ "$code" != 0 ] || echo "  not found by walks: $name"
    [ "$code" != 75 ] || not_ok "step $step: $name could not be judged"
done <"$results/all"
while read -r step; do
    echo "step $step: $(grep -c "^$step 1 " "$results/all") of $(grep -c "^$step " "$results/all") wrong fixtures are found by walks"
done < <(cut -d' ' -f1 "$results/all" | sort -nu)
found=$(grep -c '^[0-9]* 1 ' "$results/all")
all=$(wc -l <"$results/all")
if [ $((found * 5)) -ge $((all * 4)) ]; then ok "$found of $all wrong fixtures are found by walks alone"; else
    not_ok "$found of $all wrong fixtures are found by walks alone, which is less than four in five"
fi
tap_end
