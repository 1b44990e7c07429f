#!/bin/bash
# Checks that the embedded documents are those that manifest.json lists, byte for byte. Needs no
# network.
set -u -o pipefail
cd "$(dirname "$0")" || exit 2
command -v jq >/dev/null || {
    echo "corpora: NOT CHECKED: jq is not installed (Debian: jq)" >&2
    exit 77
}

failed=0
fail() {
    echo "corpora: $*" >&2
    failed=1
}

names=$(jq -r '.documents[].name' manifest.json) || exit 1
twice=$(sort <<<"$names" | uniq -d)
[ -z "$twice" ] || fail "named twice in the manifest: $twice"

jq -r '.documents[] | select(.embedded) | "\(.sha256)  \(.file)"' manifest.json |
    sha256sum --check --quiet || failed=1
n=0
while read -r file tables; do
    n=$((n + 1))
    found=$(grep -c '^table ' "$file")
    [ "$tables" = null ] || [ "$found" = "$tables" ] || fail "$file: $found tables, not $tables"
done < <(jq -r '.documents[] | select(.embedded) | "\(.file) \(.tables)"' manifest.json)
[ $n -gt 0 ] || fail "the manifest lists no embedded document"

# Every text-form document in a format's folder must be in the list.
for file in */*.txt; do
    jq -e --arg file "$file" 'any(.documents[]; .file == $file)' manifest.json >/dev/null ||
        fail "$file: not in the manifest"
done
[ $failed -eq 0 ] && echo "corpora: $n embedded documents are as the manifest says"
exit $failed
