/*
 * orc: the tables of the Linux kernel's unwinder of that name (amd64, kernel 6.4 and later), as
 * three arrays: addresses, entries of 6 bytes, and for each block of 256 bytes of text the number
 * of the entry at which a query starts to search.
 */
#include "codecs/unwind/reduce.h"

enum { IPS, ENTRIES, LOOKUP, N_PARTS };
enum { ENTRY_NBYTES = 6, BLOCK_SHIFT = 8, CALL_RA = -8 };

/* Registers of an entry, and its types. */
enum {
    NONE = 0,
    PREV_SP = 1,
    DX = 2,
    DI = 3,
    BP = 4,
    SP = 5,
    R10 = 6,
    R13 = 7,
    BP_INDIRECT = 8,
    SP_INDIRECT = 9
};
enum { UNDEFINED = 0, END_OF_STACK = 1, CALL = 2 };
enum { DWARF_DX = 1, DWARF_DI = 5, DWARF_R10 = 10, DWARF_R13 = 13 };
#define HOLDS_SIGNALS false

struct table {
    struct unwind_frame frame;
    size_t n;
    uint32_t n_blocks;
};

/* A register that is read without an offset, or NONE. */
static unsigned plain_register(unsigned dwarf)
{
    return dwarf == DWARF_DX    ? DX
           : dwarf == DWARF_DI  ? DI
           : dwarf == DWARF_R10 ? R10
           : dwarf == DWARF_R13 ? R13
                                : NONE;
}

/* The entry of a state; false if the state has no entry. */
static bool make_entry(const struct unwind_state *s, int16_t *sp_off, int16_t *bp_off,
                       uint16_t *info)
{
    const struct unwind_machine *machine = &unwind_machines[UNWIND_AMD64];
    const bool memory = unwind_cfa(s) == UNWIND_CFA_MEMORY;
    const unsigned reg = unwind_cfa_reg(s);
    unsigned sp_reg = NONE, bp_reg = NONE, type = CALL;
    *sp_off = *bp_off = 0;
    if (unwind_ra(s) == UNWIND_UNDEFINED) {
        *info = END_OF_STACK << 8;
        return true;
    }
    if (unwind_cfa(s) == UNWIND_CFA_OTHER || !unwind_is_int16(s->cfa_off) ||
        unwind_ra(s) != UNWIND_AT_CFA || s->ra_off != CALL_RA)
        return false;
    if (reg == machine->sp)
        sp_reg = memory ? SP_INDIRECT : SP;
    else if (reg == machine->fp)
        sp_reg = memory ? BP_INDIRECT : BP;
    else if (!memory && s->cfa_off == 0)
        sp_reg = plain_register(reg);
    if (sp_reg == NONE)
        return false;
    *sp_off = (int16_t)s->cfa_off;
    if (unwind_fp(s) == UNWIND_AT_CFA)
        bp_reg = PREV_SP;
    else if (unwind_fp(s) == UNWIND_MEMORY && s->fp_reg == machine->fp)
        bp_reg = BP;
    else if (unwind_fp(s) != UNWIND_SAME)
        return false;
    if (!unwind_is_int16(s->fp_off))
        return false;
    *bp_off = (int16_t)s->fp_off;
    *info = (uint16_t)(sp_reg | bp_reg << 4 | type << 8);
    return true;
}

static bool hold(const struct unwind_model *model, uint8_t flags, struct unwind_state *s)
{
    int16_t sp_off, bp_off;
    uint16_t info;
    if (!make_entry(s, &sp_off, &bp_off, &info))
        return false;
    if (info == END_OF_STACK << 8)
        *s = (struct unwind_state){
            .kinds = unwind_pack(UNWIND_CFA_OTHER, UNWIND_UNDEFINED, UNWIND_SAME)};
    return true;
}

static enum bo_status put_flats(const struct unwind_flats *flats, const struct unwind_model *model,
                                struct bo_writer *out, struct unwind_frame_writer *w,
                                struct bo_error *err)
{
    const uint64_t base = unwind_base(model);
    const uint64_t end = flats->n ? flats->p[flats->n - 1].pc - base : 0;
    if (model->arch != UNWIND_AMD64)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "ORC of this layout is for amd64");
    if (end > INT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "text has 2^31 bytes or more");
    bo_mark(out, "addresses");
    for (size_t i = 0; i < flats->n; i++)
        bo_put_le32(out, (uint32_t)(flats->p[i].pc - base) - (uint32_t)(4 * i));
    unwind_frame_end_part(w);
    bo_mark(out, "entries");
    for (size_t i = 0; i < flats->n; i++) {
        int16_t sp_off = 0, bp_off = 0;
        uint16_t info = 0;
        if (flats->p[i].known)
            make_entry(&flats->p[i].state, &sp_off, &bp_off, &info);
        bo_put_le16(out, (uint16_t)sp_off);
        bo_put_le16(out, (uint16_t)bp_off);
        bo_put_le16(out, info);
    }
    unwind_frame_end_part(w);
    bo_mark(out, "lookup");
    if (flats->n) {
        const uint64_t n_blocks = (end + 255) >> BLOCK_SHIFT;
        size_t i = 0;
        for (uint64_t b = 0; b <= n_blocks; b++) {
            while (i + 1 < flats->n && flats->p[i + 1].pc - base <= b << BLOCK_SHIFT)
                i++;
            bo_put_le32(out, (uint32_t)i);
        }
    }
    unwind_frame_end_part(w);
    return BO_OK;
}

/* Entry i's PC from Base. */
static inline uint32_t address_of(const struct table *t, size_t i)
{
    return bo_le32(t->frame.parts[IPS].p + 4 * i) + (uint32_t)(4 * i);
}

static enum bo_status open_table(struct bo_span in, struct table *t, struct bo_error *err)
{
    const enum bo_status status = unwind_frame_open(in, N_PARTS, &t->frame, err);
    if (status)
        return status;
    const uint64_t lookup_at = t->frame.part_off[LOOKUP];
    if (t->frame.arch != UNWIND_AMD64)
        return bo_fail(err, BO_CORRUPT, 1, "ORC of this layout is for amd64");
    t->n = t->frame.parts[IPS].n / 4;
    if (t->frame.parts[IPS].n % 4 || t->n > INT32_MAX / 4 ||
        t->frame.parts[ENTRIES].n != t->n * ENTRY_NBYTES)
        return bo_fail(err, BO_CORRUPT, t->frame.part_off[IPS],
                       "sizes of addresses and entries do not match");
    const uint64_t end = t->n ? address_of(t, t->n - 1) : 0;
    const uint64_t n_blocks = (end + 255) >> BLOCK_SHIFT;
    if (end > INT32_MAX || t->frame.parts[LOOKUP].n != (t->n ? 4 * (n_blocks + 1) : 0))
        return bo_fail(err, BO_CORRUPT, lookup_at,
                       "size of the lookup table does not match the addresses");
    t->n_blocks = (uint32_t)n_blocks;
    size_t i = 0;
    for (uint64_t b = 0; t->n && b <= n_blocks; b++) {
        while (i + 1 < t->n && address_of(t, i + 1) <= b << BLOCK_SHIFT)
            i++;
        if (bo_le32(t->frame.parts[LOOKUP].p + 4 * b) != i)
            return bo_fail(err, BO_CORRUPT, lookup_at + 4 * b,
                           "lookup is not the last entry at or below the block's start");
    }
    return BO_OK;
}

static const char *get_flat(const struct table *t, size_t i, struct unwind_flat *flat)
{
    static const uint8_t registers[] = {
        [DX] = DWARF_DX,   [DI] = DWARF_DI,   [BP] = 6,          [SP] = 7,
        [R10] = DWARF_R10, [R13] = DWARF_R13, [BP_INDIRECT] = 6, [SP_INDIRECT] = 7};
    const uint8_t *p = t->frame.parts[ENTRIES].p + i * ENTRY_NBYTES;
    const int16_t sp_off = (int16_t)bo_le16(p), bp_off = (int16_t)bo_le16(p + 2);
    const unsigned info = bo_le16(p + 4), sp_reg = info & 15, bp_reg = info >> 4 & 15;
    const unsigned type = info >> 8 & 7;
    struct unwind_state s = {0};
    *flat = (struct unwind_flat){.pc = t->frame.base + address_of(t, i)};
    if (info >> 11)
        return "signal bit, or bits above it, are set";
    if (type != CALL && (info & 0xff || sp_off || bp_off))
        return "entry of another type than call has registers or offsets";
    if (type == UNDEFINED)
        return NULL;
    flat->known = true;
    if (type == END_OF_STACK) {
        flat->state.kinds = unwind_pack(UNWIND_CFA_OTHER, UNWIND_UNDEFINED, UNWIND_SAME);
        return NULL;
    }
    if (type != CALL || sp_reg < DX || sp_reg > SP_INDIRECT ||
        (bp_reg != NONE && bp_reg != PREV_SP && bp_reg != BP))
        return "type or register of an entry is unknown";
    if (sp_off && (sp_reg == DX || sp_reg == DI || sp_reg == R10 || sp_reg == R13))
        return "register that has no offset has one";
    if (bp_off && bp_reg == NONE)
        return "frame pointer in its register has an offset";
    s.cfa_reg = registers[sp_reg];
    s.cfa_off = sp_off;
    s.ra_off = CALL_RA;
    s.fp_off = bp_off;
    s.fp_reg = bp_reg == BP ? 6 : 0;
    s.kinds =
        unwind_pack(sp_reg >= BP_INDIRECT ? UNWIND_CFA_MEMORY : UNWIND_CFA_REGISTER, UNWIND_AT_CFA,
                    bp_reg == NONE ? UNWIND_SAME
                    : bp_reg == BP ? UNWIND_MEMORY
                                   : UNWIND_AT_CFA);
    flat->state = s;
    return NULL;
}

static inline bool find_flat(const struct table *t, uint64_t pc, size_t *i_ret)
{
    const uint64_t off = pc - t->frame.base;
    const uint64_t block = off >> BLOCK_SHIFT;
    if (pc < t->frame.base || block >= t->n_blocks)
        return false;
    const uint8_t *lookup = t->frame.parts[LOOKUP].p + 4 * block;
    size_t low = bo_le32(lookup), n = bo_le32(lookup + 4) - low + 1;
    while (n > 1) {
        const size_t half = n / 2;
        low = address_of(t, low + half) <= off ? low + half : low;
        n -= half;
    }
    *i_ret = low;
    return true;
}

#include "codecs/unwind/flat.h"

const struct bo_codec unwind_orc = {
    .name = "orc",
    .summary = "ORC of the Linux kernel: one entry a row, a lookup for each 256 bytes of text",
    .spec = "codecs/unwind/README.md#orc",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_SCAN,
    .reduce = reduce,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
