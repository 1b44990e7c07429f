"""XXH3_64bits with a seed, for second readers: it is not in Python's standard library.

Written from the specification of xxHash, whose constants it has; it shares nothing with the C code.
"""

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
P32 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MIX1, MIX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25


def le(data, at, n):
    return int.from_bytes(data[at : at + n], "little")


def swap(v, n):
    return int.from_bytes(v.to_bytes(n, "little"), "big")


def rotate(v, n):
    return (v << n | v >> (64 - n)) & M64


def fold(a, b):
    product = a * b
    return (product & M64) ^ product >> 64


def avalanche(h):
    h = (h ^ h >> 37) * MIX1 & M64
    return h ^ h >> 32


def avalanche64(h):
    h = (h ^ h >> 33) * P64[1] & M64
    h = (h ^ h >> 29) * P64[2] & M64
    return h ^ h >> 32


def mix16(data, at, secret_at, seed):
    return fold(
        le(data, at, 8) ^ (le(SECRET, secret_at, 8) + seed & M64),
        le(data, at + 8, 8) ^ (le(SECRET, secret_at + 8, 8) - seed & M64),
    )


def long_hash(data, seed):
    secret = b"".join(
        (le(SECRET, at, 8) + seed & M64).to_bytes(8, "little") + (le(SECRET, at + 8, 8) - seed & M64).to_bytes(8, "little")
        for at in range(0, len(SECRET), 16)
    )
    acc = [P32[2], *P64[:4], P32[1], P64[4], P32[0]]

    def stripe(at, secret_at):
        for i in range(8):
            value = le(data, at + 8 * i, 8)
            keyed = value ^ le(secret, secret_at + 8 * i, 8)
            acc[i ^ 1] = acc[i ^ 1] + value & M64
            acc[i] = acc[i] + (keyed & M32) * (keyed >> 32) & M64

    per_block = (len(secret) - 64) // 8
    n_stripes = (len(data) - 1) // 64
    for s in range(n_stripes):
        stripe(64 * s, s % per_block * 8)
        if s % per_block == per_block - 1:
            for i in range(8):
                acc[i] = (acc[i] ^ acc[i] >> 47 ^ le(secret, len(secret) - 64 + 8 * i, 8)) * P32[0] & M64
    stripe(len(data) - 64, len(secret) - 71)
    h = len(data) * P64[0] & M64
    for i in range(4):
        h += fold(acc[2 * i] ^ le(secret, 11 + 16 * i, 8), acc[2 * i + 1] ^ le(secret, 19 + 16 * i, 8))
    return avalanche(h & M64)


def xxh3(data, seed=0):
    n = len(data)
    if n == 0:
        return avalanche64(seed ^ le(SECRET, 56, 8) ^ le(SECRET, 64, 8))
    if n <= 3:
        combined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return avalanche64(combined ^ ((le(SECRET, 0, 4) ^ le(SECRET, 4, 4)) + seed & M64))
    if n <= 8:
        seed ^= swap(seed & M32, 4) << 32
        flip = (le(SECRET, 8, 8) ^ le(SECRET, 16, 8)) - seed & M64
        h = (le(data, n - 4, 4) + (le(data, 0, 4) << 32)) ^ flip
        h ^= rotate(h, 49) ^ rotate(h, 24)
        h = h * MIX2 & M64
        h ^= (h >> 35) + n
        h = h * MIX2 & M64
        return h ^ h >> 28
    if n <= 16:
        low = le(data, 0, 8) ^ ((le(SECRET, 24, 8) ^ le(SECRET, 32, 8)) + seed & M64)
        high = le(data, n - 8, 8) ^ ((le(SECRET, 40, 8) ^ le(SECRET, 48, 8)) - seed & M64)
        return avalanche(n + swap(low, 8) + high + fold(low, high) & M64)
    if n <= 128:
        h = n * P64[0]
        for i in reversed(range((n - 1) // 32 + 1)):
            h += mix16(data, 16 * i, 32 * i, seed) + mix16(data, n - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(h & M64)
    if n <= 240:
        h = n * P64[0]
        for i in range(8):
            h += mix16(data, 16 * i, 16 * i, seed)
        h = avalanche(h & M64)
        for i in range(8, n // 16):
            h += mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
        return avalanche(h + mix16(data, n - 16, 136 - 17, seed) & M64)
    return long_hash(data, seed)
