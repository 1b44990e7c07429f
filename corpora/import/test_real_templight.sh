#!/bin/bash
# Converts traces of the installed clang through every codec and back, and exchanges Templight's messages with protoc
# in both directions, with names in every form.
#
#   corpora/import/test_real_templight.sh
#
# Needs clang, protoc and jq; no network. BAKEOFF and OUT override where the program is and where files go. Exit 0:
# all passed; 1: a comparison failed; 77: could not run.
. "$(dirname "$0")/real.sh" templight "clang protobuf-compiler jq" clang++ protoc jq
schema=(--proto_path=codecs/templight templight.proto)
message=TemplightTraceCollection

# ---- a trace of the installed clang, through every codec ------------------------------------------

trace() { # source
    clang++ -std=c++17 -Xclang -templight-dump -fsyntax-only "$1" >"$out/clang.yaml"
}

# The part that protocol buffers can hold: an End's origin is its Begin's.
without_own_origins() { # yaml
    awk '/^event:/ { is_begin = $2 == "Begin" }
        /^orig:/ { if (is_begin) open[++n] = $0; else $0 = open[n--] }
        { print }' "$1"
}

through() { # codec lossy
    local f=$out/$1
    "$bakeoff" encode "templight/$1" "$out/clang.yaml" -o "$f.bin" 2>"$f.note" &&
        "$bakeoff" decode "templight/$1" "$f.bin" -o "$f.yaml" || return 1
    if [ "$2" = true ]; then
        cmp "$f.yaml" "$out/reduced.yaml" && grep 'does not hold everything' "$f.note"
    else
        cmp "$f.yaml" "$out/clang.yaml" && ! test -s "$f.note"
    fi
}

check "clang's trace" trace corpora/import/testdata/traced/program.cpp
n_begins=$(grep -c '^event: *Begin$' "$out/clang.yaml")
check "it has records" test "$n_begins" -gt 500
check "it has names that are hard to split" test "$(grep -cE "^name: .*(operator<|operator->|'<'|lambda at)" \
    "$out/clang.yaml")" -ge 4
check "import" "$bakeoff" import templight "$out/clang.yaml" -o "$out/imported.yaml"
check "to the byte what clang printed" cmp "$out/imported.yaml" "$out/clang.yaml"
without_own_origins "$out/clang.yaml" >"$out/reduced.yaml"
check "Ends have origins of their own" test "$(cmp -l "$out/clang.yaml" "$out/reduced.yaml" 2>&1 | wc -l)" -gt 0
codecs=$("$bakeoff" list codecs --json | jq -r '.[] | select(.format == "templight") |
    "\(.codec) \(.lossy)"')
check "there are codecs" test -n "$codecs"
while read -r codec lossy; do
    check "$codec: clang's trace and back" through "$codec" "$lossy"
done <<<"$codecs"

# ---- protoc reads our messages, and bakeoff reads protoc's ---------------------------------------------------

decode() { # binary text
    protoc "--decode=$message" "${schema[@]}" <"$1" >"$2" 2>"$2.err" && ! test -s "$2.err"
}
encode() { # text binary
    protoc "--encode=$message" "${schema[@]}" <"$1" >"$2"
}

# The Begins' names, from protoc's output for plain and from clang's YAML.
names_of_plain() { # protoc's text
    awk -v quote="'" '
        function text(s) {
            sub(/^[^"]*"/, "", s); sub(/"$/, "", s)
            gsub(/\\'"'"'/, quote, s)
            gsub(/\\\\/, "\\", s)
            return s
        }
        /^        name: "/ { print text($0) }' "$1"
}
names_of_yaml() { # yaml
    awk '/^name:/ { name = substr($0, 18) }
        /^event: *Begin/ {
            if (name ~ /^'"'"'/) { name = substr(name, 2, length(name) - 2); gsub(/'"''"'/, "'"'"'", name) }
            print name
        }' "$1"
}
names_told() {
    names_of_plain "$out/plain.txt" >"$out/plain.names"
    names_of_yaml "$out/clang.yaml" >"$out/clang.names"
    [ "$(wc -l <"$out/plain.names")" = "$n_begins" ] && diff "$out/plain.names" "$out/clang.names"
}

exchange() { # codec
    local f=$out/$1.raw
    "$bakeoff" encode "templight/$1" "$out/clang.yaml" --raw -o "$f.bin" 2>/dev/null &&
        decode "$f.bin" "$out/$1.txt" &&
        [ "$(grep -c '^    begin {' "$out/$1.txt")" = "$n_begins" ] &&
        [ "$(grep -c '^    end {' "$out/$1.txt")" = "$(grep -c '^event: *End$' "$out/clang.yaml")" ] &&
        "$bakeoff" import templight "$f.bin" -o "$f.yaml" && cmp "$f.yaml" "$out/reduced.yaml"
}

# Makes protoc write all dictionary entries after the records.
late_names() { # codec
    local f=$out/$1.late
    encode "$out/$1.txt" "$f.bin" &&
        "$bakeoff" import templight "$f.bin" -o "$f.yaml" && cmp "$f.yaml" "$out/reduced.yaml"
}

for codec in dict dict-wiki flat plain; do
    check "$codec: protoc reads it, the importer, too" exchange "$codec"
    check "$codec: what protoc writes is imported" late_names "$codec"
done
check "plain: protoc's names are clang's" names_told
check "plain: protoc writes the same bytes" cmp "$out/plain.raw.bin" "$out/plain.late.bin"
check "dict: late names are refused by the sequential reader" fails_saying \
    "name refers to a dictionary entry that does not precede it" "$bakeoff" decode templight/dict --raw "$out/dict.late.bin"

# ---- files that bakeoff does not write -------------------------------------------------------------------

# Two traces, names in all forms, a kind that clang does not have.
cat >"$out/forms.txt" <<'END'
traces {
  header { version: 1 source_file: "a.cpp" }
  entries { begin { kind: Memoization
    name { compressed_name: "\170\332\053\056\111\261\262\052\113\115\056\311\057\262\051\106\142\147\346\225\330\331\001\000\245\370\012\344" }
    location { file_name: "a.cpp" file_id: 0 line: 3 column: 4 } time_stamp: 0.5 } }
  entries { begin { kind: TemplateInstantiation name { dict_id: 2 }
    location { file_id: 0 line: 5 } template_origin { file_name: "x\\y.h" file_id: 1 line: 6 column: 1 } } }
  entries { begin { kind: 11 name { name: "plain<'\\''>" } memory_usage: 3221225472 } }
  entries { end { time_stamp: 0.75 } }
  names { marked_name: "outer" }
  names { marked_name: "int" }
  names { marked_name: "\000::f<\000, \000>" marker_ids: [0, 1, 1] }
}
traces {
  header { version: 3 }
  entries { begin { kind: Memoization name { dict_id: 0 } } }
  entries { end { } }
  entries { end { memory_usage: 7 } }
  names { marked_name: "xyz" }
}
END
cat >"$out/forms.expected" <<'END'
# trace: {version: 1, source: a.cpp}
---
name:            'std::vector<std::vector<int>>'
kind:            Memoization
event:           Begin
orig:            ''
poi:             'a.cpp:3:4'
time:            0.5
---
name:            'outer::f<int, int>'
kind:            TemplateInstantiation
event:           Begin
orig:            'x\y.h:6:1'
poi:             'a.cpp:5:0'
---
name:            'plain<''\''''>'
kind:            DeclaringSpecialMember
event:           Begin
orig:            ''
poi:             ''
memory:          3221225472
---
name:            'plain<''\''''>'
kind:            DeclaringSpecialMember
event:           End
orig:            ''
poi:             ''
time:            0.75
# trace: {version: 3, source: ''}
---
name:            xyz
kind:            Memoization
event:           Begin
orig:            ''
poi:             ''
---
name:            xyz
kind:            Memoization
event:           End
orig:            ''
poi:             ''
---
event:           End
memory:          7
END
imports_as() { # text expected
    encode "$1" "$out/forms.bin" && "$bakeoff" import templight "$out/forms.bin" -o "$out/forms.yaml" &&
        diff "$out/forms.yaml" "$2"
}
check "names in all forms, two traces" imports_as "$out/forms.txt" "$out/forms.expected"

# The same from a schema with additional fields at every level, of every type.
sed -e 's/^message \(.*\) {$/&\n  optional bytes later_text = 90;\n  optional double later_time = 91;/' \
    -e 's/^  message \(.*\) {$/&\n    repeated fixed32 later_words = 92;\n    optional int64 later_number = 1900;/' \
    codecs/templight/templight.proto >"$out/later.proto"
sed -e 's/header {/& later_text: "what" later_time: 1/' -e 's/begin {/& later_words: [1, 2] later_number: -1/' \
    -e 's/name { /&later_time: 2 /' -e 's/location {/& later_text: ""/' -e 's/^traces {/& later_text: "\\000"/' \
    -e 's/^  names { /&later_time: 3 /' "$out/forms.txt" >"$out/later.txt"
imports_later() {
    protoc "--encode=$message" "--proto_path=$out" later.proto <"$out/later.txt" >"$out/later.bin" &&
        ! cmp -s "$out/later.bin" "$out/forms.bin" &&
        "$bakeoff" import templight "$out/later.bin" -o "$out/later.yaml" &&
        diff "$out/later.yaml" "$out/forms.expected"
}
check "fields of a later schema" imports_later

nbytes=$(stat -c %s "$out/forms.bin")
for n in 1 2 50 $((nbytes - 1)); do
    head -c "$n" "$out/forms.bin" >"$out/cut.bin"
    check "a file cut at $n" fails_saying '(truncated)$' "$bakeoff" import templight "$out/cut.bin"
done
nbytes=$(stat -c %s "$out/clang.yaml")
for n in 3 100 20000 $((nbytes - 1)) $((nbytes - 30)); do
    head -c "$n" "$out/clang.yaml" >"$out/cut.yaml"
    check "a text cut at $n" fails_saying "(truncated)\$" "$bakeoff" import templight - <"$out/cut.yaml"
done

# ---- clang's -ftime-trace ------------------------------------------------------------------------

# Each instantiation is a Begin with its name, in the order of starts. Children are inside their parents.
time_trace() {
    clang++ -std=c++17 -ftime-trace -ftime-trace-granularity=0 -c corpora/import/testdata/traced/program.cpp \
        -o "$out/program.o" && "$bakeoff" import templight "$out/program.json" -o "$out/time.yaml"
}
instantiations() { # FILE: names of the events
    jq -r '.traceEvents[] | select(.ph == "X" and (.name == "InstantiateClass" or .name == "InstantiateFunction")) |
        .args.detail' "$1" | LC_ALL=C sort
}
begins() { # YAML: names of the Begins, through protoc, which escapes quotes
    "$bakeoff" encode templight/plain --raw "$1" -o "$out/plain.bin" 2>/dev/null &&
        protoc "--decode=$message" "${schema[@]}" <"$out/plain.bin" | sed -n 's/^ *name: "\(.*\)"$/\1/p' |
        sed 's/\\\(.\)/\1/g' | LC_ALL=C sort
}
times_ascend() { # YAML
    awk '/^event:/ { is_begin = $2 == "Begin" }
        /^time:/ { if (is_begin && $2 < last) bad = 1; if (is_begin) last = $2; n++ }
        END { exit bad || n == 0 }' "$1"
}
check "-ftime-trace: import" time_trace
check "-ftime-trace: more than 100 instantiations" test "$(instantiations "$out/program.json" | wc -l)" -gt 100
check "-ftime-trace: a Begin for each" test "$(grep -c '^event: *Begin' "$out/time.yaml")" = \
    "$(instantiations "$out/program.json" | wc -l)"
check "-ftime-trace: an End for each" test "$(grep -c '^event: *End' "$out/time.yaml")" = \
    "$(instantiations "$out/program.json" | wc -l)"
check "-ftime-trace: the names" diff <(instantiations "$out/program.json") <(begins "$out/time.yaml")
check "-ftime-trace: Begins in the order of time" times_ascend "$out/time.yaml"

# ---- the same events in the formats of other tools ------------------------------------------------

row() { # NAME-OF-FORM: its numbers in the README, small_tuple, std_small, hana_fusion
    sed -n "s/^| \`$1\` |\([0-9 |]*\)|.*/\1/p" codecs/templight/README.md | tr -d '|'
}
sizes_are_published() {
    local form
    for form in time-trace.json time-trace-verbose.json begin-end.json perfetto.pb; do
        [ "$(row $form | xargs)" = "$(for t in small_tuple std_small hana_fusion; do
            awk -v form=$form '$2 == form { print $1 }' "$out/$t.forms"; done | xargs)" ] || return
    done
}
same_events() { # FILE TRACE: as many complete events as Begins
    [ "$(jq '[.traceEvents[] | select(.ph == "X" and .args.detail)] | length' "$1")" = \
        "$(grep -c '^event: *Begin$' "$2")" ]
}
if command -v python3 >/dev/null; then
    for file in corpora/templight/{small_tuple,std_small,hana_fusion}.yaml.*; do
        name=${file##*/} name=${name%%.*}
        case $file in *.xz) xz -dc "$file" ;; *) zstd -dcq "$file" ;; esac >"$out/$name.yaml"
        mkdir -p "$out/$name"
        python3 codecs/templight/other_traces.py "$out/$name.yaml" "$out/$name" >"$out/$name.forms"
    done
    check "sizes of other forms are those of the README" sizes_are_published
    check "the JSON has each Begin" same_events "$out/small_tuple/time-trace.json" "$out/small_tuple.yaml"
    check "the protobuf has a packet for each record, and two" test \
        "$(protoc --decode_raw <"$out/small_tuple/perfetto.pb" | grep -c '^1 {$')" = \
        "$(($(grep -c '^event: ' "$out/small_tuple.yaml") + 2))"
else
    echo "note: not run: other forms of traces: python3 is missing"
fi

conclude
