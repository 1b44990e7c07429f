/* Models as stretches of text, for encodings without function boundaries. */
#include "codecs/unwind/reduce.h"

enum { PADDING = 16 }; /* a hole of so many bytes is not part of the function before it */

#define MAX_WRITTEN_OUT (UINT32_C(1) << 20)

struct flattener {
    struct bo_arena *arena;
    struct unwind_flat *p;
    size_t n, cap;
};

/* Adds the state from a PC on, which is above all before, unless it equals the last one. */
static bool add(struct flattener *out, uint64_t pc, const struct unwind_state *state, uint8_t flags)
{
    const struct unwind_flat *last = out->n ? &out->p[out->n - 1] : NULL;
    const bool same = last && last->known == (state != NULL) &&
                      (!state || (unwind_same_state(&last->state, state) && last->flags == flags));
    if (same || (!last && !state))
        return true;
    if (!bo_grow(out->arena, &out->p, out->n, 1, &out->cap))
        return false;
    out->p[out->n] = (struct unwind_flat){.pc = pc, .known = state != NULL};
    if (state) {
        out->p[out->n].state = *state;
        out->p[out->n].flags = flags;
    }
    out->n++;
    return true;
}

static bool add_function(struct flattener *out, const struct unwind_model *model,
                         const struct unwind_function *f, unwind_hold_state *hold, bool signals)
{
    /* without rows, all blocks are alike */
    const uint32_t size = f->rep && f->n_rows ? f->rep : f->length;
    const uint8_t flags = signals ? f->flags & UNWIND_SIGNAL : 0;
    for (uint64_t block = 0; block < f->length; block += size) {
        if (f->n_rows == 0 || f->rows[0].off)
            if (!add(out, f->start + block, NULL, 0))
                return false;
        for (uint32_t r = 0; r < f->n_rows && block + f->rows[r].off < f->length; r++) {
            struct unwind_state s = f->rows[r].state;
            const bool held = (signals || !(f->flags & UNWIND_SIGNAL)) && hold(model, f->flags, &s);
            if (!add(out, f->start + block + f->rows[r].off, held ? &s : NULL, flags))
                return false;
        }
    }
    return true;
}

enum bo_status unwind_flatten(const struct unwind_model *model, unwind_hold_state *hold,
                              bool signals, struct bo_arena *arena, struct unwind_flats *flats,
                              struct bo_error *err)
{
    struct flattener out = {.arena = arena};
    const uint64_t least_hole = model->joined ? 1 : PADDING;
    uint64_t n_written_out = 0;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        const bool last = i + 1 == model->n_functions;
        n_written_out += f->rep ? (uint64_t)f->length / f->rep * f->n_rows : 0;
        if (n_written_out >= MAX_WRITTEN_OUT)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "pattern functions expand to 2^20 rows or more");
        if (!add_function(&out, model, f, hold, signals) ||
            ((last || f[1].start - unwind_end(f) >= least_hole) &&
             !add(&out, unwind_end(f), NULL, 0)))
            return bo_fail_alloc(err, arena);
    }
    const uint64_t span = out.n ? out.p[out.n - 1].pc - out.p[0].pc : 0;
    for (size_t i = 1; span > UINT32_MAX && i < out.n; i++)
        if (out.p[i - 1].known && out.p[i].pc - out.p[i - 1].pc > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "state applies to 4 GiB or more");
    *flats = (struct unwind_flats){out.p, out.n};
    return BO_OK;
}

struct unwind_model *unwind_join(const struct unwind_flats *flats, const struct unwind_model *from,
                                 struct bo_arena *arena)
{
    struct unwind_builder b = {.arena = arena};
    bool open = false;
    for (size_t i = 0; i < flats->n; i++) {
        const struct unwind_flat *flat = &flats->p[i];
        struct unwind_function *last = b.n_functions ? &b.functions[b.n_functions - 1] : NULL;
        const uint64_t length = open ? flat->pc - last->start : 0;
        const bool splits = open && (!flat->known || flat->flags != last->flags ||
                                     flats->p[i + 1].pc - last->start > UINT32_MAX);
        if (splits) {
            last->length = (uint32_t)length;
            open = false;
        }
        if (!flat->known)
            continue;
        if (!open && !unwind_add_function(&b, flat->pc, 0, flat->flags, 0))
            return NULL;
        open = true;
        const uint64_t start = b.functions[b.n_functions - 1].start;
        if (!unwind_add_row(&b, (uint32_t)(flat->pc - start), &flat->state))
            return NULL;
    }
    struct unwind_model *model = unwind_build(&b, from->arch);
    if (model) {
        model->joined = true;
        model->calls = from->calls;
        model->n_calls = from->n_calls;
    }
    return model;
}
