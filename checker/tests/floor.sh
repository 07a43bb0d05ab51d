#!/usr/bin/env bash
# floor.sh - prints a Criterion program with as many empty tests as a full run of a part has checks
#
# usage: floor.sh PART
set -euo pipefail
cd "$(dirname "$0")/../.."
count=$(cat checker/suites/"$1"/*.c | grep -cE '^((EARLY|WALK)_)?CHECK[(]')
echo '#include <criterion/criterion.h>'
for i in $(seq "$count"); do echo "Test(floor, empty_$i) { }"; done
