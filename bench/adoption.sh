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
nm -A --defined-only $scratch/members/*.o | sed -n 's/:.* [DR] / /p' >$scratch/symbols.txt

# link NAME OBJECT ROOT...: writes the live sections of a program that starts from these symbols, one `bytes object`
# per line.
link() {
    local name=$1 first=$2 roots=()
    shift 2
    for root in "$@"; do roots+=("-Wl,-u,$root"); done
    gcc -fuse-ld=lld -nostartfiles -Wl,-e,"$1" "${roots[@]}" -Wl,--gc-sections,--as-needed,-O0,-s \
        -Wl,-Map="$name.map" "$first" $scratch/all.a "${libraries[@]}" -o "$name.bin"
    sed -nE 's/^ *[^ ]+ +[^ ]+ +([^ ]+) .*[(\/]([^ ()\/]+\.o)\)?:\(\.(text|rodata|data|init_array).*/\1 \2/p' "$name.map" |
        while read -r nbytes object; do
            [[ $nbytes = 0 || ! -e $scratch/members/$object ]] || echo "$((0x$nbytes)) ${object//!//}"
        done >"$name.live"
}

# The contributing sources and the project's headers that they include, one per line.
files_of() { # NAME.live
    awk '{print $2}' "$1" | sort -u | while read -r object; do
        tr -s ' \\' '\n' <"$objects_folder/${object%.o}.d" | grep -E '^[a-z][^:]*\.(c|cc|h)$' || true
    done | sort -u
}

lines_of() { files_of "$1" | xargs cat | wc -l; }
bytes_of() { awk '{n += $1} END {print n + 0}' "$1"; }

measure() { # FORMAT CODEC
    local name=$1/$2 symbol=$1_${2//[-+]/_} base own part roots libraries_of
    own=$(awk -v s="$symbol" '$2 == s {print $1}' $scratch/symbols.txt)
    [[ $own ]] || { echo "adoption: $name: no object defines $symbol" >&2; exit 1; }
    base=$scratch/$symbol
    readelf -rW "$own" | awk -v symbol="$symbol" '
        NR == FNR {field[$2] = $1; next}
        /^Relocation section/ {inside = $3 ~ "\\.rela\\.data[a-z.]*\\." symbol "\x27$"}
        inside && $1 in field {sub(/^\.text\./, "", $5); print field[$1], $5}' $scratch/offsets.txt - >"$base.functions"
    # Static functions get a global name in a copy of the object, one that no library uses.
    nm "$own" | awk '$2 == "t" {print $3, "adopted_" $3}' >"$base.names"
    mkdir "$base"
    objcopy --redefine-syms="$base.names" "$own" "$base/${own##*/}"
    objcopy --globalize-symbol='adopted_*' --wildcard "$base/${own##*/}"
    link "$base-all" "$own" "$symbol"
    for part in 'query open|query' 'decode decode' 'encode encode|reduce'; do
        mapfile -t roots < <(awk -v p="^(${part#* })\$" 'NR == FNR {global[$1] = $2; next}
            $1 ~ p {print $2 in global ? global[$2] : $2}' "$base.names" "$base.functions")
        link "$base-${part%% *}" "$base/${own##*/}" "${roots[@]}"
    done
    libraries_of=$(readelf -dW "$base-all.bin" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' |
        grep -vE '^(libc|libm|libgcc_s|libstdc\+\+)$' | sort | paste -sd ' ' || true)
    printf '%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n' "$1" "$2" "$(files_of "$base-all.live" | wc -l)" \
        "$(lines_of "$base-all.live")" "$(lines_of "$base-query.live")" "$(lines_of "$base-encode.live")" \
        "$(bytes_of "$base-all.live")" "$(bytes_of "$base-query.live")" "$(bytes_of "$base-decode.live")" \
        "$(bytes_of "$base-encode.live")" "${libraries_of:--}" >"$base.tsv"
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
