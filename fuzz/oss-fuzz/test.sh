#!/bin/bash
# test.sh: runs build.sh as OSS-Fuzz does, for libFuzzer and for AFL++, and each product on its seeds.

set -euo pipefail
work=$PWD/build/oss-test
rm -rf "$work"
mkdir -p "$work"/{src,work}
ln -s "$PWD" "$work/src/bakeoff"

# build ENGINE CC CXX CFLAGS LIB_FUZZING_ENGINE
build() {
    mkdir -p "$work/$1"
    rm -rf build/oss
    env SRC="$work/src" WORK="$work/work" OUT="$work/$1" FUZZING_ENGINE="$1" CC="$2" CXX="$3" CFLAGS="$4" \
        CXXFLAGS="$4" LIB_FUZZING_ENGINE="$5" fuzz/oss-fuzz/build.sh >"$work/$1.log" 2>&1 ||
        { tail -n 20 "$work/$1.log"; exit 1; }
}

# check ENGINE: checks that each product exists with its files, and runs.
check() {
    local options target seeds n
    for options in "$work/$1"/*.options; do
        target=${options%.options} seeds=$work/seeds
        rm -rf "$seeds"
        mkdir "$seeds"
        unzip -q "${target}_seed_corpus.zip" -d "$seeds"
        n=$(find "$seeds" -type f | wc -l)
        [[ ${target##*/} != *_bytes || -f $target.dict ]] || { echo "$target has no dictionary"; exit 1; }
        if [[ $1 = libfuzzer ]]; then
            "$target" -runs=100 -timeout=5 "$seeds" >"$work/run.log" 2>&1
        else
            "$target" "$seeds"/* >"$work/run.log" 2>&1
        fi || { tail -n 20 "$work/run.log"; exit 1; }
        echo "$1 ${target##*/}: $n seeds"
    done
}

common="-O1 -fno-omit-frame-pointer -g"
build libfuzzer clang clang++ "$common -fsanitize=address -fsanitize=fuzzer-no-link" -fsanitize=fuzzer
check libfuzzer
build afl afl-clang-fast afl-clang-fast++ "$common" "$(dirname "$(readlink -f "$(command -v afl-cc)")")/../lib/afl/libAFLDriver.a"
check afl
