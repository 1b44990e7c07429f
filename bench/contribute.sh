#!/usr/bin/env bash
# Measures this machine and writes a results file to contribute. `make contribute` runs it.
#
# bench/contribute.sh [OPTION OF BENCH...]
#
# Without options: --full. Writes results/MACHINE/DATE.json.xz after `bakeoff bench --check` has accepted it. To
# continue an interrupted run, add `--resume` as the only option besides those of the run.
set -euo pipefail
bakeoff=${BAKEOFF:-build/bakeoff}
folder=${RESULTS:-results}
[[ $# -gt 0 ]] || set -- --full
before=$(mktemp)
trap 'rm -f "$before"' EXIT
# Exit code 1: a codec failed. The check reports it.
"$bakeoff" bench --json "$folder/" "$@" >&2 || [[ $? = 1 ]]
run=$(find "$folder" -name '*.json' -newer "$before" | sort | tail -n 1)
[[ -n $run ]] || { echo "bakeoff: no results were written to $folder" >&2; exit 2; }
"$bakeoff" bench --check "$run"
xz -9 "$run"
echo "to contribute this run: git add $run.xz && git commit -m 'results: measure on $(basename "$(dirname "$run")")'"
