#!/bin/bash
# nightly.sh TARGET MINUTES: AFL++ with CmpLog, then libFuzzer, half of the time each; what adds
# coverage is kept.
#
# The corpus lies in FUZZ_CORPUS (build/fuzz/corpus), with its size and coverage beside it in
# TARGET.stats. When either is smaller than the last night left it, the night fails: set
# FUZZ_PRUNE=1 once to minimise anew and accept the loss. Exits 0, 1 on a finding or a loss, 2 when
# an engine could not run.

. fuzz/engines.sh
target=$1 half=$((30 * $2)) status=0
store=$CORPUS/$target
stats=$CORPUS/$target.stats
mkdir -p "$store"

# measure: "FILES COVERAGE" of the stored corpus.
measure() {
    local log=$WORK/$target.measure files=("$store"/*)
    build/libfuzzer/fuzz/"$target" -runs=0 "$store" >"$log" 2>&1 ||
        engine_failed libfuzzer "$target" "$log"
    echo "${#files[@]} $(last_match ' cov: ([0-9]+) ' "$log")"
}

# merge INTO FROM...: adds the files that bring new coverage.
merge() {
    local log=$WORK/$target.merge
    build/libfuzzer/fuzz/"$target" -merge=1 -timeout=5 "$@" >"$log" 2>&1 ||
        engine_failed libfuzzer "$target" "$log"
}

mapfile -t start < <(start_inputs "$target")
merge "$store" "${start[@]}"
if [[ -f $stats && ! ${FUZZ_PRUNE:-} ]]; then
    read -r files_before coverage_before <"$stats"
else
    read -r files_before coverage_before <<<"$(measure)"
fi

run_afl "$target" "$half" -c build/cmplog/fuzz/"$target"
report afl "$target" || status=1
run_libfuzzer "$target" "$half"
report libfuzzer "$target" || status=1

merge "$store" "$WORK/afl/$target/main/queue" "$WORK/libfuzzer/$target/corpus"
if [[ ${FUZZ_PRUNE:-} ]]; then
    rm -rf "$store.pruned"
    mkdir "$store.pruned"
    merge "$store.pruned" "$store"
    rm -rf "${store:?}"
    mv "$store.pruned" "$store"
fi
read -r files coverage <<<"$(measure)"
echo "corpus    $target: $files_before -> $files files, coverage $coverage_before -> $coverage"
if [[ ! ${FUZZ_PRUNE:-} ]] && ((files < files_before || coverage < coverage_before)); then
    echo "fuzz: the corpus of $target shrank; FUZZ_PRUNE=1 accepts that" >&2
    exit 1
fi
echo "$files $coverage" >"$stats"
exit $status
