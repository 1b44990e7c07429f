#!/usr/bin/env bash
# Runs every check without size limits (`bakeoff verify --effort full`) on all available documents: embedded, fetched
# and of BAKEOFF_CORPORA. verify_corpora.sh [K/N]. Documents that no run has verified come first, then the smallest; of
# N shards, shard K verifies each N-th document. Writes a row per document to results/fuzz/verify.tsv (VERIFY_RESULTS names another file). An
# interrupted run continues after the last finished document if it is the same program. FORMATS="lprf
# autofdo" selects formats. Exits with 1 when a check failed, 2 when a document could not be read.
set -uo pipefail
shard=${1:-1/1}
bakeoff=${BAKEOFF:-build/bakeoff}
results=${VERIFY_RESULTS:-results/fuzz/verify.tsv}
if ! [[ $shard =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] || ((BASH_REMATCH[1] > BASH_REMATCH[2])); then
    echo "verify-corpora: SHARD=$shard is not K/N, such as 1/4" >&2
    exit 2
fi
k=${BASH_REMATCH[1]} n=${BASH_REMATCH[2]}
commit=$("$bakeoff" --version | sed -n 's/.*(\(.*\)).*/\1/p')
state=build/verify-corpora/$(cksum <"$bakeoff" | cut -d' ' -f1)
mkdir -p "$state" "$(dirname "$results")" || exit 2
touch "$results"

# put_row FORMAT DOCUMENT REST: replaces the row of a document. Rows are sorted. Other shards may do the same.
put_row() {
    exec {lock}>"build/verify-corpora/lock" && flock "$lock"
    awk -F '\t' -v OFS='\t' -v format="$1" -v document="$2" -v row="$1	$2	$3" '
        BEGIN { print "# format, document, result, checks passed, failed, skipped, seconds, date, commit" }
        /^#/ { next }
        $1 != format || $2 != document { rows[++n] = $0 }
        END { rows[++n] = row; for (i = 1; i <= n; i++) print rows[i] | "LC_ALL=C sort" }
    ' "$results" >"$results.new" && mv "$results.new" "$results"
    exec {lock}>&-
}

put_verified() { # FORMAT DOCUMENT "SECONDS<tab>DATE<tab>COMMIT": the row of its JSON
    put_row "$1" "$2" "$(jq -r --arg rest "$3" \
        '[if .failed == 0 then "ok" else "failed" end, .passed, .failed, .skipped, $rest] | join("\t")' \
        "$state/$1-$2.json")"
}

result_of() { # FORMAT DOCUMENT: "" if it has no row
    awk -F '\t' -v format="$1" -v document="$2" '$1 == format && $2 == document { print $3 }' "$results"
}

# Documents drawn for curves over sizes are left out: they repeat a real one.
mapfile -t documents < <("$bakeoff" list corpora --json |
    jq -r --arg formats "${FORMATS:-}" '.[] | select(.present and .state != "drawn") |
        select($formats == "" or (.format as $f | $formats | split(" ") | index($f))) |
        [.format, .name, .path] | @tsv' |
    while IFS=$'\t' read -r format name path; do
        nbytes=$(du -sbL "$path" | cut -f1)
        [[ $path != *.xz && $path != *.zst ]] || nbytes=$((nbytes * 10))
        printf '%s\t%s\t%s\n' "$nbytes" "$format" "$name"
    done | LC_ALL=C sort -n | awk -v k="$k" -v n="$n" 'NR % n == k % n')

total=0 finished=0 started=$SECONDS worst=0 verified=() unverified=()
for line in "${documents[@]}"; do
    IFS=$'\t' read -r nbytes format name <<<"$line"
    total=$((total + nbytes))
    [[ $(result_of "$format" "$name") ]] || put_row "$format" "$name" $'not run\t-\t-\t-\t-\t-\t-'
    case $(result_of "$format" "$name") in ok | failed) verified+=("$line") ;; *) unverified+=("$line") ;; esac
done
documents=(${unverified[@]+"${unverified[@]}"} ${verified[@]+"${verified[@]}"})

i=0 total_here=$total
for line in "${documents[@]}"; do
    IFS=$'\t' read -r nbytes format name <<<"$line"
    i=$((i + 1))
    json=$state/$format-$name.json
    if [[ -s $json ]]; then
        total_here=$((total_here - nbytes))
        echo "[$i/${#documents[@]}] $format $name: verified before"
        put_verified "$format" "$name" "$(<"$state/$format-$name.when")"
        [[ $(jq .failed "$json") = 0 ]] || ((worst == 2)) || worst=1
        continue
    fi
    before=$SECONDS
    "$bakeoff" verify "$format" "$name" --effort full --json >"$json.new" &
    trap 'kill $!; exit 130' INT TERM
    wait $!
    code=$?
    trap - INT TERM
    seconds=$((SECONDS - before)) date=$(date -u +%F)
    if ((code <= 1)); then
        printf '%s\t%s\t%s\n' "$seconds" "$date" "$commit" >"${json%.json}.when"
        mv "$json.new" "$json"
        put_verified "$format" "$name" "$(<"${json%.json}.when")"
    elif ((code == 2)); then
        put_row "$format" "$name" "not read	-	-	-	$seconds	$date	$commit"
    else
        exit "$code" # interrupted
    fi
    ((code <= worst)) || worst=$code
    finished=$((finished + nbytes))
    left=$(((SECONDS - started) * (total_here - finished) / (finished + 1)))
    said="exit code $code"
    [[ ! -s $json ]] || said=$(jq -r '"\(.passed) passed, \(.failed) failed"' "$json")
    printf '[%d/%d] %s %s: %s, %d s; about %d:%02d h left\n' "$i" "${#documents[@]}" "$format" "$name" "$said" \
        "$seconds" $((left / 3600)) $((left / 60 % 60))
done
exit "$worst"
