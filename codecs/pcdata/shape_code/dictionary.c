/*
 * The dictionary of shape-code: its bytes, and the constants that they stand for. Layout in
 * shape_code.c.
 */
#include "codecs/pcdata/shape_code/shape_code.h"

/* ---- writing --------------------------------------------------------------------------------- */

void shape_put_dictionary(const struct shape_dictionary *d, struct bo_writer *out)
{
    struct bo_bit_writer w = {.out = out};
    const size_t start = out->n;
    bo_put_bits(&w, d->n_bases, 8);
    for (uint32_t i = 0; i < d->n_bases; i++)
        bo_put_bits(&w, (uint32_t)d->bases[i], 32);
    bo_put_bits(&w, d->n_templates, 16);
    for (uint32_t i = 0; i < d->n_templates; i++) {
        const struct shape_template *t = &d->templates[i];
        bo_put_bits(&w, t->n_runs - 1u, 5);
        bo_put_bits(&w, t->value_nbits, 5);
        for (unsigned r = t->n_runs; r-- > 0;)
            bo_put_bits(&w, t->values[r], t->value_nbits);
    }
    bo_put_bits(&w, d->n_shapes, 8);
    for (uint32_t i = 0; i < d->n_shapes; i++) {
        const struct shape *s = &d->shapes[i];
        bo_put_bits(&w, s->template >= 0, 1);
        bo_put_bits(&w, s->low_nbits, 4);
        bo_put_bits(&w, s->bias_nbytes, 3);
        bo_put_bits(&w, s->base, 4);
        bo_put_bits(&w, s->shift, 2);
        if (s->template >= 0) {
            bo_put_bits(&w, (uint32_t)s->template, 9);
        } else {
            bo_put_bits(&w, s->n_runs - 1u, 5);
            bo_put_bits(&w, s->value_nbits, 5);
        }
    }
    const size_t n = out->n - start;
    if (n < SHAPE_MIN_DICTIONARY_NBYTES)
        bo_put_zeros(out, SHAPE_MIN_DICTIONARY_NBYTES - n);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Where the templates of a dictionary lie, while it is read. */
struct template_place {
    uint8_t n_runs, value_nbits;
    uint32_t bit; /* in the area */
};

static enum bo_status fail_dictionary(const struct bo_bit_cursor *c, enum bo_status status,
                                      const char *what, struct bo_error *err)
{
    return bo_fail(err, status, PCDATA_FRAME_HEADER + c->bit / 8, what);
}

static bool skip_bits(struct bo_bit_cursor *c, uint64_t nbits)
{
    if (nbits > 8 * (uint64_t)c->in.n - c->bit)
        return false;
    c->bit += nbits;
    return true;
}

static bool read_templates(struct bo_bit_cursor *c, uint32_t n, struct template_place *places)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t runs, nbits;
        if (!bo_get_bits(c, 5, &runs) || !bo_get_bits(c, 5, &nbits))
            return false;
        places[i] = (struct template_place){(uint8_t)(runs + 1), (uint8_t)nbits, (uint32_t)c->bit};
        if (!skip_bits(c, (uint64_t)(runs + 1) * nbits))
            return false;
    }
    return true;
}

/* The constants of one shape; NULL, or what is wrong with it. */
static const char *expand_shape(struct bo_bit_cursor *c, const int32_t *bases, uint32_t n_bases,
                                const struct template_place *places, uint32_t n_templates,
                                struct shape_constants *s)
{
    uint32_t has_template, l, bias_nbytes, base, shift, runs = 0, nbits = 0, id = 0;
    if (!bo_get_bits(c, 1, &has_template) || !bo_get_bits(c, 4, &l) ||
        !bo_get_bits(c, 3, &bias_nbytes) || !bo_get_bits(c, 4, &base) || !bo_get_bits(c, 2, &shift))
        return "dictionary runs past the area's end";
    if (has_template ? !bo_get_bits(c, 9, &id)
                     : !bo_get_bits(c, 5, &runs) || !bo_get_bits(c, 5, &nbits))
        return "dictionary runs past the area's end";
    if (l > SHAPE_MAX_LOW_NBITS || bias_nbytes > 4 || base >= n_bases)
        return "low part, bias or base of a shape is out of range";
    if (has_template && id >= n_templates)
        return "template of a shape is out of range";
    if (has_template) {
        runs = places[id].n_runs - 1u;
        nbits = places[id].value_nbits;
    }
    const uint32_t lows = runs * l;
    if (lows > SHAPE_MAX_LOWS_NBITS || nbits + shift > 32)
        return "shape with too many low bits or too wide values";
    const uint32_t origin = 8 * SHAPE_FIELD_ORIGIN_NBYTES;
    const uint32_t fields_end = has_template ? origin + places[id].bit + (runs + 1) * nbits
                                             : origin - 8 * bias_nbytes - lows;
    *s = (struct shape_constants){
        .in_record = has_template ? 0 : UINT64_MAX,
        .value_at = fields_end - nbits,
        .value_step = -(int32_t)nbits,
        .value_mask = (uint32_t)(((UINT64_C(1) << nbits) - 1) << shift),
        .bias_mask = (uint32_t)((UINT64_C(1) << (8 * bias_nbytes)) - 1),
        .base = (uint32_t)bases[base],
        .lows_off = (uint16_t)(l * SHAPE_LANES_NBYTES),
        .bias_at = (int8_t) - (int)bias_nbytes,
        .n_runs = (uint8_t)(runs + 1),
    };
    return NULL;
}

enum bo_status shape_read_dictionary(const struct pcdata_frame *frame,
                                     struct shape_constants *shapes, uint32_t *nbytes_ret,
                                     struct bo_error *err)
{
    static const char *const truncated = "dictionary runs past the area's end";
    struct bo_bit_cursor c = {.in = frame->area};
    uint32_t n_bases, n_templates, n_shapes, bits;
    int32_t bases[SHAPE_MAX_BASES];
    struct template_place places[SHAPE_MAX_TEMPLATES];
    memset(shapes, 0, 256 * sizeof *shapes);
    if (!bo_get_bits(&c, 8, &n_bases))
        return fail_dictionary(&c, BO_TRUNCATED, truncated, err);
    if (n_bases > SHAPE_MAX_BASES)
        return fail_dictionary(&c, BO_CORRUPT, "dictionary has more than 16 bases", err);
    for (uint32_t i = 0; i < n_bases; i++) {
        if (!bo_get_bits(&c, 32, &bits))
            return fail_dictionary(&c, BO_TRUNCATED, truncated, err);
        bases[i] = (int32_t)bits;
    }
    if (!bo_get_bits(&c, 16, &n_templates))
        return fail_dictionary(&c, BO_TRUNCATED, truncated, err);
    if (n_templates > SHAPE_MAX_TEMPLATES)
        return fail_dictionary(&c, BO_CORRUPT, "dictionary has more than 512 templates", err);
    if (!read_templates(&c, n_templates, places) || !bo_get_bits(&c, 8, &n_shapes))
        return fail_dictionary(&c, BO_TRUNCATED, truncated, err);
    if (n_shapes > SHAPE_MAX_SHAPES)
        return fail_dictionary(&c, BO_CORRUPT, "dictionary has more than 254 shapes", err);
    for (uint32_t i = 0; i < n_shapes; i++) {
        const char *flaw = expand_shape(&c, bases, n_bases, places, n_templates, &shapes[i]);
        if (flaw)
            return fail_dictionary(&c, BO_CORRUPT, flaw, err);
    }
    const uint64_t nbytes = (c.bit + 7) / 8;
    const uint64_t end =
        nbytes < SHAPE_MIN_DICTIONARY_NBYTES ? SHAPE_MIN_DICTIONARY_NBYTES : nbytes;
    if (end > frame->area.n)
        return fail_dictionary(&c, BO_TRUNCATED, truncated, err);
    for (; c.bit < 8 * end; c.bit++)
        if (bo_bit_at(frame->area.p, c.bit))
            return fail_dictionary(&c, BO_CORRUPT, "bits after the dictionary are not 0", err);
    *nbytes_ret = (uint32_t)end;
    return BO_OK;
}
