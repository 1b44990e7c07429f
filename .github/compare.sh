#!/usr/bin/env bash
# Measures two builds in turns for a pull request: compare.sh OLD-BUILD BASE-COMMIT FOLDER [OPTION OF BENCH...]
#
# Of each format whose codecs differ from BASE-COMMIT (of all when the harness or the measuring does), on its smallest
# embedded document. FOLDER gets the results and comment.md. Exits with 0 also when something is worse: that is for people to judge;
# what gates are sizes and instruction counts, in `make test`.
set -euo pipefail
old=$1 base=$2 folder=$3
shift 3
bakeoff=${BAKEOFF:-build/bakeoff}
mkdir -p "$folder"
changed=$(git diff --name-only "$base"...HEAD)
formats=$(sed -n 's,^codecs/\([a-z]*\)/.*\.[ch]c\?$,\1,p' <<<"$changed" | sort -u)
if grep -qE '^(harness/.*\.[ch]|codecs/[^/]*|bench/.*\.[ch]c?|Makefile)$' <<<"$changed"; then
    formats=$("$bakeoff" list formats --json | jq -r '.[].format')
fi
pairs=()
for format in $formats; do
    document=$("$bakeoff" list corpora --json |
        jq -r ".[] | select(.format == \"$format\" and .embedded and (.scale | not)) | \"\(.path)\t\(.name)\"" |
        while IFS=$'\t' read -r path name; do printf '%s\t%s\n' "$(stat -c %s "$path")" "$name"; done |
        sort -n | head -n 1 | cut -f 2)
    "$bakeoff" bench --quick --format "$format" --corpus "$document" --against "$old" "$@" \
        --json "$folder/$format.json" >/dev/null || [[ $? = 1 ]]
    pairs+=("$folder/$format.against.json" "$folder/$format.json")
done
if ((${#pairs[@]})); then
    BAKEOFF=$bakeoff "${0%/*}/comment.sh" "${pairs[@]}" >"$folder/comment.md" || [[ $? = 1 ]]
else
    echo "No codec's code differs: nothing was measured." >"$folder/comment.md"
fi
