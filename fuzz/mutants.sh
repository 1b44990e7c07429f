#!/bin/bash
# mutants.sh N SEED [FORMAT...]: the mutation score. Plants N edits (fuzz/edits.c), one at a time, in copies
# of the working files, and runs the quick checks on each; FORMAT is a format or `harness`, all by default.
# mutants.sh anchors: checks that every line of fuzz/mutants/equivalent.tsv is still in the sources.
#
# An edit is *detected* by the first check that fails or exceeds its limit of CPU time. It is *equivalent* if it
# compiles to the same object code or is listed in equivalent.tsv with the reason. Otherwise it is a *survivor*. Edits
# that do not compile, or are in files that are not built here, are not counted. The checks are
# `make quick/checks/FORMAT`; if these pass, `make VARIANT=asan quick/sanitized/FORMAT`; if these pass, the counts of
# instructions (`make quick/instructions/FORMAT`; all in fuzz.mk). Each processor tries one edit at a time, in a tree of
# its own, in which an edit rebuilds only what depends on it.
#
# build/mutants/state.tsv stores every verdict. A run with the same N and SEED continues where the last one stopped, and
# a run with a larger N adds edits. Survivors are tried again when any working file has changed. A complete run of all
# formats writes results/fuzz/mutants.tsv. Exits 1 when an edit that is listed as equivalent is detected.
set -eu -o pipefail

# Limits for a process of a check: several times the need of the slowest one without an edit. A check that only waits
# ends after WALL_SECONDS.
CPU_SECONDS=${MUTANTS_CPU_SECONDS:-40} WALL_SECONDS=${MUTANTS_WALL_SECONDS:-900}
EQUIVALENT=fuzz/mutants/equivalent.tsv
WORK=$PWD/build/mutants
STATE=$WORK/state.tsv

fail() { echo "mutants: $*" >&2; exit 1; }

# Lines of equivalent.tsv: file, place, line, edited line, reason.
check_anchors() {
    local file place line edited reason n=0
    while IFS=$'\t' read -r file place line edited reason; do
        [[ -n $reason ]] || fail "$EQUIVALENT: no reason: $file: $edited"
        grep -qF -- "$line" "$file" || fail "$EQUIVALENT: not in $file any more: $line"
        n=$((n + 1))
    done < <(grep -v '^#' $EQUIVALENT)
    echo "$n passed, 0 failed: equivalent edits that are still in the sources"
}

# Sources to edit: neither tests nor generators of data for tests and benchmarks.
sources() { # [FORMAT...]
    local of
    for of in "$@"; do
        [[ $of = harness ]] && of=harness || of=codecs/$of
        find $of -name '*.[ch]'
    done | grep -vE '/(test_[^/]*|(records_)?generate[^/]*|resample|mutate|workloads|selfcheck)\.[ch]$'
}

part_of() { # FILE
    [[ $1 = harness/* ]] && echo harness || { local name=${1#codecs/}; echo "${name%%/*}"; }
}

# A hash of everything that a verdict depends on.
stamp() { # TREE
    (cd "$1" && find . -path ./build -prune -o -type f -print0 | sort -z | xargs -0 md5sum) | md5sum |
        cut -c1-12
}

VARIANTS="gcc asan"

# A tree consists of the working files and the objects that are already built. `pristine` has only the objects.
make_trees() { # N
    local t tree variant shared
    rm -rf "$WORK"/tree-* "$WORK"/pristine
    for variant in $VARIANTS; do
        mkdir -p "$WORK/pristine/$variant"
        cp -a "build/$variant/obj" "$WORK/pristine/$variant/"
    done
    for ((t = 0; t < $1; t++)); do
        tree=$WORK/tree-$t
        mkdir -p "$tree"/build
        tar -cf - --exclude=./build --exclude=./.git --exclude=./corpora/fetched --exclude=./results . |
            tar -xf - -C "$tree"
        cp -a "$WORK"/pristine/. "$tree"/build/
        for shared in include corpora generated; do
            [[ ! -e build/$shared ]] || ln -s "$PWD/build/$shared" "$tree/build/$shared"
        done
    done
}

# Runs the checks of a part in the tree. The log ends with the check that failed. Under ASan, memory has no limit, since
# its addresses take terabytes.
run_checks() { # PART
    (
        ulimit -c 0 -t $CPU_SECONDS -v 8000000
        timeout $WALL_SECONDS make -s -j1 MAKEFLAGS= "quick/checks/$1" >"$log" 2>&1
    ) && (
        ulimit -c 0 -t $((4 * CPU_SECONDS))
        timeout $WALL_SECONDS make -s -j1 MAKEFLAGS= VARIANT=asan "quick/sanitized/$1" >"$log" 2>&1
    ) && (
        ulimit -c 0 -t $((4 * CPU_SECONDS))
        timeout $WALL_SECONDS make -s -j1 MAKEFLAGS= "quick/instructions/$1" >"$log" 2>&1
    )
}

last_check() { grep -a '^check: ' "$log" | tail -n 1 | cut -c8-; }

# True if every object that was rebuilt has the same code as before.
same_code() {
    local object
    while read -r object; do
        for from in build/gcc/obj/"$object" "$WORK/pristine/gcc/obj/$object"; do
            objcopy --strip-debug "$from" stripped.o && md5sum <stripped.o
        done | uniq | awk 'END { exit NR != 1 }' || return 1
    done < <(find build/gcc/obj -name '*.o' -newer planted -printf '%P\n')
}

restore() { # FILE
    local variant object
    mv kept "$1"
    for variant in $VARIANTS; do
        rm -f "build/$variant"/*.a "build/$variant"/obj/fuzz/*.a
        find "build/$variant/obj" -name '*.[od]' -newer planted -printf '%P\n' | while read -r object; do
            [[ ! -e $WORK/pristine/$variant/obj/$object ]] ||
                cp -p "$WORK/pristine/$variant/obj/$object" "build/$variant/obj/$object"
        done
    done
}

# try_edit FILE NUMBER EDITED: sets verdict and by.
try_edit() {
    by=-
    cp -p "$1" kept
    touch planted
    EDITED=$3 awk -v number="$2" 'NR == number { print ENVIRON["EDITED"]; next } 1' kept >"$1"
    if ! (ulimit -t 120; make -s -j1 MAKEFLAGS= quick/objects) >"$log" 2>&1; then
        verdict=does-not-compile
    elif [[ -z $(find build/gcc/obj -name '*.o' -newer planted -print -quit) ]]; then
        verdict=not-built # an optional codec whose library is missing
    elif same_code; then
        verdict=same-code
    elif run_checks "$(part_of "$1")"; then
        verdict=survived
    else
        verdict=detected by=$(last_check)
    fi
    restore "$1"
}

report_progress() { # FILE:NUMBER
    local n_done left
    n_done=$(($(wc -l <"$WORK"/finished) + 0))
    left=$(((SECONDS - began) * (n_pending - n_done) / (n_done ? n_done : 1) / 60))
    printf '[%*d/%d, %d min left] %s %s\n' ${#n_pending} "$n_done" "$n_pending" "$left" "$verdict" \
        "$1${by:+: $by}"
}

# Tries the pending edits that no other worker has claimed.
work() { # TREE
    local file number place line edited verdict by log=$PWD/build/mutants/log-$1 i=0
    cd "$WORK/tree-$1"
    while IFS=$'\t' read -r file number place line edited; do
        i=$((i + 1))
        mkdir "$WORK/claims/$i" 2>/dev/null || continue
        try_edit "$file" "$number" "$edited" </dev/null
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$file" "$place" "$line" "$edited" "$verdict" "$by" \
            "$stamp" >>"$STATE"
        echo >>"$WORK"/finished
        [[ $by != - ]] || by=
        report_progress "$file:$number"
        [[ $verdict != survived ]] || printf '    %s\n  ->%s\n' "$line" "$edited"
    done <"$WORK"/pending
}

# Without an edit, all checks pass within the limits.
check_baseline() {
    local part log=$PWD/build/mutants/log
    (
        cd "$WORK/tree-0"
        cut -f1 "$WORK/pending" | while read -r file; do part_of "$file"; done | sort -u |
            while read -r part; do
                echo "without an edit: $part"
                make -s quick/objects >"$log" 2>&1 && run_checks "$part" ||
                    fail "$part fails without an edit: $(last_check); see $log"
                sed -n "s/^not comparable/instructions of $part: &/p" "$log"
            done
    )
}

# The plan's edits with their verdicts: codec, verdict, file:number, line, edited line, by. A file belongs to
# the first codec that shares the most words with its name; else it is the format's, `FORMAT: shared`.
judged() {
    awk -F '\t' -v OFS='\t' -f fuzz/mutants.awk kind=codecs codecs/*/codecs.def kind=equivalent "$EQUIVALENT" \
        kind=state "$STATE" kind=plan "$WORK/plan.tsv"
}

print_table() {
    awk -F '\t' -v OFS='\t' '
        $2 == "does-not-compile" || $2 == "not-built" { next }
        { edits[$1]++; count[$1, $2]++; by_counts[$1] += $6 ~ /^instructions/ }
        END { for (c in edits) print c, edits[c], count[c, "detected"] + 0, by_counts[c] + 0,
                  count[c, "equivalent"] + 0, count[c, "survived"] + 0 }' "$WORK/judged.tsv" | sort
}

[[ $1 != anchors ]] || { check_anchors; exit; }
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
n=$1 seed=$2
shift 2
all=("$@") jobs=$(nproc)
(($#)) || mapfile -t all < <(sed -n 's/^FORMAT(\(.*\))$/\1/p' codecs/formats.def; [[ ! -d harness ]] || echo harness)
mkdir -p "$WORK"
touch "$STATE"
# shellcheck disable=SC2046
"$WORK"/edits "$n" "$seed" $(sources "${all[@]}") >"$WORK"/plan.tsv
make_trees "$jobs"
stamp=$(stamp "$WORK/tree-0")
awk -F '\t' -v OFS='\t' -v stamp="$stamp" '
    known { if ($5 != "survived" || $7 == stamp) tried[$1, $2, $3, $4]; next }
    !(($1, $3, $4, $5) in tried)' known=1 "$STATE" known= "$WORK"/plan.tsv >"$WORK"/pending
n_pending=$(wc -l <"$WORK"/pending)
echo "$(wc -l <"$WORK"/plan.tsv) edits, $n_pending of them to try"
if ((n_pending)); then
    check_baseline
    rm -rf "$WORK"/claims
    mkdir "$WORK"/claims
    : >"$WORK"/finished
    began=$SECONDS
    trap 'trap - INT TERM; kill 0' INT TERM
    for ((t = 0; t < jobs; t++)); do work $t & done
    wait
    [[ $(wc -l <"$WORK"/finished) = "$n_pending" ]] || fail "not all edits were tried; see $WORK/log-*"
fi

judged >"$WORK"/judged.tsv
printf '\nsurvivors:\n'
awk -F '\t' '$2 == "survived" { print "  " $3 ": " $4 "\n    -> " $5 }' "$WORK"/judged.tsv
{ printf 'codec\tedits\tdetected\tby counts\tequivalent\tsurvivors\n'; print_table; } | tee "$WORK"/table.tsv |
    awk -F '\t' '{ printf "%-32s%10s%10s%11s%12s%11s\n", $1, $2, $3, $4, $5, $6 }'
awk -F '\t' 'NR > 1 { d += $3; s += $6 } END { printf "detected: %d of %d that are not equivalent, %.1f%%\n", d,
    d + s, d + s ? 100 * d / (d + s) : 0 }' "$WORK"/table.tsv
if ((!$#)) && [[ -d results/fuzz ]]; then
    {
        echo "# $n edits, seed $seed; $(date -u +%Y-%m-%d), commit $commit"
        tail -n +2 "$WORK"/table.tsv
    } >results/fuzz/mutants.tsv
fi
wrong=$(awk -F '\t' '$2 == "detected" && $7 { print "  " $3 ": " $5 " (" $6 ")" }' "$WORK"/judged.tsv)
[[ -z $wrong ]] || { printf 'mutants: listed as equivalent, but detected:\n%s\n' "$wrong" >&2; exit 1; }
