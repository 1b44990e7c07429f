#!/bin/bash
# Reads encodings with the second readers, which are written from the specifications alone, and compares the models.
# A change of a layout that its specification does not have fails here.
#
#   codecs/test_second_readers.sh
#
# Needs build/bakeoff (BAKEOFF overrides it), python3 and xz. Exit 0: all passed; 1: a model differs or a file is
# rejected; 77: could not run.
set -u
cd "$(dirname "$0")/.." || exit 77
bakeoff=${BAKEOFF:-build/bakeoff}
for tool in python3 xz; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
out=$(mktemp -d) || exit 77
export PYTHONPYCACHEPREFIX=$out/cache
trap 'rm -rf "$out"' EXIT
passed=0 failed=0

count() { # what: of the last command
    if [[ $? = 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $1"; fi
}

encode() { # format/codec text: to $out/CODEC.bin
    "$bakeoff" encode "$1" "$2" --raw -o "$out/${1#*/}.bin"
}

# Each codec must hold the model that front-coded holds.
templight() { # trace
    local codec files=()
    for codec in front-coded terms predicted dict dict-wiki flat plain; do
        encode "templight/$codec" "$1" 2>"$out/note" || return
        files+=("$codec" "$out/$codec.bin")
    done
    python3 codecs/templight/second_reader.py "${files[@]}" >"$out/log" 2>&1 || { cat "$out/log"; return 1; }
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

# FORMAT TEXT CODEC...: each codec must hold the model of the text.
as_text() {
    local format=$1 text=$2 codec files=()
    shift 2
    for codec; do
        encode "$format/$codec" "$text" 2>"$out/note" || return
        files+=("$out/$codec.bin" "$text")
    done
    python3 "codecs/$format/second_reader.py" "${files[@]}" >"$out/log" 2>&1 || { cat "$out/log"; return 1; }
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

made_trace >"$out/made.yaml"
templight "$out/made.yaml"
count "templight: a made trace"
xz -dc corpora/templight/small_tuple.yaml.xz | awk '/^---/ && ++n > 200 { exit } { print }' >"$out/small.yaml"
templight "$out/small.yaml"
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
# The conformance vectors of an encoding as files: N.bin and N.txt of valid ones, invalid-N.bin.
unpack_vectors() { # FORMAT CODEC
    rm -rf "$out/vectors"
    mkdir "$out/vectors"
    xz -dc "corpora/vectors/$1-$2.json.xz" | python3 -c '
import json, sys
def write(name, content):
    with open(f"{sys.argv[1]}/{name}", "wb") as file:
        file.write(content)
vectors = json.load(sys.stdin)
for i, vector in enumerate(vectors["valid"]):
    write(f"{i}.bin", bytes.fromhex(vector["bytes"]))
    write(f"{i}.txt", bytes.fromhex(vector["model_hex"]) if "model_hex" in vector else vector["model"].encode())
for i, vector in enumerate(vectors["invalid"]):
    write(f"invalid-{i}.bin", bytes.fromhex(vector["bytes"]))' "$out/vectors"
}

# The valid ones.
vectors() { # FORMAT CODEC
    local pairs
    unpack_vectors "$@" || return
    mapfile -t pairs < <(for file in "$out"/vectors/[0-9]*.bin; do echo "$file"; echo "${file%bin}txt"; done)
    python3 "codecs/$1/second_reader.py" "${pairs[@]}" >"$out/log" 2>&1 || { cat "$out/log"; return 1; }
}

# All vectors, and a document.
pcdata() { # CODEC
    local arguments text=corpora/pcdata/esbuild-riscv64-sample.txt
    unpack_vectors pcdata "$1" && encode "pcdata/$1" $text || return
    mapfile -t arguments < <(
        for file in "$out"/vectors/[0-9]*.bin; do printf '%s\n' "$1" "$file" "${file%bin}txt"; done
        for file in "$out"/vectors/invalid-*.bin; do printf '%s\n' "$1" "$file" -; done
    )
    python3 codecs/pcdata/second_reader.py "${arguments[@]}" "$1" "$out/$1.bin" $text >"$out/log" 2>&1 ||
        { cat "$out/log"; return 1; }
}

for codec in varint-delta linear-index shape-code counted-buckets raw run-array; do
    pcdata $codec
    count "pcdata/$codec: vectors and a document"
done

for codec in shared-trees v4 v4-compact v4-one-table v4-compact-one-table v4-text extbinary \
    extbinary-md5-split extbinary-eytzinger gcov-v2 gcov-v3 gcov-v407; do
    vectors autofdo $codec
    count "autofdo/$codec: vectors"
done
for codec in time-index mixed-contexts arrays ht ht-4k flat typed typed-null typed-null-sorted snapshot-packed \
    snapshot-json snapshot-today; do
    vectors statehist $codec
    count "statehist/$codec: vectors"
done
echo "$passed passed, $failed failed: second readers"
[[ $failed = 0 ]]
