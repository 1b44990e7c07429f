/* Unwind tables in memory: the rules of a model, builders, and the frame of payloads. */
#include "codecs/unwind/unwind.h"

#include "codecs/unwind/text.h"
#include "harness/core/random.h"

const struct unwind_machine unwind_machines[UNWIND_N_ARCHS] = {
    [UNWIND_AMD64] = {"amd64", 7, 6, 16, false, 1},
    [UNWIND_ARM64] = {"arm64", 31, 29, 30, false, 4},
    [UNWIND_S390X] = {"s390x", 15, 11, 14, true, 2},
};

/* ---- validity -------------------------------------------------------------------------------- */

static const char *rule_flaw(enum unwind_rule rule, int32_t off, uint8_t reg)
{
    const bool has_off = rule == UNWIND_AT_CFA || rule == UNWIND_CFA_PLUS || rule == UNWIND_MEMORY;
    const bool has_reg = rule == UNWIND_REGISTER || rule == UNWIND_MEMORY;
    if (rule >= UNWIND_N_RULES)
        return "unknown rule";
    if (reg > UNWIND_MAX_REGISTER)
        return "register number exceeds 127";
    if ((!has_off && off) || (!has_reg && reg))
        return "rule without a register or an offset has one";
    return NULL;
}

const char *unwind_state_flaw(const struct unwind_state *s, enum unwind_arch arch)
{
    if (unwind_cfa(s) > UNWIND_CFA_OTHER)
        return "unknown kind of CFA";
    if (unwind_cfa(s) == UNWIND_CFA_OTHER && (s->cfa_off || unwind_cfa_reg(s)))
        return "CFA by an expression has a register or an offset";
    if (unwind_is_signed(s) && arch != UNWIND_ARM64)
        return "return address is signed on a machine other than arm64";
    const char *flaw = rule_flaw(unwind_ra(s), s->ra_off, s->ra_reg);
    return flaw ? flaw : rule_flaw(unwind_fp(s), s->fp_off, s->fp_reg);
}

static const char *function_flaw(const struct unwind_function *f, enum unwind_arch arch)
{
    if (f->length == 0)
        return "function length is 0";
    if (f->length > UINT64_MAX - f->start)
        return "function ends past 2^64";
    if (f->flags & ~UNWIND_ALL_FLAGS)
        return "unknown function flag";
    for (uint32_t i = 0; i < f->n_rows; i++) {
        const struct unwind_row *row = &f->rows[i];
        const char *flaw = unwind_state_flaw(&row->state, arch);
        if (flaw)
            return flaw;
        if (row->off >= f->length)
            return "row is past the function's end";
        if (f->rep && row->off >= f->rep)
            return "row is past the pattern's end";
        if (i && row->off <= row[-1].off)
            return "offsets of rows do not ascend";
        if (i && unwind_same_state(&row->state, &row[-1].state))
            return "neighbouring rows are equal";
    }
    return NULL;
}

const char *unwind_model_flaw(const struct unwind_model *model, uint32_t *function_ret)
{
    uint32_t ignored;
    function_ret = function_ret ? function_ret : &ignored;
    *function_ret = 0;
    if (model->arch >= UNWIND_N_ARCHS)
        return "machine number is out of range";
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        const char *flaw = function_flaw(f, model->arch);
        *function_ret = i;
        if (flaw)
            return flaw;
        if (i && f->start < unwind_end(&f[-1]))
            return "function starts before the end of the one before";
    }
    return NULL;
}

enum bo_status unwind_expect_functions(const struct unwind_model *model, struct bo_error *err)
{
    return model->joined ? bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                                   "model is joined: it has no function boundaries")
                         : BO_OK;
}

const char *unwind_differ(const void *a_model, const void *b_model)
{
    const struct unwind_model *a = a_model, *b = b_model;
    if (a->arch != b->arch)
        return "the machine differs";
    if (a->joined != b->joined)
        return "only one model has function boundaries";
    if (a->n_functions != b->n_functions)
        return "the number of functions differs";
    for (uint32_t i = 0; i < a->n_functions; i++) {
        const struct unwind_function *f = &a->functions[i], *g = &b->functions[i];
        if (f->start != g->start || f->length != g->length)
            return "a function's start or length differs";
        if (f->flags != g->flags || f->rep != g->rep)
            return "a function's flags or pattern differ";
        if (f->n_rows != g->n_rows)
            return "a function's number of rows differs";
        for (uint32_t r = 0; r < f->n_rows; r++)
            if (f->rows[r].off != g->rows[r].off ||
                !unwind_same_state(&f->rows[r].state, &g->rows[r].state))
                return "a row differs";
    }
    return NULL;
}

/* ---- building -------------------------------------------------------------------------------- */

bool unwind_add_function(struct unwind_builder *b, uint64_t start, uint32_t length, uint8_t flags,
                         uint8_t rep)
{
    if (!bo_grow(b->arena, &b->functions, b->n_functions, 1, &b->cap_functions))
        return false;
    b->functions[b->n_functions++] =
        (struct unwind_function){.start = start, .length = length, .flags = flags, .rep = rep};
    return true;
}

bool unwind_add_row(struct unwind_builder *b, uint32_t off, const struct unwind_state *state)
{
    struct unwind_function *f = &b->functions[b->n_functions - 1];
    if (f->n_rows && unwind_same_state(&b->rows[b->n_rows - 1].state, state))
        return true;
    if (!bo_grow(b->arena, &b->rows, b->n_rows, 1, &b->cap_rows))
        return false;
    b->rows[b->n_rows++] = (struct unwind_row){off, *state};
    f->n_rows++;
    return true;
}

struct unwind_model *unwind_build(struct unwind_builder *b, enum unwind_arch arch)
{
    struct unwind_model *model = bo_alloc(b->arena, sizeof *model);
    const struct unwind_row *rows = b->rows;
    if (!model)
        return NULL;
    for (size_t i = 0; i < b->n_functions; i++) {
        b->functions[i].rows = rows;
        rows = rows ? rows + b->functions[i].n_rows : NULL;
    }
    *model = (struct unwind_model){
        .arch = arch, .n_functions = (uint32_t)b->n_functions, .functions = b->functions};
    return model;
}

/* ---- numbers of equal things ----------------------------------------------------------------- */

void unwind_interner_init(struct unwind_interner *in, size_t item_nbytes, struct bo_arena *arena)
{
    *in = (struct unwind_interner){.arena = arena, .item_nbytes = item_nbytes};
}

/* The seed is unpredictable, so that no document has items that all collide. */
static uint64_t hash_item(const uint8_t *p, size_t n, uint64_t seed)
{
    uint64_t h = seed;
    for (; n >= 4; p += 4, n -= 4)
        h = bo_mix64(h ^ bo_le32(p));
    for (; n; p++, n--)
        h = bo_mix64(h ^ *p);
    return h;
}

static uint32_t *find_slot(const struct unwind_interner *in, const void *item)
{
    size_t i = (size_t)hash_item(item, in->item_nbytes, (uintptr_t)in->slots) & (in->n_slots - 1);
    while (in->slots[i] &&
           memcmp(in->items + (in->slots[i] - 1) * in->item_nbytes, item, in->item_nbytes) != 0)
        i = (i + 1) & (in->n_slots - 1);
    return &in->slots[i];
}

static bool grow_slots(struct unwind_interner *in)
{
    const size_t n_slots = in->n_slots ? 2 * in->n_slots : 64;
    uint32_t *slots = bo_zalloc_array(in->arena, n_slots, sizeof *slots);
    if (!slots)
        return false;
    in->slots = slots;
    in->n_slots = n_slots;
    for (size_t i = 0; i < in->n; i++)
        *find_slot(in, in->items + i * in->item_nbytes) = (uint32_t)i + 1;
    return true;
}

uint32_t unwind_intern(struct unwind_interner *in, const void *item)
{
    if (2 * (in->n + 1) > in->n_slots && !grow_slots(in))
        return UINT32_MAX;
    uint32_t *slot = find_slot(in, item);
    if (*slot)
        return *slot - 1;
    if (in->n == in->cap) {
        const size_t cap = in->cap ? 2 * in->cap : bo_first_cap(in->arena, 64);
        uint8_t *items = bo_alloc_array(in->arena, cap, in->item_nbytes);
        if (!items)
            return UINT32_MAX;
        if (in->n)
            memcpy(items, in->items, in->n * in->item_nbytes);
        in->items = items;
        in->cap = cap;
    }
    memcpy(in->items + in->n * in->item_nbytes, item, in->item_nbytes);
    *slot = (uint32_t)++in->n;
    return (uint32_t)in->n - 1;
}

/* ---- the frame ------------------------------------------------------------------------------- */

enum bo_status unwind_frame_open(struct bo_span in, unsigned n_parts, struct unwind_frame *frame,
                                 struct bo_error *err)
{
    const size_t header_nbytes = UNWIND_FRAME_HEADER + 8 * (size_t)n_parts;
    if (in.n < header_nbytes + UNWIND_OVERREAD)
        return bo_fail(err, BO_TRUNCATED, in.n, "payload ends inside the frame's header");
    if (in.p[0] != UNWIND_FRAME_VERSION)
        return bo_fail(err, BO_UNSUPPORTED, 0, "unknown frame version");
    if (in.p[1] >= UNWIND_N_ARCHS)
        return bo_fail(err, BO_CORRUPT, 1, "machine number is out of range");
    if (bo_le16(in.p + 2) != n_parts)
        return bo_fail(err, BO_CORRUPT, 2, "number of parts is not the codec's");
    if (bo_le32(in.p + 4))
        return bo_fail(err, BO_CORRUPT, 4, "reserved field is not 0");
    frame->arch = (enum unwind_arch)in.p[1];
    frame->base = bo_le64(in.p + 8);
    size_t off = header_nbytes;
    for (unsigned i = 0; i < n_parts; i++) {
        const uint64_t n = bo_le64(in.p + UNWIND_FRAME_HEADER + 8 * (size_t)i);
        if (n > in.n - UNWIND_OVERREAD - off)
            return bo_fail(err, BO_TRUNCATED, UNWIND_FRAME_HEADER + 8 * (uint64_t)i,
                           "part runs past the payload's end");
        frame->parts[i] = (struct bo_span){in.p + off, (size_t)n};
        frame->part_off[i] = off;
        off += (size_t)n;
    }
    if (in.n - off != UNWIND_OVERREAD)
        return bo_fail(err, BO_CORRUPT, off, "bytes follow the last part");
    for (; off < in.n; off++)
        if (in.p[off])
            return bo_fail(err, BO_CORRUPT, off, "padding is not 0");
    return BO_OK;
}

void unwind_frame_begin(struct unwind_frame_writer *w, const struct unwind_model *model,
                        unsigned n_parts, struct bo_writer *out)
{
    bo_mark_aside(out, "header");
    bo_put_u8(out, UNWIND_FRAME_VERSION);
    bo_put_u8(out, (uint8_t)model->arch);
    bo_put_le16(out, (uint16_t)n_parts);
    bo_put_le32(out, 0);
    bo_put_le64(out, unwind_base(model));
    *w = (struct unwind_frame_writer){.out = out, .sizes_at = out->n, .n_parts = n_parts};
    bo_put_zeros(out, 8 * (size_t)n_parts);
    w->part_at = out->n;
}

void unwind_frame_end_part(struct unwind_frame_writer *w)
{
    struct bo_writer *out = w->out;
    if (!out->status)
        bo_set_le64(out->p + w->sizes_at + 8 * (size_t)w->part, out->n - w->part_at);
    w->part_at = out->n;
    if (++w->part == w->n_parts) {
        bo_mark_aside(out, "over-read room");
        bo_put_zeros(out, UNWIND_OVERREAD);
    }
}
