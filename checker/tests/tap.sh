# shellcheck shell=bash
# tap.sh - what every test script says: a line "ok - ..." or "not ok - ..." for each thing it shows
#
# Sourced.  tap_end is the script's last command: its status is 1 where something was not ok.
tap_failed=0

ok() {
    echo "ok - $*"
}

not_ok() {
    echo "not ok - $*"
    tap_failed=1
}

# shows NAME COMMAND ...: ok where the command succeeds, its output shown where it does not
shows() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then ok "$name"; else
        not_ok "$name"
        head -n 40 <<<"$output"
    fi
}

# thin N: every N-th line of standard input where quick is set, as it is in `make test`; else all
thin() {
    # shellcheck disable=SC2154
    if [ -n "$quick" ]; then awk -v n="$1" 'NR % n == 0'; else cat; fi
}

tap_end() {
    return $tap_failed
}
