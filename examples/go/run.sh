#!/usr/bin/env bash
# Compares the Go package with the C codecs on the embedded documents and on two whole Go programs:
# the compiler and gofmt. `run.sh` runs the tests, `run.sh bench` the benchmarks as well, of BENCHTIME
# (200ms) each.
#
# usage: examples/go/run.sh [bench]
set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
bakeoff=${BAKEOFF:-$root/build/bakeoff}
go=$(command -v go || echo /usr/lib/go-1.19/bin/go)
if [ ! -x "$go" ]; then
    echo "Go is not installed (Debian: golang-1.19-go)"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for text in "$root"/corpora/pcdata/*.txt; do
    cp "$text" "$folder"
done
for workload in "$root"/corpora/pcdata/*.workload.zst; do
    name=$(basename "$workload" .workload.zst)
    xz -dc "$root/corpora/pcdata/$name.txt.xz" >"$folder/$name.txt"
    zstd -qdc "$workload" >"$folder/$name.workload"
done
for encoding in varint-delta linear-index packed-starts; do
    xz -dc "$root/corpora/vectors/pcdata-$encoding.json.xz" >"$folder/$encoding.json"
done
goroot=$("$go" env GOROOT)
"$bakeoff" import pcdata "$goroot/bin/gofmt" -o "$folder/gofmt.txt"
"$bakeoff" import pcdata "$("$go" env GOTOOLDIR)/compile" -o "$folder/compile.txt"
for text in "$folder"/*.txt; do
    for encoding in varint-delta linear-index packed-starts; do
        "$bakeoff" encode --raw "pcdata/$encoding" "$text" -o "${text%txt}$encoding"
    done
done

export PCTAB_DOCUMENTS=$folder GOFLAGS=-mod=mod GOCACHE=$root/build/go-cache
"$go" vet .
"$go" test -count=1 ${1:+-v -bench=. -benchtime=${BENCHTIME:-200ms}} .
