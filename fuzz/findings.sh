# shellcheck shell=bash
# Sorts findings into buckets, minimises them and stores them. Sourced after engines.sh.
#
# A bucket identifies a failure by its replay under ASan and UBSan: by the fields of the BAKEOFF-DIFF line, or by the
# sanitizer's summary and the innermost functions of this project. Its name, letters, digits and hyphens, is the file
# name of the stored input. fuzz/known/TARGET/NAME is an accepted finding; NAME.md next to it has the reason.

MAX_PRINTED=8000 # characters of an input in a log

# replay_of TARGET FILE: the output of a replay.
replay_of() {
    build/asan/fuzz/"$1" "$2" 2>&1 || true
}

# bucket_in OUTPUT: prints the bucket as one line; nothing if no property failed.
bucket_in() {
    local line frames
    if line=$(grep -m1 -oE 'BAKEOFF-DIFF .*' <<<"$1"); then
        echo "$line"
    elif line=$(grep -m1 -oE '(SUMMARY: |runtime error: ).*' <<<"$1"); then
        frames=$(grep -oE ' in [a-z0-9_]+ [^ ]*(codecs|harness)/[^ :]+' <<<"$1" | head -n 3 |
            awk '{ n = split($3, part, "/"); print $2 "@" part[n] }' | paste -sd' ')
        # Removes the position, which contains a path, and all numbers that depend on the input.
        line=$(sed -E 's/^SUMMARY: //; s| [^ ]*/.*||; s/-?(0x)?[0-9]+[0-9a-f]*/N/g' <<<"$line")
        echo "$line in ${frames:-unknown}"
    else
        grep -m1 -oE 'too (slow|much memory): .*|FAILED after the last input.*' <<<"$1" ||
            { ! grep -q FAILED <<<"$1" || grep -m1 -oE '^replay: .*' <<<"$1"; }
    fi
}

# answers_in OUTPUT: prints the lines after the BAKEOFF-DIFF line: the query and the answers.
answers_in() {
    sed -n '/^BAKEOFF-DIFF/,$ { /^BAKEOFF-DIFF/d; /^\(replay: \|==\|$\)/q; p }' <<<"$1"
}

# name_of BUCKET: letters, digits and hyphens.
name_of() {
    local name=${1#BAKEOFF-DIFF }
    name=$(sed -E 's/(format|kind|a|b|class)=//g; s/[^A-Za-z0-9]+/-/g; s/^-|-$//g' <<<"$name")
    echo "${name:0:120}"
}

# make_smaller TARGET FILE BUCKET: minimises the file in place with libFuzzer, for ten seconds, without leaving the
# bucket.
make_smaller() {
    local small=$2.smaller
    build/libfuzzer/fuzz/"$1" -minimize_crash=1 -max_total_time=10 "${LIBFUZZER_LIMITS[@]}" \
        -exact_artifact_path="$small" "$2" >"$2.log" 2>&1 || true
    if [[ -s $small && $(bucket_in "$(replay_of "$1" "$small")") = "$3" ]]; then
        mv "$small" "$2"
    fi
    rm -f "$small" "$2.log"
}

# keep TARGET FILE: stores the file in its bucket, and sets bucket, answers and kept. The first file of a bucket is
# minimised. Returns 1 without a bucket if the file exceeded a time limit only in the engine: engines count wall time,
# and other processes add to it.
keep() {
    local output
    output=$(replay_of "$1" "$2")
    bucket=$(bucket_in "$output") answers=$(answers_in "$output")
    [[ $bucket || $2 != */@(timeout-*|hangs/*) ]] || return 1
    bucket=${bucket:-not reproduced by a replay}
    kept=$WORK/findings/$1/$(name_of "$bucket")
    mkdir -p "${kept%/*}"
    [[ ! -f $kept ]] || return 0
    cp "$2" "$kept"
    make_smaller "$1" "$kept" "$bucket"
}

# print_input FILE: prints a command that restores the file from the log; nothing if it is too long for a log.
print_input() {
    local packed
    packed=$(xz -9e --check=crc32 <"$1" | base64 -w 0)
    ((${#packed} > MAX_PRINTED)) || echo "    the input: base64 -d <<<$packed | xz -dc >INPUT"
}

is_known() { # TARGET NAME
    [[ -f fuzz/known/$1/$2 ]]
}

# is_first TARGET NAME: true if no run of this `make fuzz` has reported the bucket before.
is_first() {
    mkdir -p "$WORK/reported/$1"
    mkdir "$WORK/reported/$1/$2" 2>/dev/null
}

# report ENGINE TARGET: prints one line, then each bucket with the query, the answers, and the command that replays
# it. For a bucket that was reported before, it prints only the name. Sets n_buckets. Returns 1 if any bucket is not
# known.
report() {
    local engine=$1 target=$2 file status=0 answers inputs=("${found[@]}") n_slow
    local -A count=() example=() details=()
    found=()
    for file in "${inputs[@]}"; do
        keep "$target" "$file" || continue
        found+=("$file")
        count[$bucket]=$((${count[$bucket]:-0} + 1))
        example[$bucket]=$kept details[$bucket]=$answers
    done
    n_buckets=${#count[@]}
    progress "$engine" "$target" "$((elapsed_ms / 1000)) s"
    n_slow=$((${#inputs[@]} - ${#found[@]}))
    ((n_slow == 0)) || echo "  $n_slow inputs took more than $MAX_SECONDS s of wall time, but not of CPU time"
    for bucket in "${!count[@]}"; do
        file=${example[$bucket]}
        if ! is_first "$target" "${file##*/}"; then
            echo "  ${count[$bucket]} inputs of a bucket reported above: ${file##*/}"
            is_known "$target" "${file##*/}" || status=1
            continue
        fi
        echo "  $bucket"
        [[ -z ${details[$bucket]} ]] || sed 's/^/    /' <<<"${details[$bucket]}"
        if is_known "$target" "${file##*/}"; then
            echo "    ${count[$bucket]} inputs; known: $(head -n 1 "fuzz/known/$target/${file##*/}.md")"
        else
            echo "    ${count[$bucket]} inputs; replay: build/asan/fuzz/$target $file"
            print_input "$file"
            status=1
        fi
    done
    return $status
}

# check_known: checks that accepted findings still occur, each in the bucket of its name. Returns 1 if one does not.
check_known() {
    local file name target status=0
    for file in fuzz/known/*/*; do
        [[ $file != *.md ]] || continue
        target=$(basename "${file%/*}")
        [[ -x build/asan/fuzz/$target ]] || { echo "note: $file: $target is not built"; continue; }
        name=$(name_of "$(bucket_in "$(replay_of "$target" "$file")")")
        if [[ $name != "${file##*/}" ]]; then
            echo "fuzz: $file has expired: it shows '${name:-nothing}'; remove it and its .md" >&2
            status=1
        elif [[ ! -s $file.md ]]; then
            echo "fuzz: $file.md does not say why it is accepted" >&2
            status=1
        fi
    done
    return $status
}
