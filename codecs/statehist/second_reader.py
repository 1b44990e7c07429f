"""A second reader of all encodings of statehist but sqlite, and of the text form, written from README.md and the pages that it names.

It shares nothing with the C code:

    python3 codecs/statehist/second_reader.py (CODEC PAYLOAD TEXT)...

`-` instead of TEXT says that the payload must be rejected.
"""

import functools
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../harness/coding"))
from coding_reader import M64, NONE, Counter, Cursor, Lazy, RangeDecoder, Reject, mixed_bit, run, unzigzag
from xxh3 import xxh3

NULL, INT, LONG, DOUBLE, STRING, BOOL = range(6)

# A model: start, end, attributes [(parent or -1, name)], and for each quark [(start, (type, value))]: ints, longs and
# bools as numbers, doubles as their bits, strings as bytes.


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def i64(c):
    return signed(c.le(8))


def require(condition, rule):
    if not condition:
        raise Reject(rule)


def check_utf8(strings):
    for string in strings:
        string.decode()  # ValueError: not UTF-8
    require(len(set(strings)) == len(strings), "duplicate string")


def check_model(model):
    """The rules of the model, whatever the encoding."""
    start, end, attributes, quarks = model
    require(start <= end, "history ends before it starts")
    require(len(attributes) == len(quarks), "timeline without an attribute")
    children = set()
    for q, (parent, name) in enumerate(attributes):
        name.decode()
        require(-1 <= parent < q, "parent is not a smaller quark")
        require(b"\0" not in name, "name holds a NUL")
        require((parent, name) not in children, "name of a sibling")
        children.add((parent, name))
    for timeline in quarks:
        starts = [first for first, _ in timeline]
        require(starts and starts[0] == start, "timeline does not begin with the history")
        require(all(a < b for a, b in zip(starts, starts[1:])), "start is not after the one before")
        require(starts[-1] <= end, "start is after the end")
        for _, (t, v) in timeline:
            require(NULL <= t <= BOOL, "unknown type")
            require(t != NULL or v == 0, "null has a value")
            require(t not in (INT, LONG) or -1 << 31 + 32 * (t - 1) <= v < 1 << 31 + 32 * (t - 1), "int does not fit")
            require(t != BOOL or v in (0, 1), "bool is neither 0 nor 1")
            if t == STRING:
                v.decode()


def strings_in_order(quarks):
    return list(dict.fromkeys(v for timeline in quarks for _, (t, v) in timeline if t == STRING))


# ---- lists ------------------------------------------------------------------------------------


class Bits:
    def __init__(self, data):
        self.data, self.n, self.at = data, 8 * len(data), 0

    def bits(self, n):
        if n > self.n - self.at:
            raise Reject("bits beyond a section")
        first, last = self.at // 8, (self.at + n + 7) // 8
        v = int.from_bytes(self.data[first:last], "little") >> self.at % 8
        self.at += n
        return v & ((1 << n) - 1)

    def finish(self, end):
        """The part ends in the byte of its last block; free bits are 0."""
        self.at = end
        require(self.n - end < 8, "bytes after the last block")
        require(self.bits(self.n - end) == 0, "free bits are not 0")

    def row(self, base, lows, shift):
        """Numbers of a block."""
        numbers, at, high = [base], 0, 0
        while len(numbers) <= len(lows):
            if self.bits(1):
                k = len(numbers) - 1
                numbers.append(base + (high << shift | lows[k]) if shift else base + 1 + at)
            else:
                high += 1
            at += 1
            if at > 256:
                raise Reject("row of more than 256 bits")
        return numbers


def ascend(numbers):
    if any(a >= b for a, b in zip(numbers, numbers[1:])):
        raise Reject("numbers of a list do not ascend")
    return numbers


def read_list(c, n):
    if n == 0:
        return []
    first = c.uvarint()
    if n == 1:
        return [first]
    base_bits, place_bits = c.u8(), c.u8()
    bits, numbers = Bits(c.take(c.uvarint())), []
    entries = [(first + bits.bits(base_bits), bits.bits(6), bits.bits(place_bits)) for _ in range(-(-n // 64))]
    start = end = bits.at
    if entries[0][0] != first:
        raise Reject("first block of a list does not start at 0")
    for i, (base, shift, place) in enumerate(entries):
        m = min(64, n - 64 * i)
        bits.at = start + place
        numbers += bits.row(base, [bits.bits(shift) for _ in range(m - 1)], shift)
        end = max(end, bits.at)
    bits.finish(end)
    return ascend(numbers)


def best_low_bits(numbers):
    span, count = numbers[-1] - numbers[0], len(numbers) - 1
    sizes = [(count * l + (count + (span >> l) if l else span), l) for l in range(64)
             if (count + (span >> l) if l else span) <= 256]
    return min(sizes)[1]


def write_list(numbers):
    """The canonical form, as bytes."""
    out, entries, rows, place = bytearray(), [], [], 0
    if not numbers:
        return b""
    blocks = [numbers[i:i + 64] for i in range(0, len(numbers), 64)]

    def varint(v):
        while v > 127:
            out.append(v & 127 | 128)
            v >>= 7
        out.append(v)

    varint(numbers[0])
    if len(numbers) == 1:
        return bytes(out)
    for block in blocks:
        l = best_low_bits(block)
        bits = [((v - block[0]) >> k & 1) for v in block[1:] for k in range(l)]
        high = 0
        if l:
            for v in block[1:]:
                bits += [0] * (((v - block[0]) >> l) - high) + [1]
                high = (v - block[0]) >> l
        else:
            bits += [int(v in set(block[1:])) for v in range(block[0] + 1, block[-1] + 1)]
        entries.append((block[0] - numbers[0], l, place))
        rows += bits
        place += len(bits)
    base_bits, place_bits = entries[-1][0].bit_length(), entries[-1][2].bit_length()
    head = [v >> k & 1 for base, l, at in entries for v, n in ((base, base_bits), (l, 6), (at, place_bits)) for k in range(n)]
    body = head + rows
    data = sum(bit << i for i, bit in enumerate(body)).to_bytes((len(body) + 7) // 8, "little")
    out += bytes((base_bits, place_bits))
    varint(len(data))
    return bytes(out) + data


def read_canonical_list(c, n):
    at = c.off
    numbers = read_list(c, n)
    require(c.data[at:c.off] == write_list(numbers), "list is not in its canonical form")
    return numbers


# ---- tree -------------------------------------------------------------------------------------


def read_tree(data, n_quarks):
    c = Cursor(data)
    names = [c.text() for _ in range(c.uvarint(32))]
    bits = Bits(data[c.off:])
    require(len(set(names)) == len(names), "name occurs twice")
    following, last, before, attributes, seen = {}, {}, 0, [], 0
    parent_of = lambda q: attributes[q][0] if q >= 0 else -1
    for q in range(n_quarks):
        if bits.bits(1):
            s = following.get(before, 0)
        else:
            relation, name = bits.bits(2), bits.bits(len(names).bit_length())
            s = 4 * name + relation
            require(name <= min(seen + 1, len(names)), "name out of the order of first use")
            require(s != following.get(before, 0), "predicted symbol is stored again")
            seen = max(seen, name)
        related = [parent_of(q - 1), q - 1, parent_of(parent_of(q - 1))]
        parent = related[s % 4] if s % 4 < 3 else bits.bits(q.bit_length()) - 1
        require(parent < q, "parent is not a smaller quark")
        require(parent not in related[:s % 4], "relation is not the first to fit")
        if s < 4:
            z = 0
            while not bits.bits(1):
                z += 1
            last[s] = (last.get(s, 0) + unzigzag((1 << z) + bits.bits(z) - 1)) & NONE
            if last[s] > 999999999:
                raise Reject("number has more than nine digits")
            name = b"%d" % last[s]
        else:
            name = names[s // 4 - 1]
            require(not re.fullmatch(rb"0|[1-9]\d{0,8}", name), "name that is a number is not stored as a number")
        attributes.append((parent, name))
        following[before] = s
        before = s
    if bits.n - bits.at >= 8 or bits.bits(bits.n - bits.at):
        raise Reject("bits after the tree are not 0")
    require(seen == len(names), "name belongs to no attribute")
    return attributes


# ---- time-index -------------------------------------------------------------------------------


class TimeIndex:
    def __init__(self, data):
        c = Cursor(data)
        if c.take(4) != b"TIX1":
            raise Reject("magic number is not that of time-index")
        self.start, self.end, self.direct = i64(c), i64(c), c.u8()
        require(self.direct <= 1, "kind of keys is neither 0 nor 1")
        n_quarks, n_intervals, n_times, n_strings, n_classes, n_shapes = (c.uvarint(32) for _ in range(6))
        require(not (self.direct and n_times), "unused table of times")
        sizes = [c.uvarint() for _ in range(8)]
        times, strings, values, shapes, places, records, checkpoints, tree = (Cursor(c.take(n)) for n in sizes)
        if c.take(48) != bytes(48):
            raise Reject("margin is not 0")
        c.end()
        self.times = read_list(times, n_times)
        if self.times and (self.times[0] == 0 or self.times[-1] > self.end - self.start):
            raise Reject("times do not ascend in the history")
        times.end()
        ends = [0] + [end - i for i, end in enumerate(read_list(strings, n_strings))]
        text = strings.take(len(strings.data) - strings.off)
        if ends[-1] != len(text):
            raise Reject("bytes after the last string")
        self.strings = [text[a:b] for a, b in zip(ends, ends[1:])]
        check_utf8(self.strings)
        self.classes = [self.read_class(values) for _ in range(n_classes)]
        values.end()
        self.shapes = [shapes.le(4) for _ in range(n_shapes)]
        shapes.end()
        require(all(shape >> 27 == 0 for shape in self.shapes), 'shape has an invalid field')
        self.key_bits = (self.end - self.start if self.direct else n_times).bit_length()
        self.bits = Bits(records.data)
        self.class_of, self.quarks, self.used, end = [], [], set(), 0
        for at in read_list(places, n_quarks):
            self.bits.at = at
            self.quarks.append(self.read_record())
            end = max(end, self.bits.at)
        places.end()
        self.bits.finish(end)
        require(self.direct or len(self.used) == n_times, "time at which nothing changes")
        if sum(map(len, self.quarks)) != n_intervals:
            raise Reject("intervals")
        attributes = read_tree(tree.data, n_quarks)
        self.check(checkpoints, n_quarks)
        self.model = self.start, self.end, attributes, [
            [(start, self.classes[k][code]) for start, code in q] for k, q in zip(self.class_of, self.quarks)]
        require(self.strings == strings_in_order(self.model[3]), "strings are not in the order of their first use")

    def read_class(self, c):
        counts = [c.uvarint(32) for _ in range(5)]
        values = [(NULL, 0)]
        for t, n in enumerate(counts, INT):
            for v in read_list(c, n):
                if v > {INT: NONE, STRING: len(self.strings) - 1, BOOL: 1}.get(t, M64):
                    raise Reject("value is out of its type's range")
                values.append((t, v - (1 << 31) if t == INT else v - (1 << 63) if t == LONG else
                               self.strings[v] if t == STRING else v))
        return values

    def read_record(self):
        bits = self.bits
        s = bits.bits(max(1, len(self.shapes).bit_length()))
        if s:
            v = self.shapes[s - 1]
            n, k, shift, nulls, local = v & 127, v >> 7 & 63, v >> 13 & 63, v >> 19 & 3, v >> 21 & 63
            base = bits.bits(self.key_bits) if n > 1 else 0
            keys, codes = self.read_block(k, base, n - 1, shift, n, nulls, local)
        else:
            k, w = bits.bits(6), bits.bits(6)
            n, place_bits = bits.bits(w), bits.bits(6)
            require(place_bits <= 56, "record runs past the end, or has no interval")
            keys, codes = [], [bits.bits(self.code_bits(k))]
            entries = [(bits.bits(self.key_bits), bits.bits(6), bits.bits(2), bits.bits(6), bits.bits(place_bits))
                       for _ in range((n + 62) // 64)]
            start = end = bits.at
            for i, (base, shift, nulls, local, place) in enumerate(entries):
                m = min(64, n - 1 - 64 * i)
                bits.at = start + place
                more = self.read_block(k, base, m, shift, m, nulls, local)
                keys += more[0]
                codes += more[1]
                end = max(end, bits.at)
            bits.at = end
        self.class_of.append(k)
        self.used.update(keys)
        starts = [self.start] + [self.start + (key if self.direct else self.times[key]) for key in keys]
        if any(a >= b for a, b in zip(starts, starts[1:])) or starts[-1] > self.end or max(codes) >= len(self.classes[k]):
            raise Reject("keys do not ascend")
        return list(zip(starts, codes))

    def code_bits(self, k):
        return (len(self.classes[k]) - 1).bit_length()

    def read_block(self, k, base, m, shift, n, nulls, local):
        bits, code_bits = self.bits, self.code_bits(k)
        lows = [bits.bits(shift) for _ in range(m - 1)]
        dictionary = [bits.bits(code_bits) for _ in range(local)]
        stored = [n, (n + 1) // 2, n // 2, 1][nulls]
        values = [bits.bits((local - 1).bit_length() if local else code_bits) for _ in range(stored)]
        if local:
            values = [dictionary[v] for v in values]
        keys = bits.row(base, lows, shift) if m else []
        if nulls == 3:
            require(not local, "block runs past the end, or counts in a dictionary")
            return keys, [(values[0] + i) % 2**32 for i in range(n)]
        codes = values if nulls == 0 else [values[i // 2] if i % 2 == nulls - 1 else 0 for i in range(n)]
        return keys, codes

    def code_at(self, q, time):
        """The code of a quark at a time."""
        return [code for start, code in self.quarks[q] if start <= time][-1]

    def check(self, c, n_quarks):
        """Checkpoints repeat the records."""
        n = c.uvarint(32)
        if n == 0:
            c.end()
            return
        era = c.uvarint(32)
        cuts = [0] + read_list(c, n - 1)
        require(ascend(cuts)[-1] <= self.end - self.start, "segments do not ascend in the history")
        places = read_list(c, n)
        parts = c.take(len(c.data) - c.off)
        p = Cursor(parts)
        for k in range(n):
            require(p.off == places[k], "part is not where the one before ends")
            first = self.start + cuts[k]
            last = self.start + cuts[k + 1] - 1 if k + 1 < n else self.end
            if k % era == 0:
                before = self.start if k == 0 else first - 1
                quarks = read_set(p)
                if quarks != [q for q in range(n_quarks) if self.code_at(q, before)]:
                    raise Reject("checkpoint lacks a value, or has one too many")
                self.check_codes(p, quarks, before, 0)
            quarks = read_set(p)
            if quarks != [q for q in range(n_quarks) if any(first <= s <= last for s, _ in self.quarks[q][1:])]:
                raise Reject("checkpoint has an attribute that does not change")
            if (k + 1) % era and k + 1 < n:
                bits = Bits(parts[p.off:])
                present = [q for q in quarks if bits.bits(1)]
                if present != [q for q in quarks if self.code_at(q, last)]:
                    raise Reject("checkpoint contains another value")
                self.check_codes(p, present, last, len(quarks))
        p.end()

    def check_codes(self, p, quarks, time, skip):
        bits = Bits(p.data[p.off:])
        bits.at = skip
        for q in quarks:
            if bits.bits(self.code_bits(self.class_of[q])) != self.code_at(q, time):
                raise Reject("checkpoint contains another value")
        n = -(-bits.at // 8)
        require(bits.bits(8 * n - bits.at) == 0, "free bits are not 0")
        p.off += n


def read_set(c):
    groups = read_list(c, c.uvarint(32))
    words = [c.le(8) for _ in groups]
    require(all(words), "group of a checkpoint has no quarks")
    return [64 * g + i for g, word in zip(groups, words) for i in range(64) if word >> i & 1]


# ---- mixed-contexts ---------------------------------------------------------------------------


def H(a, b):
    x = ((a ^ b) & M64) * 0x9e3779b97f4a7c15 & M64
    return x ^ x >> 29


class Coder:
    def __init__(self, data, table_bits):
        self.range, self.table_bits = RangeDecoder(data), table_bits
        self.counters = Lazy(Counter)
        self.A, self.B = (Lazy(lambda: [19660] * 17) for _ in range(2))

    @staticmethod
    def hashes(kind, contexts):
        return [H(H(H(256 * kind + i + 1, int(a) + 1), int(b) + 1), int(c) + 1) for i, (a, b, c) in enumerate(contexts)]

    def bit(self, kind, h, node, which):
        C = [self.counters[(H(x, node) * 0xd6e8feb86659fd93 & M64) >> (64 - self.table_bits)] for x in h]
        x, seen = [], 0
        for i, counter in enumerate(C):
            logit = counter.logit()
            x += [logit if counter.seen else 0, logit if counter.seen > 3 else 0]
            seen |= (counter.seen > 1) << i if i < 7 else 0
        b = mixed_bit(self.range, x + [64], self.A[kind, which % 128], self.B[kind, seen], 3)
        for counter in C:
            counter.update(b, 250)
        return b

    def symbol(self, kind, contexts, n):
        h, node = self.hashes(kind, contexts), 1
        for _ in range(n):
            node = node << 1 | self.bit(kind, h, node, node)
        return node - (1 << n)

    def number(self, kind, contexts, m):
        w = self.symbol(kind, contexts, 7)
        require(w <= 64, "number of more than 64 bits")
        if w == 0:
            return 0
        h, v = self.hashes(kind, contexts), 1
        for j in range(w - 1):
            v = v << 1 | (self.bit(kind, h, H(v, 1000 + w), 64 + j) if j < m else self.range.bit(32768))
        return v


class Class:
    def __init__(self):
        self.quarks, self.values = [], [(NULL, 0)]
        self.last = self.last_but_one = NONE
        self.reached = self.counts = 0
        self.last_values = {}


class MixedContexts:
    def __init__(self, data):
        c = Cursor(data)
        if c.take(4) != b"MCX1":
            raise Reject("magic number is not that of mixed-contexts")
        self.start, self.end = i64(c), i64(c)
        self.n_quarks, n_strings, self.n_intervals = (c.uvarint(32) for _ in range(3))
        if self.n_intervals // 16 > len(data) or self.n_intervals < max(self.n_quarks, n_strings):
            raise Reject("number of intervals is out of range")
        table_bits = c.u8()
        if table_bits != next((t for t in range(10, 22) if 1 << t >= 4 * self.n_intervals), 22):
            raise Reject("table size does not match the number of intervals")
        n_zeros = c.uvarint()
        if any(c.take(n_zeros)):
            raise Reject("reserved byte is not 0")
        n_tree = c.uvarint()
        n_coded = len(data) - c.off
        self.attributes = read_tree(c.take(n_tree), self.n_quarks)
        order, n_times = c.u8(), c.uvarint(32)
        if order > 2 or n_times > (0 if order == 1 else self.n_intervals - self.n_quarks):
            raise Reject("order is not 0, 1 or 2, or more times than changes")
        self.coder = Coder(data[c.off:], table_bits)
        self.strings = [self.read_string() for _ in range(n_strings)]
        check_utf8(self.strings)
        self.sort()
        self.quarks = [[] for _ in range(self.n_quarks)]
        if order == 2:
            for cl in self.classes:
                cl.counts = self.coder.symbol(7, [(0, 2, 0)], 1)
            require(any(cl.counts for cl in self.classes), "order is 2, but no class counts")
        if order == 1:
            self.by_timeline()
        else:
            self.by_time(n_times, 10 if order else 4)
        if sum(map(len, self.quarks)) != self.n_intervals:
            raise Reject("fewer intervals than announced")
        least = (self.n_intervals + sum(map(len, self.strings))) // 16
        require(n_zeros == max(0, least - n_coded), "another number of zeros than the history needs")
        self.coder.range.finish()
        text = lambda v: (STRING, self.strings[v[1]]) if v[0] == STRING else (v[0], v[1] & M64) if v[0] == DOUBLE else v
        self.model = self.start, self.end, self.attributes, [[(start, text(v)) for start, v in q] for q in self.quarks]
        require(self.strings == strings_in_order(self.model[3]), "strings are not in the order of their first use")

    def read_string(self):
        last, string = 0, bytearray()
        while True:
            s = self.coder.symbol(7, [(last & 0xff, 0, 0), (last & 0xffff, 1, 0), (last & 0xffffff, 2, 0),
                                      (not string, 3, 0)], 9)
            if s == 0:
                return bytes(string)
            if s > 256:
                raise Reject("coded strings are invalid")
            string.append(s - 1)
            last = (last << 8 | s) & M64

    def sort(self):
        """Classes, places, owners and numbers of attributes."""
        sorts, known, self.class_of, self.owner, self.place, self.number_of = [], {}, [], [], [], {}
        for q, (parent, name) in enumerate(self.attributes):
            digits = name.isdigit()
            sorts.append(("number", sorts[parent] if parent >= 0 else None) if digits else name)
            if sorts[q] not in known and len(known) < 62:
                known[sorts[q]] = len(known)
            self.class_of.append(known.get(sorts[q], 62))
            owned = parent >= 0 and self.attributes[parent][0] >= 0
            self.owner.append(self.owner[parent] if owned else q)
            if not owned and digits and len(name) <= 9:
                self.number_of[q] = int(name)
        self.n_classes = len(known) + 1
        self.classes = [Class() for _ in range(self.n_classes)]
        self.latest = {}
        for q, k in enumerate(self.class_of):
            self.place.append(len(self.classes[k].quarks))
            self.classes[k].quarks.append(q)
            self.latest.setdefault((self.owner[q], k), q)
        self.slot_bits = next((b for b in range(6, 20) if 1 << b >= 2 * self.n_quarks), 20)
        self.follower, self.by_number = {}, {}
        for q, number in self.number_of.items():
            self.by_number[self.slot(number, 0)] = q

    def slot(self, x, y):
        return (H(H(x, 3), y) * 0xd6e8feb86659fd93 & M64) >> (64 - self.slot_bits)

    def check_value(self, t, v):
        if (t == INT and not -1 << 31 <= v < 1 << 31 or t == STRING and not 0 <= v < len(self.strings) or
                t == BOOL and v not in (0, 1)):
            raise Reject("value is out of its type's range")
        return t, v

    def add(self, k, t, d, exclusive):
        last = self.classes[k].last_values.get(t, 0)
        last = last ^ d if exclusive else (last + unzigzag(d)) & M64
        self.classes[k].last_values[t] = last
        return self.check_value(t, signed(last) if t in (INT, LONG) else last)

    def read_value(self, k, before, contexts):
        values = self.classes[k].values
        v = self.coder.number(3, contexts, 24)
        if self.classes[k].counts:
            v = before + unzigzag(v) & M64
        if v > len(values):
            raise Reject("value number is out of range")
        if v == len(values):
            t = self.coder.symbol(4, [(k, 0, 0)], 3)
            if t == NULL or t > BOOL:
                raise Reject("unknown type")
            value = self.add(k, t, self.coder.number(5, [(k, t, 0), (t, 1, 0)], 24), t == DOUBLE)
            require(value not in values, "known value is stored as new")
            values.append(value)
        return v

    def by_time(self, n_times, m):
        # The number of a quark's value; and what contexts see of that and of the one before.
        self.now, self.v, self.w, self.event = [], [], [0] * self.n_quarks, [0] * self.n_quarks
        u = 0
        for q, k in enumerate(self.class_of):
            u = self.read_value(k, 0, [(k, 0, 63), (k, u, 63)])
            self.now.append(u)
            self.v.append(0 if self.classes[k].counts else u)
            self.quarks[q].append((self.start, self.classes[k].values[u]))
        c = lambda q: 64 if q == NONE else self.class_of[q]
        v = lambda q: 0 if q == NONE else self.v[q]
        w = lambda q: 0 if q == NONE else self.w[q]
        s = s1 = s2 = time = 0
        p = o = f = f1 = NONE
        for e in range(1, n_times + 1):
            changed = []
            while True:
                n = len(changed)
                k = self.coder.symbol(0, [
                    (c(p), v(p), n == 0), (s, 0 if n else s1, 0), (s, s1, 1 if n else s2), (s, p, f1), (c(p), c(o), n),
                    (s, w(p), v(p))], self.n_classes.bit_length())
                if k == self.n_classes:
                    break
                if k > self.n_classes or not self.classes[k].quarks:
                    raise Reject("no such class, or class without quarks")
                q = self.read_quark(k, e, n, s, s1, p, f, f1, c, v)
                if self.event[q] == e:
                    raise Reject("attribute changes twice at one time")
                require(not changed or q > p, "changes of one time are not in the order of attributes")
                value = self.read_value(k, self.now[q], [
                    (k, v(q), w(q)), (q, v(q), 0), (k, s, 0), (k, s, v(q)), (q, v(q), w(q)), (k, f if n else f1, s),
                    (k, v(q), v(p) if n else s1)])
                self.follower[self.slot(p, k)] = q
                self.latest[self.owner[q], k] = q
                cl = self.classes[k]
                if cl.last != q:
                    cl.last_but_one, cl.last = cl.last, q
                cl.reached = max(cl.reached, self.place[q] + 1)
                step = value - self.now[q]
                seen = (2 * step if step >= 0 else -2 * step - 1) % 2**32 if cl.counts else value
                self.w[q], self.v[q], self.now[q], self.event[q] = self.v[q], seen, value, e
                s = H(s, k << 32 | seen)
                if not changed:
                    f = q
                o, p = p, q
                changed.append(q)
            step = self.coder.number(6, [(s, 0, 0), (s, s1, 0), (s, s1, f == f1), (s, s1, s2), (c(f), v(f), f == f1)], m)
            if not changed or step == 0 or step > self.end - self.start - time:
                raise Reject("times do not ascend")
            time += step
            for q in changed:
                self.quarks[q].append((self.start + time, self.classes[c(q)].values[self.now[q]]))
            s2, s1, f1, s, p, o = s1, s, f, 0, NONE, NONE

    def named(self, q):
        if q == NONE:
            return None
        t, value = self.classes[self.class_of[q]].values[self.now[q]]
        if t != INT or not 0 <= value < NONE:
            return None
        x = self.by_number.get(self.slot(value, 0))
        return x if x is not None and self.number_of[x] == value else None

    def read_quark(self, k, e, n, s, s1, p, f, f1, c, v):
        cl, refused = self.classes[k], []
        if len(cl.quarks) > 32:
            latest = lambda q: None if q is None or q == NONE else self.latest.get((self.owner[q], k))
            candidates = [latest(p), latest(self.named(p)), self.follower.get(self.slot(p, k)),
                          latest(self.named(f)) if n else None,
                          cl.quarks[cl.reached] if cl.reached < len(cl.quarks) else None,
                          None if cl.last == NONE else cl.last]
            missed = 0
            for i, x in enumerate(candidates):
                if x is None or self.class_of[x] != k or self.event[x] == e or x in candidates[:i]:
                    continue
                h = self.coder.hashes(1, [
                    (k, i, missed), (s, k, 256 * i + missed), (c(p), k, 256 * i + missed), (p, k, i), (k, i, v(x)),
                    (s, v(x), 256 * i | k)])
                if self.coder.bit(1, h, 0, i):
                    return x
                missed |= 1 << i
                refused.append(x)
        place = self.coder.symbol(2, [
            (k, p, 0), (k, p, s), (k, cl.last, s), (k, cl.last, cl.last_but_one), (k, f if n else f1, s if n else s1),
            (k, v(p), c(p))], (len(cl.quarks) - 1).bit_length())
        if place >= len(cl.quarks):
            raise Reject("quark is out of range")
        require(cl.quarks[place] not in refused, "attribute is one of the refused candidates")
        return cl.quarks[place]

    def by_timeline(self):
        width = int.bit_length
        for q, k in enumerate(self.class_of):
            t = d = d1 = d2 = u = u1 = 0
            start = self.start
            for i in range(self.coder.number(7, [(k, 1, 0)], 8)):
                t = self.coder.symbol(4, [(k, t, d), (k, t, 0)], 3)
                d2, d1, value = d1, d, (NULL, 0)
                if t > BOOL:
                    raise Reject("unknown type")
                if t:
                    last = self.classes[k].last_values.get(t, 0)
                    d = self.coder.number(8, [(k, t, d1), (k, d1, d2), (q, t, d1), (k, t, width(u)), (k, t, M64),
                                              (k, last, d1)], 24)
                    value = self.add(k, t, d, t not in (INT, LONG))
                if i:
                    duration = self.coder.number(9, [
                        (k, d, d1), (k, d, width(u)), (q, d, u >> max(width(u) - 3, 0)), (k, d1, d2),
                        (q, width(u), width(u1)), (k, d, 0)], 6)
                    if duration == 0 or duration > self.end - start:
                        raise Reject("times do not ascend")
                    start += duration
                    u1, u = u, duration
                self.quarks[q].append((start, value))
            if not self.quarks[q]:
                raise Reject("timeline without intervals")


# ---- arrays and snapshot-packed ---------------------------------------------------------------


class Arrays:
    def __init__(self, data):
        c = Cursor(data)
        start, end, n_quarks, n_strings, n = i64(c), i64(c), c.le(4), c.le(4), c.le(8)
        n_name_bytes, n_string_bytes = c.le(8), c.le(8)
        starts, values = [i64(c) for _ in range(n)], [c.le(8) for _ in range(n)]
        first, parents = [c.le(4) for _ in range(n_quarks + 1)], [c.le(4) for _ in range(n_quarks)]
        ends = [[0] + [c.le(4) for _ in range(k)] for k in (n_quarks, n_strings)]
        types = list(c.take(n))
        names, strings = ([text[a:b] for a, b in zip(e, e[1:])] for e, text in
                          zip(ends, (c.take(n_name_bytes), c.take(n_string_bytes))))
        c.end()
        value = lambda t, v: (t, strings[v] if t == STRING else signed(v) if t in (INT, LONG) else v)
        require(first[0] == 0 and first[-1] == n, "timelines do not cover all intervals")
        for e, text_nbytes in zip(ends, (n_name_bytes, n_string_bytes)):
            require(e == sorted(e) and e[-1] == text_nbytes, "text ends before it starts, or bytes of no text")
        self.model = start, end, [(-1 if p == NONE else p, name) for p, name in zip(parents, names)], [
            [(starts[i], value(types[i], values[i])) for i in range(a, b)] for a, b in zip(first, first[1:])]
        require(strings == strings_in_order(self.model[3]), "string is not used, or out of the order of first use")


class SnapshotPacked:
    def __init__(self, data):
        c = Cursor(data[:-48])
        if c.take(4) != b"TSP1" or any(data[-48:]):
            raise Reject("not a packed snapshot, or margin is not 0")
        time, n_quarks, n_valued = i64(c), c.uvarint(32), c.uvarint(32)
        counts, n_text = [c.uvarint(32) for _ in range(5)], c.uvarint()
        valued = read_canonical_list(c, n_valued)
        lists = [read_canonical_list(c, n) for n in counts]
        text, values = c.take(n_text), []
        for t, keys in enumerate(lists, INT):
            ends = [0] + [key - i for i, key in enumerate(keys)]
            values += [(t, key - (1 << 31) if t == INT else key - (1 << 63) if t == LONG else
                        text[ends[i]:ends[i + 1]] if t == STRING else key) for i, key in enumerate(keys)]
        width = max(len(values) - 1, 0).bit_length()
        bits = Bits(c.take((n_valued * width + 7) // 8))
        quarks = [(NULL, 0)] * n_quarks
        for q in valued:
            quarks[q] = values[bits.bits(width)]
        if bits.bits(bits.n - bits.at) or {v for v in quarks if v[0]} != set(values):
            raise Reject("bits after the codes are not 0, or a value has no attribute")
        self.model = time, time, read_tree(data[c.off:-48], n_quarks), [[(time, v)] for v in quarks]


# ---- history.bin ------------------------------------------------------------------------------


def members_of(pairs):
    members = dict(pairs)
    require(len(members) == len(pairs), "duplicate key")
    return members


def whole(text):
    v = int(text)
    require(text != "-0" and -1 << 63 <= v < 1 << 63, "integer out of range")
    return v


def read_members(text):
    return json.loads(text, object_pairs_hook=members_of, parse_int=whole)


def read_json(text, format_, *wanted):
    """The members `wanted` of a file of the set, the only ones beside its format and version."""
    file = read_members(text)
    require(file.pop("format") == format_, "another format")
    require(type(file["version"]) is int and file.pop("version") == 1, "unknown version")
    require(sorted(file) == sorted(wanted), "unknown member")
    return file[wanted[0]] if len(wanted) == 1 else file


def read_types(text, n_quarks=None):
    types = {}
    for item in read_json(text, "tc-types", "types"):
        require(set(item) == {"key", "type"}, "unknown member")
        require(item["key"] not in types, "duplicate key")
        types[item["key"]] = item["type"].replace("variant", "any")
    n_quarks = len(types) if n_quarks is None else n_quarks
    require(sorted(types) == list(range(n_quarks)), "number of quarks in types.json differs from the history's")
    return [types[q] for q in range(n_quarks)]


def tree_of(root, n_quarks):
    """Attributes of tree.json."""
    attributes, stack = [None] * n_quarks, [(root, b"", -1)]
    while stack:
        node, name, parent = stack.pop()
        key = node.get("key", -1)
        require(set(node) <= {"key", "children"}, "unknown member")
        require(key > parent or stack == [] and parent == -1, "key is smaller than that of the parent")
        if key >= 0:
            require(attributes[key] is None, "duplicate key")
            attributes[key] = parent, name
        stack += [(child, text.encode(), key) for text, child in node.get("children", {}).items()]
    return attributes


class HistoryBin:
    """flat, typed, typed-null and typed-null-sorted. JSON is what Python accepts."""

    TYPES = {"none": None, "int": INT, "long": LONG, "double": DOUBLE, "string": STRING, "bool": BOOL}
    CODES = {255: NULL, 0: INT, 1: STRING, 2: LONG, 3: DOUBLE, 4: BOOL}

    def __init__(self, layout, data):
        c = Cursor(data)
        if c.take(7) != b"TCfiles":
            raise Reject("magic number or number of files is wrong")
        sizes = [c.le(8) for _ in range(c.u8())]
        history, *others = (c.take(n) for n in sizes)
        c.end()
        require(len(others) in (1, 2), "magic number or number of files is wrong")
        tree = read_json(others[-1], "tc-tree", "root")
        c = Cursor(history)
        if c.take(9) != b"TChistor\1":
            raise Reject("magic number is not that of a flat history")
        self.layout, zero, n_quarks, start, end, n = c.u8(), c.le(2), c.le(4), i64(c), i64(c), c.le(8)
        require(self.layout == layout, "layout is not the codec's")
        require(zero == 0, "reserved bytes are not 0")
        require(n_quarks <= n, "more quarks than records")
        hashes = [c.le(8), c.le(8)]
        declared = ["any"] * n_quarks
        if self.layout:
            declared = read_types(others[0], n_quarks)
        require(hashes == [xxh3(others[-1]), xxh3(others[0]) if self.layout else 0], "file of another history")
        quarks, ends, last = [[] for _ in range(n_quarks)], [start - 1] * n_quarks, None
        for _ in range(n):
            first, until, q = i64(c), i64(c), c.le(4)
            is_null, q = q >> 31, q & 0x7fffffff
            require(start <= first <= until <= end, "interval is empty or outside of the history")
            require(first == ends[q] + 1, "timeline has a gap, or overlaps itself")
            place = (q, first) if self.layout == 3 else until
            require(last is None or last <= place, "records are not in order")
            last, ends[q] = place, until
            require(not is_null or self.layout >= 2 and declared[q] not in ("none", "any"), "null bit is set in a record with a type byte")
            quarks[q].append((first, self.value(c, declared[q], is_null)))
        require(all(until == end for until in ends), "a timeline does not last to the end")
        c.end()
        attributes = tree_of(tree, n_quarks)
        self.model = start, end, attributes, quarks

    def value(self, c, declared, is_null):
        if declared == "any":
            t = self.CODES[c.u8()]
        elif self.layout == 1 and declared == "none" or is_null or declared == "none":
            return NULL, 0
        else:
            t = self.TYPES[declared]
        if t == STRING:
            n = c.le(2)
            return t, c.take(c.le(4) if n == 65535 else n)
        n = {NULL: 0, INT: 4, LONG: 8, DOUBLE: 8, BOOL: 1}[t]
        v = c.le(n)
        return t, v - (1 << 8 * n) if t in (INT, LONG) and v >> 8 * n - 1 else v


# ---- snapshots in JSON ------------------------------------------------------------------------


def json_value(t, v):
    """A value of a declared type; JSON has one NaN."""
    if v is None:
        return NULL, 0
    if t == DOUBLE:
        v = float(v.replace("Infinity", "inf")) if isinstance(v, str) else float(v)
        return DOUBLE, 0x7ff8000000000000 if v != v else struct.unpack("<Q", struct.pack("<d", v))[0]
    return t, v.encode() if t == STRING else int(v)


class SnapshotJson:
    def __init__(self, data):
        c = Cursor(data)
        require(c.take(7) == b"TCfiles", "magic number or number of files is wrong")
        types, tree, state = (c.take(n) for n in [c.le(8) for _ in range(c.u8())])
        c.end()
        declared, tree = read_types(types), read_json(tree, "tc-tree", "root")
        state = read_json(state, "tc-state", "time", "values")
        quarks = [None] * len(declared)
        for item in state["values"]:
            t = declared[item["key"]]
            require(quarks[item["key"]] is None, "duplicate key")
            t = HistoryBin.TYPES[item["type"] if t == "any" else t]
            quarks[item["key"]] = [(state["time"], json_value(t, item["value"]))]
        self.model = state["time"], state["time"], tree_of(tree, len(quarks)), quarks


class SnapshotToday:
    CLASSES = {"Integer": INT, "Long": LONG, "Double": DOUBLE, "String": STRING, "Boolean": BOOL}

    def __init__(self, data):
        o = read_members(data)
        require(set(o) == {"snapshot_format_version", "ssid", "snapshot_version", "timestamp", "attributes", "fEndTime",
                           "fStartTime"}, "unknown member")
        require(o["snapshot_format_version"] == 1, "unknown version")
        require(o["fStartTime"] == o["fEndTime"], "snapshot of more than one instant")
        time, attributes, quarks, paths = o["fEndTime"], [], [], {(): -1}
        for q, a in enumerate(o["attributes"]):
            path, v = tuple(a["Path"]), a["Value"]
            require(path not in paths, "path occurs twice")
            require(v["start"] == time, "start of an interval differs from the snapshot's")
            require(v["end"] in (-1 << 63, time), "end is neither open nor the time of the snapshot")
            require(v["quark"] == q, "attributes are not in the order of their quarks")
            require((v["type"] == "null") == ("value" not in v), "null has a value")
            require(v["type"].rpartition(".")[2] in (*self.CLASSES, "null"), "unknown class of a value")
            attributes.append((paths[path[:-1]], path[-1].encode()))
            paths[path] = q
            quarks.append([(time, json_value(self.CLASSES.get(v["type"].rpartition(".")[2]), v.get("value")))])
        self.model = time, time, attributes, quarks


# ---- ht ---------------------------------------------------------------------------------------


class HistoryTree:
    """What nodes repeat of each other is not checked."""

    def __init__(self, data):
        c = Cursor(data)
        if c.le(4) != 0x05ffa900 or c.le(4) != 11 or c.le(4) != 1:
            raise Reject("magic number is not that of a history tree")
        size, n_children, n_nodes, root, start = c.le(4), c.le(4), c.le(4), c.le(4), i64(c)
        require(4096 <= size <= 1 << 24, "blocks are not of 4096 to 2^24 bytes")
        require(2 <= n_children <= (size - 41) // 30, "maximum number of children is below 2 or exceeds a block")
        require(root < n_nodes, "root is not among the nodes")
        require(not any(data[c.off : 4096]), "unused part of the header is not 0")
        require(i64(Cursor(data[4096 + root * size + 1 :])) == start, "root does not start where the history starts")
        self.intervals, end = [], start
        for k in range(n_nodes):
            end = max(end, self.read_node(Cursor(data[4096 + k * size:4096 + (k + 1) * size]), n_children))
        attributes = self.read_attributes(Cursor(data[4096 + n_nodes * size:]))
        quarks = [[] for _ in attributes]
        for q, first, value in sorted(self.intervals):
            quarks[q].append((first, value))
        self.model = start, end, attributes, quarks

    @staticmethod
    def varint(c):
        return (c.le(c.u8()) - 3) & M64

    def read_node(self, c, n_children):
        kind, start, end = c.u8(), i64(c), i64(c)
        c.take(16)
        n = c.le(4)
        if kind == 1:
            c.take(4 + 4 * n_children)
            for _ in range(2 * n_children):
                self.varint(c)
            c.take(8 * n_children)
        for _ in range(n):
            first = start + self.varint(c)
            self.varint(c)
            q, t = c.le(4), c.u8()
            if t == 1:
                value = STRING, c.take(c.le(2))
                c.take(1)
            else:
                v, n_bytes = {255: (NULL, 0), 0: (INT, 4), 2: (LONG, 8), 3: (DOUBLE, 8)}[t]
                value = c.le(n_bytes)
                value = v, value - (1 << 8 * n_bytes) if v in (INT, LONG) and value >> 8 * n_bytes - 1 else value
            self.intervals.append((q, first, value))
        return end

    @staticmethod
    def read_attributes(c):
        big = lambda n: int.from_bytes(c.take(n), "big")
        head = bytes.fromhex("aced0005770406ec367173720013") + b"java.util.ArrayList" + bytes.fromhex(
            "7881d21d99c7619d03000149000473697a657870")
        if c.take(len(head)) != head:
            raise Reject("attribute tree is not a list")
        n = big(4)
        c.take(2)
        big(4)
        names, before, quarks, attributes = [], [], {}, []
        for i in range(n):
            if c.u8() != 0x75:
                raise Reject("path is not an array of strings")
            c.take(35 if i == 0 else 5)
            names.append(None)  # the array has a number
            path = []
            for k in range(big(4)):
                kind = c.u8()
                if kind == 0x71:
                    name = names[big(4) - 0x7e0003]
                else:
                    require(kind in (0x74, 0x7c), "path contains an object that is not a name")
                    n_bytes = big(2) if kind == 0x74 else big(8)
                    require(kind == 0x74 or n_bytes > 65535, "length of 8 bytes for a name of less than 65536")
                    # UTF-8 with surrogates of 3 bytes each
                    text = c.take(n_bytes).decode("utf-8", "surrogatepass")
                    name = text.encode("utf-16", "surrogatepass").decode("utf-16").encode()
                    names.append(name)
                path.append(before[k] if name == b"*" and k < len(before) else name)
            before = path
            attributes.append((quarks[tuple(path[:-1])] if len(path) > 1 else -1, path[-1]))
            quarks[tuple(path)] = i
        if c.take(1) != b"x":
            raise Reject("attribute tree ends early")
        c.end()
        return attributes


def without_bools(model):
    return model[:3] + ([[(start, (STRING, b"true" if v else b"false") if t == BOOL else (t, v)) for start, (t, v) in q]
                         for q in model[3]],)


# ---- text form --------------------------------------------------------------------------------


def unescape(text):
    out, i = bytearray(), 0
    while i < len(text):
        if text[i] == 92:
            out.append({116: 9, 110: 10, 114: 13, 92: 92, 48: 0}[text[i + 1]])
            i += 1
        else:
            out.append(text[i])
        i += 1
    return bytes(out)


def parse_double(text):
    if text.startswith(b"0x"):
        return int(text, 16)
    if text == b"NaN":
        return 0x7ff8000000000000
    return struct.unpack("<Q", struct.pack("<d", float(text)))[0]


PARSE = {b"n": lambda v: (NULL, 0), b"i": lambda v: (INT, int(v)), b"l": lambda v: (LONG, int(v)),
         b"d": lambda v: (DOUBLE, parse_double(v)), b"s": lambda v: (STRING, unescape(v)),
         b"b": lambda v: (BOOL, int(v == b"true"))}


def read_text(text):
    head, attributes, quarks = {}, [], []
    for line in text.split(b"\n"):
        if line.startswith(b"# "):
            key, _, value = line[2:].partition(b": ")
            head[key] = value
        elif line.startswith(b"Q\t"):
            attributes.append((int(line.split(b"\t")[2]), unescape(line.split(b"\t", 3)[3])))
            quarks.append([])
        elif line:
            _, q, start, _, t, value = line.split(b"\t", 5)
            quarks[int(q)].append((int(start), PARSE[t](value)))
    return int(head[b"start"]), int(head[b"end"]), attributes, quarks


HISTORY_TREES = "ht", "ht-4k"
READERS = {"time-index": TimeIndex, "mixed-contexts": MixedContexts, "arrays": Arrays, "snapshot-packed": SnapshotPacked,
           "snapshot-json": SnapshotJson, "snapshot-today": SnapshotToday}
READERS |= dict.fromkeys(HISTORY_TREES, HistoryTree)
READERS |= {name: functools.partial(HistoryBin, layout)
            for layout, name in enumerate(("flat", "typed", "typed-null", "typed-null-sorted"))}


def reader(name):
    def read(data):
        model = READERS[name](data).model
        check_model(model)
        return model

    return read


if __name__ == "__main__":
    sys.exit(run({name: reader(name) for name in READERS}, read_text,
                 lambda codec, model: without_bools(model) if codec in HISTORY_TREES else model))
