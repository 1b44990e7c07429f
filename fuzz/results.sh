#!/bin/bash
# results.sh MINUTES FORMAT...: writes the results of the nightly run in build/fuzz to results/fuzz, for the report, and
# the worst units to build/fuzz/worst. If MINUTES is 0, there was no run, and it writes only the coverage and the worst
# units of the present corpus. Exits 1 when the cost of a codec was not linear in its input.

. fuzz/engines.sh
minutes=$1
shift
OUT=results/fuzz
all_formats=$(sed -n 's/^FORMAT(\(.*\))$/\1/p' codecs/formats.def)
made="$(date -u +%Y-%m-%d), commit $(git rev-parse --short=12 HEAD)"
(($# == $(wc -w <<<"$all_formats"))) || made+=", of $(sed 's, ,\, ,g' <<<"$*"); other rows are of earlier nights"
mkdir -p "$OUT"

# sources FORMAT: a hash of all sources of its codecs, without tests and checks.
sources() {
    find codecs/"$1" harness -name '*.[ch]' ! -name 'test_*' ! -path 'harness/check/*' -print0 |
        sort -z | xargs -0 cat | sha1sum | cut -c1-12
}

# counts FORMAT: "CODEC RECEIVED ACCEPTED" for the nightly run: numbers of inputs.
counts() {
    local files=("$WORK/night/$1"_*.counts-*)
    ((${#files[@]})) || return 0
    cat "${files[@]}" | od -An -v -w8 -tu8 |
        awk 'NR == FNR { name[NR - 1] = $1; next }
            { i = (FNR - 1) % 128; if (i < 64) met[i] += $1; else taken[i - 64] += $1 }
            END { for (i = 0; i in name; i++) printf "%s %.0f %.0f\n", name[i], met[i], taken[i] }' \
            <(build/asan/fuzz/"$1_bytes" -l) -
}

# codecs FORMAT: the lines of the table. Counts of earlier nights stay as long as the sources are unchanged.
codecs() {
    local hash seconds name met taken before
    hash=$(sources "$1")
    [[ $(counts "$1") ]] || { earlier codecs "$1"; return; }
    seconds=$(cat "$WORK/night/$1"_*.tsv | awk -F '\t' '$2 != "corpus" { s += $3 } END { print s + 0 }')
    while read -r name met taken; do
        before=$([[ ! -f $OUT/codecs.tsv ]] || awk -F '\t' -v name="$1/$name" -v hash="$hash" \
            '$1 == name && $2 == hash { print $3, $4, $5 }' "$OUT/codecs.tsv")
        awk -v OFS='\t' -v name="$1/$name" -v hash="$hash" -v met="$met" -v taken="$taken" \
            -v s="$seconds" '{ printf "%s\t%s\t%.0f\t%.0f\t%.0f\n", name, hash, $1 + met, $2 + taken, $3 + s }' \
            <<<"${before:-0 0 0}"
    done < <(counts "$1")
}

# worst FORMAT: for each codec's open and decode, the slowest unit of all targets and the one with the largest
# allocations, for each byte; a unit above the limits comes first (observe.c). The replays are those of VARIANT=gcc,
# whose speed is that of real codecs.
worst() {
    local target inputs
    for target in $(targets_of "$1"); do
        mapfile -t inputs < <(passing_inputs "$target")
        build/gcc/fuzz/"$target" -w "$WORK/worst.$target" "${inputs[@]}" >/dev/null
    done
    cat "$WORK/worst.$1"_* | awk -F '\t' -v OFS='\t' -v format="$1" '
        function rate(cost, n, limit) { return cost / (n < 64 ? 64 : n) + (cost > limit ? 1e15 : 0) }
        function time(ns, n) { return rate(ns, n, 1e7 + 20000 * n) }
        function memory(bytes, n) { return rate(bytes, n, 1048576 + 4096 * n) }
        { key = format "/" $1 OFS $2 }
        !(key in slow) || time($4, $5) > time(ns[key], ns_n[key]) { slow[key] = $3; ns[key] = $4; ns_n[key] = $5 }
        !(key in hungry) || memory($7, $8) > memory(b[key], b_n[key]) { hungry[key] = $6; b[key] = $7; b_n[key] = $8 }
        END { for (key in slow) print key, slow[key], ns[key], ns_n[key], hungry[key], b[key], b_n[key] }' |
        sort
}

keep_worst() { # the units themselves
    local codec operation slow hungry
    while IFS=$'\t' read -r codec operation slow _ _ hungry _; do
        mkdir -p "$WORK/worst/$codec"
        cp "$slow" "$WORK/worst/$codec/$operation-slow"
        cp "$hungry" "$WORK/worst/$codec/$operation-hungry"
    done
}

# earlier NAME FORMAT: the rows that an earlier night wrote, perhaps for other sources.
earlier() {
    [[ ! -f $OUT/$1.tsv ]] || awk -v format="$2" '$1 ~ "^" format "[_/]"' "$OUT/$1.tsv"
}

# table NAME COMMENT FUNCTION FORMAT...: rows of other formats stay unchanged.
table() {
    local name=$1 comment=$2 function=$3 format
    shift 3
    {
        echo "# $comment; last run $made"
        for format in $all_formats; do
            if [[ " $* " = *" $format "* ]]; then "$function" "$format"; else earlier "$name" "$format"; fi
        done
    } >"$WORK/$name.tsv"
    mv "$WORK/$name.tsv" "$OUT/$name.tsv"
}

targets() { # rows of targets that did not run stay unchanged
    {
        cat "$WORK/night/$1"_*.tsv </dev/null
        earlier targets "$1" | while IFS= read -r row; do
            [[ -f $WORK/night/${row%%$'\t'*}.tsv ]] || echo "$row"
        done
    } | sort -s -t $'\t' -k 1,1
}
coverage() { sed "s|^|$1/|" "$WORK/coverage/$1.tsv"; }
gaps() { cat "$WORK/coverage/$1.gaps"; }

if ((minutes)); then
    table targets "$minutes min a target" targets "$@"
    table codecs "$minutes min a target in the last night" codecs "$@"
fi
fuzz/coverage.sh "$@"
table coverage "seeds, regressions and the night's corpus" coverage "$@"
table gaps "seeds, regressions and the night's corpus" gaps "$@"
table worst "gcc -O2, seeds, regressions and the night's corpus" worst "$@"
for format; do grep "^$format/" "$OUT/worst.tsv" | keep_worst; done
sed -i "s|$CORPUS/|build/fuzz/corpus/|g" "$OUT/worst.tsv"
# Fails above 20 us and 4 KiB per byte, after an allowance for the first bytes.
awk -F '\t' '!/^#/ && ($4 > 1e7 + 20000 * $5 || $7 > 1048576 + 4096 * $8) {
    print "fuzz: the work of " $1 " is not linear: " $0 >"/dev/stderr"; bad = 1 } END { exit bad }' \
    "$OUT/worst.tsv"
