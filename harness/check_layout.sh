#!/usr/bin/env bash
# Checks the layout of the sources: include directions, circular includes, line lengths, paths that the pages name,
# and generated files in git. check_layout.sh [FOLDER]; each violation is one line, and the last line is the count.
set -u
cd "${1:-.}" && git rev-parse --is-inside-work-tree >/dev/null || exit 2

# Folders from top to bottom: a file may include its own folder and those below. `codecs` is the folder itself, the
# files of a format and those of a codec; the rules below distinguish these.
LAYERS='cli fuzz examples bench/report bench/runs bench/measure bench/stats corpora codecs harness/check harness
    harness/names harness/coding harness/core build/generated'

git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' | grep -v /testdata/ | xargs awk -v layers="$LAYERS" '
function layer(path,   i, found) {
    for (i = 1; i <= n_layers; i++)
        if (index(path, name[i] "/") == 1 && length(name[i]) > length(name[found]))
            found = i
    return found + 0
}
function fail(what) { print FILENAME ":" FNR ": " what; failed++ }
function visit(file,   n, i, to) {
    if (state[file])
        return state[file] == 1 ? file : ""
    state[file] = 1
    n = split(includes[file], to, " ")
    for (i = 1; i <= n; i++)
        if (visit(to[i]) != "") {
            print file ": circle of includes through " to[i]
            failed++
        }
    state[file] = 2
    return ""
}
BEGIN {
    n_layers = split(layers, name, " ")
    name[0] = ""
}
{ checked += FNR == 1 }
length($0) > 100 { fail("line of " length($0) " columns: at most 100") }
/^ *# *include "/ {
    split($0, quoted, "\"")
    to = quoted[2]
    from = FILENAME
    if (!layer(to)) {
        fail("include of " to ": no folder of the layout")
        next
    }
    if (to ~ /\.h$/ && from ~ /\.h$/)
        includes[from] = includes[from] " " to
    if (layer(to) < layer(from))
        fail("include of " to ": " name[layer(from)] " never includes " name[layer(to)])
    if (to ~ /\/test_[^\/]*$/ && from !~ /\/test_[^\/]*$/)
        fail("include of " to ": only tests include it")
    # A format does not include another format. Codecs in different folders do not include each other, and no other
    # file includes theirs.
    split(from, f, "/")
    split(to, t, "/")
    if (f[1] == "codecs" && t[1] == "codecs" && f[3] != "" && t[2] !~ /\.def$/) {
        if (f[2] != t[2])
            fail("include of " to ": a format never includes another")
        else if (t[4] != "" && t[3] != f[3] && from !~ /\/test_[^\/]*$/)
            fail("include of " to ": only " t[3] " includes it")
    }
}
END {
    for (file in includes)
        visit(file)
    printf "%d passed, %d failed: files within the layout\n", checked, failed
    exit failed > 0
}'
layout=$?

# Paths in Markdown pages: `folder/file` in code quotes, and links.
pages=$(git ls-files -co --exclude-standard '*.md' | grep -v '^results/')
missing=0 named=0
while IFS=: read -r page path; do
    named=$((named + 1))
    # Generated files: files below build/, results of a run, files that the tutorials make.
    [[ -e $path || -e $(dirname "$page")/$path || $path = build/* || $path = results/fuzz/* ||
        $path = codecs/pcdata/run_pairs.c || $path = codecs/symtab/* ]] && continue
    echo "$page: no such path: $path"
    missing=$((missing + 1))
done < <(for page in $pages; do
    { grep -oE '`[A-Za-z_]+/[A-Za-z0-9_./-]+\.(c|h|cc|md|sh|awk|tsv|def|json|mk|py|go|java)`' "$page" | tr -d '`'
        grep -oE '\]\([^)#: ]+' "$page" | sed 's/^](//'; } | sort -u | sed "s|^|$page:|"
done)
echo "$((named - missing)) passed, $missing failed: paths in pages"

# Pictures and CSV files are generated from the results. Git contains only the pictures that a page shows: a page as it
# is in git, since `make bench` writes REPORT.md without pictures.
shown=$(git ls-files README.md REPORT.md 'docs/*.md' | xargs -I{} git show :{} | grep -oE 'results/[^)]*\.svg' | sort -u)
tracked=$(git ls-files 'results/*.svg' 'results/*.csv' | sort)
derived=0
for path in $(comm -13 <(echo "$shown") <(echo "$tracked")); do
    echo "$path: in git, and no page shows it: git rm --cached"
    derived=$((derived + 1))
done
for path in $(comm -23 <(echo "$shown") <(echo "$tracked")); do
    echo "$path: shown by a page, and not in git: git add -f"
    derived=$((derived + 1))
done
echo "$(wc -w <<<"$shown") passed, $derived failed: pictures in git"
exit $((layout || missing > 0 || derived > 0))
