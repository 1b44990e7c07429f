#!/bin/bash
# Exchanges AutoFDO profiles with the field's own programs: gcc-12 compiles with ours, every installed llvm-profdata
# and autofdo's dump_gcov print them, and what one of them reads in silence although it is damaged, we refuse.
#
#   corpora/import/test_real_autofdo.sh
#
# Needs xz and jq; gcc-12, llvm-profdata and dump_gcov (Debian: autofdo), each for its part; no network. A part whose
# program is missing is reported, which fails a step of CI. BAKEOFF and OUT override where the program is and
# where files go. Exit 0: all passed; 1: a comparison failed; 77: nothing could run.
. "$(dirname "$0")/real.sh" autofdo "xz-utils jq" xz jq
sources=corpora/import/testdata/sampled

# True when the program is installed. Otherwise prints a line, with which a step of CI fails.
have() { # PROGRAM PACKAGE WHAT
    command -v "$1" >/dev/null && return
    echo "note: not run: $3: $1 is not installed (Debian: $2)"
    return 1
}

# Removes everything that LLVM and older versions cannot represent.
plain() { # text
    grep -v '^#@' "$1"
}

import_to() { # source text
    "$bakeoff" import autofdo "$1" -o "$2"
}

encode() { # codec text file
    "$bakeoff" encode "autofdo/$1" --raw "$2" -o "$3"
}

# ---- the documents and their original files -------------------------------------------------

names=$(jq -r '.documents[] | select(.format == "autofdo" and .embedded) | .name' \
    corpora/manifest.json)
check "there are profiles" test "$(wc -w <<<"$names")" -ge 6
for name in $names; do
    xz -dc "corpora/autofdo/$name.txt.xz" >"$out/$name.txt"
    plain "$out/$name.txt" >"$out/$name.plain.txt"
    check "$name: import of the text" import_to "$out/$name.txt" "$out/$name.again.txt"
    check "$name: it is canonical" cmp "$out/$name.again.txt" "$out/$name.txt"
    check "$name: in version 0x3430372a" encode gcov-v407 "$out/$name.txt" "$out/$name.v407.gcov"
    check "$name: our file, imported" import_to "$out/$name.v407.gcov" "$out/$name.v407.txt"
    check "$name: what it holds of the text" cmp "$out/$name.v407.txt" "$out/$name.plain.txt"
done

same_nbytes() { # file file
    test "$(stat -c %s "$1")" = "$(stat -c %s "$2")"
}

is_document() { # version text name
    case $1 in
    v3) cmp "$2" "$out/$3.txt" ;;
    *) cmp "$2" "$out/$3.plain.txt" ;;
    esac
}

# Each real file equals its document, and the codec of its version reads and writes it. Only the order of callsites
# may differ, which is that of a hash table in the files; one file has two names twice.
while IFS=$'\t' read -r file name; do
    version=${file%.gcov.xz} version=${version##*.}
    real=$out/$name.real-$version.gcov
    xz -dc "corpora/$file" >"$real"
    check "$file: import" import_to "$real" "$out/real.txt"
    check "$file: is $name" is_document "$version" "$out/real.txt" "$name"
    check "$file: decode" "$bakeoff" decode "autofdo/gcov-$version" --raw "$real" -o "$out/real.txt"
    check "$file: decodes to $name" is_document "$version" "$out/real.txt" "$name"
    check "$file: encode" encode "gcov-$version" "$out/$name.txt" "$out/real.gcov"
    [ "$file" = autofdo/gcov/leveldb_callgrind.v3.gcov.xz ] ||
        check "$file: as many bytes" same_nbytes "$real" "$out/real.gcov"
done < <(jq -r '.vectors[] | select(.file | startswith("autofdo/")) | [.file, .document] | @tsv' \
    corpora/manifest.json)

# ---- gcc ----------------------------------------------------------------------------------------

# Compiles with a profile; gcc's data for each function goes to $out/gcc.dump.
gcc_with() { # profile
    rm -rf "$out/gcc" && mkdir -p "$out/gcc" || return
    gcc-12 -O2 -g -fauto-profile="$1" -fdump-ipa-whole-program -c $sources/program.c \
        -dumpdir "$out/gcc/" -o "$out/gcc/program.o" &&
        cat "$out"/gcc/*.whole-program >"$out/gcc.dump"
}

gcc_is_silent() { # profile
    gcc_with "$1" >"$out/said.gcc" 2>&1 && [ ! -s "$out/said.gcc" ]
}

# Searches in a function's part of the dump.
dump_says() { # function PATTERN
    awk -v name="$1" '$0 ~ "^[a-z]+/[0-9]+ " { on = index($0, name "/") == 1 } on' "$out/gcc.dump" |
        grep -E "$2"
}

# With one byte changed, gcc compiles or crashes; bakeoff must reject the file with the offset.
damaged() { # what byte's-offset value offset-of-the-error
    cp "$out/program.gcov" "$out/damaged.gcov"
    printf "\\x$3" | dd of="$out/damaged.gcov" bs=1 seek="$2" conv=notrunc status=none
    check "$1: gcc does not see it" gcc_is_blind "$out/damaged.gcov"
    check "$1: import says where" fails_saying "at byte $4 (" \
        "$bakeoff" import autofdo "$out/damaged.gcov"
    check "$1: decode says where" fails_saying "at byte $4 (" \
        "$bakeoff" decode autofdo/gcov-v2 --raw "$out/damaged.gcov"
}

# gcc prints nothing about the profile, or an internal error.
gcc_is_blind() { # profile
    gcc_is_silent "$1" || grep 'internal compiler error' "$out/said.gcc"
}

if have gcc-12 gcc-12 "compiling with our profiles"; then
    check "program: version 2" encode gcov-v2 $sources/program.txt "$out/program.gcov"
    check "gcc compiles with it" gcc_with "$out/program.gcov"
    while read -r name head; do
        check "gcc: $name runs $head times" \
            dump_says "$name" "Function flags: count:$head \(auto FDO\)"
    done < <(sed -nE 's/^([a-z]+):[0-9]+:([0-9]+)$/\1 \2/p' $sources/program.txt)
    check "gcc: choose calls odd 700 times" \
        dump_says choose 'Calls: .*odd/[0-9]+ \(700 \(auto FDO\)'
    check "gcc: choose calls even 500 times" \
        dump_says choose 'Calls: .*even/[0-9]+ \(500 \(auto FDO\)'
    check "gcc: choose calls again 64000 times" \
        dump_says choose 'Calls: .*again/[0-9]+ \(64000 \(auto FDO\)'
    check "program: version 3" encode gcov-v3 $sources/program.txt "$out/program.v3.gcov"
    check "gcc-12 reads no version 3" grep 'version 3 does not match 2' \
        <(gcc_with "$out/program.v3.gcov" 2>&1)
    for name in $names; do
        check "$name: version 2" encode gcov-v2 "$out/$name.txt" "$out/$name.v2.gcov"
        check "$name: gcc reads it" gcc_with "$out/$name.v2.gcov"
    done
    # Past the end, gcc reads zeros.
    nbytes=$(stat -c %s "$out/program.gcov")
    for n in 150 $((nbytes / 4)) $((nbytes - 1600)) $((nbytes - 1)); do
        head -c "$n" "$out/program.gcov" >"$out/cut.gcov"
        check "cut at $n of $nbytes: gcc says nothing" \
            gcc_is_silent "$out/cut.gcov"
        check "cut at $n: import says where" fails_saying \
            'cut.gcov: .* at byte [0-9]* (truncated)' "$bakeoff" import autofdo "$out/cut.gcov"
        check "cut at $n: decode says where" fails_saying \
            'cut.gcov: .* at byte [0-9]* (truncated)' \
            "$bakeoff" decode autofdo/gcov-v2 --raw "$out/cut.gcov"
    done
    # The first function: u64 head, u32 name, records, callsites; then u32 place, targets, u64
    # count.
    section=$(LC_ALL=C grep -obUaP '\x00\x00\x00\xac' "$out/program.gcov" | cut -d : -f 1)
    head=$((section + 12)) count=$((section + 40))
    damaged "a name that is not there" $((head + 8)) 77 $((head + 8))
    damaged "a negative count" $((count + 7)) ff "$count"
    damaged "a histogram too many" $((count - 4)) 01 $((count + 8))
fi

# ---- llvm-profdata -------------------------------------------------------------------------------

prints_as() { # tool source text
    "$1" merge --sample --text "$2" -o "$out/llvm.txt" && cmp "$out/llvm.txt" "$3"
}

writes_text_of() { # tool text options...: LLVM's binary file of the text; imported, it is the text
    local tool=$1 text=$2
    shift 2
    "$tool" merge --sample "$@" "$text" -o "$out/llvm.afdo" &&
        import_to "$out/llvm.afdo" "$out/imported.txt" && plain "$text" | cmp - "$out/imported.txt"
}

tools=$(for v in 14 15 16 17 18 19 20 21 22; do command -v llvm-profdata-$v; done)
[ -n "$tools" ] || tools=$(command -v llvm-profdata)
newest=${tools##*$'\n'}
have "${newest:-llvm-profdata}" llvm "LLVM's reading" && for tool in $tools; do
    with=${tool##*/}
    for name in $names; do
        check "$name: $with prints our 0x3430372a as we do" \
            prints_as "$tool" "$out/$name.v407.gcov" "$out/$name.plain.txt"
        check "$name: $with prints our text unchanged" \
            prints_as "$tool" "$out/$name.txt" "$out/$name.plain.txt"
        check "$name: binary by $with" writes_text_of "$tool" "$out/$name.txt" --binary
        check "$name: extbinary by $with" writes_text_of "$tool" "$out/$name.txt" --extbinary
        check "$name: packed extbinary by $with" writes_text_of "$tool" "$out/$name.txt" \
            --extbinary --compress-all-sections
    done
    nbytes=$(stat -c %s "$out/llvm.afdo")
    head -c $((nbytes / 2)) "$out/llvm.afdo" >"$out/cut.afdo"
    mkdir -p "$out/$with" && ln -sf "$tool" "$out/$with/"
    check "a cut profile: what $with says" fails_saying 'cut.afdo: llvm-profdata: ' \
        env PATH="$out/$with" "$bakeoff" import autofdo "$out/cut.afdo"
done

# ---- GUIDs in the place of names, and the compact form, which no version after 16 has --------------

reads_guids() { # text: the import has the GUIDs that the codec finds in the same file
    llvm-profdata-22 merge --sample --extbinary --use-md5 --split-layout "$1" -o "$out/md5.afdo" &&
        "$bakeoff" decode --raw autofdo/extbinary-md5-split "$out/md5.afdo" -o "$out/guids.txt" &&
        import_to "$out/md5.afdo" "$out/imported.txt" && cmp "$out/imported.txt" "$out/guids.txt"
}
reads_compact() { # text: its GUIDs are those of the extensible form
    llvm-profdata-14 merge --sample --compbinary "$1" -o "$out/compact.afdo" &&
        llvm-profdata-14 merge --sample --extbinary --use-md5 "$1" -o "$out/md5.afdo" &&
        import_to "$out/md5.afdo" "$out/guids.txt" && grep -q '^guid\.' "$out/guids.txt" &&
        import_to "$out/compact.afdo" "$out/imported.txt" && cmp "$out/imported.txt" "$out/guids.txt"
}
have llvm-profdata-22 llvm-22 "GUIDs" && for name in $names; do
    check "$name: GUIDs by llvm-profdata-22" reads_guids "$out/$name.txt"
done
if have llvm-profdata-14 llvm-14 "the compact form"; then
    for name in $names; do
        check "$name: compact by llvm-profdata-14" reads_compact "$out/$name.txt"
    done
    have llvm-profdata-22 llvm-22 "the compact form without LLVM 14" &&
        check "the compact form without LLVM 14" fails_saying 'llvm-profdata 16 or earlier' \
            env PATH="$out/llvm-profdata-22" "$bakeoff" import autofdo "$out/compact.afdo"
fi

# From LLVM's file through each codec that holds all of it, and back to LLVM.
through() { # codec
    import_to "$out/real.afdo" "$out/through.txt" &&
        "$bakeoff" encode "$1" "$out/through.txt" -o "$out/through.bin" &&
        "$bakeoff" decode "$1" "$out/through.bin" -o "$out/through.txt" &&
        prints_as "$newest" "$out/through.txt" "$out/leveldb-callgrind.plain.txt"
}

# Profiles that must not be in the repository, if available: LLVM must read our file as we do.
external() { # path
    encode gcov-v407 "$1" "$out/external.gcov" &&
        import_to "$out/external.gcov" "$out/external.txt" &&
        prints_as "$newest" "$out/external.gcov" "$out/external.txt"
}

if [ -n "$newest" ]; then
    "$newest" merge --sample --extbinary "$out/leveldb-callgrind.txt" -o "$out/real.afdo"
    codecs=$("$bakeoff" list codecs --json |
        jq -r '.[] | select(.format == "autofdo" and (.lossy | not)) | "autofdo/\(.codec)"')
    check "there are codecs" test "$(wc -w <<<"$codecs")" -ge 5
    for codec in $codecs; do
        check "$codec: from LLVM to LLVM" through "$codec"
    done
    while read -r path; do
        check "$path: LLVM prints it as we do" external "$path"
    done < <("$bakeoff" list corpora --json | jq -r '.[] | select(.format == "autofdo" and
        .state == "external") | .path')
fi

printf '\204\344\320\261\364\311\224\250\123 and more' >"$out/magic.afdo"
mkdir -p "$out/no-tools"
check "without llvm-profdata: its package" fails_saying 'not installed (Debian: llvm)' \
    env PATH="$out/no-tools" "$bakeoff" import autofdo "$out/magic.afdo"

# ---- the bytes of llvm-profdata 22 ---------------------------------------------------------------

# CODEC PASSES OPTIONS...: our bytes of $text must equal those that llvm-profdata-22 writes in this many passes.
writes_bytes_of_llvm() {
    local codec=$1 passes=$2 from=$text i
    shift 2
    for ((i = 0; i < passes; i++)); do
        llvm-profdata-22 merge --sample --extbinary "$@" "$from" -o "$out/theirs.$i" || return
        from=$out/theirs.$i
    done
    encode "$codec" "$text" "$out/ours.bin" 2>/dev/null && "${same:-cmp}" "$out/ours.bin" "$from"
}

# Zlib's bytes depend on its version: compares the section tables without offsets and sizes, and the contents.
same_unpacked() { # file file
    python3 - "$@" <<'END'
import struct, sys, zlib
def unpacked(path):
    data = open(path, "rb").read()
    parts = [data[:18]]
    for i in range(7):
        kind, flags, off, size = struct.unpack_from("<4Q", data, 18 + 32 * i)
        section, n = data[off:off + size], 0
        while size and n < 2:  # two varints
            n += section[0] < 128
            section = section[1:]
        parts.append((kind, flags, zlib.decompress(section) if size else b""))
    return parts
sys.exit(unpacked(sys.argv[1]) != unpacked(sys.argv[2]))
END
}

reads_from_names() { # what LLVM makes of names is the same profile as what it makes of GUIDs
    "$bakeoff" decode --raw autofdo/extbinary-md5-split "$out/theirs.0" -o "$out/names.txt" &&
        "$bakeoff" decode --raw autofdo/extbinary-md5-split "$out/theirs.1" -o "$out/guids.txt" &&
        cmp "$out/names.txt" "$out/guids.txt"
}

have llvm-profdata-22 llvm-22 "the bytes of LLVM 22" && for name in $names; do
    text=$out/$name.txt
    check "$name: extbinary" writes_bytes_of_llvm extbinary 1
    check "$name: extbinary-md5-split" writes_bytes_of_llvm extbinary-md5-split 2 --use-md5 --split-layout
    check "$name: GUIDs in the order of names" reads_from_names
    if "$bakeoff" list codecs | grep -q extbinary-zlib; then
        same=same_unpacked check "$name: extbinary-zlib" writes_bytes_of_llvm extbinary-zlib 1 \
            --compress-all-sections
    fi
done

# ---- dump_gcov -----------------------------------------------------------------------------------

# One line a line of the text, with its number and depth, and one a target, sorted: dump_gcov
# indents by 2, has other orders for targets of one count, cuts their names at dots, and leaves out
# instances in which nothing was counted.
outline() { # indentation: of standard input
    awk -v per="$1" '
        {
            match($0, /^ */)
            depth = RLENGTH / per
            line = substr($0, RLENGTH + 1)
            sub(/ total:/, ":", line)
            sub(/ head:/, ":", line)
            rest = ""
            if (line !~ /^[0-9.]+: [0-9]/ && line ~ /:0$/)
                next
            n++
            if (depth && match(line, /^[0-9.]+: [0-9]+ +/)) {
                rest = substr(line, RLENGTH + 1)
                line = substr(line, 1, RLENGTH)
            }
            sub(/ +$/, "", line)
            printf "%08d %d %s\n", n, depth, line
            while (match(rest, /:[0-9]+( +|$)/)) {
                name = substr(rest, 1, RSTART - 1)
                count = substr(rest, RSTART, RLENGTH)
                rest = substr(rest, RSTART + RLENGTH)
                sub(/\..*/, "", name)
                sub(/ +$/, "", count)
                printf "%08d ~%s%s\n", n, name, count
            }
        }' | LC_ALL=C sort
}

dumps_as() { # text file options...
    outline 1 <"$1" >"$out/ours.outline" && dump_gcov "${@:3}" "$2" 2>"$out/said.dump" |
        outline 2 >"$out/dump.outline" && [ -s "$out/ours.outline" ] &&
        diff "$out/ours.outline" "$out/dump.outline"
}

if have dump_gcov autofdo "autofdo's reading"; then
    for name in $names; do
        check "$name: dump_gcov reads our 0x3430372a" \
            dumps_as "$out/$name.plain.txt" "$out/$name.v407.gcov"
        # The same layout under version 1, which gcc-11 reads.
        { head -c 4 "$out/$name.v407.gcov" && printf '\1\0\0\0' &&
            tail -c +9 "$out/$name.v407.gcov"; } >"$out/$name.v1.gcov"
        check "$name: dump_gcov reads version 1" \
            dumps_as "$out/$name.plain.txt" "$out/$name.v1.gcov" --gcov_version=1
        check "$name: import of version 1" import_to "$out/$name.v1.gcov" "$out/v1.txt"
        check "$name: version 1 is the same" cmp "$out/v1.txt" "$out/$name.plain.txt"
    done
fi

conclude
