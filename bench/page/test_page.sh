#!/usr/bin/env bash
# The report's page in a browser without a screen: its figures against REPORT.md, the CSV and the runs, and that its
# controls work. 77 when the machine lacks something; the last line says what.
set -u
cd "$(dirname "$0")/../.."
for tool in chromium npm node xz; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
make --no-print-directory charts
[[ -e build/page/charts.js ]] || { echo "npm cannot fetch the page's library"; exit 77; }
build/bakeoff report --page || exit 1
exec node bench/page/test_page.mjs build/report/index.html
