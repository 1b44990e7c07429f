#!/usr/bin/env bash
# Measures the cost of adopting a codec: all code that it needs besides libc, as determined by the linker.
#
#   bench/adoption.sh OBJECT-FOLDER OUTPUT.tsv OBJECT... -- LIBRARY-FLAG...
#
# Links, for each codec of build/bakeoff, a program of nothing but this codec and what its functions reach
# (--gc-sections), and sums up the link map: bytes of code, constants and initialised data, and the lines of the
# source files that contribute a section, with the project's headers that they include. Three more programs hold the
# query functions (open, query), the decoder (decode) and the encoder (encode, reduce) alone; what two of them share
# is in both. Needs lld, and objects with a section per function. Libraries other than libc are named, not counted;
# xxHash is compiled in: its code counts, its header's lines do not.
set -euo pipefail
shopt -s inherit_errexit # a link that fails in $(...) ends the script
objects_folder=$1 output=$2
shift 2
objects=()
while [[ $1 != -- ]]; do objects+=("$1"); shift; done
shift
libraries=("$@")
scratch=build/adoption
rm -rf $scratch
mkdir -p $scratch "$(dirname "$output")"

# Where struct bo_codec has its functions, in hexadecimal.
gcc -std=gnu11 -I. -x c -o $scratch/offsets - <<'C'
#include <stdio.h>
#include "harness/codec.h"
int main(void)
{
    printf("open %016zx\nquery %016zx\ndecode %016zx\nencode %016zx\nreduce %016zx\n",
           offsetof(struct bo_codec, open), offsetof(struct bo_codec, query),
           offsetof(struct bo_codec, decode), offsetof(struct bo_codec, encode),
           offsetof(struct bo_codec, reduce));
}
C
$scratch/offsets >$scratch/offsets.txt

# An archive, so that only needed members are linked. A member's name is its path, with ! for /.
mkdir $scratch/members
for object in "${objects[@]}"; do
    path=${object#"$objects_folder"/}
    ln -s "$PWD/$object" "$scratch/members/${path//\//!}"
done
ar rcs $scratch/all.a $scratch/members/*.o
# `object type name` of each symbol. Once for all objects: nm starts slowly where it has plugins.
nm -A --defined-only $scratch/members/*.o | sed 's/:[0-9a-f]* / /' >$scratch/symbols.txt

# The sources of each object, with the project's headers that they include: `object source` lines; the lines of each.
for object in "${objects[@]}"; do
    tr -s ' \\' '\n' <"${object%.o}.d" | awk -v object="${object#"$objects_folder"/}" '
        /^[a-z][^:]*\.(c|cc|h)$/ && !seen[$0]++ {print object, $0}'
done >$scratch/sources.txt
cut -d ' ' -f 2 $scratch/sources.txt | sort -u | xargs wc -l | awk '$2 != "total"' >$scratch/lines.txt

# link NAME OBJECT ROOT...: links a program that starts from these symbols, and prints the files that contribute a live
# section, their lines, and the bytes of these sections.
link() {
    local name=$1 first=$2 roots=()
    shift 2
    for root in "$@"; do roots+=("-Wl,-u,$root"); done
    gcc -fuse-ld=lld -nostartfiles -Wl,-e,"$1" "${roots[@]}" -Wl,--gc-sections,--as-needed,-O0,-s,--threads=1 \
        -Wl,-Map="$name.map" "$first" $scratch/all.a "${libraries[@]}" -o "$name.bin"
    awk 'function number(hex, n, i) {
            for (i = 1; i <= length(hex); i++) n = 16 * n + index("123456789abcdef", substr(hex, i, 1))
            return n + 0
        }
        FNR == 1 {input++}
        input == 1 {n_lines[$2] = $1; next}
        input == 2 {sources[$1] = sources[$1] " " $2; next}
        /[(\/][^ ()\/]+\.o\)?:\(\.(text|rodata|data|init_array)/ {
            object = $0
            sub(/\)?:\(\..*/, "", object)
            sub(/.*[(\/]/, "", object)
            gsub(/!/, "/", object)
            if (number($3) == 0 || !(object in sources)) next
            bytes += number($3)
            n = split(sources[object], its_sources, " ")
            for (i = 1; i <= n; i++)
                if (!counted[its_sources[i]]++) {files++; lines += n_lines[its_sources[i]]}
        }
        END {print files + 0, lines + 0, bytes + 0}' $scratch/lines.txt $scratch/sources.txt "$name.map"
}

measure() { # FORMAT CODEC
    local name=$1/$2 symbol=$1_${2//[-+]/_} base own part roots libraries_of all
    local -A of=()
    own=$(awk -v s="$symbol" '$3 == s && $2 ~ /[DR]/ {print $1}' $scratch/symbols.txt)
    [[ $own ]] || { echo "adoption: $name: no object defines $symbol" >&2; exit 1; }
    base=$scratch/$symbol
    readelf -rW "$own" | awk -v symbol="$symbol" '
        NR == FNR {field[$2] = $1; next}
        /^Relocation section/ {inside = $3 ~ "\\.rela\\.data[a-z.]*\\." symbol "\x27$"}
        inside && $1 in field {sub(/^\.text\./, "", $5); print field[$1], $5}' $scratch/offsets.txt - >"$base.functions"
    # Static functions get a global name in a copy of the object, one that no library uses.
    awk -v own="$own" '$1 == own && $2 == "t" {print $3, "adopted_" $3}' $scratch/symbols.txt >"$base.names"
    mkdir "$base"
    objcopy --redefine-syms="$base.names" "$own" "$base/${own##*/}"
    objcopy --globalize-symbol='adopted_*' --wildcard "$base/${own##*/}"
    all=$(link "$base-all" "$own" "$symbol")
    for part in 'query open|query' 'decode decode' 'encode encode|reduce'; do
        mapfile -t roots < <(awk -v p="^(${part#* })\$" 'NR == FNR {global[$1] = $2; next}
            $1 ~ p {print $2 in global ? global[$2] : $2}' "$base.names" "$base.functions")
        of[${part%% *}]=$(link "$base-${part%% *}" "$base/${own##*/}" "${roots[@]}")
    done
    libraries_of=$(readelf -dW "$base-all.bin" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' |
        grep -vE '^(libc|libm|libgcc_s|libstdc\+\+)$' | sort | paste -sd ' ' || true)
    awk -v format="$1" -v codec="$2" -v libraries="${libraries_of:--}" -v OFS='\t' '
        {files[NR] = $1; lines[NR] = $2; bytes[NR] = $3}
        END {
            print format, codec, files[1], lines[1], lines[2], lines[4],
                bytes[1], bytes[2], bytes[3], bytes[4], libraries
        }' <<<"$all"$'\n'"${of[query]}"$'\n'"${of[decode]}"$'\n'"${of[encode]}" >"$base.tsv"
}

build/bakeoff list codecs --json | jq -r '.[] | .format + " " + .codec' >$scratch/codecs.txt
while read -r format codec; do
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
    measure "$format" "$codec" &
done <$scratch/codecs.txt
while [[ $(jobs -rp) ]]; do wait -n; done
{
    echo "# Bytes are of $(gcc --version | head -n 1), $(uname -m). Made by \`make adoption\`."
    printf '#format\tcodec\tfiles\tlines\tquery lines\tencode lines\tbytes\tquery bytes\tdecode bytes\tencode bytes\tlibraries\n'
    while read -r format codec; do
        cat "$scratch/${format}_${codec//[-+]/_}.tsv"
    done <$scratch/codecs.txt
} >"$output.tmp"
mv "$output.tmp" "$output"
