#!/usr/bin/env bash
# Instruction counts do not depend on what the process allocated before the counting: the same counts with a heap
# of other sizes at startup, as libraries of another machine would leave it. 77 when the machine lacks something;
# the last line says what. $1: the program
set -u
program=$1
for tool in valgrind gcc; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

gcc -shared -fPIC -x c -o "$folder/blocks.so" - <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void allocate(void)
{
    const char *blocks = getenv("BLOCKS");
    for (long n = atol(blocks); n > 0; n--)
        *(volatile char *)malloc(100) = 1;
    FILE *made = fopen(getenv("MADE"), "a");
    fprintf(made, "%s\n", blocks);
    fclose(made);
}
END
# The program sets LD_PRELOAD for what valgrind runs; this adds to it.
cat >"$folder/valgrind" <<END
#!/bin/sh
[ "\$1" = --version ] || export LD_PRELOAD="\$LD_PRELOAD $folder/blocks.so"
exec $(command -v valgrind) "\$@"
END
chmod +x "$folder/valgrind"

status=0
for blocks in 0 600 1000; do
    MADE=$folder/made BLOCKS=$blocks PATH=$folder:$PATH "$program" insns lprf --codec 'list+u64' --golden \
        >"$folder/$blocks.tsv" || exit 1
    grep -qx "$blocks" "$folder/made" || { echo "valgrind did not run with a heap of $blocks blocks"; exit 1; }
    diff "$folder/0.tsv" "$folder/$blocks.tsv" || status=1
done
((status == 0)) && echo "instruction counts do not depend on the heap at startup"
exit $status
