/* Ends the output of a range coder. */
#include "harness/coding/range_coder.h"

/*
 * The shortest byte string that, followed by zeros, is a number from low to high: empty, or the
 * first bytes of *code_ret.
 */
static unsigned last_bytes(const struct bo_range_coder *c, uint32_t *code_ret)
{
    for (unsigned n = 0; n < 4; n++) {
        const uint64_t step = UINT64_C(1) << (32 - 8 * n);
        const uint64_t code = (c->low + step - 1) & ~(step - 1);
        if (code <= c->high) {
            *code_ret = (uint32_t)code;
            return n;
        }
    }
    *code_ret = c->low;
    return 4;
}

void bo_range_finish(struct bo_range_coder *c)
{
    uint32_t code;
    const unsigned n = last_bytes(c, &code);
    for (unsigned i = 0; i < n; i++)
        bo_put_u8(c->out, (uint8_t)(code >> (24 - 8 * i)));
}

const char *bo_range_flaw(const struct bo_range_coder *c)
{
    uint32_t code;
    const unsigned n = last_bytes(c, &code);
    const size_t nbytes = c->off - 4 + n;
    if (nbytes > c->in.n)
        return "coded bits end too early";
    if (nbytes < c->in.n)
        return "bytes left after the coded bits";
    return c->code == code ? NULL : "coded bits do not end as an encoder writes them";
}
