# Shared by the tests that exchange files with real programs. Sourced by test_real_NAME.sh, with NAME, the Debian
# packages that it needs and their programs:
#
#   . corpora/import/real.sh NAME "PACKAGES" PROGRAM...
#
# Goes to the project's folder; sets bakeoff (BAKEOFF overrides) and out, an empty folder (OUT overrides). Exits with
# 77 where a program is missing.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
test_name=test_real_$1 packages=$2
bakeoff=${BAKEOFF:-build/bakeoff}
out=${OUT:-build/real-$1}
shift 2
if [ ! -x "$bakeoff" ]; then
    echo "$test_name: no $bakeoff: run make first" >&2
    exit 2
fi
bakeoff=$(realpath "$bakeoff")
for tool in "$@"; do
    command -v "$tool" >/dev/null && continue
    echo "$test_name: NOT RUN: $tool is not installed (Debian: $packages)"
    exit 77
done
rm -rf "$out"
mkdir -p "$out"

n_passed=0 n_failed=0
check() { # WHAT COMMAND...: passes when the command does
    local what=$1
    shift
    if "$@" >"$out/said" 2>&1; then
        n_passed=$((n_passed + 1))
    else
        n_failed=$((n_failed + 1))
        echo "$test_name: FAILED, $what: $(head -c 300 "$out/said")"
    fi
}

fails_saying() { # PATTERN COMMAND...: exit code 2, as for all bad input
    local pattern=$1 code=0
    shift
    "$@" >"$out/said.fails" 2>&1 || code=$?
    [ $code -eq 2 ] && grep "$pattern" "$out/said.fails"
}

# Exit 0: all passed; 1: a comparison failed.
conclude() {
    echo "$test_name: $n_passed passed, $n_failed failed"
    [ $n_failed -eq 0 ]
}
