"""What readers of SFrame accept: edge cases of sections, and the verdicts of tools and of our codec, as a table.

    python3 codecs/unwind/sframe_acceptance.py

Version 1 is read by objdump of binutils 2.40, version 2 by llvm-readobj-22; no tool of Debian 12 reads version 3. Needs
build/bakeoff (BAKEOFF overrides it), as, objcopy and the tools; a tool that is missing has an empty column.
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
FLEXIBLE = """unwind 1
arch amd64
fn 0x1000 16
0 r10+0 c-8 s
"""
SAVED = """unwind 1
arch arm64
fn 0x1000 16
0 sp+32 c-24 s
"""
TOOLS = {1: ["objdump", "--sframe=.sframe"], 2: ["llvm-readobj-22", "--sframe"], 3: None}
FUNCTION = {1: 17, 2: 20, 3: 16}  # bytes
N_RUNS = 16
BAKEOFF = os.environ.get("BAKEOFF", "build/bakeoff")


def put(section, at, kind, value):
    changed = bytearray(section)
    struct.pack_into("<" + kind, changed, at, value)
    return bytes(changed)


def cases(version, folder):
    """Yields the name of a case, its section and its machine."""
    section = encode(version, TEXT, folder)
    n = FUNCTION[version]
    functions = 28 + 2 * n
    rows = functions + (5 if version == 3 else 0)  # of the first function: starts of 1 byte, then info
    second = 28 + n
    start = "q" if version == 3 else "i"
    offset = second + (12 if version == 3 else 8)
    info = functions + 2 if version == 3 else 28 + 16
    count, count_kind = (functions, "H") if version == 3 else (28 + 12, "I")
    by_start = section[:28] + section[second:functions] + section[28:second] + section[functions:]
    if section[3] & 4:  # starts are relative to their fields
        at = struct.unpack_from("<" + start, section, 28)[0], struct.unpack_from("<" + start, section, second)[0]
        by_start = put(put(by_start, 28, start, at[1] + n), second, start, at[0] - n)
    yield "as written", section, 0
    yield "section of 0 bytes", b"", 0
    yield "no functions, 28 bytes", encode(version, "unwind 1\narch amd64\n", folder), 0
    longer = put(section[:28], 7, "B", 255) + bytes(255) + section[28:]
    if section[3] & 4:
        longer = put(put(longer, 28 + 255, start, at[0] - 255), second + 255, start, at[1] - 255)
    yield "auxiliary header of 255 bytes", longer, 0
    yield "magic number of the other byte order", section[1::-1] + section[2:], 0
    yield "no magic number", bytes(2) + section[2:], 0
    yield "version 0", put(section, 2, "B", 0), 0
    yield "version 4", put(section, 2, "B", 4), 0
    yield "unknown flag", put(section, 3, "B", section[3] | 0x80), 0
    yield "machine 0", put(section, 4, "B", 0), 0
    yield "machine 5", put(section, 4, "B", 5), 0
    yield "unsorted, as its flag says", put(by_start, 3, "B", section[3] & ~1), 0
    yield "unsorted, flag says sorted", by_start, 0
    yield "more functions than fit", put(section, 8, "I", 1000), 0
    yield "functions at an offset that overflows 32 bits", put(section, 20, "I", 0xfffffff0), 0
    yield "number of rows is not the sum", put(section, 12, "I", 4), 0
    yield "more rows in a function than fit", put(section, count, count_kind, 65535), 0
    yield "row offset past the rows", put(section, offset, "I", 1000), 0
    yield "rows shared by two functions", shared(version, section, offset), 0
    yield "words of size 3", put(section, rows + 1, "B", section[rows + 1] | 0x60), 0
    yield "row starts of width 3", put(section, info, "B", 3), 0
    yield "15 words in a row", put(section, rows + 1, "B", 0x1f), 0
    yield "first row is not at 0", put(put(section, rows, "B", 1), rows + 3, "B", 2), 0
    yield "row starts do not ascend", put(section, rows + 3, "B", 0), 0
    yield "row start past the function", put(section, rows + 11, "B", 200), 0
    yield "function of 2^32 - 1 bytes from 2^31 - 2^16 on", far(version, section, second, start), 0
    yield "RA saved, FP not, on arm64", encode(version, SAVED, folder), 1
    if version > 1:
        yield "no words, but bits of the info are set", no_words(section, rows), 0
        repeat = (functions + 4, "B") if version == 3 else (28 + 17, "B")
        yield "pattern with repeat size 0", put(put(section, info, "B", 0x10), *repeat, 0), 0
    if version == 3:
        flexible = encode(version, FLEXIBLE, folder)
        row = 28 + n + 5  # start, info, words {control, offset} of the CFA and the one of RA
        yield "function that starts 2^63 - 1 after its field", put(section, second, start, (1 << 63) - 1), 0
        yield "rows in the attributes of a function", put(section, offset, "I", 2), 0
        yield "flexible row", flexible, 0
        yield "flexible row of one word", cut(flexible, row, 1), 0
        yield "flexible CFA that is based on itself", put(flexible, row + 2, "B", 0), 0
        yield "flexible CFA, a word without a register", put(flexible, row + 2, "B", 2), 0


def shared(version, section, offset):
    """The second function's rows are the first's, of which it has room for the first only."""
    changed = put(section, offset, "I", 0)
    return changed if version == 3 else put(changed, offset + 4, "I", 1)


def far(version, section, second, start):
    return put(put(section, second, start, 0x7fff0000), second + (8 if version == 3 else 4), "I", 0xffffffff)


def no_words(section, row):
    """The first row, `sp+8`, without its word: the info says sp."""
    shorter = section[:row + 2] + section[row + 3:]
    shorter = put(put(shorter, row + 1, "B", 1), 16, "I", struct.unpack_from("<I", section, 16)[0] - 1)
    at = 28 + (16 if shorter[2] == 3 else 20) + (12 if shorter[2] == 3 else 8)
    return put(shorter, at, "I", struct.unpack_from("<I", section, at)[0] - 1)


def cut(section, row, n_words):
    """A section of one function with one row, of the first n words of one byte."""
    shorter = section[:row + 2 + n_words]
    shorter = put(shorter, row + 1, "B", section[row + 1] & ~0x1e | n_words << 1)
    return put(shorter, 16, "I", 5 + 2 + n_words)


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          check=False)


def tool_verdict(version, section, folder):
    if not TOOLS[version] or not shutil.which(TOOLS[version][0]):
        return ""
    with open(f"{folder}/section", "wb") as file:
        file.write(section)
    subprocess.run(["as", "-o", f"{folder}/empty", "/dev/null"], check=True)
    subprocess.run(["objcopy", "--add-section", f".sframe={folder}/section", f"{folder}/empty", f"{folder}/object"],
                   check=True)
    verdicts = set()
    for _ in range(N_RUNS):  # a tool that reads past its buffer does not always crash
        done = run(*TOOLS[version], f"{folder}/object")
        if done.returncode < 0:
            verdicts.add(f"crashes (signal {-done.returncode})")
        else:
            verdicts.add("rejects" if done.returncode or "warning" in done.stdout else "accepts")
    return " or ".join(sorted(verdicts))


def our_verdict(version, section, machine, folder):
    base = 0x1000 if len(section) > 28 else 0
    header = bytes([1, machine, 1, 0, 0, 0, 0, 0]) + struct.pack("<QQ", base, len(section))
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
            for name, case, machine in cases(version, folder):
                verdict = tool_verdict(version, case, folder), our_verdict(version, case, machine, folder)
                verdicts.setdefault(name, {})[version] = verdict
    print("| section | objdump 2.40, version 1 | sframe-v1 | llvm-readobj 22, version 2 | sframe-v2 | sframe-v3 |")
    print("|---|---|---|---|---|---|")
    for name, by_version in verdicts.items():
        words = [word or "-" for v in TOOLS for word in by_version.get(v, ("", ""))]
        print("|", name, "|", " | ".join(words[:4] + words[5:]), "|")


if __name__ == "__main__":
    main()
