/* Tables at the limits, one shape each. */
#include "codecs/pcdata/generate.h"

enum { MAX_RUNS = 4000, MAX_TABLES = 4000, MAX_LENGTH = 300 };

/* One table of n runs, which are to be filled in; NULL when the arena refuses. */
static struct pcdata_run *add_table(uint32_t n, struct bo_arena *arena,
                                    struct pcdata_tables *tables)
{
    struct pcdata_table *table = bo_alloc(arena, sizeof *table);
    struct pcdata_run *runs = bo_alloc_array(arena, n, sizeof *runs);
    if (!table || !runs)
        return NULL;
    *table = (struct pcdata_table){.n_runs = n, .refs = 1, .kind = PCDATA_PCLN, .runs = runs};
    *tables = (struct pcdata_tables){table, 1};
    return runs;
}

/* Runs of at most max_length bytes, with steps of all sizes between their values. */
static bool add_runs(struct bo_random *r, uint32_t quantum, uint32_t max_length,
                     struct bo_arena *arena, struct pcdata_tables *tables)
{
    const uint32_t n = bo_random_extreme_size(r, MAX_RUNS);
    struct pcdata_run *runs = add_table(n, arena, tables);
    uint32_t pc = 0, value = 0;
    for (uint32_t i = 0; runs && i < n; i++) {
        runs[i] = (struct pcdata_run){pc, (int32_t)value};
        pc += quantum * (1 + bo_random_below(r, max_length / quantum));
        const uint32_t step = bo_random_u32(r);
        value += 1 + (step >> bo_random_below(r, 32)) % INT32_MAX;
    }
    if (runs)
        tables->p->text_len = pc;
    return runs != NULL;
}

static bool add_many_runs(struct bo_random *r, uint32_t quantum, struct bo_arena *arena,
                          struct pcdata_tables *tables)
{
    return add_runs(r, quantum, MAX_LENGTH, arena, tables);
}

/* A run for each quantum. */
static bool add_dense_runs(struct bo_random *r, uint32_t quantum, struct bo_arena *arena,
                           struct pcdata_tables *tables)
{
    return add_runs(r, quantum, quantum, arena, tables);
}

/* Few runs over as much text as a generated table has; their values are the limits by turns. */
static bool add_gaps(struct bo_random *r, uint32_t quantum, struct bo_arena *arena,
                     struct pcdata_tables *tables)
{
    const uint32_t n = 2 + bo_random_below(r, 3);
    struct pcdata_run *runs = add_table(n, arena, tables);
    uint32_t pc = 0;
    for (uint32_t i = 0; runs && i < n; i++) {
        runs[i] = (struct pcdata_run){pc, i % 2 ? INT32_MAX : INT32_MIN};
        pc += quantum * (1 + bo_random_below(r, PCDATA_MAX_RANDOM_QUANTA / n));
    }
    if (runs)
        tables->p->text_len = quantum * PCDATA_MAX_RANDOM_QUANTA;
    return runs != NULL;
}

/* Tables of one run each, no two of them equal. */
static bool add_tables(struct bo_random *r, uint32_t quantum, struct bo_arena *arena,
                       struct pcdata_tables *tables)
{
    const uint32_t n = bo_random_extreme_size(r, MAX_TABLES);
    struct pcdata_table *p = bo_alloc_array(arena, n, sizeof *p);
    struct pcdata_run *runs = bo_alloc_array(arena, n, sizeof *runs);
    for (uint32_t i = 0; p && runs && i < n; i++) {
        const uint32_t length = 1 + bo_random_below(r, MAX_LENGTH);
        runs[i] = (struct pcdata_run){0, (int32_t)i};
        p[i] = (struct pcdata_table){.text_len = quantum * length,
                                     .n_runs = 1,
                                     .refs = UINT32_MAX - i,
                                     .kind = PCDATA_MAX_KIND,
                                     .runs = runs + i};
    }
    *tables = (struct pcdata_tables){p, n};
    return p && runs;
}

bool pcdata_extreme_tables(struct bo_random *r, uint32_t quantum, struct bo_arena *arena,
                           struct pcdata_tables *tables_ret)
{
    static bool (*const shapes[])(struct bo_random *, uint32_t, struct bo_arena *,
                                  struct pcdata_tables *) = {add_many_runs, add_dense_runs,
                                                             add_gaps, add_tables};
    const uint32_t shape = bo_random_below(r, sizeof shapes / sizeof *shapes);
    return shapes[shape](r, quantum, arena, tables_ret);
}
