#!/usr/bin/env bash
# The checks that read results accept a tree in which a user has run `make bench`: here a quick run of one small
# document, in a scratch copy. Exits with 77 when the machine lacks something; the last line names it.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
harness/scratch_tree.sh "$scratch"
cd "$scratch"
printf 'pcdata 1\nquantum 4\ntable 640 kind=pcsp refs=1\n0 0\n64 16\n' >tiny.txt
make --no-print-directory bench \
    BENCH_FLAGS='--quick --format pcdata --corpus tiny.txt --codec varint-delta,raw --kind point,open'
[[ -n $(git status --porcelain REPORT.md) ]] || { echo "make bench does not write REPORT.md"; exit 1; }
git diff --exit-code results/sizes.md # sizes do not depend on the run, and `report --check-sizes` compares them
grep -q '^\[results/sizes.md\](results/sizes.md) has the sizes' REPORT.md || { echo "REPORT.md lacks the sizes"; exit 1; }
bench/page/test_page.sh
