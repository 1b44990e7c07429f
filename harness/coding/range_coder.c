/* Ends the output of a range coder. */
#include "harness/coding/range_coder.h"

/*
 * The shortest byte string that, followed by zeros, is a number from low to high, in *code_ret: no
 * byte for 0, else one, as the first bytes of low and high differ. Returns its length.
 */
static unsigned last_bytes(const struct bo_range_coder *c, uint32_t *code_ret)
{
    *code_ret = (c->low + 0xffffff) & 0xff000000;
    return *code_ret != 0;
}

void bo_range_finish(struct bo_range_coder *c)
{
    uint32_t code;
    if (last_bytes(c, &code))
        bo_put_u8(c->out, (uint8_t)(code >> 24));
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
