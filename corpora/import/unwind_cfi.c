/* Reads records, pointers and instructions of .eh_frame. */
#include "corpora/import/unwind_cfi.h"

enum { MAX_REMEMBERED = 1 << 16, PLT_BLOCK = 16 };

/*
 * The rules while instructions run. plt_k: the CFA is GNU ld's expression for a PLT, with this K.
 */
struct rules {
    struct unwind_state state;
    bool has_cfa;
    bool signed_with_pc; /* arm64: the return address, whatever its rule; toggled */
    uint8_t plt_k;
};

struct cie {
    size_t off; /* in the section */
    uint64_t code_factor, ra;
    int64_t data_factor;
    uint8_t pointer; /* encoding of addresses in FDEs; 0: absolute */
    uint8_t flags;
    bool has_data; /* CIE and FDEs have augmentation data */
    struct rules initial;
};

struct reader {
    const struct unwind_cfi_section *section;
    const struct unwind_machine *machine;
    struct bo_arena *arena;
    struct bo_error *err;
    struct unwind_cfi_functions *out;
    struct cie *cies; /* by offset */
    size_t n_cies, cap_cies;
    struct rules *saved;
    size_t n_saved, cap_saved;
};

/* The execution of instructions of a CIE (initial is NULL) or of a function. */
struct run {
    struct reader *r;
    struct bo_cursor in;
    const struct cie *cie;
    const struct rules *initial;
    struct rules now;
    uint64_t start, loc, length; /* loc: offset from start */
};

static enum bo_status fail(const struct reader *r, const struct bo_cursor *at, const char *what)
{
    return bo_fail_here(r->err, BO_CORRUPT, at, what);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads n bytes in the target's byte order, 1 to 8. */
static bool get_word(const struct reader *r, struct bo_cursor *c, unsigned n, uint64_t *v_ret)
{
    const uint8_t *p;
    uint64_t v = 0;
    if (!bo_get_bytes(c, n, &p))
        return false;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | p[r->section->big_endian ? i : n - 1 - i];
    *v_ret = v;
    return true;
}

/* Reads an LEB128 of at most ten bytes that fits 64 bits. Longer forms than needed are valid. */
static bool get_leb(struct bo_cursor *c, bool is_signed, uint64_t *v_ret)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 10; i++) {
        uint8_t byte;
        if (!bo_get_u8(c, &byte))
            return false;
        const uint64_t bits = byte & 0x7f;
        if (i == 9 && bits != 0 && bits != (is_signed ? 0x7fu : 1u))
            return false;
        v |= bits << (7 * i);
        if (byte < 0x80) {
            if (is_signed && byte & 0x40 && i < 9)
                v |= UINT64_MAX << (7 * i + 7);
            *v_ret = v;
            return true;
        }
    }
    return false;
}

static bool get_uleb(struct bo_cursor *c, uint64_t *v_ret)
{
    return get_leb(c, false, v_ret);
}

static bool get_sleb(struct bo_cursor *c, int64_t *v_ret)
{
    uint64_t v;
    const bool ok = get_leb(c, true, &v);
    *v_ret = ok ? (int64_t)v : 0;
    return ok;
}

/*
 * Reads a pointer: its low four bits are a format, the next three its base. `relative` false: reads
 * a plain number of that format, such as the length of an FDE.
 */
static enum bo_status get_pointer(const struct reader *r, struct bo_cursor *c, unsigned encoding,
                                  bool relative, uint64_t *v_ret)
{
    static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0};
    enum { ULEB = 1, SLEB = 9, SIGNED = 8, ALIGNED = 0x50 };
    const struct bo_cursor at = *c;
    const uint64_t address = r->section->address + (c->base + c->off - r->section->off);
    uint64_t v = 0;
    bool ok;
    if (encoding & 0x80)
        return fail(r, &at, "pointer encoding is indirect or omitted");
    if (relative && encoding == ALIGNED) {
        const uint8_t *skipped;
        ok = bo_get_bytes(c, (size_t)(-address & 7), &skipped) && get_word(r, c, 8, &v);
        *v_ret = v;
        return ok ? BO_OK : bo_fail_here(r->err, BO_TRUNCATED, &at, "pointer is truncated");
    }
    const unsigned format = encoding & 15, base = encoding >> 4;
    if (format == ULEB || format == SLEB)
        ok = get_leb(c, format == SLEB, &v);
    else if (sizes[format])
        ok = get_word(r, c, sizes[format], &v);
    else
        return fail(r, &at, "pointer format is unknown");
    if (!ok)
        return bo_fail_here(r->err, BO_TRUNCATED, &at, "pointer is truncated");
    const unsigned nbits = 8u * sizes[format];
    if (format > SIGNED && nbits && nbits < 64)
        v = (v ^ UINT64_C(1) << (nbits - 1)) - (UINT64_C(1) << (nbits - 1));
    if (relative && base > 2)
        return fail(r, &at, "base of the pointer encoding is unknown");
    if (relative && base)
        v += base == 1 ? address : r->section->text;
    *v_ret = v;
    return BO_OK;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Recognises DW_OP_bregR offset, followed by DW_OP_deref if `deref` is set. */
static bool is_register_plus(struct bo_span bytes, bool deref, uint8_t *reg_ret, int32_t *off_ret)
{
    struct bo_cursor c = bo_cursor(bytes);
    uint64_t reg;
    int64_t off;
    uint8_t op;
    if (!bo_get_u8(&c, &op))
        return false;
    if (op >= 0x70 && op <= 0x8f)
        reg = op - 0x70u;
    else if (op != 0x92 || !get_uleb(&c, &reg) || reg > UNWIND_MAX_REGISTER)
        return false;
    if (!get_sleb(&c, &off) || off < INT32_MIN || off > INT32_MAX)
        return false;
    if (deref && (!bo_get_u8(&c, &op) || op != 0x06))
        return false;
    *reg_ret = (uint8_t)reg;
    *off_ret = (int32_t)off;
    return bo_left(&c) == 0;
}

/*
 * K of GNU ld's expression for a PLT on amd64, rsp + 8 + ((rip & 15) >= K ? 8 : 0), or 0: breg7 8,
 * breg16 0, lit15, and, litK, ge, lit3, shl, plus.
 */
static uint8_t plt_k(const struct reader *r, struct bo_span e)
{
    if (r->section->arch != UNWIND_AMD64 || e.n != 11 ||
        memcmp(e.p, "\x77\x08\x80\x00\x3f\x1a", 6) || memcmp(e.p + 7, "\x2a\x33\x24\x22", 4) ||
        e.p[6] <= 0x30 || e.p[6] > 0x3f)
        return 0;
    return e.p[6] - 0x30;
}

/* ---- rules ----------------------------------------------------------------------------------- */

struct rule {
    enum unwind_rule rule;
    int32_t off;
    uint8_t reg;
};

static void set_cfa(struct run *run, enum unwind_cfa_kind kind, uint8_t reg, int32_t off)
{
    struct unwind_state *s = &run->now.state;
    s->kinds = (uint8_t)((s->kinds & ~3u) | (unsigned)kind);
    s->cfa_reg = (uint8_t)((s->cfa_reg & UNWIND_SIGNED) | reg);
    s->cfa_off = off;
    run->now.has_cfa = true;
    run->now.plt_k = 0;
}

static void set_ra(struct unwind_state *s, struct rule rule)
{
    s->kinds = (uint8_t)((s->kinds & ~(7u << 2)) | (unsigned)rule.rule << 2);
    s->ra_off = rule.off;
    s->ra_reg = rule.reg;
}

static void set_rule(struct run *run, uint64_t reg, struct rule rule)
{
    struct unwind_state *s = &run->now.state;
    if (reg == run->cie->ra) {
        set_ra(s, rule);
    } else if (reg == run->r->machine->fp) {
        s->kinds = (uint8_t)((s->kinds & ~(7u << 5)) | (unsigned)rule.rule << 5);
        s->fp_off = rule.off;
        s->fp_reg = rule.reg;
    }
}

static struct rule initial_rule(const struct run *run, uint64_t reg)
{
    const struct unwind_state *s = &run->initial->state;
    return reg == run->cie->ra ? (struct rule){unwind_ra(s), s->ra_off, s->ra_reg}
                               : (struct rule){unwind_fp(s), s->fp_off, s->fp_reg};
}

/* n x data alignment factor, within 32 bits. */
static bool factored(const struct run *run, int64_t n, int32_t *off_ret)
{
    int64_t v;
    if (__builtin_mul_overflow(n, run->cie->data_factor, &v) || v < INT32_MIN || v > INT32_MAX)
        return false;
    *off_ret = (int32_t)v;
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static enum bo_status advance(struct run *run, const struct bo_cursor *at, uint64_t delta)
{
    uint64_t n;
    if (delta && run->cie->code_factor == 0)
        return fail(run->r, at, "advance with a code alignment factor of 0");
    if (!run->initial)
        return fail(run->r, at, "CIE contains an advance instruction");
    if (__builtin_mul_overflow(delta, run->cie->code_factor, &n) ||
        n > UINT64_MAX - run->start - run->loc)
        return fail(run->r, at, "advance exceeds 2^64");
    run->loc += n;
    return BO_OK;
}

static enum bo_status set_loc(struct run *run, const struct bo_cursor *at)
{
    uint64_t pc;
    const enum bo_status status = get_pointer(run->r, &run->in, run->cie->pointer, true, &pc);
    if (status)
        return status;
    if (!run->initial)
        return fail(run->r, at, "CIE contains an advance instruction");
    if (pc < run->start + run->loc)
        return fail(run->r, at, "location goes backwards");
    run->loc = pc - run->start;
    return BO_OK;
}

/* def_cfa and its variants. */
static enum bo_status define_cfa(struct run *run, const struct bo_cursor *at, unsigned op)
{
    const bool has_register = op == 0x0c || op == 0x0d || op == 0x12;
    const bool has_offset = op != 0x0d, is_signed = op == 0x12 || op == 0x13;
    uint64_t reg = unwind_cfa_reg(&run->now.state), n = 0;
    int64_t s = 0;
    int32_t off = run->now.state.cfa_off;
    if (has_register && !get_uleb(&run->in, &reg))
        return fail(run->r, at, "operand is truncated");
    if (has_offset && (is_signed ? !get_sleb(&run->in, &s) : !get_uleb(&run->in, &n)))
        return fail(run->r, at, "operand is truncated");
    if (!(has_register && has_offset) &&
        (!run->now.has_cfa || unwind_cfa(&run->now.state) != UNWIND_CFA_REGISTER))
        return fail(run->r, at, "CFA has no register or offset to keep");
    if (has_offset && (is_signed ? !factored(run, s, &off) : n > INT32_MAX))
        return fail(run->r, at, "CFA's offset exceeds 32 bits");
    if (has_offset && !is_signed)
        off = (int32_t)n;
    if (reg > UNWIND_MAX_REGISTER)
        set_cfa(run, UNWIND_CFA_OTHER, 0, 0);
    else
        set_cfa(run, UNWIND_CFA_REGISTER, (uint8_t)reg, off);
    return BO_OK;
}

static enum bo_status by_expression(struct run *run, const struct bo_cursor *at, unsigned op)
{
    uint64_t reg = 0, n;
    struct bo_span e;
    struct rule rule = {UNWIND_EXPRESSION, 0, 0};
    if (op != 0x0f && !get_uleb(&run->in, &reg))
        return fail(run->r, at, "operand is truncated");
    if (!get_uleb(&run->in, &n) || n > bo_left(&run->in) ||
        !bo_get_bytes(&run->in, (size_t)n, &e.p))
        return fail(run->r, at, "expression runs past the record's end");
    e.n = (size_t)n;
    if (op == 0x0f) {
        const bool memory = is_register_plus(e, true, &rule.reg, &rule.off);
        set_cfa(run, memory ? UNWIND_CFA_MEMORY : UNWIND_CFA_OTHER, memory ? rule.reg : 0,
                memory ? rule.off : 0);
        run->now.plt_k = plt_k(run->r, e);
        return BO_OK;
    }
    if (op == 0x10 && is_register_plus(e, false, &rule.reg, &rule.off))
        rule.rule = UNWIND_MEMORY;
    else
        rule = (struct rule){UNWIND_EXPRESSION, 0, 0};
    set_rule(run, reg, rule);
    return BO_OK;
}

/* Instructions about one given register, with at most one operand. */
static enum bo_status about_register(struct run *run, const struct bo_cursor *at, unsigned op,
                                     uint64_t reg)
{
    struct rule rule = {UNWIND_SAME, 0, 0};
    uint64_t n = 0;
    int64_t s = 0;
    bool ok = true;
    switch (op) {
    case 0x06: /* restore: no rule if there were none before */
        if (run->initial)
            set_rule(run, reg, initial_rule(run, reg));
        return BO_OK;
    case 0x07:
        rule.rule = UNWIND_UNDEFINED;
        break;
    case 0x08:
        break;
    case 0x09:
        ok = get_uleb(&run->in, &n);
        rule.rule = n > UNWIND_MAX_REGISTER ? UNWIND_EXPRESSION : UNWIND_REGISTER;
        rule.reg = n > UNWIND_MAX_REGISTER ? 0 : (uint8_t)n;
        break;
    default: /* offsets: unsigned, signed, negative, of the value */
        rule.rule = op == 0x14 || op == 0x15 ? UNWIND_CFA_PLUS : UNWIND_AT_CFA;
        if (op == 0x11 || op == 0x15)
            ok = get_sleb(&run->in, &s);
        else
            ok = get_uleb(&run->in, &n) && n <= INT64_MAX;
        if (!ok)
            break;
        s = op == 0x11 || op == 0x15 ? s : op == 0x2f ? -(int64_t)n : (int64_t)n;
        if (!factored(run, s, &rule.off)) {
            if (reg != run->cie->ra && reg != run->r->machine->fp)
                return BO_OK;
            return fail(run->r, at, "offset exceeds 32 bits");
        }
    }
    if (!ok)
        return fail(run->r, at, "operand is truncated or too large");
    set_rule(run, reg, rule);
    return BO_OK;
}

static enum bo_status remember(struct run *run, const struct bo_cursor *at)
{
    struct reader *r = run->r;
    if (r->n_saved == MAX_REMEMBERED)
        return bo_fail_here(r->err, BO_OVER_LIMIT, at, "more than 65536 remembered states");
    if (!bo_grow(r->arena, &r->saved, r->n_saved, 1, &r->cap_saved))
        return bo_fail_alloc(r->err, r->arena);
    r->saved[r->n_saved++] = run->now;
    return BO_OK;
}

static enum bo_status extended(struct run *run, const struct bo_cursor *at, unsigned op)
{
    struct reader *r = run->r;
    uint64_t reg;
    switch (op) {
    case 0x00:
        return BO_OK;
    case 0x01:
        return set_loc(run, at);
    case 0x02:
    case 0x03:
    case 0x04:
        if (!get_word(r, &run->in, 1u << (op - 2), &reg))
            return fail(r, at, "operand is truncated");
        return advance(run, at, reg);
    case 0x0a:
        return remember(run, at);
    case 0x0b:
        if (r->n_saved == 0)
            return fail(r, at, "DW_CFA_restore_state without a remembered state");
        run->now = r->saved[--r->n_saved];
        return BO_OK;
    case 0x0c:
    case 0x0d:
    case 0x0e:
    case 0x12:
    case 0x13:
        return define_cfa(run, at, op);
    case 0x0f:
    case 0x10:
    case 0x16:
        return by_expression(run, at, op);
    case 0x2c: /* signed with the PC: the model has no such rule */
        if (r->section->arch != UNWIND_ARM64)
            return fail(r, at, "unknown instruction");
        run->now.signed_with_pc ^= true;
        return BO_OK;
    case 0x2d:
        if (r->section->arch != UNWIND_ARM64)
            return fail(r, at, "signed return address on a machine other than arm64");
        run->now.state.cfa_reg ^= UNWIND_SIGNED;
        return BO_OK;
    case 0x2e:
        return get_uleb(&run->in, &reg) ? BO_OK : fail(r, at, "operand is truncated");
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x11:
    case 0x14:
    case 0x15:
    case 0x2f:
        return get_uleb(&run->in, &reg) ? about_register(run, at, op, reg)
                                        : fail(r, at, "operand is truncated");
    default:
        return fail(r, at, "unknown instruction");
    }
}

static enum bo_status step(struct run *run)
{
    const struct bo_cursor at = run->in;
    uint8_t op = 0;
    bo_get_u8(&run->in, &op);
    switch (op >> 6) {
    case 1:
        return advance(run, &at, op & 0x3f);
    case 2:
        return about_register(run, &at, 0x05, op & 0x3f);
    case 3:
        return about_register(run, &at, 0x06, op & 0x3f);
    default:
        return extended(run, &at, op);
    }
}

/* ---- records --------------------------------------------------------------------------------- */

struct record {
    size_t off;          /* in the section */
    struct bo_cursor in; /* after the length: the id and the rest */
};

/* Reads the record at *off and advances *off. in.n is 0 for a terminator. */
static enum bo_status get_record(const struct reader *r, size_t *off, struct record *record)
{
    const struct bo_span s = r->section->bytes;
    struct bo_cursor c = {.p = s.p, .n = s.n, .off = *off, .base = r->section->off};
    const struct bo_cursor at = c;
    uint64_t n;
    if (!get_word(r, &c, 4, &n) || (n == UINT32_MAX && !get_word(r, &c, 8, &n)))
        return bo_fail_here(r->err, BO_TRUNCATED, &at, "section ends inside a record's length");
    if (n > bo_left(&c))
        return bo_fail_here(r->err, BO_TRUNCATED, &at, "record runs past the section's end");
    if (n && n < 5)
        return fail(r, &at, "record is too short");
    record->off = *off;
    record->in =
        (struct bo_cursor){.p = c.p + c.off, .n = (size_t)n, .base = r->section->off + c.off};
    *off = c.off + (size_t)n;
    return BO_OK;
}

/* Interprets the letters after z, whose data is in `data`. */
static enum bo_status get_letters(struct reader *r, struct cie *cie, const char *letters,
                                  struct bo_cursor *data)
{
    enum { OMITTED = 0xff };
    for (; *letters; letters++) {
        const struct bo_cursor at = *data;
        uint8_t encoding;
        uint64_t ignored;
        switch (*letters) {
        case 'R':
            if (!bo_get_u8(data, &cie->pointer))
                return fail(r, &at, "augmentation data is too short");
            break;
        case 'L':
            if (!bo_get_u8(data, &encoding))
                return fail(r, &at, "augmentation data is too short");
            break;
        case 'P':
            if (!bo_get_u8(data, &encoding))
                return fail(r, &at, "augmentation data is too short");
            if (encoding != OMITTED) {
                const enum bo_status status = get_pointer(r, data, encoding & 0x7f, true, &ignored);
                if (status)
                    return status;
            }
            break;
        case 'S':
            cie->flags |= UNWIND_SIGNAL;
            break;
        case 'B':
            cie->flags |= UNWIND_KEY_B;
            break;
        case 'G':
            break;
        default: /* the sizes of its data and of all following data are unknown */
            r->out->n_unknown++;
            return BO_OK;
        }
    }
    return BO_OK;
}

static enum bo_status get_augmentation(struct reader *r, struct cie *cie, const char *string,
                                       struct bo_cursor *in)
{
    const struct bo_cursor at = *in;
    uint64_t n;
    if (string[0] == '\0')
        return BO_OK;
    if (string[0] != 'z')
        return strcmp(string, "eh") == 0 ? BO_OK
                                         : bo_fail_here(r->err, BO_UNSUPPORTED, &at,
                                                        "augmentation does not start with z");
    if (!get_uleb(in, &n) || n > bo_left(in))
        return fail(r, &at, "augmentation data runs past the record's end");
    struct bo_cursor data = {.p = in->p + in->off, .n = (size_t)n, .base = in->base + in->off};
    in->off += (size_t)n;
    cie->has_data = true;
    return get_letters(r, cie, string + 1, &data);
}

static enum bo_status get_cie(struct reader *r, const struct record *record, struct cie *cie)
{
    struct bo_cursor in = record->in;
    const struct bo_cursor at = in;
    uint64_t ignored;
    uint8_t version, ra;
    *cie = (struct cie){.off = record->off};
    in.off = 4;
    if (!bo_get_u8(&in, &version) || (version != 1 && version != 3))
        return bo_fail_here(r->err, BO_UNSUPPORTED, &at, "CIE version is not 1 or 3");
    const uint8_t *string = in.p + in.off, *nul = memchr(string, 0, bo_left(&in));
    if (!nul)
        return fail(r, &at, "augmentation string is not terminated");
    in.off += (size_t)(nul - string) + 1;
    if (strcmp((const char *)string, "eh") == 0 && !get_word(r, &in, 8, &ignored))
        return fail(r, &at, "CIE is truncated");
    if (!get_uleb(&in, &cie->code_factor) || !get_sleb(&in, &cie->data_factor))
        return fail(r, &at, "alignment factors of a CIE are truncated");
    if (version == 1 ? !bo_get_u8(&in, &ra) : !get_uleb(&in, &cie->ra))
        return fail(r, &at, "CIE is truncated");
    if (version == 1)
        cie->ra = ra;
    enum bo_status status = get_augmentation(r, cie, (const char *)string, &in);
    struct run run = {.r = r, .in = in, .cie = cie};
    r->n_saved = 0;
    while (!status && bo_left(&run.in))
        status = step(&run);
    cie->initial = run.now;
    return status;
}

static bool add_row(struct reader *r, uint32_t off, const struct rules *rules)
{
    struct unwind_cfi_functions *out = r->out;
    struct unwind_function *f = &out->p[out->n - 1];
    struct unwind_row *last = f->n_rows ? &out->rows[out->n_rows - 1] : NULL;
    struct unwind_state state = rules->state;
    if (rules->signed_with_pc) {
        set_ra(&state, (struct rule){UNWIND_EXPRESSION, 0, 0});
        state.cfa_reg &= (uint8_t)~UNWIND_SIGNED;
    }
    if (last && unwind_same_state(&last->state, &state))
        return true;
    if (!bo_grow(r->arena, &out->rows, out->n_rows, 1, &out->cap_rows))
        return false;
    out->n_signed_with_pc += rules->signed_with_pc;
    out->rows[out->n_rows++] = (struct unwind_row){off, state};
    f->n_rows++;
    return true;
}

static bool add_function(struct reader *r, uint64_t start, uint64_t length, uint8_t flags,
                         uint8_t rep)
{
    struct unwind_cfi_functions *out = r->out;
    if (!bo_grow(r->arena, &out->p, out->n, 1, &out->cap) ||
        !bo_grow(r->arena, &out->first, out->n, 1, &out->cap_first))
        return false;
    out->first[out->n] = (uint32_t)out->n_rows;
    out->p[out->n++] = (struct unwind_function){
        .start = start, .length = (uint32_t)length, .flags = flags, .rep = rep};
    return true;
}

/* Adds the rest of a PLT from its second block on: one block of two rows. */
static bool add_plt(struct reader *r, const struct run *run)
{
    struct rules rules = run->now;
    const uint64_t rest = run->length - PLT_BLOCK;
    rules.state.kinds &= (uint8_t)~3u;
    rules.state.cfa_reg = r->machine->sp;
    rules.state.cfa_off = 8;
    if (!add_function(r, run->start + PLT_BLOCK, rest, run->cie->flags, PLT_BLOCK) ||
        !add_row(r, 0, &rules))
        return false;
    rules.state.cfa_off = 16;
    return run->now.plt_k >= rest || add_row(r, run->now.plt_k, &rules);
}

/* Runs a function's instructions. Makes one row for each location that instructions describe. */
static enum bo_status get_rows(struct reader *r, struct run *run)
{
    enum bo_status status = BO_OK;
    bool more = true;
    while (!status && more) {
        const uint64_t loc = run->loc;
        while (!status && bo_left(&run->in) && run->loc == loc)
            status = step(run);
        more = run->loc != loc;
        if (status)
            break;
        if (loc >= run->length) {
            r->out->n_cut_rows++;
        } else if (run->now.plt_k && loc == PLT_BLOCK && run->start % PLT_BLOCK == 0 && !more) {
            r->out->p[r->out->n - 1].length = PLT_BLOCK;
            if (!add_plt(r, run))
                return bo_fail_alloc(r->err, r->arena);
        } else {
            r->out->n_other_pointer += run->now.plt_k != 0;
            if (!add_row(r, (uint32_t)loc, &run->now))
                return bo_fail_alloc(r->err, r->arena);
        }
    }
    return status;
}

static const struct cie *find_cie(const struct reader *r, uint64_t off)
{
    size_t low = 0, n = r->n_cies;
    while (n) {
        const size_t half = n / 2;
        const bool above = r->cies[low + half].off < off;
        low = above ? low + half + 1 : low;
        n = above ? n - half - 1 : half;
    }
    return low < r->n_cies && r->cies[low].off == off ? &r->cies[low] : NULL;
}

static enum bo_status get_fde(struct reader *r, const struct record *record, uint32_t to_cie)
{
    struct run run = {.r = r, .in = record->in};
    const struct bo_cursor at = run.in;
    uint64_t n;
    const int64_t cie_off = (int64_t)(run.in.base - r->section->off) - (int32_t)to_cie;
    run.cie = find_cie(r, (uint64_t)cie_off);
    run.in.off = 4;
    if (!run.cie)
        return fail(r, &at, "CIE pointer does not point to a CIE");
    run.initial = &run.cie->initial;
    run.now = run.cie->initial;
    enum bo_status status = get_pointer(r, &run.in, run.cie->pointer, true, &run.start);
    status = status ? status : get_pointer(r, &run.in, run.cie->pointer & 15, false, &run.length);
    if (status)
        return status;
    if (run.cie->has_data) {
        if (!get_uleb(&run.in, &n) || n > bo_left(&run.in))
            return fail(r, &at, "augmentation data runs past the record's end");
        run.in.off += (size_t)n;
    }
    if (run.length == 0) {
        r->out->n_empty++;
        return BO_OK;
    }
    if (run.length > UINT32_MAX || run.length > UINT64_MAX - run.start)
        return fail(r, &at, "function has 4 GiB or more, or ends past 2^64");
    if (!run.now.has_cfa)
        run.now.state.kinds |= UNWIND_CFA_OTHER;
    r->n_saved = 0;
    if (!add_function(r, run.start, run.length, run.cie->flags, 0))
        return bo_fail_alloc(r->err, r->arena);
    return get_rows(r, &run);
}

enum bo_status unwind_cfi_read(const struct unwind_cfi_section *section, struct bo_arena *arena,
                               struct unwind_cfi_functions *functions, struct bo_error *err)
{
    struct reader r = {.section = section,
                       .machine = &unwind_machines[section->arch],
                       .arena = arena,
                       .err = err,
                       .out = functions};
    *functions = (struct unwind_cfi_functions){0};
    for (unsigned pass = 0; pass < 2; pass++) {
        struct record record;
        for (size_t off = 0; off < section->bytes.n;) {
            uint64_t id;
            enum bo_status status = get_record(&r, &off, &record);
            if (status)
                return status;
            if (record.in.n == 0)
                continue;
            struct bo_cursor c = record.in;
            get_word(&r, &c, 4, &id);
            if (pass == 0 && id == 0) {
                if (!bo_grow(arena, &r.cies, r.n_cies, 1, &r.cap_cies))
                    return bo_fail_alloc(err, arena);
                status = get_cie(&r, &record, &r.cies[r.n_cies]);
                r.n_cies += !status;
            } else if (pass == 1 && id != 0) {
                status = get_fde(&r, &record, (uint32_t)id);
            }
            if (status)
                return status;
        }
    }
    return BO_OK;
}
