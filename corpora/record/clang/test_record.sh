#!/usr/bin/env bash
# Records two compilations by clang 14 with a profile, and runs the recorded queries. Exits with 77 when a tool is
# missing.
set -euo pipefail
cd "$(dirname "$0")/../../.."
bakeoff=${BAKEOFF:-build/bakeoff}
clang=${CLANG14:-$(command -v /usr/bin/clang-14 || true)}
[[ $clang ]] || { echo "clang-14 is missing"; exit 77; }
command -v llvm-profdata-14 >/dev/null || { echo "llvm-profdata-14 is missing"; exit 77; }
[[ -e /usr/lib/llvm-14/lib/libclang-cpp.so.14 ]] || { echo "libclang-cpp14 is missing"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/a.c" <<'C'
static int twice(int x) { return 2 * x; }
int later(int x);
int main(int n, char **v) { (void)v; return later(twice(n)) == 0; }
C
printf 'int later(int x) { return x; }\nint unused(int x) { return x + 1; }\n' >"$scratch/b.c"
cd "$scratch"
"$clang" -fprofile-instr-generate a.c b.c -o prog 2>compile.log || { echo "clang-14 lacks its profile runtime"; exit 77; }
LLVM_PROFILE_FILE=prog.profraw ./prog || true
llvm-profdata-14 merge -o prog.profdata prog.profraw
cd - >/dev/null
BAKEOFF=$(realpath "$bakeoff") corpora/record/clang/record.sh "$scratch/prog.profdata" "$scratch/run.workload" \
    "$clang" -c -fprofile-instr-use="$scratch/prog.profdata" -o /dev/null "$scratch/a.c"
"$bakeoff" workload check "$scratch/run.workload" "$scratch/run.workload.proftext" |
    grep -q 'lookup-key 2 (0 hits); 1 actions'
[[ $(sed -n 's/^lookup-key\t\([^\t]*\)\t.*/\1/p' "$scratch/run.workload" | tr '\n' ' ') = 'main a.c:twice ' ]]
echo "2 passed: two functions of a translation unit, the external one first"
