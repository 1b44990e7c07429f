#!/usr/bin/env bash
# record.sh PROFILE WORKLOAD COMMAND...: runs a command that compiles with clang 14 and -fprofile-instr-use=PROFILE (a
# compiler, make, ninja), and writes the lookups in the profile as a recorded workload. DOC, the profile in the text form,
# goes to WORKLOAD.proftext.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bakeoff=${BAKEOFF:-$here/../../../build/bakeoff}
(($# >= 3)) || { echo "usage: record.sh PROFILE WORKLOAD COMMAND..." >&2; exit 2; }
profile=$1 workload=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${CC:-cc}" -O2 -shared -fPIC -o "$scratch/record.so" "$here/record.c" -ldl
"$bakeoff" import lprf "$profile" -o "$workload.proftext"
{
    "$bakeoff" workload header "$workload.proftext"
    printf '# program: %s\n' "$*"
    printf '# version: %s\n' "$(clang-14 --version | head -n 1)"
    echo '# recorded: calls of IndexedInstrProfReader::getInstrProfRecord, by a preloaded library'
} >"$workload"
BAKEOFF_RECORD=$(realpath "$workload") LD_PRELOAD=$scratch/record.so "$@"
"$bakeoff" workload check "$workload" "$workload.proftext"
