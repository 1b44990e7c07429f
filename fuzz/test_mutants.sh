#!/bin/bash
# Tests of the mutation score, on a toy project: edits that its check detects, one that makes it run forever, one that
# ASan detects, one that only the third check detects, one that compiles to the same code, two that survive; and that
# a run continues where it stopped.
# Usage: test_mutants.sh EDITS-PROGRAM
set -eu -o pipefail
edits=$(realpath "$1")
toy=$(mktemp -d)
trap 'rm -rf "$toy"' EXIT
mkdir -p "$toy"/{codecs/toy,fuzz/mutants,results/fuzz,build/mutants}
cp fuzz/mutants.sh fuzz/mutants.awk "$toy"/fuzz/
cp "$edits" "$toy"/build/mutants/edits
cd "$toy"
echo '# none' >fuzz/mutants/equivalent.tsv
echo 'FORMAT(toy)' >codecs/formats.def
echo 'CODEC(two_words)' >codecs/toy/codecs.def
cat >codecs/toy/two_words.c <<'END'
int add(int x, int y)
{
    return x + y;
}

int clamp(int x)
{
    return x < TEN ? x : TEN;
}

int count(int x, int y)
{
    while (x >= y && y >= x)
        y++;
    return y;
}

int last(const int *p, int n)
{
    return p[n];
}

int slow(int x)
{
    return x * x;
}
END
cat >codecs/toy/shared.c <<'END'
int unchecked(int x)
{
    return x * x; /* a comment: x < y */
}

int same(int x)
{
    int y = x;
    return x & y;
}
END
sed 's/unchecked/not_built/' codecs/toy/shared.c >codecs/toy/optional.c
cat >check.c <<'END'
#include <stdlib.h>
int add(int, int), clamp(int), count(int, int), last(const int *, int);
int main(void)
{
    last(calloc(5, sizeof(int)), 4);
    return !(add(2, 3) == 5 && clamp(4) == 4 && clamp(11) == 10 && count(7, 7) == 8);
}
END
echo 'int slow(int); int main(void) { return slow(3) != 9; }' >count.c
cat >Makefile <<'END'
VARIANT = gcc
SANITIZE = $(if $(filter asan,$(VARIANT)),-fsanitize=address)
OBJECTS := build/$(VARIANT)/obj/codecs/toy/two_words.o build/$(VARIANT)/obj/codecs/toy/shared.o
build/$(VARIANT)/obj/%.o: %.c
	mkdir -p $(@D) && gcc $(SANITIZE) -DTEN=10 -c $< -o $@
quick/objects: $(OBJECTS)
quick/checks/toy: $(OBJECTS)
	@echo "check: toy"; gcc check.c $(OBJECTS) -o check && ./check
quick/sanitized/toy: $(OBJECTS)
	@echo "check: toy under ASan"; gcc $(SANITIZE) check.c $(OBJECTS) -o check && ASAN_OPTIONS=detect_leaks=0 ./check
quick/instructions/toy: $(OBJECTS)
	@echo "check: instructions of toy"; gcc count.c $(OBJECTS) -o check && ./check
	@echo "not comparable: two toys"
END
make -s quick/objects
make -s VARIANT=asan quick/objects

fail() { echo "test_mutants: $*" >&2; tail -n 40 log >&2; exit 1; }
run() { MUTANTS_CPU_SECONDS=1 fuzz/mutants.sh "$@" >log 2>&1; }
has() { grep -qF -- "$1" "${2:-log}" || fail "${2:-the output} lacks: $1"; }

run 100 1 || fail "fails"
has "10 edits, 10 of them to try"
has "detected codecs/toy/two_words.c:3: toy"   # x + y
has "same-code codecs/toy/two_words.c:8"       # x <= 10
has "detected codecs/toy/two_words.c:13: toy"
has "detected codecs/toy/two_words.c:14: toy"  # y never gets there
has "detected codecs/toy/two_words.c:20: toy under ASan"
has "detected codecs/toy/two_words.c:25: instructions of toy"
has "instructions of toy: not comparable: two toys"
has "survived codecs/toy/shared.c:3"           # nothing calls it
has "survived codecs/toy/shared.c:9"           # x | y makes no difference
has "not-built codecs/toy/optional.c:3"
has "    -> return x + x; /* a comment: x < y */"
has $'toy/two-words\t6\t5\t1\t1\t0' results/fuzz/mutants.tsv
has $'toy: shared\t2\t0\t0\t0\t2' results/fuzz/mutants.tsv
has "detected: 5 of 7 that are not equivalent, 71.4%"

run 100 1 || fail "fails again"
has "10 edits, 0 of them to try"
has "detected: 5 of 7 that are not equivalent, 71.4%"

sed -i 2d build/mutants/state.tsv # as if it had been interrupted
run 100 1 || fail "does not continue"
has "10 edits, 1 of them to try"
has "detected: 5 of 7 that are not equivalent, 71.4%"

# Survivors are tried again after a change. Edits listed as equivalent do not count.
sed -i 's/count(7, 7)/unchecked(3) == 9 \&\& &/; s/int add/int unchecked(int), same(int), add/' check.c
printf 'codecs/toy/shared.c\tsame\treturn x & y;\treturn x | y;\ty is x\n' >>fuzz/mutants/equivalent.tsv
run 100 1 || fail "fails after a change"
has "10 edits, 2 of them to try"
has "detected: 6 of 6 that are not equivalent, 100.0%"
run anchors || fail "the listed line is in the sources"

printf 'codecs/toy/two_words.c\tadd\treturn x + y;\treturn x - y;\twrong\n' >>fuzz/mutants/equivalent.tsv
! run 100 1 || fail "accepts a detected edit as equivalent"
has "listed as equivalent, but detected"
sed -i 's/x + y;/y + x;/' codecs/toy/two_words.c
! run anchors || fail "accepts a line that is gone"
has "not in codecs/toy/two_words.c any more: return x + y;"
echo "1 passed, 0 failed: the mutation score, on a toy project"
