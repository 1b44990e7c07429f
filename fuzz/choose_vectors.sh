#!/usr/bin/env bash
# Chooses the models of conformance vectors: choose_vectors.sh [--add] [FORMAT...] replaces the formats' lines in
# corpora/vectors.def; without arguments, those of all formats. With --add, it adds lines. Then run
# `corpora/vectors.sh make`, which writes the vectors. Use this when a layout or a generator has changed and
# corpora/vectors_coverage.sh reports missed lines. EFFORT=4 draws four times as many models. Needs clang, xz, python3.
set -euo pipefail
cd "$(dirname "$0")/.."
list=corpora/vectors.def
add=()
[[ ${1:-} != --add ]] || { add=(--add); shift; }
(($#)) || set -- $(sed -n 's/^FORMAT(\(.*\))$/\1/p' codecs/formats.def)
mkdir -p build
printf '%s\n' 'src:*codecs/*' 'src:*harness/coding/*' 'fun:*' >build/counted.txt
make --no-print-directory -j"${JOBS:-$(nproc)}" VARIANT=edges CC_edges=clang FLAGS_edges="-O1 \
-fsanitize-coverage=edge,inline-8bit-counters,no-prune -fsanitize-coverage-allowlist=$PWD/build/counted.txt" \
    build/edges/fuzz/choose_vectors $(printf "build/seeds/%s_model " "$@") >&2
for format; do
    # Inputs of a fuzz target end with parameters, which are not entropy of the model.
    for seed in build/seeds/"${format}"_model/*; do
        head -c -26 "$seed" | python3 -c 'import sys; print(sys.stdin.buffer.read().hex())'
    done | build/edges/fuzz/choose_vectors "${add[@]}" "$format" >build/chosen.txt
    { if ((${#add[@]})); then cat "$list"; else grep -v "(\"$format/" "$list" || true; fi; cat build/chosen.txt; } >"$list.new"
    mv "$list.new" "$list"
done
