#!/usr/bin/env bash
# Follows a tutorial word for word in a scratch copy of the tree: test_tutorial.sh docs/adding-a-codec.md. It runs the indented
# lines in order, and writes the code blocks to the files that their first lines name.
set -euo pipefail
page=$PWD/$1 root=$PWD copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
harness/scratch_tree.sh "$copy"
cd "$copy"

# What the output of a command must have.
says() { # COMMAND OUTPUT
    case $1 in
    *'new-codec'*) grep -q 'run_pairs.c is written' "$2" ;;
    *'new-format'*) grep -q '^codecs/symtab is written' "$2" ;;
    *'bakeoff verify '* | *.so\ verify\ *) grep -Eq '^[0-9]+ passed, 0 failed$' "$2" ;;
    *'git diff'*) grep -q '0 deletions' "$2" || ! grep -q deletion "$2" ;;
    *'bakeoff size pcdata'*) grep -q run-pairs "$2" ;;
    *'bakeoff size symtab'*) grep -q '^| *rows ' "$2" || grep -q '^rows ' "$2" ;;
    *'bakeoff table pcdata'*) grep -q '^| run-pairs | ' "$2" ;;
    *'bakeoff table symtab'*) grep -q '^| rows | ' "$2" ;;
    *'bakeoff pick'*) grep -q '^The pick: ' "$2" ;;
    *'checks-of-'*) grep -Eq '^[0-9]+ passed, 0 failed$' "$2" ;;
    *'CODEC=pcdata/run-pairs'*) grep -q '^lacks ' "$2" ;;
    *'CODEC=symtab/rows'*) grep -q '^symtab/rows lacks nothing' "$2" ;;
    *'fuzz-list'*) [[ $(wc -l <"$2") = 3 ]] ;;
    *run-pairs.so*) grep -q 'another codec of the format has this name' "$2" ;;
    esac
}

start=$SECONDS commands=0 file=
while IFS= read -r line; do
    if [[ $line = '```' ]]; then
        file=
    elif [[ $line = '```c '* ]]; then
        file=${line#'```c '}
        : >"$file"
    elif [[ $file ]]; then
        printf '%s\n' "$line" >>"$file"
    elif [[ $line = '    '* ]]; then
        command=${line#    }
        commands=$((commands + 1))
        echo "\$ $command"
        bash -euo pipefail -c "$command" </dev/null >out 2>&1 && says "$command" out ||
            { cat out; echo "this command fails, or says something else than it should"; exit 1; }
    fi
done <"$page"
((commands > 10))
# Blocks are laid out as the tree's code is.
mapfile -t sources < <(sed -n 's/^```c //p' "$page")
((${#sources[@]} == 0)) || ! command -v clang-format >/dev/null || clang-format --dry-run --Werror "${sources[@]}"
echo "$commands passed: the tutorial ends with its row after $((SECONDS - start)) s"
