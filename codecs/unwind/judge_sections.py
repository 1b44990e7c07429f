"""Compares SFrame sections with those that assemblers write from the same rows.

    python3 codecs/unwind/judge_sections.py 1|2 MODEL

MODEL is a text form. Its functions are written as assembler with CFI directives, which `as --gsframe` of binutils 2.40
turns into version 1, and llvm-mc-22 into version 2 (amd64 only). All fields of functions but their starts, and all
bytes of rows, must be those of bakeoff's writer; of version 2 all but the width of row starts, which LLVM chooses by
the last row and we by the function's length. Pattern functions and rows with `x` or `u` have no directives or are
written wrong by the tools; functions with them are left out and counted. Exit status 1: the sections differ.
"""

import os
import struct
import subprocess
import sys
import tempfile

BAKEOFF = os.environ.get("BAKEOFF", "build/bakeoff")
LLVM_MC = ["llvm-mc-22", "-triple", "x86_64-linux", "-filetype=obj", "--gsframe"]
# Of each machine: numbers of sp, fp and RA, what the CIE says, and the commands by version.
MACHINES = {
    "amd64": (7, 6, 16, ["sp+8", "c-8", "s"], {1: ["as", "--gsframe"], 2: LLVM_MC}),
    "arm64": (31, 29, 30, ["sp+0", "s", "s"], {1: ["aarch64-linux-gnu-as", "--gsframe"]}),
}


def functions_of(lines):
    functions = []
    for line in lines:
        if line.startswith("fn "):
            functions.append([line])
        elif line[0].isdigit():
            functions[-1].append(line)
    return functions


def has_directives(function, arch):
    """Whether all rows are what the version has a default form for."""
    words = [line.split() for line in function[1:]]
    return "rep=" not in function[0] and words and words[0][0] == "0" and all(
        w[1][:3] in ("sp+", "fp+") and (w[2] == "c-8" if arch == "amd64" else w[2] == "s" or w[2][0] == "c") and
        (w[3] == "s" or w[3][0] == "c" and w[2][0] == "c") for w in words)


def directives(function, machine):
    sp, fp, ra, state, _ = MACHINES[machine]
    head = function[0].split()
    yield ".cfi_startproc"
    if "B" in head[3:]:
        yield ".cfi_b_key_frame"
    state, at, signed = list(state), 0, False
    for row in map(str.split, function[1:]):
        if int(row[0]) > at:
            yield f".skip {int(row[0]) - at}"
        at = int(row[0])
        if row[1] != state[0]:
            yield f".cfi_def_cfa {sp if row[1][:2] == 'sp' else fp}, {int(row[1][2:])}"
        for register, new, old in ((ra, row[2], state[1]), (fp, row[3], state[2])):
            if new != old:
                yield f".cfi_restore {register}" if new == "s" else f".cfi_offset {register}, {int(new[1:])}"
        if ("a" in row[4:]) != signed:
            signed = not signed
            yield ".cfi_negate_ra_state"
        state = row[1:4]
    yield f".skip {int(head[2]) - at}"
    yield ".cfi_endproc"


def read_section(section, version):
    """[(length, number of rows, other info, repeat size, [rows' (start, bytes after it)])]"""
    n, first, rows_at = (struct.unpack_from("<I", section, at)[0] for at in (8, 20, 24))
    fdes, rows = 28 + section[7] + first, 28 + section[7] + rows_at
    size = 17 if version == 1 else 20
    functions = []
    for i in range(n):
        _, length, offset, n_rows, info = struct.unpack_from("<iIIIB", section, fdes + size * i)
        at, width, own = rows + offset, 1 << (info & 15), []
        for _ in range(n_rows):
            row_info = section[at + width]
            nbytes = 1 + (row_info >> 1 & 15) * (1 << (row_info >> 5 & 3))
            own.append((int.from_bytes(section[at:at + width], "little"), section[at + width:at + width + nbytes]))
            at += width + nbytes
        functions.append((length, info & 15 if version == 1 else None, info >> 4,
                          section[fdes + size * i + 17:fdes + size * (i + 1)], own))
    return functions


def main():
    version, path = int(sys.argv[1]), sys.argv[2]
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    arch = lines[1].split()[1]
    functions = functions_of(lines)
    kept = [f for f in functions if has_directives(f, arch)]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/text", "w", encoding="ascii") as file:
            file.write("\n".join(lines[:2] + [line for f in kept for line in f]) + "\n")
        codec = f"unwind/sframe-v{version}"
        subprocess.run([BAKEOFF, "encode", codec, f"{folder}/text", "--raw", "-o", f"{folder}/raw"], check=True)
        with open(f"{folder}/raw", "rb") as file:
            ours = file.read()[24:-16]
        with open(f"{folder}/code.s", "w", encoding="ascii") as file:
            file.write(".cfi_sections .sframe\n.text\n" if version == 2 else ".text\n")
            file.writelines(line + "\n" for f in kept for line in directives(f, arch))
        command = MACHINES[arch][4][version]
        subprocess.run([*command, "-o", f"{folder}/object", f"{folder}/code.s"], check=True)
        subprocess.run(["llvm-objcopy-22", f"--dump-section=.sframe={folder}/section", f"{folder}/object"], check=True)
        with open(f"{folder}/section", "rb") as file:
            theirs = file.read()
    pairs = list(zip(read_section(ours, version), read_section(theirs, version)))
    differing = [i for i, (a, b) in enumerate(pairs) if a != b]
    for i in differing[:3]:
        print(f"{kept[i][0]}: bakeoff has {pairs[i][0]}, {command[0]} {pairs[i][1]}", file=sys.stderr)
    is_equal = not differing and struct.unpack_from("<II", ours, 8) == struct.unpack_from("<II", theirs, 8)
    print(f"version {version} by {command[0]}: {len(kept)} of {len(functions)} functions, "
          f"{sum(len(f) - 1 for f in kept)} rows, {len(differing)} functions differ")
    sys.exit(not is_equal)


if __name__ == "__main__":
    main()
