"""A second reader of all encodings of autofdo and of the text form, written from README.md and the pages that it names.

It shares nothing with the C code:

    python3 codecs/autofdo/second_reader.py (CODEC PAYLOAD TEXT)...

`-` instead of TEXT says that the payload must be rejected.
"""
import hashlib
import os
import re
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../harness/coding"))
from coding_reader import M64, Cursor, Grammar, Reject, run, unzigzag

CUTOFFS = [10000] + [100000 * i for i in range(1, 10)] + [950000, 990000, 999000, 999900, 999990, 999999]
END, RECORD, TARGET, CALLSITE = range(4)
PRESENCE, COUNTS = 11, 12
LIMITS = [136, 136, 16, 136, 4, 4, 4, 136, 136, 136, 136, 16] + [12 + 136] * 9
SPENDS_BITS = (4, 5, 6, 11)

# A function: head, timestamp, instance. An instance: name, records {place: (count, {target: count})}, callsites
# {(place, name): instance}. A model: functions by name, files by name.


def require(condition, rule):
    if not condition:
        raise Reject(rule)


def check_name(name):
    require(name, "name is empty")
    require(min(name) >= 32, "name holds a control character")
    require(name[:1] not in b"0123456789#![:", "name starts with a digit, #, !, [ or a colon")
    require(name == name.strip(b" "), "name starts or ends with a blank")
    require(not re.search(rb":\d+ ", name), "name contains a colon, digits and a blank")


def check_path(path):
    require(not path or min(path) >= 32 and 127 not in path, "path holds a control character")


def check_model(functions, files):
    """The rules of names, whatever the encoding."""
    todo = [body for _, _, body in functions.values()]
    for name in files:
        check_name(name)
        check_path(files[name])
    while todo:
        name, records, callsites = todo.pop()
        check_name(name)
        for _, targets in records.values():
            for target in targets:
                check_name(target)
        todo += callsites.values()


def names_of(body):
    return {body[0]}.union(*map(names_of, body[2].values()))


def enter(keys, key, rule):
    require(key not in keys, rule)
    keys.add(key)


# ---- bits -------------------------------------------------------------------------------------


class Bits:
    def __init__(self, data, at=0):
        self.v, self.n, self.at = int.from_bytes(data, "little"), 8 * len(data), at

    def raw(self, n):
        if n > self.n - self.at:
            raise Reject("bits beyond a section")
        v = self.v >> self.at & ((1 << n) - 1)
        self.at += n
        return v

    def end(self):
        """Free bits are 0."""
        return self.n - self.at < 8 and self.v >> self.at == 0


def width(n):
    return max(n - 1, 0).bit_length()


class Code:
    def __init__(self, bits, number):
        n, lengths, last, missing = bits.raw(8), [], 5, 0
        if n > LIMITS[number]:
            raise Reject("code lengths do not form a prefix code")
        while len(lengths) < n:
            k = 0
            while bits.raw(1):
                k += 1
            if k > 21:
                raise Reject("code lengths do not form a prefix code")
            if k == 1:
                lengths.append(0)
                missing += 1
            else:
                last += -(k // 2) if k % 2 else k // 2
                if not 1 <= last <= 10:
                    raise Reject("code lengths do not form a prefix code")
                lengths.append(last)
                missing = 0
            if missing == 2:
                lengths += [0] * bits.raw(4)
                missing = 0
        used = [s for s in range(n) if s < len(lengths) and lengths[s]]
        if n and used[-1:] != [n - 1] or number == 2 and 0 in used or len(used) == 1 and lengths[n - 1] != 1:
            raise Reject("code lengths do not form a prefix code")
        self.words = {}
        if len(used) == 1:
            self.words[int(number in SPENDS_BITS), 0] = n - 1
        elif used:
            word = 0
            for length in range(1, 11):
                word <<= 1
                for s in used:
                    if lengths[s] == length:
                        self.words[length, word] = s
                        word += 1
            if word != 1 << 10:
                raise Reject("code lengths do not form a prefix code")

    def symbol(self, bits):
        v = length = 0
        while (length, v) not in self.words:
            if length == 10:
                raise Reject("bits that are no word")
            v, length = v << 1 | bits.raw(1), length + 1
        return self.words[length, v]


def number_of(bits, s):
    if s < 16:
        return s
    w = (s - 16) // 2 + 5
    return (2 + s % 2) << (w - 2) | bits.raw(w - 2)


# ---- shared-trees -----------------------------------------------------------------------------


class SharedTrees:
    def __init__(self, data):
        c = Cursor(data)
        if c.take(4) != b"afst":
            raise Reject("bad magic number")
        path_bits, timestamp_bits = c.u8(), c.u8()
        (n_names, n_paths, text, n_places, n_parts, first_timestamp, index, grammar, strings,
         structure) = (c.uvarint() for _ in range(10))
        summary = [c.uvarint() for _ in range(4)]
        least, n_counts = summary[1], 0
        for _ in range(16):
            least = (least + unzigzag(c.uvarint())) & M64
            n_counts = (n_counts + c.uvarint()) & M64
            summary.append((least, n_counts))
        if (n_names > 8 * index or n_paths > n_names or text > 64 * len(data) + 131072 or n_places > 8 * structure or
                n_parts > n_places + 32 * structure or (first_timestamp == 0) != (timestamp_bits == 0)):
            raise Reject("limits")
        index = c.take(index)
        flags = index[len(index) - (n_names + 7) // 8:]
        index = Bits(index[:len(index) - len(flags)])
        flags = Bits(flags)
        is_function = [flags.raw(1) for _ in range(n_names)]
        paths = Bits(c.take((n_names * path_bits + 7) // 8))
        path_of = [paths.raw(path_bits) for _ in range(n_names)]
        times = Bits(c.take((sum(is_function) * timestamp_bits + 7) // 8))
        times_of = [times.raw(timestamp_bits) for _ in range(sum(is_function))]
        strings, structure, counts = c.take(strings), c.take(structure), c.take(len(data) - c.off)
        self.codes = [Code(index, i) for i in range(21)]
        self.n_names = n_names
        self.n_variants = [self.number(index, 3) for _ in range(n_names)]
        sizes = [[self.number(index, 0) for _ in range(n)] for n in
                 (-(-(n_names + n_paths) // 16), -(-n_names // 16), sum(is_function))]
        if not (index.end() and flags.end() and paths.end() and times.end()):
            raise Reject("first part of the index does not fill its bytes")
        g = Cursor(strings[:grammar])
        self.grammar = Grammar(g, len(data))
        g.end()
        self.strings = []
        self.blocks(strings, 8 * grammar, sizes[0], n_names + n_paths, self.read_string)
        self.lists, self.variants = [], []
        self.blocks(structure, 0, sizes[1], n_names, self.read_name)
        if (sum(map(len, self.strings)) != text or sum(map(len, self.lists)) != n_places or
                sum(len(v) for vs in self.variants for v in vs) != n_parts):
            raise Reject("less than announced")
        self.grammar.expect_all_used()
        self.used = set()
        self.functions = {}
        bits, names = Bits(counts), [i for i in range(n_names) if is_function[i]]
        for name, size, time in zip(names, sizes[2], times_of):
            end, self.recent = bits.at + size, [0]
            head = self.count(bits)
            if not self.variants[name]:
                raise Reject("function has no tree")
            body = self.visit(bits, name, 0, 1)
            if bits.at != end:
                raise Reject("count is not a valid code")
            self.functions[self.strings[name]] = (head, first_timestamp + time - 1 if time else 0, body)
        if not bits.end():
            raise Reject("padding is not 0")
        if first_timestamp != min([t for _, t, _ in self.functions.values() if t], default=0):
            raise Reject("no function has the least timestamp")
        self.files = {}
        for i, p in enumerate(path_of):
            if p:
                if p > n_paths + 1 or not self.variants[i]:
                    raise Reject("path")
                self.files[self.strings[i]] = self.strings[n_names + p - 2] if p > 1 else b""
        if len(set(path_of) - {0, 1}) != n_paths or path_bits and not self.files:
            raise Reject("path is used by no function")
        if len(self.used) != sum(self.n_variants):
            raise Reject("variant is not part of any function")
        for spots, variants in zip(self.lists, self.variants):
            if {spot for variant in variants for spot, _ in variant} != set(spots):
                raise Reject("place belongs to no variant")
        if set(names) | {spot[3] for spots in self.lists for spot in spots if spot[0] != RECORD} != set(range(n_names)):
            raise Reject("name belongs to no function, target or callee")
        if summary != summarize(self.functions):
            raise Reject("summary disagrees with the counts")

    def number(self, bits, code):
        return number_of(bits, self.codes[code].symbol(bits))

    def blocks(self, data, at, sizes, n, read):
        bits = Bits(data, at)
        for block, size in enumerate(sizes):
            for i in range(16 * block, min(16 * block + 16, n)):
                read(bits, i)
            at += size
            if bits.at != at:
                raise Reject("block does not end where the index says")
        if not bits.end():
            raise Reject("padding is not 0")

    def read_string(self, bits, i):
        shared = self.number(bits, 1) if i % 16 else 0
        last = self.strings[-1] if i else b""
        n = self.codes[2].symbol(bits)
        own = b"".join(self.grammar.phrase(bits.raw(self.grammar.width)) for _ in range(n))
        string = last[:shared] + own
        if n == 0 or shared > len(last) or i and i != self.n_names and (
                last >= string or i % 16 and shared < len(last) and own[0] <= last[shared]):
            raise Reject("strings do not ascend")
        self.strings.append(string)

    def read_name(self, bits, i):
        n, spots, variants = self.n_variants[i], [], []
        if n:
            line = discriminator = 0
            before, code = END, 4
            while True:
                kind, name = self.codes[code].symbol(bits), 0
                if kind == END:
                    break
                if kind == CALLSITE and before != CALLSITE:
                    line = discriminator = 0
                if kind != TARGET:
                    d = self.number(bits, 7 if kind == RECORD else 8)
                    if d == 0:
                        discriminator += self.number(bits, 9)
                    else:
                        line += d
                        discriminator = self.number(bits, 10)
                    require(line <= 65535 and discriminator < 1 << 32, "place is out of range")
                if kind != RECORD:
                    name = bits.raw(width(self.n_names))
                spots.append((kind, line, discriminator, name))
                before, code = kind, {RECORD: 4, TARGET: 5, CALLSITE: 6}[kind]
        for _ in range(n):
            has = list(range(len(spots)))
            if n > 1:
                has = []
                for first in range(0, len(spots), 4):
                    group = self.codes[PRESENCE].symbol(bits)
                    if group >> len(spots[first:first + 4]):
                        raise Reject("variant selects a place beyond its list")
                    has += [first + j for j in range(4) if group >> j & 1]
            variant = [[spots[s], None] for s in has]
            for part in variant:
                if part[0][0] == CALLSITE:
                    part[1] = bits.raw(width(self.n_variants[part[0][3]]))
            variants.append(variant)
        self.lists.append(spots)
        self.variants.append(variants)

    def count(self, bits):
        recent = self.recent
        s = self.codes[COUNTS + min(recent[0].bit_length() // 3, 8)].symbol(bits)
        if s < 12:
            if s >= len(recent):
                raise Reject("count is not a valid code")
            v = recent.pop(s)
        else:
            v = (recent[0] + unzigzag(number_of(bits, s - 12))) & M64
            del recent[11:]
        recent.insert(0, v)
        return v

    def visit(self, bits, name, variant, depth):
        if depth > 256 or variant >= len(self.variants[name]):
            raise Reject("instance")
        self.used.add((name, variant))
        records, callsites, record = {}, {}, None
        for (kind, line, discriminator, target), _ in self.variants[name][variant]:
            if kind == RECORD:
                record = line, discriminator
                records[record] = self.count(bits), {}
            elif kind == TARGET:
                if record != (line, discriminator):
                    raise Reject("target precedes the record of its place")
                records[record][1][self.strings[target]] = self.count(bits)
        for (kind, line, discriminator, callee), number in self.variants[name][variant]:
            if kind == CALLSITE:
                callsites[line, discriminator, self.strings[callee]] = self.visit(bits, callee, number, depth + 1)
        return self.strings[name], records, callsites


def counts_of(instance):
    _, records, callsites = instance
    return [count for count, _ in records.values()] + [n for callee in callsites.values() for n in counts_of(callee)]


def summarize(functions):
    counts = sorted((n for _, _, body in functions.values() for n in counts_of(body)), reverse=True)
    total = min(sum(counts), M64)
    summary = [total, max(counts, default=0), max((head for head, _, _ in functions.values()), default=0), len(counts)]
    total_so_far = n = 0
    for cutoff in CUTOFFS:
        while n < len(counts) and (total_so_far < total * cutoff // 1000000 or n and counts[n] == counts[n - 1]):
            total_so_far = min(total_so_far + counts[n], M64)
            n += 1
        summary.append((counts[n - 1] if n else 0, n))
    return summary


# ---- version 4 --------------------------------------------------------------------------------


class Section:
    """Big-endian integers, or varints in a compact section."""

    def __init__(self, data, compact):
        self.data, self.off, self.compact = data, 1, compact

    def byte(self):
        return self.take(1)[0]

    def take(self, n):
        if n > len(self.data) - self.off:
            raise Reject("section ends within an integer")
        self.off += n
        return self.data[self.off - n:self.off]

    def number(self, n):
        if not self.compact:
            return int.from_bytes(self.take(n), "big")
        v = shift = 0
        while True:
            b = self.byte()
            v |= (b & 127) << shift
            if v >> 8 * n or b == 0 and shift:
                raise Reject("varint overflows its field, or is not in its shortest form")
            if b < 128:
                return v
            shift += 7

    def end(self):
        if self.off != len(self.data):
            raise Reject("bytes after a section's last")


def read_trie(c):
    n, strings = c.number(4), []

    def node(prefix, is_root):
        b = c.byte()
        if b & 128:
            if c.number(4) != len(strings):
                raise Reject("string ids are not 0, 1, 2, ... in order")
            strings.append(prefix)
        elif not is_root and b & 127 < 2:
            raise Reject("node with one child ends no string, or leaf ends no string")
        first = -1
        for _ in range(b & 127):
            label = c.take(c.number(2))
            if not label or label[0] <= first:
                raise Reject("edges of a node are not in order")
            first = label[0]
            node(prefix + label, False)

    node(b"", True)
    if len(strings) != n:
        raise Reject("trie has fewer strings than its table announces")
    c.end()
    return strings


class Version4:
    def __init__(self, data):
        if data[:4] != b"gcov" or data[4:8] != bytes([0, 0, 0, 4]) or data[8] & 127:
            raise Reject("magic number, version is not 4, or reserved bits of the header are set")
        compact, n = data[8] >> 7, int.from_bytes(data[9:16], "big")
        word = lambda i: int.from_bytes(data[16 + 8 * i:24 + 8 * i], "big")
        if 48 + 16 * n > len(data):
            raise Reject("section table runs past the file's end")
        ranges = [(word(2 * i), word(2 * i + 1)) for i in range(n + 2)]
        end = 48 + 16 * n
        self.sections = []
        for off, size in sorted(ranges):
            if off != end or size == 0 or off + size > len(data):
                raise Reject("sections overlap or are not in order, or gap before a section")
            end = off + size
            self.sections.append(Section(data[off:end], compact))
            if data[off] & 127 in range(1, 7) and data[off] >> 7 != compact:
                raise Reject("compact flag differs between section and header")
        if end != len(data) or ranges[2:] != sorted(ranges[2:]):
            raise Reject("bytes after the last section")
        order = sorted(ranges)
        used = {order.index(ranges[0]), order.index(ranges[1])}
        summary = self.section(order.index(ranges[0]), 2)
        stored = [summary.number(8) for _ in range(6)]
        entries = [(summary.number(4), summary.number(8), summary.number(8)) for _ in range(stored.pop())]
        summary.end()
        names = self.section(order.index(ranges[1]), 3)
        units = [(names.take(names.number(2)), [names.number(4) for _ in range(3)]) for _ in range(names.number(4))]
        names.end()
        self.functions, self.files, self.table_names = {}, {}, {}
        tables, last = {}, [-1, -1, -1]
        for path, numbers in units:
            if numbers[0] < last[0] or numbers[1] <= last[1] or numbers[2] <= last[2]:
                raise Reject("sections are not in the order of their files")
            last = numbers
            used |= set(numbers)
            if numbers[0] not in tables:
                tables[numbers[0]] = read_trie(self.section(numbers[0], 1))
            self.read_unit(path, numbers[0], tables[numbers[0]], self.section(numbers[1], 4), self.section(numbers[2], 5))
        if [path for path, _ in units] != sorted({path for path, _ in units}):
            raise Reject("paths are not in order")
        callee_files = [i for i, c in enumerate(self.sections) if c.data[0] & 127 == 6]
        for i in callee_files:
            used.add(i)
            self.read_callee_files(self.section(i, 6), units, tables)
        if len(callee_files) > 1 or any(c.data[0] & 127 in range(1, 7) and i not in used
                                        for i, c in enumerate(self.sections)):
            raise Reject("duplicate section of callee files, or section of no file")
        expected = summarize(self.functions)
        total, highest, head, n_counts = expected[:4]
        if stored != [total, highest, head, n_counts, len(self.functions)] or entries != [
                (cutoff, least, n) for cutoff, (least, n) in zip(CUTOFFS, expected[4:])]:
            raise Reject("summary disagrees with the functions")

    def section(self, i, kind):
        if i >= len(self.sections) or self.sections[i].data[0] & 127 != kind:
            raise Reject("section is of another type")
        self.sections[i].off = 1
        return self.sections[i]

    def read_unit(self, path, table, strings, names, info):
        starts, last = [], 0
        for _ in range(names.number(4)):
            i, off = names.number(4), names.number(8)
            last = last + off if names.compact else off
            starts.append((i, last))
        names.end()
        if not starts or starts[0][1] != 1 or any(a >= c or b >= d for (a, b), (c, d) in zip(starts, starts[1:])):
            raise Reject("functions are not in order")
        for (i, start), end in zip(starts, [start for _, start in starts[1:]] + [len(info.data)]):
            c = Section(info.data[:end], info.compact)
            c.off = start
            head, timestamp = c.number(8), c.number(8)
            self.strings = strings
            body = self.read_instance(c, strings[i], 1)
            c.end()
            if strings[i] in self.functions:
                raise Reject("duplicate function")
            self.functions[strings[i]] = head, timestamp, body
            self.table_names.setdefault(table, set()).update(names_of(body))
            if path:
                self.files[strings[i]] = path

    def read_count(self, c, code):
        if not c.compact:
            return int.from_bytes(c.take([0, 1, 2, 4, 8][code]), "big")
        return c.number(8) if code else 0

    def read_instance(self, c, name, depth):
        if depth > 256:
            raise Reject("instances are nested more than 256 deep")
        records, callsites, line = {}, {}, [0, 0]
        for _ in range(c.number(4)):
            b = c.byte()
            kind = b >> 5
            if kind > 1:
                c.take(c.number(4))
                continue
            v = c.number(4)
            line[kind] = line[kind] + v if c.compact else v
            place = line[kind], c.number(4) if b & 16 else 0
            if line[kind] > 65535 or b & 16 and place[1] == 0:
                raise Reject("line is above 65535, or discriminator is 0")
            if kind == 1:
                callee = self.strings[c.number(4)]
                if b & 15 or callsites and last >= place + (callee,):
                    raise Reject("callsite has a count, or records are not in order")
                last = place + (callee,)
                callsites[last] = self.read_instance(c, callee, depth + 1)
                continue
            if b & 7 > (1 if c.compact else 4) or callsites or records and last >= place:
                raise Reject("width of a count is unknown, count after callsites, or records are not in order")
            count, targets, last = self.read_count(c, b & 7), {}, place
            for _ in range(c.number(4) if b & 8 else 0):
                code = 1 if c.compact else c.byte()
                target = self.strings[c.number(4)]
                require(not targets or max(targets) < target, "targets are not in order")
                targets[target] = self.read_count(c, code)
            records[place] = count, targets
        return name, records, callsites

    def read_callee_files(self, c, units, tables):
        own = [path for path, _ in units]
        paths = [c.take(c.number(2)) for _ in range(c.number(4))]
        require(paths == sorted(set(paths)) and not set(paths) & set(own), "paths are not in order, or among the files")
        last, n, used = b"", c.number(4), set()
        require(n, "section of callee files is empty")
        for _ in range(n):
            unit, i, path = c.number(4), c.number(4), c.number(4)
            table = units[unit][1][0]
            name, path = tables[table][i], (own + paths)[path]
            used.add(path)
            require(last < name, "names are not in order")
            require(name in self.table_names[table], "file belongs to neither a function nor a callee")
            require(name not in self.files, "duplicate file of a function")
            require(name not in self.functions or path == b"", "file of a function differs from its unit's")
            self.files[name], last = path, name
        c.end()
        require(used >= set(paths), "path is used by no function")


# ---- gcov -------------------------------------------------------------------------------------


class Gcov:
    """Versions 3, 2 and 0x3430372a. Lengths of parts are not checked: no reader does."""

    def __init__(self, data):
        self.c = c = Cursor(data)
        if c.take(4) != b"adcg":
            raise Reject("magic number is not adcg")
        self.version = c.le(4)
        if self.version not in (2, 3, 0x3430372a) or c.le(4):
            raise Reject("version is not this codec's, or the header's third word is not 0")
        if self.version == 3:
            self.tag(0xa8000000)
            stored = [c.le(8) for _ in range(5)]
            entries = [(c.le(4), c.le(8), c.le(8)) for _ in range(c.le(8))]
        self.tag(0xaa000000)
        c.le(4)
        paths = [self.string() for _ in range(c.le(4))] if self.version == 3 else []
        self.names, self.files, self.defined, with_file = [], {}, set(), set()
        for i in range(c.le(4)):
            self.names.append(self.string())
            require(len(self.names) == 1 or self.names[-1], "the first name is not empty, or another one is")
            if self.names[-1]:
                check_name(self.names[-1])
            index = c.le(4) if self.version == 3 else 0xffffffff
            if index != 0xffffffff:
                self.files.setdefault(self.names[-1], paths[index])
                with_file.add(i)
        self.tag(0xac000000)
        c.le(4)
        self.functions, listed, indices = {}, [], set()
        for _ in range(c.le(4)):
            head = self.count()
            timestamp = c.le(8) if self.version == 3 else 0
            index, body = self.instance()
            enter(indices, index, "duplicate function")
            listed.append((head, timestamp, body))
            if body[0] in self.functions:
                before = self.functions[body[0]]
                head, body = head + before[0], add(before[2], body)
                timestamp = min([t for t in (timestamp, before[1]) if t], default=0)
            self.functions[body[0]] = head, timestamp, body
        require(with_file <= self.defined, "file of a name that no function has")
        self.tag(0xae000000)
        if c.le(8) >> 32:
            raise Reject("module group is not empty")
        self.tag(0xaf000000)
        n_words = c.le(4)
        sets = [(c.le(4), c.le(8)) for _ in range(128)] if n_words != 4 else [s for s in [c.le(4)] if s]
        c.end()
        require(n_words != 4 or not sets, "working sets are not in order")
        for (n, least), (next_n, next_least) in zip([(0, (1 << 63) - 1)] + sets, sets):
            require(next_least <= least and (next_n >= n if next_least else next_n == 0), "working sets are not in order")
        if self.version == 3:
            expected = summarize(dict(enumerate(listed)))
            if stored != expected[:2] + [expected[2], expected[3], len(listed)] or entries != [
                    (cutoff, least, n) for cutoff, (least, n) in zip(CUTOFFS, expected[4:])]:
                raise Reject("summary disagrees with the functions")

    def tag(self, v):
        if self.c.le(4) != v:
            raise Reject("tag is not that of the part")

    def string(self):
        text = self.c.take(self.c.le(4) * (4 if self.version == 0x3430372a else 1))
        require(text and not text[-1], "string does not end with NUL")
        name = text.rstrip(b"\0")
        require(b"\0" not in name and len(text) - len(name) <= (4 if self.version == 0x3430372a else 1),
                "NUL inside a string, or padding is not 0")
        return name

    def count(self):
        count = self.c.le(8)
        require(count < 1 << 63, "count is above 2^63 - 1")
        return count

    def name(self, index):
        require(self.names[index], "empty name is used for a function")
        return self.names[index]

    def instance(self):
        """The index of its name, and the instance."""
        c = self.c
        index, n_records, n_callsites = c.le(4), c.le(4), c.le(4)
        body, places = (self.name(index), {}, {}), set()
        self.defined.add(index)
        for _ in range(n_records):
            v, n_targets, count = c.le(4), c.le(4), self.count()
            targets, indices = {}, set()
            for _ in range(n_targets):
                require(c.le(4) == 7, "histogram is not of indirect calls")
                target = c.le(8)
                enter(indices, target, "duplicate target of a record")
                name = self.name(target)
                targets[name] = targets.get(name, 0) + self.count()
            enter(places, v, "instance has a record twice")
            body[1][v >> 16, v & 0xffff] = count, targets
        for _ in range(n_callsites):
            v = c.le(4)
            callee, instance = self.instance()
            enter(places, (v, callee), "duplicate callsite of an instance")
            key = v >> 16, v & 0xffff, instance[0]
            body[2][key] = add(body[2][key], instance) if key in body[2] else instance
        return index, body


def add(a, b):
    """Two instances of one name."""
    records, callsites = dict(a[1]), dict(a[2])
    for place, (count, targets) in b[1].items():
        before, sums = records.get(place, (0, {}))
        records[place] = before + count, {name: sums.get(name, 0) + targets.get(name, 0) for name in sums | targets}
    for key, callee in b[2].items():
        callsites[key] = add(callsites[key], callee) if key in callsites else callee
    return a[0], records, callsites


# ---- version 4 as text ------------------------------------------------------------------------


class Version4Text:
    TOKEN = re.compile(rb"""\s+|\#[^\n]*|(?P<place>\d+\.\d+)|(?P<integer>\d+)|(?P<sign>->|[{},=])
        |(?P<name>[A-Za-z_$][A-Za-z0-9_$.:@]*)|"(?P<string>(?:[^"\\]|\\["\\]|\\x[0-9a-f]{2})*)\"""", re.VERBOSE)

    def __init__(self, data):
        self.tokens, at = [], 0
        while at < len(data):
            m = self.TOKEN.match(data, at)
            if not m:
                raise Reject("no token")
            at = m.end()
            if m.lastgroup:
                self.tokens.append((m.lastgroup, m[m.lastgroup]))
        self.tokens.reverse()
        self.expect(b"gcov", b"4")
        self.functions, self.files = {}, {}
        while self.at(b"file"):
            path = self.name() if self.tokens[-1][0] == "string" else None
            check_path(path)
            self.expect(b"{")
            while self.at(b"function"):
                name = self.name()
                self.expect(b"{", b"head", b"=")
                head = self.integer()
                timestamp = self.integer() if self.at(b"timestamp", b"=") else 0
                self.functions[name] = head, timestamp, self.body(name)
                if path is not None:
                    self.files[name] = path
            self.expect(b"}")
        if self.at(b"files", b"="):
            for name in self.each():
                self.expect(b"=")
                self.files[name] = self.name()
        if self.tokens:
            raise Reject("expected file, files or the end")

    def at(self, *words):
        if not self.tokens or self.tokens[-1][1] != words[0] or self.tokens[-1][0] == "string":
            return False
        self.expect(*words)
        return True

    def expect(self, *words):
        for word in words:
            if not self.tokens or self.tokens.pop()[1] != word:
                raise Reject(f"expected {word.decode()}")

    def integer(self):
        kind, text = self.tokens.pop()
        if kind != "integer" or text != b"0" and text.startswith(b"0"):
            raise Reject("expected an integer")
        return int(text)

    def name(self):
        kind, text = self.tokens.pop()
        if kind not in ("name", "string"):
            raise Reject("expected a name")
        return re.sub(rb"\\(x..|.)", lambda m: bytes([int(m[1][1:], 16)]) if len(m[1]) == 3 else m[1], text)

    def place(self):
        kind, text = self.tokens.pop()
        if kind not in ("integer", "place"):
            raise Reject("expected a place")
        line, *discriminator = map(int, text.split(b"."))
        require(line <= 65535, "line is above 65535")
        require(discriminator != [0], "discriminator is 0")
        require(discriminator < [1 << 32], "discriminator is above 2^32 - 1")
        return line, *(discriminator or [0])

    def each(self, read=None):
        """The elements of a list in braces."""
        self.expect(b"{")
        while True:
            yield (read or self.name)()
            if not self.at(b","):
                break
        self.expect(b"}")

    def body(self, name):
        records, callsites = {}, {}
        if self.at(b"counts", b"="):
            for place in self.each(self.place):
                self.expect(b"=")
                records[place] = self.integer(), {}
        if self.at(b"callsites", b"="):
            for place in self.each(self.place):
                self.expect(b"->")
                for target in self.each():
                    self.expect(b"=")
                    records[place][1][target] = self.integer()
        if self.at(b"inlined", b"="):
            for place in self.each(self.place):
                self.expect(b"->")
                callee = self.name()
                require(not callsites or max(callsites) < place + (callee,), "callees are not in order")
                self.expect(b"{")
                callsites[place + (callee,)] = self.body(callee)
        self.expect(b"}")
        return name, records, callsites


# ---- extbinary --------------------------------------------------------------------------------


EXTBINARY = [(1, 0), (2, 0), (6, 0), (4, 0), (32, 0), (3, 0), (5, 0)]
SPLIT = [(1, 0), (2, 3 << 32), (4, 0), (32, 0), (4, 2), (32, 2), (3, 0), (5, 0)]
EYTZINGER = [(1, 0), (2, 11 << 32), (4, 2 << 32), (32, 0), (4, 2 << 32 | 2), (32, 2), (3, 0), (5, 0)]
# Kinds and flags in the order of the table; version; the order of the bytes.
FORMS = [(EXTBINARY, 103, (0, 1, 2, 4, 5, 3, 6)), ([(k, f | 1) for k, f in EXTBINARY], 103, (0, 1, 2, 4, 5, 3, 6)),
         (SPLIT, 103, (0, 1, 3, 2, 5, 4, 6, 7)), (EYTZINGER, 104, (0, 1, 3, 2, 5, 4, 6, 7))]


def guid_of(name):
    digits = name[5:].decode("latin-1")
    if name.startswith(b"guid.") and re.fullmatch("[0-9a-f]{16}", digits):
        return int(digits, 16)
    return int.from_bytes(hashlib.md5(name).digest()[:8], "little")


def guid_name(guid):
    return b"guid.%016x" % guid


def rename(instance):
    name, records, callsites = instance
    return (guid_name(guid_of(name)),
            {p: (n, {guid_name(guid_of(t)): k for t, k in targets.items()}) for p, (n, targets) in records.items()},
            {(*key[:-1], guid_name(guid_of(key[-1]))): rename(callee) for key, callee in callsites.items()})


def in_order(keys, i=0):
    """The keys of the subtree of place i, as a walk in order finds them."""
    if i >= len(keys):
        return []
    return in_order(keys, 2 * i + 1) + [keys[i]] + in_order(keys, 2 * i + 2)


class Extbinary:
    MAGIC = bytes.fromhex("84e4d0b1f4c994a853")

    def __init__(self, data):
        c = Cursor(data)
        if c.take(9) != self.MAGIC:
            raise Reject("magic number is not that of an extensible binary")
        version, n = c.uvarint(), c.le(8)
        if n not in (7, 8):
            raise Reject("number of sections is not the codec's")
        table = [[c.le(8) for _ in range(4)] for _ in range(n)]
        form = [(kind, flags & ~(4 << 32) if kind == 2 else flags) for kind, flags, *_ in table]
        orders = [order for entries, v, order in FORMS if (entries, v) == (form, version)]
        if not orders:
            raise Reject("version, or kinds and flags of sections, are not those of a form")
        sections = [b""] * n
        for i in orders[0]:
            _, flags, off, size = table[i]
            if off != c.off:
                raise Reject("section does not start where the one before ends")
            sections[i] = c.take(size)
            if flags & 1 and size:
                sections[i] = self.expand(sections[i])
        c.end()
        self.has_guids, self.is_eytzinger = n == 8, form == EYTZINGER
        if n == 7 and sections.pop(2) != b"\0" or any(sections[-2:]):
            raise Reject("profile has contexts, or section is not empty")
        summary, entries = self.read_summary(Cursor(sections[0]))
        self.read_names(sections[1])
        self.functions, self.files = {}, {}
        arrays = [range(self.counts[0]), range(self.counts[0], self.counts[0] + self.counts[1])]
        for half in range(n - 6):
            offsets, functions = sections[2 + 2 * half:4 + 2 * half]
            c = Cursor(offsets)
            if self.is_eytzinger:
                starts = [(self.names[i], start) for i in arrays[half] for start in [c.le(4)] if start != 0xffffffff]
                starts.sort(key=lambda entry: entry[1])
            else:
                starts = [(self.name(c), c.uvarint()) for _ in range(c.uvarint())]
            c.end()
            self.read_functions(starts, functions, n == 8 and half == 1)
        if summary + entries != summarize(self.functions)[:4] + [len(self.functions)] + summarize(self.functions)[4:]:
            raise Reject("summary disagrees with the functions")

    @staticmethod
    def expand(section):
        c = Cursor(section)
        size, packed = c.uvarint(), c.uvarint()
        try:
            z = zlib.decompressobj()
            raw = z.decompress(c.take(packed))
        except zlib.error as e:
            raise Reject("zlib stream is invalid or not of the announced size") from e
        c.end()
        if len(raw) != size or not size or not z.eof or z.unused_data:
            raise Reject("zlib stream is invalid or not of the announced size")
        return raw

    @staticmethod
    def read_summary(c):
        summary = [c.uvarint() for _ in range(5)]
        entries = [(c.uvarint(), c.uvarint(), c.uvarint()) for _ in range(c.uvarint())]
        c.end()
        if [cutoff for cutoff, *_ in entries] != CUTOFFS:
            raise Reject("cutoff of a summary entry has another value")
        return summary, [entry[1:] for entry in entries]

    def read_names(self, section):
        c = Cursor(section)
        self.counts = [c.le(8) for _ in range(3)] if self.is_eytzinger else [c.uvarint(), 0, 0]
        if not self.has_guids:
            self.names = section[c.off:].split(b"\0")
            if (self.names.pop() or len(self.names) != self.counts[0] or
                    any(a >= b for a, b in zip(self.names, self.names[1:]))):
                raise Reject("names are not in order")
            return
        guids = [c.le(8) for _ in range(min(sum(self.counts), len(section)))]
        c.end()
        if self.is_eytzinger:
            a, b, _ = self.counts
            for array in guids[:a], guids[a:a + b], guids[a + b:]:
                ordered = in_order(array)
                if any(x >= y for x, y in zip(ordered, ordered[1:])):
                    raise Reject("names are not in Eytzinger order")
            if len(set(guids)) != len(guids):
                raise Reject("duplicate name of an array")
        self.names = [guid_name(guid) for guid in guids]

    def read_functions(self, starts, section, is_flat):
        if section and not (starts and starts[0][1] == 0):
            raise Reject("functions are not in the order of offsets")
        for (name, start), end in zip(starts, [start for _, start in starts[1:]] + [len(section)]):
            c = Cursor(section[start:end])
            head, body = c.uvarint(), self.instance(c, 1)
            c.end()
            if body[0] != name or name in self.functions:
                raise Reject("function differs from that of the table for this offset, or occurs twice")
            if self.has_guids and is_flat == bool(body[2]):
                raise Reject("section of a function does not match its callsites")
            self.functions[name] = head, 0, body

    def name(self, c):
        i = c.uvarint()
        if i >= len(self.names):
            raise Reject("name index is out of range")
        return self.names[i]

    def place(self, c):
        place = c.uvarint(32), c.uvarint(32)
        if place[0] > 65535:
            raise Reject("line is above 65535")
        return place

    def instance(self, c, depth):
        if depth > 256:
            raise Reject("instances are nested more than 256 deep")
        name, _, records, callsites = self.name(c), c.uvarint(), {}, {}
        for _ in range(c.uvarint()):
            place, count, n = self.place(c), c.uvarint(), c.uvarint()
            targets = [(self.name(c), c.uvarint()) for _ in range(n)]
            if len(dict(targets)) != n or records and place <= max(records):
                raise Reject("record has a target twice, or records are not in order")
            records[place] = count, dict(targets)
        for _ in range(c.uvarint()):
            place, callee = self.place(c), self.instance(c, depth + 1)
            key = place + (callee[0],)
            # The callees of one place are in the order of names, which are not there when there are GUIDs.
            if callsites and (place < last[:2] if self.has_guids else key <= last) or key in callsites:
                raise Reject("callsites are not in order")
            last = key
            callsites[key] = callee
        return name, records, callsites


# ---- text form --------------------------------------------------------------------------------


def read_text(text):
    functions, files, timestamp, stack = {}, {}, 0, []
    for line in text.split(b"\n"):
        if line.startswith(b"#@ timestamp "):
            timestamp = int(line[13:])
        elif line.startswith(b"#@ file "):
            name, _, path = line[8:].partition(b"\t")
            files[name] = path
        elif line.strip() and not line.strip().startswith(b"#"):
            depth = len(line) - len(line.lstrip(b" "))
            line = line.lstrip(b" ")
            del stack[depth:]
            if depth == 0:
                name, _, head = line.rsplit(b":", 2)
                stack.append((name, {}, {}))
                functions[name] = int(head), timestamp, stack[0]
                timestamp = 0
                continue
            place, _, rest = line.partition(b": ")
            place = tuple(int(n) for n in (place.split(b".") + [b"0"])[:2])
            if rest.split(b" ")[0].isdigit():
                count, targets = int(rest.split(b" ")[0]), {}
                rest = rest.partition(b" ")[2]
                while rest:
                    at = rest.index(b":")
                    while True:
                        value = rest[at + 1:].partition(b" ")[0]
                        if value.isdigit():
                            break
                        at = rest.index(b":", at + 1)
                    targets[rest[:at]] = int(value)
                    rest = rest[at + 2 + len(value):]
                stack[-1][1][place] = count, targets
            else:
                name = rest.rsplit(b":", 1)[0]
                callee = name, {}, {}
                stack[-1][2][place + (name,)] = callee
                stack.append(callee)
    return functions, files


READERS = {"shared-trees": SharedTrees, "v4-text": Version4Text}
READERS |= dict.fromkeys(("v4", "v4-compact", "v4-one-table", "v4-compact-one-table"), Version4)
READERS |= dict.fromkeys(("gcov-v2", "gcov-v3", "gcov-v407"), Gcov)
READERS |= dict.fromkeys(("extbinary", "extbinary-zlib", "extbinary-md5-split", "extbinary-eytzinger"), Extbinary)


def reader(name):
    def read(data):
        trees = READERS[name](data)
        check_model(trees.functions, trees.files)
        return trees.functions, trees.files

    return read


def reduce(codec, model):
    if codec.startswith("extbinary") or codec in ("gcov-v2", "gcov-v407"):  # no files, no timestamps
        model = {name: (head, 0, body) for name, (head, _, body) in model[0].items()}, {}
    if codec in ("extbinary-md5-split", "extbinary-eytzinger"):  # no names
        model = {guid_name(guid_of(name)): (head, 0, rename(body)) for name, (head, _, body) in model[0].items()}, {}
    return model


if __name__ == "__main__":
    sys.exit(run({name: reader(name) for name in READERS}, read_text, reduce))
