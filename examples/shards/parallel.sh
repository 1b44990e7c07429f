#!/usr/bin/env bash
# Measures in N shards through GNU parallel and merges them: parallel.sh N OUT.json [OPTION OF BENCH...]
#
# HOSTS is the path of a list of machines, one per line in the form that ssh accepts. All must have this folder.
# Without HOSTS, the shards run on this machine, one after the other: parallel shards would affect each other's times.
set -euo pipefail
bakeoff=${BAKEOFF:-build/bakeoff} n=$1 out=$2
shift 2
shards=$out.shards
mkdir -p "$shards"
rm -f "$shards"/*.json
# bench exits with 1 when a codec failed on a document; the results contain the failure.
seq "$n" | parallel --quote --jobs 1 --halt soon,fail=1 ${HOSTS:+--sshloginfile "$HOSTS" --workdir .} \
    sh -c '"$@" >/dev/null || [ $? -eq 1 ]' sh \
    "$bakeoff" bench --shard "{}/$n" --json "$shards/{}.json" "$@"
"$bakeoff" merge "$shards"/*.json -o "$out"
