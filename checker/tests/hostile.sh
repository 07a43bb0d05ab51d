#!/usr/bin/env bash
# hostile.sh - what hostile files, unlucky machines and impatient people do to the checker
# shellcheck disable=SC1091,SC2034
#
# usage: hostile.sh BUILD [--quick|PATTERN]      PATTERN narrows the cases down (an extended regex); --quick takes one
# case in four
#
# Every case has a private directory, a private TMPDIR in it, and four bounds: the exit code, the
# kinds of finding or the sentence, the time, and nothing left over: no process that works in
# the directory or names it in its environment, no file in TMPDIR, no shared memory.  (A socket
# that listens cannot outlive the processes that hold it.)  Cases run three at a time, since most of them wait.
#
#   hostile_worker.sh    fixtures/hostile/*.c, each as its first line says
#   hostile_compile.sh   what is done to the compiler, and with the name of the file
#   hostile_output.sh    closed, full and odd places where a report or a result is to go
#   hostile_operator.sh  signals, missing programs, odd environments, small limits
#   hostile_machine.sh   what only root can set up: no loopback, full, noexec, another user
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit
root=$PWD
build=$(cd "${1:?usage: hostile.sh BUILD [--quick|PATTERN]}" && pwd)
quick='' pattern=${2:-}

# With a /dev/shm of our own, what other checkers leave there is none of ours.
if [ -z "${HOSTILE_INSIDE:-}" ] && unshare -m true 2>/dev/null && [ "$(id -u)" = 0 ]; then
    # shellcheck disable=SC2016
    exec unshare -m bash -c 'mount -t tmpfs tmpfs /dev/shm; HOSTILE_INSIDE=1 exec "$@"' - \
        "$here/hostile.sh" "$build" "$pattern"
fi
[ "$pattern" != --quick ] || quick=1 pattern=''
unset HOSTILE_INSIDE

# shellcheck source=checker/tests/tap.sh
. checker/tests/tap.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/hostile-XXXXXX")
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
solution=$root/solution/worker.c
hostile=$root/fixtures/hostile
now_ms() {
    local now=$EPOCHREALTIME
    echo $((${now%[.,]*} * 1000 + 10#${now#*[.,]} / 1000))
}

# A hundredth of a second passes.
exec 9<> <(:)
tick() {
    read -rt 0.01 -u 9
}

# --- within a case: $W is its directory, $T its TMPDIR, complaints what was not as it should be

complain() {
    complaints+="  $*"$'\n'
}

# run ARGUMENTS ...: runs the checker; sets code and ms; $W/out, $W/err and $W/json have the rest
run() {
    local start
    start=$(now_ms)
    env TMPDIR="$T" "${with[@]}" "$build/checker" --json "$W/json" "$@" >"$W/out" 2>"$W/err" </dev/null
    code=$?
    ms=$(($(now_ms) - start))
}

# check ARGUMENTS ...: runs it, and again with 60 seconds where it was the machine's fault that time
# was up; the bounds in time are for the first run.
check() {
    local i first arguments=("$@")
    run "$@"
    if [ "$code" = 75 ] && grep -qs 'seconds were not enough' "$W/out"; then
        first=$ms
        for ((i = 0; i < $# - 1; i++)); do
            if [ "${arguments[i]}" = --budget ]; then arguments[i + 1]=60; fi
        done
        run --budget 60 "${arguments[@]}"
        ms=$first
    fi
}

# Processes of this case, by what they are given or where they work, never by name.
leftovers() {
    grep -lazsF -- "WORKBOOK_PLACE=$T/" /proc/[0-9]*/environ
    find /proc/[0-9]*/cwd -maxdepth 0 -lname "$T/*" 2>/dev/null
}

nothing_left() {
    local left
    left=$(leftovers)
    [ -z "$left" ] || complain "$(wc -l <<<"$left") processes are left: $(head -n 5 <<<"$left" | tr '\n' ' ')"
    left=$(find "$T" -mindepth 1 2>/dev/null | head -n 3)
    [ -z "$left" ] || complain "files are left: $left"
    for left in /dev/shm/bxf*; do
        left=${left##*/}
        if [ -e "/dev/shm/$left" ] && ! kill -0 "${left##*_}" 2>/dev/null &&
            [ "/dev/shm/$left" -nt "$W" ]; then
            complain "shared memory is left: $left"
        fi
    done
}

exit_is() {
    [[ $code =~ ^($1)$ ]] || complain "exit code $code, not $1: $(tail -n 3 "$W/out" "$W/err")"
}

# within MS: and 0.5 s more for each other process that wants a core here now
within() {
    local load rest
    IFS=. read -r load rest </proc/loadavg
    [ "$ms" -le $(($1 + 500 * (load / $(nproc)))) ] || complain "took $ms ms, not $1 (load $load.$rest)"
}

says() {
    LC_ALL=C grep -qaE -- "$1" "$W/out" "$W/err" ||
        complain "does not say '$1': $(head -c 600 "$W/out" "$W/err" | tr '\0' '?')"
}

says_not() {
    if LC_ALL=C grep -qaP -- "$1" "$W/out" "$W/err"; then complain "says '$1'"; fi
}

# ask JQ-EXPRESSION: it must hold of the result for programs
ask() {
    jq -e "$1" "$W/json" >/dev/null 2>&1 ||
        complain "not so: $1; the kinds are $(jq -c '[.checks[]|"\(.step) \(.kind)"]|group_by(.)|map("\(.[0]) \(length)")' "$W/json" 2>&1)"
}

escapes_nothing() {
    says_not '\x1b'
    says_not '[\x00-\x08\x0b-\x1f]'
}

# refuses CODE SENTENCE ARGUMENTS ...
refuses() {
    local wanted=$1 sentence=$2
    shift 2
    rm -f "$W/json"
    check "$@"
    exit_is "$wanted"
    says "$sentence"
    within 4000
    [ ! -e "$W/json" ] || complain "there is a result for programs"
    nothing_left
}

# passes ARGUMENTS ...: the solution, or what is as good
passes() {
    check "$@"
    exit_is 0
    ask '.verdict == "passed" and .declared == .run'
    within 13000
    nothing_left
}

# --- the cases

for part in worker compile output operator machine; do
    # shellcheck source=/dev/null
    . "checker/tests/hostile_$part.sh"
done

play() {
    local W=$work/$1 complaints='' code='' ms=0 with=(LC_ALL=C.UTF-8)
    local T=$W/tmp
    mkdir -p "$T"
    if [ -f "$hostile/$1.c" ]; then play_fixture "$1"; else "case_$1"; fi
    if [ -n "$complaints" ]; then
        not_ok "$1 ($ms ms)"
        printf '%s' "$complaints"
    else ok "$1 ($ms ms)"; fi
    chmod -R u+rwx "$W"
    rm -rf "$W"
}

names() {
    for name in "$hostile"/*.c; do basename "$name" .c; done
    declare -F | sed -n 's/^declare -f case_//p'
}

# What is not as it should be beside another case, for want of time, is looked at once more alone; it
# shows both times.
play_first() {
    play "$1" >"$work/$1.tap" 2>&1
    if grep -q '^not ok' "$work/$1.tap"; then sed 's/^/# /' "$work/$1.tap"; else cat "$work/$1.tap"; fi
}

running=0
for name in $(names | grep -E -- "$pattern" | thin 4); do
    if [ $running = 3 ]; then
        wait -n
        running=$((running - 1))
    fi
    play_first "$name" &
    running=$((running + 1))
done
wait
for tap in "$work"/*.tap; do
    if grep -q '^not ok' "$tap"; then play "$(basename "$tap" .tap)"; fi
done
tap_end
