"""What readers of SFrame accept: edge cases of sections, and the verdicts of tools and of our codec, as a table.

    python3 codecs/unwind/sframe_acceptance.py

Version 1 is read by objdump of binutils 2.40, version 2 by llvm-readobj-22. Needs build/bakeoff (BAKEOFF overrides it),
as, objcopy and the tools; a tool that is missing has an empty column.
"""

import os
import shutil
import struct
import subprocess
import tempfile

TEXT = """unwind 1
arch amd64
fn 0x1000 16
0 sp+8 c-8 s
1 sp+16 c-8 c-16
4 fp+16 c-8 c-16
15 sp+8 c-8 s
fn 0x1010 8
0 sp+8 c-8 s
"""
TOOLS = {1: ["objdump", "--sframe=.sframe"], 2: ["llvm-readobj-22", "--sframe"]}
FUNCTION = {1: 17, 2: 20}  # bytes
BAKEOFF = os.environ.get("BAKEOFF", "build/bakeoff")


def put(section, at, kind, value):
    changed = bytearray(section)
    struct.pack_into("<" + kind, changed, at, value)
    return bytes(changed)


def cases(version, section, empty):
    n = FUNCTION[version]
    rows = 28 + 2 * n
    reversed_functions = section[:28] + section[28 + n:28 + 2 * n] + section[28:28 + n] + section[rows:]
    yield "as written", section
    yield "section of 0 bytes", b""
    yield "no functions, 28 bytes", empty
    yield "magic number of the other byte order", section[1::-1] + section[2:]
    yield "no magic number", bytes(2) + section[2:]
    yield "version 0", put(section, 2, "B", 0)
    yield "version 4", put(section, 2, "B", 4)
    yield "unknown flag", put(section, 3, "B", section[3] | 0x80)
    yield "machine 0", put(section, 4, "B", 0)
    yield "unsorted, as its flag says", put(reversed_functions, 3, "B", section[3] & ~1)
    yield "unsorted, flag says sorted", reversed_functions
    yield "more functions than fit", put(section, 8, "I", 1000)
    yield "number of rows is not the sum", put(section, 12, "I", 4)
    yield "row offset past the rows", put(section, 28 + n + 8, "I", 1000)
    yield "rows shared by two functions", put(section, 28 + n + 8, "I", 0)
    yield "words of size 3", put(section, rows + 1, "B", section[rows + 1] | 0x60)
    yield "row starts of width 3", put(section, 28 + 16, "B", 3)
    yield "15 words in a row", put(section, rows + 1, "B", 0x1f)
    yield "row starts do not ascend", put(section, rows + 3, "B", 0)
    yield "row start past the function", put(section, rows + 8, "B", 200)
    if version > 1:
        yield "pattern with repeat size 0", put(put(section, 44, "B", 0x10), 45, "B", 0)


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          check=False)


def tool_verdict(version, section, folder):
    if not shutil.which(TOOLS[version][0]):
        return ""
    with open(f"{folder}/section", "wb") as file:
        file.write(section)
    subprocess.run(["as", "-o", f"{folder}/empty", "/dev/null"], check=True)
    subprocess.run(["objcopy", "--add-section", f".sframe={folder}/section", f"{folder}/empty", f"{folder}/object"],
                   check=True)
    done = run(*TOOLS[version], f"{folder}/object")
    if done.returncode < 0:
        return f"crashes (signal {-done.returncode})"
    return "rejects" if done.returncode or "warning" in done.stdout else "accepts"


def our_verdict(version, section, folder):
    header = bytes([1, 0, 1, 0, 0, 0, 0, 0]) + struct.pack("<QQ", 0x1000 if len(section) > 28 else 0, len(section))
    with open(f"{folder}/payload", "wb") as file:
        file.write(header + section + bytes(16))
    done = run(BAKEOFF, "decode", f"unwind/sframe-v{version}", f"{folder}/payload", "--raw", "-o", f"{folder}/model")
    return "rejects" if done.returncode else "accepts"


def encode(version, text, folder):
    with open(f"{folder}/text", "w", encoding="ascii") as file:
        file.write(text)
    subprocess.run([BAKEOFF, "encode", f"unwind/sframe-v{version}", f"{folder}/text", "--raw", "-o", f"{folder}/raw"],
                   check=True)
    with open(f"{folder}/raw", "rb") as file:
        return file.read()[24:-16]


def main():
    verdicts = {}
    with tempfile.TemporaryDirectory() as folder:
        for version in TOOLS:
            section = encode(version, TEXT, folder)
            empty = encode(version, "unwind 1\narch amd64\n", folder)
            for name, case in cases(version, section, empty):
                verdict = tool_verdict(version, case, folder), our_verdict(version, case, folder)
                verdicts.setdefault(name, {})[version] = verdict
    print("| section | objdump 2.40, version 1 | sframe-v1 | llvm-readobj 22, version 2 | sframe-v2 |")
    print("|---|---|---|---|---|")
    for name, by_version in verdicts.items():
        print("|", name, "|", " | ".join(word or "-" for v in TOOLS for word in by_version.get(v, ("", ""))), "|")


if __name__ == "__main__":
    main()
