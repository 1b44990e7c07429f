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
        self.number = int.from_bytes(data, "little")

    def at(self, position, n):
        return self.number >> position & (1 << n) - 1


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
            require(quanta <= length - pc, "run passes the text's end")
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
        require(codes.number >> 2 * (n + 1) == 0, "bits after the value lengths are not 0")
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
                found, _ = self.chunk(base + offset, 256 * c, length)
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
        require(in_range, "shape with a low part, bias or base that there is not")
        if has_template:
            number = self.take(9)
            require(number < len(templates), "shape with a template that there is not")
            runs, width, template = templates[number]
        else:
            runs, width, template = self.take(5) + 1, self.take(5), None
        require((runs - 1) * low <= 256 and width + shift <= 32, "shape with too many low bits or too wide values")
        return runs, low, bias_bytes, bases[base], shift, width, template

    def start_of(self, at):
        """The first bit of a record whose directory entry is the byte `at`."""
        if self.area[at] == 255:
            return 8 * at
        require(self.area[at] < len(self.shapes), "code without a shape")
        runs, low, bias_bytes, _, _, width, template = self.shapes[self.area[at]]
        return 8 * (at - bias_bytes) - (runs - 1) * low - (0 if template else runs * width)

    def read(self, at, length):
        """The runs, and the bit behind the last upper part: the terminator may be the next record's."""
        if self.area[at] == 255:
            return self.split(at, length)
        start = self.start_of(at)
        runs, low, bias_bytes, base, shift, width, template = self.shapes[self.area[at]]
        bits = self.bits
        e = 8 * (at - bias_bytes)
        v = e - (runs - 1) * low
        require(start >= 8 * 32, "fields of a record reach into the dictionary")
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
        require(n == runs or not template, "fields of surplus runs are not 0")
        require(not any(lows[n - 1 :]) and (template or not any(fields[n:])), "fields of surplus runs are not 0")
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
        require(blocks > 1 or o == 0, "index of a single block")
        require(blocks <= 2 or o > 0, "many blocks without an index")
        first = index + (-(-blocks * o // 8) if blocks > 1 else 0)
        require(first <= len(area), "index runs past the area's end")
        runs, end = [], first
        for j in range(blocks):
            offset = first + (bits.at(8 * index + j * o, o) if blocks > 1 else 0)
            require(offset <= end, "block offset leaves a gap")
            require(offset < len(area), "block starts past the area's end")
            if offset < end:
                require(bits.at(8 * offset, 6) == 0, "block offset repeats a block of many runs")
            found, behind = self.block(offset, min(length - (j << k), 1 << k), k, b)
            end = max(end, behind)
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
            require(all(x < clusters for _, x in pairs), "no such cluster in the block")
            highs = [take(w - c) for _ in range(clusters)]
            fields = [highs[x] << c | part for part, x in pairs]
        else:
            fields = [take(w) for _ in range(n)]
        for before, after in zip(starts, starts[1:]):
            require(before < after, "boundaries of a block do not ascend")
        require(starts[-1] < quanta, "boundary past the block's end")
        return [(s, bias + f) for s, f in zip(starts, fields)], -(-position // 8)


# ---- counted-buckets -------------------------------------------------------------------------------------------------

BASES = ((-2, 0, 0), (-1, 0, 0), (0, 0, 3), (0, 0, 2), (0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 4, 0))  # base, bytes, shift


class CountedBuckets:
    def __init__(self, area):
        self.area = area
        self.first = 0

    def read(self, at, length):
        require(at < len(self.area), "record runs past the area's end")
        bits, limit = Bits(self.area[at:]), 8 * (len(self.area) - at)
        reader = self.split if bits.at(4, 4) == 15 else self.whole
        runs, end = reader(bits, limit, length)
        require(end <= limit, "record runs past the area's end")
        require(bits.at(end, -end % 8) == 0, "bits after a record are not 0")
        return runs, at + -(-end // 8)

    def part(self, bits, limit, counts_at, listed, quanta, low, width, bias_nbits, value_of):
        """Runs from a stretch's start, and the bit behind the last one; `value_of` maps a field to a value."""
        n_buckets = 1 if listed else ((quanta - 1) >> low) + 1
        counts = [bits.at(counts_at, 6) + 1] if listed else [bits.at(counts_at + 2 * i, 2) for i in range(n_buckets)]
        n = sum(counts)
        require(n > 0, "values have a width, but no run starts after the first")
        values_at = counts_at + (6 if listed else 2 * n_buckets) + bias_nbits
        end = values_at + width + n * (low + width)
        require(end <= limit, "record runs past the area's end")
        runs, at = [(0, value_of(bits.at(values_at, width)))], values_at + width
        for bucket, count in enumerate(counts):
            for _ in range(count):
                start = bits.at(at, low) | (0 if listed else bucket << low)
                runs.append((start, value_of(bits.at(at + low, width))))
                at += low + width
        ascend, change = "starts of runs do not ascend below the text's end", "start of a run does not change the value"
        check_runs(runs, quanta, ascend, change)
        return runs, end

    def whole(self, bits, limit, length):
        low, width = bits.at(0, 4), bits.at(4, 4)
        base, n_bytes, shift = BASES[bits.at(8, 3)]
        require(width > 0 or low == 0, "low bits in a record of one run")
        n_buckets = ((length - 1) >> low) + 1 if width else 0
        require(n_buckets <= 30, "more than 30 buckets")
        least = base + bits.at(11 + 2 * n_buckets, 8 * n_bytes)
        if width == 0:
            return [(0, signed(least))], 11 + 8 * n_bytes
        value_of = lambda v: signed(least + (v << shift))
        return self.part(bits, limit, 11, False, length, low, width, 8 * n_bytes, value_of)

    def split(self, bits, limit, length):
        k, o, b = bits.at(0, 4) + 4, bits.at(8, 5), bits.at(13, 6)
        base, n_bytes, shift = BASES[bits.at(19, 3)]
        require(b <= 32, "bias of a block has more than 32 bits")
        least = base + bits.at(22, 8 * n_bytes)
        index, n_blocks = 22 + 8 * n_bytes, ((length - 1) >> k) + 1
        index_end = index + n_blocks * (9 + b + o)
        blocks = -(-index_end // 8) * 8
        require(blocks <= limit, "record runs past the area's end")
        require(bits.at(index_end, blocks - index_end) == 0, "bits after an index are not 0")
        runs, end = [], blocks
        for j in range(n_blocks):
            at = index + j * (9 + b + o)
            width, clustered, low = bits.at(at, 5), bits.at(at + 5, 1), bits.at(at + 6, 3)
            bias, offset = bits.at(at + 9, b), bits.at(at + 9 + b, o)
            if width == 0:
                require(not clustered and not low and not offset, "block of one run with more than a bias")
                found = [(0, signed(least + (bias << shift)))]
            else:
                block = blocks + 8 * offset
                require(block < limit, "record runs past the area's end")
                found, end = self.block(bits, limit, end, block, k, min(length - (j << k), 1 << k),
                                        32 if width == 31 else width, clustered, low,
                                        lambda v, bias=bias: signed(least + ((bias + v) << shift)))
            for start, value in found:
                if start or not runs or runs[-1][1] != value:
                    runs.append(((j << k) + start, value))
        return runs, end

    def block(self, bits, limit, before, block, k, quanta, width, clustered, low, value_of):
        nbits, first, value = width, block, value_of
        if clustered:
            n, c = bits.at(block - 9, 4) + 1, bits.at(block - 5, 5)
            require(c < width, "clusters without high parts")
            first = block - 9 - n * (width - c)
            nbits = c + bits_of(n - 1)

            def value(field):
                number = field >> c
                require(number < n, "number of a high part that the block does not have")
                high = bits.at(block - 9 - (number + 1) * (width - c), width - c)
                return value_of(high << c | field & (1 << c) - 1)

        follows = 0 <= first - before < 8 and bits.at(before, first - before) == 0
        require(follows, "block does not follow the one before it")
        start_nbits = k if low == 7 else max(0, k - 6) + low
        require(start_nbits <= k, "more low bits than a start has")
        return self.part(bits, limit, block, low == 7, quanta, start_nbits, nbits, 0, value)


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
    "counted-buckets": CountedBuckets,
    "raw": Raw,
    "run-array": RunArray,
}


# ---- the frame -------------------------------------------------------------------------------------------------------


def read_frame(encoding, data):
    require(len(data) >= 16, "ends inside the frame's header")
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
    tables, read, end = [], set(), reader.first * (8 if in_bits else 1)
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
        runs, behind = reader.read(offset, length)
        if offset not in read:
            read.add(offset)
            end = behind
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
