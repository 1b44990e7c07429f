#!/usr/bin/env python3
"""Makes sets of GUIDs from profiles: make.py PROFILE.proftext >SET.txt, or make.py FILE.extbinary >SET.txt.

A GUID is the first 8 bytes of the MD5 of a name, as a little-endian number, as LLVM makes it. The body of a function in a
.proftext is its records in an indexed profile of version 12: 8 bytes for each of hash, number of counters, counters and
number of bitmap bytes, and 8 for empty value data. An .extbinary is what `bakeoff encode autofdo/extbinary --raw` writes:
all of its names are in the set; those that the table of function offsets has are functions with a body, the others are
inlined or called. Needs nothing but Python 3.
"""
import hashlib
import sys


def guid(name):
    return int.from_bytes(hashlib.md5(name).digest()[:8], "little")


def of_proftext(data):
    bodies = {}
    for record in data.split(b"\n\n"):
        lines = [line for line in record.split(b"\n") if line and not line.startswith((b"#", b":"))]
        if len(lines) < 4:
            continue
        name, n_counters = lines[0], int(lines[2])
        bodies[guid(name)] = bodies.get(guid(name), 0) + 8 * (4 + n_counters)
    return bodies


def uleb(data, at):
    v = shift = 0
    while True:
        byte = data[at]
        at += 1
        v |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return v, at


def of_extbinary(data):
    at, sections = uleb(data, 0)[1], {}
    version, at = uleb(data, at)
    assert version == 103
    n, at = int.from_bytes(data[at:at + 8], "little"), at + 8
    for i in range(n):
        kind, _, off, size = (int.from_bytes(data[at + 32 * i + 8 * k:][:8], "little") for k in range(4))
        sections[kind] = data[off:off + size]
    n, at = uleb(sections[2], 0)
    names = sections[2][at:].split(b"\0")[:n]
    n, at = uleb(sections[4], 0)
    offsets = []
    for _ in range(n):
        index, at = uleb(sections[4], at)
        off, at = uleb(sections[4], at)
        offsets.append((off, index))
    offsets.sort()
    ends = [off for off, _ in offsets[1:]] + [len(sections[32])]
    sizes = {guid(names[index]): end - off for (off, index), end in zip(offsets, ends)}
    return {guid(name): sizes.get(guid(name)) for name in names}


with open(sys.argv[1], "rb") as file:
    content = file.read()
found = of_proftext(content) if sys.argv[1].endswith(".proftext") else of_extbinary(content)
print("guid 1")
for key in sorted(found):
    print(f"{key:#x} {'-' if found[key] is None else found[key]}")
