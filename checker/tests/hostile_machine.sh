# shellcheck shell=bash disable=SC2154,SC2034,SC2030,SC2031
# hostile_machine.sh - what only root can set up, and nobody else is asked for; for hostile.sh

[ "$(id -u)" = 0 ] && unshare -mn true 2>/dev/null || return 0

# as_nobody ARGUMENTS ...: like check, as a user without rights
as_nobody() {
    local start
    chown -R 65534:65534 "$T"
    chmod 711 "$work"
    start=$(now_ms)
    setpriv --reuid=65534 --regid=65534 --clear-groups env TMPDIR="$T" "${with[@]}" \
        "$build/checker" --json "$T/json" "$@" >"$W/out" 2>"$W/err" </dev/null
    code=$?
    ms=$(($(now_ms) - start))
    if [ -e "$T/json" ]; then mv "$T/json" "$W/json"; fi
}

case_nobody() {
    mkdir "$W/only-read"
    cp "$solution" "$W/only-read/worker.c"
    chmod 555 "$W/only-read"
    as_nobody --only 3 "$W/only-read/worker.c"
    exit_is 0
    nothing_left
    chmod 0 "$W/only-read/worker.c"
    as_nobody --only 3 "$W/only-read/worker.c"
    exit_is 2
    says 'may not be read'
}

case_nobody_spoils() {
    local fixture
    for fixture in store_closed place_spoiled surroundings limits; do
        as_nobody --only 3 --budget 6 "$hostile/$fixture.c"
        exit_is 1
        within 6900
        nothing_left
    done
}

case_nobody_may_fork() {
    with+=(bash -c 'ulimit -u 1; exec "$@"' -)
    as_nobody --only 1 "$solution"
    exit_is 75
    nothing_left
}

# mounted OPTIONS COMMAND ...: with such a tmpfs as TMPDIR
mounted() {
    local options=$1
    shift
    (
        # shellcheck disable=SC2016
        with+=(unshare -m bash -c 'mount -t tmpfs -o "$0" tmpfs "$TMPDIR" && exec "$@"' "$options")
        "$@"
        printf '%s' "$complaints" >"$W/complaints"
    )
    complaints+=$(cat "$W/complaints")
}

case_full_directory() { # O06
    mounted size=2m refuses 75 'MiB are free' --only 1 "$solution"
}

case_filled_meanwhile() {
    mounted size=17m check --only 3 "$solution"
    [ ! -s "$W/json" ] || ask '.verdict == "passed"'
}

case_read_only_directory() {
    mounted ro passes --only 1 "$solution"
}

case_no_programs_there() { # O21: a TMPDIR mounted noexec
    mounted noexec passes --only 1 "$solution"
}

case_no_loopback() { # O12
    with+=(unshare -n)
    refuses 75 'loopback' --only 1 "$solution"
}

case_traced() { # O22
    command -v strace >/dev/null || return 0
    with+=(strace -f -qq -e trace=none -e signal=none -o /dev/null)
    check --budget 60 --only 1 "$solution"
    exit_is 0
    nothing_left
}
