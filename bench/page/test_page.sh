#!/usr/bin/env bash
# Tests the report's page in a headless browser: compares its figures with REPORT.md, the CSV and the runs, and tests
# its controls. Everything is generated from testdata/ in a scratch folder, so the tree's results/ does not matter.
# Exits with 77 when the machine lacks something; the last line names it.
set -u
cd "$(dirname "$0")/../.."
root=$PWD
for tool in chromium npm node xz; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
make --no-print-directory charts
[[ -e build/page/charts.js ]] || { echo "npm cannot fetch the page's library"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/build"
ln -s "$root"/build/{bakeoff,page} "$scratch/build/"
ln -s "$root"/{Makefile,bench,codecs,corpora,fuzz,harness} "$scratch/"
cp -r README.md docs bench/page/testdata/results "$scratch/"
cd "$scratch" && build/bakeoff report || exit 1
node "$root/bench/page/test_page.mjs" build/report/index.html
