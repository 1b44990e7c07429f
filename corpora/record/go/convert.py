#!/usr/bin/env python3
"""Writes a recording of recorder.go as queries of a recorded workload (docs/workloads.md).

    convert.py TEXT RECORDING

TEXT is the text form of the tables of the program that ran. Lookups of whole tables, and those
beyond a table's end, are left out; the last line on standard error counts them.
"""
import struct
import sys

MAGIC = 0x31636572746370
MISS, HIT, NO_CACHE, WHOLE = range(4)


def varint_bytes(value):
    return max(1, (value.bit_length() + 6) // 7)


def read_tables(path):
    """Yields (bytes in varint-delta, text length) of each table."""
    runs, text_len, quantum = [], 0, 1

    def size():
        nbytes, previous = 1, -1
        for (pc, value), end in zip(runs, [pc for pc, _ in runs[1:]] + [text_len]):
            delta = (value - previous + (1 << 31)) % (1 << 32) - (1 << 31)
            zigzag = (delta << 1 ^ delta >> 31) % (1 << 32)
            nbytes += varint_bytes(zigzag) + varint_bytes((end - pc) // quantum)
            previous = value
        return nbytes

    with open(path) as f:
        for line in f:
            words = line.split()
            if not words or line[0] == "#" or words[0] == "pcdata":
                continue
            if words[0] == "quantum":
                quantum = int(words[1])
            elif words[0] == "table":
                if runs:
                    yield size(), text_len
                runs, text_len = [], int(words[1])
            else:
                runs.append((int(words[0]), int(words[1])))
    if runs:
        yield size(), text_len


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    # The linker stores distinct tables one after the other, after a byte of padding.
    numbers, off = {}, 1
    for number, (nbytes, text_len) in enumerate(read_tables(sys.argv[1])):
        numbers[off] = number, text_len
        off += nbytes
    with open(sys.argv[2], "rb") as f:
        data = f.read()
    if len(data) < 24 or struct.unpack_from("<Q", data)[0] != MAGIC:
        sys.exit("convert.py: %s: not a recording" % sys.argv[2])
    seen = struct.unpack_from("<Q", data, 8)[0]
    lines, whole, beyond = [], 0, 0
    for at, (_, off, pc, kind) in enumerate(struct.iter_unpack("<4I", data[24:])):
        if off not in numbers:
            sys.exit("convert.py: %s: lookup %d: no table of %s is at offset %d of pctab"
                     % (sys.argv[2], at, sys.argv[1], off))
        number, text_len = numbers[off]
        if kind & 3 == WHOLE:
            whole += 1
        elif pc >= text_len:
            beyond += 1
        else:
            lines.append("%spoint\t%d\t%d\n" % ("hit\t" if kind & 3 == HIT else "", number, pc))
    sys.stdout.writelines(lines)
    print("%d lookups of %d seen; without %d of whole tables, %d beyond a table's end"
          % (len(lines), seen, whole, beyond), file=sys.stderr)


main()
