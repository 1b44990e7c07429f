#!/usr/bin/env bash
# Tests the behaviour of `make fuzz` with a failing seed, of a nightly run with a finding, and its lists. Why: a failing
# seed once ended the run before any engine started, a finding replaced an older regression, and a nightly of one more
# format would have exceeded its time limit.
#
# The targets and engines here are scripts, so that this takes seconds. Ends with `N passed, M failed`.
set -euo pipefail
export FUZZ_ALL_TARGETS="x_bytes x_model"
passed=0 failed=0
work=$PWD/build/test/fuzz
matrix=$(make --no-print-directory -s fuzz-matrix FUZZ_MINUTES=20)
targets=$(make --no-print-directory -s fuzz-list)
builds=$(make -n fuzz-nightly FUZZ_TARGETS=guid_bytes MAKE=echo | grep -v '^echo')
formats=$(sed -n 's/^FORMAT(\(.*\))$/\1/p' codecs/formats.def)
make --no-print-directory -s VARIANT=gcc \
    $(for f in $formats; do echo "build/gcc/fuzz/${f}_model build/seeds/${f}_model"; done) >&2
rm -rf "$work"
mkdir -p "$work"/{bin,fuzz,build/{asan,afl,libfuzzer}/fuzz,build/seeds/x_bytes}
cp fuzz/*.sh fuzz/limits.h "$work/fuzz"

expect() { # NAME WANTED GOT
    if [[ $2 = "$3" ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$@"
    fi
}

# Replays that measure costs wrap the codecs, which must change nothing.
for format in $formats; do
    expect "$format: replays that measure costs" "0 failed" \
        "$(build/gcc/fuzz/"${format}_model" -w "$work/worst" "build/seeds/${format}_model" 2>&1 | grep -o '[0-9]* failed$')"
    expect "$format: costs" yes "$([[ $(wc -l <"$work/worst") -gt 5 ]] && echo yes)"
done

# Replays apply the limits of time and memory.
cat >"$work/costly.c" <<'EOF_C'
#include <stdlib.h>
#include <string.h>
#include "fuzz/limits.h"
#include "fuzz/observe.h"
#include "fuzz/target.h"
const struct bo_format *bo_fuzz_format;
bool bo_fuzz_prints;
const struct bo_format *bo_fuzz_observe(const struct bo_format *format) { return format; }
void bo_fuzz_observe_input(const char *path) {}
bool bo_fuzz_write_worst(const char *path) { return true; }
bool bo_fuzz_write_coverage(const char *dir) { return true; }
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    const size_t taken = (size_t)(BO_FUZZ_MAX_RSS_MB + 1) << 20;
    if (data[0] == 'm')
        free(memset(malloc(taken), data[0], taken));
    for (volatile int more = data[0] == 't'; more;)
        ;
    return 0;
}
EOF_C
gcc -std=gnu11 -D_GNU_SOURCE -I. -fno-builtin "$work/costly.c" fuzz/replay_main.c -o "$work/costly"
for input in small memory time; do echo "$input" >"$work/$input"; done
expect "a replay within the limits" 1 "$("$work/costly" "$work/small" 2>&1 | grep -c ' 0 failed$')"
expect "a replay that takes too much memory" 1 "$("$work/costly" "$work/memory" 2>&1 | grep -c '^too much memory: more than 512 MiB$')"
expect "a replay that takes too long" 1 "$(timeout 60 "$work/costly" "$work/time" 2>&1 | grep -c '^replay: too slow: ')"

# A target that fails on files that contain "bad", as a replay and under each engine.
cat >"$work/build/asan/fuzz/x_bytes" <<'EOF'
#!/usr/bin/env bash
n=0 failed=0
for file in $(find "$@" -type f | sort); do
    n=$((n + 1))
    grep -q bad "$file" || continue
    failed=$((failed + 1))
    printf 'BAKEOFF-DIFF format=x kind=point a=c b=oracle class=wrong-answer\npoint 17 64: another answer\n'
    printf 'c, line 1: 5\noracle, line 1: 6\nreplay: Aborted\nreplay: FAILED on %s; again: t %s\n' "$file" "$file"
done
echo "x_bytes: $n inputs replayed, $failed failed"
exit $((failed != 0))
EOF
cat >"$work/build/libfuzzer/fuzz/x_bytes" <<'EOF'
#!/usr/bin/env bash
[[ $* != *-minimize_crash* && $* != *-merge=1* ]] || exit 0
[[ ! ${BAKEOFF_FUZZ_COUNTS:-} ]] || head -c 1024 /dev/zero | tr '\0' '\1' >"$BAKEOFF_FUZZ_COUNTS"
for option; do [[ $option != -artifact_prefix=* ]] || artifacts=${option#*=}; done
echo "$*" >>options
[[ ! ${FOUND:-} || $* != *-fork=1* ]] || { echo "$FOUND" >"${artifacts}crash-2"; exit 77; }
[[ ! ${SLOW:-} ]] || { echo "$SLOW" >"${artifacts}timeout-1"; echo '#42 DONE cov: 7 ft: 9 corp: 3/9b'; exit 70; }
for input in $(find "${@: -1}" -type f); do
    ! grep -q bad "$input" || { cp "$input" "${artifacts}crash-1"; exit 77; }
done
echo '#42 DONE cov: 7 ft: 9 corp: 3/9b'
EOF
cat >"$work/bin/afl-fuzz" <<'EOF'
#!/usr/bin/env bash
while (($#)); do
    case $1 in -o) out=$2 ;; -i) in=$2 ;; -M | -S) name=$2 ;; esac
    shift
done
[[ $name = main || ! ${NO_CMPLOG:-} ]] || exit 1
[[ ! ${BAKEOFF_FUZZ_COUNTS:-} ]] || head -c 1024 /dev/zero >"$BAKEOFF_FUZZ_COUNTS"
mkdir -p "$out/$name/queue"
[[ ! ${QUEUED:-} || $name != "${QUEUED%% *}" ]] || echo "${QUEUED#* }" >"$out/$name/queue/id:1"
printf 'execs_done : 42\ncorpus_count : %s\nedges_found : 7\n' "$(ls "$in" | wc -l)" >"$out/$name/fuzzer_stats"
EOF
cp "$work/build/asan/fuzz/x_bytes" "$work/build/afl/fuzz/x_bytes"
chmod +x "$work"/{bin,build/*/fuzz}/*
cd "$work"
export PATH=$work/bin:$PATH
echo good >build/seeds/x_bytes/good
echo bad one >build/seeds/x_bytes/bad
echo bad two >build/seeds/x_bytes/worse

run() { # ENGINE
    code=0
    fuzz/run.sh "$1" x_bytes 1 >"$1.out" 2>&1 || code=$?
}
run replay
expect "a failing seed is a failure" 1 $code
expect "the bucket" 1 "$(grep -c '^  BAKEOFF-DIFF format=x kind=point a=c b=oracle class=wrong-answer$' replay.out)"
expect "both answers" "c, line 1: 5 oracle, line 1: 6" "$(sed -n 's/^    \(.*, line 1: .*\)/\1/p' replay.out | paste -sd' ')"
expect "the query" 1 "$(grep -c '^    point 17 64' replay.out)"
expect "the inputs" 1 "$(grep -c '^    2 inputs; replay: ' replay.out)"
printed=$(sed -n 's/^    the input: \(.*\) >INPUT$/\1/p' replay.out)
expect "the input, from the log alone" "$(cat build/seeds/x_bytes/bad)" "$(bash -c "$printed")"
run libfuzzer
expect "libFuzzer runs without the failing seeds" 0 $code
expect "its limits" 1 "$(grep -c -- '-max_len=32768 -timeout=4 -rss_limit_mb=512 -malloc_limit_mb=256 ' options)"
run afl
expect "AFL++ runs without the failing seeds" 0 $code
expect "AFL++ starts from the others" "corpus     1" "$(grep -o 'corpus *1' afl.out)"
expect "no report of an engine" "" "$(cat libfuzzer.out afl.out | grep BAKEOFF-DIFF || true)"
rm -r build/fuzz/failing
run libfuzzer
expect "a finding of an engine is a failure" 1 $code
expect "a bucket is reported once" 0 "$(grep -c BAKEOFF-DIFF libfuzzer.out || true)"
expect "and then by its name" 1 "$(grep -c 'reported above: x-point-c-oracle-wrong-answer' libfuzzer.out)"

SLOW=fast run libfuzzer
expect "an input that is slow only in the engine is no finding" 0 $code
expect "it is counted" 1 "$(grep -c '^  1 inputs took more than 4 s of wall time' libfuzzer.out)"
SLOW="bad and slow" run libfuzzer
expect "a slow input that fails in a replay" 1 $code

# Nights with findings of a bucket that has a regression, which passes now.
rm build/seeds/x_bytes/{bad,worse}
bucket=x-point-c-oracle-wrong-answer
mkdir -p fuzz/regressions/x_bytes
echo "an old bug" >"fuzz/regressions/x_bytes/$bucket"
night() { # FOUND
    code=0
    FOUND=$1 fuzz/nightly.sh x_bytes 1 >night.out 2>&1 || code=$?
}
night ""
expect "a night without findings" 0 $code
night "bad new"
expect "a night with a finding" 1 $code
expect "the older regression" "an old bug" "$(cat "fuzz/regressions/x_bytes/$bucket")"
expect "the new one" "bad new" "$(cat fuzz/regressions/x_bytes/$bucket-*)"
expect "it is left out where inputs must pass" "" \
    "$(. fuzz/engines.sh && passing_inputs x_bytes | grep "regressions.*-[0-9a-f]\{8\}$" || true)"
rm fuzz/regressions/x_bytes/$bucket-*
night "bad newer"
expect "not a finding of an earlier night" "bad newer" "$(cat fuzz/regressions/x_bytes/$bucket-*)"
rm -r fuzz/regressions/x_bytes
for name in main cmplog; do
    QUEUED="$name bad in the queue" night ""
    expect "an input of AFL++'s queue that fails under ASan ($name)" "1 bad in the queue" "$code $(cat fuzz/regressions/x_bytes/*)"
    rm -r fuzz/regressions/x_bytes
done
echo "bad in the corpus" >build/fuzz/corpus/x_bytes/kept
echo good >build/fuzz/corpus/x_bytes/good
night ""
expect "an input of the corpus that fails is a finding" "1 bad in the corpus" "$code $(cat fuzz/regressions/x_bytes/*)"
expect "and leaves the corpus" good "$(ls build/fuzz/corpus/x_bytes)"
rm -r fuzz/regressions/x_bytes build/fuzz/corpus/x_bytes/good
mkdir -p build/fuzz/failing
echo build/seeds/x_bytes/bad >build/fuzz/failing/x_bytes
run replay
expect "a list of failing inputs is removed when they pass" "" "$(ls build/fuzz/failing)"
NO_CMPLOG=1 night ""
expect "a night without CmpLog" 2 $code

# A night of format x: the rows of y stay, also when they are of other sources.
mkdir -p codecs/x harness build/gcc/fuzz build/fuzz/coverage results/fuzz
printf 'FORMAT(%s)\n' x y >codecs/formats.def
printf '#!/bin/sh\necho codec\n' >build/asan/fuzz/x_bytes # -l lists the codecs
printf '#!/bin/sh\nprintf "codec\\topen\\toptions\\t1\\t1\\toptions\\t1\\t1\\n" >"$2"\n' >build/gcc/fuzz/x_bytes
cp build/gcc/fuzz/x_{bytes,model}
chmod +x build/{asan,gcc}/fuzz/x_*
printf '#!/bin/sh\n' >fuzz/coverage.sh
printf 'codec\topen\t1\t0\t1\t0\n' >build/fuzz/coverage/x.tsv
: >build/fuzz/coverage/x.gaps
printf 'x_bytes\tafl\t30\t9\t9\t0\n' >build/fuzz/night/x_bytes.tsv
head -c 1024 /dev/zero | tr '\0' '\1' >build/fuzz/night/x_bytes.counts-afl
printf '# 7 min; last run long ago\ny/codec\tothersources\t5\t4\t3\n' >results/fuzz/codecs.tsv
git init -q . && git -c user.name=x -c user.email=x commit -q --allow-empty -m x
fuzz/results.sh 1 x >results.out 2>&1 || cat results.out
expect "rows of a partial night" "x/codec y/codec" "$(sed '/^#/d' results/fuzz/codecs.tsv | cut -f 1 | xargs)"
expect "the other format's row" "othersources 5 4 3" "$(sed -n 's/^y.codec\t//p' results/fuzz/codecs.tsv | xargs)"
expect "its header" ", of x; other rows are of earlier nights" "$(sed -n '1s/.*commit [0-9a-f]*//p' results/fuzz/codecs.tsv)"

expect "the matrix has every format" "$(cut -d_ -f1 <<<"$targets" | sort -u)" \
    "$(jq -r '.include[].format' <<<"$matrix" | sort)"
while read -r format minutes; do
    n=$(grep -c "^${format}_" <<<"$targets")
    expect "$format: minutes for $n targets" yes "$( ((minutes >= 60 + 20 * n && minutes <= 360)) && echo yes)"
done < <(jq -r '.include[] | "\(.format) \(.minutes)"' <<<"$matrix")

# One target runs, and all targets of its format are built, since costs and coverage are measured over all of them.
for variant in asan gcc coverage; do
    expect "a night of one target: $variant" "guid_bytes guid_damage guid_model" \
        "$(sed -n "s/.*VARIANT=$variant .*FUZZ_TARGETS=//p" <<<"$builds" | xargs)"
done
echo "$passed passed, $failed failed: running fuzzers"
((failed == 0))
