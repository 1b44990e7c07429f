#!/usr/bin/env bash
# Conformance vectors of every encoding, in corpora/vectors. `vectors.sh make [FORMAT/CODEC...]` writes them.
# `vectors.sh check [FORMAT/CODEC...]` checks them with every codec that reads the encoding, and checks that every
# encoding has vectors. After a change of a layout, the check fails until its vectors are written again.
set -euo pipefail
cd "$(dirname "$0")/.."
bakeoff=${BAKEOFF:-build/bakeoff}
command -v jq >/dev/null || { echo "jq is missing"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Encodings that need libraries are not the same everywhere.
encodings=$("$bakeoff" list codecs --json | jq -r '.[] | select(.reads == null and .level_of == null and (.optional | not)) | .format + "/" + .codec')
(($# < 2)) || encodings=${*:2}
passed=0 failed=0
for encoding in $encodings; do
    file=corpora/vectors/${encoding/\//-}.json.xz
    if [[ ${1:-check} = make ]]; then
        "$bakeoff" vectors "$encoding" -o "$scratch/vectors.json"
        xz -9e -c "$scratch/vectors.json" >"$file"
    elif [[ ! -e $file ]]; then
        echo "$encoding: no vectors; corpora/vectors.sh make writes them"
        failed=$((failed + 1))
    elif "$bakeoff" verify "${encoding%/*}" --vectors "$file" >"$scratch/log"; then
        passed=$((passed + $(tail -n 1 "$scratch/log" | cut -d' ' -f1)))
    else
        grep '^failed' "$scratch/log" | sed "s,^,$encoding: ," || tail -n 3 "$scratch/log"
        failed=$((failed + 1))
    fi
done
[[ ${1:-check} = make ]] || { echo "$passed passed, $failed failed: conformance vectors" && ((passed)); }
[[ $failed = 0 ]]
