#!/usr/bin/env bash
# PC tables in the Go runtime: builds Go programs whose linker and runtime use an encoding, and measures
# them against the same programs of the unpatched Go.
#
#   run.sh [CODEC...]         builds, compares outputs, measures; writes results/go-runtime.tsv and .md
#   run.sh check [CODEC...]   builds one program and compares its output; reads all tables of gofmt
#   run.sh tests [CODEC...]   the runtime's own tests
#
# CODEC is an encoding of bakeoff that has a reader in runtime/; the default is all of them. TURNS (21) is the number of turns,
# RESULTS (results/go-runtime) the path of the results. Needs Debian's golang-1.19-go and
# golang-1.19-src, linux/amd64, and build/bakeoff. Exit 77: packages are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
bakeoff=$(realpath "${BAKEOFF:-build/bakeoff}")
here=examples/go-runtime
programs=corpora/record/go/programs
# shellcheck source=corpora/record/go/toolchain.sh
. corpora/record/go/toolchain.sh
find_go

# Encodings that exist in bakeoff and have a reader here.
known_codecs() {
    local codec
    "$bakeoff" list codecs | sed -n 's|^pcdata/\([^ ]*\) .*|\1|p' | while read -r codec; do
        [[ ! -e $here/runtime/${codec//-/_}.go ]] || echo "$codec"
    done
}

# use CODEC: sets `out`, and the go command to build with the codec.
use() {
    out=$root/build/go-runtime/$1
    mkdir -p "$out/linker" "$out/runtime" "$out/bin"
    export GOFLAGS=
    [[ $1 != varint-delta ]] || return 0
    local reader=$here/runtime/${1//-/_}.go magic
    [[ -e $reader ]] || { echo "no reader: $reader" >&2 && return 2; }
    # A runtime only reads the tables of its own linker: the magic number identifies them.
    magic=0xb0$(cksum <<<"$1" | awk '{ printf "%06x", $1 % 16777216 }')
    patch_linker "$out" "$here/linker.patch" "CODEC=$1" "MAGIC=$magic" "BAKEOFF=$bakeoff"
    corpora/record/go/patch.py "$goroot" "$out/runtime" "$here/runtime.patch" \
        "CODEC=$1" "MAGIC=$magic" "READER=${1//-/_}"
    export GOFLAGS="-overlay=$out/runtime/overlay.json -toolexec=$out/toolexec"
}

build() { # PROGRAM PACKAGE
    "$goroot/bin/go" build -o "$out/bin/$1" "$2"
}

# Output of `frames` without arguments, addresses and the order of goroutines.
frames() {
    ("$out/bin/frames" 2>&1 || [[ $? = 2 ]]) |
        sed -E 's/\((0x|\{|\.\.\.)[^()]*\)$/(...)/; s/goroutine [0-9]+/goroutine N/' >"$out/frames.txt"
    grep -q '^panic: the end' "$out/frames.txt" || { tail -n 20 "$out/frames.txt" && return 1; }
}

# Builds `frames` with each codec and compares its output with that of the unpatched Go.
compare_outputs() { # CODEC...
    local codec
    for codec in varint-delta "$@"; do
        use "$codec"
        build frames ./$here/programs/frames
        frames
        [[ $codec != varint-delta ]] || continue # the unpatched Go itself
        diff "$root/build/go-runtime/varint-delta/frames.txt" "$out/frames.txt"
        echo "frames, $codec: $(wc -l <"$out/frames.txt") lines are equal"
    done
}

# Looks up every PC of every table of gofmt with each codec's reader, compiled as a package of its own.
compare_readers() { # CODEC...
    local codec folder=$root/build/go-runtime/readers text=$root/build/go-runtime/gofmt.txt
    export GOFLAGS=
    mkdir -p "${text%/*}"
    "$bakeoff" import pcdata "$goroot/bin/gofmt" -o "$text"
    for codec in "$@"; do
        rm -rf "${folder:?}/$codec"
        mkdir -p "$folder/$codec/reader" "$folder/$codec/pctab"
        sed 's/^package runtime$/package reader/; s|"runtime/internal/sys"|sys "math/bits"|' \
            "$here/runtime/${codec//-/_}.go" >"$folder/$codec/reader/reader.go"
        cp -r $here/reader/* "$folder/$codec"
        cp examples/go/*.go "$folder/$codec/pctab"
        rm -f "$folder/$codec"/pctab/*_test.go
        printf 'module reader\n\ngo 1.19\n' >"$folder/$codec/go.mod"
        "$bakeoff" encode --raw "pcdata/$codec" "$text" -o "$folder/$codec/payload"
        (cd "$folder/$codec" && GO111MODULE=on "$goroot/bin/go" run . "$text" payload)
        echo "reader, $codec: all values of gofmt's tables are equal"
    done
}

build_all() { # CODEC...
    local codec program
    for codec in varint-delta "$@"; do
        use "$codec"
        build calls ./$here/programs/calls
        for program in deep panics prof http; do
            build $program ./$programs/$program
        done
        for program in gofmt vet compile; do
            build $program cmd/$program
        done
    done
}

# The files that the compiler reads to compile go/types.
compiler_input() {
    use varint-delta
    "$goroot/bin/go" list -deps -export \
        -f '{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}' go/types >"$out/importcfg"
    # shellcheck disable=SC2016
    "$goroot/bin/go" list -f '{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}' go/types | grep . >"$out/files"
}

mode=measure
case ${1:-} in check | tests) mode=$1 && shift ;; esac
[[ $# -gt 0 ]] || mapfile -t codecs < <(known_codecs)
[[ $# -gt 0 ]] || set -- "${codecs[@]}"
readers=("$here"/runtime/*.go) # and pctab.go, which has no encoding
[[ ! ${codecs+set} ]] || ((${#codecs[@]} == ${#readers[@]} - 1)) || {
    echo "run.sh: ${#codecs[@]} encodings have a reader in $here/runtime: ${readers[*]##*/}" >&2
    exit 1
}
case $mode in
check)
    compare_readers "$@"
    compare_outputs "$@"
    ;;
tests)
    # In GOROOT's own module, the go command may use other paths for its folders than the overlay.
    export GO111MODULE=off
    for codec in "$@"; do
        use "$codec"
        "$goroot/bin/go" test -vet=off -short -timeout 20m -run "${RUN:-$(grep -v '^#' $here/tests.txt | paste -sd'|')}" runtime
        "$goroot/bin/go" test -vet=off -short runtime/pprof runtime/debug
    done
    ;;
measure)
    compare_readers "$@"
    compare_outputs "$@"
    build_all "$@"
    compiler_input
    $here/measure.py "$root/build/go-runtime" "${RESULTS:-results/go-runtime}" "${TURNS:-21}" varint-delta "$@"
    ;;
esac
