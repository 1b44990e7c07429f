#!/usr/bin/env bash
# Prints what a codec lacks: verify_codec.sh FORMAT/NAME. Exits with 0 if nothing is missing that can be checked here.
set -uo pipefail
format=${1%%/*} name=${1#*/}
bakeoff=${BAKEOFF:-build/bakeoff}
lacks=0

lack() {
    lacks=$((lacks + 1))
    printf 'lacks  %s\n' "$1"
}

codec=$("$bakeoff" list codecs --json |
    jq -e ".[] | select(.format == \"$format\" and .codec == \"$name\")") ||
    { echo "verify-codec: there is no codec $1; \`$bakeoff list codecs\` lists them" >&2; exit 2; }
writer=$(jq -r '.reads // .codec' <<<"$codec")
part=${name%%+*} # of a codec of two parts, the first

log=build/verify-codec.log
mkdir -p build
"$bakeoff" verify "$format" --codec "$name" --generate 20 >"$log"
(($? <= 1)) || exit 2
if grep -q '^failed' "$log"; then
    lack "correctness: $(grep -c '^failed' "$log") checks fail, such as"
    grep -m 3 '^failed' "$log"
fi
if [[ $writer = "$name" ]] && grep -q '^skipped' "$log"; then
    lack "models: $(grep -c '^skipped' "$log") checks were skipped, such as"
    grep -m 3 '^skipped' "$log"
fi

for kind in $("$bakeoff" list formats --json |
    jq -r ".[] | select(.format == \"$format\") | .kinds[].kind"); do
    jq -e --arg kind "$kind" '.kinds | index($kind)' <<<"$codec" >/dev/null ||
        lack "queries: $kind is not answered"
done
grep -qF "$part" "codecs/$format/README.md" || lack "its layout: codecs/$format/README.md does not name it"
cut -f2 "codecs/$format/golden.tsv" | grep -qxF "$writer" || lack "golden sizes and hashes: \`make golden\`"
grep -rqsF --include='test_*.c' -e "$part" -e "${part//-/_}" "codecs/$format" ||
    lack "a test of its own: no test_*.c below codecs/$format names it"
# What people take home has vectors; codecs on top of libraries have none.
if jq -e '(.optional | not) and (.role == "new" or .role == "proposed")' <<<"$codec" >/dev/null; then
    if [[ ! -e corpora/vectors/$format-$writer.json.xz ]]; then
        lack "conformance vectors: \`corpora/vectors.sh make $format/$writer\`"
    elif jq -e '.reads == null' <<<"$codec" >/dev/null; then
        BAKEOFF=$bakeoff corpora/vectors_coverage.sh -l "$1" >build/verify-codec-vectors.log 2>&1 &&
            grep -q '^    \*' build/verify-codec-vectors.log &&
            lack "vectors that reach $(grep -c '^    \*' build/verify-codec-vectors.log) lines and sides of conditions: \`corpora/vectors_coverage.sh -l $1\`"
    fi
fi

((lacks)) || echo "$1 lacks nothing: $(tail -n 1 "$log"). \`make test\` and \`make fuzz\` go on from here."
((lacks == 0))
