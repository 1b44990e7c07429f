#!/bin/bash
# Fetches the corpora's sources by package name and imports them: what `make corpora` runs.
#
#   corpora/fetch.sh [--embedded|--held-out] [NAME...]
#
# Reads manifest.json. Documents that are not embedded are written to corpora/fetched/FORMAT/, name
# lists that several of them are made from to corpora/fetched/lists/. Existing files are kept.
# Some documents are profiles of programs that this script builds. Those that differ from run to run
# have no hash in the manifest. --embedded makes the embedded documents and lists again from their
# sources, and compares them. NAMEs select documents (and, with --embedded, lists). KEEP=1 keeps the
# binaries in corpora/fetched/sources/. --held-out reads held-out.json instead, and makes the
# documents in corpora/fetched/held-out/FORMAT/, for `bakeoff bench --held-out`. BAKEOFF is the
# program that imports. Exit 0: all documents exist, except those that this machine cannot make;
# 1: some failed, and a line gives the reason for each; 2: bad usage, or a requirement is missing.
set -u -o pipefail
cd "$(dirname "$0")" || exit 2
. ./documents.sh
bakeoff=${BAKEOFF:-../build/bakeoff}
embedded=false manifest=manifest.json
case ${1:-} in
--embedded) embedded=true ;;
--held-out) manifest=held-out.json ;;
*) false ;;
esac && shift

say() { echo "corpora: $*"; }
give_up() {
    say "$*" >&2
    exit 2
}

command -v jq >/dev/null || give_up "jq is not installed (Debian: jq)"
[ -x "$bakeoff" ] || give_up "no $bakeoff: run make first"
jq empty $manifest || give_up "$manifest is not valid JSON"
mkdir -p fetched
work=$(mktemp -d "$PWD/fetched/.work.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# ---- packages: each function prints to stderr why it failed ----------------------------------------

# Writes the member of a package to "$work/source".
fetch_npm() { # package version member
    command -v npm >/dev/null || { echo "npm is not installed (Debian: npm)" >&2; return 1; }
    local tarball
    tarball=$(cd "$work" && npm pack --loglevel=error "$1@$2") &&
        tar -xzf "$work/$tarball" -C "$work" --no-same-owner "$3" &&
        mv "$work/$3" "$work/source"
}

# Uses its own package lists, so foreign architectures need no change to the system.
apt_for() { # architecture command...
    local lists=$work/apt/lists archives=$work/apt/archives architecture=$1
    shift
    mkdir -p "$lists/partial" "$archives/partial"
    apt-get -qq -o Dir::State::lists="$lists" -o Dir::Cache="$work/apt" \
        -o APT::Sandbox::User=root -o APT::Architectures::="$architecture" "$@"
}

# Unpacks a package into "$work/deb".
unpack_debian() { # package:architecture version
    command -v apt-get >/dev/null || { echo "apt-get is not installed: not a Debian system" >&2; return 1; }
    local architecture=${1#*:}
    if [ ! -e "$work/apt/updated.$architecture" ]; then
        apt_for "$architecture" update && touch "$work/apt/updated.$architecture" || return 1
    fi
    rm -rf "$work/deb"
    mkdir -p "$work/deb"
    (cd "$work/deb" && apt_for "$architecture" download "$1=$2") &&
        dpkg -x "$work"/deb/*.deb "$work/deb"
}

fetch_debian() { # package:architecture version member
    unpack_debian "$1" "$2" && mv "$work/deb/$3" "$work/source"
}

# Puts the source at "$work/source", from the sources that an earlier run kept or from its package.
get_binary() { # from package version member sha256
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

# ---- traces: clang's template instantiations of a driver next to the documents ------------------

# Unpacks headers if the system does not have this version. Their paths in the trace are those of installed headers.
trace_with_clang() { # driver packages versions
    command -v clang++-14 >/dev/null || { echo "clang++-14 is not installed (Debian: clang-14)" >&2; return 77; }
    local name headers=unpacked-headers package version versions=()
    name=$(basename "$1" .driver.cpp)
    read -ra versions <<<"$3"
    rm -rf "$work/$headers"
    mkdir -p "$work/$headers/usr/include"
    for package in $2; do
        version=${versions[0]} versions=("${versions[@]:1}")
        [ "$(dpkg-query -W -f '${Version}' "$package" 2>/dev/null)" != "$version" ] || continue
        unpack_debian "$package" "$version" && cp -a "$work/deb/." "$work/$headers/" || return 1
    done
    cp "$1" "$work/$name.cpp" &&
        (cd "$work" && clang++-14 -std=c++17 -isystem "$headers/usr/include" -Xclang -templight-dump \
            -fsyntax-only "$name.cpp") | sed "s#$headers/usr/include#/usr/include#g" >"$work/source"
}

# ---- name lists: the function symbols of libraries, sorted bytewise ------------------------------

# Types T t (text), W w (weak), i (indirect functions). Versions (@...) are cut off.
function_symbols() { # folder dynamic|static members
    local option=()
    [ "$2" = static ] || option=(-D)
    (cd "$1" && compgen -G "$3") | while read -r member; do
        [ -L "$1/$member" ] || nm ${option[@]+"${option[@]}"} --defined-only "$1/$member" || exit 1
    done | awk 'NF == 3 && $2 ~ /^[TtWwi]$/ { sub(/@.*/, "", $3); print $3 }'
}

# Makes "$work/list" from the packages that the manifest names.
make_list() { # name sha256
    command -v nm >/dev/null || { echo "nm is not installed (Debian: binutils)" >&2; return 1; }
    local package version members symbols
    : >"$work/symbols"
    while IFS=$'\t' read -r package version members symbols <&4; do
        say "    $package $version"
        { unpack_debian "$package" "$version" &&
            function_symbols "$work/deb" "$symbols" "$members" >>"$work/symbols"; } \
            2>"$work/why" || { tail -n 3 "$work/why" >&2; return 1; }
        rm -rf "$work/deb"
    done 4< <(jq -r --arg name "$1" '.lists[] | select(.name == $name) | .packages[] |
        [.package, .version, .members, .symbols] | @tsv' "$manifest")
    LC_ALL=C sort -u -T "$work" "$work/symbols" >"$work/list" && rm "$work/symbols"
    has_sha256 "$work/list" "$2" || { echo "the list of names has another SHA-256" >&2; return 1; }
}

# Puts a list at "$work/source": an embedded one, one made earlier, or a new one, which is kept.
get_list() { # name
    local file sha256
    IFS=$'\t' read -r file sha256 < <(jq -r --arg name "$1" \
        '.lists[] | select(.name == $name) | [.file, .sha256] | @tsv' "$manifest")
    [ -n "${file:-}" ] || { echo "the manifest has no list $1" >&2; return 1; }
    rm -f "$work/source"
    if ! has_sha256 "$file" "$sha256"; then
        make_list "$1" "$sha256" || return 1
        mkdir -p "$(dirname "$file")" && mv "$work/list" "$file" || return 1
    fi
    text_of "$file" >"$work/source"
}

# ---- documents ----------------------------------------------------------------------------------

# The options of `bakeoff import` for an entry's "import", one word per line.
import_options() { # name
    jq -r --arg name "$1" '.documents[] | select(.name == $name) | .import | to_entries[] |
        "--" + (.key | gsub("_"; "-")), (if .value == true then empty else .value end)' \
        "$manifest"
}

# Imports "$work/source" to "$work/document".
make_document() { # name format sha256 units
    local options=() n
    mapfile -t options < <(import_options "$1")
    "$bakeoff" import "$2" "$work/source" ${options[@]+"${options[@]}"} -o "$work/document" ||
        return 1
    n=$(count_units "$2" <"$work/document")
    [ "$n" = "$4" ] || { [ "$4" = - ] && [ "$n" -gt 0 ]; } ||
        { echo "the document has $n units, but the manifest has $4" >&2; return 1; }
    [ "$3" = - ] || has_sha256 "$work/document" "$3" ||
        { echo "the document has another SHA-256" >&2; return 1; }
}

fetch_document() { # name format file sha256 units from package version member source-sha256 list
    case $6 in
    names) get_list "${11}" ;;
    debian-source) "$2/profile.sh" "$7" "$8" "$9" "$work/source" "$work/build" ;;
    clang) trace_with_clang "$9" "$7" "$8" ;;
    *) get_binary "${@:6:5}" ;;
    esac &&
        make_document "$1" "$2" "$4" "$5" &&
        { $embedded || { mkdir -p "$(dirname "$3")" && mv "$work/document" "$3"; }; }
}

# A document without a hash is available when its file exists.
is_there() { # file sha256
    if [ "$2" = - ]; then [ -s "$1" ]; else has_sha256 "$1" "$2"; fi
}

# Makes the files of one entry of the list below again.
fetch() { # the fields of one line
    if [ "$2" = names ]; then
        make_list "$1" "$4"
    else
        fetch_document "$@"
    fi
}

list() { # [NAME...]
    jq -r --argjson embedded $embedded --argjson unit "$(all_units)" "
        ((.documents[] | select(.embedded == \$embedded and .import) |
            [.name, .format, .file, .sha256 // \"-\", (.[\$unit[.format]] // \"-\"),
             .source.from, .source.package, .source.version,
             .source.member // .source.sampler // .source.driver // \"-\",
             .source.sha256 // \"-\", .source.list // \"-\"]),
         (.lists[] | select(.embedded and \$embedded) |
            [.name, \"names\", .file, .sha256, .names, \"debian\",
             (.packages | map(.package) | join(\" \")), .packages[0].version])) |
        @tsv" "$manifest" |
        if [ $# -eq 0 ]; then
            cat
        else
            awk -F '\t' -v names="$*" '
                BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) wanted[name[i]] }
                $1 in wanted'
        fi
}

list "$@" >"$work/lines"
n=0 n_all=$(wc -l <"$work/lines") n_failed=0 n_skipped=0
if $embedded && [ $# -eq 0 ]; then
    jq -r '.documents[] | select(.embedded and (.import | not)) |
        "corpora: \(.name): not made by this script: \(.format)/README.md describes how"' "$manifest"
fi
[ "$n_all" -gt 0 ] || give_up "the manifest has no such document, or none that this script imports"
[ $# -eq 0 ] || [ $# -eq "$n_all" ] || give_up "not every NAME is in the manifest"
while IFS=$'\t' read -r -a fields <&3; do
    n=$((n + 1))
    at="[$n/$n_all] ${fields[0]}"
    if ! $embedded && is_there "${fields[2]}" "${fields[3]}"; then
        say "$at: exists"
        continue
    fi
    say "$at: ${fields[6]} ${fields[7]} (${fields[5]})"
    fetch "${fields[@]}"
    code=$?
    if [ $code -eq 0 ]; then
        said="${fields[4]} $(units_of "${fields[1]}")"
        [ "${fields[3]}" != - ] || said="made; not compared, because it differs from run to run"
        $embedded && said="made again, the same bytes"
        say "$at: $said"
    elif [ $code -eq 77 ]; then
        say "$at: not made: not possible on this machine"
        n_skipped=$((n_skipped + 1))
    else
        say "$at: FAILED"
        n_failed=$((n_failed + 1))
    fi
done 3<"$work/lines"
say "$((n_all - n_failed - n_skipped)) of $n_all documents exist"
[ $n_failed -eq 0 ]
