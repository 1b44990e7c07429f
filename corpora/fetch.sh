#!/bin/bash
# Fetches the corpora's sources by package name and imports them: what `make corpora` runs.
#
#   corpora/fetch.sh [--embedded] [NAME...]
#
# Reads manifest.json. Documents that are not embedded go to corpora/fetched/FORMAT/NAME.txt;
# those already there are left alone. With --embedded, makes the embedded documents anew from
# their sources and compares. NAMEs pick documents. KEEP=1 keeps the sources, under
# corpora/fetched/sources/; BAKEOFF overrides the importer's program. Exit 0: all there; 1: some
# failed, each with a line that says why; 2: nothing could be tried.
set -u -o pipefail
cd "$(dirname "$0")" || exit 2
bakeoff=${BAKEOFF:-../build/bakeoff}
embedded=false
if [ "${1:-}" = --embedded ]; then
    embedded=true
    shift
fi

say() { echo "corpora: $*"; }
give_up() {
    say "$*" >&2
    exit 2
}

command -v jq >/dev/null || give_up "jq is not installed (Debian: jq)"
[ -x "$bakeoff" ] || give_up "no $bakeoff: run make first"
jq empty manifest.json || give_up "manifest.json is no JSON"
mkdir -p fetched
work=$(mktemp -d "$PWD/fetched/.work.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

has_sha256() { # file sha256
    [ -f "$1" ] && [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]
}

# Each fetcher leaves the member of a package at "$work/source", or says on stderr why it cannot.

fetch_npm() { # package version member
    command -v npm >/dev/null || { echo "npm is not installed (Debian: npm)" >&2; return 1; }
    local tarball
    tarball=$(cd "$work" && npm pack --loglevel=error "$1@$2") &&
        tar -xzf "$work/$tarball" -C "$work" --no-same-owner "$3" &&
        mv "$work/$3" "$work/source"
}

# Package lists of our own, so that foreign architectures need no change to the system.
apt_for() { # architecture command...
    local lists=$work/apt/lists archives=$work/apt/archives architecture=$1
    shift
    mkdir -p "$lists/partial" "$archives/partial"
    apt-get -qq -o Dir::State::lists="$lists" -o Dir::Cache="$work/apt" \
        -o APT::Sandbox::User=root -o APT::Architectures::="$architecture" "$@"
}

fetch_debian() { # package:architecture version member
    command -v apt-get >/dev/null || { echo "this is no Debian system" >&2; return 1; }
    local architecture=${1#*:}
    if [ ! -e "$work/apt/updated.$architecture" ]; then
        apt_for "$architecture" update && touch "$work/apt/updated.$architecture" || return 1
    fi
    mkdir -p "$work/deb"
    (cd "$work/deb" && apt_for "$architecture" download "$1=$2") &&
        dpkg -x "$work"/deb/*.deb "$work/deb" &&
        mv "$work/deb/$3" "$work/source"
}

# Puts the source at "$work/source", from sources kept by an earlier run or from its package.
get_source() { # from package version member sha256
    local kept=fetched/sources/$5
    rm -rf "$work/source" "$work/deb" "$work/package" "$work"/*.tgz
    if has_sha256 "$kept" "$5"; then
        cp "$kept" "$work/source"
        return
    fi
    case $1 in
    npm) fetch_npm "$2" "$3" "$4" ;;
    debian) fetch_debian "$2" "$3" "$4" ;;
    *) echo "the manifest names an unknown kind of source: $1" >&2; return 1 ;;
    esac 2>"$work/why" || { tail -n 3 "$work/why" >&2; return 1; }
    has_sha256 "$work/source" "$5" || { echo "the fetched file has another SHA-256" >&2; return 1; }
    if [ -n "${KEEP:-}" ]; then
        mkdir -p fetched/sources && cp "$work/source" "$kept"
    fi
}

# Imports "$work/source" to "$work/document".
make_document() { # format functions seed sha256 tables
    local draw=()
    [ "$2" = 0 ] || draw=(--functions "$2" --seed "$3")
    "$bakeoff" import "$1" "$work/source" ${draw[@]+"${draw[@]}"} -o "$work/document" || return 1
    local n
    n=$(grep -c '^table ' "$work/document")
    [ "$5" = 0 ] || [ "$n" = "$5" ] || { echo "$n tables, the manifest says $5" >&2; return 1; }
    has_sha256 "$work/document" "$4" || { echo "the document has another SHA-256" >&2; return 1; }
}

fetch_document() { # the fields of one line of the list below, but for the name
    local format=$1 file=$2 sha256=$3 tables=$4 functions=$5 seed=$6
    shift 6
    get_source "$@" &&
        make_document "$format" "$functions" "$seed" "$sha256" "$tables" &&
        { $embedded || { mkdir -p "$(dirname "$file")" && mv "$work/document" "$file"; }; }
}

list() { # [NAME...]
    jq -r --argjson embedded $embedded '.documents[] | select(.embedded == $embedded) |
        [.name, .format, .file, .sha256, .tables // 0, .import.functions // 0, .import.seed // 0,
         .source.from, .source.package, .source.version, .source.member, .source.sha256] | @tsv' \
        manifest.json |
        if [ $# -eq 0 ]; then
            cat
        else
            awk -F '\t' -v names="$*" '
                BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) wanted[name[i]] }
                $1 in wanted'
        fi
}

list "$@" >"$work/list"
n=0 n_all=$(wc -l <"$work/list") n_failed=0
[ "$n_all" -gt 0 ] || give_up "no such document in the manifest"
[ $# -eq 0 ] || [ $# -eq "$n_all" ] || give_up "not all of these are in the manifest"
while IFS=$'\t' read -r -a fields <&3; do
    n=$((n + 1))
    at="[$n/$n_all] ${fields[0]}"
    if ! $embedded && has_sha256 "${fields[2]}" "${fields[3]}"; then
        say "$at: there"
        continue
    fi
    say "$at: ${fields[8]} ${fields[9]} (${fields[7]})"
    if fetch_document "${fields[@]:1}"; then
        said="${fields[4]} tables"
        $embedded && said="made anew, the same bytes"
        say "$at: $said"
    else
        say "$at: FAILED"
        n_failed=$((n_failed + 1))
    fi
done 3<"$work/list"
say "$((n_all - n_failed)) of $n_all documents are there"
[ $n_failed -eq 0 ]
