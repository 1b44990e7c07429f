/* Unwind tables as the harness sees them: counts, entropy floor, the table of the format. */
#include "codecs/unwind/generate.h"
#include "codecs/unwind/queries.h"
#include "codecs/unwind/report.h"
#include "codecs/unwind/text.h"
#include "codecs/unwind/unwind.h"
#include "harness/coding/entropy.h"

static uint64_t count_rows(const struct unwind_model *model)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < model->n_functions; i++)
        n += model->functions[i].n_rows;
    return n;
}

static unsigned units(const void *opaque, struct bo_unit *units_ret)
{
    const struct unwind_model *model = opaque;
    units_ret[0] = (struct bo_unit){"functions", model->n_functions};
    units_ret[1] = (struct bo_unit){"rows", count_rows(model)};
    units_ret[2] = (struct bo_unit){"calls", model->n_calls};
    return 3;
}

/*
 * One code for the holes before functions, one for the distances between rows and to the end, one
 * for states given as numbers; the states themselves are not counted.
 */
static double entropy_floor_nbytes(const void *opaque, struct bo_arena *arena)
{
    const struct unwind_model *model = opaque;
    const size_t n_rows = (size_t)count_rows(model), n = model->n_functions;
    uint64_t *holes = bo_alloc_array(arena, n, sizeof *holes);
    uint64_t *gaps = bo_alloc_array(arena, n_rows + n, sizeof *gaps);
    uint64_t *states = bo_alloc_array(arena, n_rows + n, sizeof *states);
    struct unwind_interner in;
    size_t n_gaps = 0;
    if (!holes || !gaps || !states)
        return -1;
    unwind_interner_init(&in, sizeof(struct unwind_state), arena);
    for (size_t i = 0; i < n; i++) {
        const struct unwind_function *f = &model->functions[i];
        uint32_t before = 0;
        holes[i] = i ? f->start - unwind_end(&f[-1]) : 0;
        for (uint32_t r = 0; r < f->n_rows; r++) {
            const uint32_t state = unwind_intern(&in, &f->rows[r].state);
            if (state == UINT32_MAX)
                return -1;
            gaps[n_gaps] = f->rows[r].off - before;
            states[n_gaps++] = state;
            before = f->rows[r].off;
        }
        gaps[n_gaps] = f->length - before;
        states[n_gaps++] = UINT32_MAX;
    }
    return (bo_order0_nbits(holes, n) + bo_order0_nbits(gaps, n_gaps) +
            bo_order0_nbits(states, n_gaps)) /
           8;
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define CODEC(name) extern const struct bo_codec unwind_##name;
#include "codecs/unwind/codecs.def"
#undef CODEC

static const struct bo_codec *const codecs[] = {
#define CODEC(name) &unwind_##name,
#include "codecs/unwind/codecs.def"
#undef CODEC
    NULL,
};

const struct bo_format unwind_format = {
    .name = "unwind",
    .summary = "Unwind tables: from any PC of a binary to the caller's frame",
    .report = &unwind_report,
    .kinds = unwind_kinds,
    .n_kinds = UNWIND_N_KINDS,
    .codecs = codecs,
    .parse = unwind_parse,
    .print = unwind_print,
    .differ = unwind_differ,
    .generate = unwind_generate,
    .mutate = unwind_mutate,
    .units = units,
    .entropy_floor_nbytes = entropy_floor_nbytes,
};
