/*
 * delta16: the array that Parca's agent holds in memory, one row of 16 bytes for each row of the
 * model and one where no row follows. Little-endian.
 */
#include "codecs/unwind/reduce.h"

enum {
    CFA_FP = 1,
    CFA_SP = 2,
    CFA_NONE = 3, /* an expression: written for an outermost frame */
    END = 4,
    FP_SAME = 0,
    FP_AT_CFA = 1,
    RA_UNDEFINED = 4,
};
#define HOLDS_SIGNALS false

static bool is_outermost(const struct unwind_state *s)
{
    return unwind_ra(s) == UNWIND_UNDEFINED;
}

static const struct unwind_state outermost = {.kinds = UNWIND_CFA_OTHER | UNWIND_UNDEFINED << 2};

static bool is_int16(int32_t v)
{
    return v >= INT16_MIN && v <= INT16_MAX;
}

/* The rule of the return address that needs no word. */
static bool has_default_ra(enum unwind_arch arch, const struct unwind_state *s)
{
    return arch == UNWIND_AMD64 ? unwind_ra(s) == UNWIND_AT_CFA && s->ra_off == -8
                                : unwind_ra(s) == UNWIND_SAME;
}

/* What it holds: CFA on sp or fp, offsets of 16 bits, FP same or at the CFA. */
static bool hold(const struct unwind_model *model, struct unwind_state *s)
{
    const struct unwind_machine *machine = &unwind_machines[model->arch];
    const uint8_t reg = unwind_cfa_reg(s);
    if (is_outermost(s)) {
        *s = outermost;
        return true;
    }
    s->cfa_reg = reg;
    if (unwind_cfa(s) != UNWIND_CFA_REGISTER || (reg != machine->sp && reg != machine->fp) ||
        !is_int16(s->cfa_off) || !is_int16(s->ra_off) || !is_int16(s->fp_off))
        return false;
    if (unwind_fp(s) != UNWIND_SAME && unwind_fp(s) != UNWIND_AT_CFA)
        return false;
    return has_default_ra(model->arch, s) ||
           (model->arch != UNWIND_AMD64 && unwind_ra(s) == UNWIND_AT_CFA && s->ra_off != 0);
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
    const struct unwind_machine *machine = &unwind_machines[model->arch];
    (void)err;
    bo_mark(out, "rows");
    for (size_t i = 0; i < flats->n; i++) {
        const struct unwind_flat *f = &flats->p[i];
        const struct unwind_state *s = &f->state;
        const bool last = f->known && is_outermost(s);
        bo_put_le64(out, f->pc);
        bo_put_le16(out, (uint16_t)(model->arch == UNWIND_AMD64 ? 0 : s->ra_off));
        bo_put_u8(out, (uint8_t)(!f->known                          ? END
                                 : last                             ? CFA_NONE
                                 : unwind_cfa_reg(s) == machine->sp ? CFA_SP
                                                                    : CFA_FP));
        bo_put_u8(out, (uint8_t)(last                            ? RA_UNDEFINED
                                 : unwind_fp(s) == UNWIND_AT_CFA ? FP_AT_CFA
                                                                 : FP_SAME));
        bo_put_le16(out, (uint16_t)s->cfa_off);
        bo_put_le16(out, (uint16_t)s->fp_off);
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

static const char *get_flat(const struct table *t, size_t i, struct unwind_flat *flat)
{
    const struct unwind_machine *machine = &unwind_machines[t->frame.arch];
    const uint8_t *p = t->frame.parts[0].p + i * ENTRY_NBYTES;
    const int16_t ra_off = (int16_t)bo_le16(p + 8), cfa_off = (int16_t)bo_le16(p + 12),
                  fp_off = (int16_t)bo_le16(p + 14);
    const uint8_t cfa = p[10], fp = p[11];
    const bool amd64 = t->frame.arch == UNWIND_AMD64;
    *flat = (struct unwind_flat){.pc = bo_le64(p)};
    if (cfa == END || cfa == CFA_NONE) {
        flat->known = cfa == CFA_NONE;
        flat->state = flat->known ? outermost : flat->state;
        return ra_off || cfa_off || fp_off || fp != (flat->known ? RA_UNDEFINED : FP_SAME)
                   ? "row without a CFA has offsets or a rule of FP"
                   : NULL;
    }
    if ((cfa != CFA_FP && cfa != CFA_SP) || fp > FP_AT_CFA || (amd64 && ra_off) ||
        (fp == FP_SAME && fp_off))
        return "type of a row is unknown, or an offset that is not used is not 0";
    flat->known = true;
    flat->state = (struct unwind_state){
        .cfa_off = cfa_off,
        .ra_off = amd64 ? -8 : ra_off,
        .fp_off = fp_off,
        .cfa_reg = cfa == CFA_SP ? machine->sp : machine->fp,
        .kinds = unwind_pack(UNWIND_CFA_REGISTER, amd64 || ra_off ? UNWIND_AT_CFA : UNWIND_SAME,
                             fp == FP_AT_CFA ? UNWIND_AT_CFA : UNWIND_SAME)};
    return NULL;
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
