#!/usr/bin/env bash
# Tests of the recorder: it records a short program, and the expected lookups must be in the workload. A patch that
# does not fit is an error. Exits with 77 when Debian's packages are missing.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD here=corpora/record/go
# shellcheck source=corpora/record/go/toolchain.sh
. $here/toolchain.sh
find_go
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "test_record: FAILED: $*" >&2 && exit 1; }

# 20 stacks of 100 equal frames, scanned three times: the first frame misses the cache, the others hit it.
PCTAB_SKIP=100 $here/record.sh ./$here/programs/deep "$folder/deep" -goroutines 20 -depth 100 -n 3 2>"$folder/said" ||
    fail "$(cat "$folder/said")"
cat "$folder/said"
misses=$(grep -c '^point' "$folder/deep.workload") hits=$(grep -c '^hit' "$folder/deep.workload")
((misses > 100 && hits > 20 * 100 * 3)) || fail "$misses misses, $hits hits"
seen=$(sed -n 's/.* of \([0-9]*\) seen.*/\1/p' "$folder/said")
whole=$(sed -n 's/.*without \([0-9]*\) of whole.*/\1/p' "$folder/said")
((misses + hits + whole + 100 == seen)) || fail "$misses + $hits + $whole + 100 lookups of $seen"
((whole >= 20)) || fail "stacks grow, but only $whole whole tables were read"

# Most hits are of the function that recurses: its table of stack depths and one of stack maps.
sort "$folder/deep.workload" | uniq -c | sort -rn | head -n 2 >"$folder/most"
awk '$1 < 5000 || $2 != "hit" { exit 1 }' "$folder/most" || fail "hits: $(cat "$folder/most")"

# A text that does not occur exactly once: the error names the file and the text.
cat >"$folder/bad.patch" <<'END'
file src/runtime/symtab.go
replace
func pcvalues(
with
func pcvalue(
end
END
if $here/patch.py "$goroot" "$folder" "$folder/bad.patch" 2>"$folder/said"; then fail "a patch that does not fit"; fi
[[ $(cat "$folder/said") = *'src/runtime/symtab.go contains this text 0 times, not once:'*'func pcvalues('* ]] ||
    fail "$(cat "$folder/said")"
echo "test_record: 5 passed"
