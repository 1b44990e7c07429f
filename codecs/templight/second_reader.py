"""A second reader of all encodings of templight and of the text form, written from README.md and the pages that it names.

It shares nothing with the C code:

    python3 codecs/templight/second_reader.py (CODEC PAYLOAD TEXT)...

`-` instead of TEXT says that the payload must be rejected.
"""

import base64
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../harness/coding"))
from coding_reader import M64, NONE, Cursor, Grammar, H, Model, RangeDecoder, Reject, run, unzigzag


class Trace:
    """version, source, names, files; records: (is_end, kind, name, location, origin, own, time, memory)."""

    def __init__(self, version, source):
        self.version, self.source, self.records = version, source, []

    def begin(self, kind, name, location, origin, time, memory):
        self.records.append(("begin", kind, name, location, origin, time, memory))

    def end(self, own, time, memory):
        """own: None for no origin of its own, (None,) for an absent one, (origin,) for another."""
        self.records.append(("end", own, time, memory))

    def resolved(self):
        return self.version, self.source, self.records


# ---- front-coded ------------------------------------------------------------------------------


def read_front_coded(data):
    c = Cursor(data)
    traces = []
    for _ in range(c.uvarint()):
        version = c.uvarint(32)
        t = Trace(version, c.text())
        names, name = [], b""
        for _ in range(c.uvarint(32)):
            shared, rest = c.uvarint(32), c.text()
            if shared > len(name) or names and name >= name[:shared] + rest or name[shared:shared + 1] == rest[:1] != b"":
                raise Reject("names are not in order")
            name = name[:shared] + rest
            names.append(name)
        files = [c.text() for _ in range(c.uvarint(32))]
        if any(b"\0" in text for text in [t.source] + names + files):
            raise Reject("text holds a NUL")

        open_origins = []

        def place(present):
            return (files[c.uvarint()], c.uvarint(32), c.uvarint(32)) if present else None

        for _ in range(c.uvarint()):
            flags = c.u8()
            if flags > 63 or flags & (8 if flags & 1 else 32) or flags & 49 == 17:
                raise Reject("record has unknown or contradictory flags")
            if flags & 1:
                own = (place(flags & 16),) if flags & 32 else None
            else:
                kind, name_ = c.uvarint(32), names[c.uvarint()]
                location = place(flags & 8)
                origin = place(flags & 16)
            time = c.le(8) if flags & 2 else None
            memory = c.uvarint() if flags & 4 else None
            if flags & 1:
                begins = open_origins.pop() if open_origins else None
                t.end(None if own == (begins,) else own, time, memory)
            else:
                open_origins.append(origin)
                t.begin(kind, name_, location, origin, time, memory)
        traces.append(t.resolved())
    c.end()
    return traces


# ---- predicted --------------------------------------------------------------------------------


class Node:
    def __init__(self, shape, parts):
        self.shape, self.parts = shape, parts  # a leaf: parts is empty


class Entry:
    def __init__(self, kind=0, name=NONE, origin=0, location=0):
        self.kind, self.name, self.origin, self.location = kind, name, origin, location

    def key(self):
        return self.kind, self.name, self.origin, self.location


class Predicted:
    """State of one trace."""

    def __init__(self, model, coders, counts):
        self.m = model
        self.structure, self.names_coder, self.refs, self.locations, self.times = coders
        self.flags, self.n_records, self.n_names, self.n_files, self.n_nodes, self.n_parts, self.n_text = counts
        self.kinds, self.places, self.files, self.lines = [], [(NONE, 0, 0)], [], []
        self.name_nodes, self.name_origins, self.node_names = [], [], {}
        self.nodes, self.last_of_base, self.shapes = [], {}, []
        self.entries = [Entry()]
        self.numbers = {}
        self.stack = [[0, 0, 0]]
        self.h = [0] * 6
        self.f = self.f2 = 0
        self.r = [0, 0, 0]
        self.time = self.memory = 0

    def base(self, node):
        return self.nodes[node].parts[0] if self.nodes[node].parts else node

    def look_around(self):
        self.o, self.i, self.i2 = self.stack[-1]
        self.o2 = self.stack[-2][0] if len(self.stack) > 2 else 0
        self.oe, self.ie = self.entries[self.o], self.entries[self.i]
        self.On = self.oe.name + 1 if self.o else 0
        self.In = self.ie.name + 1 if self.i else 0
        self.outer = self.name_nodes[self.oe.name] if self.o else NONE
        self.inner = self.name_nodes[self.ie.name] if self.i else NONE
        self.Ob = self.base(self.outer) if self.o else NONE
        self.Ib = self.base(self.inner) if self.i else NONE
        self.p = self.h[0] or self.h[1]

    def record(self, trace):
        self.look_around()
        o, i, i2, o2, oe, ie, On, In, h = (self.o, self.i, self.i2, self.o2, self.oe, self.ie, self.On, self.In, self.h)
        P, L = H(o, i), H(H(h[0], h[1]), h[2])
        c = [H(int(i != 0), 64 * oe.kind + ie.kind), H(o, 2), H(i, int(h[0] == 0)), P, H(P, i2), H(P, H(o2, i2)), L,
             H(L, H(H(h[3], h[4]), h[5])), H(On, H(In, ie.kind + 64 * oe.kind))]
        n = len(self.entries)
        e = self.m.listed_symbol(self.refs, 0, n, c, 0)
        if e is None:
            listed = self.m.listed
            e = self.fields()
            if e in listed:
                raise Reject("coded record is one of the candidates")
        self.m.learn(0, n, c, e)
        self.h = [e] + self.h[:5]
        own = None
        if e:
            self.stack.append([e, 0, 0])
        else:
            own = self.end()
        time = memory = None
        if self.flags & 1:
            time = self.amount(20, self.time, e == 0)
            self.time = self.time if time is None else time
        if self.flags & 2:
            memory = self.amount(21, self.memory, e == 0)
            self.memory = self.memory if memory is None else memory
        if e:
            x = self.entries[e]
            trace.begin(self.kinds[x.kind], x.name, self.locate(x.location), self.locate(x.origin), time, memory)
        else:
            trace.end(own, time, memory)

    def locate(self, place):
        f, line, column = self.places[place]
        return (self.files[f], line, column) if place else None

    def amount(self, field, last, is_end):
        c = [field, H(field, 2 if is_end else 1)]
        if not self.m.bits(self.times, 19, c, 1):
            return None
        return (last + unzigzag(self.m.number(self.times, field, c))) & M64

    def end(self):
        b = self.stack[-1][0]
        be = self.entries[b]
        own = None
        if self.m.bits(self.locations, 10, [be.kind, H(b, 1)], 1):
            place = self.place(11, [be.origin, H(b, 1)], 0, (), 1, 0)
            if place == be.origin:
                raise Reject("End repeats its Begin's origin")
            own = (self.locate(place),)
        if len(self.stack) > 1:
            self.stack.pop()
            self.stack[-1][2] = self.stack[-1][1]
            self.stack[-1][1] = b
        return own

    def fields(self):
        m, o, i, i2, o2, oe, ie, On, In, Ob, Ib, h = (self.m, self.o, self.i, self.i2, self.o2, self.oe, self.ie,
                                                      self.On, self.In, self.Ob, self.Ib, self.h)
        kind_of = [self.entries[x].kind for x in h]
        last = ie.kind if i else 99
        c = [H(oe.kind, last), H(Ob, H(last, Ib)),
             H(kind_of[0], H(kind_of[1], H(kind_of[2], 2 * (h[0] == 0) + (h[1] == 0)))), H(i, H(Ob, 5)), H(H(i, i2), 9),
             H(o, 3), H(H(o, i), 1), H(On, H(last, self.entries[i2].kind if i2 else 99))]
        k = m.symbol(self.structure, 1, len(self.kinds), c)
        if k is None:
            v = m.number(self.structure, 2, [1])
            if v > NONE or v in self.kinds:
                raise Reject("kind is encoded twice, or has more than 32 bits")
            k = len(self.kinds)
            self.kinds.append(v)
            m.learn_new(1, c, k)
        else:
            m.learn(1, len(self.kinds), c, k)
        self.k = k
        # the name
        K = H(k, oe.kind + 64 * ie.kind)
        c = [H(k, 1), H(k, On), H(H(k, On), In), H(H(k, In), 1), H(H(k, oe.location), 2),
             H(H(k, ie.location), H(ie.origin, 3)), H(H(k, Ob), Ib)]
        entry_name = lambda x: self.entries[x].name if x else NONE
        hints = [On - 1 if On else NONE, In - 1 if In else NONE]
        hints += [self.name_of_part(self.outer, j) for j in (1, 2, 3)]
        hints += [self.name_of_part(self.inner, j) for j in (1, 2)]
        hints += [In or NONE, len(self.name_nodes) - 1 if self.name_nodes else NONE, entry_name(i2), entry_name(o2),
                  On or NONE, entry_name(self.p)]
        hints = [(v, H(K, Ob)) for v in hints]
        n = len(self.name_nodes)
        a = m.symbol(self.refs, 3, n, c, int(i != 0) + 2 * min(k, 15), hints)
        new = a is None
        if new:
            if n >= self.n_names:
                raise Reject("more names than announced")
            self.frames = []
            node = self.read_node((NONE, 65535, NONE, NONE, 0))
            a = n
            self.name_nodes.append(node)
            self.name_origins.append(0)
            self.node_names[node] = a
            m.learn_new(3, c, a)
        else:
            m.learn(3, n, c, a, hints)
        # the origin
        node = self.name_nodes[a]
        b, n = self.base(node), node + 1
        p, ee = self.entries[self.p], self.entries
        c = [H(k, b), H(k, n), H(n, 1), H(H(k, oe.origin), b), H(H(k, self.name_origins[a]), 4), H(H(ie.origin, k), b)]
        hints = [oe.location, oe.origin, ie.location, ie.origin, ie.origin + 1, oe.origin + 1, len(self.places) - 1,
                 ee[o2].origin, ee[i2].origin, p.origin]
        origin = self.place(4, c, int(new), [(v, K) for v in hints], 1, oe.origin)
        self.name_origins[a] = origin
        # the location
        c = [H(k, 1), H(k, oe.location), H(k, H(ie.location, 2)), H(H(k, origin), 4), H(H(k, oe.origin), 5),
             H(H(oe.origin, ie.location), origin), H(n, 6), H(k, H(oe.origin, origin))]
        hints = [origin, oe.location, oe.origin, ie.location, ie.location + 1, ie.origin, oe.location + 1,
                 len(self.places) - 1, ee[o2].location, ee[o2].origin, ee[i2].location, origin + 1, oe.origin + 1,
                 p.location]
        location = self.place(5, c, int(new) + 2 * (ie.location == oe.location), [(v, K) for v in hints], 2, oe.origin)
        entry = Entry(k, a, origin, location)
        if entry.key() not in self.numbers:
            self.numbers[entry.key()] = len(self.entries)
            self.entries.append(entry)
        return self.numbers[entry.key()]

    def name_of_part(self, node, j):
        if node == NONE or j >= len(self.nodes[node].parts):
            return NONE
        return self.node_names.get(self.nodes[node].parts[j], NONE)

    def place(self, field, c, selector, hints, sort, near):
        m, n = self.m, len(self.places)
        v = m.symbol(self.locations, field, n, c, selector, hints)
        if v is not None:
            m.learn(field, n, c, v, hints)
            return v
        fc = [1, self.f + 2, H(self.f, self.f2), H(self.places[near][0], sort)]
        n_files = len(self.files)
        file = m.symbol(self.locations, 6, n_files, fc)
        if file is None:
            if n_files >= self.n_files:
                raise Reject("more files than announced")
            self.files.append(m.text(self.locations, 7, 0, 0))
            self.lines.append(0)
            file = n_files
            m.learn_new(6, fc, file)
        else:
            m.learn(6, n_files, fc, file)
        self.f2, self.f = self.f, file
        d = m.number(self.locations, 8, [1, H(file, 2), H(sort, 3)])
        column = m.number(self.locations, 9, [1, H(file, 2), H(sort, H(file, int(d == 0)))])
        if d > NONE or column > NONE:
            raise Reject("line or column of more than 32 bits")
        self.lines[file] = (self.lines[file] + unzigzag(d)) & NONE
        place = file, self.lines[file], column
        if place in self.places:
            raise Reject("place is encoded twice")
        self.places.append(place)
        m.learn_new(field, c, n)
        return n

    def read_node(self, place):
        m, coder = self.m, self.names_coder
        base, index, before, before2, above = place
        S = H(base, index)
        k, Ob, Ib, On, In, (r0, r1, r2) = self.k, self.Ob, self.Ib, self.On, self.In, self.r
        field, selector, hints, n = 14, min(index, 31), [], len(self.nodes)
        if index == 65535:
            N = H(3 * k + 1, On)
            field, selector = 12, 0
            c = [k, H(k, Ob), N, H(N, In), H(5 * k, In), H(H(k, Ob), Ib)]
        elif index == 0:
            depth = len(self.frames)
            field = 13
            c = [H(above, 1), H(above, H(before, 2)), H(above, H(before2, H(before, 3))), H(H(k, Ob), depth), H(r0, 4),
                 H(H(r0, r1), 5), H(H(k, On), 3 * depth), H(H(Ib, Ob), 3 * depth)]
        else:
            A = H(S, above)
            c = [S, H(before, 2), H(S, before), H(H(S, before2), before), A,
                 H(S, 7 + self.part(self.last_of_base.get(base, NONE), index)), H(S, H(On, 8)), H(H(r0, r1), r2),
                 H(A, before)]
            around = self.frames[-2] if len(self.frames) > 1 else []
            key = H(S, around[0] if around else NONE)
            hints = [(around[j] if j < len(around) else NONE, key) for j in (1, 2, 3)]
            hints += [(self.outer, H(S, Ob))] + [(self.part(self.outer, j), H(S, Ob)) for j in (1, 2, 3)]
            hints += [(self.inner, H(S, Ib))] + [(self.part(self.inner, j), H(S, Ib)) for j in (1, 2, 3)]
            hints += [(n - 1, S)]
        v = m.symbol(coder, field, n, c, selector, hints)
        if v is not None:
            m.learn(field, n, c, v, hints)
            self.r = [v] + self.r[:2]
            return v
        parts, marked = [], None
        self.frames.append(parts)
        if len(self.frames) > self.n_nodes - n:
            raise Reject("more pieces of names than announced")
        if m.bits(coder, 15, [1 if index == 0 else 2 if index == 65535 else 0, S, H(S, before)], 1):
            marked = m.text(coder, 18, S, 0)
        else:
            parts.append(self.read_node((base, 0, before, before2, H(k, Ob) if index == 65535 else S)))
            sc = [1, H(S, parts[0]), parts[0]]
            s = m.symbol(coder, 16, len(self.shapes), sc)
            if s is None:
                n_parts = m.number(coder, 17, [1]) + 1
                if n_parts > self.n_parts:
                    raise Reject("piece of a name with more parts than there are")
                s = len(self.shapes)
                self.shapes.append((m.text(coder, 18, 99, n_parts), n_parts))
                if self.shapes[-1] in self.shapes[:-1]:
                    raise Reject("shape occurs twice")
                m.learn_new(16, sc, s)
            else:
                m.learn(16, len(self.shapes), sc, s)
            marked, n_parts = self.shapes[s]
            for j in range(1, n_parts):
                parts.append(self.read_node((parts[0], j, parts[j - 1], parts[j - 2] if j > 1 else NONE, S)))
        self.frames.pop()
        v = len(self.nodes)
        self.nodes.append(Node(marked, parts))
        self.last_of_base[self.base(v)] = v
        m.learn_new(field, c, v)
        self.r = [v] + self.r[:2]
        return v

    def part(self, node, j):
        return self.nodes[node].parts[j] if node != NONE and j < len(self.nodes[node].parts) else NONE

    def texts(self):
        texts = []
        for node in self.nodes:
            pieces = node.shape.split(b"\0") if node.parts else [node.shape]
            texts.append(pieces[0] + b"".join(texts[p] + t for p, t in zip(node.parts, pieces[1:])))
        return texts


SIGNS = b"<<= >>= <=> ->* << >> <= >= -> < >".split()


def match_brackets(name):
    """By the position of each bracket that opens: that of the one that closes it, or None. Not of operators."""
    closes, around, at = {}, [], 0
    while at < len(name):
        c = name[at:at + 1]
        sign = [s for s in SIGNS if at >= 8 and name[at - 8:at] == b"operator" and name.startswith(s, at)]
        if sign:
            at += len(sign[0])
            continue
        if c in b"<([{":
            around.append(at)
            closes[at] = None
        elif c == b">" and around and name[around[-1]] == 60:
            closes[around.pop()] = at
        elif c in b")]}" and any(name[i] != 60 for i in around):
            while name[around[-1]] == 60:
                around.pop()
            closes[around.pop()] = at
        at += 1
    return closes


def tokens_of(name, closes, begin, end):
    """By the wiki's rule: begin and end of each token of the part of the name."""
    first = next((i for i in range(begin, end) if name[i] == 60 and i in closes), None)
    if first is None or closes[first] is None or closes[first] >= end:
        return []
    tokens, at, argument = [(begin, first)], first + 1, first + 1
    while at <= closes[first]:
        if at in closes:
            at = closes[at] + 1
            continue
        if at == closes[first] or name[at] == 44:
            end_of_text = at
            while argument + 1 < end_of_text and name[argument] == 32:
                argument += 1
            while argument + 1 < end_of_text and name[end_of_text - 1] == 32:
                end_of_text -= 1
            tokens.append((argument, end_of_text))
            argument = at + 1
        at += 1
    tokens = [(b, e) for b, e in tokens if b < e]
    if tokens:
        at += 2 * name.startswith(b"::", at, end)
        tokens += [(at, end)] * (at < end)
    return tokens


def split_names(names):
    """The nodes of these names, in order, and the number of each name's node."""
    numbers = {}

    def number_of(name, closes, begin, end):
        marked, parts, at = b"", [], begin
        for b, e in tokens_of(name, closes, begin, end):
            marked += name[at:b] + b"\0"
            parts.append(number_of(name, closes, b, e))
            at = e
        return numbers.setdefault((marked + name[at:end], tuple(parts)), len(numbers))

    wholes = [number_of(name, match_brackets(name) if len(name) <= 65536 else {}, 0, len(name)) for name in names]
    return list(numbers), wholes


def read_predicted(data):
    c = Cursor(data)
    heads = []
    for _ in range(c.uvarint()):
        version = c.uvarint(32)
        source, flags = c.take(c.uvarint(32)), c.u8()
        if flags > 3 or b"\0" in source:
            raise Reject("unknown flags of a trace, or text holds a NUL")
        heads.append((version, source, [flags] + [c.uvarint() for _ in range(6)]))
    if not heads:
        c.end()
        return []
    lengths = [c.uvarint() for _ in range(5)]
    coders = [RangeDecoder(c.take(n)) for n in lengths]
    units = sum(sum(counts[1:]) for _, _, counts in heads)
    if max(-(-units // 64), c.off) != len(data) or any(data[c.off:]):
        raise Reject("bytes after the streams")
    model = Model(sum(counts[1] + counts[5] for _, _, counts in heads), sum(counts[6] for _, _, counts in heads))
    traces = []
    for version, source, counts in heads:
        t = Trace(version, source)
        p = Predicted(model, coders, counts)
        left = model.left
        for _ in range(counts[1]):
            p.record(t)
        if left - model.left != counts[6]:
            raise Reject("texts have another length than announced")
        if [len(p.name_nodes), len(p.files), len(p.nodes), sum(len(x.parts) for x in p.nodes)] != counts[2:6]:
            raise Reject("counts of the trace differ from its content")
        if [any(r[-2] is not None for r in t.records), any(r[-1] is not None for r in t.records)] != [
                bool(counts[0] & 1), bool(counts[0] & 2)]:
            raise Reject("flags of times or memories disagree with the records")
        texts = p.texts()
        names = [texts[node] for node in p.name_nodes]
        if len(set(names)) < len(names) or len(set(p.files)) < len(p.files):
            raise Reject("duplicate name, or duplicate file")
        if split_names(names) != ([(node.shape, tuple(node.parts)) for node in p.nodes], p.name_nodes):
            raise Reject("name is not split as the rule splits it")
        t.records = [r[:2] + (texts[p.name_nodes[r[2]]],) + r[3:] if r[0] == "begin" else r for r in t.records]
        traces.append(t.resolved())
    for coder in coders:
        coder.finish()
    return traces


# ---- terms ------------------------------------------------------------------------------------


class MsbBits:
    def __init__(self, data):
        self.n, self.at = 8 * len(data), 0
        self.v = int.from_bytes(data, "big")
        self.data = data

    def bits(self, n):
        if n > self.n - self.at:
            raise Reject("bits beyond a part")
        first, last = self.at // 8, (self.at + n + 7) // 8
        v = int.from_bytes(self.data[first:last], "big") >> (8 * last - self.at - n)
        self.at += n
        return v & ((1 << n) - 1)

    def gamma(self):
        z = 0
        while self.bits(1) == 0:
            z += 1
            if z > 31:
                raise Reject("gamma code of more than 31 zeros")
        return (1 << z | self.bits(z)) - 1

    def rest(self, c):
        return 0 if c == 0 else 1 << (c - 1) | self.bits(c - 1)

    def ascending(self, n):
        if n == 0:
            return []
        p, v, numbers = self.bits(5), 0, []
        for _ in range(n):
            high = 0
            while self.bits(1):
                high += 1
            v += (high << p) + self.bits(p)
            numbers.append(v)
        least = 0
        while v // n >> (least + 1):
            least += 1
        if v > NONE or p != least:
            raise Reject("ascending numbers")
        return numbers

    def code(self, n_symbols):
        longest, words, next_word, known = self.bits(5), {}, 0, set()
        if longest > 20:
            raise Reject("word of more than 20 bits")
        for length in range(1, longest + 1):
            next_word <<= 1
            symbols = self.ascending(self.gamma())
            if len(set(symbols) | known) != len(symbols) + len(known) or any(s >= n_symbols for s in symbols):
                raise Reject("symbols of a code")
            known.update(symbols)
            for s in symbols:
                words[length, next_word] = s
                next_word += 1
            if next_word > 1 << length:
                raise Reject("too many words")
        if len(words) > 1 and next_word != 1 << longest or len(words) < 2 and longest != len(words):
            raise Reject("code is not complete")
        if longest != max((length for length, _ in words), default=0):
            raise Reject("longest word is longer than every word")
        return words

    def symbol(self, words):
        v = length = 0
        while length < 20:
            v, length = v << 1 | self.bits(1), length + 1
            if (length, v) in words:
                return words[length, v]
        raise Reject("bits that are no word")

    def classed(self, words):
        return self.rest(self.symbol(words))

    def end(self):
        if self.n - self.at >= 8 or self.bits(self.n - self.at):
            raise Reject("free bits")


class Totals:
    """Sums over the traces so far, and their limits."""

    def __init__(self, file_nbytes):
        self.file_nbytes = file_nbytes
        self.most = min(64 * file_nbytes + (1 << 20), (1 << 31) - 1)
        self.n_names = self.names = self.starts = self.phrases = self.files = 0

    def add(self, n_names=0, names=0, starts=0, phrases=0, files=0):
        self.n_names, self.names, self.starts = self.n_names + n_names, self.names + names, self.starts + starts
        self.phrases, self.files = self.phrases + phrases, self.files + files
        if self.names > self.file_nbytes + 65536 * self.n_names or self.starts > self.most:
            raise Reject("names would expand to too much")
        if self.phrases > self.most:
            raise Reject("phrases are longer than the file allows")
        if self.files > self.most:
            raise Reject("names of files would expand to too much")


class Texts:
    def __init__(self, c, totals):
        has_grammar = c.u8()
        if has_grammar > 1:
            raise Reject("number of grammars is neither 0 nor 1")
        self.grammar = Grammar(c, totals.file_nbytes) if has_grammar else None
        totals.add(phrases=self.grammar.n_text if has_grammar else 0)

    def read(self, bits):
        n = bits.bits(4)
        if n == 0:
            return bytes(bits.bits(8) for _ in range(bits.bits(32)))
        if not self.grammar:
            raise Reject("code without a grammar")
        return b"".join(self.grammar.phrase(bits.bits(self.grammar.width)) for _ in range(n))

    def forget(self):
        if self.grammar:
            self.grammar.phrases = {}

    def end(self):
        if self.grammar:
            self.grammar.expect_all_used()


class Head:
    def __init__(self, texts, has_base, base, base_at):
        self.texts, self.has_base, self.base, self.base_at = texts, has_base, base, base_at
        self.n_parts = len(texts) - 1 - has_base
        self.start = texts[0] + (base + texts[1] if has_base else b"")
        self.n_words = 1 + sum(bool(t) for t in texts[1 + has_base:])
        self.base_levels = int(has_base and len(texts[1]) > 0)


class Names:
    """A term is (text, levels, words, words that its references take); None while it is read."""

    def __init__(self, data, totals, n_names):
        self.names, self.steps = [], []
        if n_names == 0:
            if data:
                raise Reject("bytes after the names")
            return
        c = Cursor(data)
        longest, total, levels = c.uvarint(32), c.uvarint(), c.uvarint(32)
        n_shapes, n_heads, n_tops, starts, words, n_terms, tables, stream = (c.uvarint(32) for _ in range(8))
        if longest > totals.file_nbytes + 131072:
            raise Reject("names would expand to too much")
        totals.add(n_names=n_names, names=total, starts=starts)
        self.texts = Texts(c, totals)
        tables, self.stream = MsbBits(c.take(tables)), MsbBits(c.take(-(-stream // 8)))
        c.take(n_names)  # fingerprints: XXH3 is not in the standard library
        c.end()
        shapes = []
        for _ in range(n_shapes):
            has_base = tables.bits(1)
            shapes.append((has_base, bytes(tables.bits(8) for _ in range(tables.gamma())).split(b"\0")))
        self.heads = []
        for _ in range(n_heads):
            has_base, texts = shapes[tables.gamma()]
            at = tables.at
            self.heads.append(Head(texts, has_base, self.texts.read(tables) if has_base else None, at))
        self.texts.forget()  # a code of a head that no name uses is not a used one
        self.tables = tables
        self.codes = [tables.code(47 + n_heads + n_tops) for _ in range(5)]
        self.step_code = tables.code(64)
        self.tops = [(tables.bits((n_names - 1).bit_length()), tables.bits(6)) for _ in range(n_tops)]
        index = tables.ascending((n_names - 1) // 16)
        tables.end()
        self.n_words = self.n_terms = 0
        self.used = set()
        for i in range(n_names):
            if i % 16 == 0 and i and self.stream.at != index[i // 16 - 1]:
                raise Reject("names are not where the index says")
            self.steps.append([])
            name = self.term(i, 0, [])
            if name[3] > min(6 * (longest + 2), 24 * (len(name[0]) + 2), (1 << 31) - 1):
                raise Reject("expanded name differs from its announced size")
            self.names.append(name)
        if self.stream.at != stream:
            raise Reject("names are not where the index says")
        self.stream.end()
        sizes = [len(name[0]) for name in self.names]
        if [longest, total, levels, starts, words, n_terms] != [
                max(sizes), sum(sizes), max(name[1] for name in self.names),
                sum(len(self.heads[h].start) for h in self.used), self.n_words, self.n_terms + n_names]:
            raise Reject("numbers that are not exact")
        self.texts.end()

    @staticmethod
    def reference(term):
        text, levels, words, more = term
        return text, levels, 2, 2 + words + more

    def refer(self, name, step):
        term = self.steps[name][step] if 0 <= name < len(self.steps) and step < len(self.steps[name]) else None
        if term is None:
            raise Reject("reference")
        return self.reference(term)

    def term(self, i, place, around):
        """around: (head, parts so far), the innermost last."""
        s = self.stream.symbol(self.codes[place])
        if s == 1:
            s = 47 + self.stream.bits((len(self.heads) + len(self.tops)).bit_length())
        if 47 <= s < 47 + len(self.heads):
            return self.head(i, place, around, s - 47)
        self.n_words += 2
        if s == 0:
            term = self.texts.read(self.stream), 1, 2, 0
        elif s < 14:
            up, part = divmod(s - 2, 4)
            if up >= len(around) or part >= len(around[-1 - up]):
                raise Reject("copy")
            term = around[-1 - up][part]
            term = term if term[2] <= 2 else self.reference(term)
        elif s < 47:
            back = self.stream.rest(s - 14)
            term = self.refer(i - back, self.stream.symbol(self.step_code))
        elif s < 47 + len(self.heads) + len(self.tops):
            term = self.refer(*self.tops[s - 47 - len(self.heads)])
        else:
            raise Reject("symbol")
        if place == 0:
            self.steps[i].append(term)
        return term

    def head(self, i, place, around, number):
        h = self.heads[number]
        self.n_words += h.n_words
        if h.has_base and number not in self.used:
            self.tables.at = h.base_at
            self.texts.read(self.tables)
        self.used.add(number)
        step = None
        if h.n_parts or place == 0:
            step = len(self.steps[i])
            self.steps[i].append(None)
            self.n_terms += place > 0
        parts = []
        for k in range(h.n_parts):
            parts.append(self.term(i, 1 + 2 * h.has_base + (k > 0), around + [parts]))
        text = h.start + b"".join(part[0] + after for part, after in zip(parts, h.texts[1 + h.has_base:]))
        words = h.n_words - (not h.start) + sum(part[2] for part in parts)
        term = text, 1 + max([part[1] for part in parts] + [h.base_levels]), words, sum(part[3] for part in parts)
        if step is not None:
            self.steps[i][step] = term
        return term


def read_files(data, totals, n_files):
    c = Cursor(data)
    if n_files == 0:
        c.end()
        return []
    texts = Texts(c, totals)
    bits = MsbBits(c.take(len(data) - c.off))
    files = [texts.read(bits) for _ in range(n_files)]
    totals.add(files=sum(len(file) for file in files))
    bits.end()
    texts.end()
    return files


class Records:
    CODES = [[("RUN", 256), ("MISS", 4), ("FIRST_BEGIN", 4), ("FIRST_END", 4), ("TUPLE", 33), ("NAME", 35)],
             [("KIND", 64)],
             [("LOCATION", 36), ("ORIGIN", 36), ("OWN", 34), ("GAP", 33), ("FILE", 35), ("LINE", 33), ("COLUMN", 161)]]

    def __init__(self, data, n_names, n_files):
        c = Cursor(data)
        self.n_records, self.max_open, self.max_tuples, self.max_places = (c.uvarint(32) for _ in range(4))
        self.streams = [MsbBits(c.take(c.uvarint(32))) for _ in range(3)]
        self.code, self.bits = {}, {}
        for bits, codes in zip(self.streams, self.CODES):
            for name, n in codes:
                self.code[name], self.bits[name] = bits.code(n), bits
        self.c = c
        who = c.u8()
        self.times, self.memories, self.memory = who & 3, who >> 2, 0
        self.max_names, self.max_files, self.n_names, self.n_files = n_names, n_files, 0, 0
        # tuples: kind, name, location, origin, own origin
        self.tuples, self.places, self.kinds = [[0, NONE, 0, 0, NONE]], [None], {}
        self.last, self.next, self.open, self.deepest = (0, "B"), {}, [], 0
        self.run, self.goes_on, self.in_run = 0, False, False
        self.origin_of, self.origin_at, self.location_under = {}, {}, {}
        self.last_file, self.last_line = 0, {}

    def symbol(self, name):
        return self.bits[name].symbol(self.code[name])

    def classed(self, name):
        return self.bits[name].classed(self.code[name])

    def read(self, trace, names, files):
        gap = self.classed("GAP")
        n_times = n_memories = 0
        for _ in range(self.n_records):
            e = self.event()
            if e:
                self.open.append(e)
                self.deepest = max(self.deepest, len(self.open))
                self.last = e, "B"
            else:
                t = self.open.pop() if self.open else 0
                self.last = t, "E"
                if gap:
                    gap -= 1
                else:
                    s = self.symbol("OWN")
                    own = NONE
                    if s:
                        back = self.bits["OWN"].rest(s - 1)
                        if back > len(self.places):
                            raise Reject("own origin")
                        own = len(self.places) - back
                        if back == 0:
                            self.place()
                    if own == self.tuples[t][4]:
                        raise Reject("own origin is the expected one")
                    self.tuples[t][4] = own
                    gap = self.classed("GAP")
            time, memory = self.time()
            n_times += time is not None
            n_memories += memory is not None
            place = lambda p: None if p == 0 else (files[self.places[p][0]],) + self.places[p][1:]
            if e:
                kind, name, location, origin, _ = self.tuples[e]
                trace.begin(kind, names[name], place(location), place(origin), time, memory)
            else:
                own = self.tuples[t][4]
                trace.end(None if own == NONE else (place(own),), time, memory)
        if self.run or gap:
            raise Reject("run or gap goes beyond the last record")
        for bits in self.streams:
            bits.end()
        self.c.end()
        who = lambda n: 0 if n == 0 else 1 if n == self.n_records else 2
        if [self.deepest, len(self.tuples), len(self.places), self.n_names, self.n_files, self.times, self.memories] != [
                self.max_open, self.max_tuples, self.max_places, self.max_names, self.max_files, who(n_times),
                who(n_memories)]:
            raise Reject("numbers that are not exact")

    def time(self):
        has = (self.times == 1) + 2 * (self.memories == 1)
        if self.times == 2 or self.memories == 2:
            has = self.c.u8()
            if (has > 3 or self.times < 2 and has & 1 != self.times or self.memories < 2 and has >> 1 != self.memories):
                raise Reject("times or memory of a record contradict the first byte")
        time = self.c.le(8) if has & 1 else None
        if not has & 2:
            return time, None
        self.memory = (self.memory + unzigzag(self.c.uvarint())) & M64
        return time, self.memory

    def event(self):
        n = self.next.setdefault(self.last, [NONE, NONE])
        if n[0] != NONE:
            if not self.in_run:
                self.run, self.in_run = self.symbol("RUN"), True
                self.goes_on = self.run == 255
            expected = self.run > 0
            if expected:
                self.run -= 1
            else:
                self.in_run = False
            if self.run == 0 and self.goes_on:
                self.in_run = False
            if expected:
                return n[0]
            s = self.symbol("MISS")
        else:
            if self.run:
                raise Reject("run goes on where nothing is expected")
            self.in_run = False
            s = self.symbol("FIRST_BEGIN" if self.last[1] == "B" else "FIRST_END")
        if s == 0:
            e = 0
        elif s == 1:
            e = self.tuple()
        elif s == 2:
            e = len(self.tuples) - 1 - self.classed("TUPLE")
        else:
            e = n[1]
        if e < 0 or s == 2 and e == 0 or e == NONE or e == n[0]:
            raise Reject("event")
        n[1], n[0] = n[0], e
        return e

    def tuple(self):
        around = self.tuples[self.open[-1] if self.open else 0]
        before = self.tuples[-1]
        k = self.symbol("KIND")
        n_kinds = min(len(self.kinds), 63)
        if k > n_kinds:
            raise Reject("kind")
        if k == n_kinds or k == 63:
            self.kinds[k] = self.bits["KIND"].bits(32)
        kind = self.kinds[k]
        name, new = self.known("NAME", self.n_names, [before[1]])
        self.n_names += new
        location = self.known_place("LOCATION", [before[2], self.location_under.get(around[3], NONE)])
        origin = self.known_place("ORIGIN", [self.origin_of.get(name, NONE), self.origin_at.get(location, NONE)])
        self.location_under[around[3]] = location
        self.origin_of[name] = self.origin_at[location] = origin
        self.tuples.append([kind, name, location, origin, NONE])
        return len(self.tuples) - 1

    def known(self, code, n, expected):
        s = self.symbol(code)
        if s == 0:
            return n, True
        if s <= len(expected):
            v = expected[s - 1]
            if v in expected[:s - 1]:
                raise Reject("known by an earlier one")
        else:
            v = n - 1 - self.bits[code].rest(s - 1 - len(expected))
            if v in expected:
                raise Reject("known as expected")
        if not 0 <= v < n:
            raise Reject("known one that does not exist")
        return v, False

    def known_place(self, code, expected):
        v, new = self.known(code, len(self.places), expected)
        if new:
            self.place()
        return v

    def place(self):
        file, new = self.known("FILE", self.n_files, [self.last_file])
        self.n_files += new
        self.last_file = file
        line = (self.last_line.get(file, 0) + unzigzag(self.classed("LINE"))) & NONE
        self.last_line[file] = line
        s = self.symbol("COLUMN")
        self.places.append((file, line, s if s < 128 else self.bits["COLUMN"].rest(s - 128)))


def read_terms(data):
    c = Cursor(data)
    if c.take(4) != b"TLtm":
        raise Reject("magic number is not that of terms")
    traces, totals = [], Totals(len(data))
    for _ in range(c.le(4)):
        version, n_names, n_files = c.le(4), c.le(4), c.le(4)
        sizes = [c.le(4) for _ in range(4)]
        source, names, files, records = (c.take(n) for n in sizes)
        t = Trace(version, source)
        names = [name[0] for name in Names(names, totals, n_names).names]
        Records(records, n_names, n_files).read(t, names, read_files(files, totals, n_files))
        traces.append(t.resolved())
    c.end()
    return traces


# ---- protocol buffers -------------------------------------------------------------------------


def require(condition, rule):
    if not condition:
        raise Reject(rule)


def read_fields(data):
    """Field numbers, wire types and values of a message: numbers, or bytes."""
    c = Cursor(data)

    def varint():
        v = shift = 0
        while True:
            byte = c.u8()
            v |= (byte & 127) << shift
            require(v < 1 << 64 and shift < 64, "varint does not fit 64 bits")
            if byte < 128:
                return v
            shift += 7

    while c.off < len(data):
        tag = varint()
        wire = tag & 7
        require(wire in (0, 1, 2, 5), "wire type is a group or unknown")
        require(1 <= tag >> 3 < 1 << 29, "field number is 0 or above 2^29 - 1")
        yield tag >> 3, wire, varint() if wire == 0 else c.take(varint()) if wire == 2 else c.take(8 if wire == 1 else 4)


def read_message(data, **fields):
    """fields: name=(number, kind); kinds are number (64 bits), u32, double, text, message, and numbers for a list."""
    kinds = {number: (name, kind) for name, (number, kind) in fields.items()}
    values = {name: [] if kind == "numbers" else None for name, (_, kind) in fields.items()}
    for number, wire, value in read_fields(data):
        if number not in kinds:
            continue
        name, kind = kinds[number]
        if kind == "numbers" and wire == 2:  # packed
            c = Cursor(value)
            while c.off < len(value):
                values[name].append(c.uvarint(32))
            continue
        require(wire == {"double": 1, "text": 2, "message": 2}.get(kind, 0), "wire type does not match the field")
        if kind in ("u32", "numbers"):
            require(value < 1 << 32, "number does not fit 32 bits")
        if kind == "double":
            value = int.from_bytes(value, "little")
        if kind == "numbers":
            values[name].append(value)
            continue
        require(kind != "message" or values[name] is None, "message in more than one part")
        values[name] = value
    return values


def present(value, rule):
    require(value is not None, rule)
    return value


def read_protobuf(data):
    traces = []
    for number, wire, trace in read_fields(data):
        require(number != 1 or wire == 2, "wire type does not match the field")
        if number == 1:
            traces.append(read_protobuf_trace(trace))
        else:
            require(traces, "file does not start with a trace")
    return traces


def read_protobuf_trace(data):
    t, entries, files = None, [], []

    def place(message):
        if message is None:
            return None
        at = read_message(message, name=(1, "text"), file=(2, "u32"), line=(3, "u32"), column=(4, "u32"))
        file = present(at["file"], "location has no file")
        if at["name"] is not None:
            require(b"\0" not in at["name"], "text holds a NUL")
            require(file >= len(files) or files[file] == at["name"], "file has two names")
            require(file <= len(files), "file numbers are not 0, 1, 2, ... in order")
            if file == len(files):
                files.append(at["name"])
        require(file < len(files), "file has no name")
        return files[file], present(at["line"], "location has no line"), at["column"] or 0

    def name_of(message):
        name = read_message(message, text=(1, "text"), compressed=(2, "text"), id=(3, "u32"))
        require(name["compressed"] is None, "name is compressed on its own")
        if name["id"] is not None:
            require(name["id"] < len(entries), "name refers to a dictionary entry that does not precede it")
            return entries[name["id"]]
        require(b"\0" not in present(name["text"], "name is neither a text nor an id"), "text holds a NUL")
        return name["text"]

    for number, wire, message in read_fields(data):
        require(number > 3 or wire == 2, "wire type does not match the field")
        require(t is not None or number == 1, "trace does not start with its header")
        if number == 1:
            require(t is None, "trace has a second header")
            header = read_message(message, version=(1, "u32"), source=(2, "text"))
            source = header["source"] or b""
            require(b"\0" not in source, "text holds a NUL")
            t = Trace(present(header["version"], "header has no version"), source)
        elif number == 3:
            entry = read_message(message, text=(1, "text"), ids=(2, "numbers"))
            pieces = present(entry["text"], "dictionary entry has no text").split(b"\0")
            require(len(pieces) == len(entry["ids"]) + 1, "dictionary entry has more ids or markers")
            require(all(i < len(entries) for i in entry["ids"]), "dictionary entry refers to itself or a later one")
            entries.append(pieces[0] + b"".join(entries[i] + piece for i, piece in zip(entry["ids"], pieces[1:])))
        elif number == 2:
            record = read_message(message, begin=(1, "message"), end=(2, "message"))
            require((record["begin"] is None) != (record["end"] is None), "entry is neither a begin nor an end")
            if record["end"] is not None:
                fields = read_message(record["end"], time=(1, "double"), memory=(2, "number"))
                t.end(None, fields["time"], fields["memory"])
                continue
            begin = read_message(record["begin"], kind=(1, "u32"), name=(2, "message"), location=(3, "message"),
                                 time=(4, "double"), memory=(5, "number"), origin=(6, "message"))
            kind = present(begin["kind"], "begin has no kind")
            name = name_of(present(begin["name"], "begin has no name"))
            location, origin = place(begin["location"]), place(begin["origin"])
            t.begin(kind, name, location, origin, begin["time"], begin["memory"])
    return present(t, "trace has no header").resolved()


def without_own_origins(model):
    return [(version, source, [r[:1] + (None,) + r[2:] if r[0] == "end" else r for r in records])
            for version, source, records in model]


# ---- text form --------------------------------------------------------------------------------

KINDS = """TemplateInstantiation DefaultTemplateArgumentInstantiation DefaultFunctionArgumentInstantiation
    ExplicitTemplateArgumentSubstitution DeducedTemplateArgumentSubstitution PriorTemplateArgumentSubstitution
    DefaultTemplateArgumentChecking ExceptionSpecEvaluation ExceptionSpecInstantiation RequirementInstantiation
    NestedRequirementConstraintsCheck DeclaringSpecialMember DeclaringImplicitEqualityComparison
    DefiningSynthesizedFunction ConstraintsCheck ConstraintSubstitution ConstraintNormalization
    RequirementParameterInstantiation ParameterMappingSubstitution RewritingOperatorAsSpaceship
    InitializingStructuredBinding MarkingClassDllexported BuildingBuiltinDumpStructCall Memoization""".split()
KIND_NUMBERS = {kind: i for i, kind in enumerate(KINDS)} | {
    "LambdaExpressionSubstitution": 1000, "BuildingDeductionGuides": 1001, "TypeAliasTemplateInstantiation": 1002,
    "PartialOrderingTTP": 1003}
ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", "N": "\x85",
           "_": "\xa0", "L": "\u2028", "P": "\u2029"}


def read_scalar(text):
    if text.startswith("!!binary "):
        return base64.b64decode(text[9:].strip("'\""))
    if text.startswith("'"):
        text = text[1:-1].replace("''", "'")
    elif text.startswith('"'):
        def character(match):
            code = match[1]
            return chr(int(code[1:], 16)) if code[0] in "xuU" else ESCAPES.get(code, code)

        text = re.sub(r"\\(x..|u....|U........|.)", character, text[1:-1])
    return text.encode()


def read_place(text):
    if not text:
        return None
    file, line, column = text.rsplit(b":", 2)
    return file, int(line), int(column)


def read_time(text):
    special = {b".inf": "inf", b"-.inf": "-inf", b".nan": "nan"}
    if text.startswith(b"0x"):
        return int(text, 16)
    return struct.unpack("<Q", struct.pack("<d", float(special.get(text, text))))[0]


def read_record(t, open_begins, fields):
    time = read_time(fields["time"]) if "time" in fields else None
    memory = int(fields["memory"]) if "memory" in fields else None
    origin = read_place(fields.get("orig", b""))
    if fields["event"] == b"Begin":
        kind = fields["kind"].decode()
        t.begin(KIND_NUMBERS.get(kind) if kind in KIND_NUMBERS else int(kind), fields["name"], read_place(fields["poi"]),
                origin, time, memory)
        open_begins.append(origin)
    elif not open_begins:
        t.end((origin,) if origin else None, time, memory)
    else:
        begins = open_begins.pop()
        t.end((origin,) if "orig" in fields and origin != begins else None, time, memory)


def read_text(text):
    traces, fields, open_begins = [], {}, []
    for line in text.decode().split("\n") + ["---"]:
        header = re.fullmatch(r"# trace: \{version: (\d+), source: (.*)\}", line)
        if (header or line == "---") and fields:
            read_record(traces[-1], open_begins, fields)
        if header:
            traces.append(Trace(int(header[1]), read_scalar(header[2])))
            open_begins = []
        elif line and not line.startswith("---"):
            if not traces:
                traces.append(Trace(1, b""))
            key, _, value = line.partition(":")
            fields[key] = read_scalar(value.strip())
        if header or line == "---":
            fields = {}
    return [t.resolved() for t in traces]


READERS = {"front-coded": read_front_coded, "predicted": read_predicted, "terms": read_terms}
PROTOBUF = "dict", "dict-wiki", "flat", "plain"
READERS |= dict.fromkeys(PROTOBUF, read_protobuf)

if __name__ == "__main__":
    sys.exit(run(READERS, read_text, lambda codec, model: without_own_origins(model) if codec in PROTOBUF else model))
