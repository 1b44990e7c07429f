"""Makes the text form from which a fixed dictionary of sequences-fixed is trained.

    python3 codecs/unwind/sequences/train.py MACHINE F.txt... >merged.txt

The functions of all files whose sequence of states, with flags, occurs in at least three files, one after the other.
Encode it with sequences-fixed in a program whose fixed dictionaries are empty (`.streams` of fixed.c): the payload's
dictionary is the fixed one. `--bytes PAYLOAD` prints it for fixed.c:

    python3 codecs/unwind/sequences/train.py --bytes PAYLOAD
"""

import collections
import sys

MIN_FILES = 3
GRID = 16  # starts of functions
HOLE_EVERY = 1000  # functions: the dictionary needs the list of holes


def print_bytes(path):
    with open(path, "rb") as file:
        part = file.read()[24:-16]
    stream = part[len(part) - int.from_bytes(part[12:16], "little"):]
    for i in range(0, len(stream), 16):
        print("    " + " ".join(f"0x{byte:02x}," for byte in stream[i:i + 16]))


def read_functions(path):
    functions = []
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words and words[0] == "fn":
                functions.append((int(words[2]), tuple(words[3:]), []))
            elif words and words[0].isdigit():
                functions[-1][2].append((int(words[0]), " ".join(words[1:])))
    return functions


def list_of(function):
    _, flags, rows = function
    return flags, bool(rows and rows[0][0]), tuple(state for _, state in rows)


def main(machine, *paths):
    files = [read_functions(path) for path in sorted(paths)]
    seen = collections.defaultdict(set)
    for i, functions in enumerate(files):
        for function in functions:
            seen[list_of(function)].add(i)
    print(f"unwind 1\narch {machine}")
    start, n = 0x1000, 0
    for function in (function for functions in files for function in functions):
        if len(seen[list_of(function)]) < MIN_FILES:
            continue
        length, flags, rows = function
        print(" ".join([f"fn {start:#x} {length}", *flags]))
        for off, state in rows:
            print(off, state)
        n += 1
        start += -(-length // GRID) * GRID + (0 if n % HOLE_EVERY else 4 * GRID)


if __name__ == "__main__":
    print_bytes(sys.argv[2]) if sys.argv[1] == "--bytes" else main(*sys.argv[1:])
