# shellcheck shell=bash
# Running one target under one engine, and telling what it found. Sourced by run.sh and nightly.sh.

set -euo pipefail
shopt -s nullglob

WORK=build/fuzz
CORPUS=${FUZZ_CORPUS:-$WORK/corpus}
MAX_INPUT_NBYTES=16384
export UBSAN_OPTIONS=print_stacktrace=1
export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1

# dictionary_of TARGET: the format's dictionary, for targets whose input is an encoding.
dictionary_of() {
    local file=fuzz/dict/${1%_bytes}.dict
    [[ $1 == *_bytes && -f $file ]] && echo "$file"
    return 0
}

# start_inputs TARGET: the directories to start from: what is in git, and what earlier nights kept.
start_inputs() {
    local dir
    for dir in fuzz/seeds/"$1" fuzz/regressions/"$1" "$CORPUS/$1"; do
        [[ -d $dir ]] && echo "$dir"
    done
    return 0
}

# last_match REGEX FILE: the first group of the last match in a log, or 0.
last_match() {
    local line value=0
    while IFS= read -r line; do
        [[ $line =~ $1 ]] && value=${BASH_REMATCH[1]}
    done <"$2"
    echo "$value"
}

# run_libfuzzer TARGET SECONDS: sets elapsed, execs, corpus, coverage, found. New inputs stay in
# $WORK/libfuzzer/TARGET/corpus.
run_libfuzzer() {
    local target=$1 seconds=$2 dir=$WORK/libfuzzer/$1 dictionary start status=0 began=$SECONDS
    rm -rf "$dir"
    mkdir -p "$dir/artifacts" "$dir/corpus"
    dictionary=$(dictionary_of "$target")
    mapfile -t start < <(start_inputs "$target")
    ASAN_OPTIONS=quarantine_size_mb=32 build/libfuzzer/fuzz/"$target" -max_total_time="$seconds" \
        -timeout=5 -rss_limit_mb=512 -malloc_limit_mb=256 -max_len=$MAX_INPUT_NBYTES \
        -print_final_stats=1 -artifact_prefix="$dir/artifacts/" ${dictionary:+-dict="$dictionary"} \
        "$dir/corpus" "${start[@]}" >"$dir/log" 2>&1 || status=$?
    elapsed=$((SECONDS - began))
    execs=$(last_match 'stat::number_of_executed_units: ([0-9]+)' "$dir/log")
    coverage=$(last_match ' cov: ([0-9]+) ' "$dir/log")
    corpus=$(last_match ' corp: ([0-9]+)/' "$dir/log")
    found=("$dir"/artifacts/{crash,timeout,oom,leak}-*)
    if ((status != 0 && ${#found[@]} == 0)) || ((execs == 0)); then
        engine_failed libfuzzer "$target" "$dir/log"
    fi
}

# run_afl TARGET SECONDS [OPTION...]: the same for AFL++; new inputs stay in
# $WORK/afl/TARGET/main/queue.
run_afl() {
    local target=$1 seconds=$2 dir=$WORK/afl/$1 dictionary start failing status=0 began=$SECONDS
    shift 2
    rm -rf "$dir"
    mkdir -p "$dir/start"
    while read -r start; do
        find "$start" -type f -not -name '.*' -exec cp -t "$dir/start" {} +
    done < <(start_inputs "$target")
    mapfile -t failing < <(failing_inputs "$target" "$dir/start")
    dictionary=$(dictionary_of "$target")
    AFL_CUSTOM_MUTATOR_LIBRARY=build/afl/fuzz/mutator_${target##*_}.so \
        afl-fuzz -M main -i "$dir/start" -o "$dir" -V "$seconds" -t 5000 -m none \
        -G $MAX_INPUT_NBYTES ${dictionary:+-x "$dictionary"} "$@" \
        -- build/afl/fuzz/"$target" >"$dir/log" 2>&1 || status=$?
    if ((status != 0)) || [[ ! -f $dir/main/fuzzer_stats ]]; then
        engine_failed afl "$target" "$dir/log"
    fi
    elapsed=$((SECONDS - began))
    execs=$(last_match '^execs_done +: ([0-9]+)' "$dir/main/fuzzer_stats")
    corpus=$(last_match '^corpus_count +: ([0-9]+)' "$dir/main/fuzzer_stats")
    coverage=$(last_match '^edges_found +: ([0-9]+)' "$dir/main/fuzzer_stats")
    found=("${failing[@]}" "$dir"/main/{crashes,hangs}/id:*)
}

# failing_inputs TARGET DIR: the inputs that fail from the start. AFL++ drops such ones in silence.
failing_inputs() {
    { build/asan/fuzz/"$1" "$2" 2>&1 || true; } |
        sed -n 's/^replay: FAILED on \(.*\); again: .*/\1/p'
}

# engine_failed ENGINE TARGET LOG: the engine itself broke, which is no finding and no pass either.
engine_failed() {
    echo "fuzz: $1 could not run $2; the end of $3:" >&2
    tail -n 15 "$3" >&2
    exit 2
}

# bucket_of TARGET FILE ORIGIN: one line that says what broke, from a replay under ASan and UBSan.
bucket_of() {
    local output line
    output=$(build/asan/fuzz/"$1" "$2" 2>&1) || true
    line=$(grep -m1 -E 'BAKEOFF-DIFF' <<<"$output" ||
        grep -m1 -E 'SUMMARY: |runtime error: ' <<<"$output" ||
        grep -m1 -E '^replay: ' <<<"$output" || echo "not reproduced by a replay: ${3##*/}")
    echo "${line#replay: }"
}

# report ENGINE TARGET: one progress line, then each bucket with the command that replays it. 1 when
# there are any.
report() {
    local engine=$1 target=$2 file kept bucket
    local -A count=() example=()
    printf '%-9s %-18s %4d s %10d execs  corpus %5d  coverage %5d  findings %d\n' \
        "$engine" "$target" "$elapsed" "$execs" "$corpus" "$coverage" "${#found[@]}"
    for file in "${found[@]}"; do
        mkdir -p "$WORK/findings/$target"
        kept=$WORK/findings/$target/$(sha1sum "$file" | cut -c1-16)
        cp "$file" "$kept"
        bucket=$(bucket_of "$target" "$kept" "$file")
        count[$bucket]=$((${count[$bucket]:-0} + 1))
        example[$bucket]=${example[$bucket]:-$kept}
    done
    for bucket in "${!count[@]}"; do
        echo "  $bucket"
        echo "    ${count[$bucket]} inputs; replay: build/asan/fuzz/$target ${example[$bucket]}"
    done
    ((${#found[@]} == 0))
}
