#!/usr/bin/env bash
# Regenerates bench/page/testdata, the results that test_page.sh renders: the newest published runs (of MACHINE, the
# argument), cut to two documents a format, one format's curves, and seven repetitions. Needs jq and xz. For when the
# results' fields change; the new testdata must be committed.
set -euo pipefail
cd "$(dirname "$0")/../.."
from=results/$1 to=bench/page/testdata/results/$1
documents='["pcdata/esbuild-amd64-sample", "pcdata/tsgo-arm64-sample", "lprf/spirit_calc", "lprf/re2",
    "autofdo/lua-callgrind", "autofdo/keystore2", "templight/small_tuple", "templight/hana_fusion",
    "statehist/make-middle", "statehist/pipes",
    "pcdata/scale-1e2", "pcdata/scale-1e3", "pcdata/scale-1e4", "pcdata/scale-1e5"]'
rm -rf "$to"
mkdir -p "$to"
seen=
for run in $(printf '%s\n' "$from"/*.json.xz | sort -r); do
    kinds=$(xz -dc "$run" | jq -r '[.context.bakeoff.documents[] |
        .format + (if .scale then "+scale" else "" end)] | unique[]')
    new=
    for kind in $kinds; do [[ " $seen " = *" $kind "* ]] || new+=" $kind"; done
    [[ $new ]] || continue
    seen+=$new
    xz -dc "$run" | jq -c --argjson keep "$documents" '
        .context.bakeoff.documents |= map(select("\(.format)/\(.name)" | IN($keep[]))) |
        .benchmarks |= map(select(.run_type == "iteration" and .repetition_index < 7 and
            (.run_name | split("/") | "\(.[0])/\(.[2])" | IN($keep[]))) |
            .repetitions = ([.repetitions, 7] | min)) |
        select(.context.bakeoff.documents | length > 0)' >build/testdata.json
    [[ ! -s build/testdata.json ]] || xz -9c build/testdata.json >"$to/$(basename "$run")"
done
rm -f build/testdata.json
du -sh "$to"
