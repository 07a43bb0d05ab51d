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
    long=$(wc -l "${sources[@]}" "${scripts[@]}" checker/suites/*/*.c | awk '$1 > 300 && $2 != "total"')
    [ -z "$long" ] || { echo "$long"; return 1; }
}

tidy() {
    local flags=(-std=c11 -D_GNU_SOURCE -Ichecker -Ichecker/stage -Ichecker/puppet -Isteps -Isteps/worker)
    printf '%s\n' "${sources[@]}" | grep '\.c$' | grep -v '^steps/\|/suites/' |
        xargs -P "$(nproc)" -n 4 bash -c 'clang-tidy --quiet "$@" -- '"${flags[*]}"' 2>/dev/null' tidy
}

include_directions() {
    local bad
    bad=$(
        grep -nE '^#include "' checker/puppet/*.[ch] | grep -vE '"(base|outcome|borrow|call|channel|commands|event|observation|serve|storage|trap|[a-z]+_commands|[a-z]+/[a-z]+)\.h"'
        grep -nE '^#include "' checker/suites/*/*.c | grep -vE '"([a-z]+_calls|[a-z]+_sweep|[a-z]+_[a-z]+|stage/[a-z_]+|[a-z]+)\.h"|"base.h"'
        grep -nE '^#include "(cli|build|run|verdict|report|child|place|course)\.h"' checker/stage/*.[ch] checker/suites/*/*.c
        grep -nE '^#include "(cli|build|run|report)\.h"' checker/{base,course,finding,child,place}.[ch]
        grep -nE '^#include "(run|build|child)\.h"' checker/report/*.[ch] checker/verdict.c | grep -v 'verdict.c.*build.h\|report/.*build.h'
        grep -nE '^#include "child\.h"' checker/*.c | grep -vE '^checker/(main|child|build|compile|run|puppets|spawn|sweep|place)\.c'
    )
    [ -z "$bad" ] || { echo "$bad"; return 1; }
}

shows "clang-format" clang-format --dry-run -Werror "${sources[@]}"
shows "shellcheck" shellcheck -x "${scripts[@]}"
shows "no file over 300 lines" shorter
shows "include directions" include_directions
none "nothing sleeps" '\b(usleep|nanosleep|sleep)\(' "${sources[@]}"
none "no fixed ports" 'htons\([1-9]|sin_port = [1-9]' "${sources[@]}"
none "no shell is asked" '\b(system|popen)\(' "${sources[@]}"
none "no machine paths" '/(work|home|root)/' "${sources[@]}" "${scripts[@]}" README.md docs/*.md steps/*/*.md
shows "clang-tidy" tidy
tap_end
