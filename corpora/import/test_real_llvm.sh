#!/bin/bash
# Exchanges profiles with LLVM's own program in both directions, for every embedded profile and for programs that this
# test builds and runs.
#
#   corpora/import/test_real_llvm.sh
#
# Needs clang, llvm-profdata, xz and jq; llvm-profdata-19 and -22 where their bytes are compared with ours; no
# network. BAKEOFF and OUT override where the program is and where files go. Exit 0: all passed; 1: a comparison
# failed; 77: could not run.
. "$(dirname "$0")/real.sh" llvm "clang llvm xz-utils jq" clang clang++ llvm-profdata xz jq
sources=corpora/import/testdata/profiled

# ---- one line per function: name, hash, number of counters, counters -------------------------------

# From the text form, numbers as they are.
table_of_text() { # file
    awk -v OFS='\t' '
        function flush() { if (state > 0) print name, hash, n, counters }
        /^#/ { next }
        /^$/ { flush(); state = 0; next }
        { state++ }
        state == 1 { name = $0; counters = "" }
        state == 2 { hash = $0 }
        state == 3 { n = $0 }
        state > 3 { counters = counters " " $0 }
        END { flush() }' "$1" | LC_ALL=C sort
}

# From `llvm-profdata show --all-functions --counts`, whose hashes are hexadecimal.
table_of_show() { # file
    awk '/^    Hash: / { print $2 }' "$1" | xargs -r printf '%u\n' >"$1.hashes"
    awk -v OFS='\t' -v hashes="$1.hashes" '
        /^    Hash: / { getline hash <hashes; next }
        /^    Counters: / { n = $2; next }
        /^    Function count: / { counters = " " $3; next }
        /^    Block counts: / {
            sub(/^    Block counts: \[/, ""); sub(/\]$/, ""); gsub(/, /, " ")
            print name, hash, n, counters ($0 == "" ? "" : " " $0)
            next
        }
        /^  / { name = substr($0, 3, length($0) - 3) }' "$1" | LC_ALL=C sort
}

# LLVM must read a text, function by function, as written.
shown_as_written() { # text profdata
    llvm-profdata show --all-functions --counts "$2" >"$out/show" &&
        table_of_show "$out/show" >"$out/show.table" && table_of_text "$1" >"$out/text.table" &&
        [ -s "$out/text.table" ] && diff "$out/text.table" "$out/show.table"
}

same_functions() { # text text: whatever their order
    table_of_text "$1" >"$out/a.table" && table_of_text "$2" >"$out/b.table" &&
        [ -s "$out/a.table" ] && diff "$out/a.table" "$out/b.table"
}

# ---- every embedded profile ----------------------------------------------------------------------

# Converts our text to LLVM's binary form and its text, and back to the same bytes.
exchange() { # name text
    local name=$1 ours=$out/$1.ours.proftext
    check "$name: import of the text" "$bakeoff" import lprf "$2" -o "$ours"
    check "$name: LLVM reads our text" llvm-profdata merge -o "$out/$name.profdata" "$ours"
    check "$name: LLVM prints it" llvm-profdata merge --text -o "$out/$name.llvm.proftext" \
        "$out/$name.profdata"
    check "$name: import of LLVM's text" "$bakeoff" import lprf "$out/$name.llvm.proftext" \
        -o "$out/$name.again.proftext"
    check "$name: the same text" cmp "$out/$name.again.proftext" "$out/$name.llvm.proftext"
    check "$name: the same functions" same_functions "$out/$name.again.proftext" "$ours"
    check "$name: names, hashes, counters" shown_as_written "$ours" "$out/$name.profdata"
    check "$name: import of .profdata" "$bakeoff" import lprf "$out/$name.profdata" \
        -o "$out/$name.profdata.proftext"
    check "$name: .profdata means the same" cmp "$out/$name.profdata.proftext" \
        "$out/$name.llvm.proftext"
}

mkdir -p "$out/no-tools"
names=$(jq -r '.documents[] | select(.format == "lprf" and .embedded) | .name' \
    corpora/manifest.json)
check "there are profiles" test "$(wc -w <<<"$names")" -ge 5
for name in $names; do
    xz -dc "corpora/lprf/$name.proftext.xz" >"$out/$name.proftext"
    exchange "$name" "$out/$name.proftext"
    check "$name: it is canonical" cmp "$out/$name.ours.proftext" "$out/$name.proftext"
    check "$name: in LLVM's order" cmp "$out/$name.ours.proftext" "$out/$name.llvm.proftext"
done
check "dup_main has three functions of one name" \
    test "$(grep -c '^main$' "$out/dup_main.profdata.proftext")" = 3

# ---- LLVM's own format: the same bytes -----------------------------------------------------------

# LLVM 19 writes version 12, LLVM 22 version 13. They only differ in the version.
same_bytes() { # version-of-LLVM name: as `merge` writes
    "$bakeoff" encode --raw lprf/profdata "$out/$2.proftext" -o "$out/ours.profdata" &&
        llvm-profdata-$1 merge "$out/$2.proftext" -o "$out/theirs.profdata" &&
        cmp <(tail -c +10 "$out/ours.profdata") <(tail -c +10 "$out/theirs.profdata") &&
        cmp -n 8 "$out/ours.profdata" "$out/theirs.profdata" &&
        [ "$(od -An -tu1 -j8 -N1 "$out/theirs.profdata")" -eq $(($1 == 19 ? 12 : 13)) ] &&
        [ "$(od -An -tu1 -j8 -N1 "$out/ours.profdata")" -eq 13 ]
}
imports_alone() { # name: without any LLVM program
    PATH=$out/no-tools "$bakeoff" import lprf "$out/theirs.profdata" -o "$out/imported.proftext" &&
        cmp "$out/imported.proftext" "$out/$1.proftext"
}
shows() { # version-of-LLVM name: as many functions
    [ "$(llvm-profdata-$1 show --all-functions "$out/ours.profdata" | grep -c '^    Hash: ')" -eq \
        "$(grep -c '^# Func Hash:$' "$out/$2.proftext")" ]
}
for version in 19 22; do
    command -v llvm-profdata-$version >/dev/null || {
        echo "note: not run: the bytes of LLVM $version: no llvm-profdata-$version (Debian: llvm-$version)"
        continue
    }
    for name in $names; do
        check "$name: the bytes of LLVM $version" same_bytes $version "$name"
        check "$name: import of LLVM $version's bytes" imports_alone "$name"
        [ $version = 19 ] || check "$name: LLVM $version shows our bytes" shows $version "$name"
    done
done
if command -v llvm-profdata-22 >/dev/null; then
    printf x >>"$out/theirs.profdata"
    check "a profile that only LLVM reads" "$bakeoff" import lprf "$out/theirs.profdata" \
        -o "$out/imported.proftext"
    check "and reads the same" cmp "$out/imported.proftext" "$out/$name.proftext"
else
    echo "note: not run: a profile that only LLVM reads: llvm-profdata-22 is missing"
fi

# ---- programs of this test, from their counters to each codec and back -----------------------------

instrument() { # program compiler source flags
    local program=$out/$1 compiler=$2 source=$3
    shift 3
    "$compiler" "$@" -fprofile-instr-generate "$source" -o "$program" &&
        LLVM_PROFILE_FILE="$program.profraw" "$program"
}

check "the C program" instrument c clang $sources/program.c -O2
check "the C++ program" instrument cxx clang++ $sources/program.cc -O1 -std=c++17
check "their merge" llvm-profdata merge -o "$out/built.profdata" "$out/c.profraw" "$out/cxx.profraw"
check "import of .profraw" "$bakeoff" import lprf "$out/c.profraw" -o "$out/c.proftext"
check "LLVM's text of it" llvm-profdata merge --text -o "$out/c.llvm.proftext" "$out/c.profraw"
check ".profraw means the same" cmp "$out/c.proftext" "$out/c.llvm.proftext"
check "import of the merge" "$bakeoff" import lprf "$out/built.profdata" -o "$out/built.proftext"
check "a function that never ran" grep -A 7 '^program.c:never_called$' "$out/built.proftext"
check "a counter past 2^32" grep -x 19327352832 "$out/built.proftext"
check "two functions called main" test "$(grep -c '^main$' "$out/built.proftext")" = 2
llvm-profdata show --all-functions --counts "$out/built.profdata" >"$out/built.show"
table_of_show "$out/built.show" >"$out/built.table"
# LLVM orders its hash chains by the order of functions, so the comparison uses its own text, read again.
check "LLVM's text of the merge" llvm-profdata merge --text -o "$out/built.llvm.proftext" \
    "$out/built.profdata"
check "LLVM reads it again" llvm-profdata merge -o "$out/built.again.profdata" \
    "$out/built.llvm.proftext"

# LLVM must read one codec's bytes as it reads the programs' own profile.
through() { # codec
    local f=$out/codec
    "$bakeoff" encode "lprf/$1" "$out/built.proftext" -o "$f.bin" &&
        "$bakeoff" decode "lprf/$1" "$f.bin" -o "$f.proftext" &&
        cmp "$f.proftext" "$out/built.proftext" &&
        llvm-profdata merge -o "$f.profdata" "$f.proftext" &&
        cmp "$f.profdata" "$out/built.again.profdata" &&
        llvm-profdata show --all-functions --counts "$f.profdata" >"$f.show" &&
        table_of_show "$f.show" >"$f.table" && diff "$f.table" "$out/built.table"
}

codecs=$("$bakeoff" list codecs --json | jq -r '.[] | select(.format == "lprf").codec')
check "there are codecs" test -n "$codecs"
for codec in $codecs; do
    check "$codec: from the programs to LLVM" through "$codec"
done

# ---- merging ------------------------------------------------------------------------------------

merge_alike() { # name files: our merge has LLVM's functions
    local name=$1
    shift
    "$bakeoff" merge lprf "$@" -o "$out/$name.ours" &&
        llvm-profdata merge --text -o "$out/$name.llvm" "$@" &&
        same_functions "$out/$name.ours" "$out/$name.llvm"
}

check "merge of two programs" merge_alike merge-two "$out/c.llvm.proftext" "$out/built.proftext"
check "merge of profiles" merge_alike merge-real "$out/re2.proftext" "$out/protoc.proftext" \
    "$out/dup_main.proftext"

cat >"$out/high.proftext" <<'END'
high
1
4
18446744073709551614
18446744073709551615
6148914691236517205
6148914691236517206

END
printf 'high\n1\n4\n1\n1\n3\n18446744073709551615\n\n' >"$out/low.proftext"
check "merge near 2^64" merge_alike merge-high "$out/high.proftext" "$out/low.proftext"
check "merge saturates" test "$(grep -cx 18446744073709551615 "$out/merge-high.ours")" = 3
check "LLVM weighs three times" llvm-profdata merge --text -o "$out/weighted.llvm" \
    --weighted-input=3,"$out/high.proftext"
check "merge of the same three times" "$bakeoff" merge lprf "$out/high.proftext" \
    "$out/high.proftext" "$out/high.proftext" -o "$out/weighted.ours"
check "three times is weight three" same_functions "$out/weighted.ours" "$out/weighted.llvm"
printf 'high\n1\n2\n1\n1\n\n' >"$out/other.proftext"
# LLVM warns and leaves the second profile out; bakeoff rejects it.
check "LLVM minds other counts" grep 'high: .*counter mismatch' <(llvm-profdata merge --text \
    -o /dev/null "$out/high.proftext" "$out/other.proftext" 2>&1)
check "merge names the function" fails_saying high \
    "$bakeoff" merge lprf "$out/high.proftext" "$out/other.proftext"

# ---- files that are not profiles, and a missing llvm-profdata -----------------------------------------------------

nbytes=$(stat -c %s "$out/built.profdata")
for n in 500 20000 $((nbytes - 1)); do
    head -c "$n" "$out/built.profdata" >"$out/cut.profdata"
    check "a .profdata cut at $n" fails_saying \
        "cut.profdata: file ends before its index does at byte $n (truncated)" \
        "$bakeoff" import lprf "$out/cut.profdata"
done
{ head -c 8 "$out/built.profdata" && printf '\377' && tail -c +10 "$out/built.profdata"; } \
    >"$out/later.profdata"
check "a .profdata of another version: what LLVM says" fails_saying \
    'later.profdata: llvm-profdata: .*unsupported .* version' \
    "$bakeoff" import lprf "$out/later.profdata"
head -c 100 "$out/c.profraw" >"$out/cut.profraw"
check "a cut .profraw: what LLVM says" fails_saying 'cut.profraw: llvm-profdata: .*header is corrupt' \
    "$bakeoff" import lprf "$out/cut.profraw"
check "without llvm-profdata: its package" fails_saying 'not installed (Debian: llvm)' \
    env PATH="$out/no-tools" "$bakeoff" import lprf "$out/built.profdata"
mkdir -p "$out/limits"
printf '#!/bin/sh\nulimit -t >&2; ulimit -v >&2; ulimit -f >&2; exit 1\n' >"$out/limits/llvm-profdata"
chmod +x "$out/limits/llvm-profdata"
check "llvm-profdata has limits: s, KiB, blocks of 512 bytes" fails_saying ': llvm-profdata: 600;16777216;8388608 ' \
    env PATH="$out/limits" "$bakeoff" import lprf "$out/c.profraw"
newest=$(command -v llvm-profdata)
ln -sf "$newest" "$out/no-tools/llvm-profdata-15"
check "a name with a version does" env PATH="$out/no-tools" "$bakeoff" import lprf \
    "$out/built.profdata" -o "$out/versioned.proftext"
check "and reads the same" cmp "$out/versioned.proftext" "$out/built.proftext"

conclude
