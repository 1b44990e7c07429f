#!/bin/bash
# coverage.sh FORMAT...: measures how much of each codec the replayed inputs cover, by operation.
#
# The inputs are those in git and the corpus of nightly runs (FUZZ_CORPUS), if there is one. An operation's lines and
# branches are those of the functions in codecs/FORMAT that it enters. Prints one line per codec and one for all codecs.
# Writes to build/fuzz/coverage: FORMAT.tsv has codec, operation, lines, missed lines, branches, missed branches;
# FORMAT.gaps has the code that no input reached (gaps.awk). Uses the replay programs of VARIANT=coverage.

. fuzz/engines.sh
DIR=$WORK/coverage
export LLVM_PROFILE_FILE=/dev/null

# replay FORMAT
replay() {
    local target inputs
    for target in $(targets_of "$1"); do
        mkdir -p "$DIR/$target"
        mapfile -t inputs < <(passing_inputs "$target")
        build/coverage/fuzz/"$target" -c "$DIR/$target" "${inputs[@]}" >/dev/null
    done
}

# sources FORMAT: the sources of its codecs, without tests.
sources() { find codecs/"$1" -name '*.[ch]' ! -name 'test_*'; }

# table FORMAT CODEC OPERATION: prints the line of the TSV. Functions without an executed line do not belong to the
# operation.
table() {
    local profiles=("$DIR/$1"_*/"$2.$3".profraw)
    ((${#profiles[@]})) || return 0
    llvm-profdata merge -o "$DIR/one.profdata" "${profiles[@]}"
    llvm-cov report -show-functions -instr-profile "$DIR/one.profdata" \
        "build/coverage/fuzz/$1_model" $(sources "$1") 2>/dev/null |
        awk -v OFS='\t' -v codec="$2" -v operation="$3" '
            NF == 10 && $1 != "TOTAL" && $5 > $6 { l += $5; lm += $6; b += $8; bm += $9 }
            END { if (l) print codec, operation, l, lm, b, bm }'
}

# gaps FORMAT: prints the code that no operation of any codec reached, and a line of the TSV for all codecs.
gaps() {
    llvm-profdata merge -o "$DIR/all.profdata" "$DIR/$1"_*/*.profraw
    llvm-cov export -format=lcov -instr-profile "$DIR/all.profdata" "build/coverage/fuzz/$1_model" \
        $(sources "$1") 2>/dev/null | awk -f fuzz/gaps.awk >"$DIR/$1.lines"
    tail -n 1 "$DIR/$1.lines" >>"$DIR/$1.tsv"
    sed '$d' "$DIR/$1.lines" >"$DIR/$1.gaps"
}

for format; do
    rm -rf "$DIR/$format"_*
    replay "$format"
    for codec in $(find "$DIR/$format"_* -name "*.profraw" -printf "%f\n" | sed -n 's/\.[a-z]*\.profraw$//p' | sort -u); do
        for operation in encode open query decode; do table "$format" "$codec" "$operation"; done
    done >"$DIR/$format.tsv"
    gaps "$format"
    awk -F '\t' -v format="$format" '
        function percent(missed, all) { return all ? sprintf("%3d", 100 - 100 * missed / all) : "  -" }
        $1 != codec { if (codec) print line; line = sprintf("%-36s", format "/" $1); codec = $1 }
        { line = line "  " $2 " " percent($4, $3) "% " percent($6, $5) "%" }
        END { if (codec) print line }' "$DIR/$format.tsv"
done
