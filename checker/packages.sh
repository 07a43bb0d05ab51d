#!/usr/bin/env bash
# packages.sh - installs what a goal needs and this machine lacks
#
# usage: packages.sh GOAL ...      GOAL is build, test, lint or soak
#
# Installs with apt-get, as root or by sudo; elsewhere it names the packages and ends with 1.
set -euo pipefail

# One line a need: goal ; a command that succeeds where it is met ; Debian ; Fedora ; Homebrew
needs='
build ; cc -E -include stdio.h -x c /dev/null ; gcc libc6-dev ; gcc glibc-devel ; gcc
build ; command -v pkg-config ; pkg-config ; pkgconf ; pkgconf
build ; pkg-config --exists criterion ; libcriterion-dev ; criterion-devel ; criterion
build ; pkg-config --exists libcjson ; libcjson-dev ; cjson-devel ; cjson
build ; pkg-config --exists sqlite3 ; libsqlite3-dev ; sqlite-devel ; sqlite
build ; pkg-config --exists libcurl ; libcurl4-openssl-dev ; libcurl-devel ; curl
build ; pkg-config --exists libmd ; libmd-dev ; libmd-devel ; libmd
build ; cc -E -include http_parser.h -x c /dev/null ; libhttp-parser-dev ; http-parser-devel ; http-parser
build ; cc -fsanitize=address,undefined -shared -x c /dev/null -o /dev/null ; libasan8 libubsan1 ; libasan libubsan ; gcc
test ; command -v jq ; jq ; jq ; jq
soak ; test -e /usr/share/i18n/locales/tr_TR ; locales ; glibc-locale-source ; gettext
test ; clang -fsanitize=address -shared -shared-libsan -x c /dev/null -o /dev/null ; clang libclang-rt-14-dev ; clang compiler-rt ; llvm
lint ; command -v clang-format ; clang-format ; clang-tools-extra ; clang-format
lint ; command -v clang-tidy ; clang-tidy ; clang-tools-extra ; llvm
lint ; command -v shellcheck ; shellcheck ; ShellCheck ; shellcheck
'

# missing COLUMN GOAL ...: the packages of every need of the goals that is not met
missing() {
    local column=$1 line fields
    shift
    while read -r line; do
        IFS=';' read -ra fields <<<"$line"
        [[ " $* " == *" ${fields[0]// /} "* ]] || continue
        bash -c "${fields[1]}" >/dev/null 2>&1 || echo "${fields[$column]}"
    done < <(sed '/^$/d' <<<"$needs")
}

packages=$(missing 2 "$@" | tr '\n' ' ')
[ -z "${packages// /}" ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "These packages are missing; install them and try again:" >&2
    echo "  dnf install $(missing 3 "$@" | tr '\n' ' ')" >&2
    echo "  brew install $(missing 4 "$@" | tr '\n' ' ')" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "As root, please: apt-get install $packages" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "installing: $packages"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
# shellcheck disable=SC2086 # a list of words
"${as_root[@]}" apt-get install -y -qq --no-install-recommends $packages >/dev/null
