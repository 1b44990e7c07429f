#!/bin/bash
# Reads encodings with the second readers, which are written from the specifications alone: all conformance vectors
# (valid ones have the same model, invalid ones are rejected), documents, and made texts. A change of a layout that its
# specification does not have fails here, and so does a codec of role new or proposed without a second reader.
#
#   codecs/test_second_readers.sh
#
# Needs build/bakeoff (BAKEOFF overrides it), python3, jq and xz. Exit 0: all passed; 1: a model differs, a valid
# payload is rejected or an invalid one accepted; 77: could not run.
set -u
cd "$(dirname "$0")/.." || exit 77
bakeoff=${BAKEOFF:-build/bakeoff}
for tool in python3 jq xz; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
out=$(mktemp -d) || exit 77
export PYTHONPYCACHEPREFIX=$out/cache
trap 'rm -rf "$out"' EXIT
passed=0 failed=0

count() { # what: of the last command
    if [[ $? = 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $1"; fi
}

second_reader() { # FORMAT ARGUMENT...
    python3 "codecs/$1/second_reader.py" "${@:2}"
}

# FORMAT TEXT CODEC...: each encoding of the text must hold its model.
as_text() {
    local format=$1 text=$2 codec arguments=()
    shift 2
    for codec; do
        "$bakeoff" encode "$format/$codec" "$text" --raw -o "$out/$codec.bin" 2>"$out/note" || return
        arguments+=("${codec/-fast/}" "$out/$codec.bin" "$text") # a level has the layout of its codec
    done
    second_reader "$format" "${arguments[@]}"
}

# Unpacks FILE.json of the folder to the folder FILE: N.bin and N.txt of valid vectors, invalid-N.bin.
unpack_vectors() { # FOLDER
    python3 -c '
import glob, json, os, sys
for path in glob.glob(sys.argv[1] + "/*.json"):
    folder = path.removesuffix(".json")
    os.mkdir(folder)
    def write(name, content):
        with open(f"{folder}/{name}", "wb") as file:
            file.write(content)
    with open(path) as file:
        vectors = json.load(file)
    for i, vector in enumerate(vectors["valid"]):
        write(f"{i}.bin", bytes.fromhex(vector["bytes"]))
        write(f"{i}.txt", bytes.fromhex(vector["model_hex"]) if "model_hex" in vector else vector["model"].encode())
    for i, vector in enumerate(vectors["invalid"]):
        write(f"invalid-{i}.bin", bytes.fromhex(vector["bytes"]))' "$1"
}

vectors() { # FORMAT CODEC FOLDER
    local arguments
    mapfile -t arguments < <(
        for file in "$3"/[0-9]*.bin; do printf '%s\n' "$2" "$file" "${file%bin}txt"; done
        for file in "$3"/invalid-*.bin; do [[ ! -f $file ]] || printf '%s\n' "$2" "$file" -; done
    )
    second_reader "$1" "${arguments[@]}"
}

# Times, memory, own origins, a file that only they have, Ends without Begins, open Begins, three traces.
made_trace() {
    cat <<'END'
---
name:            'A<B<int>, const B<int> &, C<D, D>::e, "x">'
kind:            TemplateInstantiation
event:           Begin
orig:            'a.h:7:300'
poi:             ''
time: 0.5
memory: 18446744073709551615
---
name:            'B<int>'
kind:            77
event:           Begin
orig:            ''
poi:             'm.cpp:4294967295:4294967295'
memory: 5
---
name:            'B<int>'
kind:            77
event:           End
orig:            'own.h:1:1'
poi:             'm.cpp:4294967295:4294967295'
---
event:           End
---
event:           End
orig:            'own.h:1:2'
time: -1.25
# trace: {version: 4294967295, source: ''}
---
name:            ''
kind:            Memoization
event:           Begin
orig:            'b:c.h:1:1'
poi:             'b:c.h:1:1'
# trace: {version: 0, source: 'none.cpp'}
END
}

# 40 threads, each with a state and the number of another one; one of them changes at a time.
made_history() {
    awk 'BEGIN {
        n = 40; end = 400; OFS = "\t"
        print "# statehistory-tsv 1\n# start: 0\n# end: " end
        print "Q", 0, -1, "Threads"
        for (q = 1; q <= n; q++) print "Q", q, 0, q
        for (q = n + 1; q <= 3 * n; q++) print "Q", q, (q - 1) % n + 1, q <= 2 * n ? "State" : "Next"
        for (q = 0; q <= 3 * n; q++) value[q] = "n\t"
        for (t = 1; t <= end; t += 1 + t % 3)
            for (k = 0; k < 2; k++) {
                q = n + 1 + 40 * k + (t * 7 + t * t) % n
                print "I", q, start[q] + 0, t - 1, value[q]
                start[q] = t
                value[q] = k ? "i\t" (t * 11) % n + 1 : t % 5 ? "s\tstate " t % 5 : "d\t0.5"
            }
        for (q = 0; q <= 3 * n; q++) print "I", q, start[q] + 0, end, value[q]
    }'
}

snapshot() {
    printf '# statehistory-tsv 1\n# start: -5\n# end: -5\n'
    printf 'Q\t%s\n' $'0\t-1\tThreads' $'1\t0\t7' $'2\t1\tName' $'3\t1\tPrio' $'4\t1\tTime' $'5\t1\tOn'
    printf 'I\t%s\n' $'0\t-5\t-5\tn\t' $'1\t-5\t-5\tl\t-3' $'2\t-5\t-5\ts\tx' $'3\t-5\t-5\ti\t-20' \
        $'4\t-5\t-5\td\t-0' $'5\t-5\t-5\tb\ttrue'
}

n_encodings=0
declare -A read=() # FORMAT/CODEC that has a second reader
for reader in codecs/*/second_reader.py; do
    format=$(basename "${reader%/*}")
    for codec in $(second_reader "$format" --list); do read[$format/$codec]=1; done
done
while read -r codec; do
    n_encodings=$((n_encodings + 1))
    [[ ${read[$codec]:-} ]]
    count "$codec: no second reader"
done < <("$bakeoff" list codecs --json | jq -r '.[] | select((.role == "new" or .role == "proposed") and .reads == null and .level_of == null and
    (.optional | not)) | .format + "/" + .codec')
((n_encodings))
count "encodings of the registry"

mkdir "$out/vectors"
for file in corpora/vectors/*.json.xz; do
    xz -dc "$file" >"$out/vectors/$(basename "$file" .xz)"
done
unpack_vectors "$out/vectors"
count "the vectors are unpacked"
for folder in "$out"/vectors/*/; do
    name=$(basename "$folder") format=${name%%-*} codec=${name#*-}
    [[ ! ${read[$format/$codec]:-} ]] || { vectors "$format" "$codec" "$folder"; count "$format/$codec: vectors"; }
done

for codec in varint-delta linear-index shape-code packed-starts raw run-array; do
    as_text pcdata corpora/pcdata/esbuild-riscv64-sample.txt $codec
    count "pcdata/$codec: a document"
done
for index in list hash-chained hash-chained-lean hash-open accel trie front-coded phrases phrases-fast fingerprints fingerprints-fast; do
    as_text lprf build/corpora/lprf/sqlite3.proftext $index+packed
    count "lprf/$index+packed: sqlite3"
done
as_text lprf build/corpora/lprf/re2.proftext profdata
count "lprf/profdata: re2"
traces="front-coded terms predicted dict dict-wiki flat plain"
made_trace >"$out/made.yaml"
as_text templight "$out/made.yaml" $traces
count "templight: a made trace"
xz -dc corpora/templight/small_tuple.yaml.xz | awk '/^---/ && ++n > 200 { exit } { print }' >"$out/small.yaml"
as_text templight "$out/small.yaml" $traces
count "templight: the first 200 records of small_tuple"
xz -dc corpora/autofdo/lua-perf.txt.xz >"$out/lua-perf.txt"
zlib=$("$bakeoff" list codecs | grep -o 'extbinary-zlib' | head -n 1) # optional
as_text autofdo "$out/lua-perf.txt" shared-trees v4 v4-compact v4-one-table v4-compact-one-table v4-text extbinary \
    extbinary-md5-split extbinary-eytzinger $zlib gcov-v2 gcov-v3 gcov-v407
count "autofdo: lua-perf"
made_history >"$out/made.tsv"
as_text statehist "$out/made.tsv" time-index mixed-contexts arrays ht ht-4k flat typed typed-null typed-null-sorted
count "statehist: a made history"
xz -dc corpora/statehist/pipes.tsv.xz >"$out/pipes.tsv"
as_text statehist "$out/pipes.tsv" time-index ht
count "statehist: pipes"
snapshot >"$out/snapshot.tsv"
as_text statehist "$out/snapshot.tsv" snapshot-packed snapshot-json snapshot-today time-index mixed-contexts
count "statehist: a snapshot"
echo "$passed passed, $failed failed: second readers"
[[ $failed = 0 ]]
