#!/usr/bin/env bash
# Tests the recorder of Trace Compass' queries with classes of the same names and signatures, and the conversion of
# logs. Exits with 77 without a JDK.
set -euo pipefail
cd "$(dirname "$0")/../../.."
command -v javac >/dev/null || { echo "javac is missing"; exit 77; }
export BAKEOFF=${BAKEOFF:-$PWD/build/bakeoff}
here=corpora/record/tracecompass
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A history of 70 attributes, 0..9999.
awk 'BEGIN { print "# statehistory-tsv 1\n# start: 0\n# end: 9999"
    for (q = 0; q < 70; q++) printf "Q\t%d\t-1\ta%d\n", q, q
    for (t = 0; t < 10; t++) for (q = 0; q < 70; q++) printf "I\t%d\t%d\t%d\ti\t%d\n", q, 1000 * t, 1000 * t + 999, t }' \
    >"$scratch/history.tsv"
javac -d "$scratch/jars" $here/testdata/*.java
echo stale >"$scratch/run.workload.tsv"
HISTORY_TEXT=$scratch/history.tsv TRACECOMPASS_JARS=$scratch/jars $here/record.sh none.ht 1 "$scratch/run.workload" 40 >"$scratch/checked"
grep -q '; 41 actions$' "$scratch/checked"
for kind in point full-state times range2d; do grep -q " $kind " "$scratch/checked"; done
# The lines of a log become these lines.
printf '%s\n' 'open span 0 9999 1 3+2x3' 'zoom times 1457113582794565804 999999999 1457113584794565802 5' \
    'zoom-names single 4 17' 'zoom full 3' | awk -f $here/session.awk >"$scratch/lines"
printf '%b' 'action\topen\nrange2d\t0\t9999\t1\t3\t5\t7\naction\tzoom\n' \
    'times\t3\t1457113582794565804\t1457113583794565803\t1457113584794565802\t5\n' 'point\t4\t17\n' \
    'action\tzoom\nfull-state\t3\n' | diff - "$scratch/lines"
"$BAKEOFF" bench --quick --format statehist --corpus "$scratch/run.workload.tsv" --codec ht,time-index \
    --workload "recorded:$scratch/run.workload" | grep -q 'actions/recorded'
echo "4 passed: a session is recorded, checked, converted and measured"
