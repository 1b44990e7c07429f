#!/bin/bash
# mutator.sh SECONDS TARGET...: measures the benefit of the structure-aware mutator: the edges that each engine
# reaches from one byte, with it and without. Writes results/fuzz/mutator.tsv.

. fuzz/engines.sh
seconds=$1
shift
table=results/fuzz/mutator.tsv

start_inputs() { echo "$WORK/one-byte"; }
mkdir -p "$WORK/one-byte" "${table%/*}"
echo >"$WORK/one-byte/start"
echo "# $seconds s, from one byte; $(date -u +%Y-%m-%d), commit $(git rev-parse --short=12 HEAD)" >"$table"
for target; do
    for engine in libfuzzer afl; do
        run_$engine "$target" "$seconds"
        with=$coverage
        # Both wrappers then leave mutation to the engine.
        BAKEOFF_FUZZ_PLAIN=1 run_$engine "$target" "$seconds"
        printf '%s\t%s\t%d\t%d\n' "$target" "$engine" "$with" "$coverage" | tee -a "$table"
    done
done
