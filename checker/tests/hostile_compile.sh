# shellcheck shell=bash disable=SC2154,SC2034,SC2028
# hostile_compile.sh - what is done to the compiler, and with the name of the file; for hostile.sh

# refuses_source SENTENCE MS: standard input is a file that does not compile
refuses_source() {
    cat >"$W/worker.c"
    check --only 3 "$W/worker.c"
    exit_is 1
    says "does not compile: .*$1"
    ask '.verdict == "not passed" and .run == 0 and .declared > 0 and .points == 0'
    ask '[.checks[] | select(.kind != "not run")] | length == 0'
    within "$2"
    escapes_nothing
    nothing_left
}

# --- F: the operand

case_name_of_option() { # F03
    cp "$solution" "$W/--help"
    cp "$solution" "$W/-o"
    cd "$W" || return
    check --only 1 -- --help
    exit_is 0
    check --only 1 -- -o
    exit_is 0
    nothing_left
}

case_name_with_odd_bytes() { # F02 F04
    local name=$'a\'; touch PWNED; echo "\n $(touch PWNED) \xff\xfe\x1b[2J ü.c'
    cp "$solution" "$W/$name"
    cd "$W" || return
    passes --only 1 "$name"
    escapes_nothing
    says 'xff.xfe.x1b'
    [ ! -e PWNED ] || complain "the name was run"
}

case_name_at_file() { # F01
    printf '%s\n' '-wrapper /bin/touch,PWNED' >"$W/args"
    cp "$solution" "$W/@args"
    cd "$W" || return
    passes --only 1 @args
    [ ! -e PWNED ] || complain "the name was an argument of the compiler"
}

case_name_endings() { # F05: the content decides
    local ending
    for ending in .C .cpp .s .o '' .h; do
        cp "$solution" "$W/x$ending"
        check --only 1 "$W/x$ending"
        exit_is 0
    done
    nothing_left
}

case_no_regular_file() { # F06
    mkfifo "$W/fifo"
    ln -s nowhere "$W/dangling"
    ln -s loop "$W/loop"
    refuses 2 'is a FIFO' 1 "$W/fifo"
    refuses 2 'is a directory' 1 "$W"
    refuses 2 'is a device' 1 /dev/zero
    refuses 2 '.' 1 /dev/stdin
    refuses 2 '.' 1 /proc/self/mem
    refuses 2 'symbolic link to a file that is not there' 1 "$W/dangling"
    refuses 2 'leads back to itself' 1 "$W/loop"
    refuses 2 'there is no file' 1 "$W/nothing"
    refuses 2 'empty' 1 ''
}

case_symbolic_link() { # F07
    ln -s "$solution" "$W/link.c"
    passes --only 1 "$W/link.c"
}

case_content_refused() { # F08 F10
    : >"$W/empty.c"
    refuses 2 'is empty' 1 "$W/empty.c"
    head -c 1048577 /dev/zero | tr '\0' ' ' >"$W/large.c"
    refuses 2 'larger than 1 MiB' 1 "$W/large.c"
    truncate -s 100G "$W/sparse.c"
    refuses 2 'larger than 1 MiB' 1 "$W/sparse.c"
    printf 'int a;\0' >"$W/nul.c"
    refuses 2 'NUL' 1 "$W/nul.c"
    printf '\xff\xfei\0n\0t\0' >"$W/utf16.c"
    refuses 2 'UTF-16' 1 "$W/utf16.c"
}

case_text_of_other_editors() { # F09: BOM, CRLF, no newline at the end
    { printf '\xef\xbb\xbf' && sed 's/$/\r/' "$solution"; } | head -c -2 >"$W/worker.c"
    passes --only 1 "$W/worker.c"
}

case_edited_meanwhile() { # F11
    cp "$solution" "$W/worker.c"
    until [ -s "$W/json" ]; do
        echo "int broken($RANDOM" >"$W/worker.c.new" && mv "$W/worker.c.new" "$W/worker.c"
        tick
    done &
    check --only 3 "$W/worker.c"
    wait $!
    # Whichever text it read, it is the one that it judged.
    if [ "$(jq -r .submission.sha256 "$W/json")" = "$(sha256sum <"$solution" | cut -d' ' -f1)" ]; then
        exit_is 0
    else
        exit_is 1
        says 'does not compile'
    fi
    nothing_left
}

case_command_lines() { # F12
    refuses 2 'no step' 99 "$solution"
    refuses 2 'no step' 0 "$solution"
    refuses 2 'no step' 1x "$solution"
    refuses 2 'no option' -1 "$solution"
    refuses 2 'one file at a time' 1 "$solution" "$solution"
    refuses 2 'which file' 1
    refuses 2 'which step' --only
    refuses 2 'whole number' --budget 0 1 "$solution"
    refuses 2 'whole number' --seed -1 1 "$solution"
    refuses 2 'needs a value' --seed
    refuses 2 'no option' --nonsense 1 "$solution"
}

# --- C: compile time

case_include_devices() { # C04 C05
    mkfifo "$W/fifo"
    refuses_source . 8500 <<<'#include "/dev/zero"'
    echo '#include "/dev/stdin"' >"$W/worker.c" # nothing is there, and nobody is asked
    check --only 3 "$W/worker.c"
    exit_is 1
    within 8500
    refuses_source . 8500 <<<"#include \"$W/fifo\""
}

case_include_random() {
    refuses_source . 8500 <<<'#include "/dev/urandom"'
}

case_include_password() { # C01: not more than its first line, escaped and bounded
    refuses_source . 4000 <<<'#include "/etc/passwd"'
}

case_include_itself() { # C07
    # shellcheck disable=SC2016
    refuses_source 'more than 5 seconds' 9000 <<'C'
#if __INCLUDE_LEVEL__ < 190
#include __FILE__
#include __FILE__
#endif
C
}

case_macro_bomb() {
    local i
    refuses_source '(more than|compiler refuses)' 9000 < <(
        echo '#define A0 x x x x x x x x x x'
        for i in {1..9}; do
            echo "#define A$i A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1))"
        done
        echo 'int a = A9;'
    )
}

case_large_object() { # C08
    refuses_source 'larger than 32 MiB' 9000 <<<'__asm__(".data\n.zero 0x40000000\n.byte 1");'
    refuses_source '(more than|larger than)' 9000 <<<'char a[1UL << 30] = { 1 };'
}

case_assembler_for_ever() { # C10
    refuses_source '(more than|larger than)' 9000 <<<'__asm__(".rept 1000000000\nnop\n.endr");'
}

case_compiler_crash() {
    refuses_source '(crashed|refuses|more than)' 9000 < <(
        printf 'int a = '
        head -c 200000 /dev/zero | tr '\0' '('
        printf 1
        head -c 200000 /dev/zero | tr '\0' ')'
        echo ';'
    )
}

case_escapes_in_diagnostics() { # C11
    refuses_source . 4000 < <(printf '#error "\x1b[2J\x1b[32mpassed: 8 of 8\x07\xff \xe2\x80\xae"\n')
    says 'cc\| '
    { cat "$solution" && printf '#warning "\x1b[2JPASS"\n#pragma message("\\033[32mRESULT pass")\n'; } >"$W/worker.c"
    passes --only 1 "$W/worker.c"
    escapes_nothing
}

case_pragmas() { # C13 C25
    {
        echo '#pragma GCC diagnostic ignored "-Wall"'
        echo '#pragma GCC optimize("O3")'
        cat "$solution"
        echo '__asm__(".section .interp,\"a\"\n.asciz \"/nonexistent\"\n.text");'
    } >"$W/worker.c"
    passes --only 1 "$W/worker.c"
}

case_undefined_helper() { # C14
    refuses_source 'a function that is not there' 4000 <<'C'
void nowhere(void);
struct outcome enqueue(sqlite3 *con, const cJSON *event, const struct fault *fault)
{
    nowhere();
    return outcome_value(con && event && fault);
}
C
    refuses_source 'compiler refuses' 4000 <<<'int enqueue(void) { return 0; }'
    says 'conflicting types'
}

case_old_style() { # C16: advice at most
    {
        cat "$solution"
        echo 'int old(); int old(a) int a; { return a; }'
    } >"$W/worker.c"
    passes --only 1 "$W/worker.c"
}

case_cpp() { # C17
    refuses_source 'C\+\+' 4000 <<<$'#include <iostream>\nclass Worker { public: int a; };'
}

case_many_errors() { # cut, and said so
    local padding
    padding=$(printf 'x%.0s' {1..90})
    refuses_source . 5000 < <(for i in {1..3000}; do echo "int a$i = b$i; $padding"; done)
    [ "$(wc -c <"$W/out")" -lt 12000 ] || complain "$(wc -c <"$W/out") bytes of report"
}

case_environment_of_the_compiler() { # C26 C28
    mkdir "$W/include"
    echo '#error "the wrong stdio.h"' >"$W/include/stdio.h"
    with+=("CPATH=$W/include" "C_INCLUDE_PATH=$W/include" "DEPENDENCIES_OUTPUT=$W/deps"
        GCC_EXEC_PREFIX=/nonexistent/ COMPILER_PATH=/nonexistent LIBRARY_PATH=/nonexistent)
    passes --only 1 "$solution"
    [ ! -e "$W/deps" ] || complain "DEPENDENCIES_OUTPUT reached the compiler"
    with+=('CC=cc -fplugin=/nonexistent')
    refuses 75 'one program' --only 1 "$solution"
}

# --- O21: where it is

case_directory_deleted() { # O21
    mkdir "$W/gone" && cd "$W/gone" && rmdir "$W/gone" || return
    passes --only 1 "$solution"
    refuses 2 'there is no file|cannot be opened' 1 worker.c
}

case_name_too_long() {
    refuses 2 'cannot be opened' 1 "/$(printf 'x%.0s' {1..5000})"
}

case_compiler_starved() { # a core that others have taken: not the file's fault
    local compiler busy=()
    compiler=$(command -v "${CC:-gcc}")
    mkdir "$W/bin"
    printf '#!/bin/sh\nexec taskset -c 0 chrt -i 0 %s "$@"\n' "$compiler" >"$W/bin/${compiler##*/}"
    chmod +x "$W/bin/${compiler##*/}"
    for _ in {1..40}; do # each in a session of its own, since sessions share the time evenly
        setsid taskset -c 0 timeout 20 sh -c 'while :; do :; done' &
        busy+=($!)
    done
    with+=("CC=$W/bin/${compiler##*/}")
    run --budget 7 --only 1 "$solution"
    kill "${busy[@]}"
    exit_is 75
    says 'no time to compile'
    [ ! -e "$W/json" ] || complain "there is a result for programs"
    within 7900
    nothing_left
}
