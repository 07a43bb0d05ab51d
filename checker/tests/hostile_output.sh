# shellcheck shell=bash disable=SC2154,SC2034
# hostile_output.sh - where reports and results cannot go, or go in odd ways; for hostile.sh

case_reader_gone() { # O03
    env --default-signal=PIPE TMPDIR="$T" "$build/checker" --only 1 "$solution" 2>"$W/err" | :
    code=${PIPESTATUS[0]}
    exit_is 141
    [ ! -s "$W/err" ] || complain "says: $(head -c 300 "$W/err")"
    env --ignore-signal=PIPE TMPDIR="$T" "$build/checker" --only 1 "$solution" 2>"$W/err" | :
    code=${PIPESTATUS[0]}
    exit_is 75
    env --default-signal=PIPE TMPDIR="$T" "$build/checker" --only 1 "$solution" 2>"$W/err" | head -n 1 >"$W/out"
    code=${PIPESTATUS[0]}
    exit_is '0|141'
    nothing_left
}

case_closed_streams() { # O04
    local file
    TMPDIR=$T "$build/checker" --json "$W/json" --only 1 "$solution" >&-
    code=$?
    exit_is '0|75'
    TMPDIR=$T "$build/checker" --json "$W/json" --only 1 "$solution" >&- 2>&- <&-
    code=$?
    exit_is '0|75'
    ask '.verdict == "passed"'
    TMPDIR=$T "$build/checker" --json "$W/json" --only 1 "$solution" <&- 2>&- >"$W/out"
    code=$?
    exit_is 0
    nothing_left
}

case_full_output() { # O05
    TMPDIR=$T "$build/checker" --only 1 "$solution" >/dev/full 2>"$W/err"
    code=$?
    : >"$W/out"
    exit_is 75
    says 'No space left'
    TMPDIR=$T "$build/checker" --list >/dev/full 2>"$W/err"
    code=$?
    exit_is 75
    nothing_left
}

case_result_unwritable() {
    local target
    mkdir "$W/directory"
    mkfifo "$W/fifo"
    for target in /nonexistent/result "$W/fifo/result" "$W/directory" -; do
        env TMPDIR="$T" "$build/checker" --json "$target" --only 1 "$solution" >"$W/out" 2>"$W/err"
        code=$?
        exit_is 2
        says 'there is no directory|needs the name of a file'
    done
    for target in /proc/result "$W/fifo" /dev/full; do
        env TMPDIR="$T" "$build/checker" --json "$target" --only 1 "$solution" >"$W/out" 2>"$W/err"
        code=$?
        exit_is 75
        says 'cannot write the result'
    done
    [ -z "$(find "$W" -maxdepth 1 -name '*.tmp')" ] || complain "half a result is left"
    nothing_left
}

# result_to TARGET CODE: where the result for programs is to go
result_to() {
    env TMPDIR="$T" "$build/checker" --json "$1" --only 1 "$W/worker.c" >"$W/out" 2>"$W/err"
    code=$?
    exit_is "$2"
}

case_result_elsewhere() { # a stream, a pipe and a link are written to, and the file is not overwritten
    cp "$solution" "$W/worker.c"
    ln -s worker.c "$W/link.c"
    result_to "$W/worker.c" 2
    result_to "$W/link.c" 2
    says 'is the file that is to be judged'
    cmp -s "$solution" "$W/worker.c" || complain "the file that was judged is another now"
    ln -s json "$W/link"
    : >"$W/json"
    result_to "$W/link" 0
    ask '.verdict == "passed"'
    [ -L "$W/link" ] || complain "the link is gone"
    result_to /dev/null 0
    result_to /dev/stdout 0
    says '"verdict"'
    says '^passed: '
    env TMPDIR="$T" "$build/checker" --json /dev/stderr --only 1 "$W/worker.c" 2>&1 >/dev/null | cat >"$W/json"
    ask '.verdict == "passed"'
    nothing_left
}
