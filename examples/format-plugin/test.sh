#!/usr/bin/env bash
# A format plugin through every command that needs no file in the tree: list, verify, encode, decode, query, bench, table,
# pick, report, vectors, and the fuzz targets' replay. Needs build/bakeoff.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
make -s BAKEOFF="$root" OUT="$t" "$t/ranges.so" fuzz
with() { "$root/build/bakeoff" --plugin "$t/ranges.so" "$@"; }
passed=0
expect() { # PATTERN FILE
    grep -qE "$1" "$2" || { echo "failed: no '$1' in:"; cat "$2"; exit 1; }
    passed=$((passed + 1))
}

with list formats >"$t/out"
expect '^ranges: ' "$t/out"
with verify ranges small.txt --generate 20 >"$t/out"
expect '^[0-9]+ passed, 0 failed$' "$t/out"
for codec in rows lengths; do
    with encode ranges/$codec small.txt -o "$t/$codec.bin"
    with decode ranges/$codec "$t/$codec.bin" >"$t/out"
    cmp small.txt "$t/out"
    with query ranges/$codec "$t/$codec.bin" at 5000 >"$t/out"
    expect '^5000: 0$' "$t/out"
    with vectors ranges/$codec -o "$t/$codec.json"
    with verify ranges --vectors "$t/$codec.json" >"$t/out"
    expect ' passed, 0 failed$' "$t/out"
done
with bench --quick --format ranges --corpus small.txt --no-compress --json "$t/run.json" >"$t/out" 2>&1
with table ranges --results "$t/run.json" >"$t/out"
expect '^\| lengths ' "$t/out"
with pick ranges --results "$t/run.json" --size 1 >"$t/out"
expect '^The pick: lengths' "$t/out"
# The counter of instructions runs the program again, with the plugin.
if command -v valgrind >/dev/null; then
    with insns ranges --corpus small.txt >"$t/out"
    expect '^ranges/lengths +small +encode ' "$t/out"
fi
if with insns ranges >/dev/null 2>"$t/out"; then
    echo "FAILED: a count without a document"
    exit 1
fi
expect 'ranges has no embedded document; --corpus FILE names one' "$t/out"
if with import ranges small.txt >/dev/null 2>"$t/out"; then
    echo "FAILED: an import without importers"
    exit 1
fi
expect 'ranges has no importers; other commands read its text form' "$t/out"
with workload header --format ranges small.txt >"$t/out"
expect '^# format: ranges$' "$t/out"
with report --results "$t/run.json" --output "$t/report" >"$t/out" 2>&1
expect '^## ranges' "$t/report/REPORT.md"
mkdir "$t/inputs"
cp small.txt "$t/lengths.bin" "$t/rows.bin" "$t/inputs"
head -c 300 "$t/ranges.so" >"$t/inputs/bytes"
for kind in bytes model damage; do
    "$t/ranges_$kind" "$t/inputs" >"$t/out"
    expect '4 inputs replayed, 0 failed' "$t/out"
done
# Without the plugin the format does not exist.
if "$root/build/bakeoff" report --results "$t/run.json" --output "$t/without" 2>"$t/out"; then
    echo "FAILED: a report without its format"
    exit 1
fi
expect 'run.json: results of ranges are left out: no format of this name; is --plugin missing\?' "$t/out"
[[ ! -e $t/without ]]
if "$root/build/bakeoff" verify ranges small.txt >/dev/null 2>"$t/out"; then
    echo "FAILED: a format without its plugin"
    exit 1
fi
expect "no format 'ranges'" "$t/out"
echo "$passed passed: a format from a plugin"
