#!/usr/bin/env bash
# transcripts.sh - what the checker prints, word for word, against fixtures/transcripts/*.txt
#
# usage: transcripts.sh BUILD [--record]
#
# A transcript is the commands, one a line after "$ ", each followed by what it printed and its exit code.
# Times, hashes, process ids and paths are replaced by words; the seed is given.  --record writes
# what is printed now: read the difference before you commit it.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
build=${1:?BUILD is missing: see the head of $0}
record=${2:-}
export LC_ALL=C.UTF-8

plain() {
    sed -E -e "s#$build/checker#checker#g" -e 's/, [0-9]+\.[0-9] s$/, T s/' -e 's/sha256 [0-9a-f]{12}/sha256 HASH/' \
        -e 's/[0-9]+ bytes/B bytes/' -e 's/within [0-9]+ ms/within T ms/' -e 's/0x[0-9a-f]+/ADDRESS/g' -e 's/==[0-9]+==/==PID==/' \
        -e 's/worker\.c:[0-9]+(:[0-9]+)?/worker.c:LINE/g' -e 's/_[a-z_]+\.c:[0-9]+/SUITE:LINE/g'
}

# play TRANSCRIPT: every command in it, as now
play() {
    local command
    while IFS= read -r command; do
        echo "\$ $command"
        # shellcheck disable=SC2086 # words
        "$build/checker" ${command#checker} 2>&1 </dev/null | plain
        echo "exit ${PIPESTATUS[0]}"
    done < <(sed -n 's/^\$ //p' "$1")
}

for transcript in fixtures/transcripts/*.txt; do
    if [ "$record" = --record ]; then
        play "$transcript" >"$transcript.new" && mv "$transcript.new" "$transcript"
    elif difference=$(diff "$transcript" <(play "$transcript")); then
        ok "$transcript"
    else
        not_ok "$transcript"
        head -n 30 <<<"$difference"
    fi
done
tap_end
