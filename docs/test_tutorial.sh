#!/usr/bin/env bash
# Follows docs/adding-a-codec.md word for word: runs its indented lines in a scratch copy of the tree.
set -euo pipefail
root=$PWD copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
harness/scratch_tree.sh "$copy"
cd "$copy"

start=$SECONDS commands=0
while IFS= read -r command; do
    commands=$((commands + 1))
    echo "\$ $command"
    bash -euo pipefail -c "$command" </dev/null >out 2>&1 || { cat out; echo "this command failed"; exit 1; }
    case $command in
    *'new-codec'*) grep -q 'run_pairs.c is written' out ;;
    *'verify pcdata'*) grep -Eq '^[0-9]+ passed, 0 failed$' out ;;
    *'git diff'*) grep -q '0 deletions' out || ! grep -q deletion out ;;
    *'bakeoff size'*) grep -q run-pairs out ;;
    *'bakeoff table'*) grep -q '^| run-pairs | ' out ;;
    *'bakeoff pick'*) grep -q '^The pick: ' out ;;
    *--plugin*) grep -q 'name of another one' out ;;
    esac || { cat out; echo "this command says something else than it should"; exit 1; }
done < <(sed -n 's/^    //p' "$root/docs/adding-a-codec.md")
((commands > 10))
echo "$commands passed: the tutorial ends with its row after $((SECONDS - start)) s"
