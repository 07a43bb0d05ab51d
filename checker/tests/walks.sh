#!/usr/bin/env bash
# walks.sh - how many of the wrong fixtures are found by walks alone, all other checks off: part of `make check`
#
# usage: walks.sh BUILD [SECONDS] [PATTERN]      SECONDS that each may take (10)
#
# Only steps that have walks.  Ends with 1 where fewer than four in five are found.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
seconds=${2:-10}
pattern=${3:-}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

walk() {
    local name
    name=$(basename "$2")
    "$BUILD/checker" walk --budget "$SECONDS_EACH" --only "$1" "$2" >"$RESULTS/$name.text" 2>&1
    echo "$1 $? $name" >"$RESULTS/$name.code"
}
export -f walk
export BUILD=$build RESULTS=$results SECONDS_EACH=$seconds

for part in fixtures/*/wrong; do
    walked=$(grep -ohE 'WALK_CHECK\([a-z_]+' "checker/suites/$(basename "$(dirname "$part")")"/*.c | cut -d'(' -f2)
    for slug in $walked; do
        for file in "$part"/[0-9][0-9]-"$slug"--*"$pattern"*.c; do
            number=$(basename "$file")
            [ ! -e "$file" ] || echo "$((10#${number%%-*})) $file"
        done
    done
done | xargs -P "$(nproc)" -L 1 bash -c 'walk "$@"' _

cat "$results"/*.code | sort -k1n -k3 >"$results/all"
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
