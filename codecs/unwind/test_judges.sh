#!/usr/bin/env bash
# Other readers of SFrame on our sections: objdump of binutils 2.40 dumps version 1, llvm-readobj of LLVM 22 version 2.
# Functions and rows of real binaries must be those of the model.
#
#   codecs/unwind/test_judges.sh
#
# Needs build/bakeoff (BAKEOFF overrides it). Exit 0: all that could run passed; 1: a difference; 77: nothing could run.
set -u
cd "$(dirname "$0")/../.." || exit 2
bakeoff=${BAKEOFF:-build/bakeoff}
for tool in python3 xz as objcopy; do
    command -v "$tool" >/dev/null || { echo "test_judges: NOT RUN: $tool is missing"; exit 77; }
done
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 failed=0

# CODEC DOCUMENT: the section in an object, $out/object, and the model that it holds, $out/held.
make_object() {
    xz -dc "corpora/unwind/$2.txt.xz" >"$out/text" &&
        "$bakeoff" encode "unwind/$1" "$out/text" --raw -o "$out/raw" 2>"$out/note" &&
        "$bakeoff" encode "unwind/$1" "$out/text" -o "$out/file" 2>"$out/note" &&
        "$bakeoff" decode "unwind/$1" "$out/file" -o "$out/held" &&
        python3 -c 'import sys; raw = open(sys.argv[1], "rb").read(); open(sys.argv[2], "wb").write(raw[24:-16])' \
            "$out/raw" "$out/section" &&
        as -o "$out/empty" /dev/null && objcopy --add-section .sframe="$out/section" "$out/empty" "$out/object"
}

compare() { # KIND: what a tool printed, on standard input, with the model
    python3 -c '
import re, sys
kind, held, text = sys.argv[1], open(sys.argv[2]).read().splitlines(), sys.stdin.read()
functions = []
for line in held:
    words = line.split()
    if words[0] == "fn":
        start = int(words[1], 16)
        base = functions[0][3] if functions else start
        functions.append((start - base, int(words[2]), [], start, "rep=16" in words))
    elif words[0].isdigit():
        functions[-1][2].append((int(words[0]), words[1], words[3]))
rows = [(0 if f[4] else f[0], row) for f in functions for row in f[2]]
if kind == "objdump":
    got = [(int(a, 16), int(b)) for a, b in re.findall(r"pc = (0x[0-9a-f]+), size = (\d+) bytes", text)]
    assert got == [f[:2] for f in functions], "functions differ"
    got = re.findall(r"^\s+([0-9a-f]{16})\s+(\S+)\s+(\S+)", text, re.M)
    want = [(start + off, cfa, "u" if fp == "s" else fp) for start, (off, cfa, fp) in rows]
    assert [(int(a, 16), b, c) for a, b, c in got] == want, "rows differ"
else:
    assert text.count("FuncDescEntry [") == len(functions), "functions differ"
    offsets = [int(x) for x in re.findall(r"CFA Offset: (-?\d+)", text)]
    want = [int(re.search(r"[-+]\d+", cfa).group()) for _, (_, cfa, _) in rows if cfa != "x"]
    assert offsets == want, "CFA offsets differ"
' "$1" "$out/held"
}

check() { # NAME COMMAND...
    if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $1"; fi
}

by_objdump() { make_object sframe-v1 "$1" && objdump --sframe=.sframe "$out/object" | compare objdump; }
by_readobj() { make_object sframe-v2 "$1" && llvm-readobj-22 --sframe "$out/object" | compare readobj; }

if objdump --version | grep -q ' 2\.40$'; then
    for document in bash-amd64 libc-amd64 zstd-amd64; do check "objdump, $document" by_objdump $document; done
else
    echo "test_judges: NOT RUN: objdump is not that of binutils 2.40, which dumps version 1 alone"
fi
if command -v llvm-readobj-22 >/dev/null; then
    for document in bash-amd64 libc-amd64 zstd-amd64; do check "llvm-readobj, $document" by_readobj $document; done
else
    echo "test_judges: NOT RUN: llvm-readobj-22 is missing (Debian: llvm-22)"
fi
echo "$passed passed, $failed failed: other readers of SFrame"
((passed + failed)) || exit 77
((failed == 0))
