"""A second reader of PC tables, written from README.md and docs/primitives.md.

It shares nothing with the C code. It reads the payloads that `bakeoff encode --raw` writes in any encoding of pcdata,
checks every rule of the lists "MUST be rejected", and compares the tables with a text form:

    python3 codecs/pcdata/second_reader.py (CODEC PAYLOAD TEXT)...

`-` instead of TEXT says that the payload must be rejected.
"""

import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../harness/coding"))
from coding_reader import Reject, run


def require(condition, rule):
    if not condition:
        raise Reject(rule)


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def bits_of(x):
    return x.bit_length()


class Bits:
    """Bits of bytes, the least significant bit first; zeros follow the last byte."""

    def __init__(self, data):
        self.data = data

    def at(self, position, n):
        first = position // 8
        number = int.from_bytes(self.data[first : (position + n + 7) // 8], "little")
        return number >> position - 8 * first & (1 << n) - 1


def check_runs(runs, length, ascend, change):
    for before, after in zip(runs, runs[1:]):
        require(before[0] < after[0], ascend)
        require(before[1] != after[1], change)
    require(runs[-1][0] < length, ascend)


# ---- varint-delta ----------------------------------------------------------------------------------------------------


def read_varint(area, at):
    value = shift = 0
    while True:
        require(at < len(area), "varint runs past the end")
        byte = area[at]
        at += 1
        group = byte & 127
        require(shift < 32 and value + (group << shift) < 1 << 32, "varint overflows its type")
        value += group << shift
        if byte < 128:
            require(byte or not shift, "varint is not in its shortest form")
            return value, at
        shift += 7


def unzigzag(u):
    return -(u >> 1) - 1 if u & 1 else u >> 1


class VarintDelta:
    def __init__(self, area):
        self.area = area
        self.first = 0

    def read(self, at, length):
        pc, value, runs = 0, -1, []
        while True:
            delta, at = read_varint(self.area, at)
            if delta == 0 and pc > 0:
                require(pc == length, "record ends before the text does")
                return runs, at
            quanta, at = read_varint(self.area, at)
            require(quanta > 0, "run of length 0")
            require(quanta <= length - pc, "run ends past the text's end")
            value = signed(value + unzigzag(delta))
            runs.append((pc, value))
            pc += quanta


# ---- linear-index ----------------------------------------------------------------------------------------------------


class LinearIndex:
    def __init__(self, area):
        self.area = area
        self.first = 0

    def chunk(self, at, start, length):
        area = self.area
        require(at < len(area), "chunk runs past the area's end")
        n = area[at]
        pcs = area[at + 1 : at + 1 + n]
        codes_at = at + 1 + n
        values_at = codes_at + (n + 4) // 4
        require(values_at <= len(area), "chunk runs past the area's end")
        codes = Bits(area[codes_at:values_at])
        require(codes.at(2 * (n + 1), 6) == 0, "bits after the value lengths are not 0")
        runs, bias = [], 0
        for i in range(n + 1):
            code = codes.at(2 * i, 2)
            require(code > 0, "value of length 0")
            size = (0, 1, 2, 4)[code]
            require(values_at + size <= len(area), "value runs past the area's end")
            value = int.from_bytes(area[values_at : values_at + size], "little", signed=True)
            values_at += size
            if i == 0:
                bias = value
                runs.append((start, value))
                continue
            require(pcs[i - 1] > (pcs[i - 2] if i > 1 else 0), "PCs of a chunk do not ascend")
            require(start + pcs[i - 1] < length, "PC past the text's end")
            require(signed(bias + value) != runs[-1][1], "listed PC does not change the value")
            runs.append((start + pcs[i - 1], signed(bias + value)))
        return runs, values_at

    def read(self, at, length):
        area, k = self.area, -(-length // 256)
        size, index = 0, at
        if k > 1:
            require(at < len(area), "ends inside the chunk index")
            size = {0xFE: 2, 0xFF: 4}.get(area[at], 1)
            index = at if size == 1 else at + 1
        base = end = index + (k - 1) * size
        require(base <= len(area), "chunk index is longer than the area")
        runs = []
        for c in range(k):
            entry = index + (c - 1) * size
            offset = int.from_bytes(area[entry : entry + size], "little") if c else 0
            require(base + offset <= end, "chunk offset leaves a gap")
            if base + offset < end:
                require(area[base + offset] == 0, "chunk offset repeats a chunk of many values")
                found, after = self.chunk(base + offset, 256 * c, length)
                require(after <= end, "repeated chunk ends after the chunks before it")
            else:
                found, end = self.chunk(end, 256 * c, length)
            runs += found[1:] if runs and runs[-1][1] == found[0][1] else found
        return runs, end


# ---- shape-code ------------------------------------------------------------------------------------------------------


class ShapeCode:
    def __init__(self, area):
        self.area = area
        self.bits = Bits(area)
        self.shapes = []
        self.position = 0
        bases = [self.take(32) for _ in range(self.counted(8, 16, "bases"))]
        templates = []
        for _ in range(self.counted(16, 512, "templates")):
            runs, width = self.take(5) + 1, self.take(5)
            templates.append((runs, width, [self.take(width) for _ in range(runs)][::-1]))
        for _ in range(self.counted(8, 254, "shapes")):
            self.shapes.append(self.shape(bases, templates))
        end = max(-(-self.position // 8), 32)
        require(end <= len(area), "dictionary runs past the area's end")
        require(self.bits.at(self.position, 8 * end - self.position) == 0, "bits after the dictionary are not 0")
        self.first = end

    def take(self, n):
        value = self.bits.at(self.position, n)
        self.position += n
        require(self.position <= 8 * len(self.area), "dictionary runs past the area's end")
        return value

    def counted(self, n, most, what):
        number = self.take(n)
        require(number <= most, f"dictionary has more than {most} {what}")
        return number

    def shape(self, bases, templates):
        has_template, low, bias_bytes, base, shift = (self.take(n) for n in (1, 4, 3, 4, 2))
        in_range = low <= 9 and bias_bytes <= 4 and base < len(bases)
        require(in_range, "low part, bias or base of a shape is out of range")
        if has_template:
            number = self.take(9)
            require(number < len(templates), "template of a shape is out of range")
            runs, width, template = templates[number]
        else:
            runs, width, template = self.take(5) + 1, self.take(5), None
        require((runs - 1) * low <= 256 and width + shift <= 32, "shape with too many low bits or too wide values")
        return runs, low, bias_bytes, bases[base], shift, width, template

    def start_of(self, at):
        """The first bit of a record whose directory entry is the byte `at`."""
        if self.area[at] == 255:
            return 8 * at
        require(self.area[at] < len(self.shapes), "code has no shape")
        runs, low, bias_bytes, _, _, width, template = self.shapes[self.area[at]]
        return 8 * (at - bias_bytes) - (runs - 1) * low - (0 if template else runs * width)

    def read(self, at, length):
        """The runs, and the bit after the last upper part: the terminator may be the next record's."""
        if self.area[at] == 255:
            return self.split(at, length)
        start = self.start_of(at)
        runs, low, bias_bytes, base, shift, width, template = self.shapes[self.area[at]]
        bits = self.bits
        e = 8 * (at - bias_bytes)
        v = e - (runs - 1) * low
        require(start >= 8 * 32, "fields of a record overlap the dictionary")
        bias = bits.at(e, 8 * bias_bytes)
        fields = template or [bits.at(v - (i + 1) * width, width) for i in range(runs)]
        lows = [bits.at(e - (i + 1) * low, low) for i in range(runs - 1)]
        result = [(0, signed(base + bias + (fields[0] << shift)))]
        bucket, n, at_bit = 0, 1, 8 * at + 8
        while bucket < (length - 1) >> low or bits.at(at_bit, 1):
            require(at_bit - (8 * at + 8) < 62, "upper parts do not fit the shape and the text")
            require(at_bit < 8 * len(self.area), "upper parts run past the area's end")
            if bits.at(at_bit, 1):
                require(n < runs, "upper parts do not fit the shape and the text")
                result.append((bucket << low | lows[n - 1], signed(base + bias + (fields[n] << shift))))
                n += 1
            else:
                bucket += 1
            at_bit += 1
        require(n == runs or not template, "fields of unused runs are not 0")
        require(not any(lows[n - 1 :]) and (template or not any(fields[n:])), "fields of unused runs are not 0")
        check_runs(result, length, "boundaries of a record do not ascend", "boundary does not change the value")
        return result, at_bit

    def split(self, at, length):
        area, bits = self.area, self.bits
        require(at + 5 <= len(area), "split record runs past the area's end")
        k, shift = area[at + 1] & 63, area[at + 1] >> 6
        o, m, b = area[at + 2] & 63, area[at + 2] >> 6, area[at + 3] & 63
        require(k <= 31 and o <= 32 and b <= 32, "widths of a split record do not fit")
        index = at + 5 + m
        require(index <= len(area), "split record runs past the area's end")
        least = int.from_bytes(area[at + 4 : index], "little", signed=True)
        blocks = ((length - 1) >> k) + 1
        require(blocks > 1 or o == 0, "record with one block has an index")
        require(blocks <= 2 or o > 0, "several blocks without an index")
        first = index + (-(-blocks * o // 8) if blocks > 1 else 0)
        require(first <= len(area), "index runs past the area's end")
        runs, end = [], first
        for j in range(blocks):
            offset = first + (bits.at(8 * index + j * o, o) if blocks > 1 else 0)
            require(offset <= end, "block offset leaves a gap")
            require(offset < len(area), "block starts past the area's end")
            if offset < end:
                require(bits.at(8 * offset, 6) == 0, "block offset repeats a block of many runs")
            found, after = self.block(offset, min(length - (j << k), 1 << k), k, b)
            require(offset == end or after <= end, "repeated block ends after the blocks before it")
            end = max(end, after)
            for start, field in found:
                value = signed(least + (field << shift))
                if start == 0 and runs and runs[-1][1] == value:
                    continue
                require(start == 0 or runs[-1][1] != value, "boundary does not change the value")
                runs.append(((j << k) + start, value))
        return runs, 8 * end

    def block(self, offset, quanta, k, b):
        position = 8 * offset

        def take(n):
            nonlocal position
            position += n
            require(position <= 8 * len(self.area), "block runs past the area's end")
            return self.bits.at(position - n, n)

        n, w, clustered = take(6) + 1, take(6), take(1)
        c, clusters = (take(5), take(6) + 1) if clustered else (0, 0)
        g = bits_of(clusters - 1) if clustered else 0
        require(w <= 32 and (not clustered or (c < w and c + g <= 32)), "value widths of a block do not fit")
        bias = take(b)
        low = max(0, k - bits_of(n - 1))
        uppers, zeros = [], 0
        for _ in range(n - 1 + (1 << (k - low))):
            if take(1):
                uppers.append(zeros)
                require(len(uppers) < n, "block has too many boundaries")
            else:
                zeros += 1
        require(len(uppers) == n - 1, "block has too few boundaries")
        starts = [0] + [u << low | take(low) for u in uppers]
        if clustered:
            pairs = [(take(c), take(g)) for _ in range(n)]
            require(all(x < clusters for _, x in pairs), "cluster is out of range")
            highs = [take(w - c) for _ in range(clusters)]
            fields = [highs[x] << c | part for part, x in pairs]
        else:
            fields = [take(w) for _ in range(n)]
        for before, after in zip(starts, starts[1:]):
            require(before < after, "boundaries of a block do not ascend")
        require(starts[-1] < quanta, "boundary past the block's end")
        return [(s, bias + f) for s, f in zip(starts, fields)], -(-position // 8)


# ---- packed-starts ---------------------------------------------------------------------------------------------------

PACKED_BASES = ((-2, 1, 0), (-1, 1, 0), (0, 8, 0), (0, 4, 0), (0, 1, 8), (0, 1, 16), (0, 1, 24), (0, 1, 32))  # with unit, B


class BitsOut:
    def __init__(self):
        self.number = self.size = 0

    def put(self, *fields):
        for value, n in fields:
            self.number |= value << self.size
            self.size += n

    def align(self):
        self.size += -self.size % 8

    def bytes(self):
        return self.number.to_bytes((self.size + 7) // 8, "little")


def fewest(forms):
    """The form with the fewest bits, its first element; the first of several."""
    return min(forms, key=lambda form: form[0], default=None)


class PackedWriter:
    """The one encoding of a table's runs."""

    def __init__(self, runs, length):
        self.starts = [start for start, _ in runs]
        self.values = [value for _, value in runs]
        self.length = length
        self.out = BitsOut()

    def record(self):
        bits_of_list, write_list, is_long = self.choose_list()
        bits_of_block, write_block = (0, None) if write_list and not is_long else self.choose_one_block()
        if write_list and (not is_long or not write_block or bits_of_list <= bits_of_block + 24):
            write_list()
        elif write_block:
            write_block()
        else:
            self.write_blocks()
        return self.out.bytes()

    def widths(self, n, more_nbits, n_bases):
        """For each base that all values can be counted from: bits of the bias and n fields, base, least value, width."""
        for base, (number, unit, bias_nbits) in enumerate(PACKED_BASES[:n_bases]):
            nbits = bias_nbits + more_nbits
            least = min(self.values) if nbits else number
            fits = min(self.values) >= number and not any(value % unit for value in self.values)
            if nbits >= 32 or fits and (nbits == 0 or min(self.values) - number < 1 << nbits):
                width = bits_of((max(self.values) - least) // unit)
                yield bias_nbits + n * width, base, least, width

    def choose_list(self):
        """Bits, what writes it (None where a list is not possible), whether it is a long list."""
        n, s = len(self.values) - 1, bits_of((self.length - 1) | 4) + 1
        is_long = n > 6 or n * s > 61
        if n > min(15, 60 // s + 53 // s):
            return 0, None, is_long
        forms = [(nbits + 9, *form) for nbits, *form in self.widths(n + 1, 0, 4) if form[2] <= 15]
        width, least = bits_of(max(self.values) - min(self.values)), min(self.values) & 0xFFFFFFFF
        nbytes = (bits_of(least | 1) + 7) // 8
        if not is_long and width <= 31:
            forms.append((16 + 8 * nbytes + (n + 1) * width, None, min(self.values), width))
        if not forms:
            return 0, None, is_long
        nbits, base, least, width = fewest(forms)
        if base is None:
            head, unit = [(7, 3), (0, 2), (n, 3), (width, 5), (nbytes, 3), (least & 0xFFFFFFFF, 8 * nbytes)], 1
        else:
            head = [(7, 3), (1, 2), (base, 2), (width, 4), (n, 5)] if is_long else [(n, 3), (base, 2), (width, 4)]
            unit = PACKED_BASES[base][1]
        fields = [(start, s) for start in self.starts[1:]] + [((v - least) // unit, width) for v in self.values]
        return nbits + n * s + 7 * is_long, lambda: self.out.put(*head, *fields), is_long

    def choose_one_block(self):
        """Bits of a record of one block, and what writes it (None where one block is not possible)."""
        _, base, least, _ = fewest(self.widths(len(self.values), 4, 8))
        unit, bias_nbits = PACKED_BASES[base][1:]
        scaled = [(value - least) // unit for value in self.values]
        block = self.block(self.starts[1:], scaled, self.length)
        return (32 + bias_nbits + block[0], lambda: self.write_one(base, least, block)) if block else (0, None)

    def write_blocks(self):
        _, base, least, _ = fewest(self.widths(len(self.values) // 40 + 1, 0, 8))
        scaled = [(value - least) // PACKED_BASES[base][1] for value in self.values]
        clamp = lambda k: max(4, min(k, 31))
        k = clamp(bits_of(self.length * 40 // len(self.values)))
        while not (best := self.split(k, scaled)):
            k -= 1
        for step in -1, 1:
            first = k
            while k + step == clamp(k + step) and (tried := self.split(k + step, scaled)) and tried[0] < best[0]:
                best, k = tried, k + step
            if k != first:
                break
        self.write_several(base, least, k, best)

    def split(self, k, scaled):
        """Bits, widths of offsets and biases, and entries of the index for blocks of 2^k quanta; None if not possible."""
        end = i = 0
        entries = []
        for first in range(0, self.length, 1 << k):
            last = i
            while last + 1 < len(scaled) and self.starts[last + 1] < first + (1 << k):
                last += 1
            i += i < last and self.starts[i + 1] == first
            fields = scaled[i : last + 1]
            starts = [start - first for start in self.starts[i + 1 : last + 1]]
            i = last
            block = offset = 0
            if starts:
                fields = [field - min(fields) for field in fields]
                block = self.block(starts, fields, min(self.length - first, 1 << k))
                if not block:
                    return None
                offset = (end + 7) // 8
                end = 8 * offset + block[0]
            entries.append((block, offset, min(scaled[last - len(starts) : last + 1])))
        o, b = bits_of(max(entry[1] for entry in entries)), bits_of(max(entry[2] for entry in entries))
        return end + len(entries) * (20 + o + b), o, b, entries

    def write_one(self, base, least, block):
        number, _, bias_nbits = PACKED_BASES[base]
        self.out.put((7, 3), (2, 2), (base, 3), (block[1], 20), (least - number & 0xFFFFFFFF, bias_nbits + 4))
        self.out.put(*block[2])

    def write_several(self, base, least, k, chosen):
        _, o, b, entries = chosen
        number, _, bias_nbits = PACKED_BASES[base]
        self.out.put((7, 3), (3, 2), (base, 3), (k, 5), (o, 5), (b, 6), (least - number & 0xFFFFFFFF, bias_nbits))
        for block, offset, bias in entries:
            self.out.put((block[1] if block else 0, 20), (offset, o), (bias, b))
        for block, _, _ in entries:
            if block:
                self.out.align()
                self.out.put(*block[2])

    def block(self, starts, fields, quanta):
        """Bits, description and content of a block; None when it holds too many starts."""
        m = len(starts)
        if m > 63:
            return None
        forms = []
        for l in range(16):
            n_buckets = ((quanta - 1) >> l) + 1
            sizes = [0] * n_buckets if n_buckets <= 127 else []
            for start in starts if sizes else []:
                sizes[start >> l] += 1
            full = [(bucket, n - 3) for bucket, n in enumerate(sizes) if n > 3]
            if m + n_buckets <= 127:
                zeros = [bit for n in sizes for bit in [(0, 1)] * n + [(1, 1)]]
                forms.append((m + n_buckets + m * l + m // 2, l, 3, zeros))
            if n_buckets <= 32 and len(full) <= 2 and max(sizes) <= 18:
                counts = [(min(n, 3), 2) for n in sizes] + [pair for i, more in full for pair in ((i, 5), (more, 4))]
                forms.append((2 * n_buckets + 9 * len(full) + m * l, l, len(full), counts))
        if not forms:
            return None
        _, l, search, buckets = fewest(forms)
        width, n = bits_of(max(fields)), m + 1
        forms = [(n * width, width, 0, 0, [])] if width <= 31 else []
        for c in reversed(range(width)):
            highs = sorted({field >> c for field in fields})
            g = bits_of(len(highs) - 1)
            if len(highs) <= 16 and width - c < 32:
                forms.append((5 + len(highs) * (width - c) + n * (c + g), c, g, width - c, highs))
        _, c, g, h, highs = fewest(forms)
        content = buckets
        for low, field in zip([None] + starts, fields):
            content += [] if low is None else [(low & (1 << l) - 1, l)]
            content += [(field & (1 << c) - 1, c), (highs.index(field >> c) if g else 0, g)]
        content += [(h, 5)] + [(high, h) for high in highs] if g else []
        return sum(n for _, n in content), m | l << 6 | c << 10 | g << 15 | search << 18, content


class PackedStarts:
    PAST, ASCEND = "record runs past the area's end", "starts of runs do not ascend below the text's end"

    def __init__(self, area):
        self.area = area
        self.first = 0
        self.records = {}

    def read(self, at, length):
        require(at < len(self.area), self.PAST)
        bits, limit = Bits(memoryview(self.area)[at:]), 8 * (len(self.area) - at)
        form = bits.at(3, 2)
        if bits.at(0, 3) < 7:
            runs, end = self.list(bits, limit, length, bits.at(0, 3), PACKED_BASES[bits.at(3, 2)], bits.at(5, 4), 9)
        elif form == 0:
            runs, end = self.wide_list(bits, limit, length)
        elif form == 1:
            runs, end = self.list(bits, limit, length, bits.at(11, 5), PACKED_BASES[bits.at(5, 2)], bits.at(7, 4), 16)
        else:
            reader = self.single if form == 2 else self.several
            runs, end = reader(bits, limit, length, PACKED_BASES[bits.at(5, 3)])
        require(end <= limit, self.PAST)
        require(bits.at(end, -end % 8) == 0, "bits after a record are not 0")
        after = at + -(-end // 8)
        record = bytes(self.area[at:after])
        require(record == PackedWriter(runs, length).record(), "record differs from the encoding of its runs")
        require(self.records.setdefault(record, at) == at, "record repeats an earlier one")
        return runs, after

    def wide_list(self, bits, limit, length):
        n, width, nbytes = bits.at(5, 3), bits.at(8, 5), bits.at(13, 3)
        bias = bits.at(16, 8 * nbytes)
        require(nbytes == max(1, (bits_of(bias) + 7) // 8) <= 4, "bias of a list is not as short as possible")
        return self.list(bits, limit, length, n, (bias, 1, 0), width, 16 + 8 * nbytes)

    def list(self, bits, limit, length, n, base, width, starts_at):
        number, unit, _ = base
        s = bits_of((length - 1) | 4) + 1
        is_long = bits.at(0, 5) == 15
        fits = n <= min(15, 60 // s + 53 // s) if is_long else n <= 6 and n * s <= 61
        require(fits, "more starts than a list can have")
        fields_at = starts_at + n * s
        end = fields_at + (n + 1) * width
        require(end <= limit, self.PAST)
        starts = [0] + [bits.at(starts_at + i * s, s) for i in range(n)]
        values = [signed(number + bits.at(fields_at + i * width, width) * unit) for i in range(n + 1)]
        runs = list(zip(starts, values))
        check_runs(runs, length, self.ASCEND, "start of a run does not change the value")
        return runs, end

    def single(self, bits, limit, length, base):
        number, unit, bias_nbits = base
        block_at = 32 + bias_nbits
        require(block_at <= limit, self.PAST)
        require(bits.at(60, 4) == 0 or bias_nbits < 32, "bias of a record has more than 32 bits")
        least = number + bits.at(28, min(bias_nbits + 4, 32))
        require(bits.at(8, 6) > 0, "single block without a start")
        fields, end = self.block(bits, limit, block_at, bits.at(8, 20), length)
        runs = [(start, signed(least + field * unit)) for start, field in fields]
        check_runs(runs, length, self.ASCEND, "start of a run does not change the value")
        return runs, end

    def several(self, bits, limit, length, base):
        number, unit, bias_nbits = base
        k, o, b = bits.at(8, 5), bits.at(13, 5), bits.at(18, 6)
        require(b <= 32, "bias of a block has more than 32 bits")
        index, n_blocks = 24 + bias_nbits, ((length - 1) >> k) + 1
        index_end = index + n_blocks * (20 + b + o)
        end = first = -(-index_end // 8) * 8
        require(first <= limit, self.PAST)
        least = number + bits.at(24, bias_nbits)
        require(bits.at(index_end, first - index_end) == 0, "bits after an index are not 0")
        runs = []
        for j in range(n_blocks):
            at = index + j * (20 + b + o)
            description, offset, bias = bits.at(at, 20), bits.at(at + 20, o), bits.at(at + 20 + o, b)
            fields = [(0, 0)]
            if description & 63:
                end = -(-end // 8) * 8
                require(first + 8 * offset == end, "block does not follow the one before it")
                fields, end = self.block(bits, limit, end, description, min(length - (j << k), 1 << k))
            else:
                require(description == offset == 0, "block of one run with more than a bias")
            found = [(start, signed(least + (bias + field) * unit)) for start, field in fields]
            check_runs(found, length - (j << k), self.ASCEND, "start of a run does not change the value")
            for start, value in found:
                if start or not runs or runs[-1][1] != value:
                    runs.append(((j << k) + start, value))
        return runs, end

    def block(self, bits, limit, block, description, quanta):
        """The starts and fields of a block, and the bit after it."""
        part = Bits(description.to_bytes(3, "little"))
        m, l, c, g, search = (part.at(at, n) for at, n in ((0, 6), (6, 4), (10, 5), (15, 3), (18, 2)))
        require(0 < c + g <= 32 and g <= 4, "description of a block is out of range")
        n_buckets = ((quanta - 1) >> l) + 1
        is_list = search == 3
        upper = m + n_buckets if is_list else 2 * n_buckets
        require(upper <= (127 if is_list else 64), "more buckets than a block can have")
        fields_at = block + upper + (0 if is_list else 9 * search)
        stride = c + g + l
        end = fields_at + m * stride + c + g
        require(end <= limit, self.PAST)
        all_starts = "buckets of a block do not have all its starts"
        buckets = []  # of each start
        if is_list:
            ones = [bits.at(block + i, 1) for i in range(upper)]
            require(sum(ones) == n_buckets and ones[-1], all_starts)
            buckets = [sum(ones[:i]) for i in range(upper) if not ones[i]]
        else:
            counts = [bits.at(block + 2 * i, 2) for i in range(n_buckets)]
            full = [(bits.at(block + upper + 9 * i, 5), bits.at(block + upper + 9 * i + 5, 4)) for i in range(search)]
            for i, (bucket, more) in enumerate(full):
                require(bucket < n_buckets and (i == 0 or full[i - 1][0] < bucket), all_starts)
                require(more > 0 and counts[bucket] == 3, all_starts)
                counts[bucket] += more
            buckets = [i for i, n in enumerate(counts) for _ in range(n)]
            require(len(buckets) == m, all_starts)
        lows = [bits.at(fields_at + i * stride + c + g, l) for i in range(m)]
        starts = [0] + [bucket << l | low for bucket, low in zip(buckets, lows)]
        fields = [bits.at(fields_at + i * stride, c + g) for i in range(m + 1)]
        if g:
            h = bits.at(end, 5)
            require(h + c <= 32, "values of a block have more than 32 bits")
            highs_at = end + 5
            end = highs_at + (max(field >> c for field in fields) + 1) * h
            require(end <= limit, self.PAST)
            fields = [bits.at(highs_at + (field >> c) * h, h) << c | field & (1 << c) - 1 for field in fields]
        require(bits.at(end, -end % 8) == 0, "bits after a block are not 0")
        for before, after in zip(starts, starts[1:]):
            require(before < after, self.ASCEND)
        require(starts[-1] < quanta, self.ASCEND)
        return list(zip(starts, fields)), end


# ---- controls --------------------------------------------------------------------------------------------------------


class Raw:
    def __init__(self, area):
        self.area = area
        self.first = 0

    def read(self, at, length):
        require(at + 4 * length <= len(self.area), "record runs past the area's end")
        runs = []
        for pc in range(length):
            value = int.from_bytes(self.area[at + 4 * pc : at + 4 * pc + 4], "little", signed=True)
            if not runs or runs[-1][1] != value:
                runs.append((pc, value))
        return runs, at + 4 * length


class RunArray:
    def __init__(self, area):
        self.area = area
        self.first = 0

    def read(self, at, length):
        past = "record runs past the area's end"
        require(at + 4 <= len(self.area), past)
        n = int.from_bytes(self.area[at : at + 4], "little")
        end = at + 4 + 8 * n
        require(end <= len(self.area), past)
        require(n > 0, "record has no runs")
        word = lambda i: self.area[at + 4 + 4 * i : at + 8 + 4 * i]
        number = lambda i, is_signed: int.from_bytes(word(i), "little", signed=is_signed)
        runs = [(number(i, False), number(n + i, True)) for i in range(n)]
        require(runs[0][0] == 0, "starts of the runs do not ascend from 0")
        check_runs(runs, length, "starts of the runs do not ascend from 0", "neighbouring runs have the same value")
        return runs, end


ENCODINGS = {
    "varint-delta": VarintDelta,
    "linear-index": LinearIndex,
    "shape-code": ShapeCode,
    "packed-starts": PackedStarts,
    "raw": Raw,
    "run-array": RunArray,
}


# ---- the frame -------------------------------------------------------------------------------------------------------


def read_frame(encoding, data):
    require(len(data) >= 16, "payload ends inside the frame's header")
    word = lambda at: int.from_bytes(data[at : at + 4], "little")
    require(data[0] == 1, "unknown frame version")
    require(data[1] <= 2, "quantum is not 1, 2 or 4")
    require(data[2] == data[3] == 0 and word(12) == 0, "reserved bytes are not 0")
    quantum, n, area_nbytes = 1 << data[1], word(4), word(8)
    directory = -(-(16 + area_nbytes) // 8) * 8 + 64
    require(len(data) >= directory + 13 * n, "ends inside the area or its directory")
    require(len(data) == directory + 13 * n, "bytes follow the directory")
    require(not any(data[16 + area_nbytes : directory]), "padding is not 0")
    reader = ENCODINGS[encoding](data[16 : 16 + area_nbytes])
    in_bits = isinstance(reader, ShapeCode)
    tables, read, end = [], {}, reader.first * (8 if in_bits else 1)
    lengths, again = set(), 0
    room = area_nbytes + 8 * n
    most = 65536 + 4 * room if encoding == "packed-starts" else 16 * room
    for i in range(n):
        offset, length = word(directory + 8 * i), word(directory + 8 * i + 4)
        refs, kind = word(directory + 8 * n + 4 * i), data[directory + 12 * n + i]
        require(offset < area_nbytes, "record offset is past the area's end")
        require(0 < length, "text length is 0")
        require(length * quantum < 1 << 32, "text length is 4 GiB or more")
        if offset not in read:
            start = reader.start_of(offset) if in_bits else offset
            gap = start - end
            is_next = gap in range(16) and reader.bits.at(end, gap) == 0 if in_bits else gap == 0
            require(is_next, "table's record is neither the next one nor an earlier one")
        runs, after = reader.read(offset, length)
        last = (after - 1) // 8 if in_bits else after - 1
        if offset in read and (offset, length) not in lengths:
            again += len(runs) + last + 1 - offset
            require(again <= most, "record is shared by too many tables of other lengths")
        lengths.add((offset, length))
        require(read.get(offset, last) == last, "record ends at another byte for another text length")
        if offset not in read:
            read[offset] = last
            end = after
        tables.append((kind, length * quantum, refs, tuple((pc * quantum, value) for pc, value in runs)))
    rest = 8 * area_nbytes - end if in_bits else area_nbytes - end
    require(-1 <= rest < 16 if in_bits else rest == 0, "bytes of the area belong to no table")
    if in_bits and rest > 0:
        require(reader.bits.at(end, rest) == 0, "bytes of the area belong to no table")
    return quantum, tables


# ---- the text form ---------------------------------------------------------------------------------------------------


def read_text(text):
    quantum, tables = 0, []
    for line in text.decode().splitlines()[1:]:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "quantum":
            quantum = int(words[1])
        elif words[0] == "table":
            kind = words[2].removeprefix("kind=")
            number = {"pcsp": 0, "pcfile": 1, "pcln": 2}.get(kind)
            if number is None:
                number = int(kind.removeprefix("pcdata")) + (3 if kind.startswith("pcdata") else 0)
            tables.append([number, int(words[1]), int(words[3].removeprefix("refs=")), []])
        else:
            tables[-1][3].append((int(words[0]), int(words[1])))
    return quantum, [(kind, length, refs, tuple(runs)) for kind, length, refs, runs in tables]


if __name__ == "__main__":
    sys.exit(run({name: functools.partial(read_frame, name) for name in ENCODINGS}, read_text))
