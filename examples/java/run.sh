#!/usr/bin/env bash
# State histories in Java.
#
#   run.sh                                    compiles and checks the readers and the backend for Trace Compass
#   run.sh replay HISTORY WORKLOAD [ROUNDS]   replays a recorded workload on both readers, and prints latencies
#
# HISTORY is a text form, WORKLOAD a recorded workload; they may be compressed, with xz and zstd. TRACECOMPASS_JARS is the class
# path of an installed Trace Compass, separated by colons; the backend is then also compiled against it. BAKEOFF_CORPORA is a folder
# with statehistory/kernel-many-threads.tsv.xz and the session recorded on it, which are then checked as well. Exit 77: no JDK.
set -euo pipefail
cd "$(dirname "$0")/../.."
bakeoff=${BAKEOFF:-build/bakeoff}
here=examples/java
command -v javac >/dev/null || { echo "javac is missing (Debian: openjdk-17-jdk-headless)"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
javac -Xlint:all -Werror --release 17 -d "$scratch/classes" $here/*.java

java_run() { # CLASS ARGUMENT...
    local class=$1
    shift
    java -Dfile.encoding=UTF-8 -cp "$scratch/classes" "statehist.$class" "$@"
}

# encode TEXT: makes $scratch/history.{tsv,ht,time-index}.
encode() {
    case $1 in
    *.xz) xz -dc "$1" >"$scratch/history.tsv" ;;
    *) cp "$1" "$scratch/history.tsv" ;;
    esac
    local encoding
    for encoding in ht time-index; do
        "$bakeoff" encode --raw statehist/$encoding "$scratch/history.tsv" -o "$scratch/history.$encoding"
    done
}

if [[ ${1:-} = replay ]]; then
    (($# >= 3)) || { echo "usage: run.sh replay HISTORY WORKLOAD [ROUNDS]" >&2; exit 2; }
    encode "$2"
    case $3 in *.zst) zstd -dc "$3" ;; *) cat "$3" ;; esac |
        java_run Replay "$scratch/history.ht" "$scratch/history.time-index" "${4:-10}"
    exit
fi

# The lines of attributes and intervals, by quark and time.
content() {
    LC_ALL=C sort -t$'\t' -k1,1r -k2,2n -k3,3n "$1"
}

queries() { # N: queries at times in the history, one of each kind, N times
    awk -F '\t' -v n="$1" '
        /^# start: / { split($0, f, ": "); start = f[2] }
        /^# end: / { split($0, f, ": "); end = f[2] }
        /^Q/ { quarks = $2 + 1 }
        END {
            srand(7)
            for (i = 0; i < n; i++) {
                a = sprintf("%.0f", start + (end - start) * rand() / 2)
                b = sprintf("%.0f", start + (end - start) * (1 + rand()) / 2 * 0.999999)
                q = int(rand() * (quarks - 3))
                print "point " q " " b
                print "full-state " a
                print "export " b
                print "range2d " a " " b " " q " " q + 1 " " q + 2
                print "times 2 " a " " b " " q " " q + 2
            }
        }' "$scratch/history.tsv"
}

# Compares both readers with the document and the C codecs.
check() { # NAME
    local encoding query history=$scratch/history
    grep '^[QI]' "$history.tsv" >"$history.lines"
    content "$history.lines" >"$history.sorted"
    queries 3 >"$history.queries"
    for encoding in ht time-index; do
        java_run Answers $encoding "$history.$encoding" content >"$history.lines"
        content "$history.lines" | cmp - "$history.sorted"
        java_run Answers $encoding "$history.$encoding" query <"$history.queries" >"$history.java"
        while read -r query; do
            # shellcheck disable=SC2086
            "$bakeoff" query --raw statehist/$encoding "$history.$encoding" $query
        done <"$history.queries" | sed 's/\thash 0x[0-9a-f]*$/\thash/' | cmp - "$history.java"
        java_run Answers $encoding "$history.$encoding" tree >"$history.tree"
        tail -c "$(stat -c %s "$history.tree")" "$history.ht" | cmp - "$history.tree"
    done
    echo "$1: $(java_run Check "$history.ht" "$history.time-index" 1)"
}

# The conformance vectors: valid ones are read, invalid ones rejected.
vectors() { # READER ENCODING
    xz -dc "corpora/vectors/statehist-$2.json.xz" | jq -r '
        (.valid[] | ["valid", .bytes, (.model | @base64)]),
        (.invalid[] | ["invalid", .bytes, (.rule | sub(": .*"; ""))]) | @tsv' | java_run Vectors "$1"
}

for document in corpora/statehist/{make,pipes}.tsv.xz; do
    encode "$document"
    check "$(basename "$document" .tsv.xz)"
done
if command -v jq >/dev/null; then
    vectors ht ht
    vectors ht ht-4k
    vectors time-index time-index
else
    echo "note: not run: conformance vectors: jq is missing"
fi
# Queries of damaged files end. The table of times of this history has five blocks; the attribute that is read changes
# once.
awk 'BEGIN { print "# statehistory-tsv 1\n# start: 0\n# end: 999990000"
    for (q = 0; q < 200; q++) printf "Q\t%d\t-1\t%d\n", q, q
    for (t = 1; t <= 300; t++) {
        end = t < 300 ? t * t * 10000 - 1 : 999990000
        if (t == 200) printf "I\t1\t0\t%d\ti\t1\n", end
        for (q = 2; q < 9; q++) printf "I\t%d\t%d\t%d\ti\t%d\n", q, (t - 1) ^ 2 * 10000, end, (t + q) % 5
    }
    for (q = 0; q < 200; q++) if (q < 1 || q > 8) printf "I\t%d\t0\t999990000\tn\t\n", q
    print "I\t1\t400000000\t999990000\ti\t2" }' >"$scratch/times.tsv"
"$bakeoff" encode --raw statehist/time-index "$scratch/times.tsv" -o "$scratch/times"
timeout 120 java -Xmx256m -cp "$scratch/classes" statehist.Damage "$scratch/times" || { echo "run.sh: Damage" >&2; exit 1; }
# Compiles the backend with classes of the names and signatures that it needs from Trace Compass, and with the real
# ones.
javac -Xlint:all -Werror --release 17 -cp "$scratch/classes" -d "$scratch/stubs" $here/tracecompass/*.java \
    $here/tracecompass/testdata/*.java
java -cp "$scratch/classes:$scratch/stubs" statehist.tracecompass.BackendTest "$scratch/history.ht" "$scratch/history.time-index"
if [[ ${TRACECOMPASS_JARS:-} ]]; then
    javac --release 17 -cp "$scratch/classes:$TRACECOMPASS_JARS" -d "$scratch/backend" $here/tracecompass/*.java
    echo "the backend compiles with the classes of Trace Compass"
fi
session=${BAKEOFF_CORPORA:-}/statehistory/many-threads-session.zst
if [[ -e $session ]]; then
    encode "$BAKEOFF_CORPORA/statehistory/kernel-many-threads.tsv.xz"
    check kernel-many-threads
    zstd -dc "$session" | awk -f corpora/record/tracecompass/session.awk |
        java_run Replay "$scratch/history.ht" "$scratch/history.time-index" 2
fi
