#!/usr/bin/env bash
# Records the lookups of PC tables of a Go program as a recorded workload.
#
#   record.sh PACKAGE OUT [ARGUMENT...]
#
# Builds PACKAGE with a runtime that records, runs it with the arguments, and writes OUT.txt, the
# tables of the program, and OUT.workload. PACKAGE is what `go build` takes. PCTAB_SKIP is the number
# of lookups to leave out first; at most 1048576 follow. A program that ends by a signal, a panic or
# an exit status other than 0 records nothing. Needs Debian's golang-1.19-go and golang-1.19-src,
# linux/amd64, and build/bakeoff. Exit 77: packages are missing.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
bakeoff=${BAKEOFF:-$root/build/bakeoff}
# shellcheck source=corpora/record/go/toolchain.sh
. "$root/corpora/record/go/toolchain.sh"
if [[ $# -lt 2 ]]; then
    sed -n '4,$ { /^#/!q; s/^# \?//p }' "$0"
    exit 2
fi
package=$1 out=$2
shift 2
find_go

patched=$root/build/go-record
mkdir -p "$patched"
"$root/corpora/record/go/patch.py" "$goroot" "$patched" "$root/corpora/record/go/record.patch"
"$goroot/bin/go" build -overlay "$patched/overlay.json" -o "$out.program" "$package"
rm -f "$out.recording"
PCTAB_RECORDING=$out.recording "$out.program" "$@"
[[ -e $out.recording ]] || { echo "record.sh: $package wrote no recording" >&2 && exit 1; }
"$bakeoff" import pcdata "$out.program" -o "$out.txt"
{
    "$bakeoff" workload header "$out.txt"
    printf '# program: %s\n' "$package${*:+ $*}"
    printf '# version: %s\n' "$("$goroot/bin/go" version | cut -d ' ' -f 3,4)"
    printf '# recorded: runtime.pcvalue by corpora/record/go, from lookup %d on\n' "${PCTAB_SKIP:-0}"
    # The lookups of one stack walk: a cold cache sees this many in a row.
    printf '# stretch: 64\n'
    "$root/corpora/record/go/convert.py" "$out.txt" "$out.recording"
} >"$out.workload"
rm "$out.recording"
"$bakeoff" workload check "$out.workload" "$out.txt"
