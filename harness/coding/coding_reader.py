"""What second readers share: primitives, context coding, the grammar of pairs, and their program.

Written from coding.md, grammar.md and docs/primitives.md; shares nothing with the C code.
"""

import sys

M64 = (1 << 64) - 1
NONE = 0xffffffff


class Reject(Exception):
    pass


class Cursor:
    def __init__(self, data):
        self.data, self.off = data, 0

    def take(self, n):
        if n > len(self.data) - self.off:
            raise Reject("truncated")
        self.off += n
        return self.data[self.off - n:self.off]

    def u8(self):
        return self.take(1)[0]

    def le(self, n):
        return int.from_bytes(self.take(n), "little")

    def uvarint(self, width=64):
        v = shift = 0
        while True:
            byte = self.u8()
            v |= (byte & 127) << shift
            if v >> width:
                raise Reject("varint overflows its type")
            if byte < 128:
                if byte == 0 and shift:
                    raise Reject("varint is not in its shortest form")
                return v
            shift += 7

    def text(self):
        return self.take(self.uvarint())

    def end(self):
        if self.off != len(self.data):
            raise Reject("bytes left")


def unzigzag(v):
    return v >> 1 ^ -(v & 1)


# ---- context coding ---------------------------------------------------------------------------


def H(a, b):
    h = (a * 0x9e3779b97f4a7c15 ^ (b + 0x7f4a7c15) * 0xc2b2ae3d27d4eb4f) & M64
    h = (h ^ h >> 29) * 0x94d049bb133111eb & M64
    return h ^ h >> 32


class RangeDecoder:
    def __init__(self, data):
        self.data, self.off, self.low, self.high, self.code = data, 0, 0, NONE, 0
        for _ in range(4):
            self.next()

    def next(self):
        byte = self.data[self.off] if self.off < len(self.data) else 0
        self.code = (self.code << 8 | byte) & NONE
        self.off += 1
        if self.off > len(self.data) + 4:
            raise Reject("coded bits end too early")

    def bit(self, p):
        middle = self.low + ((self.high - self.low) * p >> 16)
        b = self.code <= middle
        if b:
            self.high = middle
        else:
            self.low = middle + 1
        while self.low >> 24 == self.high >> 24:
            self.next()
            self.low = self.low << 8 & NONE
            self.high = (self.high << 8 & NONE) | 255
        return int(b)

    def finish(self):
        for n in range(5):
            step = 1 << (32 - 8 * n)
            v = -(-self.low // step) * step
            if v <= self.high:
                break
        nbytes = self.off - 4 + n
        if nbytes > len(self.data):
            raise Reject("coded bits end too early")
        if nbytes < len(self.data):
            raise Reject("bytes left after the coded bits")
        if self.code != v & NONE:
            raise Reject("coded bits do not end as an encoder writes them")


T = [1, 2, 3, 5, 8, 13, 22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768,
     40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
     65523, 65528, 65531, 65533, 65534, 65535]


def probability(x):
    k, r = (x + 2816) >> 7, (x + 2816) & 127
    return T[k] + ((T[k + 1] - T[k]) * r + 64) // 128


def make_logits():
    logits, x = [], -2815
    for i in range(4096):
        while x < 2815 and probability(x) < 16 * i + 8:
            x += 1
        logits.append(x)
    return logits


LOGIT = make_logits()


def clamp(x):
    return max(-2815, min(2815, x))


class Counter:
    __slots__ = "p", "seen"

    def __init__(self, p=1 << 21):
        self.p, self.seen = p, 0

    def logit(self):
        return LOGIT[self.p >> 10]

    def update(self, bit, limit):
        rate = (1 << 17) // (2 * self.seen + 3)
        if bit:
            self.p += (4194303 - self.p) * rate >> 16
        else:
            self.p -= self.p * rate >> 16
        if self.seen < limit:
            self.seen += 1


def mixed_bit(coder, x, A, B, rate):
    sums = [clamp(sum([a * w >> 8 for a, w in zip(x, W)]) >> 8) for W in (A, B)]
    b = coder.bit(probability((sums[0] + sums[1]) >> 1))
    for W, s in zip((A, B), sums):
        e = ((65536 if b else 0) - probability(s)) * rate
        for i, a in enumerate(x):
            W[i] = max(-524288, min(524288, W[i] + ((a * e + 32768) >> 16)))
    return b


class Lazy(dict):
    """A table whose entries are made when they are first used."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def __missing__(self, key):
        v = self[key] = self.make()
        return v


class Field:
    def __init__(self):
        self.escape, self.listed = Lazy(Counter), Lazy(Counter)
        self.run = Lazy(lambda: Counter(3 << 20))
        self.escape_weights, self.listed_weights, self.bit_weights = (Lazy(lambda: [15000] * 24) for _ in range(3))


class Slot:
    def clear(self, check):
        self.check, self.symbols, self.hits, self.escape = check, [], [], Counter()
        return self


def width(n, least, most):
    return max(least, min(most, n.bit_length()))


class Model:
    def __init__(self, units, text_nbytes):
        self.slot_bits = width(4 * units, 8, 19)
        self.counter_bits = width(16 * units, 10, 20)
        self.match_bits = width(4 * units, 8, 16)
        self.slots, self.counters, self.matches = {}, Lazy(Counter), {}
        self.fields = Lazy(Field)
        self.history = bytearray(8)
        self.left = text_nbytes

    def counter(self, h):
        return self.counters[h >> (64 - self.counter_bits)]

    def slot(self, h):
        place, check = h & ((1 << self.slot_bits) - 1), h >> 32 | 1
        at = place
        for k in range(4):
            s = self.slots.get(place ^ k)
            if s is None:
                at = place ^ k
                break
            if s.check == check:
                return s
        return self.slots.setdefault(at, Slot()).clear(check)  # in place: an earlier context may use it

    def symbol(self, coder, f, n, c, selector=0, hints=()):
        S = [self.slot(H(x, 16 * f + i + 1)) for i, x in enumerate(c)]
        if n == 0 or self.escape_bit(coder, f, S, selector):
            return None
        v = self.candidate(coder, f, n, S, hints, None)
        if v is not None:
            return v
        v = self.bits(coder, f, [0, c[0], c[1]], (n - 1).bit_length())
        if v >= n:
            raise Reject("coded symbol that is not known yet")
        if v in self.listed:
            raise Reject("coded symbol is one of the candidates")
        return v

    def listed_symbol(self, coder, f, n, c, default):
        S = [self.slot(H(x, 16 * f + i + 1)) for i, x in enumerate(c)]
        return self.candidate(coder, f, n, S, (), default)

    def escape_bit(self, coder, f, S, selector):
        field, E, longest = self.fields[f], [], 0
        for i, s in enumerate(S):
            k = len(s.symbols)
            a = 4 * (k - 1) + min(s.hits[0], 4) if k else 0
            b = 1 + (s.escape.p >> 19) if s.escape.seen else 0
            E.append(field.escape[i, 9 * a + b])
            longest = i + 1 if k else longest
        b = mixed_bit(coder, [e.logit() for e in E] + [256], field.escape_weights[selector],
                      field.escape_weights[32 + longest], 8)
        for e, s in zip(E, S):
            e.update(b, 255)
            s.escape.update(b, 20)
        return b

    def candidate(self, coder, f, n, S, hints, default):
        field, listed = self.fields[f], []
        self.listed = listed

        def add(v):
            if v < n and v not in listed and len(listed) < 16:
                listed.append(v)

        for age in range(3):
            for s in reversed(S):
                if age < len(s.symbols) and len(listed) < 11:
                    add(s.symbols[age])
        C = [self.counter(H(key, (5 << 40) + 64 * f + j)) for j, (_, key) in enumerate(hints)]
        for _ in range(4):
            best = None
            for j, (v, _) in enumerate(hints):
                if v < n and v not in listed and (best is None or C[j].p > C[best].p):
                    best = j
            if best is None or (C[best].seen and C[best].p >> 6 < 600):
                break
            add(hints[best][0])
        if default is not None:
            add(default)
        for k, v in enumerate(listed):
            L = [field.listed[i, evidence(s, v)] for i, s in enumerate(S)]
            known = sum(v in s.symbols for s in S)
            best = None
            for j, (hint, _) in enumerate(hints):
                if hint == v and (best is None or C[j].p > C[best].p):
                    best = j
            x = [counter.logit() for counter in L] + [0 if best is None else C[best].logit(), 256]
            b = mixed_bit(coder, x, field.listed_weights[min(k, 7)],
                          field.listed_weights[8 + known + (0 if best is None else 10)], 8)
            for counter in L:
                counter.update(b, 255)
            if b:
                return v
        return None

    def learn(self, f, n, c, v, hints=()):
        for j, (hint, key) in enumerate(hints):
            if hint < n:
                self.counter(H(key, (5 << 40) + 64 * f + j)).update(hint == v, 30)
        self.learn_new(f, c, v)

    def learn_new(self, f, c, v):
        for i, x in enumerate(c):
            s = self.slot(H(x, 16 * f + i + 1))
            hits, at = 1, min(len(s.symbols), 2)
            if v in s.symbols:
                at = s.symbols.index(v)
                hits = min(s.hits[at] + 1, 255)
            s.symbols[:at + 1] = [v] + s.symbols[:at]
            s.hits[:at + 1] = [hits] + [h - h // 4 for h in s.hits[:at]]

    def bits(self, coder, f, c, n):
        node = 1
        for b in reversed(range(n)):
            node = node << 1 | self.context_bit(
                coder, f, [H(x, 256 * node + 16 * f + i) for i, x in enumerate(c)], b)
        return node - (1 << n)

    @staticmethod
    def two_inputs(counters):
        x = []
        for k in counters:
            x += [k.logit(), int(((k.p >> 6) - 32768) / 32) if k.seen else 0]
        return x

    def context_bit(self, coder, f, hashes, selector):
        K = [self.counter(h) for h in hashes]
        weights = self.fields[f].bit_weights
        b = mixed_bit(coder, self.two_inputs(K) + [256], weights[selector], weights[64 + min(K[-1].seen, 15)], 8)
        for i, k in enumerate(K):
            k.update(b, 30 if i else 255)
        return b

    def number(self, coder, f, c):
        w = 0
        while w < 64 and self.context_bit(
                coder, f, [H(x, (7 << 40) + 1024 * w + 16 * f + i) for i, x in enumerate(c)], 32 + w // 4):
            w += 1
        if w < 2:
            return w
        c = [H(x, (9 << 40) + w) for x in c]
        v, left = 1, w - 1
        while left:
            k = min(left, 20)
            left -= k
            v = v << k | self.bits(coder, f, c, k)
            c = [H(x, v) for x in c]
        return v

    def text(self, coder, f, kind, nuls):
        history = self.history
        start, word, run, match = len(history), 0, 0, 0
        while True:
            n = len(history) - start
            c = [0]
            for k in range(1, 6):
                c.append(H(c[-1], history[-k] if k <= n else 256))
            c += [H(word, 77), H(kind, H(n, c[5]) if n < 3 else history[-1])]
            node = 1
            for b in reversed(range(8)):
                node = node << 1 | self.text_bit(coder, f, c, node, b, run, match)
            byte = node - 256
            if self.left == 0:
                raise Reject("coded texts are longer than announced")
            self.left -= 1
            history.append(byte)
            if byte == 0:
                if nuls == 0:
                    return bytes(history[start:-1])
                nuls -= 1
            is_word = chr(byte).isalnum() and byte < 128 or byte == 95
            word = H(word, byte + 1) if is_word else 0
            if run and history[match] == byte:
                run, match = min(run + 1, 31), match + 1
            else:
                run = 0
            if n + 1 >= 4:
                q = H(int.from_bytes(history[-4:], "little"), 5) >> (64 - self.match_bits)
                if run == 0 and self.matches.get(q, 0):
                    match, run = self.matches[q], 1
                self.matches[q] = len(history)

    def text_bit(self, coder, f, c, node, b, run, match):
        field = self.fields[f]
        K = [self.counter(H(x, 256 * node + 16 * f + i)) for i, x in enumerate(c)]
        x = self.two_inputs(K)
        longest = max([i for i in range(6) if K[i].seen], default=0)
        e = 256 + self.history[match]
        hit = run > 0 and e >> (b + 1) == node
        expected = e >> b & 1
        logit = field.run[run].logit()
        x += [0 if not hit else logit if expected else -logit, 256]
        bit = mixed_bit(coder, x, field.bit_weights[longest + (6 if hit else 0)],
                        field.bit_weights[64 + min(run, 15)], 2)
        if hit:
            field.run[run].update(expected == bit, 255)
        for i, k in enumerate(K):
            k.update(bit, 30 if i > 1 else 255)
        return bit


def evidence(s, v):
    k = len(s.symbols)
    if k == 0:
        return 0
    if v in s.symbols:
        r = s.symbols.index(v)
        h = s.hits[r]
        return 8 + 8 * (3 * r + k - 1) + (7 if h >= 8 else 6 if h >= 6 else h - 1)
    return k + (3 if s.hits[0] >= 3 else 0)


# ---- grammar ----------------------------------------------------------------------------------


class LsbBits:
    """Least significant bit first; a field starts at a byte."""

    def __init__(self, cursor):
        self.c, self.byte, self.left = cursor, 0, 0

    def bits(self, n):
        v = 0
        for k in range(n):
            if self.left == 0:
                self.byte, self.left = self.c.u8(), 8
            v |= (self.byte & 1) << k
            self.byte >>= 1
            self.left -= 1
        return v

    def ones(self):
        n = 0
        while self.bits(1):
            n += 1
        return n

    def end(self):
        if self.byte:
            raise Reject("free bits that are not 0")


class Grammar:
    def __init__(self, c, file_nbytes):
        head = c.take(32)
        self.terminals = [b for b in range(256) if head[b // 8] >> b % 8 & 1]
        n_rules, self.n_text = c.le(4), c.le(4)
        if self.n_text > min(64 * file_nbytes + (1 << 20), (1 << 31) - 1):
            raise Reject("phrases are longer than the file allows")
        n, bits, self.rules = len(self.terminals) + n_rules, LsbBits(c), []
        for s in range(n):
            if s == len(self.terminals) + len(self.rules):
                raise Reject("symbol is a rule that has not been read")
            k = bits.ones()
            if k == 1:
                self.rules.append((s, bits.bits((n - 1).bit_length())))
            elif k > 1:
                p = right = 0
                while 2 * k << p <= n:
                    p += 1
                for _ in range(k):
                    right += (bits.ones() << p) + bits.bits(p)
                    self.rules.append((s, right))
        if len(self.rules) > n_rules:
            raise Reject("grammar has more rules than announced")
        if any(right >= n for _, right in self.rules):
            raise Reject("right symbol of a rule is out of range")
        bits.end()
        bits = LsbBits(c)
        self.codes = [s for s in range(n) if bits.bits(1)]
        bits.end()
        self.width = max(1, (len(self.codes) - 1).bit_length())
        self.phrases = {}

    def phrase(self, code):
        if code not in self.phrases:
            if code >= len(self.codes):
                raise Reject("code that no symbol has")
            stack, text = [self.codes[code]], bytearray()
            while stack:
                s = stack.pop()
                if s < len(self.terminals):
                    text.append(self.terminals[s])
                else:
                    stack += reversed(self.rules[s - len(self.terminals)])
                if len(text) + len(stack) > 65536:
                    raise Reject("phrase of more than 65536 bytes")
            self.phrases[code] = bytes(text)
        return self.phrases[code]

    def expect_all_used(self):
        if len(self.phrases) != len(self.codes) or sum(map(len, self.phrases.values())) != self.n_text:
            raise Reject("phrases are not all used")
        used, left = set(), list(self.codes)
        while left:
            s = left.pop()
            if s not in used and s >= len(self.terminals):
                left += self.rules[s - len(self.terminals)]
            used.add(s)
        if len(used) != len(self.terminals) + len(self.rules):
            raise Reject("symbol that no code uses")


# ---- the program ------------------------------------------------------------------------------


def run(readers, read_text, reduce=lambda codec, model: model):
    """Reads (CODEC PAYLOAD TEXT)... from the command line, and compares each payload's model with that of the text form.

    readers: a function from bytes to a model for each codec; reduce: what an encoding holds of a model. `-` instead of
    TEXT says that the payload must be rejected. `--list` prints the codecs. Returns the exit code.
    """
    failed, args = 0, sys.argv[1:]
    sys.setrecursionlimit(100000)
    if args == ["--list"]:
        print(*sorted(readers), sep="\n")
        return 0
    for codec, payload, text in zip(args[::3], args[1::3], args[2::3]):
        with open(payload, "rb") as file:
            data = file.read()
        try:
            model, rule = readers[codec](data), None
        except (Reject, LookupError, TypeError, ValueError) as e:  # a number outside its table is an error of Python's
            model, rule = None, e
        if text == "-":
            wrong = "must be rejected" if rule is None else None
        elif rule is not None:
            wrong = f"rejected: {rule}"
        else:
            with open(text, "rb") as file:
                wrong = None if model == reduce(codec, read_text(file.read())) else f"another model than {text}"
        if wrong:
            print(f"{payload}: {codec}: {wrong}")
            failed = 1
    return failed
