#!/usr/bin/env bash
# scratch_tree.sh FOLDER: copies the tree to FOLDER as a commit of its own, with the build of the gcc variant. For
# tests that change the tree or write into it.
set -euo pipefail
copy=$1
mkdir -p "$copy/build"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -C "$copy" -xf -
for built in gcc include corpora generated page bakeoff; do
    [[ ! -e build/$built ]] || cp -a "build/$built" "$copy/build/"
done
cd "$copy"
git init -q .
git add -A
git -c user.name=t -c user.email=t@localhost commit -qm 'the tree'
