# shellcheck shell=bash
# judge.sh - many files judged at once, for the scripts that look at the results
#
# Sourced; $build and $results say where the checker is and where the results go: NAME.json (for programs), NAME.text
# (what was said) and NAME.code (the exit status).  SEED in the environment sets the seed.
#
# Where KEPT names a directory, as in `make check`, results are kept there under a digest of all that they depend on:
# what is as it was is not judged again, and a check that was interrupted goes on where it was.
# shellcheck disable=SC2154
export BUILD=$build RESULTS=$results

# step_of NAME: the step that the name of a fixture or a suite begins with
step_of() {
    local number=${1##*/}
    echo $((10#${number%%[-_]*}))
}

# judges_of STEP: the files that a verdict on that step depends on, apart from the judged one
judges_of() {
    local step=$1 suites part others file
    suites=(checker/suites/*/"$(printf %02d "$step")"_*.c)
    part=$(basename "$(dirname "${suites[0]}")")
    others=$(basename -a checker/suites/*/ | grep -vx "$part" | paste -sd'|')
    find Makefile checker/*.[ch] checker/{puppet,report,stage} checker/suites/"$part" steps/*.h steps/"$part"/*.h \
        solution/"$part".c -type f | sort | while read -r file; do
        [[ $file != checker/suites/*/[0-9]* ]] || [ "$(step_of "$file")" -le "$step" ] || continue
        [[ ${file##*/} =~ ^($others)_ ]] || echo "$file"
    done
}

# with_headers FILE: it and the headers beside it that it includes
with_headers() {
    local file=$1 header
    cat "$file"
    grep -o '^#include "[^/]*"' "$file" | cut -d'"' -f2 | while read -r header; do
        [ ! -e "$(dirname "$file")/$header" ] || with_headers "$(dirname "$file")/$header"
    done
}

# digest NAME FILE ARGUMENT ... STEP: of all that a verdict depends on
digest() {
    local law=$RESULTS/law-${*: -1}
    if [ ! -e "$law" ]; then
        { "${CC:-cc}" --version && pkg-config --modversion sqlite3 libcurl libcjson criterion && judges_of "${*: -1}" | xargs cat; } |
            sha256sum >"$law.$$" && mv "$law.$$" "$law"
    fi
    { cat "$law" && with_headers "$2" && echo "$1 ${*:3} ${SEED:-}"; } | sha256sum | cut -c-40
}

# judge NAME FILE ARGUMENT ... STEP: one file; once more where the machine was at fault
judge() {
    local name=$1 kept='' code
    local made=("$1.json" "$1.text" "$1.code")
    if [ -n "${KEPT:-}" ]; then
        kept=$KEPT/$(digest "$@").tgz
        tar -xzf "$kept" -C "$RESULTS" 2>/dev/null && return
    fi
    for _ in 1 2; do
        "$BUILD/checker" --budget 60 ${SEED:+--seed "$SEED"} --json "$RESULTS/$name.json" "${@:3}" "$2" \
            >"$RESULTS/$name.text" 2>&1
        code=$?
        [ "$code" = 75 ] || break
    done
    echo "$code" >"$RESULTS/$name.code"
    if [ -n "$kept" ] && [ "$code" != 75 ]; then
        tar -czf "$kept.$$" -C "$RESULTS" "${made[@]}" 2>/dev/null && mv "$kept.$$" "$kept"
    fi
}
export -f step_of judges_of with_headers digest judge

# judge_all: every line "NAME FILE ARGUMENT ... STEP" of standard input, as many at once as there are cores
judge_all() {
    # shellcheck disable=SC2016
    xargs -r -P "$(nproc)" -L 1 bash -c 'judge "$@"' _
}
