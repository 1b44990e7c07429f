#!/usr/bin/env python3
"""Second readers of all encodings of GUID sets, written from README.md and the pages that it names.

Shares nothing with the C code. second_reader.py CODEC FILE TEXT ... reads raw encodings (bakeoff encode --raw) and compares
their models with those of the texts; a TEXT of - means that the file must be rejected. --list prints the codecs. Exit status 1: a model differs, or a
file is accepted that must not be; 2: a file is rejected.
"""
import sys

MAX_BODY = (1 << 24) - 1
FACTOR = 0x9E3779B97F4A7C15
INVERSE = pow(FACTOR, -1, 1 << 64)


class Reject(Exception):
    pass


def need(condition, rule):
    if not condition:
        raise Reject(rule)


def number(data, at, n):
    need(at + n <= len(data), "bytes are missing")
    return int.from_bytes(data[at:at + n], "little")


def body(start, end):
    need(start <= end <= start + MAX_BODY, "size of a body")
    return end - start or None


def ascending(guids):
    need(all(a < b for a, b in zip(guids, guids[1:])), "GUIDs ascend")


# ---- the tables ---------------------------------------------------------------------------------


def uvarint(data, at):
    v = shift = 0
    while True:
        byte = number(data, at, 1)
        at += 1
        v |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            need((byte or shift == 7) and v < 1 << 32, "uvarint")
            return v, at
        need(shift < 35, "uvarint")


def llvm103(data):
    n, at = uvarint(data, 0)
    guids = [number(data, at + 8 * i, 8) for i in range(min(n, len(data)))]
    need(len(guids) == n, "GUIDs are missing")
    ascending(guids)
    n_bodies, at = uvarint(data, at + 8 * n)
    pairs = []
    for _ in range(n_bodies):
        index, at = uvarint(data, at)
        start, at = uvarint(data, at)
        need(index < n and (not pairs or index > pairs[-1][0]), "index")
        pairs.append((index, start))
    total, at = uvarint(data, at)
    need(at == len(data), "bytes after the tables")
    starts = [start for _, start in pairs] + [total]
    need(starts[0] == 0, "first body")
    model = dict.fromkeys(guids)
    for k, (index, start) in enumerate(pairs):
        model[guids[index]] = body(start, starts[k + 1])
        need(starts[k + 1] > start, "a body is empty")
    return model


def sorted_arrays(data):
    n = number(data, 0, 8)
    need(8 + 12 * n == len(data), "size")
    guids = [number(data, 8 + 8 * i, 8) for i in range(n)]
    ascending(guids)
    ends = [0] + [number(data, 8 + 8 * n + 4 * i, 4) for i in range(n)]
    return {guid: body(ends[i], ends[i + 1]) for i, guid in enumerate(guids)}


def chained(data):
    n, n_buckets = number(data, 0, 4), number(data, 4, 4)
    need(n < 1 << 28, "n")
    expected = 1
    while n > 2 and expected <= 4 * n // 3:
        expected *= 2
    need(n_buckets == expected, "number of buckets")
    at, items = 8 + 8 * n_buckets, []
    need(at + 4 <= len(data), "buckets are missing")
    for bucket in range(n_buckets):
        off = number(data, 8 + 8 * bucket, 8)
        if not off:
            continue
        need(off == at, "bucket's place")
        count, at = number(data, at, 2), at + 2
        need(count, "bucket without items")
        for i in range(count):
            items.append((number(data, at, 8), number(data, at + 8, 4)))
            need(items[-1][0] % n_buckets == bucket and (not i or items[-1][0] > items[-2][0]), "bucket's GUIDs")
            at += 12
    need(len(items) == n and at + 4 == len(data), "items")
    starts = [start for _, start in items] + [number(data, at, 4)]
    need(starts[0] == 0, "first body")
    return {guid: body(start, starts[i + 1]) for i, (guid, start) in enumerate(items)}


def eytzinger(data):
    n_bodies, n_others = number(data, 0, 8), number(data, 8, 8)
    need(16 + 12 * n_bodies + 8 * n_others + 4 == len(data), "size")
    guids = [number(data, 16 + 8 * i, 8) for i in range(n_bodies + n_others)]
    starts = [number(data, 16 + 8 * len(guids) + 4 * i, 4) for i in range(n_bodies + 1)]

    def walk(tree):
        order, stack, i = [], [], 0
        while stack or i < len(tree):
            while i < len(tree):
                stack.append(i)
                i = 2 * i + 1
            i = stack.pop()
            order.append(tree[i])
            i = 2 * i + 2
        return order

    ascending(walk(guids[:n_bodies]))
    ascending(walk(guids[n_bodies:]))
    need(len(set(guids)) == len(guids), "a GUID is in both")
    need(starts[0] == 0 and all(a < b for a, b in zip(starts, starts[1:])), "starts")
    model = dict.fromkeys(guids)
    for i in range(n_bodies):
        model[guids[i]] = body(starts[i], starts[i + 1])
    return model


# ---- quotients ----------------------------------------------------------------------------------


class Bits:
    def __init__(self, data):
        self.v, self.n, self.at = int.from_bytes(data, "little"), 8 * len(data), 0

    def take(self, n):
        need(self.at + n <= self.n, "bits are missing")
        v = self.v >> self.at & ((1 << n) - 1)
        self.at += n
        return v


def block(data, first, n_buckets, d, w, low_bits, extent):
    """Keys of a block, and the ends of their bodies (none for extent None)."""
    bits = Bits(data)
    m = bits.take(16)
    buckets = []
    for b in range(n_buckets):
        while bits.take(1):
            buckets.append(first + b)
    need(len(buckets) == m, "keys of the buckets")
    keys = []
    for b in buckets:
        keys.append((b << w | bits.take(w)) << (64 - d - w))
    ascending(keys)
    ends = []
    if extent is not None:
        lows = [bits.take(low_bits) for _ in range(m)]
        high = 0
        for low in lows:
            while not bits.take(1):
                high += 1
            ends.append(high << low_bits | low)
        need((ends[-1] if ends else 0) == extent, "extent")
    need(bits.n - bits.at < 8 and bits.v >> bits.at == 0, "padding")
    return keys, ends


def quotients(data, has_bodies=True, is_fingerprint=False):
    n, total = number(data, 0, 4), number(data, 4, 4) if has_bodies else 0
    need(n < 1 << 28, "n")
    d = max(n.bit_length() - 1, 0)
    d += n * n > 1 << (2 * d + 1)
    w = 32 if is_fingerprint else 64 - d
    low_bits = (total // n).bit_length() - 1 if n and total >= n else 0
    n_buckets = 1 << min(d, 6)
    n_blocks, at, size = (1 << d) // n_buckets, 8 if has_bodies else 4, 8 if has_bodies else 4
    entries = [(number(data, at + size * b, 4), number(data, at + size * b + 4, 4) if has_bodies else 0)
               for b in range(n_blocks + 1)]
    at += size * (n_blocks + 1)
    need(at + 40 <= len(data) and not any(data[-40:]), "padding")
    need(entries[0] == (0, 0) and entries[-1] == (len(data) - 40 - at, total), "directory")
    model, start = {}, 0
    n_keys = 0
    for b in range(n_blocks):
        (first, base), (last, next_base) = entries[b:b + 2]
        need(first <= last and base <= next_base, "directory")
        extent = next_base - base if has_bodies else None
        keys, ends = block(data[at + first:at + last], b * n_buckets, n_buckets, d, w, low_bits, extent)
        n_keys += len(keys)
        start = 0
        for i, key in enumerate(keys):
            guid = key * INVERSE % (1 << 64) if is_fingerprint else key
            model[guid] = body(start, ends[i]) if has_bodies else None
            start = ends[i] if has_bodies else 0
    need(n_keys == n, "number of keys")
    return model


def members(data):
    return quotients(data, has_bodies=False)


def fingerprint(data):
    return quotients(data, is_fingerprint=True)


# ---- perfect-hash-32 ----------------------------------------------------------------------------

LISTED = 4095


def scale(v, span):
    return v * span >> 32


def bucket_of(f, buckets):
    x2 = scale(f, f)
    return scale((f + 3 * x2 + 4 * scale(x2, f)) >> 3, buckets)


def turn_of(f, pilot, m):
    return scale((f ^ pilot * 0x9E3779B1 % (1 << 32)) * 0x85EBCA6B % (1 << 32), m)


def slots_of(keys, pilot, m):
    return [(scale(key & 0xFFFFFFFF, m) + turn_of(key >> 32, pilot, m)) % m for key in keys]


def place(guids):
    """The pilots of a set, its number of slots, and its keys by bucket."""
    n_buckets, m = len(guids) // 5 + 1, len(guids) + len(guids) // 256 + 1
    buckets = [[] for _ in range(n_buckets)]
    for guid in guids:
        key = guid * FACTOR % (1 << 64)
        buckets[bucket_of(key >> 32, n_buckets)].append(key)
    pilots, taken = [LISTED] * n_buckets, set()
    for b in sorted(range(n_buckets), key=lambda b: (-len(buckets[b]), b)):
        if any(key >> 32 == 0 for key in buckets[b]):
            continue
        for pilot in range(LISTED):
            slots = set(slots_of(buckets[b], pilot, m))
            if len(slots) == len(buckets[b]) and not slots & taken:
                pilots[b] = pilot
                taken |= slots
                break
    return pilots, m, buckets


def low_width(n, total):
    return (total // n).bit_length() - 1 if n and total >= n else 0


def write_perfect_hash(model):
    """The only encoding of a set that a file may hold."""
    pilots, m, buckets = place(model)
    n, total = len(model), sum(size or 0 for size in model.values())
    low_bits, slots, listed = low_width(n, total), [(0, 0)] * m, []
    for pilot, keys in zip(pilots, buckets):
        sizes = [model[key * INVERSE % (1 << 64)] or 0 for key in keys]
        if pilot == LISTED:
            listed += [(key * INVERSE % (1 << 64), size) for key, size in zip(keys, sizes)]
        else:
            for slot, key, size in zip(slots_of(keys, pilot, m), keys, sizes):
                slots[slot] = (key >> 32, size)
    data = b"".join(v.to_bytes(4, "little") for v in (n, total, len(listed)))

    def pack(fields):
        v = at = 0
        for field, width in fields:
            v |= field << at
            at += width
        return v.to_bytes((at + 7) // 8, "little")

    ends = []
    for _, size in slots:
        ends.append((ends[-1] if ends else 0) + size)
    data += pack((pilot, 12) for pilot in pilots)
    data += b"".join(end.to_bytes(4, "little") for end in [0] + ends[63:-1:64] + ends[-1:])
    data += pack((f | (end & ((1 << low_bits) - 1)) << 32, 32 + low_bits) for (f, _), end in zip(slots, ends))
    highs = [end >> low_bits for end in ends]
    gaps = [high - before for high, before in zip(highs, [0] + highs)]
    data += pack((1 << gap, gap + 1) for gap in gaps)
    end = ends[-1]
    for guid, size in sorted(listed):
        end += size
        data += guid.to_bytes(8, "little") + end.to_bytes(4, "little")
    return data + bytes(40)


def perfect_hash(data):
    n, total, n_listed = (number(data, at, 4) for at in (0, 4, 8))
    need(n_listed <= n < 1 << 28 and total <= n * MAX_BODY, "header")
    n_buckets, m, low_bits = n // 5 + 1, n + n // 256 + 1, low_width(n, total)
    groups = 12 + (n_buckets * 12 + 7) // 8
    entries = groups + 4 * ((m + 63) // 64 + 1)
    ends = entries + (m * (32 + low_bits) + 7) // 8
    need(ends <= len(data), "entries are missing")
    base = number(data, entries - 4, 4)
    n_bits = m + (base >> low_bits)
    listed = ends + (n_bits + 7) // 8
    need(listed + 12 * n_listed + 40 == len(data), "size")
    pilots = Bits(data[12:groups])
    pilots = [pilots.take(12) for _ in range(n_buckets)]
    entry, unary = Bits(data[entries:ends]), Bits(data[ends:listed])
    model, start, high = {}, 0, 0
    for slot in range(m):
        f, low = entry.take(32), entry.take(low_bits)
        while not unary.take(1):
            high += 1
        end = high << low_bits | low
        if f:
            pilot = pilots[bucket_of(f, n_buckets)]
            need(pilot != LISTED, "slot of a listed GUID")
            position = (slot - turn_of(f, pilot, m)) % m
            model[(f << 32 | -(-(position << 32) // m)) * INVERSE % (1 << 64)] = body(start, end)
        start = end
    need(len(model) == n - n_listed, "number of GUIDs")
    for i in range(n_listed):
        guid, end = number(data, listed + 12 * i, 8), number(data, listed + 12 * i + 8, 4)
        need(guid not in model, "a GUID is listed and in a slot")
        model[guid] = body(start, end)
        start = end
    need(write_perfect_hash(model) == data, "not the encoding of its GUIDs")
    return model


def hold_perfect_hash(model):
    pilots, m, buckets = place(model)
    held_model = {}
    for pilot, keys in zip(pilots, buckets):
        for key in keys:
            position = scale(key & 0xFFFFFFFF, m)
            kept = key if pilot == LISTED else key >> 32 << 32 | -(-(position << 32) // m)
            held_model[kept * INVERSE % (1 << 64)] = model[key * INVERSE % (1 << 64)]
    return held_model


READERS = {"llvm103": llvm103, "sorted": sorted_arrays, "chained": chained, "eytzinger": eytzinger,
           "quotients": quotients, "fingerprint-32": fingerprint, "perfect-hash-32": perfect_hash,
           "members": members}


def parse(text):
    lines = [line for line in text.decode().split("\n") if line and not line.startswith("#")]
    assert lines[0] == "guid 1"
    pairs = [line.split(" ") for line in lines[1:]]
    return {int(guid, 16): None if nbytes == "-" else int(nbytes) for guid, nbytes in pairs}


def held(codec, model):
    """What the encoding holds of a model."""
    if codec == "members":
        return dict.fromkeys(model)
    if codec == "perfect-hash-32":
        return hold_perfect_hash(model)
    if codec == "fingerprint-32":
        n = len(model)
        d = max(n.bit_length() - 1, 0)
        d += n * n > 1 << (2 * d + 1)
        cut = 64 - d - 32
        return {(guid * FACTOR % (1 << 64) >> cut << cut) * INVERSE % (1 << 64): v for guid, v in model.items()}
    return model


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(READERS))
        return 0
    for codec, path, text in zip(arguments[::3], arguments[1::3], arguments[2::3]):
        with open(path, "rb") as file:
            data = file.read()
        try:
            model = READERS[codec](data)
        except Reject as reject:
            if text == "-":
                continue
            print(f"{path}: rejected: {reject}")
            return 2
        if text == "-":
            print(f"{path}: accepted")
            return 1
        with open(text, "rb") as file:
            if held(codec, parse(file.read())) != model:
                print(f"{path}: another model than {text}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
