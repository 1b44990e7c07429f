#!/usr/bin/env bash
# Exports codecs of the roles `new` and `proposed` and builds the folders as a user would: test_export.sh [CODEC...].
# Without arguments: all of them (each index of lprf with one payload, in turn), whether those of other roles compile,
# and also prefixes, a reader alone, C++, other machines, threads, the fuzz target, and a plugin and a program built against an
# installed tree. Exits with 77 when the machine lacks something.
set -uo pipefail
for tool in jq python3 clang g++ pkg-config; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
bakeoff=${BAKEOFF:-$PWD/build/bakeoff} t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
include=(-isystem "$PWD/build/include")
# With optimisation, GCC 12 prints false warnings for some codecs, so strict builds do not optimise.
strict=(-std=c11 -pedantic -Wall -Wextra -Werror -O0 "${include[@]}")
passed=0 failed=0

holds() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$t/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $name"
        tail -n 8 "$t/log"
        return 1
    fi
}

export_to() { # CODEC DIR OPTION...: without the folder, nothing after it can be tested
    holds "export $1 ${*:3}" "$bakeoff" export "$1" -o "$2" "${@:3}" || exit 1
}
name_of() { echo "${1//[^a-z0-9]/_}"; }

# build DIR CODEC [PREFIX]: builds with both compilers and runs the vectors. Parts that all codecs of a format share
# are checked once.
declare -A checked=()
build() {
    local dir=$1 name files
    name=$3$(name_of "$2")
    files=("$dir/$name.c")
    holds "$2: vectors" make -s -C "$dir" test CC=gcc CFLAGS="${strict[*]}"
    if [[ ! ${checked[$3${2%/*}]:-} ]]; then
        files+=("$dir/check.c" "$dir/test.c")
        holds "$2: header as C++" g++ -Wall -Wextra -Werror -fsyntax-only -x c++ "$dir/$name.h"
    fi
    checked[$3${2%/*}]=1
    holds "$2: clang" clang "${strict[@]}" -fsyntax-only "${files[@]}"
}

codecs=("$@")
if ((!$#)); then
    payloads=(u64 varint packed) n_indexes=0 index=''
    for codec in $("$bakeoff" list codecs --json |
        jq -r '.[] | select(.role == "new" or .role == "proposed") | .format + "/" + .codec'); do
        if [[ $codec = *+* && ${codec%+*} != "$index" ]]; then
            index=${codec%+*}
            n_indexes=$((n_indexes + 1))
        fi
        [[ $codec = *+* && ${codec#*+} != "${payloads[n_indexes % 3]}" ]] || codecs+=("$codec")
    done
    codecs+=(lprf/phrases+packed lprf/fingerprints+packed) # the tests below use these
    mapfile -t codecs < <(printf '%s\n' "${codecs[@]}" | sort -u)
fi
for codec in "${codecs[@]}"; do
    mkdir -p "$t/${codec%/*}"
    export_to "$codec" "$t/$codec"
    build "$t/$codec" "$codec" ''
done
(($# == 0)) || { echo "$passed passed, $failed failed"; exit $((failed > 0)); }

# ---- codecs of other roles compile; those with libraries run their vectors; C++ is refused

while read -r codec optional; do
    folder=$t/other/$codec name=$(name_of "$codec")
    mkdir -p "${folder%/*}"
    if [[ $codec = lprf/marisa+* ]]; then
        holds "$codec: refused" bash -c '! "$0" export "$1" -o "$2" 2>"$2.err" && [[ ! -e $2 ]] &&
            grep -qx "bakeoff: export: the codec needs codecs/lprf/marisa/shim.h, which no C file implements" "$2.err"' \
            "$bakeoff" "$codec" "$folder"
        continue
    fi
    export_to "$codec" "$folder"
    if [[ $optional = true ]]; then
        holds "$codec: vectors" make -s -C "$folder" test CC=clang CFLAGS="${strict[*]}"
    else
        holds "$codec: clang" clang "${strict[@]}" -fsyntax-only "$folder/$name.c"
    fi
done < <("$bakeoff" list codecs --json | jq -r '.[] | select(.role != "new" and .role != "proposed")
    | "\(.format)/\(.codec) \(.optional)"')

# ---- the test programs detect errors

cp -r "$t/pcdata/linear-index" "$t/broken"
echo x >>"$t/broken/vectors/valid-2.txt"
holds "no name of a file in a string is changed" bash -c '! grep -q "/FORMAT\.md" "$0"/*.c' "$t/pcdata/linear-index"
holds "another model is detected" bash -c '! "$0/run-vectors" "$0/vectors"' "$t/broken"
cp "$t/pcdata/linear-index/vectors/valid-3.bin" "$t/broken/vectors/invalid-1.bin"
holds "an accepted invalid vector is detected" grep -q 'invalid-1: accepted' \
    <("$t/broken/run-vectors" "$t/broken/vectors")

# ---- two codecs in one program, in C++; a reader alone

export_to pcdata/shape-code "$t/mine" --prefix my_
export_to lprf/fingerprints+packed "$t/yours" --prefix your_ --reader-only
build "$t/mine" pcdata/shape-code my_
build "$t/yours" lprf/fingerprints+packed your_
cat >"$t/both.cc" <<'CC'
#include "mine/my_pcdata_shape_code.h"
#include "yours/your_lprf_fingerprints_packed.h"
int main()
{
    my_bo_arena mine;
    your_bo_arena yours;
    void *reader;
    my_bo_arena_init(&mine, 1 << 20);
    your_bo_arena_init(&yours, 1 << 20);
    const bool ok = my_pcdata_shape_code_open({nullptr, 0}, &mine, &reader, nullptr) == MY_BO_TRUNCATED &&
                    your_lprf_fingerprints_packed_open({nullptr, 0}, &yours, &reader, nullptr) == YOUR_BO_TRUNCATED;
    my_bo_arena_free(&mine);
    your_bo_arena_free(&yours);
    return !ok;
}
CC
holds "two codecs in a C++ program" g++ -Wall -Wextra -Werror -I"$t" "$t/both.cc" "$t"/mine/my_*.o \
    "$t"/yours/your_*.o -o "$t/both"
holds "it runs" "$t/both"
holds "a reader alone has no encoder" bash -c '! nm -g --defined-only "$0"/your_*.o | grep -q encode' "$t/yours"
holds "all global names have the prefix" bash -c '! nm -g --defined-only "$0"/my_*.o | grep -v " my_"' "$t/mine"

# ---- errors of queries

cat >"$t/far.c" <<'C'
#include <stdio.h>
#include <string.h>
#include "pcdata_shape_code.h"
int main(int argc, char **argv)
{
    static uint8_t bytes[1 << 16];
    struct bo_arena arena;
    struct bo_error err;
    struct pcdata_point query = {.table = UINT32_MAX};
    struct pcdata_scan scan = {.table = 0};
    struct bo_sink full = {.p = NULL};
    int32_t answer;
    void *reader;
    FILE *in = fopen(argv[argc - 1], "rb");
    const size_t n = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    bo_arena_init(&arena, 1 << 20);
    memset(&err, 0x5a, sizeof err);
    return !n || pcdata_shape_code_open((struct bo_span){bytes, n}, &arena, &reader, &err) ||
           pcdata_shape_code_query(reader, PCDATA_POINT, &query, 1, &answer, &err) != BO_OUT_OF_RANGE ||
           err.status != BO_OUT_OF_RANGE || strcmp(err.what, "query is out of range") ||
           pcdata_shape_code_query(reader, PCDATA_SCAN, &scan, 1, &full, &err) != BO_OVER_LIMIT ||
           err.status != BO_OVER_LIMIT || strcmp(err.what, "sink is full");
}
C
holds "a query out of range: program" gcc "${strict[@]}" -I"$t/pcdata/shape-code" "$t/far.c" \
    "$t/pcdata/shape-code/pcdata_shape_code.c" -o "$t/far"
holds "a query out of range has an error" "$t/far" "$t/pcdata/shape-code/vectors/valid-3.bin"

# ---- folders

cp -r "$t/lprf/fingerprints+packed" "$t/reused"
cp "$t/both.cc" "$t/reused/mine.c"
if [[ $("$bakeoff" list codecs) = *marisa* ]]; then
    holds "a rejected export removes nothing" bash -c '! "$0" export lprf/marisa+u64 -o "$1" && [[ -e $1/lprf_fingerprints_packed.c ]]' \
        "$bakeoff" "$t/reused"
fi
export_to pcdata/raw "$t/reused"
holds "code and vectors of an earlier export are removed" bash -c \
    '[[ $(ls "$0"/{mine,*raw,*fingerprints*}.c 2>/dev/null | wc -l) = 2 &&
        $(ls "$0"/vectors | wc -l) = $(awk "{ n += /^valid/ ? 2 : 1 } END { print n + 1 }" "$0/vectors/index.txt") ]]' \
    "$t/reused"

mkdir "$t/not-empty"
echo mine >"$t/not-empty/README.md"
holds "a folder with other files is rejected" bash -c '! "$0" export pcdata/raw -o "$1"' "$bakeoff" "$t/not-empty"
holds "and stays" test "$(cat "$t/not-empty"/*)" = mine
export_to lprf/phrases+packed "$t/lprf/phrases+packed" # again

# ---- the example of a README

example=$t/lprf/phrases+packed
sed -n '/^## Use/,/^## Rules/s/^    //p' "$example/README.md" >"$example/use.c"
holds "the README's example" gcc "${strict[@]}" -c "$example/use.c" -o "$t/use.o"

# ---- a 32-bit big-endian machine

machine=powerpc-linux-gnu
if command -v $machine-gcc >/dev/null; then
    cp -r "$t/lprf/phrases+packed" "$t/$machine"
    rm -f "$t/$machine"/*.[oa] "$t/$machine/run-vectors"
    holds "$machine: vectors" make -s -C "$t/$machine" test CC=$machine-gcc AR=$machine-ar RUN=qemu-ppc-static \
        LDFLAGS=-static CFLAGS="${strict[*]}"
else
    echo "note: not run: $machine: $machine-gcc is missing"
fi

# ---- threads; the fuzz target. docs/adopting.md lists the codecs whose readers threads may share.

threads() { # MODE CODEC
    make -s -C "$t/$2" threads SANITIZED="clang ${strict[*]} -fsanitize=thread" && (
        cd "$t/$2" && TSAN_OPTIONS=exitcode=66 ./threads "$1" vectors/valid-[34].bin
    )
}
holds "shared reader: pcdata/shape-code" threads shared pcdata/shape-code
holds "own readers: lprf/phrases+packed" threads own lprf/phrases+packed
holds "own readers: autofdo/shared-trees" threads own autofdo/shared-trees
holds "own readers: templight/predicted" threads own templight/predicted
holds "own readers: statehist/mixed-contexts" threads own statehist/mixed-contexts
# Its reports have no symbols: with them, ThreadSanitizer sometimes waits for its own locks forever.
holds "a shared reader with scratch memory is detected" bash -c 'TSAN_OPTIONS=exitcode=66:halt_on_error=1:symbolize=0 \
    timeout 60 "$0" shared "$1"/valid-[3-5].bin; [[ $? = 66 ]]' \
    "$t/lprf/phrases+packed/threads" "$t/lprf/phrases+packed/vectors"
holds "fuzz target" make -s -C "$t/pcdata/shape-code" fuzz SANITIZED="clang ${strict[*]}"
holds "it runs" "$t/pcdata/shape-code/fuzz" -runs=200 "$t/pcdata/shape-code/vectors"

# ---- an installed tree, in a folder with the name of a source folder: a plugin and a program are built against it, and it can export

holds "make install" make -s install DESTDIR="$t/check" PREFIX=/usr
installed=$t/check/usr
package() { PKG_CONFIG_PATH=$installed/lib/pkgconfig pkg-config --define-variable=prefix="$installed" "$@" bakeoff; }
holds "plugin" make -s -C examples/plugin OUT="$t" BAKEOFF_CFLAGS="$(package --cflags) ${include[*]}"
holds "the plugin is loaded" grep -q run-pairs <("$installed/bin/bakeoff" --plugin "$t/run-pairs.so" list codecs)
cat >"$t/program.c" <<'C'
#include <stdio.h>
#include "harness/registry.h"
int main(void)
{
    return !bo_find_codec(bo_find_format("pcdata"), "shape-code");
}
C
# shellcheck disable=SC2046
holds "program" gcc -std=gnu11 "${include[@]}" "$t/program.c" $(package --cflags --libs) -o "$t/program"
holds "it finds a codec" "$t/program"
holds "the installed program exports" "$installed/bin/bakeoff" export pcdata/raw -o "$t/from-installed"
cp "$bakeoff" "$t/alone"
holds "without sources, the message names --source" grep -q -- '--source DIR' \
    <("$t/alone" export pcdata/raw -o "$t/x" 2>&1)
echo "$passed passed, $failed failed"
((failed == 0))
