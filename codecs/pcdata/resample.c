/*
 * Any number of tables with the statistics of a real binary.
 *
 * A table starts as a copy of a real table that is drawn at random, with its kind and its number of
 * references. After each run, the copy may continue in another real table of the same kind, after a
 * run with the same length and the same change of value. So each run is distributed given the run
 * before it, and a table ends where a real table ends after such a run.
 */
#include "codecs/pcdata/resample.h"

enum {
    CHANGES_OVER = 3,    /* one run in so many */
    MAX_RUNS = 1 << 16,  /* of a table: without a limit, changing tables might never end */
    N_BUCKETS = 1 << 16, /* of runs that look alike */
};

struct source {
    const struct pcdata_model *like;
    struct bo_random *random;
    struct bo_arena *arena;
    struct place {
        uint32_t table, run;
    } * places;              /* all runs, by bucket */
    uint32_t *first;         /* by bucket; N_BUCKETS + 1 of them */
    struct pcdata_run *runs; /* of the table that is being drawn */
    size_t cap_runs;
};

/* The length of a run in bytes. */
static uint32_t length_of(const struct pcdata_table *table, uint32_t run)
{
    const uint32_t end = run + 1 < table->n_runs ? table->runs[run + 1].pc : table->text_len;
    return end - table->runs[run].pc;
}

/* The first run changes from -1, as in Go. */
static uint32_t change_of(const struct pcdata_table *table, uint32_t run)
{
    return (uint32_t)table->runs[run].value -
           (run ? (uint32_t)table->runs[run - 1].value : UINT32_MAX);
}

static bool look_alike(const struct pcdata_table *a, uint32_t i, const struct pcdata_table *b,
                       uint32_t j)
{
    return a->kind == b->kind && (i == 0) == (j == 0) && change_of(a, i) == change_of(b, j) &&
           length_of(a, i) == length_of(b, j);
}

static uint32_t bucket_of(const struct pcdata_table *table, uint32_t run)
{
    uint32_t h = change_of(table, run) * 0x9e3779b1u + length_of(table, run);
    h = (h ^ h >> 15) * 0x85ebca6bu + table->kind + 256u * (run == 0);
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h >> 16;
}

static bool fill_buckets(struct source *s)
{
    size_t n = 0;
    for (uint32_t t = 0; t < s->like->n_tables; t++)
        n += s->like->tables[t].n_runs;
    s->places = n < UINT32_MAX ? bo_alloc_array(s->arena, n + 1, sizeof *s->places) : NULL;
    s->first = bo_zalloc_array(s->arena, N_BUCKETS + 2, sizeof *s->first);
    if (!s->places || !s->first)
        return false;
    for (uint32_t t = 0; t < s->like->n_tables; t++)
        for (uint32_t r = 0; r < s->like->tables[t].n_runs; r++)
            s->first[bucket_of(&s->like->tables[t], r) + 2]++;
    for (uint32_t b = 1; b < N_BUCKETS + 2; b++)
        s->first[b] += s->first[b - 1];
    for (uint32_t t = 0; t < s->like->n_tables; t++)
        for (uint32_t r = 0; r < s->like->tables[t].n_runs; r++)
            s->places[s->first[bucket_of(&s->like->tables[t], r) + 1]++] = (struct place){t, r};
    return true;
}

/* The place of a random run that looks like the one at this place, or this place. */
static struct place change_over(struct source *s, struct place at)
{
    const struct pcdata_table *tables = s->like->tables;
    const uint32_t bucket = bucket_of(&tables[at.table], at.run), first = s->first[bucket],
                   n = s->first[bucket + 1] - first;
    const struct place to = s->places[first + bo_random_below(s->random, n)];
    return look_alike(&tables[at.table], at.run, &tables[to.table], to.run) ? to : at;
}

static bool draw_table(struct source *s, struct pcdata_table *table)
{
    struct place at = {bo_random_below(s->random, s->like->n_tables), 0};
    const struct pcdata_table *from = &s->like->tables[at.table];
    uint32_t n = 0, pc = 0, value = UINT32_MAX;
    *table = (struct pcdata_table){.refs = from->refs, .kind = from->kind};
    for (;;) {
        const uint32_t length = length_of(from, at.run);
        if (!bo_grow(s->arena, &s->runs, n, 1, &s->cap_runs))
            return false;
        value += change_of(from, at.run);
        s->runs[n++] = (struct pcdata_run){pc, (int32_t)value};
        pc += length;
        if (bo_random_one_in(s->random, CHANGES_OVER))
            at = change_over(s, at);
        from = &s->like->tables[at.table];
        if (++at.run == from->n_runs || n == MAX_RUNS || pc > INT32_MAX / 2)
            break;
    }
    struct pcdata_run *kept = bo_alloc_array(s->arena, n, sizeof *kept);
    if (!kept)
        return false;
    memcpy(kept, s->runs, n * sizeof *kept);
    table->runs = kept;
    table->n_runs = n;
    table->text_len = pc;
    return true;
}

enum bo_status pcdata_resample(const void *like, size_t n_units, struct bo_random *random,
                               struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct source source = {.like = like, .random = random, .arena = arena};
    struct pcdata_model *model = bo_alloc(arena, sizeof *model);
    struct pcdata_table *tables =
        n_units < UINT32_MAX / 4 ? bo_alloc_array(arena, n_units + 1, sizeof *tables) : NULL;
    if (!model || !tables || !fill_buckets(&source))
        return bo_fail_alloc(err, arena);
    if (source.like->n_tables == 0)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "document has no tables to draw from");
    for (size_t i = 0; i < n_units; i++)
        if (!draw_table(&source, &tables[i]))
            return bo_fail_alloc(err, arena);
    *model = (struct pcdata_model){source.like->quantum, (uint32_t)n_units, tables};
    *model_ret = model;
    return BO_OK;
}
