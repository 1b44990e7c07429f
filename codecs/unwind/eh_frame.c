/*
 * eh-frame: DWARF call frame information as in .eh_frame and .eh_frame_hdr, lean: only what the
 * model contains. A query searches the header's table, then interprets the instructions of one
 * function. Parts: .eh_frame, .eh_frame_hdr, in the target's byte order.
 */
#include "codecs/unwind/unwind.h"

enum { EH_FRAME, HDR, N_PARTS };

enum {
    ADVANCE = 0x40,
    OFFSET = 0x80,
    RESTORE = 0xc0,
    NOP = 0x00,
    ADVANCE1 = 0x02,
    ADVANCE2 = 0x03,
    ADVANCE4 = 0x04,
    OFFSET_EXTENDED = 0x05,
    RESTORE_EXTENDED = 0x06,
    UNDEFINED = 0x07,
    SAME_VALUE = 0x08,
    IN_REGISTER = 0x09,
    REMEMBER = 0x0a,
    RESTORE_STATE = 0x0b,
    DEF_CFA = 0x0c,
    DEF_CFA_REGISTER = 0x0d,
    DEF_CFA_OFFSET = 0x0e,
    DEF_CFA_EXPRESSION = 0x0f,
    EXPRESSION = 0x10,
    OFFSET_EXTENDED_SF = 0x11,
    DEF_CFA_SF = 0x12,
    DEF_CFA_OFFSET_SF = 0x13,
    VAL_OFFSET_SF = 0x15,
    VAL_EXPRESSION = 0x16,
    NEGATE_RA_STATE = 0x2d,
    OP_BREG0 = 0x70,
    OP_BREGX = 0x92,
    OP_NOP = 0x96,
    OP_DEREF = 0x06,
    ENCODING = 0x1b,       /* relative to the field, signed 32 bits */
    TABLE_ENCODING = 0x3b, /* relative to the header, signed 32 bits */
    DATA_FACTOR = -8,
    HDR_NBYTES = 12,
    MAX_CIES = 16,
    MAX_CIE_NBYTES = 256,
    MAX_REMEMBERED = 8,
};

/* CFA = sp + 8 + (pc % 16 >= K ? 8 : 0), as GNU ld writes it for its PLT; K is at PLT_K. */
static const uint8_t plt[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x30, 0x2a, 0x33, 0x24, 0x22};
enum { PLT_K = 6, PLT_BLOCK = 16, LIT0 = 0x30 };

/* ---- what the encoding can store ------------------------------------------------------------- */

static bool is_plt(const struct unwind_model *model, const struct unwind_function *f)
{
    return model->arch == UNWIND_AMD64 && f->rep == PLT_BLOCK && f->n_rows == 2 &&
           f->rows[0].off == 0 && f->rows[0].state.cfa_off == 8 && f->rows[1].state.cfa_off == 16 &&
           unwind_cfa(&f->rows[0].state) == UNWIND_CFA_REGISTER &&
           f->rows[0].state.cfa_reg == unwind_machines[UNWIND_AMD64].sp &&
           f->rows[1].state.cfa_reg == f->rows[0].state.cfa_reg &&
           f->rows[1].state.kinds == f->rows[0].state.kinds &&
           f->rows[1].state.ra_off == f->rows[0].state.ra_off &&
           f->rows[1].state.fp_off == f->rows[0].state.fp_off &&
           f->rows[1].state.ra_reg == f->rows[0].state.ra_reg &&
           f->rows[1].state.fp_reg == f->rows[0].state.fp_reg;
}

static enum unwind_rule hold_rule(enum unwind_rule rule, int32_t *off)
{
    const bool scaled = rule == UNWIND_AT_CFA || rule == UNWIND_CFA_PLUS;
    if (!scaled || *off % DATA_FACTOR == 0)
        return rule;
    *off = 0;
    return UNWIND_EXPRESSION;
}

/* Rules with offsets that are not multiples of the data factor become expressions. */
static struct unwind_state hold_state(struct unwind_state s)
{
    enum unwind_cfa_kind cfa = unwind_cfa(&s);
    if (cfa == UNWIND_CFA_REGISTER && s.cfa_off < 0 && s.cfa_off % DATA_FACTOR) {
        cfa = UNWIND_CFA_OTHER;
        s.cfa_off = 0;
        s.cfa_reg &= UNWIND_SIGNED;
    }
    const enum unwind_rule ra = hold_rule(unwind_ra(&s), &s.ra_off);
    const enum unwind_rule fp = hold_rule(unwind_fp(&s), &s.fp_off);
    s.kinds = unwind_pack(cfa, ra, fp);
    return s;
}

/* Patterns other than that of a PLT, and rows between instructions, cannot be stored. */
static bool is_held(const struct unwind_model *model, const struct unwind_function *f)
{
    bool held = !f->rep || is_plt(model, f);
    for (uint32_t r = 0; r < f->n_rows; r++)
        held &= f->rows[r].off % unwind_machines[model->arch].code_factor == 0;
    return held;
}

/* Every function gets a row at 0, an expression if it has none or cannot be stored. */
static enum bo_status reduce(const struct bo_codec *self, const void *opaque,
                             struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    static const struct unwind_state unknown = {.kinds = UNWIND_CFA_OTHER};
    const struct unwind_model *model = opaque;
    struct unwind_builder b = {.arena = arena};
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        const bool held = is_held(model, f);
        bool ok = unwind_add_function(&b, f->start, f->length, f->flags, held ? f->rep : 0);
        if (!held || f->n_rows == 0 || f->rows[0].off)
            ok = ok && unwind_add_row(&b, 0, &unknown);
        for (uint32_t r = 0; r < f->n_rows && ok && held; r++) {
            const struct unwind_state s = hold_state(f->rows[r].state);
            ok = unwind_add_row(&b, f->rows[r].off, &s);
        }
        if (!ok)
            return bo_fail_alloc(err, arena);
    }
    struct unwind_model *reduced = unwind_build(&b, model->arch);
    if (!reduced)
        return bo_fail_alloc(err, arena);
    reduced->calls = model->calls;
    reduced->n_calls = model->n_calls;
    *model_ret = reduced;
    return BO_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct emitter {
    struct bo_writer *out;
    const struct unwind_machine *machine;
    struct unwind_state initial; /* the CIE's */
    size_t section;              /* where .eh_frame starts in out */
};

static void put_u32(const struct emitter *e, uint32_t v)
{
    if (e->machine->big_endian)
        bo_put_be32(e->out, v);
    else
        bo_put_le32(e->out, v);
}

static void set_u32(const struct emitter *e, size_t at, uint32_t v)
{
    if (e->out->status)
        return;
    if (e->machine->big_endian)
        bo_set_be32(e->out->p + at, v);
    else
        bo_set_le32(e->out->p + at, v);
}

static void put_sleb(struct bo_writer *out, int64_t v)
{
    for (;;) {
        const uint8_t low = v & 0x7f;
        v = v < 0 ? ~(~v >> 7) : v >> 7;
        const bool last = (v == 0 && !(low & 0x40)) || (v == -1 && (low & 0x40));
        bo_put_u8(out, last ? low : low | 0x80);
        if (last)
            return;
    }
}

/* DW_OP_bregR offset, and for a CFA DW_OP_deref, after its length. */
static void put_expression(struct bo_writer *out, unsigned reg, int32_t off, bool deref)
{
    const size_t at = out->n;
    bo_put_u8(out, 0);
    if (reg < 32) {
        bo_put_u8(out, (uint8_t)(OP_BREG0 + reg));
    } else {
        bo_put_u8(out, OP_BREGX);
        bo_put_uvarint(out, reg);
    }
    put_sleb(out, off);
    if (deref)
        bo_put_u8(out, OP_DEREF);
    if (!out->status)
        out->p[at] = (uint8_t)(out->n - at - 1);
}

static void put_opaque(struct bo_writer *out)
{
    bo_put_u8(out, 1);
    bo_put_u8(out, OP_NOP);
}

static bool same_cfa(const struct unwind_state *a, const struct unwind_state *b)
{
    return unwind_cfa(a) == unwind_cfa(b) && a->cfa_off == b->cfa_off &&
           unwind_cfa_reg(a) == unwind_cfa_reg(b);
}

static void put_cfa(struct bo_writer *out, const struct unwind_state *from,
                    const struct unwind_state *to)
{
    const bool from_register = from && unwind_cfa(from) == UNWIND_CFA_REGISTER;
    const unsigned reg = unwind_cfa_reg(to);
    if (from && same_cfa(from, to))
        return;
    if (unwind_cfa(to) == UNWIND_CFA_REGISTER) {
        const bool same_register = from_register && unwind_cfa_reg(from) == reg;
        if (from_register && !same_register && from->cfa_off == to->cfa_off) {
            bo_put_u8(out, DEF_CFA_REGISTER);
            bo_put_uvarint(out, reg);
            return;
        }
        const bool negative = to->cfa_off < 0;
        bo_put_u8(out, same_register ? (negative ? DEF_CFA_OFFSET_SF : DEF_CFA_OFFSET)
                                     : (negative ? DEF_CFA_SF : DEF_CFA));
        if (!same_register)
            bo_put_uvarint(out, reg);
        if (negative)
            put_sleb(out, to->cfa_off / DATA_FACTOR);
        else
            bo_put_uvarint(out, (uint32_t)to->cfa_off);
        return;
    }
    bo_put_u8(out, DEF_CFA_EXPRESSION);
    if (unwind_cfa(to) == UNWIND_CFA_MEMORY)
        put_expression(out, reg, to->cfa_off, true);
    else
        put_opaque(out);
}

/* One register's rule; `number` is the register in which its value is. */
struct rule {
    enum unwind_rule rule;
    int32_t off;
    uint8_t number;
};

static struct rule ra_of(const struct unwind_state *s)
{
    return (struct rule){unwind_ra(s), s->ra_off, s->ra_reg};
}

static struct rule fp_of(const struct unwind_state *s)
{
    return (struct rule){unwind_fp(s), s->fp_off, s->fp_reg};
}

static bool same_rule(struct rule a, struct rule b)
{
    return a.rule == b.rule && a.off == b.off && a.number == b.number;
}

static void put_rule(struct bo_writer *out, unsigned reg, struct rule from, struct rule to,
                     const struct rule *initial)
{
    if (same_rule(from, to))
        return;
    if (initial && same_rule(*initial, to)) {
        bo_put_u8(out, (uint8_t)(RESTORE | reg));
        return;
    }
    static const uint8_t opcodes[UNWIND_N_RULES] = {SAME_VALUE,    UNDEFINED,   OFFSET_EXTENDED_SF,
                                                    VAL_OFFSET_SF, IN_REGISTER, EXPRESSION,
                                                    EXPRESSION};
    if (to.rule == UNWIND_AT_CFA && to.off < 0) {
        bo_put_u8(out, (uint8_t)(OFFSET | reg));
        bo_put_uvarint(out, (uint64_t)(to.off / DATA_FACTOR));
        return;
    }
    bo_put_u8(out, opcodes[to.rule]);
    bo_put_uvarint(out, reg);
    if (to.rule == UNWIND_AT_CFA || to.rule == UNWIND_CFA_PLUS)
        put_sleb(out, to.off / DATA_FACTOR);
    else if (to.rule == UNWIND_REGISTER)
        bo_put_uvarint(out, to.number);
    else if (to.rule == UNWIND_MEMORY)
        put_expression(out, to.number, to.off, false);
    else if (to.rule == UNWIND_EXPRESSION)
        put_opaque(out);
}

static void put_rules(const struct emitter *e, const struct unwind_state *from,
                      const struct unwind_state *to)
{
    const struct rule ra = ra_of(&e->initial), fp = fp_of(&e->initial);
    put_rule(e->out, e->machine->ra, ra_of(from), ra_of(to), &ra);
    put_rule(e->out, e->machine->fp, fp_of(from), fp_of(to), &fp);
    if (unwind_is_signed(from) != unwind_is_signed(to))
        bo_put_u8(e->out, NEGATE_RA_STATE);
}

static void put_changes(const struct emitter *e, const struct unwind_state *from,
                        const struct unwind_state *to)
{
    put_cfa(e->out, from, to);
    put_rules(e, from, to);
}

static void put_advance(const struct emitter *e, uint32_t delta)
{
    delta /= e->machine->code_factor;
    if (delta < 64) {
        bo_put_u8(e->out, (uint8_t)(ADVANCE | delta));
    } else if (delta <= UINT8_MAX) {
        bo_put_u8(e->out, ADVANCE1);
        bo_put_u8(e->out, (uint8_t)delta);
    } else if (delta <= UINT16_MAX) {
        bo_put_u8(e->out, ADVANCE2);
        if (e->machine->big_endian)
            bo_put_be16(e->out, (uint16_t)delta);
        else
            bo_put_le16(e->out, (uint16_t)delta);
    } else {
        bo_put_u8(e->out, ADVANCE4);
        put_u32(e, delta);
    }
}

/* Padding to a multiple of 4, and the length at the record's start. */
static void end_record(const struct emitter *e, size_t at)
{
    bo_put_zeros(e->out, (size_t)(at - e->out->n) & 3);
    set_u32(e, at, (uint32_t)(e->out->n - at - 4));
}

/* Bytes that the changes take. */
static size_t changes_nbytes(const struct emitter *e, const struct unwind_state *from,
                             const struct unwind_state *to)
{
    const size_t at = e->out->n;
    put_changes(e, from, to);
    const size_t nbytes = e->out->n - at;
    bo_writer_truncate(e->out, at);
    return nbytes;
}

/*
 * Whether the state occurs again after row i, where restoring a saved state takes fewer bytes. The
 * search is limited to LOOK_AHEAD rows to bound the work; compiled functions have fewer rows.
 */
static bool is_worth_saving(const struct emitter *e, const struct unwind_function *f, uint32_t i,
                            const struct unwind_state *state)
{
    enum { LOOK_AHEAD = 1024 };
    for (uint32_t r = i + 1; r < f->n_rows && r - i <= LOOK_AHEAD; r++)
        if (unwind_same_state(&f->rows[r].state, state))
            return changes_nbytes(e, &f->rows[r - 1].state, state) > 2;
    return false;
}

static void put_fde(const struct emitter *e, const struct unwind_function *f, size_t cie_at,
                    uint64_t base)
{
    struct bo_writer *out = e->out;
    const size_t at = out->n;
    put_u32(e, 0);
    put_u32(e, (uint32_t)(out->n - cie_at));
    put_u32(e, (uint32_t)(f->start - base) - (uint32_t)(out->n - e->section));
    put_u32(e, f->length);
    bo_put_u8(out, 0);
    struct unwind_state now = e->initial, saved = {0};
    bool has_saved = false;
    if (f->rep) {
        bo_put_u8(out, DEF_CFA_EXPRESSION);
        bo_put_u8(out, sizeof plt);
        bo_put_bytes(out, plt, sizeof plt);
        if (!out->status)
            out->p[out->n - sizeof plt + PLT_K] = (uint8_t)(LIT0 + f->rows[1].off);
        put_rules(e, &now, &f->rows[0].state);
        end_record(e, at);
        return;
    }
    uint32_t before = 0;
    for (uint32_t r = 0; r < f->n_rows && !out->status; r++) {
        const struct unwind_row *row = &f->rows[r];
        if (row->off > before)
            put_advance(e, row->off - before);
        if (has_saved && unwind_same_state(&row->state, &saved)) {
            bo_put_u8(out, RESTORE_STATE);
            has_saved = false;
        } else {
            if (!has_saved && is_worth_saving(e, f, r, &now)) {
                bo_put_u8(out, REMEMBER);
                saved = now;
                has_saved = true;
            }
            put_changes(e, &now, &row->state);
        }
        now = row->state;
        before = row->off;
    }
    end_record(e, at);
}

static void put_cie(const struct emitter *e, uint8_t flags)
{
    struct bo_writer *out = e->out;
    const size_t at = out->n;
    const struct rule same = {UNWIND_SAME, 0, 0};
    put_u32(e, 0);
    put_u32(e, 0);
    bo_put_u8(out, 1);
    bo_put_text(out, "zR%s%s", flags & UNWIND_SIGNAL ? "S" : "", flags & UNWIND_KEY_B ? "B" : "");
    bo_put_u8(out, 0);
    bo_put_uvarint(out, e->machine->code_factor);
    put_sleb(out, DATA_FACTOR);
    bo_put_u8(out, e->machine->ra);
    bo_put_u8(out, 1);
    bo_put_u8(out, ENCODING);
    put_cfa(out, NULL, &e->initial);
    put_rule(out, e->machine->ra, same, ra_of(&e->initial), NULL);
    put_rule(out, e->machine->fp, same, fp_of(&e->initial), NULL);
    end_record(e, at);
}

/* The most frequent state of first rows, without signature. */
static enum bo_status commonest_state(const struct unwind_model *model, struct bo_arena *arena,
                                      struct unwind_state *state_ret, struct bo_error *err)
{
    struct unwind_interner in;
    uint32_t *counts = bo_zalloc_array(arena, model->n_functions, sizeof *counts), best = 0;
    if (!counts)
        return bo_fail_alloc(err, arena);
    unwind_interner_init(&in, sizeof(struct unwind_state), arena);
    for (uint32_t i = 0; i < model->n_functions; i++) {
        struct unwind_state s = model->functions[i].rows[0].state;
        s.cfa_reg = unwind_cfa_reg(&s);
        const uint32_t number = unwind_intern(&in, &s);
        if (number == UINT32_MAX)
            return bo_fail_alloc(err, arena);
        counts[number]++;
    }
    for (uint32_t i = 0; i < in.n; i++)
        best = counts[i] > counts[best] ? i : best;
    if (in.n)
        memcpy(state_ret, in.items + best * sizeof *state_ret, sizeof *state_ret);
    return BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    void *reduced;
    enum bo_status status = reduce(self, opaque, out->arena, &reduced, err);
    if (status)
        return status;
    const struct unwind_model *model = reduced;
    const uint64_t base = unwind_base(model);
    struct emitter e = {.out = out, .machine = &unwind_machines[model->arch]};
    struct unwind_frame_writer w;
    size_t cie_at[UNWIND_ALL_FLAGS + 1] = {0};
    uint32_t *fde_at = bo_alloc_array(out->arena, model->n_functions, sizeof *fde_at);
    if (!fde_at)
        return bo_fail_alloc(err, out->arena);
    status = commonest_state(model, out->arena, &e.initial, err);
    unwind_frame_begin(&w, model, N_PARTS, out);
    bo_mark(out, ".eh_frame");
    e.section = out->n;
    for (uint32_t i = 0; i < model->n_functions && !status; i++) {
        const struct unwind_function *f = &model->functions[i];
        if (f->start - base > INT32_MAX || out->n - e.section > INT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "addresses span 2^31 bytes or more");
        if (!cie_at[f->flags]) {
            cie_at[f->flags] = out->n;
            put_cie(&e, f->flags);
        }
        fde_at[i] = (uint32_t)(out->n - e.section);
        put_fde(&e, f, cie_at[f->flags], base);
        status = bo_writer_status(out, err);
    }
    if (status)
        return status;
    put_u32(&e, 0);
    unwind_frame_end_part(&w);
    bo_mark(out, ".eh_frame_hdr");
    bo_put_bytes(out, "\x01\x1b\x03\x3b", 4);
    put_u32(&e, (uint32_t)-4);
    put_u32(&e, model->n_functions);
    for (uint32_t i = 0; i < model->n_functions; i++) {
        put_u32(&e, (uint32_t)(model->functions[i].start - base));
        put_u32(&e, fde_at[i]);
    }
    unwind_frame_end_part(&w);
    return bo_writer_status(out, err);
}

/* ---- reading: records ------------------------------------------------------------------------ */

struct reader {
    struct unwind_frame frame;
    const struct unwind_machine *machine;
    uint32_t n; /* functions */
};

static inline uint32_t get_u32(const struct unwind_machine *machine, const uint8_t *p)
{
    return machine->big_endian ? bo_be32(p) : bo_le32(p);
}

/* An unsigned LEB of at most 64 bits in at most 10 bytes; need not be the shortest. */
static bool get_uleb(struct bo_cursor *c, uint64_t *v_ret)
{
    uint64_t v = 0;
    uint8_t byte;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (!bo_get_u8(c, &byte))
            return false;
        if (shift == 63 && byte > 1)
            return false;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *v_ret = v;
            return true;
        }
    }
    return false;
}

static bool get_sleb(struct bo_cursor *c, int64_t *v_ret)
{
    uint64_t v = 0;
    uint8_t byte;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (!bo_get_u8(c, &byte))
            return false;
        if (shift == 63 && byte != 0 && byte != 0x7f)
            return false;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            if (shift < 57 && byte & 0x40)
                v |= UINT64_MAX << (shift + 7);
            *v_ret = (int64_t)v;
            return true;
        }
    }
    return false;
}

/* A register number; fails if the model has no such register. */
static bool get_register(struct bo_cursor *c, uint8_t *reg_ret)
{
    uint64_t v;
    if (!get_uleb(c, &v) || v > UNWIND_MAX_REGISTER)
        return false;
    *reg_ret = (uint8_t)v;
    return true;
}

/* A state while instructions run. */
struct cfi_state {
    struct unwind_state state;
    uint8_t plt_k; /* not 0: the CFA is the PLT's expression with this K */
    bool has_cfa;
};

struct cie {
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t flags;
    struct cfi_state initial;
    bool is_initial; /* false while the CIE's own instructions run */
};

/* A function whose instructions run. */
struct cfi {
    const struct unwind_machine *machine;
    struct cie cie;
    struct bo_cursor in;
    uint32_t loc, next_loc, length;
    bool done;
    struct cfi_state now, saved[MAX_REMEMBERED];
    unsigned n_saved;
};

/* ---- reading: instructions ------------------------------------------------------------------- */

static enum bo_status bad(const struct cfi *c, struct bo_error *err, const char *what)
{
    return bo_fail_here(err, BO_CORRUPT, &c->in, what);
}

static bool scaled(const struct cfi *c, int64_t n, int32_t *off_ret)
{
    int64_t v;
    if (__builtin_mul_overflow(n, c->cie.data_factor, &v) || v < INT32_MIN || v > INT32_MAX)
        return false;
    *off_ret = (int32_t)v;
    return true;
}

static void set_cfa(struct cfi *c, enum unwind_cfa_kind kind, uint8_t reg, int32_t off)
{
    struct unwind_state *s = &c->now.state;
    s->kinds = unwind_pack(kind, unwind_ra(s), unwind_fp(s));
    s->cfa_reg = (uint8_t)((s->cfa_reg & UNWIND_SIGNED) | reg);
    s->cfa_off = off;
    c->now.plt_k = 0;
    c->now.has_cfa = true;
}

/* Only the rules of RA and FP are tracked. */
static void set_rule(struct cfi *c, uint64_t reg, struct rule rule)
{
    struct unwind_state *s = &c->now.state;
    if (reg == c->machine->ra) {
        s->kinds = unwind_pack(unwind_cfa(s), rule.rule, unwind_fp(s));
        s->ra_off = rule.off;
        s->ra_reg = rule.number;
    } else if (reg == c->machine->fp) {
        s->kinds = unwind_pack(unwind_cfa(s), unwind_ra(s), rule.rule);
        s->fp_off = rule.off;
        s->fp_reg = rule.number;
    }
}

/* breg R, off [, deref] */
static bool parse_expression(struct bo_span e, bool deref, uint8_t *reg_ret, int32_t *off_ret)
{
    struct bo_cursor c = bo_cursor(e);
    uint8_t op;
    int64_t off;
    if (!bo_get_u8(&c, &op))
        return false;
    if (op == OP_BREGX) {
        if (!get_register(&c, reg_ret))
            return false;
    } else if (op >= OP_BREG0 && op < OP_BREG0 + 32) {
        *reg_ret = op - OP_BREG0;
    } else {
        return false;
    }
    if (!get_sleb(&c, &off) || off < INT32_MIN || off > INT32_MAX)
        return false;
    *off_ret = (int32_t)off;
    return deref ? bo_get_u8(&c, &op) && op == OP_DEREF && bo_left(&c) == 0 : bo_left(&c) == 0;
}

static uint8_t plt_k_of(struct bo_span e)
{
    if (e.n != sizeof plt || e.p[PLT_K] <= LIT0 || e.p[PLT_K] >= LIT0 + PLT_BLOCK ||
        memcmp(e.p, plt, PLT_K) != 0 ||
        memcmp(e.p + PLT_K + 1, plt + PLT_K + 1, sizeof plt - PLT_K - 1) != 0)
        return 0;
    return e.p[PLT_K] - LIT0;
}

static enum bo_status run_cfa(struct cfi *c, unsigned op, struct bo_error *err)
{
    const struct unwind_state *s = &c->now.state;
    uint8_t reg = unwind_cfa_reg(s);
    int32_t off = s->cfa_off;
    uint64_t n;
    int64_t factored;
    const bool has_reg = op == DEF_CFA || op == DEF_CFA_SF || op == DEF_CFA_REGISTER;
    if (has_reg && !get_register(&c->in, &reg))
        return bad(c, err, "CFA's register is cut off or exceeds 127");
    if ((op == DEF_CFA_REGISTER || op == DEF_CFA_OFFSET || op == DEF_CFA_OFFSET_SF) &&
        (!c->now.has_cfa || unwind_cfa(s) != UNWIND_CFA_REGISTER))
        return bad(c, err, "CFA has no register or offset to keep");
    if (op == DEF_CFA || op == DEF_CFA_OFFSET) {
        if (!get_uleb(&c->in, &n) || n > INT32_MAX)
            return bad(c, err, "CFA's offset is cut off or exceeds 2^31 - 1");
        off = (int32_t)n;
    } else if (op != DEF_CFA_REGISTER) {
        if (!get_sleb(&c->in, &factored) || !scaled(c, factored, &off))
            return bad(c, err, "CFA's offset is cut off or exceeds 32 bits");
    }
    set_cfa(c, UNWIND_CFA_REGISTER, reg, off);
    return BO_OK;
}

static enum bo_status run_expression(struct cfi *c, unsigned op, struct bo_error *err)
{
    struct bo_span e;
    uint64_t target = 0, n;
    struct rule rule = {UNWIND_EXPRESSION, 0, 0};
    if (op != DEF_CFA_EXPRESSION && !get_uleb(&c->in, &target))
        return bad(c, err, "register is cut off");
    if (!get_uleb(&c->in, &n) || n > bo_left(&c->in) || !bo_get_bytes(&c->in, (size_t)n, &e.p))
        return bad(c, err, "expression runs past the record's end");
    e.n = (size_t)n;
    if (op == DEF_CFA_EXPRESSION) {
        const bool memory = parse_expression(e, true, &rule.number, &rule.off);
        set_cfa(c, memory ? UNWIND_CFA_MEMORY : UNWIND_CFA_OTHER, memory ? rule.number : 0,
                memory ? rule.off : 0);
        c->now.plt_k = c->machine == &unwind_machines[UNWIND_AMD64] ? plt_k_of(e) : 0;
        return BO_OK;
    }
    if (op == EXPRESSION && parse_expression(e, false, &rule.number, &rule.off))
        rule.rule = UNWIND_MEMORY;
    else
        rule = (struct rule){UNWIND_EXPRESSION, 0, 0};
    set_rule(c, target, rule);
    return BO_OK;
}

/* Instructions with a register and one operand. */
static enum bo_status run_register(struct cfi *c, unsigned op, struct bo_error *err)
{
    uint64_t reg = op & 0x3f, n = 0;
    int64_t factored = 0;
    struct rule rule = {UNWIND_SAME, 0, 0};
    if (op < ADVANCE && !get_uleb(&c->in, &reg))
        return bad(c, err, "register is cut off");
    if (op >= RESTORE || op == RESTORE_EXTENDED) {
        if (!c->cie.is_initial)
            return bad(c, err, "restore of an initial rule in a CIE");
        set_rule(c, reg,
                 reg == c->machine->ra ? ra_of(&c->cie.initial.state)
                                       : fp_of(&c->cie.initial.state));
        return BO_OK;
    }
    if (op >= OFFSET || op == OFFSET_EXTENDED) {
        rule.rule = UNWIND_AT_CFA;
        if (!get_uleb(&c->in, &n) || n > INT32_MAX || !scaled(c, (int64_t)n, &rule.off))
            return bad(c, err, "offset is cut off or exceeds 32 bits");
    } else if (op == OFFSET_EXTENDED_SF || op == VAL_OFFSET_SF) {
        rule.rule = op == VAL_OFFSET_SF ? UNWIND_CFA_PLUS : UNWIND_AT_CFA;
        if (!get_sleb(&c->in, &factored) || !scaled(c, factored, &rule.off))
            return bad(c, err, "offset is cut off or exceeds 32 bits");
    } else if (op == IN_REGISTER) {
        rule.rule = UNWIND_REGISTER;
        if (!get_register(&c->in, &rule.number))
            return bad(c, err, "register is cut off or exceeds 127");
    } else {
        rule.rule = op == UNDEFINED ? UNWIND_UNDEFINED : UNWIND_SAME;
    }
    set_rule(c, reg, rule);
    return BO_OK;
}

/* An advance of the location; that of an FDE ends a row. */
static enum bo_status run_advance(struct cfi *c, unsigned op, struct bo_error *err)
{
    const uint8_t *p;
    uint64_t delta = op & 0x3f;
    if (op < ADVANCE) {
        const size_t n = op == ADVANCE1 ? 1 : op == ADVANCE2 ? 2 : 4;
        if (!bo_get_bytes(&c->in, n, &p))
            return bad(c, err, "advance is cut off");
        const bool big = c->machine->big_endian;
        delta = n == 1 ? *p : n == 2 ? (big ? bo_be16(p) : bo_le16(p)) : get_u32(c->machine, p);
    }
    if (!c->cie.is_initial)
        return bad(c, err, "CIE contains an advance instruction");
    if (delta && delta > (c->length - UINT64_C(1) - c->loc) / c->cie.code_factor)
        return bad(c, err, "advance goes past the function's end");
    c->next_loc = c->loc + (uint32_t)(delta * c->cie.code_factor);
    return BO_OK;
}

static enum bo_status run_one(struct cfi *c, struct bo_error *err)
{
    uint8_t op = 0;
    bo_get_u8(&c->in, &op);
    if (op >= OFFSET)
        return run_register(c, op, err);
    if (op >= ADVANCE)
        return run_advance(c, op, err);
    switch (op) {
    case NOP:
        return BO_OK;
    case ADVANCE1:
    case ADVANCE2:
    case ADVANCE4:
        return run_advance(c, op, err);
    case OFFSET_EXTENDED:
    case RESTORE_EXTENDED:
    case UNDEFINED:
    case SAME_VALUE:
    case IN_REGISTER:
    case OFFSET_EXTENDED_SF:
    case VAL_OFFSET_SF:
        return run_register(c, op, err);
    case DEF_CFA:
    case DEF_CFA_REGISTER:
    case DEF_CFA_OFFSET:
    case DEF_CFA_SF:
    case DEF_CFA_OFFSET_SF:
        return run_cfa(c, op, err);
    case DEF_CFA_EXPRESSION:
    case EXPRESSION:
    case VAL_EXPRESSION:
        return run_expression(c, op, err);
    case REMEMBER:
        if (c->n_saved == MAX_REMEMBERED)
            return bad(c, err, "more than 8 states are remembered");
        c->saved[c->n_saved++] = c->now;
        return BO_OK;
    case RESTORE_STATE:
        if (c->n_saved == 0)
            return bad(c, err, "DW_CFA_restore_state without a remembered state");
        c->now = c->saved[--c->n_saved];
        return BO_OK;
    case NEGATE_RA_STATE:
        if (c->machine != &unwind_machines[UNWIND_ARM64])
            return bad(c, err, "signed return address on a machine other than arm64");
        c->now.state.cfa_reg ^= UNWIND_SIGNED;
        return BO_OK;
    default:
        return bad(c, err, "unknown instruction");
    }
}

/* Runs up to the next advance or the end: the row from c->loc on, or none after the last. */
static enum bo_status next_row(struct cfi *c, bool *any_ret, uint32_t *off_ret,
                               struct bo_error *err)
{
    enum bo_status status = BO_OK;
    *any_ret = !c->done;
    *off_ret = c->next_loc;
    if (c->done)
        return BO_OK;
    c->loc = c->next_loc;
    while (!status && c->in.off < c->in.n && c->next_loc == c->loc)
        status = run_one(c, err);
    c->done = c->next_loc == c->loc;
    return status;
}

/* ---- reading: functions ---------------------------------------------------------------------- */

/* The record at `off`: a cursor over its bytes after the length. */
static enum bo_status get_record(const struct reader *r, size_t off, struct bo_cursor *record_ret,
                                 struct bo_error *err)
{
    const struct bo_span section = r->frame.parts[EH_FRAME];
    const uint64_t at = r->frame.part_off[EH_FRAME] + off;
    if (section.n - off < 4)
        return bo_fail(err, BO_TRUNCATED, at, "section ends inside a record's length");
    const uint32_t n = get_u32(r->machine, section.p + off);
    if (n > section.n - off - 4)
        return bo_fail(err, BO_TRUNCATED, at, "record runs past the section's end");
    if (n && n < 4)
        return bo_fail(err, BO_CORRUPT, at, "record is too short for its id");
    *record_ret = (struct bo_cursor){.p = section.p + off + 4, .n = n, .base = (size_t)at + 4};
    return BO_OK;
}

/* Reads the CIE at `off` and runs its instructions. */
static enum bo_status get_cie(const struct reader *r, size_t off, struct cfi *c,
                              struct bo_error *err)
{
    uint8_t version, ra, letter, encoding;
    const uint8_t *id;
    uint64_t n;
    *c = (struct cfi){.machine = r->machine};
    const enum bo_status status = get_record(r, off, &c->in, err);
    if (status)
        return status;
    if (c->in.n > MAX_CIE_NBYTES)
        return bad(c, err, "CIE exceeds 256 bytes");
    if (!bo_get_bytes(&c->in, 4, &id) || get_u32(r->machine, id) || !bo_get_u8(&c->in, &version) ||
        version != 1)
        return bad(c, err, "not a CIE of version 1");
    if (!bo_get_u8(&c->in, &letter) || letter != 'z' || !bo_get_u8(&c->in, &letter) ||
        letter != 'R')
        return bad(c, err, "augmentation does not start with zR");
    while (bo_get_u8(&c->in, &letter) && letter) {
        const uint8_t flag = letter == 'S' ? UNWIND_SIGNAL : letter == 'B' ? UNWIND_KEY_B : 0;
        if (!flag || c->cie.flags & flag)
            return bad(c, err, "augmentation letter is unknown or repeated");
        c->cie.flags |= flag;
    }
    if (!get_uleb(&c->in, &c->cie.code_factor) || !get_sleb(&c->in, &c->cie.data_factor) ||
        c->cie.code_factor != r->machine->code_factor || c->cie.data_factor != DATA_FACTOR)
        return bad(c, err, "factors are not the machine's");
    if (!bo_get_u8(&c->in, &ra) || ra != r->machine->ra)
        return bad(c, err, "return address is not the machine's");
    if (!get_uleb(&c->in, &n) || n != 1 || !bo_get_u8(&c->in, &encoding) || encoding != ENCODING)
        return bad(c, err, "pointer encoding is not 1b");
    enum bo_status run = BO_OK;
    while (!run && c->in.off < c->in.n)
        run = run_one(c, err);
    if (!run && !c->now.has_cfa)
        return bad(c, err, "CIE defines no CFA");
    c->cie.initial = c->now;
    c->cie.is_initial = true;
    c->n_saved = 0;
    return run;
}

struct fde {
    uint64_t start; /* from Base */
    uint32_t length;
};

/*
 * Reads the FDE at `off`, whose pointer to a CIE is right, and its CIE; instructions are left to
 * next_row.
 */
static enum bo_status get_fde(const struct reader *r, size_t off, struct cfi *c,
                              struct fde *fde_ret, struct bo_error *err)
{
    struct bo_cursor in;
    const uint8_t *p;
    enum bo_status status = get_record(r, off, &in, err);
    if (status)
        return status;
    if (!bo_get_bytes(&in, 13, &p))
        return bo_fail_here(err, BO_TRUNCATED, &in, "FDE is too short");
    status = get_cie(r, off + 4 - get_u32(r->machine, p), c, err);
    if (status)
        return status;
    const int64_t start = (int64_t)off + 8 + (int32_t)get_u32(r->machine, p + 4);
    *fde_ret = (struct fde){(uint64_t)start, get_u32(r->machine, p + 8)};
    if (start < 0)
        return bo_fail_here(err, BO_CORRUPT, &in, "function starts before Base");
    if (fde_ret->length == 0 || p[12])
        return bo_fail_here(err, BO_CORRUPT, &in,
                            "function length is 0, or there is augmentation data");
    c->in = in;
    c->length = fde_ret->length;
    return BO_OK;
}

/* True for a function whose only row is the PLT's expression. */
static bool is_pattern(const struct cfi *first)
{
    struct cfi c = *first;
    bool any;
    uint32_t off;
    if (!c.now.plt_k)
        return false;
    const enum bo_status status = next_row(&c, &any, &off, NULL);
    return !status && !any;
}

/* The destination of a walk's rows: a builder, a sink, or neither. */
struct row_taker {
    struct unwind_builder *b;
    struct bo_sink *sink;
    struct unwind_function_answer *answer;
    struct unwind_state last;
    bool any;
};

static enum bo_status take_row(struct row_taker *t, uint32_t off, const struct unwind_state *s,
                               struct bo_error *err)
{
    if (t->any && unwind_same_state(&t->last, s))
        return BO_OK;
    t->any = true;
    t->last = *s;
    if (t->b && !unwind_add_row(t->b, off, s))
        return bo_fail_alloc(err, t->b->arena);
    return t->sink && !unwind_answer_row(t->sink, t->answer, off, s) ? BO_OVER_LIMIT : BO_OK;
}

/* The two states of a PLT's block. */
static struct unwind_state plt_state(const struct cfi_state *s, bool second)
{
    struct unwind_state state = s->state;
    state.kinds = unwind_pack(UNWIND_CFA_REGISTER, unwind_ra(&state), unwind_fp(&state));
    state.cfa_reg = unwind_machines[UNWIND_AMD64].sp;
    state.cfa_off = second ? 16 : 8;
    return state;
}

/* Delivers a function and its rows. */
static enum bo_status take_function(const struct reader *r, struct cfi *c, const struct fde *fde,
                                    struct row_taker *t, struct bo_error *err)
{
    bool any;
    uint32_t off;
    enum bo_status status = next_row(c, &any, &off, err);
    const bool pattern = !status && is_pattern(c);
    const uint64_t start = r->frame.base + fde->start;
    const uint8_t rep = pattern ? PLT_BLOCK : 0;
    t->any = false;
    if (status)
        return status;
    if (t->b && !unwind_add_function(t->b, start, fde->length, c->cie.flags, rep))
        return bo_fail_alloc(err, t->b->arena);
    if (t->sink)
        t->answer = unwind_answer_function(t->sink, start, fde->length, c->cie.flags, rep);
    if (t->sink && !t->answer)
        return BO_OVER_LIMIT;
    if (pattern) {
        const struct unwind_state first = plt_state(&c->now, false),
                                  second = plt_state(&c->now, true);
        if (c->now.plt_k >= fde->length)
            return bad(c, err, "function is shorter than its pattern");
        status = take_row(t, 0, &first, err);
        return status ? status : take_row(t, c->now.plt_k, &second, err);
    }
    while (any && !status) {
        status = take_row(t, off, &c->now.state, err);
        if (!status)
            status = next_row(c, &any, &off, err);
    }
    return status;
}

/* ---- decode and open ------------------------------------------------------------------------- */

static enum bo_status open_parts(struct bo_span in, struct reader *r, struct bo_error *err)
{
    const enum bo_status status = unwind_frame_open(in, N_PARTS, &r->frame, err);
    if (status)
        return status;
    const struct bo_span hdr = r->frame.parts[HDR];
    const uint64_t at = r->frame.part_off[HDR];
    r->machine = &unwind_machines[r->frame.arch];
    if (hdr.n < HDR_NBYTES)
        return bo_fail(err, BO_TRUNCATED, at, "header is shorter than 12 bytes");
    if (memcmp(hdr.p, "\x01\x1b\x03\x3b", 4) != 0 ||
        get_u32(r->machine, hdr.p + 4) != UINT32_MAX - 3)
        return bo_fail(err, BO_CORRUPT, at, "header does not start with 01 1b 03 3b and -4");
    r->n = get_u32(r->machine, hdr.p + 8);
    if ((hdr.n - HDR_NBYTES) / 8 != r->n || (hdr.n - HDR_NBYTES) % 8)
        return bo_fail(err, BO_CORRUPT, at + 8,
                       "number of entries does not match the table's size");
    if (r->n == 0 && r->frame.base)
        return bo_fail(err, BO_CORRUPT, at + 8, "Base is not 0, but there are no functions");
    return BO_OK;
}

/* All records in order: each FDE is the table's next, and its CIE starts a record before it. */
static enum bo_status walk(const struct reader *r, struct unwind_builder *b, struct bo_error *err)
{
    const struct bo_span section = r->frame.parts[EH_FRAME];
    size_t cies[MAX_CIES], n_cies = 0, off = 0;
    uint64_t end = 0;
    uint32_t i = 0;
    struct row_taker taker = {.b = b};
    for (;;) {
        struct bo_cursor record;
        struct cfi c;
        const uint64_t at = r->frame.part_off[EH_FRAME] + off;
        enum bo_status status = get_record(r, off, &record, err);
        if (status)
            return status;
        if (record.n == 0)
            break;
        const uint32_t id = get_u32(r->machine, record.p);
        if (id == 0) {
            status = n_cies < MAX_CIES ? get_cie(r, off, &c, err)
                                       : bo_fail(err, BO_OVER_LIMIT, at, "more than 16 CIEs");
            if (status)
                return status;
            cies[n_cies++] = off;
        } else {
            bool is_cie = false;
            struct fde fde;
            for (size_t k = 0; k < n_cies; k++)
                is_cie |= off + 4 - cies[k] == id;
            if (!is_cie)
                return bo_fail(err, BO_CORRUPT, at + 4, "CIE pointer does not point to a CIE");
            status = get_fde(r, off, &c, &fde, err);
            if (status)
                return status;
            const uint8_t *entry = r->frame.parts[HDR].p + HDR_NBYTES + 8 * (size_t)i;
            if (i == r->n || get_u32(r->machine, entry) != fde.start ||
                get_u32(r->machine, entry + 4) != off)
                return bo_fail(err, BO_CORRUPT, at + 8, "FDE is not the table's next entry");
            if (i ? fde.start < end : fde.start != 0)
                return bo_fail(err, BO_CORRUPT, at + 8, "functions are not in order from Base");
            if (fde.start > INT32_MAX || r->frame.base > UINT64_MAX - (fde.start + fde.length))
                return bo_fail(
                    err, BO_CORRUPT, at + 8,
                    "function starts 2^31 bytes or more after Base, or ends above 2^64 - 1");
            end = fde.start + fde.length;
            i++;
            status = take_function(r, &c, &fde, &taker, err);
            if (status)
                return status;
        }
        off += 4 + record.n;
    }
    if (i != r->n)
        return bo_fail(err, BO_CORRUPT, r->frame.part_off[HDR] + 8,
                       "table has more entries than FDEs");
    return off + 4 == section.n ? BO_OK
                                : bo_fail(err, BO_CORRUPT, r->frame.part_off[EH_FRAME] + off + 4,
                                          "bytes follow the terminator");
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader r;
    struct unwind_builder b = {.arena = arena};
    enum bo_status status = open_parts(in, &r, err);
    status = status ? status : walk(&r, &b, err);
    if (status)
        return status;
    *model_ret = unwind_build(&b, r.frame.arch);
    return *model_ret ? BO_OK : bo_fail_alloc(err, arena);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *r = bo_alloc(arena, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    *reader_ret = r;
    const enum bo_status status = open_parts(in, r, err);
    return status ? status : walk(r, NULL, err);
}

/* ---- queries --------------------------------------------------------------------------------- */

/* The function at a PC: its FDE is read; false without one. */
static bool find(const struct reader *r, uint64_t pc, struct cfi *c, struct fde *fde)
{
    const uint8_t *table = r->frame.parts[HDR].p + HDR_NBYTES;
    const uint64_t off = pc - r->frame.base;
    size_t low = 0, n = r->n;
    if (pc < r->frame.base || n == 0)
        return false;
    while (n > 1) { /* the table's entry `low` starts at or before the PC */
        const size_t half = n / 2;
        const bool above = get_u32(r->machine, table + 8 * (low + half)) <= off;
        low = above ? low + half : low;
        n = above ? n - half : half;
    }
    get_fde(r, get_u32(r->machine, table + 8 * low + 4), c, fde, NULL);
    return off - fde->start < fde->length;
}

static void answer_point(const struct reader *r, uint64_t pc, struct unwind_point_answer *answer)
{
    struct cfi c;
    struct fde fde;
    bool any;
    uint32_t off;
    *answer = (struct unwind_point_answer){0};
    if (!find(r, pc, &c, &fde))
        return;
    const uint32_t target = (uint32_t)(pc - r->frame.base - fde.start);
    answer->start = r->frame.base + fde.start;
    answer->flags = c.cie.flags;
    answer->found = UNWIND_ROW;
    next_row(&c, &any, &off, NULL);
    if (c.now.plt_k && is_pattern(&c)) {
        answer->state = plt_state(&c.now, target % PLT_BLOCK >= c.now.plt_k);
        return;
    }
    while (!c.done && c.next_loc <= target)
        next_row(&c, &any, &off, NULL);
    answer->state = c.now.state;
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct reader *r = reader;
    const struct unwind_point *points = queries;
    const struct unwind_at *at = queries;
    struct row_taker taker = {.sink = answers};
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        struct cfi c;
        struct fde fde;
        if (kind == UNWIND_POINT) {
            answer_point(r, points[i].pc, (struct unwind_point_answer *)answers + i);
        } else if (kind == UNWIND_FUNCTION) {
            status = find(r, at[i].pc, &c, &fde) ? take_function(r, &c, &fde, &taker, err)
                                                 : BO_OUT_OF_RANGE;
        } else {
            struct unwind_scan_answer *head = bo_sink_take(answers, sizeof *head);
            if (!head)
                return BO_OVER_LIMIT;
            head->n_functions = r->n;
            const uint8_t *entry = r->frame.parts[HDR].p + HDR_NBYTES;
            for (uint32_t f = 0; f < r->n && !status; f++, entry += 8) {
                status = get_fde(r, get_u32(r->machine, entry + 4), &c, &fde, err);
                status = status ? status : take_function(r, &c, &fde, &taker, err);
            }
        }
    }
    return status;
}

const struct bo_codec unwind_eh_frame = {
    .name = "eh-frame",
    .summary = ".eh_frame with its header, lean: DWARF instructions behind a search table",
    .spec = "codecs/unwind/README.md#eh-frame",
    .choices = "instructions, initial rules, where states are remembered",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_FUNCTION | 1u << UNWIND_SCAN,
    .reduce = reduce,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
