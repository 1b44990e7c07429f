#!/usr/bin/env bash
# Other readers on our sections, and on what the importer reads. objdump of binutils 2.40 dumps SFrame version 1,
# llvm-readobj of LLVM 22 version 2, llvm-dwarfdump and readelf dump lean .eh_frame: functions and rows must be those of
# the model. llvm-dwarfdump and readelf also dump the .eh_frame of installed binaries: their rows must be those of the
# imported model. What is dropped on the way is counted and printed. Assemblers write SFrame from the same rows: the
# bytes must be ours.
#
#   codecs/unwind/test_judges.sh [-v]
#
# Needs build/bakeoff (BAKEOFF overrides it). -v prints the counts. Exit 0: all that could run passed; 1: a difference;
# 77: nothing could run.
set -u
cd "$(dirname "$0")/../.." || exit 2
bakeoff=${BAKEOFF:-build/bakeoff}
for tool in python3 xz as objcopy; do
    command -v "$tool" >/dev/null || { echo "test_judges: NOT RUN: $tool is missing"; exit 77; }
done
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 failed=0
verbose=${1:-}

# CODEC DOCUMENT: the first section, $out/section, and the model that it holds, $out/held.
make_section() {
    xz -dc "corpora/unwind/$2.txt.xz" >"$out/text" &&
        "$bakeoff" encode "unwind/$1" "$out/text" --raw -o "$out/raw" 2>"$out/note" &&
        "$bakeoff" encode "unwind/$1" "$out/text" -o "$out/file" 2>"$out/note" &&
        "$bakeoff" decode "unwind/$1" "$out/file" -o "$out/held" &&
        python3 -c '
import struct, sys
raw = open(sys.argv[1], "rb").read()
first = 16 + 8 * struct.unpack_from("<H", raw, 2)[0]
open(sys.argv[2], "wb").write(raw[first:first + struct.unpack_from("<Q", raw, 16)[0]])
' "$out/raw" "$out/section"
}

# CODEC DOCUMENT: the section in an object, $out/object.
make_object() {
    make_section "$1" "$2" && as -o "$out/empty" /dev/null &&
        objcopy --add-section .sframe="$out/section" "$out/empty" "$out/object"
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

# VERSION DOCUMENT: what assemblers write from its rows.
by_assembler() {
    xz -dc "corpora/unwind/$2.txt.xz" >"$out/text" &&
        python3 codecs/unwind/judge_sections.py "$1" "$out/text" >"$out/counts" || return 1
    [[ $verbose != -v ]] || echo "$2: $(<"$out/counts")"
}

for assembler in as aarch64-linux-gnu-as; do
    documents=(bash-amd64 libc-amd64 libstdcxx-amd64)
    [[ $assembler = as ]] || documents=(bash-arm64 libc-arm64)
    if command -v llvm-objcopy-22 >/dev/null && $assembler --version 2>/dev/null | grep -q ' 2\.40$'; then
        for document in "${documents[@]}"; do check "$assembler, $document" by_assembler 1 "$document"; done
    else
        echo "test_judges: NOT RUN: $assembler is not that of binutils 2.40, or llvm-objcopy-22 is missing"
    fi
done
if command -v llvm-mc-22 >/dev/null; then
    for document in bash-amd64 libc-amd64; do check "llvm-mc, $document" by_assembler 2 $document; done
else
    echo "test_judges: NOT RUN: llvm-mc-22 is missing (Debian: llvm-22)"
fi
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

judge_rows() { # TOOL BINARY MODEL [BASE]
    python3 codecs/unwind/judge_rows.py "$@" >"$out/counts" || return 1
    [[ $verbose != -v ]] || echo "${2##*/}: $(<"$out/counts")"
}

# TOOL DOCUMENT: lean .eh_frame, in an object where the section, and so Base, is at address 0.
by_dwarf() {
    local machine=${2##*-} base
    make_section eh-frame "$2" && base=$(sed -n 's/^fn \(0x[0-9a-f]*\) .*/\1/p;T;q' "$out/held") &&
        llvm-mc-22 -triple="${triples[$machine]}" -filetype=obj -o "$out/empty" /dev/null &&
        llvm-objcopy-22 --add-section .eh_frame="$out/section" "$out/empty" "$out/$2" &&
        judge_rows "$1" "$out/$2" "$out/held" "$base"
}

# TOOL BINARY: what the importer reads from it, and drops.
by_import() {
    "$bakeoff" import unwind "$2" -o "$out/imported" 2>"$out/note" && judge_rows "$1" "$2" "$out/imported" || return 1
    python3 -c '
import re, sys
note, counts = (open(path).read() for path in sys.argv[1:])
same = {"FDEs of length 0": "FDEs of length 0", "FDEs with the start of another": "FDEs with the start of another",
        "rows past the end": "rows past their function'"'"'s end"}
for theirs, ours in same.items():
    numbers = [re.search(r"(\d+) " + what, text) for what, text in ((theirs, counts), (ours, note))]
    assert len({n and n[1] for n in numbers}) == 1, f"{theirs}: {counts}{note}"
' "$out/note" "$out/counts"
}

# What no installed binary has: signed return addresses, a remembered state in another, rules of every kind, a row at
# its function's end.
made_binaries() {
    printf 'int g(int); int h(int *);\nint f(int x) { int a[9]; a[0] = x; return g(x) + h(a); }\n' >"$out/signed.c"
    local compiler=aarch64-linux-gnu-gcc
    if command -v $compiler >/dev/null; then
        $compiler -O2 -shared -fPIC -nostdlib -mbranch-protection=pac-ret+b-key -o "$out/signed" "$out/signed.c" &&
            binaries+=("$out/signed")
    else
        echo "test_judges: NOT RUN: $compiler is missing, which signs return addresses"
    fi
    cat >"$out/rules.s" <<'S'
        .text
        .p2align 4
rules:  .cfi_startproc
        nop
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        nop
        .cfi_remember_state
        .cfi_def_cfa rbp, 16
        nop
        .cfi_remember_state
        .cfi_def_cfa r10, 24
        .cfi_register rip, rcx
        nop
        .cfi_restore_state
        nop
        .cfi_restore_state
        .cfi_same_value rbp
        .cfi_offset rbx, -24
        nop
        .cfi_undefined rip
        nop
        .cfi_val_offset rbp, -32
        .cfi_restore rip
        nop
        .cfi_escape 0x0f, 0x04, 0x76, 0xf8, 0x7f, 0x06
        .cfi_escape 0x10, 0x06, 0x02, 0x77, 0x08
        nop
        .cfi_escape 0x0f, 0x01, 0x96
        nop
        .cfi_endproc
signal: .cfi_startproc
        .cfi_signal_frame
        nop
        .cfi_def_cfa_offset 4096
        .cfi_endproc
S
    ${CC:-gcc} -shared -nostdlib -o "$out/rules" "$out/rules.s" && binaries+=("$out/rules")
}

declare -A triples=([amd64]=x86_64-linux-gnu [arm64]=aarch64-linux-gnu [s390x]=s390x-linux-gnu)
binaries=()
if command -v llvm-dwarfdump-22 >/dev/null && command -v llvm-objcopy-22 >/dev/null; then
    made_binaries
    ((${#binaries[@]})) || { echo "failed: binaries for the importer"; failed=$((failed + 1)); }
    for file in /lib/x86_64-linux-gnu/lib{c.so.6,m.so.6,stdc++.so.6} /usr/bin/zstd \
        /usr/{aarch64,s390x}-linux-gnu/lib/lib{c.so.6,stdc++.so.6}; do
        if [[ -e $file ]]; then binaries+=("$file"); else echo "test_judges: NOT RUN: $file is missing"; fi
    done
    for file in "${binaries[@]}"; do
        for tool in llvm readelf; do check "import, $tool, $file" by_import $tool "$file"; done
    done
    for file in corpora/unwind/*.txt.xz; do
        document=$(basename "$file" .txt.xz)
        for tool in llvm readelf; do check "eh-frame, $tool, $document" by_dwarf $tool "$document"; done
    done
else
    echo "test_judges: NOT RUN: llvm-dwarfdump-22 or llvm-objcopy-22 is missing (Debian: llvm-22)"
fi
echo "$passed passed, $failed failed: other readers of SFrame and .eh_frame"
((passed + failed)) || exit 77
((failed == 0))
