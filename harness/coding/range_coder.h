/*
 * A binary range coder: codes a bit of probability p in about -log2(p) bits. One struct serves both
 * directions, so that the model that predicts the bits is written once. coding.md specifies the
 * bytes.
 */
#ifndef BO_RANGE_CODER_H
#define BO_RANGE_CODER_H

#include "harness/core/bytes.h"

/* Probabilities are in 1/65536, from 1 to 65535. */
enum { BO_PROBABILITY_BITS = 16 };

struct bo_range_coder {
    uint32_t low, high;    /* both inclusive */
    struct bo_writer *out; /* encoding: the output; NULL: decoding */
    struct bo_span in;     /* decoding: the input; zeros follow it */
    size_t off;            /* of the next byte in `in`; may exceed its size */
    uint32_t code;
};

static inline struct bo_range_coder bo_range_encoder(struct bo_writer *out)
{
    return (struct bo_range_coder){.high = UINT32_MAX, .out = out};
}

static inline uint8_t bo_range_next_byte(struct bo_range_coder *c)
{
    const uint8_t byte = c->off < c->in.n ? c->in.p[c->off] : 0;
    c->off++;
    return byte;
}

static inline struct bo_range_coder bo_range_decoder(struct bo_span in)
{
    struct bo_range_coder c = {.high = UINT32_MAX, .in = in};
    for (unsigned i = 0; i < 4; i++)
        c.code = c.code << 8 | bo_range_next_byte(&c);
    return c;
}

/*
 * Encoding: writes a bit that is 1 with probability p, and returns it. Decoding: reads and returns
 * a bit, and ignores `bit`. A decoder may read past the end: see bo_range_ran_out.
 */
static inline bool bo_range_code(struct bo_range_coder *c, uint32_t p, bool bit)
{
    const uint32_t middle =
        c->low + (uint32_t)((uint64_t)(c->high - c->low) * p >> BO_PROBABILITY_BITS);
    if (!c->out)
        bit = c->code <= middle;
    if (bit)
        c->high = middle;
    else
        c->low = middle + 1;
    while ((c->low ^ c->high) >> 24 == 0) {
        if (c->out)
            bo_put_u8(c->out, (uint8_t)(c->high >> 24));
        else
            c->code = c->code << 8 | bo_range_next_byte(c);
        c->low <<= 8;
        c->high = c->high << 8 | 0xff;
    }
    return bit;
}

/* Decoding: true when the bits read so far need more bytes than the input has. */
static inline bool bo_range_ran_out(const struct bo_range_coder *c)
{
    return c->off > c->in.n && c->off - c->in.n > 4;
}

/* Encoding: writes a byte if the decoder needs it to read the last bits. */
void bo_range_finish(struct bo_range_coder *c);

/*
 * Decoding: NULL when the input ends exactly as bo_range_finish ends it after these bits, else a
 * static phrase. So exactly one input is accepted for a sequence of bits.
 */
const char *bo_range_flaw(const struct bo_range_coder *c);

#endif
