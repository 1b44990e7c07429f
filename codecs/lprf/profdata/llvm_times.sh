#!/usr/bin/env bash
# Times of LLVM 22's own reader of indexed profiles, in process, beside those of the codec profdata on the same bytes:
# `llvm_times.sh [DOCUMENT...]`; documents are those of corpora/lprf by name. Exit 77: no libLLVM 22 (Debian: llvm-22-dev).
set -euo pipefail
cd "$(dirname "$0")/../../.."
bakeoff=${BAKEOFF:-build/bakeoff}
llvm=/usr/lib/llvm-22
[[ -e $llvm/include/llvm/ProfileData/InstrProfReader.h ]] || { echo "libLLVM 22 is missing (Debian: llvm-22-dev)"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
g++ -std=c++17 -O2 -isystem $llvm/include codecs/lprf/profdata/llvm_times.cc -L$llvm/lib -lLLVM-22 -o "$scratch/times"
(($# > 0)) || set -- sqlite3 re2 protoc
for document; do
    xz -dc "corpora/lprf/$document.proftext.xz" >"$scratch/text"
    "$bakeoff" encode --raw lprf/profdata "$scratch/text" -o "$scratch/profile"
    "$scratch/times" "$scratch/profile" >"$scratch/llvm"
    echo "$document: LLVM: $(cat "$scratch/llvm")"
    "$bakeoff" bench --quick --format lprf --codec profdata --corpus "$document" --kind open,lookup-key,iterate \
        --json "$scratch/times.json" >"$scratch/log" 2>&1
    jq -r '.benchmarks[] | select(.name | test("profdata.*_median$")) | "    \(.name): \(.cpu_time) ns"' "$scratch/times.json"
done
