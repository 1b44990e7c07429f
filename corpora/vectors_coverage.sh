#!/usr/bin/env bash
# The coverage of each codec by its conformance vectors. vectors_coverage.sh [-l] [FORMAT/CODEC...] prints it; the default
# is every encoding of role `new` or `proposed`. -l lists the missed lines and sides of conditions.
# vectors_coverage.sh check [FORMAT/CODEC...] compares the coverage with corpora/vectors/coverage.tsv. It fails if a missed
# line or side reports no error and has no reason in corpora/vectors/unreached.tsv or unreached_sides.tsv.
# vectors_coverage.sh make writes coverage.tsv, and those reasons that it can derive: code that only other encodings of the
# format run.
#
# Each codec is exported and built with clang's coverage. The exported test decodes, encodes and queries the valid vectors
# and decodes the invalid ones, with the portable code and with the code for each level that the processor supports. The
# lines are those of encoder, decoder and reader and of the shared code that they use, except harness/core. Needs clang,
# llvm-profdata, llvm-cov, python3 and jq. Exit 77: one is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
bakeoff=${BAKEOFF:-build/bakeoff} table=corpora/vectors/coverage.tsv reasons=corpora/vectors/unreached.tsv sides=corpora/vectors/unreached_sides.tsv
for tool in clang llvm-profdata llvm-cov python3 jq; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mode=print
case ${1:-} in check | make | -l) mode=$1; shift ;; esac
list() { # CONDITION: encodings
    "$bakeoff" list codecs --json | jq -r ".[] | select($1 and .reads == null and .level_of == null and (.optional | not)) | .format + \"/\" + .codec"
}
mapfile -t ours < <(list '(.role == "new" or .role == "proposed")')
encodings=("$@")
((${#encodings[@]})) || encodings=("${ours[@]}")

cover() { # ENCODING: its lcov file and source
    local file=$scratch/${1/\//!} name=${1//[^a-z0-9]/_} isa
    local dir=$file.dir
    "$bakeoff" export "$1" -o "$dir" >/dev/null
    make -s -C "$dir" run-vectors CC=clang STRICT=-std=c11 \
        CFLAGS="-O0 -isystem $PWD/build/include -fprofile-instr-generate -fcoverage-mapping"
    for isa in v1 v3 v4; do
        (cd "$dir" && BAKEOFF_ISA=$isa LLVM_PROFILE_FILE=raw-$isa ./run-vectors vectors >/dev/null)
    done
    llvm-profdata merge -o "$dir/data" "$dir"/raw-*
    llvm-cov export -format=lcov -instr-profile "$dir/data" "$dir/run-vectors" "$dir/$name.c" >"$file.lcov"
    llvm-cov export -format=text -skip-functions -skip-expansions -instr-profile "$dir/data" "$dir/run-vectors" \
        "$dir/$name.c" >"$file.json"
    mv "$dir/$name.c" "$file.c"
    rm -rf "$dir"
}
export -f cover
export bakeoff scratch

cover_all() { # ENCODING...
    printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -I{} bash -euo pipefail -c 'cover {}'
}

row() { # ENCODING: its row, and what is missed
    local file=$scratch/${1/\//!}
    python3 corpora/vectors_coverage.py "$1" "$file.c" "$file.lcov" "$file.json" "$scratch"
}

header=$'encoding\tlines\terrors missed\texplained\tothers missed\tsides\terrors missed\texplained\tothers missed'
case $mode in
print | -l)
    cover_all "${encodings[@]}"
    echo "$header"
    for encoding in "${encodings[@]}"; do
        row "$encoding" | if [[ $mode = -l ]]; then cat; else sed -n 1p; fi
    done
    ;;
make)
    mapfile -t every < <(list true)
    cover_all "${every[@]}"
    for encoding in "${every[@]}"; do row "$encoding" >/dev/null; done
    python3 corpora/vectors_coverage.py --shared "$scratch" "${ours[@]}"
    {
        echo "$header"
        for encoding in "${ours[@]}"; do row "$encoding" | sed -n 1p; done
    } >"$table"
    ;;
check)
    failed=0
    cover_all "${encodings[@]}"
    for encoding in "${encodings[@]}"; do
        row "$encoding" >"$scratch/out"
        if grep '^    \*' "$scratch/out"; then
            echo "$encoding: these lines and sides are missed by its vectors and have no reason in $reasons or $sides"
            failed=$((failed + 1))
        elif ! grep -qxF "$(sed -n 1p "$scratch/out")" "$table"; then
            echo "$encoding: the row differs from that in $table, which \`corpora/vectors_coverage.sh make\` writes"
            failed=$((failed + 1))
        fi
    done
    if (($# == 0)); then
        while read -r unused; do
            echo "nothing is missed: $unused"
            failed=$((failed + 1))
        done < <(tail -n +2 "$reasons" | cut -f1-3 | grep -vxFf "$scratch/used"
            tail -n +2 "$sides" | cut -f1-4 | grep -vxFf "$scratch/used-sides")
    fi
    echo "$((${#encodings[@]} > failed ? ${#encodings[@]} - failed : 0)) passed, $failed failed: what vectors reach"
    [[ $failed = 0 ]]
    ;;
esac
