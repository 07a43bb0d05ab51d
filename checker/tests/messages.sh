#!/usr/bin/env bash
# messages.sh - every check has failed once, in words that are kept: part of `make check`
#
# usage: messages.sh BUILD [--quick|--record [PATTERN]]
#
# fixtures/transcripts/PART.jsonl has a line for each check: the wrong fixture that makes it fail, and the finding as it
# is in the result for programs.  The same fixture must bring the same finding again, numbers of ports and milliseconds
# apart.  --quick looks at one fixture in sixteen.  --record writes the lines anew: it judges every wrong fixture twice
# and takes the first one that says the same both times; with PATTERN those with it in their names, and the other
# lines stay.  Ends with 1 where something is not so.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
mode=${2:-}
pattern=${3:-}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# shellcheck source=checker/tests/judge.sh
. checker/tests/judge.sh

# findings: each finding of every result that is no pass, a JSON line each
findings() {
    local result
    for result in "$results"/*.c.json; do
        [ -e "$result" ] || continue
        # shellcheck disable=SC2016 # jq's variables
        jq -c --arg fixture "$(basename "$result" .json)" '
            def steady: gsub("127\\.0\\.0\\.1:[0-9]+"; "127.0.0.1:PORT") | gsub("[0-9]+ ms"; "N ms");
            .checks[] | select(.kind != "pass" and .kind != "not run") |
            { step, name, clause, fixture: $fixture, kind } + ({ did, expected, got, message } | map_values((. // "") | steady))' \
            "$result"
    done | LC_ALL=C sort
}

# work_for: the lines for judge_all from the names of fixtures on standard input.  Where results are kept the referee has
# judged these fixtures by the earlier steps too, and is not asked again.
work_for() {
    local part=$1 only=--only name
    [ -z "${KEPT:-}" ] || only=
    while read -r name; do
        echo "$name fixtures/$part/wrong/$name $only $(step_of "$name")"
    done
}

# The names of all checks of a part, from what becomes of its starter.
declared() {
    "$build/checker" --json "$results/declared" "$("$build/checker" --list |
        awk -v file="$1.c:" '$1 ~ /:$/ { here = $1 == file } here && $1 + 0 { last = $1 } END { print last }')" \
        "steps/$1/$1.c" >/dev/null 2>&1
    jq -r '.checks[] | "\(.step) \(.name)"' "$results/declared" | sort -u
}

record() {
    local part=$1 kept=fixtures/transcripts/$1.jsonl round file
    for file in fixtures/"$part"/wrong/*"$pattern"*.c; do
        [ ! -e "$file" ] || basename "$file"
    done >"$results/fixtures"
    for round in 1 2; do
        work_for "$part" <"$results/fixtures" | judge_all
        findings >"$results/round$round"
    done
    comm -12 "$results/round1" "$results/round2" |
        jq -cs 'group_by([.step, .name])[] | sort_by(.kind != "fail", (.did | length))[0]' >"$results/fresh"
    sed 's/.*/"fixture":"&"/' "$results/fixtures" | grep -vFf - "$kept" | cat - "$results/fresh" |
        jq -cs 'group_by([.step, .name])[] | .[0]' >"$results/all"
    cp "$results/all" "$kept"
    rm -f "$results"/*.c.json
}

compare() {
    local part=$1 kept=fixtures/transcripts/$1.jsonl every=1 name line wrong=0
    [ "$mode" != --quick ] || every=16
    jq -r .fixture "$kept" | sort -u | awk -v n="$every" 'NR % n == 0' | tee "$results/fixtures" | work_for "$part" | judge_all
    findings >"$results/found"
    while read -r name; do
        while read -r line; do
            grep -qxF -- "$line" "$results/found" && continue
            wrong=$((wrong + 1))
            echo "  was   $line"
            echo "  is    $(grep -F "$(jq -c '{step, name}' <<<"$line" | tr -d '}')," "$results/found" | grep -F "\"$name\"")"
        done < <(grep -F "\"fixture\":\"$name\"" "$kept")
    done <"$results/fixtures"
    if [ "$wrong" = 0 ]; then ok "$part: what $(wc -l <"$results/fixtures") fixtures make the checks say"; else
        not_ok "$part: $wrong findings are not as they were kept (checker/tests/messages.sh $build --record)"
    fi
}

for part in checker/suites/*/; do
    part=$(basename "$part")
    if [ "$mode" = --record ]; then record "$part"; else compare "$part"; fi
    missing=$(declared "$part" | comm -23 - <(jq -r '"\(.step) \(.name)"' "fixtures/transcripts/$part.jsonl" | sort -u))
    if [ -z "$missing" ]; then ok "$part: every check has failed once"; else
        not_ok "$part: no wrong fixture makes these checks fail: ${missing//$'\n'/, }"
    fi
done
tap_end
