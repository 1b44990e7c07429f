/*
 * delta16: the array that Parca's agent holds in memory, one row of 16 bytes for each row of the
 * model and one where no row follows. Little-endian.
 */
#include "codecs/unwind/deltas.h"

#define HOLDS_SIGNALS false

/* Keeps what can be stored: CFA on sp or fp, offsets of 16 bits, FP same or at the CFA. */
static bool hold(const struct unwind_model *model, uint8_t flags, struct unwind_state *s)
{
    const bool amd64 = model->arch == UNWIND_AMD64, at_cfa = unwind_ra(s) == UNWIND_AT_CFA;
    const bool ra_held =
        amd64 ? at_cfa && s->ra_off == -8
              : unwind_ra(s) == UNWIND_SAME || (at_cfa && s->ra_off && unwind_is_int16(s->ra_off));
    delta_reduce(ra_held && delta_cfa_is_plain(model, s) && unwind_is_int16(s->cfa_off), s);
    return true;
}

enum { N_PARTS = 1, ENTRY_NBYTES = 16 };

struct table {
    struct unwind_frame frame;
    size_t n;
};

static enum bo_status put_flats(const struct unwind_flats *flats, const struct unwind_model *model,
                                struct bo_writer *out, struct unwind_frame_writer *w,
                                struct bo_error *err)
{
    bo_mark(out, "rows");
    for (size_t i = 0; i < flats->n; i++) {
        const struct unwind_flat *f = &flats->p[i];
        bo_put_le64(out, f->pc);
        bo_put_le16(out, (uint16_t)(model->arch == UNWIND_AMD64 ? 0 : f->state.ra_off));
        bo_put_u8(out, delta_cfa_type(model, f));
        bo_put_u8(out, delta_fp_type(f));
        bo_put_le16(out, (uint16_t)f->state.cfa_off);
        bo_put_le16(out, (uint16_t)f->state.fp_off);
    }
    unwind_frame_end_part(w);
    return BO_OK;
}

static enum bo_status open_table(struct bo_span in, struct table *t, struct bo_error *err)
{
    const enum bo_status status = unwind_frame_open(in, N_PARTS, &t->frame, err);
    if (status)
        return status;
    t->n = t->frame.parts[0].n / ENTRY_NBYTES;
    return t->frame.parts[0].n % ENTRY_NBYTES ? bo_fail(err, BO_CORRUPT, t->frame.part_off[0],
                                                        "size of the rows is not a multiple of 16")
                                              : BO_OK;
}

static inline const char *get_flat(const struct table *t, size_t i, struct unwind_flat *flat)
{
    const uint8_t *p = t->frame.parts[0].p + i * ENTRY_NBYTES;
    const bool amd64 = t->frame.arch == UNWIND_AMD64;
    const int16_t ra_off = amd64 ? -8 : (int16_t)bo_le16(p + 8);
    const bool plain = p[10] == DELTA_CFA_FP || p[10] == DELTA_CFA_SP;
    *flat = (struct unwind_flat){.pc = bo_le64(p)};
    const char *flaw =
        delta_flat(t->frame.arch, p[10], p[11], (int16_t)bo_le16(p + 12), (int16_t)bo_le16(p + 14),
                   ra_off ? UNWIND_AT_CFA : UNWIND_SAME, ra_off, flat);
    if (!flaw && bo_le16(p + 8) && (amd64 || !plain))
        flaw = "offset of RA that is not used is not 0";
    return flaw;
}

static inline bool find_flat(const struct table *t, uint64_t pc, size_t *i_ret)
{
    size_t low = 0, n = t->n;
    if (n == 0 || pc < t->frame.base)
        return false;
    while (n > 1) {
        const size_t half = n / 2;
        low = bo_le64(t->frame.parts[0].p + (low + half) * ENTRY_NBYTES) <= pc ? low + half : low;
        n -= half;
    }
    *i_ret = low;
    return true;
}

#include "codecs/unwind/flat.h"

const struct bo_codec unwind_delta16 = {
    .name = "delta16",
    .summary = "Parca's table: sorted rows of 16 bytes, one binary search",
    .spec = "codecs/unwind/README.md#delta16",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_SCAN,
    .reduce = reduce,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
