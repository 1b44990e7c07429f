#!/usr/bin/env bash
# Watches the queries of codecs from outside, for figures that no clock gives. Exact: they do not depend on load.
#
#   bench/watch.sh lines FORMAT DOCUMENT [CODEC...]         64-byte lines of the input that a query reads
#   bench/watch.sh insns MACHINE FORMAT DOCUMENT [CODEC...] instructions a query on a warm reader; MACHINE: arm64 or s390x
#
# DOCUMENT is a text form. CODECs: all of the format by default. Lines come from a memory trace under valgrind's lackey;
# the portable code paths run, with BAKEOFF_ISA=v3 those of x86-64-v3. Instructions are counted under qemu, one translation
# block an instruction, with all code of the program, libc's too: they are counts of the portable paths and not times.
# Prints lines of: format, document, codec, kind/workload, mean over queries. Codecs that fail are named on standard error.
set -euo pipefail
fail() { echo "watch: $*" >&2; exit 2; }
what=${1:-}
[[ $what = lines || $what = insns ]] || fail "the first argument is lines or insns"
shift
machine=gcc
[[ $what = lines ]] || { machine=${1:-}; shift; }
[[ $# -ge 2 ]] || fail "a format and a document are needed"
format=$1 document=$2
shift 2
bakeoff=${BAKEOFF:-build/bakeoff}
alone=build/$machine/queries_alone
case $machine in
gcc) command -v valgrind >/dev/null || fail "valgrind is missing" ;;
arm64) qemu="qemu-aarch64-static" ;;
s390x) qemu="qemu-s390x-static" ;;
*) fail "no machine $machine; the machines are arm64 and s390x" ;;
esac
[[ $machine = gcc ]] || command -v "$qemu" >/dev/null || fail "$qemu is missing"
[[ -x $alone ]] || fail "$alone is missing: make VARIANT=$machine $alone"
[[ $# -gt 0 ]] || mapfile -t codecs < <("$bakeoff" list codecs --json |
    jq -r --arg format "$format" '.[] | select(.format == $format and (.optional | not)) | .codec')
[[ $# -eq 0 ]] || codecs=("$@")
[[ ${#codecs[@]} -gt 0 ]] || fail "no codecs of $format"
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
mkfifo "$t/trace"

trace() { # PAYLOAD CODEC: the trace goes to $t/trace, what the program prints to $t/said
    if [[ $what = lines ]]; then
        BAKEOFF_ISA=${BAKEOFF_ISA:-v1} valgrind -q --tool=lackey --trace-mem=yes --log-file="$t/trace" \
            "$alone" "$format" "$2" "$1" >"$t/said" 2>"$t/why"
    else
        "$qemu" -singlestep -d exec,nochain -D "$t/trace" "$alone" "$format" "$2" "$1" >"$t/said" 2>"$t/why"
    fi
}

name=$(basename "$document" .txt)
for codec in "${codecs[@]}"; do
    "$bakeoff" encode --raw "$format/$codec" "$document" -o "$t/payload" 2>"$t/why" ||
        { echo "watch: $format/$codec: $(tail -n 1 "$t/why")" >&2; continue; }
    : >"$t/said"
    perl bench/watch.pl "$what" "$t/said" "$format	$name	$codec" <"$t/trace" >"$t/figures" &
    trace "$t/payload" "$codec" && wait $! && cat "$t/figures" ||
        echo "watch: $format/$codec: $(tail -n 1 "$t/why")" >&2
done
