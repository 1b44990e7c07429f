#!/usr/bin/env bash
# Records the walks of a program that calls backtrace(), and samples of one that computes. The lookups must be of its
# frames. Exits with 77 when a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/../../.."
bakeoff=$(realpath "${BAKEOFF:-build/bakeoff}")
compiler=${CC:-cc}
for tool in "$compiler" nm; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
[[ $(uname -m) = x86_64 ]] || { echo "the importer is tested on amd64"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/walk.c" <<'C'
#include <execinfo.h>
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) static int walk(void)
{
    void *frames[16];
    return backtrace(frames, 16) + (int)sum;
}
__attribute__((noinline)) static int compute(void)
{
    while (clock() < CLOCKS_PER_SEC / 4)
        for (int i = 0; i < 10000; i++)
            sum += (unsigned long)i;
    return (int)sum;
}
int main(int n, char **v)
{
    return n > 1 && atoi(v[1]) ? compute() == 1 : walk() == 1;
}
C
"$compiler" -O1 -o "$scratch/walk" "$scratch/walk.c"
nm -S "$scratch/walk" | awk '$3 ~ /^[tT]$/ { print $4, $1, $2 }' >"$scratch/symbols"

# The functions of the lookups in a file, in their order.
names() {
    while IFS=$'\t' read -r kind pc; do
        [[ $kind = point ]] || continue
        while read -r name start size; do
            if ((pc >= 0x$start && pc < 0x$start + 0x$size)); then echo "$name"; fi
        done <"$scratch/symbols"
    done <"$1"
}

VERSION=1 BAKEOFF=$bakeoff corpora/record/unwind/record.sh "$scratch/walk" "$scratch/walks" "$scratch/walk"
[[ $(names "$scratch/walks" | tr '\n' ' ') = 'walk main _start ' ]]
[[ $(grep -c ^action "$scratch/walks") = 0 ]]

VERSION=1 BAKEOFF_HZ=1000 BAKEOFF=$bakeoff \
    corpora/record/unwind/record.sh "$scratch/walk" "$scratch/samples" "$scratch/walk" 1 | tee "$scratch/said"
samples=$(grep -c ^action "$scratch/samples")
((samples >= 10))
[[ $(names "$scratch/samples" | LC_ALL=C sort -u | tr '\n' ' ') = '_start compute main ' ]]
names "$scratch/samples" | grep -c _start | grep -qx "$samples"

echo "2 passed: the frames of a walk, and those of $samples samples"
