#!/bin/bash
# faults.sh anchors: checks that every fault can still be planted. faults.sh SECONDS [FAULT...]: plants each bug of
# fuzz/faults in a copy of the sources, and measures how long the tests and each engine take to find it.
#
# A fault is a file: `about:`, `kind:`, the `target:` that should find it, the `file:` it is planted in, the lines to
# replace (-), which the file must contain exactly once, and the lines that replace them (+). The copy,
# build/faults/tree, is built incrementally, so a fault only rebuilds what depends on the file that it changes. `tests`
# is a part of what `make test` runs under gcc: replays, the cmocka tests of the format and of the file's folder, and
# selfcheck with the effort of a slow variant. Each engine runs for at most SECONDS, from the seeds in git. Without a
# fault, the copy must pass the tests, and the seeds under both engines. Replaces the rows of these faults in
# results/fuzz/faults.tsv, and removes rows of deleted faults and of runs with other SECONDS. Exits 1 when an anchor is
# missing, a build fails or no engine finds a fault.

. fuzz/engines.sh
seconds=$1
shift
TOP=$PWD
TREE=build/faults/tree
export AFL_BENCH_UNTIL_CRASH=1

fail() { echo "faults: $*" >&2; exit 1; }

# field FAULT NAME
field() { sed -n "s/^$2: //p" "$TOP/fuzz/faults/$1"; }

# Touches all files that a fault changes, so that nothing that an earlier run built with a fault is used.
copy_tree() {
    mkdir -p $TREE
    find $TREE -mindepth 1 -maxdepth 1 -not -name build -exec rm -rf {} +
    tar -cf - --exclude=./build --exclude=./.git --exclude=./corpora/fetched --exclude=./results . |
        tar -xf - -C $TREE
    (cd $TREE && sed -n 's/^file: //p' fuzz/faults/* | xargs touch)
}

# lines FAULT SIGN: the lines of its anchor (-), or their replacement (+).
lines() { sed -n "s/^[$2]//p" "$TOP/fuzz/faults/$1"; }

# check_anchor FAULT FILE: checks that the anchor occurs exactly once.
check_anchor() {
    local text old without
    text=$(<"$2") old=$(lines "$1" -)
    without=${text/"$old"/}
    [[ $old && $without != "$text" ]] || fail "$1: its anchor is not in $2; plant it anew"
    [[ ${without/"$old"/} = "$without" ]] || fail "$1: its anchor is in $2 more than once"
}

# plant FAULT FILE: plants the fault in the copy.
plant() {
    local text old new
    check_anchor "$@"
    text=$(<"$2") old=$(lines "$1" -) new=$(lines "$1" +)
    printf '%s\n' "${text/"$old"/"$new"}" >"$2"
}

restore() { # FILE
    cp "$TOP/$1" "$1"
    touch "$1"
}

build() { # WHAT...
    make -s -j"$(nproc)" "$@" >build.log 2>&1 || { tail -n 20 build.log; fail "does not build: $*"; }
}

# fails NAME COMMAND...: true if a command fails, which means that it finds the fault. `took` is then "NAME<tab>MS".
fails() {
    local name=$1 began
    began=$(ms_since 0)
    shift
    ("$@"; exit) >found.log 2>&1 && return 1 # a shell of its own, which reports signals in the log
    took=$name$'\t'$(ms_since "$began")
}

# by_tests FORMAT FOLDER: runs the tests until one fails.
by_tests() {
    local target program
    for target in $(targets_of "$1"); do
        fails "replay of $target" build/gcc/fuzz/"$target" build/seeds/"$target" && return
    done
    for program in $(test_programs "$1" "$2"); do
        fails "${program##*/}" "$program" && return
    done
    fails selfcheck make -s "checks-of-$1" "LIMITS=--checks-up-to 300000 --up-to 1000000 --generated 12 --light" ||
        took=$'-\t-'
}

by_libfuzzer() { # TARGET
    took=-
    run_libfuzzer "$1" "$seconds"
    ((${#found[@]} == 0)) || took=$elapsed_ms
}

# A seed that fails or does not end counts as found; AFL++ itself leaves it out.
by_afl() { # TARGET
    took=-
    if fails seeds timeout "$seconds" build/afl/fuzz/"$1" build/seeds/"$1"/*; then
        took=${took#*$'\t'}
    else
        run_afl "$1" "$seconds"
        found=("$WORK/afl/$1"/main/{crashes,hangs}/id:*)
        ((${#found[@]} == 0)) || took=$elapsed_ms
    fi
}

test_programs() { # FORMAT FOLDER
    find codecs/"$1" "$2" -name 'test_*.c' | sed 's|\(.*\)\.c$|build/gcc/test/\1|' | sort -u
}

build_tests() { # FORMAT FOLDER
    # shellcheck disable=SC2046
    build build/gcc/selfcheck $(test_programs "$1" "$2") $(targets_of "$1" | sed 's|.*|build/gcc/fuzz/& build/seeds/&|')
}

find_fault() { # FAULT
    local fault=$1 file target format folder tests libfuzzer
    file=$(field "$fault" file) target=$(field "$fault" target) format=${fault%%-*}
    folder=$(dirname "$file")
    plant "$fault" "$file"
    build_tests "$format" "$folder"
    build fuzz-engines "FUZZ_TARGETS=$target"
    by_tests "$format" "$folder"
    tests=$took
    by_libfuzzer "$target"
    libfuzzer=$took
    by_afl "$target"
    restore "$file"
    [[ $libfuzzer$took != -- ]] || missed+=("$fault")
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$fault" "$(field "$fault" kind)" "$file" "$target" \
        "$tests" "$libfuzzer" "$took" | tee -a "$TOP/build/faults/found"
}

earlier() { # rows
    ! grep -qs "^# $seconds s an engine" results/fuzz/faults.tsv || grep -v '^#' results/fuzz/faults.tsv
}

names=("$@") missed=()
((${#names[@]})) || mapfile -t names < <(ls fuzz/faults)
for name in "${names[@]}"; do [[ -f fuzz/faults/$name ]] || fail "there is no fault $name"; done
if [[ $seconds = anchors ]]; then
    for name in "${names[@]}"; do check_anchor "$name" "$(field "$name" file)"; done
    echo "${#names[@]} passed, 0 failed: faults that can be planted"
    exit
fi
copy_tree
: >build/faults/found
cd $TREE
for format in $(printf '%s\n' "${names[@]%%-*}" | sort -u); do
    build_tests "$format" "codecs/$format"
    by_tests "$format" "codecs/$format"
    [[ $took = $'-\t-' ]] || fail "$format fails without a fault: $took; see $TREE/found.log"
done
for target in $(for name in "${names[@]}"; do field "$name" target; done | sort -u); do
    build fuzz-engines "FUZZ_TARGETS=$target"
    if fails - build/libfuzzer/fuzz/"$target" -runs=0 build/seeds/"$target" ||
        fails - build/afl/fuzz/"$target" build/seeds/"$target"/*; then
        fail "$target fails without a fault; see $TREE/found.log"
    fi
done
printf 'fault\tkind\tfile\ttarget\ttests\ttests, ms\tlibFuzzer, ms\tAFL++, ms\n'
for name in "${names[@]}"; do find_fault "$name"; done
cd "$TOP"
mkdir -p results/fuzz
{
    echo "# $seconds s an engine; last run $(date -u +%Y-%m-%d), commit $(git rev-parse --short=12 HEAD)"
    { cat build/faults/found; earlier; } |
        awk -F '\t' 'NR == FNR { planted[$1]; next } $1 in planted && !seen[$1]++' <(ls fuzz/faults) - | sort
} >build/faults/faults.tsv
mv build/faults/faults.tsv results/fuzz/faults.tsv
((${#missed[@]} == 0)) || fail "no engine found ${missed[*]}"
