#!/usr/bin/env bash
# Runs every command of README.md, docs/ and the other READMEs, as it is written: each indented line, in order, in a
# scratch copy of the tree. Only file contents differ from a user's: the embedded documents there are tiny, and small
# files stand in for the user's. commands_not_run.tsv lists what is too long or needs what no machine has, why, and
# what is checked instead. Prints `N passed`; 77 when the machine lacks something; the last line says what.
set -uo pipefail
for tool in jq xz clang++ llvm-profdata; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
go=$(command -v go || ls /usr/lib/go-1.19/bin/go 2>/dev/null) || { echo "go is missing"; exit 77; }
root=$PWD scratch=$(mktemp -d)
copy=$scratch/bakeoff
trap 'rm -rf "$scratch"' EXIT
mkdir "$copy"
harness/scratch_tree.sh "$copy" || exit 1
cd "$copy" || exit 1

# ---- files that stand in for the user's -----------------------------------------------------------

tiny() { # FORMAT
    case $1 in
    pcdata) printf 'pcdata 1\nquantum 1\n'
        for ((i = 0; i < 24; i++)); do printf 'table 640 kind=pcsp refs=1\n0 0\n64 %d\n120 8\n' $((8 * i + 16)); done ;;
    lprf) for name in main work rest; do printf '%s\n# Func Hash:\n%d\n# Num Counters:\n2\n# Counter Values:\n%d\n7\n\n' \
        $name ${#name} $((${#name} * 100)); done ;;
    autofdo) printf 'main:30:5\n 1: 10\n 2: 20 work:20\nwork:7:20\n 1: 7\n' ;;
    templight) printf -- "---\nname: 'A<int>'\nkind: TemplateInstantiation\nevent: Begin\norig: 'a.h:3:4'\npoi: 'b.cpp:5:6'\n---\nevent: End\n" ;;
    statehist) sed -n 's/^    //p' codecs/statehist/README.md | sed -n '/^# statehistory-tsv/,/lttng-sessiond/p' ;;
    unwind) printf 'unwind 1\narch amd64\nfn 0x3020 16\n0 sp+16 c-8 s\n6 sp+24 c-8 s\nfn 0x3690 8\n0 sp+8 c-8 s\n' ;;
    *) # the example of the text form in the README
        awk -v name="$1" '/^    / { on = on || $0 == "    " name " 1" || index($0, "\"format\": \"" name "\""); if (on) print substr($0, 5); next }
            on { exit }' "codecs/$1/README.md" ;;
    esac
}

# Of the manifest, the first embedded document of each format, with tiny contents.
tiny_corpora() {
    local format file
    jq '.documents |= ([.[] | select(.embedded)] | group_by(.format) | map(.[0]))' corpora/manifest.json >manifest.tmp
    while IFS=$'\t' read -r format file; do
        case $file in
        *.xz) tiny "$format" | xz -c >"corpora/$file" ;;
        *.zst) tiny "$format" | zstd -qc >"corpora/$file" ;;
        *) tiny "$format" >"corpora/$file" ;;
        esac
    done < <(jq -r '.documents[] | [.format, .file] | @tsv' manifest.tmp)
    mv manifest.tmp corpora/manifest.json
    rm corpora/*/*.workload* # of other documents
}

user_files() {
    xz -dc corpora/autofdo/gcov/lua_perf.v3.gcov.xz >prog.gcov
    tiny autofdo >prog.text
    build/bakeoff encode autofdo/gcov-v3 prog.text -o prog.bin
    printf 'int main(int c, char **v) { (void)v; return c > 5; }\n' >main.c
    clang -fprofile-instr-generate -fcoverage-mapping main.c -o main && LLVM_PROFILE_FILE=default.profraw ./main
    tiny lprf >q.proftext
    printf 'template <class T> struct A { T t; };\nA<int> a;\n' >x.cpp
    clang++ -ftime-trace -ftime-trace-granularity=0 -c x.cpp -o x.o # and x.json
    mkdir -p lttng-session DIR/pcdata OLD/build ../old/build
    tar -xJf corpora/statehist/ctf/ls-memory.tar.xz -C lttng-session
    { tiny pcdata; printf 'table 64 kind=pcln refs=1\n0 3\n'; } >DIR/pcdata/late.txt # unlike every other document
    tiny pcdata >doc.txt
    { build/bakeoff workload header doc.txt; printf '# program: p\n# version: 1\n# recorded: by hand\npoint\t1\t70\n'; } >run.workload
    ln -s "$copy/build/bakeoff" OLD/build/bakeoff
    ln -s "$copy/build/bakeoff" ../old/build/bakeoff
    build/bakeoff bench --quick --format pcdata --codec varint-delta,raw --kind open,point --workload uniform \
        --json old.json >/dev/null
    for file in new before after; do cp old.json $file.json; done # equal times: no verdict depends on the machine's load
    make -C examples/plugin >/dev/null && cp examples/plugin/run-pairs.so my-idea.so
    printf 'package main\nfunc main() { println("x") }\n' >main.go
    "$go" build -o some-go-program main.go || return 1
}

# ---- commands ---------------------------------------------------------------------------------------

# The commands of a page, one a line: indented or fenced lines that start as a command does. Comments stay: bash skips
# them, too. In README.md and docs/ nothing else is indented: other lines fail.
commands_of() { # FILE
    awk -v strict="$([[ $1 = README.md || $1 = docs/* ]] && echo 1)" '/^```/ { python = /python/; fenced = !fenced; next }
        python || (!fenced && !/^    /) { next }
        { line = $0; if (!fenced) line = substr(line, 5)
          while (line ~ /\\$/ && (getline more) > 0) { sub(/\\$/, "", line); line = line more }
          command = line; while (command ~ /^[A-Z_]+=[^ ]* +/) sub(/^[^ ]* /, "", command)
          if (command ~ /^(make|git|clang|clang\+\+|clang\+\+-14|llvm-profdata[-0-9]*|babeltrace2|(\.\.\/)*build\/bakeoff|[a-z]+\/[a-z_\/]+\.sh)( |$)/)
              print line
          else if (strict)
              print "false # is no command: " line }' "$1"
}

declare -A used=() ran=()
# The line of commands_not_run.tsv for a command; false without one.
not_run() {
    local pattern
    while IFS=$'\t' read -r pattern why instead; do
        [[ $pattern != '#'* && $pattern ]] || continue
        # shellcheck disable=SC2053
        [[ $1 = $pattern ]] || continue
        used[$pattern]=1
        return 0
    done <"$root/docs/commands_not_run.tsv"
    return 1
}

passed=0 failed=0 left_out=0
attempt() { # FOLDER COMMAND
    (cd "$1" && bash -euo pipefail -c "$2") </dev/null >"$scratch/out" 2>&1
}

run_page() { # FILE
    local folder=. command bare code why instead
    [[ $1 != examples/*plugin/* ]] || folder=$(dirname "$1")
    while IFS= read -r command; do
        bare=$(sed 's/ *# .*//' <<<"$command")
        if not_run "$bare"; then
            left_out=$((left_out + 1))
            command=${instead//'{}'/$bare}
            [[ $command != make* || ! ${ran[$command]:-} ]] || continue # on another page
            ran[$command]=1
            echo "$1: not run: $bare: $why"
        else
            echo "$1: \$ $bare"
        fi
        attempt $folder "$command"
        code=$?
        if ((code == 0)); then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED with exit code $code: $command"
            tail -n 20 "$scratch/out"
        fi
    done < <(commands_of "$1")
}

tiny_corpora
build/bakeoff report --machine amd-zen3-2c --output whole >/dev/null 2>&1
mv whole/results/sizes.md results/ # of these documents
find results -mindepth 1 -maxdepth 1 -type d -name '*-*' ! -name amd-zen3-2c -exec rm -r {} + # each report reads all runs
rm -r whole
user_files || { echo "the files that stand in for the user's cannot be made"; exit 1; }
for page in README.md docs/*.md bench/README.md fuzz/README.md corpora/README.md corpora/*/README.md examples/*/README.md; do
    [[ $page = docs/adding-a-*.md ]] || run_page "$page" # test_tutorial.sh runs these
done
while IFS=$'\t' read -r pattern _; do
    [[ $pattern = '#'* || ! $pattern || ${used[$pattern]:-} ]] ||
        { echo "FAILED: commands_not_run.tsv: no page has the command: $pattern"; failed=$((failed + 1)); }
done <"$root/docs/commands_not_run.tsv"
echo "$passed passed, $failed failed, $left_out of them checked without running"
((failed == 0 && passed > 40))
