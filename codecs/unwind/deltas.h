/* Types of the rows of profilers' tables, as in delta16 and delta8, and what they can store. */
#ifndef UNWIND_DELTAS_H
#define UNWIND_DELTAS_H

#include "codecs/unwind/reduce.h"

enum {
    DELTA_CFA_FP = 1,
    DELTA_CFA_SP = 2,
    DELTA_CFA_OTHER = 3, /* an expression: only the rule of FP is known */
    DELTA_END = 4,       /* of a function */
};
enum {
    DELTA_FP_SAME = 0,
    DELTA_FP_AT_CFA = 1,
    DELTA_FP_REGISTER = 2, /* written as DELTA_FP_OTHER: the row has no field for the register */
    DELTA_FP_OTHER = 3,
    DELTA_RA_UNDEFINED = 4, /* the outermost frame */
};

static const struct unwind_state delta_outermost = {.kinds = UNWIND_CFA_OTHER | UNWIND_UNDEFINED
                                                                                    << 2};

/*
 * Reduces a state to what a row can store: an outermost frame, the CFA and RA if `holds`, and FP
 * where it is the same or at the CFA. All else becomes expressions. Signatures are lost.
 */
static inline void delta_reduce(bool holds, struct unwind_state *s)
{
    const bool fp_held = unwind_fp(s) == UNWIND_SAME ||
                         (unwind_fp(s) == UNWIND_AT_CFA && unwind_is_int16(s->fp_off));
    if (unwind_ra(s) == UNWIND_UNDEFINED) {
        *s = delta_outermost;
        return;
    }
    const enum unwind_rule fp = fp_held ? unwind_fp(s) : UNWIND_EXPRESSION;
    *s = (struct unwind_state){.cfa_off = holds ? s->cfa_off : 0,
                               .ra_off = holds ? s->ra_off : 0,
                               .fp_off = fp_held ? s->fp_off : 0,
                               .cfa_reg = holds ? unwind_cfa_reg(s) : 0,
                               .kinds = holds
                                            ? unwind_pack(UNWIND_CFA_REGISTER, unwind_ra(s), fp)
                                            : unwind_pack(UNWIND_CFA_OTHER, UNWIND_EXPRESSION, fp)};
}

static inline bool delta_cfa_is_plain(const struct unwind_model *model,
                                      const struct unwind_state *s)
{
    const struct unwind_machine *machine = &unwind_machines[model->arch];
    const uint8_t reg = unwind_cfa_reg(s);
    return unwind_cfa(s) == UNWIND_CFA_REGISTER && (reg == machine->sp || reg == machine->fp);
}

static inline uint8_t delta_cfa_type(const struct unwind_model *model, const struct unwind_flat *f)
{
    return !f->known                                             ? DELTA_END
           : unwind_cfa(&f->state) == UNWIND_CFA_OTHER           ? DELTA_CFA_OTHER
           : f->state.cfa_reg == unwind_machines[model->arch].sp ? DELTA_CFA_SP
                                                                 : DELTA_CFA_FP;
}

static inline uint8_t delta_fp_type(const struct unwind_flat *f)
{
    return !f->known                                   ? DELTA_FP_SAME
           : unwind_ra(&f->state) == UNWIND_UNDEFINED  ? DELTA_RA_UNDEFINED
           : unwind_fp(&f->state) == UNWIND_AT_CFA     ? DELTA_FP_AT_CFA
           : unwind_fp(&f->state) == UNWIND_EXPRESSION ? DELTA_FP_OTHER
                                                       : DELTA_FP_SAME;
}

/*
 * The stretch that a row's types and offsets encode; `ra` is the rule of RA if the CFA is plain.
 * Returns NULL, or the rule that the row breaks.
 */
static inline const char *delta_flat(enum unwind_arch arch, uint8_t cfa, uint8_t fp,
                                     int32_t cfa_off, int32_t fp_off, enum unwind_rule ra,
                                     int32_t ra_off, struct unwind_flat *flat)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    const bool plain = cfa == DELTA_CFA_FP || cfa == DELTA_CFA_SP;
    flat->known = cfa != DELTA_END;
    if (cfa < DELTA_CFA_FP || cfa > DELTA_END)
        return "type of a row's CFA is unknown";
    if (!plain && cfa_off)
        return "row without a CFA has an offset of it";
    if (fp != DELTA_FP_AT_CFA && fp_off)
        return "frame pointer that is not in memory has an offset";
    if (cfa == DELTA_END)
        return fp != DELTA_FP_SAME ? "end of a function has a rule of FP" : NULL;
    if (fp == DELTA_RA_UNDEFINED && !plain) {
        flat->state = delta_outermost;
        return NULL;
    }
    if (fp > DELTA_FP_OTHER || fp == DELTA_FP_REGISTER)
        return "type of a row's frame pointer is unknown";
    const enum unwind_rule fp_rule = fp == DELTA_FP_AT_CFA  ? UNWIND_AT_CFA
                                     : fp == DELTA_FP_OTHER ? UNWIND_EXPRESSION
                                                            : UNWIND_SAME;
    flat->state =
        (struct unwind_state){.cfa_off = cfa_off,
                              .ra_off = plain ? ra_off : 0,
                              .fp_off = fp_off,
                              .cfa_reg = !plain                ? 0
                                         : cfa == DELTA_CFA_SP ? machine->sp
                                                               : machine->fp,
                              .kinds = unwind_pack(plain ? UNWIND_CFA_REGISTER : UNWIND_CFA_OTHER,
                                                   plain ? ra : UNWIND_EXPRESSION, fp_rule)};
    return NULL;
}

/*
 * The last of n rows from row `low` on whose u16 distance from the page is at most `key`; the row
 * before `low` if all distances are higher. The first page has a row for every key.
 */
static inline size_t delta_last_row(const uint8_t *rows, size_t row_nbytes, size_t low, size_t n,
                                    uint32_t key)
{
    if (bo_le16(rows + low * row_nbytes) > key)
        return low - 1;
    while (n > 1) {
        const size_t half = n / 2;
        low = bo_le16(rows + (low + half) * row_nbytes) <= key ? low + half : low;
        n -= half;
    }
    return low;
}

#endif
