#!/bin/bash
# Checks that the embedded documents, name lists and vectors have the hashes and counts in manifest.json.
# Needs no network.
set -u -o pipefail
cd "$(dirname "$0")" || exit 2
. ./documents.sh
for tool in jq xz zstd; do
    command -v $tool >/dev/null || {
        echo "corpora: NOT CHECKED: $tool is not installed (Debian: jq, xz-utils, zstd)" >&2
        exit 77
    }
done

failed=0
fail() {
    echo "corpora: $*" >&2
    failed=1
}

names=$(jq -r '.documents[].name, .lists[].name' manifest.json) || exit 1
twice=$(sort <<<"$names" | uniq -d)
[ -z "$twice" ] || fail "named twice in the manifest: $twice"

n=0
while IFS=$'\t' read -r name format file sha256 entry; do
    n=$((n + 1))
    units=$(jq -r --arg unit "$(units_of "$format")" '.[$unit]' <<<"$entry")
    has_sha256 "$file" "$sha256" || fail "$file: $name has another SHA-256"
    found=$(text_of "$file" | count_units "$format")
    [ "$found" = "$units" ] || fail "$file: $found $(units_of "$format"), not $units"
done < <(jq -r '(.documents[], (.lists[] | .format = "names")) | select(.embedded) |
    [.name, .format, .file, .sha256, tojson] | join("\t")' manifest.json)
[ $n -gt 0 ] || fail "the manifest has no embedded documents"

while IFS=$'\t' read -r file counters; do
    found=$(text_of "$file" |
        awk 'take { n += $0; take = 0 } /^# Num Counters:$/ { take = 1 } END { print n + 0 }')
    [ "$found" = "$counters" ] || fail "$file: $found counters, not $counters"
done < <(jq -r '.documents[] | select(.embedded and .counters) | [.file, .counters] | @tsv' \
    manifest.json)

# Real files that tests read, and their documents.
while IFS=$'\t' read -r file sha256 document; do
    n=$((n + 1))
    has_sha256 "$file" "$sha256" || fail "$file: the vector has another SHA-256"
    jq -e --arg name "$document" 'any(.documents[]; .name == $name and .embedded)' manifest.json \
        >/dev/null || fail "$file: $document is not an embedded document"
done < <(jq -r '.vectors[] | [.file, .sha256, .document] | @tsv' manifest.json)

# Recorded workloads and their documents; `bakeoff workload check` reads them.
while IFS=$'\t' read -r file sha256 document queries; do
    n=$((n + 1))
    has_sha256 "$file" "$sha256" || fail "$file: the workload has another SHA-256"
    found=$(text_of "$file" | grep -vcE '^(#|action)')
    [ "$found" = "$queries" ] || fail "$file: $found queries, not $queries"
    jq -e --arg name "$document" 'any(.documents[]; .name == $name and .embedded)' manifest.json \
        >/dev/null || fail "$file: $document is not an embedded document"
done < <(jq -r '.workloads[] | [.file, .sha256, .document, .queries] | @tsv' manifest.json)

# The sources of documents must be in the manifest, too.
unknown=$(jq -r '(.lists | map(.name)) as $lists | (.documents | map(.file)) as $files |
    .documents[] | select((.source.list and (.source.list | IN($lists[]) | not)) or
        (.import.counters_like and (.import.counters_like | IN($files[]) | not))) | .name' \
    manifest.json)
[ -z "$unknown" ] || fail "documents whose sources are not in the manifest: $unknown"

# Every text in a format's folder, compressed or not, must be in the manifest.
for file in */*.txt */*.xz */*.zst */*/*.xz; do
    # Conformance vectors are compared with the codecs' output: corpora/vectors.sh check.
    [[ $file != fetched/* && $file != vectors/* ]] || continue
    jq -e --arg file "$file" 'any(.documents[], .lists[], .vectors[], .workloads[]; .file == $file)' \
        manifest.json >/dev/null || fail "$file: not in the manifest"
done
[ $failed -eq 0 ] &&
    echo "corpora: $n embedded documents, lists, workloads and vectors match the manifest"
exit $failed
