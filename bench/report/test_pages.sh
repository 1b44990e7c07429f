#!/usr/bin/env bash
# Checks that the pages and pictures in git are those that `bakeoff report` writes from the results in git. The copy that
# it writes to has what git has staged, so that results measured in this tree do not matter. Exits with 77 without git.
set -euo pipefail
cd "$(dirname "$0")/../.."
git rev-parse --is-inside-work-tree >/dev/null || { echo "this is no checkout"; exit 77; }
bakeoff=$(realpath "${BAKEOFF:-build/bakeoff}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$(git rev-parse --git-path index)" "$scratch/index"
GIT_DIR=$(git rev-parse --absolute-git-dir) GIT_WORK_TREE=$scratch/tree GIT_INDEX_FILE=$scratch/index
export GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
mkdir "$scratch/tree"
cd "$scratch/tree"
git checkout-index -a
# What `bakeoff report` writes has to come anew: these pages as a whole, and parts of others.
git ls-files -z REPORT.md 'results/*.md' 'results/*.svg' ':!results/go-runtime.md' | xargs -0 rm
git ls-files -z README.md 'docs/*.md' | xargs -0 sed -i '/^<!-- report: /,/^<!-- report ends/{ /^<!-- report/!d }'
touch "$scratch/before"
"$bakeoff" report
# Each version of gnuplot draws its own way.
pictures=$(git ls-files '*.svg' | head -n 1)
drawn_by() { grep -o 'Produced by GNUPLOT.*' "$@"; }
other=()
if [[ $(drawn_by "$pictures") != "$(git show ":$pictures" | drawn_by)" ]]; then
    echo "note: another gnuplot drew the pictures in git: only the pages are compared"
    other=(':!*.svg')
fi
n=$(git ls-files -z '*.md' '*.svg' "${other[@]}" | xargs -0 -I{} find {} -newer "$scratch/before" | wc -l)
if ! git diff --exit-code --stat -- . "${other[@]}"; then
    git diff -- '*.md' | head -n 40
    echo "\`make report\` writes these anew"
    exit 1
fi
echo "$n passed, 0 failed: pages and pictures that the results in git give"
