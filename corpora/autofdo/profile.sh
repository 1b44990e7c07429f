#!/bin/bash
# Builds a program from its Debian source package, runs it, and makes an AutoFDO profile of GCC:
#
#   corpora/autofdo/profile.sh PACKAGE VERSION SAMPLER OUT.gcov FOLDER
#
# PACKAGE is sqlite3, lua5.4 or leveldb; SAMPLER is callgrind or perf. Sources and programs are kept
# in FOLDER, so that a second sampler need not build again. Package lists are of our own: the system
# needs no deb-src lines. Exit 0: made; 1: something failed, with its last lines; 77: this machine
# cannot (with a line that says why).
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 5 ] || { echo "usage: profile.sh PACKAGE VERSION SAMPLER OUT.gcov FOLDER" >&2; exit 2; }
package=$1 version=$2 sampler=$3 out=$(realpath "$4") folder=$5
mkdir -p "$folder" && cd "$folder" || exit 2
folder=$PWD log=$PWD/$package.log
export LC_ALL=C SOURCE_DATE_EPOCH=0
flags="-gdwarf-4 -O2 -fno-pie"

needs() { # command package
    command -v "$1" >/dev/null || { echo "$1 is not installed (Debian: $2)" >&2; exit 77; }
}

fail() {
    echo "$*" >&2
    tail -n 3 "$log" >&2
    exit 1
}

# ---- sources -----------------------------------------------------------------------------------

# The system's own package sources, with source packages enabled.
apt() {
    local lists=$folder/apt
    mkdir -p "$lists/lists/partial"
    if [ ! -s "$lists/sources.list" ]; then
        apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
            'Created-By: Packages' | sort -u >"$lists/sources.list"
    fi
    apt-get -qq -o Dir::Etc::sourcelist="$lists/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$lists/lists" -o APT::Sandbox::User=root "$@"
}

# Unpacks the source package to ./$package.
unpack() {
    [ -d "$package" ] && return
    [ -e apt/updated ] || { apt update && touch apt/updated; } || return 1
    rm -rf unpack && mkdir unpack &&
        (cd unpack && apt source "$package=$version") && mv unpack/*/ "$package"
}

# ---- programs: each function writes ./$package.program and sets the command to run it -----------------------------

# Temporary tables stay in memory, since the names of files and their lengths would be random.
build_sqlite3() {
    (cd "$package" && ./configure --disable-tcl --disable-readline && make sqlite3.c) &&
        gcc-12 $flags -no-pie -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
            -DSQLITE_ENABLE_RTREE -DSQLITE_TEMP_STORE=3 -I"$package" \
            "$package/sqlite3.c" "$package/test/speedtest1.c" -lm -o "$package.program"
}

build_lua5.4() {
    local sources
    # Debian's own build writes this file; it contains the name of a folder that is not searched here.
    echo '#define DEB_HOST_MULTIARCH ""' >"$package/src/lua5.4-deb-multiarch.h"
    mapfile -t sources < <(ls "$package"/src/*.c | grep -v '/luac\.c$')
    gcc-12 $flags -no-pie -std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX "${sources[@]}" \
        -Wl,-E -ldl -lm -o "$package.program"
}

build_leveldb() {
    needs cmake cmake
    cmake -S "$package" -B "$package.build" -DCMAKE_CXX_COMPILER=g++-12 -DCMAKE_C_COMPILER=gcc-12 \
        -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_EXE_LINKER_FLAGS=-no-pie \
        -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF \
        -DHAVE_SNAPPY=OFF -DHAVE_TCMALLOC=OFF &&
        cmake --build "$package.build" -j2 --target leveldb &&
        g++-12 $flags -no-pie -std=c++11 -DLEVELDB_PLATFORM_POSIX=1 -I"$package" \
            -I"$package/include" -I"$package.build/include" "$package/benchmarks/db_bench.cc" \
            "$package/util/histogram.cc" "$package/util/testutil.cc" \
            "$package.build/libleveldb.a" -lpthread -o "$package.program"
}

# The amount of work is chosen so that either sampler takes about half a minute.
run_arguments() {
    case $package-$sampler in
    sqlite3-callgrind) printf '%s\n' --size 5 --testset main,cte,rtree,orm,fp ;;
    sqlite3-perf) printf '%s\n' --size 100 --testset main,cte,rtree,orm,fp ;;
    lua5.4-callgrind) printf '%s\n' "$here/workload.lua" 20000 ;;
    lua5.4-perf) printf '%s\n' "$here/workload.lua" 2000000 ;;
    leveldb-callgrind) printf '%s\n' --num=10000 --db="$folder/db" ;;
    leveldb-perf) printf '%s\n' --num=1000000 --db="$folder/db" ;;
    esac
}

# ---- sampling: each function writes ./samples, the input of create_gcov -----------------------------------

sample_callgrind() { # arguments
    local program=$folder/$package.program base
    base=$(readelf -lW "$program" | awk '$1 == "LOAD" { print $3; exit }')
    valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --compress-pos=no \
        --compress-strings=no --callgrind-out-file="$folder/callgrind.out" "$program" "$@" &&
        awk -v binary="$program" -v base="$base" -f "$here/callgrind_to_samples.awk" \
            callgrind.out >samples
}

sample_perf() { # arguments
    perf record -q -e cpu-clock -c 250000 -o samples "./$package.program" "$@"
}

profiler=text
needs create_gcov autofdo
needs gcc-12 gcc-12
needs dpkg-source dpkg-dev
case $sampler in
callgrind) needs valgrind valgrind ;;
perf)
    needs perf linux-perf
    profiler=perf
    perf record -q -e cpu-clock -o perf.probe true >/dev/null 2>&1 ||
        { echo "perf may not sample here (see perf_event_paranoid)" >&2; exit 77; }
    ;;
*) echo "unknown sampler $sampler" >&2; exit 2 ;;
esac
[ "$package" != sqlite3 ] || needs tclsh tcl

unpack >"$log" 2>&1 || fail "the source package does not come"
[ -x "$package.program" ] || "build_$package" >>"$log" 2>&1 || fail "it does not build"
rm -rf samples db
mapfile -t arguments < <(run_arguments)
"sample_$sampler" "${arguments[@]}" >>"$log" 2>&1 || fail "its run fails"
create_gcov --binary="$package.program" --profiler=$profiler --profile=samples --use_lbr=false \
    --gcov_version=1 --gcov="$out" >>"$log" 2>&1 || fail "create_gcov fails"
