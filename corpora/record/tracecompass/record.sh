#!/usr/bin/env bash
# record.sh HISTORY.ht PROVIDER_VERSION WORKLOAD [ACTIONS]: plays a scripted session on a history with an installed Trace
# Compass, and writes its queries as a recorded workload. The history in the text form goes to WORKLOAD.tsv.
# TRACECOMPASS_JARS: the class path of Trace Compass, its jars with colons between.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bakeoff=${BAKEOFF:-$here/../../../build/bakeoff}
(($# >= 3)) || { echo "usage: record.sh HISTORY.ht PROVIDER_VERSION WORKLOAD [ACTIONS]" >&2; exit 2; }
[[ ${TRACECOMPASS_JARS:-} ]] || { echo "record.sh: TRACECOMPASS_JARS is empty" >&2; exit 2; }
history=$1 version=$2 workload=$3 actions=${4:-60}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
javac -d "$scratch" "$here"/*.java
if [[ ${HISTORY_TEXT:-} ]]; then # of tests, which have no history file
    cp "$HISTORY_TEXT" "$workload.tsv"
else
    "$bakeoff" decode statehist/ht --raw "$history" -o "$workload.tsv"
fi
{
    "$bakeoff" workload header "$workload.tsv"
    echo "# program: Trace Compass, a scripted session of $actions actions"
    echo "# version: provider version $version"
    echo '# recorded: calls of ITmfStateSystem, by a proxy'
    java -cp "$scratch:$TRACECOMPASS_JARS" Record "$history" "$version" "$actions"
} >"$workload"
"$bakeoff" workload check "$workload" "$workload.tsv"
