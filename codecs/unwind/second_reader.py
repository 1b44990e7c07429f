"""A second reader of unwind tables, written from README.md, coding.md and docs/primitives.md.

It shares no code with the C program. The bytes of the fixed dictionaries are data, which it reads from
sequences/fixed.c. It reads the payloads of sequences, sequences-fixed, predicted-rows and the SFrame versions, and
compares the models with a text form:

    python3 codecs/unwind/second_reader.py (CODEC PAYLOAD TEXT)...

`-` instead of TEXT says that the payload must be rejected.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../harness/coding"))
from coding_reader import RangeDecoder, Reject, run

MACHINES = ("amd64", 7, 6, "little"), ("arm64", 31, 29, "little"), ("s390x", 15, 11, "big")
REGISTER, WORD, OTHER = range(3)
S, U, C, V, R, M, X = range(7)
SIGNED = 0x80


def require(condition, rule):
    if not condition:
        raise Reject(rule)


def i32(v):
    return (v + (1 << 31)) % (1 << 32) - (1 << 31)


def unzigzag(v):
    return v >> 1 ^ -(v & 1)


# A state is (kinds, cfa_reg, cfa_off, ra_reg, ra_off, fp_reg, fp_off), as the fields of `rows`.


def check_state(state, machine):
    kinds, cfa_reg, cfa_off, ra_reg, ra_off, fp_reg, fp_off = state
    require(kinds & 3 < 3, "unknown kind of CFA")
    require(kinds & 3 != OTHER or (cfa_off == 0 and cfa_reg & 127 == 0), "expression with an offset")
    require(not cfa_reg & SIGNED or machine == 1, "signed on another machine")
    for rule, reg, off in (kinds >> 2 & 7, ra_reg, ra_off), (kinds >> 5, fp_reg, fp_off):
        require(rule <= X and reg < 128, "unknown rule or register")
        require(rule in (C, V, M) or off == 0, "rule has an offset")
        require(rule in (R, M) or reg == 0, "rule has a register")


def check_model(machine, functions):
    end = 0
    for start, length, flags, rep, rows in functions:
        require(start >= end and length > 0 and start + length < 1 << 64, "functions overlap")
        end = start + length
        last = None
        for off, state in rows:
            require(off < (min(rep, length) if rep else length), "row is past the end")
            require(last is None or (last[0] < off and last[1] != state), "rows do not ascend or are equal")
            check_state(state, machine)
            last = off, state


class Bits:
    def __init__(self, data):
        self.number, self.n = int.from_bytes(data, "little"), 8 * len(data)

    def at(self, position, n):
        return self.number >> position & (1 << n) - 1


def read_frame(payload):
    require(len(payload) >= 16, "ends inside the header")
    version, machine, n = payload[0], payload[1], int.from_bytes(payload[2:4], "little")
    require(version == 1 and machine < 3 and n == 1 and payload[4:8] == bytes(4), "header")
    base = int.from_bytes(payload[8:16], "little")
    size = int.from_bytes(payload[16:24], "little")
    require(len(payload) == 24 + size + 16 and payload[24 + size:] == bytes(16), "sizes")
    return machine, base, payload[24:24 + size]


# ---- sequences -------------------------------------------------------------------------------------------------------


class Dictionary:
    def __init__(self, streams, machine):
        self.p = {}
        self.states = [(0,) * 7, (0,) * 7]
        self.successors = [[], []]
        self.lists = []
        for data in streams:
            self.coder = RangeDecoder(data)
            n = self.number("n_lists")
            require(n <= (1 << 24) - len(self.lists), "too many lists")
            for _ in range(n):
                self.lists.append(self.list())
            self.coder.finish()
        for state in self.states[2:]:
            check_state(state, machine)
        require(len(set(self.states[2:])) == len(self.states) - 2, "state is listed twice")

    def adaptive(self, *key):
        p = self.p.get(key, 32768)
        bit = self.coder.bit(p)
        change = (64512 if bit else 1024) - p
        self.p[key] = p + (change // 16 if change >= 0 else -(-change // 16))
        return bit

    def raw(self, n):
        v = 0
        for _ in range(n):
            v = v << 1 | self.coder.bit(32768)
        return v

    def number(self, name):
        n = 0
        while n < 32 and self.adaptive(name, "length", n):
            n += 1
        if n < 2:
            return n
        return (2 | self.adaptive(name, "second", n)) << (n - 2) | self.raw(n - 2)

    def byte(self, name):
        node = 1
        for _ in range(8):
            node = node << 1 | self.adaptive(name, node)
        return node & 255

    def change(self, name, v):
        return i32(v + unzigzag(self.number(name)))

    def new_state(self, before):
        kinds, cfa_reg, cfa_off = self.byte("kinds"), self.byte("cfa_reg"), 0
        if kinds & 3 != OTHER:
            cfa_off = self.change("cfa_off", before[2])
        places = []
        for i, rule in enumerate((kinds >> 2 & 7, kinds >> 5)):
            off = self.change(("off", i), before[4 + 2 * i]) if rule in (C, V, M) else 0
            places += [self.byte(("reg", i)) if rule in (R, M) else 0, off]
        self.states.append((kinds, cfa_reg, cfa_off, *places))
        self.successors.append([])
        return len(self.states) - 1

    def transition(self, f):
        for rank, t in enumerate(self.successors[f]):
            if self.adaptive("rank", f == 1, min(rank, 15)):
                self.successors[f].insert(0, self.successors[f].pop(rank))
                return t
        if self.adaptive("is_end"):
            to = 0
        elif self.adaptive("is_known"):
            to = self.raw(len(self.states).bit_length())
            require(0 < to < len(self.states), "state number is out of range")
        else:
            to = self.new_state(self.states[f])
        t = to, self.number("base"), self.number("width")
        require(t[2] <= 32, "field has more than 32 bits")
        require(all(to != other[0] for other in self.successors[f]), "transition is listed twice")
        self.successors[f].insert(0, t)
        return t

    def list(self):
        flags, rep, steps, fields, implied = self.number("flags"), 0, [], [], 0
        if flags & 8:
            rep = self.number("rep")
            require(0 < rep < 256, "pattern's size")
        require(flags < 16 and (not flags & 4 or flags == 4), "flags of a list")
        if flags & 4:
            return flags, rep, steps, fields, implied
        f = 0
        while True:
            t = self.transition(f)
            if f:
                fields.append((t[1], t[2]))
            if t[0] == 0:
                break
            require(t[0] != f and not (t[0] == 1 and steps), "neighbours are equal, or none after a state")
            steps.append(t[0])
            f = t[0]
        require(steps, "list has no states")
        if flags & 8:
            implied = len(steps) - 1
        elif len(steps) > 1:
            implied = self.number("implied")
        require(implied < len(steps), "implied step does not exist")
        return flags, rep, steps, fields, implied


def le(data, at, n):
    return int.from_bytes(data[at:at + n], "little")


def take(data, at, n):
    require(n <= len(data) - at, "runs past the part's end")
    return data[at:at + n], at + n


def fixed_dictionary(machine):
    """Its bytes, which the file of the fixed dictionaries has in hexadecimal after the machine's name."""
    with open(os.path.join(os.path.dirname(__file__), "sequences", "fixed.c"), encoding="ascii") as file:
        text = file.read().split(f"static const uint8_t {MACHINES[machine][0]}[]", 1)[1]
    return bytes(int(byte, 16) for byte in re.findall("0x([0-9a-f]{2})", text.split("}", 1)[0]))


def sequences_fixed(payload):
    return sequences(payload, True)


def sequences(payload, is_fixed=False):
    machine, base, part = read_frame(payload)
    require(len(part) >= 20, "part ends inside its header")
    n_segments, n_entries, records_n, dictionary_n = (le(part, 4 * i, 4) for i in range(4))
    unit, long_bits = part[16], part[17]
    require(part[18:20] == bytes(2) and unit <= 2 and long_bits <= 24, "header")
    require(n_entries or not base, "Base without functions")
    heads, at = take(part, 20, 20 * n_segments)
    segments, end = [], 0
    for i in range(n_segments):
        start, span, n, buckets = (le(heads, 20 * i + 4 * k, 4) for k in range(4))
        q, low = heads[20 * i + 16], heads[20 * i + 17]
        require(unit <= q <= 6 and low < 32 and heads[20 * i + 18:20 * i + 20] == bytes(2), "segment's shape")
        require(0 < n < 65536 and span and start >= end and start + span < 1 << 32, "segments overlap")
        require((start == 0 or i) and buckets and (buckets - 1) << low < 1 << 32, "buckets")
        end = start + span
        samples, at = take(part, at, 2 * -(-buckets // 16))
        upper, at = take(part, at, 8 * -(-(n + buckets) // 64))
        stride = 28 + 2 * (low + q - unit)
        blocks, at = take(part, at, -(-n // 16) * stride)
        segments.append((start, span, n, buckets, q, low, samples, upper, blocks, stride))
    require(sum(s[2] for s in segments) == n_entries, "number of entries")
    require(len(part) - at == records_n + dictionary_n, "sizes")
    records = Bits(part[at:at + records_n])
    known = [fixed_dictionary(machine)] if is_fixed else []
    d = Dictionary(known + [part[at + records_n:]], machine)
    functions, bit, rows = [], 0, 0
    for segment in segments:
        bit, n_rows = read_segment(segment, base, unit, long_bits, d, records, bit, functions)
        rows += n_rows
    require(-(-bit // 8) == records_n and records.number >> bit == 0, "bits follow the last record")
    require(rows <= 256 * len(part) + (1 << 18), "too many steps and entries")
    check_model(machine, functions)
    return machine, functions


def read_segment(segment, base, unit, long_bits, d, records, bit, functions):
    start, span, n, buckets, q, low, samples, upper, blocks, stride = segment
    bits, xs, pads, ids, bucket = Bits(upper), [], [], [], 0
    p, n_rows, after_function = q - unit, n, False
    for i in range(n):
        block = blocks[i // 16 * stride:(i // 16 + 1) * stride]
        fields = Bits(block[28:])
        while not bits.at(bucket + i, 1):
            bucket += 1
            require(bucket < buckets, "entries are missing")
        xs.append(bucket << low | fields.at(i % 16 * (low + p), low))
        pads.append(fields.at(i % 16 * (low + p) + low, p))
        ids.append((block[12 + i % 16], le(block, 4, 2) >> i % 16 & 1))
    require(bucket == buckets - 1 and bits.number >> (buckets + n - 1) == 0, "upper bits")
    require(xs[0] == 0 and all(a < b for a, b in zip(xs, xs[1:])) and xs[-1] << q < span, "starts")
    for j in range(len(samples) // 2):
        require(le(samples, 2 * j, 2) == sum(x >> low < 16 * j for x in xs), "sample")
    last, used = blocks[-stride:], (n - 1) % 16 + 1
    require(Bits(last[28:]).number >> used * (low + p) == 0 and not any(last[12 + used:28]) and
            le(last, 4, 2) >> used == 0 and not any(last[6 + 2 * ((used - 1) // 4):12]), "unused entries")
    for i in range(n):
        block = blocks[i // 16 * stride:(i // 16 + 1) * stride]
        if i % 16 == 0:
            first = bit
            require(le(block, 0, 4) == bit, "block's records")
        elif i % 4 == 0:
            require(le(block, 4 + i % 16 // 2, 2) == min(bit - first, 65535), "mark")
        number, special = ids[i]
        width = 63
        require(number < 255 or special, "long number")
        if special:
            if number == 255:
                number += records.at(bit, long_bits)
                bit += long_bits
            width = records.at(bit, 6)
            bit += 6
            require(width == 63 or width <= 32, "width")
            require(width != 63 or ids[i][0] == 255, "needless special record")
        require(number < len(d.lists), "list number")
        flags, rep, steps, fields, implied = d.lists[number]
        require(width == 63 or len(steps) > 1, "no fields")
        end = start + (xs[i + 1] << q) - (pads[i] << unit) if i + 1 < n else start + span
        length = end - start - (xs[i] << q)
        require(length > 0 and length % (1 << unit) == 0 and (i + 1 < n or pads[i] == 0), "length")
        if flags & 4:
            require(after_function and i < n - 1 and pads[i] == 0, "hole")
            after_function = False
            continue
        after_function = True
        n_rows += len(steps)
        distances = []
        for s, (field_base, field_width) in enumerate(fields):
            if s == implied:
                distances.append(0)
                continue
            w = field_width if width == 63 else width
            distances.append(field_base + records.at(bit, w))
            bit += w
        require(bit <= records.n, "record runs past the end")
        require(rep % (1 << unit) == 0, "pattern's size")
        limit = (min(rep, length) if rep else length) >> unit
        require(sum(distances) < limit, "distances")
        distances[implied] = limit - sum(distances)
        require(all(distances), "distance of 0")
        rows, off = [], 0
        for step, distance in zip(steps, distances):
            if step != 1:
                rows.append((off << unit, d.states[step]))
            off += distance
        functions.append((base + start + (xs[i] << q), length, flags & 3, rep, rows))
    return bit, n_rows


# ---- predicted-rows --------------------------------------------------------------------------------------------------


class Rows:
    def __init__(self, data, unit):
        self.coder, self.p, self.unit = RangeDecoder(data), {}, unit
        self.states, self.links = [], {}

    def adaptive(self, *key):
        p = self.p.get(key, 32768)
        seen, now = p & 15, p & ~15 | 8
        bit = self.coder.bit(now)
        change = (65280 if bit else 256) - now
        step = change // (seen + 2) if change >= 0 else -(-change // (seen + 2))
        self.p[key] = now + step & ~15 | min(seen + 1, 14)
        return bit

    def raw(self, n, v=0):
        for _ in range(n):
            v = v << 1 | self.coder.bit(32768)
        return v

    def tree(self, name, n):
        node = 1
        for _ in range(n):
            node = node << 1 | self.adaptive(name, "tree", node)
        return node - (1 << n)

    def number(self, name):
        if not self.adaptive(name, "large"):
            return self.tree(name, 5)
        n = 6
        while n < 32 and self.adaptive(name, "length", n):
            n += 1
        return self.raw(n - 2, 2 | self.adaptive(name, "high", n))

    def state(self, s):
        return self.states[s - 2] if s > 1 else (0,) * 7

    def new_state(self, before):
        def change(i):
            return i32(before[2 * i + 2] + unzigzag(self.number(("off", i))))

        kinds, cfa_reg = self.tree("kinds", 8), self.tree(("reg", 0), 8)
        places = [change(0) if kinds & 3 != OTHER else 0]
        for i, rule in (1, kinds >> 2 & 7), (2, kinds >> 5):
            off = change(i) if rule in (C, V, M) else 0
            places += [self.tree(("reg", i), 8) if rule in (R, M) else 0, off]
        return (kinds, cfa_reg, *places)

    def known(self, key, which):
        links = self.links.setdefault(key, [])
        for rank, s in enumerate(links):
            if self.adaptive("rank", which, min(rank, 6)):
                links.insert(0, links.pop(rank))
                return s
        return None

    def symbol(self, beginning, last):
        s = self.known(beginning, 0)
        if s is not None:
            return s
        s = self.known(last, 1)
        if s is None:
            if self.adaptive("flag", 0):
                s = 0
            elif self.adaptive("flag", 1):
                s = 1
            elif self.adaptive("flag", 4):
                s = 2 + self.raw((len(self.states) | 1).bit_length())
                require(s - 2 < len(self.states), "state number is out of range")
            else:
                state = self.new_state(self.state(last))
                require(state not in self.states, "state is written twice")
                self.states.append(state)
                s = len(self.states) + 1
            require(s not in self.links[last], "symbol is written anew")
            self.links[last].insert(0, s)
        require(s not in self.links[beginning], "symbol is written anew")
        self.links[beginning].insert(0, s)
        return s

    def function(self, base, end):
        start = end + (-end & 15 if self.adaptive("flag", 2) else self.number("starts"))
        flags = rep = last = off = 0
        if not self.adaptive("flag", 3):
            flags, rep = self.number("reps"), self.number("reps")
            require(flags < 4 and rep < 256, "flags")
        beginning, rows = (), []
        while True:
            s = self.symbol(beginning, last)
            if beginning:
                distance = self.number(("distance", last, s)) << self.unit
                require(distance, "distance is 0")
                off += distance
            require(beginning or s, "function has no symbols")
            require(not (s == 1 and beginning) and (s != last or s == 0), "symbol follows itself")
            if s == 0:
                break
            if s > 1:
                rows.append((off, self.state(s)))
            beginning += (s,)
            last = s
        length = self.number("lengths") if rep else off
        require(off < 1 << 32, "length")
        require(off == (min(rep, length) if rep else length), "distances do not end where the block does")
        return (base + start, length, flags, rep, rows), start + length


def predicted_rows(payload):
    machine, base, part = read_frame(payload)
    require(len(part) >= 5 and part[4] <= 2, "header")
    n, end, functions = le(part, 0, 4), 0, []
    require(n or not base, "Base")
    rows = Rows(part[5:], part[4])
    for _ in range(n):
        function, end = rows.function(base, end)
        functions.append(function)
    rows.coder.finish()
    require(not n or functions[0][0] == base, "Base")
    check_model(machine, functions)
    return machine, functions


# ---- SFrame ----------------------------------------------------------------------------------------------------------


def sframe(version):
    def read(payload):
        machine, base, section = read_frame(payload)
        name, sp, fp, order = MACHINES[machine]

        def word(at, n, signed=False):
            require(at + n <= len(section), "ends")
            return int.from_bytes(section[at:at + n], order, signed=signed)

        require(len(section) >= 28 and word(0, 2) == 0xdee2 and section[2] == version, "header")
        require(section[3] in (1, 5) and section[4] == (3, 2, 4)[machine], "flags or machine")
        require(version > 1 or machine < 2, "no s390x")
        require(section[5] == 0 and section[6] == (248, 0, 0)[machine], "fixed offsets")
        fdes, n, n_rows, size = 28 + section[7], word(8, 4), word(12, 4), word(16, 4)
        width = {1: 17, 2: 20, 3: 16}[version]
        rows_at = fdes + n * width
        require(word(20, 4) == 0 and word(24, 4) == n * width and rows_at + size == len(section), "sizes")
        require(n or not base, "Base")
        at, functions, seen = rows_at, [], 0
        for i in range(n):
            own = fdes + i * width
            start = word(own, 8 if version == 3 else 4, True) + (own if section[3] & 4 else 0)
            p = own + (8 if version == 3 else 4)
            length = word(p, 4)
            require(word(p + 4, 4) == at - rows_at, "rows of another function")
            require((start == 0 or i) and 0 <= start < 1 << (62 if version == 3 else 31), "start")
            flexible = 0
            if version == 3:
                count, info, flexible, rep = word(at, 2), word(at + 2, 1), word(at + 3, 1), word(at + 4, 1)
                at += 5
            else:
                count, info = word(p + 8, 4), section[p + 12]
                rep = section[p + 13] if version == 2 else 16 * (info >> 4 & 1)
                require(version == 1 or section[p + 14:p + 16] == bytes(2), "padding")
            require(flexible < 2 and info & 15 < 3 and not info & (0x40 if version == 3 else 0xc0), "info")
            require(bool(info & 16) == bool(rep), "repeat size")
            rows, w = [], 1 << (info & 15)
            for _ in range(count):
                off, row = word(at, w), word(at + w, 1)
                at += w + 1
                k, bytes_n = row >> 1 & 15, 1 << (row >> 5 & 3)
                require(bytes_n < 8 and at + k * bytes_n <= len(section), "words")
                words = [(word(at + j * bytes_n, bytes_n, True), word(at + j * bytes_n, bytes_n)) for j in range(k)]
                at += k * bytes_n
                rows.append((off, row_state(version, machine, flexible, row, words)))
            seen += count
            functions.append((base + start, length, (info >> 5 & 1) * 2 | info >> 7, rep, rows))
        require(at == len(section) and seen == n_rows, "rows follow")
        check_model(machine, functions)
        return machine, functions

    return read


def row_state(version, machine, flexible, info, words):
    name, sp, fp, order = MACHINES[machine]
    if not words:
        require(version > 1 and info == 0, "row without words")
        return OTHER | U << 2, 0, 0, 0, 0, 0, 0
    signed = SIGNED if info & 0x80 else 0
    cfa_word = words[1 if flexible and len(words) > 1 else 0][0]
    cfa_off = 160 + 8 * cfa_word if machine == 2 else cfa_word
    require(cfa_off == i32(cfa_off), "CFA offset")
    ra, frame = (C, 0, -8) if machine == 0 else (S, 0, 0), (S, 0, 0)
    if flexible:
        require(len(words) in (2, 4, 5, 6) and not info & 1, "flexible row")
        control = words[0][1]
        require(control & 5 == 1 and control >> 3 < 128, "control of the CFA")

        def pair(i):
            c, off = words[i][1], words[i + 1][0]
            require(not c & 4 and c >> 3 < 128, "control")
            if c & 1:
                require(c & 2 or off == 0, "register with an offset")
                return (M if c & 2 else R), c >> 3, off
            require(c == 2, "not a place")
            return C, 0, off

        if len(words) == 5:
            require(words[2][1] == 0, "control of RA")
            frame = pair(3)
        elif len(words) > 2:
            ra = pair(2)
            frame = pair(4) if len(words) == 6 else frame
        kind, reg = control >> 1 & 1, control >> 3
    else:
        require(len(words) <= (2, 3, 3)[machine], "words")
        kind, reg = REGISTER, sp if info & 1 else fp

        def place(w):
            if machine == 2 and version == 2 and w & 1:
                require(0 <= w >> 1 < 128, "register")
                return R, w >> 1, 0
            return C, 0, w

        if machine == 0:
            frame = (C, 0, words[1][0]) if len(words) == 2 else frame
        else:
            if len(words) > 1:
                require(machine == 1 or words[1][0] or len(words) == 3, "RA's word is 0")
                ra = place(words[1][0]) if machine == 1 or words[1][0] else ra
            frame = place(words[2][0]) if len(words) == 3 else frame
    return kind | ra[0] << 2 | frame[0] << 5, reg | signed, cfa_off, ra[1], ra[2], frame[1], frame[2]


# ---- the text form ---------------------------------------------------------------------------------------------------


def read_text(text):
    machine, functions = 0, []
    for line in text.decode().splitlines()[1:]:
        words = line.split()
        if not words or words[0].startswith("#") or words[0] in ("calls", "real"):
            continue
        if words[0] == "arch":
            machine = [m[0] for m in MACHINES].index(words[1])
        elif words[0] == "fn":
            flags = ("S" in words[3:]) | ("B" in words[3:]) << 1
            rep = [int(w[4:]) for w in words[3:] if w.startswith("rep=")]
            functions.append((int(words[1], 16), int(words[2]), flags, rep[0] if rep else 0, []))
        else:
            functions[-1][4].append((int(words[0]), text_state(machine, words[1:])))
    return machine, functions


def text_state(machine, words):
    name, sp, fp, order = MACHINES[machine]

    def base(text):
        at = max(text.rfind("+"), text.rfind("-"))
        reg = {"sp": sp, "fp": fp}.get(text[:at])
        return int(text[1:at]) if reg is None else reg, int(text[at:])

    def rule(text):
        kind = "sucvr*x".index(text[0])
        if kind in (C, V):
            return kind, 0, int(text[1:])
        if kind == R:
            return kind, int(text[1:]), 0
        return (kind, *base(text[1:])) if kind == M else (kind, 0, 0)

    cfa = (OTHER, 0, 0) if words[0] == "x" else (WORD if words[0][0] == "*" else REGISTER, *base(words[0].lstrip("*")))
    ra, frame = rule(words[1]), rule(words[2])
    signed = SIGNED if words[3:] == ["a"] else 0
    return cfa[0] | ra[0] << 2 | frame[0] << 5, cfa[1] | signed, cfa[2], ra[1], ra[2], frame[1], frame[2]


if __name__ == "__main__":
    readers = {f"sframe-v{version}": sframe(version) for version in (1, 2, 3)}
    sys.exit(run({"sequences": sequences, "sequences-fixed": sequences_fixed,
                  "predicted-rows": predicted_rows, **readers}, read_text))
