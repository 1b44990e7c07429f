#!/bin/bash
# nightly.sh TARGET MINUTES: AFL++ (an instance with the mutator, one with CmpLog), then libFuzzer in fork mode, half
# of the time each. Inputs that add coverage are kept; findings become regressions.
#
# The corpus is in FUZZ_CORPUS (build/fuzz/corpus). TARGET.stats in that folder has the numbers of the last run: files,
# features, coverage. The run fails when one of them has decreased by more than a tenth; FUZZ_PRUNE=1 minimises the
# corpus anew and accepts the decrease. It also fails when no codec accepted any input, since then no input got past the
# header. build/fuzz/night/TARGET.tsv has the numbers for the report. Exits 0, 1 on a new finding or a decrease, 2 when
# an engine could not run.

. fuzz/engines.sh
. fuzz/findings.sh
target=$1 half=$((30 * $2)) status=0
store=$CORPUS/$target
stats=$CORPUS/$target.stats
night=$WORK/night/$target
mkdir -p "$store" "$WORK/night"
rm -rf "$night".* "$WORK/reported/$target" "$WORK/findings/$target" "$WORK/failing/$target"

# measure: "FILES FEATURES COVERAGE" of the stored corpus.
measure() {
    local log=$WORK/$target.measure files=("$store"/*)
    build/libfuzzer/fuzz/"$target" -runs=0 -artifact_prefix="$WORK/" "$store" >"$log" 2>&1 ||
        engine_failed libfuzzer "$target" "$log"
    echo "${#files[@]} $(last_match ' ft: ([0-9]+) ' "$log") $(last_match ' cov: ([0-9]+) ' "$log")"
}

# merge INTO FROM...: adds the files that bring new coverage.
merge() {
    local log=$WORK/$target.merge
    build/libfuzzer/fuzz/"$target" -merge=1 "${LIBFUZZER_LIMITS[@]}" -artifact_prefix="$WORK/" "$@" >"$log" 2>&1 ||
        engine_failed libfuzzer "$target" "$log"
}

# note ENGINE: writes a line for the report, and stores new buckets where the next build replays them.
note() {
    local dir=$WORK/$1/$target finding name kept=fuzz/regressions/$target
    printf '%s\t%s\t%d\t%d\t%d\t%d\n' "$target" "$1" $((elapsed_ms / 1000)) "$execs" "$coverage" \
        "$n_buckets" >>"$night.tsv"
    cp "$dir/counts" "$night.counts-$1"
    for finding in "$WORK/findings/$target"/*; do
        name=${finding##*/}
        [[ $name != not-reproduced* ]] && ! is_known "$target" "$name" || continue
        if [[ -f $kept/$name ]] && ! cmp -s "$finding" "$kept/$name"; then # an older bug of this bucket
            name+=-$(sha1sum <"$finding" | cut -c 1-8)
        fi
        install -D -m 644 "$finding" "$kept/$name"
    done
}

# accepted: the number of inputs that codecs accepted, under both engines: the second half of the counts.
accepted() {
    cat "$night".counts-* | od -An -v -w8 -tu8 | awk '(NR - 1) % 128 >= 64 { n += $1 } END { print n + 0 }'
}

# fell NAME BEFORE AFTER: true if the number decreased by more than a tenth.
fell() {
    ((10 * $3 >= 9 * $2)) && return 1
    echo "fuzz: $1 of $target fell from $2 to $3; FUZZ_PRUNE=1 accepts this decrease" >&2
}

# An input of the corpus that fails is a finding, and leaves the corpus: merges skip such inputs silently.
mapfile -t found < <(failing_in_replay "$target" "$store")
if ((${#found[@]})); then
    execs=${#found[@]} corpus=0 coverage=0 elapsed_ms=0
    report replay "$target" || status=1
    rm -f "${found[@]}"
fi

mapfile -t start < <(start_inputs "$target" "$WORK/$target.given")
merge "$store" "${start[@]}"
figures=$(measure) || exit 2
read -r files_before features_before coverage_before <<<"$figures"
[[ ! -f $stats || ${FUZZ_PRUNE:-} ]] || read -r files_before features_before coverage_before <"$stats"

# CmpLog runs in an instance of its own next to the main one, which has our mutator. It starts when the main one has,
# from the same inputs.
run_cmplog() {
    local main=$WORK/afl/$target/main/fuzzer_stats
    for ((i = 0; i < 600; i++)); do
        [[ ! -f $main ]] || break
        sleep 0.1
    done
    afl-fuzz -S cmplog -i "$WORK/afl/$target/start" -o "$WORK/afl/$target" -V "$half" \
        "${AFL_LIMITS[@]}" -c build/cmplog/fuzz/"$target" \
        -- build/afl/fuzz/"$target" >"$WORK/$target.cmplog" 2>&1 || true
}
rm -rf "$WORK/afl/$target"
run_cmplog &
run_afl "$target" "$half"
wait
[[ -f $WORK/afl/$target/cmplog/fuzzer_stats ]] || engine_failed cmplog "$target" "$WORK/$target.cmplog"
mapfile -t failing < <(failing_queue "$WORK/afl/$target/cmplog" "$target")
found+=("${failing[@]}" "$WORK/afl/$target"/cmplog/{crashes,hangs}/id:*)
report afl "$target" || status=1
note afl
run_libfuzzer "$target" "$half" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1
report libfuzzer "$target" || status=1
note libfuzzer

merge "$store" "$WORK/afl/$target"/{main,cmplog}/queue "$WORK/libfuzzer/$target/corpus"
if [[ ${FUZZ_PRUNE:-} ]]; then
    rm -rf "$store.pruned"
    mkdir "$store.pruned"
    merge "$store.pruned" "$store"
    rm -rf "${store:?}"
    mv "$store.pruned" "$store"
fi
figures=$(measure) || exit 2
read -r files features coverage <<<"$figures"
echo "corpus    $target: $files_before -> $files files, $features_before -> $features features," \
    "coverage $coverage_before -> $coverage"
printf '%s\tcorpus\t%d\t%d\t%d\t%d\t%d\t%d\n' "$target" "$files_before" "$files" "$features_before" \
    "$features" "$coverage_before" "$coverage" >>"$night.tsv"
if [[ ! ${FUZZ_PRUNE:-} ]]; then
    ! fell files "$files_before" "$files" || status=1
    ! fell features "$features_before" "$features" || status=1
    ! fell coverage "$coverage_before" "$coverage" || status=1
fi
if (($(accepted) == 0)); then
    echo "fuzz: no codec accepted any input of $target: no input got past the header" >&2
    status=1
fi
((status)) || echo "$files $features $coverage" >"$stats"
exit $status
