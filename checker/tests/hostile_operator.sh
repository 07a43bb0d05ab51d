# shellcheck shell=bash disable=SC2154,SC2034
# hostile_operator.sh - signals, odd environments, small limits; for hostile.sh

# wait_for MOMENT: the run has come so far
wait_for() {
    local tries=0 found
    until
        case $1 in
        place) found=("$T"/workbook-*/lock) ;;
        object) found=("$T"/workbook-*/worker.so) ;;
        stage) found=("$T"/workbook-*/stage/??????/*) ;;
        esac
        [ -e "${found[0]}" ]
    do
        tries=$((tries + 1))
        [ $tries -lt 800 ] || return 1
        tick
    done
    return 0
}

# start ARGUMENTS ...: as a shell starts a job in the foreground: a group of its own
start() {
    setsid env --default-signal TMPDIR="$T" "${with[@]}" "$build/checker" --json "$W/json" "$@" \
        >"$W/out" 2>"$W/err" </dev/null &
    pid=$!
}

# ends_by SIGNAL CODE MOMENT: sent to the whole group
ends_by() {
    local from
    echo old >"$W/json"
    start --only 3 "$hostile/sleep.c"
    wait_for "$3" || complain "does not get to the moment $3"
    from=$(now_ms)
    kill -s "$1" -- "-$pid"
    wait "$pid"
    code=$?
    ms=$(($(now_ms) - from))
    exit_is "$2"
    within 2500
    [ "$(cat "$W/json")" = old ] || complain "the result of before was touched"
    nothing_left
}

case_ctrl_c() { # O01
    ends_by INT 130 place
    ends_by INT 130 object
    ends_by INT 130 stage
}

case_ctrl_backslash() { ends_by QUIT 131 stage; }

case_terminated() {
    ends_by TERM 143 place
    ends_by TERM 143 object
    ends_by TERM 143 stage
}

case_hung_up() {
    ends_by HUP 129 object
    ends_by HUP 129 stage
}

case_nohup() { # who ignored a signal before goes on ignoring it
    local pid
    (
        trap '' HUP INT
        TMPDIR=$T exec setsid "$build/checker" --budget 60 --only 3 "$solution" >"$W/out" 2>"$W/err"
    ) &
    pid=$!
    wait_for object || complain "does not start"
    kill -s HUP "$pid"
    kill -s INT "$pid"
    wait "$pid"
    code=$?
    exit_is 0
    nothing_left
}

# killed MOMENT FIXTURE: what SIGKILL leaves the next start sweeps
killed() {
    start --only 3 "$hostile/$2.c"
    wait_for "$1" || complain "does not get to the moment $1"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    [ -n "$(ls "$T")" ] || complain "nothing was left to be swept: the case shows nothing"
    passes --only 1 "$solution"
}

case_killed() { # O02
    killed place sleep
    killed object sleep
    killed stage sleep
}

case_killed_with_daemons() {
    killed stage daemon_pipe
    killed stage forks
}

case_tmpdir() { # O06 O07: another one is taken
    local old=$T deep
    for T in "$W/nothing" /proc "$solution" relative ''; do
        check --only 1 "$solution"
        exit_is 0
    done
    T="$W/a b'\"\$(touch PWNED)" && mkdir "$T"
    passes --only 1 "$solution"
    deep=$(printf 'x%.0s' {1..120})
    for T in "$W/$deep" "$W/$deep/$deep" "$W/$deep/$deep/$deep"; do
        mkdir -p "$T"
        passes --only 2 "$solution"
    done
    T=$old
}

case_no_compiler() { # O09
    mkdir "$W/bin"
    with+=("PATH=$W/bin")
    echo old >"$W/keep"
    refuses 75 "no C compiler .*apt install gcc" --only 1 "$solution"
    env TMPDIR="$T" "PATH=$W/bin" "$build/checker" --json "$W/keep" --only 1 "$solution" >"$W/out" 2>"$W/err"
    [ "$(cat "$W/keep")" = old ] || complain "the result of before was touched"
    printf '#!/bin/sh\nexit 1\n' >"$W/bin/cc"
    chmod +x "$W/bin/cc"
    refuses 75 'cannot compile a file of ours' --only 1 "$solution"
    printf '#!/bin/sh\nexit 0\n' >"$W/bin/cc" # and makes nothing
    refuses 75 'cannot compile a file of ours' --only 1 "$solution"
    printf '#!/bin/sh\nexec /bin/sleep 100\n' >"$W/bin/cc"
    check --only 1 "$solution"
    exit_is 75
    within 13000
    nothing_left
}

case_other_compiler() { # O23
    command -v clang >/dev/null || return
    with+=(CC=clang)
    passes --only 1 "$solution"
}

case_few_descriptors() { # O10
    ulimit -n 64
    passes --only 1 "$solution"
    passes --only 3 "$solution"
}

case_too_few_descriptors() {
    ulimit -n 12 # the soft one and the hard one
    refuses 75 'ulimit -n' --only 1 "$solution"
}

case_little_memory() { # ASan cannot start: judged without
    ulimit -v 4000000
    check --only 1 "$solution"
    exit_is '0|75'
    nothing_left
}

case_little_memory_for_the_compiler() { # which is not the file's fault
    complaints+=$(
        ulimit -d 15000
        refuses 75 'ulimit -d' --only 1 "$solution"
        printf '%s' "$complaints"
    )
    ulimit -v 60000
    refuses 75 'ulimit -v' --only 1 "$solution"
}

case_little_file_size() {
    ulimit -f 100
    check --only 1 "$solution"
    exit_is 75
    says 'too large'
    nothing_left
}

case_environment() { # O13 O14
    with+=(LD_LIBRARY_PATH=/nonexistent ASAN_OPTIONS=exitcode=0:halt_on_error=0:detect_leaks=0
        LSAN_OPTIONS=suppressions=/nonexistent UBSAN_OPTIONS=halt_on_error=0 MALLOC_PERTURB_=77
        MALLOC_CHECK_=3 http_proxy=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9
        ALL_PROXY=http://127.0.0.1:9 CURL_CA_BUNDLE=/nonexistent SSL_CERT_FILE=/nonexistent
        SQLITE_TMPDIR=/nonexistent POSIXLY_CORRECT=1 CRITERION_DISABLE_TIME_MEASUREMENTS=1
        CRITERION_JOBS=1 CRITERION_FAIL_FAST=1 CRITERION_TEST_PATTERN=none/none BXF_ARENA=1
        WORKBOOK_PLACE=/nonexistent WORKBOOK_OBJECT=/nonexistent WORKBOOK_SCALE=0 LC_ALL=tr_TR.UTF-8)
    passes --only 1 "$solution"
    passes --only 8 "$solution"
}

case_preload() {
    local library
    library=$(ldconfig -p | sed -n 's/.*libcurl\.so\.4 .*=> //p' | head -n 1)
    [ -n "$library" ] || return 0
    with+=("LD_PRELOAD=$library")
    passes --only 1 "$solution"
}

case_locales() { # the same verdict in the same words
    local locale first=''
    for locale in C tr_TR.UTF-8 de_DE.UTF-8 POSIX nonsense; do
        with=("LC_ALL=$locale" "LANG=$locale")
        passes --only 1 --seed 7 "$solution"
        first=${first:-$(jq -r .digest "$W/json")}
        [ "$(jq -r .digest "$W/json")" = "$first" ] || complain "another digest in $locale"
        if [ "$locale" = C ]; then says_not '[\x80-\xff]'; fi
    done
}

case_colors() { # O15
    local term
    with+=(TERM=xterm)
    check --only 1 "$hostile/exit.c"
    escapes_nothing
    check --only 1 --color always "$hostile/exit.c"
    says $'\033'
    command -v script >/dev/null || return
    for term in 'TERM=xterm' 'TERM=dumb' 'TERM=xterm NO_COLOR=1' 'TERM='; do
        script -qec "env TMPDIR='$T' $term '$build/checker' --only 1 '$hostile/exit.c'" /dev/null \
            >"$W/out" 2>"$W/err" </dev/null
        if [ "$term" = TERM=xterm ]; then says $'\033'; else says_not '\x1b'; fi
    done
    nothing_left
}

case_small_budget() {
    for budget in 1 2 3; do
        run --budget $budget 8 "$hostile/sleep.c"
        within $((budget * 1000 + 900))
        nothing_left
        if [ "$code" = 75 ]; then # one second may be too short even to compile
            says 'were not enough|no time to compile'
            continue
        fi
        exit_is 1
        ask '.verdict == "not passed" and .points == 0 and .max_points == 100'
    done
}

case_twenty_at_once() { # O08
    local i codes digests
    for i in {1..20}; do
        (
            seed=()
            [ $((i % 2)) = 0 ] || seed=(--seed 7)
            TMPDIR=$T "$build/checker" "${seed[@]}" --budget 60 --json "$W/json$i" --only 1 "$solution" >/dev/null
            echo $? >"$W/code$i"
        ) &
    done
    wait
    codes=$(sort -u "$W"/code*)
    digests=$(jq -r '.verdict + .digest' "$W"/json* | sort -u)
    [ "$codes" = 0 ] || complain "exit codes: $codes"
    [ "$(wc -l <<<"$digests")" = 1 ] || complain "digests: $digests"
    nothing_left
}
