"""A second reader of LPRF, written from README.md, docs/primitives.md and harness/coding/grammar.md.

It shares nothing with the C code, and reads payloads of all encodings but the optional ones:

    python3 codecs/lprf/second_reader.py (CODEC PAYLOAD TEXT)...

`-` instead of TEXT says that the payload must be rejected.
"""

import hashlib
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../harness/coding"))
from coding_reader import Cursor, Grammar, LsbBits, Reject, run
from xxh3 import M64, xxh3

M32 = (1 << 32) - 1


def require(condition, rule):
    if not condition:
        raise Reject(rule)


def number(data, at, n):
    require(0 <= at <= len(data) - n, "truncated")
    return int.from_bytes(data[at : at + n], "little")


class File:
    """The header and the counter section. Subclasses read an index: `names` yields (name, [offset of a record])."""

    NUMBER = None
    free_order = False  # records in any order, shared by names
    gaps = None  # the end of a slot's records to the end of the slot

    def __init__(self, data, coding):
        self.data = data
        require(len(data) >= 24, "file ends in the header")
        require(data[:4] == b"LPRF", "magic number is not LPRF")
        version = 1 + self.NUMBER + 256 * ("u64", "varint", "packed").index(coding)
        require(number(data, 4, 4) == version, "version is not this codec's")
        self.end, self.maximum = number(data, 8, 8), number(data, 16, 8)
        require(24 <= self.end <= len(data), "index ends inside the header or past the file's end")
        self.coding, self.pairs, self.first_record = coding, [], self.end
        if coding == "packed":
            m = number(data, self.end, 4)
            require(4 + 9 * m <= len(data) - self.end, "hash table runs past the file's end")
            hashes = [number(data, self.end + 4 + 8 * i, 8) for i in range(m)]
            self.first_record += 4 + 9 * m
            self.pairs = list(zip(hashes, data[self.first_record - m : self.first_record]))
        self.functions = []

    # ---- records ---------------------------------------------------------------------------------

    def record(self, at):
        """(hash, counters, pair), end"""
        require(self.first_record <= at < len(self.data), "record lies past the file's end")
        c = Cursor(self.data)
        c.off = at
        if self.coding == "u64":
            hash_, n = c.le(8), c.le(8)
            require(0 < n <= len(self.data) // 8, "counters run past the file's end")
            return (hash_, [c.le(8) for _ in range(n)], None), c.off
        if self.coding == "varint":
            hash_, n = c.le(8), c.uvarint()
            require(0 < n <= len(self.data), "counters run past the file's end")
            return (hash_, [c.uvarint() for _ in range(n)], None), c.off
        pair = c.uvarint()
        require(pair < len(self.pairs), "record's entry of the hash table is out of range")
        hash_, n = self.pairs[pair]
        if n == 0:
            n = c.uvarint()
            require(n > 255, "number of counters is stored in the record, but fits the hash table")
        if n == 1:
            return (hash_, [c.uvarint()], pair), c.off
        require((n + 7) // 8 <= len(self.data), "bitmap runs past the file's end")
        bitmap = int.from_bytes(c.take((n + 7) // 8), "little")
        require(bitmap >> n == 0, "bitmap has bits beyond its counters")
        counters = [c.uvarint() if bitmap >> j & 1 else 0 for j in range(n)]
        require(all(v or not bitmap >> j & 1 for j, v in enumerate(counters)), "counter is 0, but its bit in the bitmap is 1")
        return (hash_, counters, pair), c.off

    def check(self, names):
        """names: (name, [offsets]) in the order of the index. Sets `functions`: (name, hash, counters) in file order."""
        found, extents, used = [], {}, Counter()
        for name, offsets in names:
            require(name, "function without a name")
            for at in offsets:
                (hash_, counters, pair), end = self.record(at)
                extents[at] = end
                found.append((at, name, hash_, counters))
                used[pair] += 1
        at = self.first_record
        for start in sorted(extents):
            require(start == at or self.gaps and at <= start <= self.gaps.get(at, at), "records overlap or leave a gap")
            require(not any(self.data[at:start]), "a gap between records holds bytes")
            at = extents[start]
        require(at == len(self.data), "bytes after the last record")
        require(self.free_order or len(extents) == len(found), "records overlap or leave a gap")
        require(self.maximum == max((c[0] for _, _, _, c in found), default=0), "maximum is not that of the functions")
        if self.coding == "packed":
            require(len(set(self.pairs)) == len(self.pairs), "entry of the hash table occurs twice")
            order = [(-used[i], *pair) for i, pair in enumerate(self.pairs)]
            require(all(used[i] for i in range(len(self.pairs))), "entry of the hash table has no record")
            require(order == sorted(order), "entries of the hash table are not in order")
        if not self.free_order and not self.gaps:
            found.sort(key=lambda f: f[0])
        self.functions = [f[1:] for f in found]
        keys = {f[:2] for f in self.functions}
        require(len(keys) == len(self.functions), "two functions have the same name and hash")

    # ---- places ----------------------------------------------------------------------------------

    def places(self, c, width):
        result = []
        while True:
            place = c.le(width)
            result.append(self.first_record + (place >> 1))
            require(len(result) < 2 or result[-2] < result[-1], "records of a name do not ascend")
            if place % 2 == 0:
                return result

    def check_width(self, width, names):
        require(1 <= width <= 8, "width of places is not 1 to 8")
        last = max((at for _, offsets in names for at in offsets), default=None)
        least = 1 if last is None else ((2 * (last - self.first_record) + 1).bit_length() + 7) // 8
        require(width == least, "width of places is not the least")

    def index(self, at):
        """A cursor that ends where the index does."""
        c = Cursor(self.data[: self.end])
        require(at <= self.end, "index ends inside its header")
        c.off = at
        return c


class List(File):
    NUMBER, free_order = 0, True

    def read(self):
        c, names = self.index(24), []
        while c.off < self.end:
            names.append((c.take(c.le(4)), [c.le(8)]))
        return names


def chained_buckets(n):
    return 1 if n <= 2 else 1 << (4 * n // 3).bit_length()


class HashChained(File):
    NUMBER = 1

    def read(self):
        c = self.index(24)
        require(self.end >= 56, "index ends inside its header")
        require(c.le(8) == 1, "hash is of an unknown kind")
        table = c.le(8)
        require(40 <= table <= self.end - 16 and table % 8 == 0, "table lies outside the index")
        n_buckets, n_names = number(self.data, table, 8), number(self.data, table + 8, 8)
        require(n_buckets == chained_buckets(n_names), "number of buckets does not suit that of names")
        require(table + 16 + 8 * n_buckets == self.end, "buckets do not end where the index does")
        items, names = Cursor(self.data[:table]), []
        items.off = 40
        for b in range(n_buckets):
            start, before = number(self.data, table + 16 + 8 * b, 8), None
            if start == 0:
                continue
            require(start == items.off, "items of a bucket do not start where the bucket before ends")
            n = items.le(2)
            require(n, "bucket is empty")
            for _ in range(n):
                h, n_name, n_data = items.le(8), items.le(8), items.le(8)
                require(n_data and n_data % 8 == 0, "data is empty or not a multiple of 8 bytes")
                name = items.take(n_name)
                offsets = [items.le(8) for _ in range(n_data // 8)]
                require(offsets == sorted(set(offsets)), "records of a name do not ascend")
                require(h == xxh3(name), "hash is not the name's")
                require(h % n_buckets == b, "item is in the wrong bucket")
                require(before is None or before < (h, name), "items of a bucket do not ascend")
                before = h, name
                names.append((name, offsets))
        require(len(names) == n_names, "number of names differs from the announced one")
        require(table - items.off < 8 and not any(self.data[items.off : table]), "bytes after the last item, or padding")
        return names


class HashChainedLean(File):
    NUMBER = 2

    def read(self):
        c = self.index(24)
        require(c.u8() == 1, "hash is of an unknown kind")
        width = c.u8()
        require(c.le(2) == 0, "padding is not 0")
        n_names = c.le(4)
        n_buckets = n_names // 2 + 1
        require(1 <= width <= 8, "width of places is not 1 to 8")
        require(4 * (n_buckets + 1) <= self.end - c.off, "buckets run past the index's end")
        starts = [c.le(4) for _ in range(n_buckets + 1)]
        first, names, before = c.off, [], None
        require(starts[0] == 0 and first + starts[-1] == self.end, "bytes after the last item")
        for b in range(n_buckets):
            require(c.off == first + starts[b] and starts[b] <= starts[b + 1], "items of this bucket do not follow")
            bucket = Cursor(self.data[: first + starts[b + 1]])
            bucket.off = c.off
            while bucket.off < first + starts[b + 1]:
                tag, size = bucket.u8(), bucket.uvarint()
                offsets = self.places(bucket, width)
                name = bucket.take(size)
                h = xxh3(name)
                require(tag == h & 255, "tag is not that of the name's hash")
                require((h >> 32) * n_buckets >> 32 == b, "item is in the wrong bucket")
                require(before is None or before < (h, name), "items are not in order of hash and name")
                before = h, name
                names.append((name, offsets))
            c.off = bucket.off
        require(len(names) == n_names, "number of names differs from the announced one")
        self.check_width(width, names)
        return names


class HashOpen(File):
    NUMBER = 3

    def read(self):
        c = self.index(24)
        require(c.u8() == 1, "hash is of an unknown kind")
        width = c.u8()
        require(c.le(2) == 0, "padding is not 0")
        n_names, n_slots = c.le(4), c.le(8)
        homes = n_names + n_names // 4 + 1
        require(1 <= width <= 8, "width of places is not 1 to 8")
        require(homes <= n_slots <= homes + n_names, "number of slots does not suit that of names")
        require(8 * n_slots <= self.end - c.off, "slots run past the index's end")
        slots = [(c.le(4), c.le(4)) for _ in range(n_slots)]
        first, entries = c.off, {}
        while c.off < self.end:
            start, size = c.off - first, c.uvarint()
            offsets = self.places(c, width)
            entries[start] = c.take(size), offsets
        names = list(entries.values())
        require(len(names) == n_names, "number of names differs from the announced one")
        require(all(name for name, _ in names), "function without a name")
        firsts = [offsets[0] for _, offsets in names]
        require(firsts == sorted(firsts), "names are not in file order")
        seen, before, least = set(), None, 0
        for s, (fingerprint, start) in enumerate(slots):
            if start == 0:
                require(fingerprint == 0, "free slot has a fingerprint")
                continue
            require(start - 1 in entries and start not in seen, "slot points past the index's end")
            seen.add(start)
            name = entries[start - 1][0]
            require(xxh3(name) >> 32 == fingerprint, "no slot that a lookup tries points to this name")
            require(before is None or before < (fingerprint, name), "fingerprints do not ascend")
            require(s == max(fingerprint * homes >> 32, least), "name is not in the first slot that it may take")
            before, least = (fingerprint, name), s + 1
        require(len(seen) == n_names, "no slot that a lookup tries points to this name")
        require(n_slots == max(homes, least), "more slots than the names need")
        self.check_width(width, names)
        return names


def djb(name):
    h = 5381
    for byte in name:
        h = 33 * h + byte & M32
    return h


class Accel(File):
    NUMBER = 4

    def read(self):
        c = self.index(24)
        size = c.le(4)
        require(32 <= size <= self.end - 28, "strings start outside the index")
        t = Cursor(self.data[: 28 + size])
        t.off = 28
        require((t.le(4), t.le(2), t.le(2)) == (0x48415348, 1, 0), "table is of an unsupported kind")
        n_buckets, n_hashes = t.le(4), t.le(4)
        require((t.le(4), t.le(4), t.le(4), t.le(2), t.le(2)) == (12, 0, 1, 1, 6), "table is not of the kind")
        divided = n_hashes // 4 if n_hashes > 1024 else n_hashes // 2 if n_hashes > 16 else n_hashes
        require(n_buckets == max(1, divided), "number of buckets does not suit that of hashes")
        require(4 * n_buckets + 8 * n_hashes <= 28 + size - t.off, "hashes run past the table's end")
        buckets = [t.le(4) for _ in range(n_buckets)]
        hashes = [t.le(4) for _ in range(n_hashes)]
        starts = [t.le(4) for _ in range(n_hashes)]
        order = [(h % n_buckets, h) for h in hashes]
        require(order == sorted(set(order)), "hashes of a bucket do not ascend")
        firsts = {}
        for i, (b, _) in enumerate(order):
            firsts.setdefault(b, i)
        require(buckets == [firsts.get(b, M32) for b in range(n_buckets)], "hashes of this bucket do not follow")
        strings = Cursor(self.data[: self.end])
        strings.off = 28 + size
        require(strings.u8() == 0, "string section does not start with 0")
        names = []
        for h, start in zip(hashes, starts):
            require(28 + start == t.off, "names of a hash do not start where the hash before ends")
            before = None
            while True:
                string = t.le(4)
                if string == 0:
                    break
                n = t.le(4)
                require(0 < n <= size, "name without a record")
                offsets = [self.first_record + t.le(4) for _ in range(n)]
                require(offsets == sorted(set(offsets)), "records of a name do not ascend")
                require(28 + size + string == strings.off, "string does not start where the one before ends")
                name = strings.text()
                require(djb(name) == h, "hash is not the name's")
                require(before is None or before < name, "names of a hash do not ascend")
                before = name
                names.append((name, offsets))
            require(before is not None, "hash without a name")
        t.end()
        strings.end()
        return names


class Trie(File):
    NUMBER = 5

    def read(self):
        c = self.index(24)
        head = c.u8()
        if head == 0:
            c.end()
            return []
        width, names = head & 15, []
        require(1 <= width <= 8 and head < 32, "width of places is not 1 to 8")
        require(c.off < self.end, "index ends inside its root")
        self.node(25, self.end, head >> 4, b"", width, names)
        self.check_width(width, names)
        return names

    def node(self, at, end, leaf, prefix, width, names):
        todo = [(at, end, leaf, prefix)]  # a stack, as tries may be deep
        while todo:
            at, end, leaf, prefix = todo.pop()
            c = Cursor(self.data[:end])
            c.off = at
            if leaf:
                offsets = self.places(c, width)
                names.append((prefix + self.data[c.off : end], offsets))
                continue
            require(end - at >= 3, "child is too short or runs past its node's end")
            first = c.u8()
            size = first >> 3
            if size == 31:
                size += c.uvarint()
            second = c.u8()
            n, leaves = (second & 7) + 1, second >> 3
            if second & 7 > 4:
                require(second == 7, "number of children is out of range")
                n = c.u8() + 1
                require(n >= 6, "number of children is out of range")
                leaves = int.from_bytes(c.take((n + 7) // 8), "little")
            require(leaves >> n == 0, "leaf bits after the last child are not 0")
            label = c.take(size)
            bytes_ = c.take(n)
            require(all(a < b for a, b in zip(bytes_, bytes_[1:])), "children do not ascend")
            end_width = (first >> 1 & 3) + 1
            ends = [c.le(end_width) for _ in range(n - 1)]
            least = max(1, (ends[-1].bit_length() + 7) // 8) if ends else 1
            require(end_width == least, "width of the ends is not the least")
            require(n > 1 or first & 1, "node with one child ends no name")
            if first & 1:
                names.append((prefix + label, self.places(c, width)))
            bounds = [c.off] + [c.off + e for e in ends] + [end]
            require(all(a < b for a, b in zip(bounds, bounds[1:])), "child is too short or runs past its node's end")
            for i in reversed(range(n)):
                todo.append((bounds[i], bounds[i + 1], leaves >> i & 1, prefix + label + bytes_[i : i + 1]))


class FrontCoded(File):
    NUMBER = 6

    def read(self):
        c = self.index(24)
        width = c.u8()
        require(c.u8() == 16, "blocks are not of 16 names")
        require(c.le(2) == 0, "padding is not 0")
        n_names = c.le(4)
        n_blocks = (n_names + 15) // 16
        require(1 <= width <= 8, "width of places is not 1 to 8")
        require(4 * n_blocks <= self.end - c.off, "blocks run past the index's end")
        starts = [c.le(4) for _ in range(n_blocks)]
        first, names, before = c.off, [], None
        bounds = [first + s for s in starts] + [self.end]
        for b in range(n_blocks):
            require(c.off == bounds[b], "block does not start where the one before ends")
            block = Cursor(self.data[: bounds[b + 1]])
            block.off = c.off
            for i in range(min(16, n_names - 16 * b)):
                shared, size = block.uvarint() if i else 0, block.uvarint()
                require(size, "name is empty or equals the one before")
                require(shared <= len(before or b""), "prefix is longer than the name before")
                rest = block.take(size)
                name = before[:shared] + rest if i else rest
                require(before is None or before < name, "names do not ascend")
                require(not i or before[shared : shared + 1] != rest[:1], "names do not ascend")
                names.append((name, self.places(block, width)))
                before = name
            block.end()
            c.off = block.off
        c.end()
        self.check_width(width, names)
        return names


# ---- slots ---------------------------------------------------------------------------------------


class Slots(File):
    GROUP_EXTRA = 0

    def head(self):
        c = self.index(24)
        n_head = [c.le(4) for _ in range(6)]
        self.n_functions, self.n_names, self.n_slots, self.n_buckets, self.seed, self.n_codes = n_head
        require(self.n_names <= self.n_functions, "more names than functions")
        require(self.n_names < self.n_slots, "number of slots is not above that of names")
        require(self.n_buckets, "number of buckets is 0")
        require(2 * self.n_buckets + self.n_slots <= self.end, "a part of the index runs past its end")
        return c

    def pilots(self, c):
        self.pilot = [c.le(2) for _ in range(self.n_buckets)]

    def hash_of(self, name):
        """slot, low half, place"""
        h = xxh3(name, self.seed)
        low, high = h & M32, h >> 32
        pilot = self.pilot[low * self.n_buckets >> 32]
        place = (high ^ pilot * 0x9E3779B1 & M32) * 0x85EBCA6B & M32
        return place * self.n_slots >> 32, low, place

    def groups(self, c):
        """Sets `slots`: offset of the records, end, and `extra`: the rest of each group."""
        self.slots, self.extra, at = [], [], self.first_record
        for g in range((self.n_slots + 31) // 32):
            start, shift = c.le(4), c.u8()
            require(shift <= 31 and self.first_record + start == at, "cells do not follow each other")
            sizes = c.take(32)
            n = min(32, self.n_slots - 32 * g)
            require(not any(sizes[n:]), "padding is not 0")
            for size in sizes[:n]:
                self.slots.append((at, at + (size << shift), shift))
                at += size << shift
            self.extra.append(c.take(self.GROUP_EXTRA))
        require(at >= len(self.data) and at - len(self.data) < 1 << max((s[2] for s in self.slots), default=0),
                "cells do not end where the file does")

    def repeats(self, c):
        n = self.n_functions - self.n_names
        require(8 * n <= self.end - c.off, "a part of the index runs past its end")
        self.more, last = {}, (-1, -1)
        for _ in range(n):
            slot, at = c.le(4), c.le(4)
            require((slot, at) > last, "repeats are not in the order of the slots")
            require(slot < self.n_slots, "record lies outside its slot")
            start, end, _ = self.slots[slot]
            require(start < self.first_record + at < end, "record lies outside its slot")
            self.more.setdefault(slot, []).append(self.first_record + at)
            last = slot, at

    def records(self, slot):
        start, end, _ = self.slots[slot]
        return [start] + self.more.get(slot, []) if end > start else []

    def check_slots(self, used):
        """used: slots that names have."""
        for s, (start, end, shift) in enumerate(self.slots):
            require((s in used) == (end > start), "size that is 0 for a name, or not for a free slot")
        self.gaps = {}  # what a slot's size rounds up
        for s, (_, end, shift) in enumerate(self.slots):
            if self.records(s):
                _, last = self.record(self.records(s)[-1])
                require(end - (1 << shift) < last <= end, "records overlap or leave a gap")
                self.gaps[last] = end
        if not self.gaps:
            self.gaps = {self.first_record: self.first_record}
        require(self.slots[-1][1] == self.first_record or max(self.gaps) == len(self.data), "bytes after the last record")


def read_codes(grammar, codes):
    require(all(code < len(grammar.codes) for code in codes), "name has an invalid code")
    name = b"".join(grammar.phrase(code) for code in codes)
    require(len(name) <= 524288, "name expands to more than 512 KiB")
    return name


def start_grammar(c, data):
    grammar = Grammar(c, len(data))
    require(len(grammar.codes) <= 1 << 24, "phrases have more than 2^24 codes")
    return grammar


def zeros(c, n):
    require(not any(c.take(n)), "padding is not 0")


class Phrases(Slots):
    NUMBER, GROUP_EXTRA = 7, 20

    def read(self):
        c = self.head()
        alphabetical = c.u8()
        require(alphabetical <= 1, "order is neither 0 nor 1")
        grammar = start_grammar(c, self.data)
        self.pilots(c)
        self.groups(c)
        require(self.n_codes * grammar.width <= 8 * (self.end - c.off), "a part of the index runs past its end")
        bits = LsbBits(c)
        codes = [bits.bits(grammar.width) for _ in range(self.n_codes)]
        bits.end()
        zeros(c, 8)
        self.repeats(c)
        positions = None
        if not alphabetical:
            bits = LsbBits(c)
            positions = [bits.bits((self.n_functions - 1).bit_length() if self.n_functions else 0)
                         for _ in range(self.n_functions)]
            bits.end()
            zeros(c, 8)
        c.end()
        so_far, by_slot = 0, {}
        for g, extra in enumerate(self.extra):
            require(number(extra, 0, 4) == so_far, "codes do not start where the slot before ends")
            for i in range(32):
                n, slot = extra[4 + i // 2] >> i % 2 * 4 & 15, 32 * g + i
                if n:
                    require(slot < self.n_slots, "padding is not 0")
                    name = read_codes(grammar, codes[so_far : so_far + n])
                    require(so_far + n <= self.n_codes, "codes do not start where the slot before ends")
                    require(self.hash_of(name)[0] == slot, "name belongs to another slot")
                    by_slot[slot] = name
                so_far += n
        require(so_far == self.n_codes, "codes of a name that the head does not announce")
        grammar.expect_all_used()
        self.check_slots(by_slot)
        names = [(by_slot[slot], self.records(slot)) for slot in sorted(by_slot)]
        total = sum(len(offsets) for _, offsets in names)
        require(total == self.n_functions and len(names) == self.n_names, "slots do not hold all functions")
        return names, positions

    def check(self, read):
        names, positions = read
        super().check(names)
        in_slots = self.functions
        if positions is None:
            self.functions = sorted(in_slots, key=lambda f: f[0])
            return
        require(sorted(positions) == list(range(len(in_slots))), "function order is not a permutation")
        order = sorted(range(len(in_slots)), key=lambda i: positions[i])
        self.functions = [in_slots[i] for i in order]
        last = {}
        for i, f in enumerate(in_slots):
            require(last.get(f[0], -1) < positions[i], "functions of a name do not ascend")
            last[f[0]] = positions[i]
        by_name = sorted(self.functions, key=lambda f: f[0])
        require(self.functions != by_name, "functions are in alphabetical order, but a permutation is stored")


class Fingerprints(Slots):
    NUMBER = 8

    def read(self):
        c = self.head()
        self.pilots(c)
        n_bits = 64 - (self.n_slots.bit_length() - 1)
        n_bits = 64 if n_bits > 57 else n_bits
        bits = LsbBits(c)
        fingerprints = [bits.bits(n_bits) for _ in range(self.n_slots)]
        bits.end()
        zeros(c, 8)
        self.groups(c)
        self.repeats(c)
        grammar = start_grammar(c, self.data)
        bits, before, used, n_codes = LsbBits(c), [], Counter(), 0
        order = []
        for _ in range(self.n_functions):
            shared = bits.bits(2)
            require(shared <= len(before), "prefix is longer than the name before")
            codes = before[:shared] + [bits.bits(grammar.width) for _ in range(self.ones(bits))]
            require(len(codes) > 0, "name without a code")
            require(len(codes) <= 15, "name has too many codes")
            possible = 0
            while possible < min(3, len(codes), len(before)) and codes[possible] == before[possible]:
                possible += 1
            require(shared == possible, "name shares more codes than announced")
            name = read_codes(grammar, codes)
            slot, low, place = self.hash_of(name)
            fingerprint = (low << (n_bits - 32) | place % (1 << (n_bits - 32))) & M64
            records = self.records(slot)
            require(fingerprints[slot] == fingerprint and used[slot] < len(records), "name has no slot")
            order.append((name, [records[used[slot]]]))
            used[slot] += 1
            n_codes += len(codes)
            before = codes
        bits.end()
        c.end()
        require(n_codes == self.n_codes, "names have another number of codes than announced")
        grammar.expect_all_used()
        require(len({name for name, _ in order}) == self.n_names, "slots do not hold all functions")
        for slot, fingerprint in enumerate(fingerprints):
            require(slot in used or fingerprint == 0, "free slot has a fingerprint")
            require(used[slot] == len(self.records(slot)), "slot without a name")
        self.check_slots(used)
        return order

    @staticmethod
    def ones(bits):
        n = bits.ones()
        require(n <= 15, "name has too many codes")
        return n


# ---- profdata ------------------------------------------------------------------------------------


def md5(name):
    return int.from_bytes(hashlib.md5(name).digest()[:8], "little")


def order_of_items(names):
    """Names by bucket, as LLVM's writer leaves them."""
    def rehash(old, n):
        new = [[] for _ in range(n)]
        for bucket in old:
            for h, name in bucket:
                new[h % n].insert(0, (h, name))
        return new

    buckets = [[] for _ in range(64)]
    for k, name in enumerate(sorted(names), 1):
        if 4 * k >= 3 * len(buckets):
            buckets = rehash(buckets, 2 * len(buckets))
        h = md5(name)
        buckets[h % len(buckets)].insert(0, (h, name))
    n = chained_buckets(len(names))
    return rehash(buckets, n) if n != len(buckets) else buckets


def order_of_records(hashes):
    def place(slots, h):
        m = h * 0xBF58476D1CE4E5B9 & M64
        slot, step = (m ^ m >> 31) % len(slots), 1
        while slots[slot] is not None:
            slot, step = (slot + step) % len(slots), step + 1
        slots[slot] = h

    slots = [None] * 4
    for k, h in enumerate(sorted(hashes), 1):
        if 4 * k >= 3 * len(slots):
            old, slots = slots, [None] * (64 if len(slots) == 4 else 2 * len(slots))
            for other in old:
                if other is not None:
                    place(slots, other)
        place(slots, h)
    return [h for h in slots if h is not None]


def summary(functions):
    kept = [c for _, h, c in functions if not h >> 60 & 1 and c[0] < M64 - 1]
    counts = sorted((v for c in kept for v in c), reverse=True)
    total = sum(counts) & M64
    words = [6, 16, len(kept), len(counts), max((c[0] for c in kept), default=0), max(counts, default=0),
             max((v for c in kept for v in c[1:]), default=0), total]
    i = count = so_far = 0
    for cutoff in [10000, *range(100000, 1000000, 100000), 950000, 990000, 999000, 999900, 999990, 999999]:
        while so_far < total * cutoff // 1000000:
            require(i < len(counts), "byte differs from what LLVM writes for these functions")
            count = counts[i]
            while i < len(counts) and counts[i] == count:
                so_far, i = so_far + count & M64, i + 1
        words += [cutoff, count, i]
    return words


class Profdata:
    def __init__(self, data, _):
        self.data = data

    def read(self):
        c = Cursor(self.data)
        require(len(self.data) >= 552, "file ends in the header")
        require(c.take(8) == bytes.fromhex("ff6c70726f666981"), "magic number is not that of an indexed profile")
        require(c.le(8) == 13, "not version 13 of a front end's profile")
        c.le(8)
        require(c.le(8) == 0, "hash is of an unknown kind")
        table = c.le(8)
        require(520 <= table <= len(self.data) - 32 and table % 8 == 0, "table lies outside the index")
        n_buckets, n_names = number(self.data, table, 8), number(self.data, table + 8, 8)
        require(n_buckets == chained_buckets(n_names), "number of buckets does not suit that of names")
        require(table + 32 + 8 * n_buckets == len(self.data), "buckets do not end where the index does")
        items, functions = Cursor(self.data[:table]), []
        items.off = 520
        for b in range(n_buckets):
            start = number(self.data, table + 16 + 8 * b, 8)
            if start == 0:
                continue
            require(start == items.off, "items of a bucket do not start where the bucket before ends")
            n = items.le(2)
            require(n, "bucket is empty")
            for _ in range(n):
                items.le(8)
                n_name, n_data = items.le(8), items.le(8)
                name = items.take(n_name)
                require(name, "function without a name")
                data = Cursor(items.take(n_data))
                while data.off < n_data:
                    hash_, n_counters = data.le(8), data.le(8)
                    require(0 < n_counters <= n_data // 8, "function without a counter")
                    counters = [data.le(8) for _ in range(n_counters)]
                    require(data.le(8) == 0, "MC/DC bitmaps are not supported")
                    require((data.le(4), data.le(4)) == (8, 0), "value profiles are not supported")
                    functions.append((name, hash_, counters))
        self.functions = sorted(functions)
        require(len({f[:2] for f in functions}) == len(functions), "two functions have the same name and hash")
        require(all(h < M64 - 1 for _, h, _ in functions), "hash is 2^64 - 1 or 2^64 - 2, which LLVM's tables reserve")
        self.check_summary()
        require(self.encode() == self.data, "byte differs from what LLVM writes for these functions")
        return None

    def check_summary(self):
        kept = [c[0] for _, h, c in self.functions if not h >> 60 & 1 and c[0] < M64 - 1]
        require(max(kept, default=0) == max((c[0] for _, _, c in self.functions), default=0),
                "maximum count belongs to a function that LLVM's summary leaves out")

    def encode(self):
        records = {}
        for name, hash_, counters in self.functions:
            records.setdefault(name, {})[hash_] = counters
        items, starts = bytearray(), []
        buckets = order_of_items(records)
        for bucket in buckets:
            starts.append(520 + len(items) if bucket else 0)
            if bucket:
                items += len(bucket).to_bytes(2, "little")
            for h, name in bucket:
                words = []
                for hash_ in order_of_records(records[name]):
                    words += [hash_, len(records[name][hash_]), *records[name][hash_], 0, 8]
                items += words_of([h, len(name), 8 * len(words)]) + name + words_of(words)
        items += bytes(-(520 + len(items)) % 8)
        table = 520 + len(items)
        end = table + 16 + 8 * len(buckets)
        head = self.data[:8] + words_of([13, 0, 0, table, 0, end, 0, end + 8, *summary(self.functions)])
        return head + items + words_of([len(buckets), len(records), *starts, 0, 0])

    def check(self, _):
        pass


def words_of(words):
    return b"".join(w.to_bytes(8, "little") for w in words)


# ---- text form -----------------------------------------------------------------------------------


def unquote(name):
    if not name.startswith(b'"'):
        return name
    parts, name = bytearray(), name[1:-1]
    while name:
        if name.startswith(b"\\x"):
            parts.append(int(name[2:4], 16))
            name = name[4:]
        else:
            name = name[1:] if name.startswith(b"\\") else name
            parts.append(name[0])
            name = name[1:]
    return bytes(parts)


def read_text(text):
    lines = [line for line in text.split(b"\n") if line and not line.startswith(b"#") and line != b":fe"]
    functions, i = [], 0
    while i < len(lines):
        n = int(lines[i + 2])
        functions.append((unquote(lines[i]), int(lines[i + 1]), [int(v) for v in lines[i + 3 : i + 3 + n]]))
        i += 3 + n
    return functions


INDEXES = {
    "list": List, "hash-chained": HashChained, "hash-chained-lean": HashChainedLean, "hash-open": HashOpen,
    "accel": Accel, "trie": Trie, "front-coded": FrontCoded, "phrases": Phrases, "fingerprints": Fingerprints,
}


def reader(index, coding):
    def read(data):
        file = index(data, coding)
        file.check(file.read())
        return file.functions

    return read


READERS = {f"{name}+{coding}": reader(index, coding) for name, index in INDEXES.items()
           for coding in ("u64", "varint", "packed")}
READERS["profdata"] = reader(Profdata, None)

if __name__ == "__main__":
    sys.exit(run(READERS, read_text))
