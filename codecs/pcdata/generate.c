/*
 * Random PCDATA models: generated, or derived from another model by one change.
 *
 * Shapes follow real binaries roughly (5 runs at the median, gaps mostly below 128 quanta, values
 * by kind). Cases in which encodings may have bugs are frequent: chunk borders, long constant
 * stretches, extremes of int32, -1 at PC 0.
 */
#include "codecs/pcdata/generate.h"

/* A table being built, in quanta; run starts ascend and neighbours differ by construction. */
struct draft {
    struct bo_arena *arena;
    struct pcdata_run *runs;
    size_t n, cap;
    uint32_t quanta; /* so far: where the next run would start */
    uint32_t max_quanta;
    bool refused; /* by the arena */
};

static void add_run(struct draft *d, uint32_t length, int32_t value)
{
    if (length > d->max_quanta - d->quanta)
        length = d->max_quanta - d->quanta;
    if (length == 0 || d->refused)
        return;
    if (d->n && d->runs[d->n - 1].value == value)
        value = value == INT32_MAX ? INT32_MIN : value + 1;
    d->refused = !bo_grow(d->arena, &d->runs, d->n, 1, &d->cap);
    if (d->refused)
        return;
    d->runs[d->n++] = (struct pcdata_run){d->quanta, value};
    d->quanta += length;
}

/* ---- lengths and values ---------------------------------------------------------------------- */

static uint32_t random_n_runs(struct bo_random *r)
{
    const uint32_t class = bo_random_below(r, 16);
    return class < 3    ? 1 + bo_random_below(r, 2)
           : class < 12 ? 1 + bo_random_below(r, 12)
           : class < 15 ? 1 + bo_random_below(r, 64)
                        : 1 + bo_random_below(r, 700);
}

/* Half of the gaps below 16 quanta, nearly all below 128, a few of whole chunks. */
static uint32_t random_length(struct bo_random *r)
{
    const uint32_t class = bo_random_below(r, 32);
    return class < 16   ? 1 + bo_random_below(r, 16)
           : class < 29 ? 1 + bo_random_below(r, 128)
           : class < 31 ? 1 + bo_random_below(r, 2048)
                        : 256 * (1 + bo_random_below(r, 16));
}

static int32_t random_value(struct bo_random *r, uint8_t kind, int32_t previous)
{
    const uint32_t class = bo_random_below(r, 64);
    if (class == 0)
        return (int32_t)bo_random_u32(r);
    if (class == 1)
        return bo_random_one_in(r, 2) ? INT32_MIN : INT32_MAX;
    switch (kind) {
    case PCDATA_PCSP:
        return (int32_t)(8 * bo_random_below(r, 24));
    case PCDATA_PCFILE:
        return (int32_t)bo_random_below(r, 40);
    case PCDATA_PCLN:
        return class < 40 ? (int32_t)((uint32_t)previous + bo_random_below(r, 9) - 3)
                          : (int32_t)bo_random_below(r, 4000);
    default:
        return (int32_t)bo_random_below(r, class < 48 ? 3 : 40) - 2;
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

/*
 * Each draw is a statement of its own: C leaves the order of evaluation inside an expression to the
 * compiler, and the same seed must give the same model everywhere.
 */
static void draft_ordinary(struct draft *d, struct bo_random *r, uint8_t kind)
{
    int32_t value = -1;
    if (bo_random_one_in(r, 4))
        add_run(d, random_length(r), -1);
    for (uint32_t n = random_n_runs(r); n; n--) {
        const uint32_t length = random_length(r);
        value = random_value(r, kind, value);
        add_run(d, length, value);
    }
}

/* A run for every quantum, past a chunk's end: n = 255 and a change on the border. */
static void draft_dense(struct draft *d, struct bo_random *r, uint8_t kind)
{
    int32_t value = 0;
    for (uint32_t n = 250 + bo_random_below(r, 300); n; n--) {
        value = random_value(r, kind, value);
        add_run(d, 1, value);
    }
}

/* Long constant stretches between busy ones: chunks that repeat, and offsets of two bytes. */
static void draft_sparse(struct draft *d, struct bo_random *r, uint8_t kind)
{
    int32_t value = 0;
    for (uint32_t n = 1 + bo_random_below(r, 12); n; n--) {
        const uint32_t n_chunks = bo_random_below(r, 40);
        add_run(d, 256 * n_chunks + bo_random_below(r, 300), (int32_t)(n % 3));
        for (uint32_t m = bo_random_below(r, 60); m; m--) {
            const uint32_t length = 1 + bo_random_below(r, 7);
            value = random_value(r, kind, value);
            add_run(d, length, value);
        }
    }
}

/*
 * A first stretch whose encoding takes about 250 bytes, then constants: where an index of bytes
 * becomes one of words.
 */
static void draft_index_edge(struct draft *d, struct bo_random *r)
{
    for (uint32_t n = 108 + bo_random_below(r, 8); n; n--)
        add_run(d, 1 + (n % 2), (int32_t)(n % 50));
    for (uint32_t n = 1 + bo_random_below(r, 3); n; n--)
        add_run(d, 256, (int32_t)n);
}

/* Every chunk starts with a change. */
static void draft_on_borders(struct draft *d, struct bo_random *r, uint8_t kind)
{
    int32_t value = 0;
    const uint32_t step = 16u << bo_random_below(r, 6);
    for (uint32_t n = 1 + bo_random_below(r, 40); n; n--) {
        const uint32_t n_steps = 1 + bo_random_below(r, 3);
        value = random_value(r, kind, value);
        add_run(d, step * n_steps, value);
    }
}

static bool random_table(struct bo_random *r, struct bo_arena *arena, uint32_t quantum,
                         struct pcdata_table *table)
{
    struct draft d = {.arena = arena, .max_quanta = PCDATA_MAX_RANDOM_QUANTA};
    const uint8_t kind =
        bo_random_one_in(r, 64) ? bo_random_u8(r) : (uint8_t)bo_random_below(r, PCDATA_INDEX0 + 5);
    const uint32_t shape = bo_random_below(r, 32);
    if (shape == 31)
        draft_dense(&d, r, kind);
    else if (shape == 27)
        draft_index_edge(&d, r);
    else if (shape == 30)
        draft_sparse(&d, r, kind);
    else if (shape >= 28)
        draft_on_borders(&d, r, kind);
    else
        draft_ordinary(&d, r, kind);
    if (d.n == 0)
        add_run(&d, 1, 0);
    for (size_t i = 0; i < d.n; i++)
        d.runs[i].pc *= quantum;
    *table = (struct pcdata_table){
        .text_len = d.quanta * quantum,
        .n_runs = (uint32_t)d.n,
        .refs = bo_random_one_in(r, 8) ? 1 + bo_random_below(r, 50) : 1,
        .kind = kind,
        .runs = d.runs,
    };
    return !d.refused;
}

enum bo_status pcdata_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                               void **model_ret, struct bo_error *err)
{
    struct pcdata_model *model = bo_alloc(arena, sizeof *model);
    const size_t limit = scale < UINT32_MAX / 4 ? scale : UINT32_MAX / 4;
    struct pcdata_tables tables = {NULL, 0};
    struct bo_random aside;
    const bool is_extreme = bo_random_extreme_seeded(random, &aside) && scale;
    if (!model)
        return bo_fail_alloc(err, arena);
    model->quantum = 1u << bo_random_below(random, 3);
    if (is_extreme && !pcdata_extreme_tables(&aside, model->quantum, arena, &tables))
        return bo_fail_alloc(err, arena);
    size_t cap = tables.n;
    for (size_t left = limit; left && !bo_random_exhausted(random); left--, tables.n++)
        if (!bo_grow(arena, &tables.p, tables.n, 1, &cap) ||
            !random_table(random, arena, model->quantum, &tables.p[tables.n]))
            return bo_fail_alloc(err, arena);
    model->n_tables = tables.n;
    model->tables = tables.p;
    *model_ret = model;
    return BO_OK;
}

/* ---- one change ------------------------------------------------------------------------------ */

/* A copy of the table without `skip` runs from run i on, and, if `insert`, with a new run there. */
static bool rebuild_table(struct bo_random *r, struct bo_arena *arena, uint32_t quantum,
                          struct pcdata_table *table, bool insert, bool remove)
{
    struct draft d = {.arena = arena, .max_quanta = UINT32_MAX / quantum};
    const uint32_t at = bo_random_below(r, table->n_runs);
    for (uint32_t i = 0; i < table->n_runs; i++) {
        const uint32_t end = i + 1 < table->n_runs ? table->runs[i + 1].pc : table->text_len;
        const uint32_t length = (end - table->runs[i].pc) / quantum;
        if (i == at && remove && table->n_runs > 1)
            continue;
        if (i == at && insert) {
            const uint32_t new_length = random_length(r);
            add_run(&d, new_length, random_value(r, table->kind, table->runs[i].value));
        }
        add_run(&d, length, table->runs[i].value);
    }
    for (size_t i = 0; i < d.n; i++)
        d.runs[i].pc *= quantum;
    table->runs = d.runs;
    table->n_runs = (uint32_t)d.n;
    table->text_len = d.quanta * quantum;
    return !d.refused;
}

static bool change_value(struct bo_random *r, struct bo_arena *arena, struct pcdata_table *table)
{
    struct pcdata_run *runs = bo_alloc_array(arena, table->n_runs, sizeof *runs);
    if (!runs)
        return false;
    memcpy(runs, table->runs, table->n_runs * sizeof *runs);
    const uint32_t i = bo_random_below(r, table->n_runs);
    int32_t value = random_value(r, table->kind, runs[i].value);
    for (unsigned tries = 0; tries < 3; tries++)
        if ((i && runs[i - 1].value == value) ||
            (i + 1 < table->n_runs && runs[i + 1].value == value))
            value = value == INT32_MAX ? INT32_MIN : value + 1;
    runs[i].value = value;
    table->runs = runs;
    return true;
}

enum bo_status pcdata_mutate(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    const struct pcdata_model *old = opaque;
    struct pcdata_model *model = bo_alloc(arena, sizeof *model);
    struct pcdata_table *tables = bo_alloc_array(arena, old->n_tables + (size_t)1, sizeof *tables);
    if (!model || !tables)
        return bo_fail_alloc(err, arena);
    if (old->n_tables)
        memcpy(tables, old->tables, old->n_tables * sizeof *tables);
    *model = (struct pcdata_model){old->quantum, old->n_tables, tables};
    *model_ret = model;

    const uint32_t n = model->n_tables;
    struct pcdata_table *table = n ? &tables[bo_random_below(random, n)] : NULL;
    bool ok = true;
    switch (table ? bo_random_below(random, 8) : 0) {
    case 0:
        ok = random_table(random, arena, model->quantum, &tables[model->n_tables++]);
        break;
    case 1:
        ok = rebuild_table(random, arena, model->quantum, table, true, false);
        break;
    case 2:
        ok = rebuild_table(random, arena, model->quantum, table, false, true);
        break;
    case 3:
        ok = rebuild_table(random, arena, model->quantum, table, true, true);
        break;
    case 4:
        ok = change_value(random, arena, table);
        break;
    case 5:
        table->kind = bo_random_u8(random);
        table->refs = bo_random_u32(random);
        break;
    case 6: /* an equal table: it must be stored once */
        tables[model->n_tables++] = *table;
        break;
    default:
        *table = tables[--model->n_tables];
        break;
    }
    return ok ? BO_OK : bo_fail_alloc(err, arena);
}
