# shellcheck shell=bash
# Running one target under one engine. Sourced by the scripts that do.

set -euo pipefail
shopt -s nullglob

WORK=build/fuzz
CORPUS=${FUZZ_CORPUS:-$WORK/corpus}
export UBSAN_OPTIONS=print_stacktrace=1
export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1

# limit_of NAME: a number of limits.h.
limit_of() {
    sed -n "s/^ *BO_FUZZ_$1 = \([0-9]*\),.*/\1/p" fuzz/limits.h
}
MAX_INPUT_NBYTES=$(limit_of MAX_INPUT_NBYTES)
MAX_SECONDS=$(limit_of MAX_SECONDS)
LIBFUZZER_LIMITS=("-max_len=$MAX_INPUT_NBYTES" "-timeout=$MAX_SECONDS"
    "-rss_limit_mb=$(limit_of MAX_RSS_MB)" "-malloc_limit_mb=$(limit_of MAX_ALLOCATION_MB)")
AFL_LIMITS=(-G "$MAX_INPUT_NBYTES" -t "${MAX_SECONDS}000" -m "$(limit_of MAX_RSS_MB)")

# targets_of FORMAT: all of them, one a line.
targets_of() {
    tr ' ' '\n' <<<"$FUZZ_ALL_TARGETS" | grep "^$1_"
}

# kind_of TARGET: the kind, for example model for pcdata_model, import for pcdata_import_go_pclntab.
kind_of() {
    local kind=${1#*_}
    echo "${kind%%_*}"
}

# dictionary_of TARGET: its own dictionary, or the format's if its input is bytes of the format.
dictionary_of() {
    local file
    [[ $(kind_of "$1") = @(bytes|import) ]] || return 0
    for file in "fuzz/dict/$1.dict" "fuzz/dict/${1%%_*}.dict"; do
        [[ ! -f $file ]] || { echo "$file"; return 0; }
    done
}

# known_inputs TARGET: the directories of the inputs in git and of those kept by earlier nights.
known_inputs() {
    local dir
    for dir in build/seeds/"$1" fuzz/regressions/"$1" "$CORPUS/$1"; do
        [[ -d $dir ]] && echo "$dir"
    done
    return 0
}

# passing_inputs TARGET: the same without the regressions that this night has added, which fail.
passing_inputs() {
    local dir file name
    while read -r dir; do
        if [[ $dir = fuzz/regressions/* && -d $WORK/findings/$1 ]]; then
            for file in "$dir"/*; do
                name=${file##*/} # nightly.sh may append a hash
                [[ -f $WORK/findings/$1/$name || -f $WORK/findings/$1/${name%-*} ]] || echo "$file"
            done
        else
            echo "$dir"
        fi
    done < <(known_inputs "$1")
}

# start_inputs TARGET COPY: the inputs to start from. Those in git are copied to the directory COPY. It leaves out
# timeout regressions, of which an engine runs only a few per second, and inputs that a replay has just reported.
start_inputs() {
    local dir failing=()
    rm -rf "$2"
    mkdir -p "$2"
    while read -r dir; do
        [[ $dir != "$CORPUS"/* ]] || { echo "$dir"; continue; }
        find "$dir" -type f -not -name '.*' -not -name 'too-slow-*' -exec cp -t "$2" {} +
    done < <(known_inputs "$1")
    [[ ! -f $WORK/failing/$1 ]] || mapfile -t failing <"$WORK/failing/$1"
    for dir in "${failing[@]}"; do rm -f "$2/${dir##*/}"; done
    echo "$2"
}

# last_match REGEX FILE: the first group of the last match in a log, or 0.
last_match() {
    local line value=0
    while IFS= read -r line; do
        [[ $line =~ $1 ]] && value=${BASH_REMATCH[1]}
    done <"$2"
    echo "$value"
}

# ms_since MS: milliseconds since a time that an earlier `ms_since 0` returned.
ms_since() {
    local us=${EPOCHREALTIME/./}
    echo $((us / 1000 - $1))
}

# facts_libfuzzer DIR: sets execs, corpus, coverage, features from the log so far.
facts_libfuzzer() {
    execs=$(last_match '^#([0-9]+)' "$1/log")
    coverage=$(last_match ' cov: ([0-9]+) ' "$1/log")
    features=$(last_match ' ft: ([0-9]+) ' "$1/log")
    corpus=$(last_match ' corp: ([0-9]+)' "$1/log")
    found=("$1"/artifacts/{crash,timeout,oom,leak}-*)
}

facts_afl() { # DIR
    execs=0 corpus=0 coverage=0 features=0
    found=("$1"/main/{crashes,hangs}/id:*)
    [[ -f $1/main/fuzzer_stats ]] || return 0
    execs=$(last_match '^execs_done +: ([0-9]+)' "$1/main/fuzzer_stats")
    corpus=$(last_match '^corpus_count +: ([0-9]+)' "$1/main/fuzzer_stats")
    coverage=$(last_match '^edges_found +: ([0-9]+)' "$1/main/fuzzer_stats")
    features=$coverage
}

# watch ENGINE TARGET SECONDS PROCESS: prints a line every half minute until the process ends, and returns its status.
watch() {
    local began next=30 now
    began=$(ms_since 0)
    while kill -0 "$4" 2>/dev/null; do
        now=$(($(ms_since "$began") / 1000))
        if ((now >= next && now < $3)); then
            facts_"$1" "$WORK/$1/$2"
            progress "$1" "$2" "$(($3 - now)) s left"
            next=$((now + 30))
        fi
        sleep 0.2
    done
    wait "$4"
}

progress() { # ENGINE TARGET WHEN
    printf '%-9s %-28s %10s %10d execs  corpus %5d  coverage %5d  findings %d\n' \
        "$1" "$2" "$3" "$execs" "$corpus" "$coverage" "${#found[@]}"
}

# run_replay TARGET: replays the inputs in git. $WORK/failing/TARGET lists the inputs that fail, if any.
run_replay() {
    local log=$WORK/replay/$1.log inputs began
    mkdir -p "$WORK/replay" "$WORK/failing"
    rm -f "$WORK/failing/$1"
    mapfile -t inputs < <(CORPUS=/nowhere known_inputs "$1")
    execs=0 corpus=0 coverage=0 found=()
    began=$(ms_since 0)
    build/asan/fuzz/"$1" "${inputs[@]}" >"$log" 2>&1 || true
    elapsed_ms=$(ms_since "$began")
    execs=$(last_match ': ([0-9]+) inputs replayed' "$log")
    mapfile -t found < <(sed -n 's/^replay: FAILED on \(.*\); again: .*/\1/p' "$log")
    ((${#found[@]} == 0)) || printf '%s\n' "${found[@]}" >"$WORK/failing/$1"
    ((execs)) && ((${#found[@]} || $(last_match ', ([0-9]+) failed' "$log") == 0)) ||
        engine_failed replay "$1" "$log"
}

# run_libfuzzer TARGET SECONDS [OPTION...]: sets elapsed_ms, execs, corpus, coverage, features, found.
# New inputs stay in $WORK/libfuzzer/TARGET/corpus.
run_libfuzzer() {
    local target=$1 seconds=$2 dir=$WORK/libfuzzer/$1 dictionary start status=0 began
    shift 2
    rm -rf "$dir"
    mkdir -p "$dir/artifacts" "$dir/corpus"
    dictionary=$(dictionary_of "$target")
    mapfile -t start < <(start_inputs "$target" "$dir/given")
    began=$(ms_since 0)
    ASAN_OPTIONS=quarantine_size_mb=32 BAKEOFF_FUZZ_COUNTS=$dir/counts \
        build/libfuzzer/fuzz/"$target" -max_total_time="$seconds" \
        "${LIBFUZZER_LIMITS[@]}" -artifact_prefix="$dir/artifacts/" ${dictionary:+-dict="$dictionary"} "$@" \
        "$dir/corpus" "${start[@]}" >"$dir/log" 2>&1 &
    watch libfuzzer "$target" "$seconds" $! || status=$?
    elapsed_ms=$(ms_since "$began")
    facts_libfuzzer "$dir"
    if ((${#found[@]} == 0 && (status != 0 || execs == 0))); then
        engine_failed libfuzzer "$target" "$dir/log"
    fi
}

# run_afl TARGET SECONDS [OPTION...]: the same for AFL++; new inputs stay in
# $WORK/afl/TARGET/main/queue.
run_afl() {
    local target=$1 seconds=$2 dir=$WORK/afl/$1 dictionary start failing mutator='' status=0 began
    shift 2
    rm -rf "$dir"
    mkdir -p "$dir/start"
    while read -r start; do
        find "$start" -type f -not -name '.*' -exec cp -t "$dir/start" {} +
    done < <(start_inputs "$target" "$dir/given")
    dictionary=$(dictionary_of "$target")
    [[ ${BAKEOFF_FUZZ_PLAIN:-} ]] || mutator=build/afl/fuzz/mutator_$(kind_of "$target").so
    began=$(ms_since 0)
    AFL_CUSTOM_MUTATOR_LIBRARY=$mutator BAKEOFF_FUZZ_COUNTS=$dir/counts afl-fuzz \
        -M main -i "$dir/start" -o "$dir" -V "$seconds" "${AFL_LIMITS[@]}" ${dictionary:+-x "$dictionary"} "$@" \
        -- build/afl/fuzz/"$target" >"$dir/log" 2>&1 &
    watch afl "$target" "$seconds" $! || status=$?
    elapsed_ms=$(ms_since "$began")
    if ((status != 0)) || [[ ! -f $dir/main/fuzzer_stats ]]; then
        engine_failed afl "$target" "$dir/log"
    fi
    mapfile -t failing < <(failing_inputs "$target" "$dir/start"; failing_queue "$dir/main" "$target")
    facts_afl "$dir"
    found+=("${failing[@]}")
}

# failing_in_replay TARGET DIR: the inputs that fail under ASan and UBSan.
failing_in_replay() {
    { build/asan/fuzz/"$1" "$2" 2>&1 || true; } | sed -n 's/^replay: FAILED on \(.*\); again: .*/\1/p'
}

# failing_queue INSTANCE TARGET: AFL++'s build has no sanitizers, so its queue holds inputs that only these reject.
failing_queue() {
    [[ ! -d $1/queue ]] || failing_in_replay "$2" "$1/queue"
}

# failing_inputs TARGET DIR: the inputs that fail before any mutation, which AFL++ drops silently. Runs in AFL++'s own
# build if a replay finds nothing.
failing_inputs() {
    local input
    failing_in_replay "$1" "$2" | grep . && return
    build/afl/fuzz/"$1" "$2"/* >/dev/null 2>&1 && return
    for input in "$2"/*; do
        build/afl/fuzz/"$1" "$input" >/dev/null 2>&1 || echo "$input"
    done
}

# engine_failed ENGINE TARGET LOG: reports that the engine itself failed, which is neither a finding nor a success.
engine_failed() {
    echo "fuzz: $1 could not run $2; the end of $3:" >&2
    tail -n 15 "$3" >&2
    exit 2
}
