#!/usr/bin/env bash
# The report's page in a browser without a screen: its figures against REPORT.md, the CSV and the runs, and that its
# controls work. All of it is written from testdata/, in a scratch folder: what the tree's results/ holds does not
# matter. 77 when the machine lacks something; the last line says what.
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
