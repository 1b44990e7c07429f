#!/usr/bin/env bash
# How much of each codec its conformance vectors reach: vectors_coverage.sh [-l] [FORMAT/CODEC...]. Without codecs: every
# encoding of role `new` or `proposed`.
#
# Each codec is exported and built with clang's coverage; the exported test then decodes, encodes and queries the valid
# vectors and decodes the invalid ones. So the lines are those of encoder, decoder and reader with the shared code that they
# use, less harness/core. Prints TSV: encoding, lines, missed lines that report an error (or run out of memory), other
# missed lines. -l lists the latter with their function. Needs clang, llvm-profdata, llvm-cov, python3 and jq; 77 without.
set -euo pipefail
cd "$(dirname "$0")/.."
bakeoff=${BAKEOFF:-build/bakeoff}
for tool in clang llvm-profdata llvm-cov python3 jq; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
list=
[[ ${1:-} != -l ]] || { list=1; shift; }
(($#)) || mapfile -t encodings < <("$bakeoff" list codecs --json | jq -r '.[] |
    select((.role == "new" or .role == "proposed") and .reads == null and (.optional | not)) | .format + "/" + .codec')
(($# == 0)) || encodings=("$@")
printf 'encoding\tlines\terrors missed\tothers missed\n'
for encoding in "${encodings[@]}"; do
    dir=$scratch/one name=${encoding//[^a-z0-9]/_}
    rm -rf "$dir"
    "$bakeoff" export "$encoding" -o "$dir" >/dev/null
    make -s -C "$dir" run-vectors CC=clang STRICT=-std=c11 CFLAGS="-O0 -isystem $PWD/build/include -fprofile-instr-generate -fcoverage-mapping"
    (cd "$dir" && LLVM_PROFILE_FILE=raw ./run-vectors vectors >/dev/null)
    llvm-profdata merge -o "$dir/data" "$dir/raw"
    llvm-cov export -format=lcov -instr-profile "$dir/data" "$dir/run-vectors" "$dir/$name.c" >"$dir/lcov"
    python3 - "$encoding" "$dir/$name.c" "$dir/lcov" "$list" <<'PYTHON'
import glob, re, sys
encoding, source, lcov, listed = sys.argv[1:]
text = open(source, encoding="utf-8").read().split("\n")
counts = {int(line): int(n) for line, n in re.findall(r"^DA:(\d+),(\d+)", open(lcov).read(), re.M)}
# Matches a statement that reports an error, passes one on or gives up, or a line that only closes a block.
error = re.compile(r"fail\w*\(|_MEMORY|_CORRUPT|_TRUNCATED|_UNSUPPORTED|_OVER_LIMIT|\babort\(|return (false|NULL|status|err|-1|BO_\w+)?;|"
                   r"return (invalid|reject\w*|damaged|refuse\w*|corrupt|flaw)\b|->status = |error|flaw|reject|past_the_end|->bad|goto (fail|done|out)")
core = set()
for path in glob.glob("harness/core/*.[ch]"):
    core |= set(re.findall(r"\b(\w+)\(", open(path, encoding="utf-8").read()))
lines, errors, others, function, statement = 0, 0, [], "", ""
for number, line in enumerate(text, 1):
    if match := re.match(r"^\w[\w *]*?\b(\w+)\(", line):
        function = match[1]
    begins = not statement or re.search(r"[;{}]\s*$", text[number - 2])
    statement = line if begins else statement + line
    if number not in counts or function in core:
        continue
    lines += 1
    if counts[number] or not line.strip(" {}"):
        continue
    whole, at = statement, number
    while at < len(text) and not re.search(r"[;{}]\s*$", text[at - 1]):
        whole, at = whole + text[at], at + 1
    if error.search(whole):
        errors += 1
    else:
        others.append((function, number, line))
print(f"{encoding}\t{lines}\t{errors}\t{len(others)}")
if listed:
    for function, number, line in others:
        print(f"    {function}:{number}: {line.strip()}")
PYTHON
done
