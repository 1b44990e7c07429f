#!/usr/bin/env bash
# record.sh BINARY WORKLOAD COMMAND...: runs a command, and writes what libgcc looks up in the unwind table of
# BINARY (the program, or a library that it loads) as a recorded workload. With BAKEOFF_HZ=N, N samples a second of
# processor time are walked; else the walks of the program itself are recorded. DOC, the table in the text form,
# goes to WORKLOAD.txt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bakeoff=${BAKEOFF:-$here/../../../build/bakeoff}
(($# >= 3)) || { echo "usage: record.sh BINARY WORKLOAD COMMAND..." >&2; exit 2; }
binary=$1 workload=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${CC:-cc}" -O2 -shared -fPIC -o "$scratch/record.so" "$here/record.c" -ldl -lpthread
"$bakeoff" import unwind "$binary" -o "$workload.txt"
walks=${BAKEOFF_HZ:+, in $BAKEOFF_HZ samples a second of processor time}
{
    "$bakeoff" workload header "$workload.txt"
    printf '# program: %s\n' "$*"
    printf '# version: %s\n' "${VERSION:-$("$1" --version 2>&1 | head -n 1 | tr -d '\t')}"
    printf '# recorded: calls of _dl_find_object by libgcc, in a preloaded library%s\n' "$walks"
} >"$workload"
BAKEOFF_BINARY=$(realpath "$binary") BAKEOFF_RECORD=$(realpath "$workload") LD_PRELOAD=$scratch/record.so "$@"
"$bakeoff" workload check "$workload" "$workload.txt"
