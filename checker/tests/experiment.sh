#!/usr/bin/env bash
# experiment.sh - `checker experiment`: what is kept is what is observed, again and again, and what breaks it is named
#
# usage: experiment.sh BUILD [--quick|--record]
#
# Each part that has fixtures/<part>/experiment.json.  --quick looks at one right worker in nine.  --record writes what is
# observed now: read the difference before you commit it.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
quick=''
[ "${2:-}" != --quick ] || quick=1
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# ends CODE ARGUMENT ...: an experiment ends with that exit code
ends() {
    local expected=$1 code
    shift
    "$build/checker" experiment "$@"
    code=$?
    [ "$code" = "$expected" ] || { echo "exit $code instead of $expected"; return 1; }
}

# says PATTERN CODE ARGUMENT ...: and what it prints has a line like that
says() {
    local pattern=$1
    shift
    ends "$@" >"$results/said" 2>&1 || { cat "$results/said"; return 1; }
    grep -qE "$pattern" "$results/said" || { echo "no line like: $pattern"; cat "$results/said"; return 1; }
}

# a_line_each CODE ARGUMENT ...: and there is a line for each scenario that is kept
a_line_each() {
    local name
    ends "$@" >"$results/said" 2>&1 || { cat "$results/said"; return 1; }
    while read -r name; do
        [ "$(grep -cE " $name( |\$)" "$results/said")" = 1 ] || { echo "not one line for $name"; return 1; }
    done < <(jq -r '.scenarios[].name' "$kept")
}

written_twice() {
    ends 0 --output "$results/one.json" "$solution" && ends 0 --seed 7 --output "$results/two.json" "$solution" &&
        cmp "$results/one.json" "$results/two.json" && cmp "$results/one.json" "$kept"
}

printed() {
    ends 0 "$solution" >"$results/printed.json" && cmp "$results/printed.json" "$kept"
}

# The wrong worker is no experiment, so that the file that is there stays as it is.
an_old_file_stays() {
    echo old >"$results/old.json"
    ends 1 --output "$results/old.json" "$starter" && [ "$(cat "$results/old.json")" = old ]
}

# asks EXPRESSION: jq says yes of what is kept
asks() {
    jq -e "$1" "$kept"
}

for kept in fixtures/*/experiment.json; do
    part=$(basename "$(dirname "$kept")")
    solution=solution/$part.c
    starter=steps/$part/$part.c
    if [ "${2:-}" = --record ]; then
        "$build/checker" experiment --output "$kept" "$solution" || not_ok "$kept was not written"
        continue
    fi
    shows "$part: the solution does what is kept, a line for each scenario" a_line_each 0 --check "$solution"
    shows "$part: written twice it is the same, and what is kept" written_twice
    shows "$part: so it is on standard output" printed
    shows "$part: the starter is no experiment, and an old file stays" an_old_file_stays
    while read -r right; do
        shows "$part: so does right/$(basename "$right")" ends 0 --check "$right"
    done < <(printf '%s\n' fixtures/"$part"/right/*.c | thin 9)
done

if [ "${2:-}" = --record ]; then
    tap_end
    exit
fi
kept=fixtures/ordered/experiment.json
shows "there are 22 scenarios" asks '.scenarios | length == 22 and (map(.name) | unique | length == 22)'
shows "ten of them kill a process, and another one goes on" \
    asks '[.scenarios[] | select(.name != "unsafe_dual_write" and any(.steps[]; .killed_at)) | select(any(.steps[]; .process | test(" 2$")))] | length == 10'
shows "two writes instead of one lose the event" \
    asks '.scenarios[] | select(.name == "unsafe_dual_write") | .producer.flow[0].seq >= 1 and all(.producer.outbox[]; .event_id != "A1") and .consumer.effect == []'
# The race of six processes may show it first.
shows "a dual write is found, and the scenario named" \
    says 'differs *advance_killed_after_flow' 1 --check fixtures/ordered/wrong/11-advance--a-dual-write.c
shows "a conflict that is put away is found, too" \
    says 'the first difference is in default_relay_starves' 1 --check fixtures/ordered/wrong/13-relay--a-conflict-is-put-away.c
shows "a part without scenarios is refused" says 'worker.c has no scenarios' 2 solution/worker.c
shows "no file, no experiment" says 'say which file' 2 --check
tap_end
