#!/usr/bin/env bash
# check_layout.sh reports each kind of violation, and nothing in a tree without one.
set -u
check=$PWD/harness/check_layout.sh
t=$(mktemp -d) passed=0 failed=0
trap 'rm -rf "$t"' EXIT
cd "$t" && git init -q . && mkdir -p harness/core codecs/a/x codecs/a/y codecs/b bench/report bench/measure docs results/m || exit 2

expect() { # WHAT LINE [FILE]...: FILEs are as `path:content`; LINE is a part of what is printed, "" for no violation
    local what=$1 line=$2 f said
    shift 2
    git rm -rqf --cached . 2>/dev/null
    find . -type f -not -path './.git/*' -delete
    for f in "$@"; do
        printf '%b' "${f#*:}" >"${f%%:*}"
        [[ $f != results/* && $f != *.md:* ]] || git add "${f%%:*}"
    done
    [[ ! ${rewritten:-} ]] || echo "$rewritten" >docs/p.md
    said=$("$check")
    if [[ $? = "$([[ $line ]] && echo 1 || echo 0)" && $said = *"$line"* ]]; then
        passed=$((passed + 1))
    else
        printf 'FAILED: %s: printed:\n%s\n' "$what" "$said"
        failed=$((failed + 1))
    fi
}

inc() { printf '#include "%s"\\n' "$@"; }
expect "sound" "" "harness/core/a.h:\n" "codecs/a/x/x.c:$(inc harness/core/a.h codecs/a/a.h)" "codecs/a/a.h:\n" \
    'docs/p.md:`harness/core/a.h` and [a](../codecs/a/a.h)\n'
expect "upward" "harness/core never includes codecs" "harness/core/a.h:$(inc codecs/a/a.h)"
expect "measuring and reports" "bench/measure never includes bench/report" \
    "bench/measure/m.c:$(inc bench/report/r.h)"
expect "unknown folder" "no folder of the layout" "bench/report/r.c:$(inc other/r.h)"
expect "two formats" "a format never includes another" "codecs/a/a.c:$(inc codecs/b/b.h)"
expect "two codecs" "only y includes it" "codecs/a/x/x.c:$(inc codecs/a/y/y.h)"
expect "inside a codec" "only x includes it" "codecs/a/a.c:$(inc codecs/a/x/x.h)"
expect "a test's header" "only tests include it" "harness/core/a.c:$(inc harness/core/test_a.h)"
expect "circle" "circle of includes" "harness/core/a.h:$(inc harness/core/b.h)" \
    "harness/core/b.h:$(inc harness/core/a.h)"
expect "long line" "line of 101 columns" "harness/core/a.h:$(printf 'x%.0s' {1..101})\n"
expect "missing path" "no such path: harness/core/gone.h" 'docs/p.md:`harness/core/gone.h`\n'
expect "missing link" "no such path: gone.md" 'docs/p.md:[x](gone.md)\n'
expect "a picture that a page shows" "" 'docs/p.md:![x](../results/m/a.svg)\n' "results/m/a.svg:x"
rewritten='no picture' expect "a page that was rewritten since" "" 'docs/p.md:![x](../results/m/a.svg)\n' "results/m/a.svg:x"
expect "a picture that no page shows" "results/m/a.svg: in git, and no page shows it" "results/m/a.svg:x"
expect "derived CSV" "results/m/a.csv: in git, and no page shows it" "results/m/a.csv:x"
expect "a picture that is not in git" "results/m/a.svg: shown by a page, and not in git" \
    'docs/p.md:![x](https://example.org/results/m/a.svg)\n'
echo "$passed passed, $failed failed: violations of the layout"
exit $((failed > 0))
