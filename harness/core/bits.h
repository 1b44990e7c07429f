/* Bit-packed fields, least significant bit first: bit k of a packing is bit k % 8 of byte k / 8. */
#ifndef BO_BITS_H
#define BO_BITS_H

#include "harness/core/bytes.h"

/* The number of bits of v without leading zeros; 0 for 0. */
static inline unsigned bo_bit_width(uint64_t v)
{
    return v ? 64u - (unsigned)__builtin_clzll(v) : 0;
}

static inline bool bo_bit_at(const uint8_t *p, uint64_t bit)
{
    return p[bit / 8] >> bit % 8 & 1;
}

/*
 * The nbits (at most 32) bits at position `bit`. Reads up to 8 bytes from byte bit / 8 on, so the
 * caller must provide that room.
 */
static inline uint32_t bo_bits_at(const uint8_t *p, uint64_t bit, unsigned nbits)
{
    return (uint32_t)(bo_le64(p + bit / 8) >> bit % 8 & ((UINT64_C(1) << nbits) - 1));
}

/* ---- reading untrusted bits ------------------------------------------------------------------ */

struct bo_bit_cursor {
    struct bo_span in;
    uint64_t bit; /* position of the next bit */
};

/* Reads nbits (at most 32). False, and nothing is read, when fewer are left. */
static inline bool bo_get_bits(struct bo_bit_cursor *c, unsigned nbits, uint32_t *v_ret)
{
    if (nbits > 8 * (uint64_t)c->in.n - c->bit)
        return false;
    uint64_t v = 0;
    const size_t first = (size_t)(c->bit / 8), last = (size_t)((c->bit + nbits + 7) / 8);
    for (size_t i = last; i-- > first;)
        v = v << 8 | c->in.p[i];
    *v_ret = (uint32_t)(v >> c->bit % 8 & ((UINT64_C(1) << nbits) - 1));
    c->bit += nbits;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Appends bits to a writer. The last byte is written with its first bit; its free bits are 0. */
struct bo_bit_writer {
    struct bo_writer *out;
    unsigned used; /* used bits of the last byte; 0 when it is full */
};

/* Appends nbits (at most 32) of v. The other bits of v must be 0. */
static inline void bo_put_bits(struct bo_bit_writer *w, uint32_t v, unsigned nbits)
{
    while (nbits) {
        if (w->used == 0)
            bo_put_u8(w->out, 0);
        if (w->out->status)
            return;
        const unsigned room = 8 - w->used, n = nbits < room ? nbits : room;
        w->out->p[w->out->n - 1] |= (uint8_t)((v & ((1u << n) - 1)) << w->used);
        w->used = (w->used + n) % 8;
        v >>= n;
        nbits -= n;
    }
}

/* Skips to the next byte boundary. */
static inline void bo_align_bits(struct bo_bit_writer *w)
{
    w->used = 0;
}

#endif
