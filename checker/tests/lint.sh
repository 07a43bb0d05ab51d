#!/usr/bin/env bash
# lint.sh - what reviewers need not look for: `make lint`; with --fix it formats: `make fmt`
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. checker/tests/tap.sh

mapfile -t sources < <(git ls-files -co --exclude-standard 'checker/*.[ch]' 'checker/**/*.[ch]' 'solution/*.c' 'steps/*/*.c')
mapfile -t scripts < <(git ls-files -co --exclude-standard '*.sh' .ci/run)

if [ "${1:-}" = --fix ]; then
    clang-format -i "${sources[@]}"
    exit
fi

# none MESSAGE PATTERN FILE ...: complains of each line that matches
none() {
    local message=$1 pattern=$2 found
    shift 2
    found=$(grep -nE "$pattern" "$@" /dev/null)
    if [ -z "$found" ]; then ok "$message"; else
        not_ok "$message"
        head -n 20 <<<"$found"
    fi
}

shorter() {
    local long
    long=$(wc -l "${sources[@]}" "${scripts[@]}" | awk '$1 > 300 && $2 != "total" && $2 !~ /^solution/')
    [ -z "$long" ] || { echo "$long"; return 1; }
}

tidy() {
    local flags=(-std=c11 -D_GNU_SOURCE -Ichecker -Ichecker/stage -Ichecker/puppet -Isteps -Isteps/worker -Isteps/ordered)
    printf '%s\n' "${sources[@]}" | grep '\.c$' | grep -v '^steps/\|/suites/\|/tests/' |
        xargs -P "$(nproc)" -n 1 bash -c 'clang-tidy --quiet "$@" -- '"${flags[*]}"' 2>/dev/null' tidy
}

# foreign FOLDER ALLOWED ...: the includes in the folder's files that lie in none of the allowed folders
foreign() {
    local folder=$1 where file name
    shift
    grep -oE '^#include "[^"]+"' "$folder"/*.[ch] | sed -E 's/:#include "(.*)"/ \1/' | while read -r file name; do
        for where in "$@"; do
            [ -e "$where/$name" ] && continue 2
        done
        echo "$file includes $name"
    done
}

# base.h and finding.h are for all; the core is nobody's, the stage is the suites', a puppet is alone.
include_directions() {
    local bad common=steps core='cli|build|run|verdict|report|child|place|course|compile|puppets'
    bad=$(
        foreign checker/puppet checker/puppet "$common" | grep -v ' base.h$'
        for part in checker/suites/*/; do foreign "${part%/}" "${part%/}" checker/stage "$common" | grep -vE ' (base.h|stage/.*)$'; done
        grep -nE "^#include \"($core)\.h\"" checker/stage/*.[ch] checker/suites/*/*.[ch]
        grep -nE '^#include "(cli|build|run|report)\.h"' checker/{base,course,finding,child,place,spawn,sweep,remove}.[ch]
        grep -nE '^#include "(run|child|compile|puppets)\.h"' checker/report/*.[ch] checker/verdict.[ch]
    )
    [ -z "$bad" ] || { echo "$bad"; return 1; }
}

# Only course.c knows the parts; "worker" is also a general word there, so it is the other part that is looked for.
mapfile -t shared < <(printf '%s\n' "${sources[@]}" |
    grep -E '^checker/([^/]+|report/[^/]+|(stage|puppet)/[^/]+)$' | grep -v '^checker/course\.c$\|/ordered_\|/worker_')

shows "clang-format" clang-format --dry-run -Werror "${sources[@]}"
shows "shellcheck" shellcheck -x "${scripts[@]}"
shows "no file over 300 lines (a solution is one file as the learner's is)" shorter
shows "include directions" include_directions
none "nothing sleeps" '\b(usleep|nanosleep|sleep)\(' "${sources[@]}"
none "no fixed ports" 'htons\([1-9]|sin_port = [1-9]' "${sources[@]}"
none "no shell is asked" '\b(system|popen)\(' "${sources[@]}"
none "no machine paths" '/(work|home|root)/' "${sources[@]}" "${scripts[@]}" README.md docs/*.md steps/*/*.md
none "no shared file knows a part's name" '\bordered\b' "${shared[@]}"
shows "clang-tidy" tidy
tap_end
