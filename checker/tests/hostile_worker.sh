# shellcheck shell=bash disable=SC2154
# hostile_worker.sh - the workers of fixtures/hostile, each as its first line says; for hostile.sh
#
#   /* hostile: what it does; expected: KINDS of step N */    or: of steps 1 to 8
#
# KINDS: "pass": all checks pass.  "ended", or "crash|hang": at least one check ends so, and none
# passes.  "some fail": at least one ends so, others as they like.  "forgery": none passes that
# does not pass for a worker which says { VALUE, 1 } and does nothing.  "of steps 1 to 8" judges all eight.
#
# Needs the sandbox (the isolation issue), so not here:
#   C01 C02 files of others included       R16 R17 R19 R46 kill and ptrace of the checker
#   R20 R40 /proc read for the step        R22 the network            R25 the file itself changed
#   R26 many small files                   R28 state in /dev/shm      R47 libraries loaded
#   fork bombs without bound, a process that rewrites its environ after SIGKILL of the checker,
#   connections to the fork server's own socket

# One that does nothing and says yes: what passes for it needs no work.
unearned() {
    check --only "$1" --budget 30 "$hostile/always_one.c"
    jq -r '.checks[] | select(.kind == "pass") | .name' "$W/json" | sort >"$W/unearned"
}

judge_fixture() {
    local kinds=$1
    case $kinds in
    pass)
        exit_is 0
        ask '.verdict == "passed"'
        ;;
    forgery)
        exit_is 1
        ask '.verdict == "not passed"'
        jq -r '.checks[] | select(.kind == "pass") | .name' "$W/json" | sort >"$W/passed"
        unearned "$2"
        kinds=$(comm -23 "$W/passed" "$W/unearned")
        [ -z "$kinds" ] || complain "passes what it did not earn: $kinds"
        ;;
    some*)
        exit_is '[01]'
        ask "[.checks[] | select(.kind | test(\"^(${kinds#some })$\"))] | length > 0"
        ;;
    *)
        exit_is 1
        ask "[.checks[] | select(.kind | test(\"^($kinds)$\"))] | length > 0"
        ask '[.checks[] | select(.kind == "pass")] | length == 0'
        ;;
    esac
}

play_fixture() {
    local file=$hostile/$1.c kinds budget=12 step
    kinds=$(sed -n '1s/.*expected: \(.*\) of steps\? [0-9].*/\1/p' "$file")
    step=(--only "$(sed -n '1s/.* of step \([0-9]*\) \*\/$/\1/p' "$file")")
    if [ -z "${step[1]}" ]; then step=(8); fi
    [ -n "$kinds" ] || complain "its first line does not say what is expected"
    check "${step[@]}" --budget $budget "$file"
    within $((budget * 1000 + 900))
    escapes_nothing
    nothing_left
    judge_fixture "$kinds" "${step[-1]}"
    case $1 in
    flood) says 'left out|not shown|cut' ;;
    phrases*) [ "$(wc -c <"$W/json")" -le 65536 ] || complain "the result is too large" ;;
    esac
}
