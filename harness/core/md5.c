/* MD5: see md5.h. */
#include "harness/core/md5.h"

enum { BLOCK_NBYTES = 64, LENGTH_NBYTES = 8 /* at the end of the last block */ };

struct state {
    uint32_t a, b, c, d;
};

static inline uint32_t rotate(uint32_t v, unsigned n)
{
    return v << n | v >> (32 - n);
}

/*
 * Four steps, of words w, w + by, w + 2 by, w + 3 by (mod 16). Each step rotates the four variables
 * by one place, so after four steps they are in their old places.
 */
#define FOUR_STEPS(f, w, by, s0, s1, s2, s3, k0, k1, k2, k3) \
    STEP(f, a, b, c, d, (w) % 16, s0, k0)                    \
    STEP(f, d, a, b, c, ((w) + (by)) % 16, s1, k1)           \
    STEP(f, c, d, a, b, ((w) + 2 * (by)) % 16, s2, k2)       \
    STEP(f, b, c, d, a, ((w) + 3 * (by)) % 16, s3, k3)
#define STEP(f, a, b, c, d, word, shift, k) \
    a = b + rotate(a + f(b, c, d) + words[word] + k##u, shift);

#define F(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define G(x, y, z) (((x) & (z)) | ((y) & ~(z)))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))

/* The constants are floor(2^32 |sin i|) for i from 1 to 64, in radians. */
static void add_block(struct state *state, const uint8_t *p)
{
    uint32_t words[16], a = state->a, b = state->b, c = state->c, d = state->d;
    for (unsigned i = 0; i < 16; i++)
        words[i] = bo_le32(p + 4 * i);

    FOUR_STEPS(F, 0, 1, 7, 12, 17, 22, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee)
    FOUR_STEPS(F, 4, 1, 7, 12, 17, 22, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501)
    FOUR_STEPS(F, 8, 1, 7, 12, 17, 22, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be)
    FOUR_STEPS(F, 12, 1, 7, 12, 17, 22, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821)

    FOUR_STEPS(G, 1, 5, 5, 9, 14, 20, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa)
    FOUR_STEPS(G, 5, 5, 5, 9, 14, 20, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8)
    FOUR_STEPS(G, 9, 5, 5, 9, 14, 20, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed)
    FOUR_STEPS(G, 13, 5, 5, 9, 14, 20, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a)

    FOUR_STEPS(H, 5, 3, 4, 11, 16, 23, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c)
    FOUR_STEPS(H, 1, 3, 4, 11, 16, 23, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70)
    FOUR_STEPS(H, 13, 3, 4, 11, 16, 23, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05)
    FOUR_STEPS(H, 9, 3, 4, 11, 16, 23, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665)

    FOUR_STEPS(I, 0, 7, 6, 10, 15, 21, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039)
    FOUR_STEPS(I, 12, 7, 6, 10, 15, 21, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1)
    FOUR_STEPS(I, 8, 7, 6, 10, 15, 21, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1)
    FOUR_STEPS(I, 4, 7, 6, 10, 15, 21, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391)

    *state = (struct state){state->a + a, state->b + b, state->c + c, state->d + d};
}

uint64_t bo_md5_low64(struct bo_span bytes)
{
    struct state state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    size_t off = 0;
    for (; bytes.n - off >= BLOCK_NBYTES; off += BLOCK_NBYTES)
        add_block(&state, bytes.p + off);
    const size_t rest = bytes.n - off;
    const size_t tail_n = rest < BLOCK_NBYTES - LENGTH_NBYTES ? BLOCK_NBYTES : 2 * BLOCK_NBYTES;
    uint8_t tail[2 * BLOCK_NBYTES] = {0};
    if (rest)
        memcpy(tail, bytes.p + off, rest);
    tail[rest] = 0x80;
    bo_set_le64(tail + tail_n - LENGTH_NBYTES, 8 * (uint64_t)bytes.n);
    for (size_t i = 0; i < tail_n; i += BLOCK_NBYTES)
        add_block(&state, tail + i);
    return state.a | (uint64_t)state.b << 32;
}
