#!/usr/bin/env bash
# LLVM's own reader of profiles as a plugin: its answers and models against the oracle, and a short bench of its opening.
# Needs build/bakeoff. Exit 77: no libLLVM 22.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
[[ -e /usr/lib/llvm-22/include/llvm/ProfileData/InstrProfReader.h ]] || { echo "libLLVM 22 is missing (Debian: llvm-22-dev)"; exit 77; }
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
make -s BAKEOFF="$root" OUT="$t" "$t/profdata-llvm.so"
with() { "$root/build/bakeoff" --plugin "$t/profdata-llvm.so" "$@"; }
passed=0
expect() { # PATTERN FILE
    grep -qE "$1" "$2" || { echo "failed: no '$1' in:"; tail "$2"; exit 1; }
    passed=$((passed + 1))
}

with list codecs >"$t/out"
expect '^lprf/profdata-llvm .* libLLVM 22\.' "$t/out"
with verify lprf --codec profdata-llvm --effort low --generate 8 >"$t/out" || true
expect '^[0-9]+ passed, 0 failed' "$t/out"
# Damaged files are given to all readers of profdata.
with verify lprf --codec profdata --effort low --generate 2 >"$t/out" || true
expect '^[0-9]+ passed, 0 failed' "$t/out"
LLVM_READER_TRUSTS=1 with bench --quick --format lprf --codec profdata,profdata-llvm --corpus dup_main --kind open \
    --repetitions 1 --json "$t/times.json" >"$t/out" 2>&1
expect 'lprf/profdata-llvm/dup_main/open' "$t/times.json"
echo "$passed passed, 0 failed"
