# shellcheck shell=bash
# judge.sh - many files judged at once, for the scripts that look at the results
#
# Sourced; $build and $results say where the checker is and where the results go.

# Judges every line "RESULT FILE ARGUMENT ..." of standard input, as many at once as there are cores;
# the results are RESULT.json, RESULT.text and RESULT.code.  Once more where the machine was at fault.
# SEED in the environment sets the seed.
judge_all() {
    # shellcheck disable=SC2016,SC2154
    BUILD=$build RESULTS=$results xargs -P "$(nproc)" -L 1 bash -c '
        name=$0 file=$1
        shift
        for _ in 1 2; do
            "$BUILD/checker" --budget 60 ${SEED:+--seed "$SEED"} --json "$RESULTS/$name.json" "$@" "$file" \
                >"$RESULTS/$name.text" 2>&1
            echo $? >"$RESULTS/$name.code"
            [ "$(cat "$RESULTS/$name.code")" = 75 ] || break
        done'
}

# step_of FIXTURE: the step that its name begins with
step_of() {
    local number
    number=$(basename "$1")
    echo $((10#${number%%-*}))
}
