/* time-index: large timelines that are kept open. */
#include "codecs/statehist/time_index/whole.h"

enum {
    LEAST = TIME_INDEX_MAX_SHAPED + 1, /* intervals */
    INTERVALS_A_BLOCK = 32,            /* at least, on average: a timeline of LEAST has two */
    /* To find something among blocks as they lie costs as much as to keep so many bases. */
    BLOCKS_A_QUERY = 8,
};

/* What n intervals take. */
static size_t nbytes_of(size_t n, size_t n_reads)
{
    const struct time_index_unpacked *u = NULL;
    const size_t n_blocks = n / INTERVALS_A_BLOCK, n_columns = n / LEAST;
    return (n_blocks + 2 * n) * sizeof *u->bases + n_columns * sizeof *u->columns +
           n_reads * sizeof *u->n_reads + n_blocks * sizeof *u->known + n;
}

bool time_index_open_unpacked(struct time_index *index, const struct time_index_limits *limits,
                              struct bo_arena *arena)
{
    const size_t n_reads = (size_t)index->places.n_blocks * ASCENDING_BLOCK;
    size_t n =
        index->n_intervals < limits->max_unpacked ? index->n_intervals : limits->max_unpacked;
    while (n >= LEAST && sizeof *index->unpacked + nbytes_of(n, n_reads) > limits->max_nbytes)
        n -= n / 8 + 1;
    if (n < LEAST || !index->kept_places.numbers || (index->times.n && !index->kept_times.numbers))
        return true;
    struct time_index_unpacked *u = bo_zalloc_array(arena, 1, sizeof *u);
    if (!u)
        return false;
    const size_t n_blocks = n / INTERVALS_A_BLOCK, n_columns = n / LEAST;
    /* All at once: a system maps large allocations one by one. */
    uint8_t *p = bo_alloc(arena, nbytes_of(n, n_reads));
    if (!p)
        return false;
    u->max_intervals = (uint32_t)n;
    u->bases = (uint64_t *)(void *)p;
    u->starts = u->bases + n_blocks;
    u->values = u->starts + n;
    u->columns = (struct time_index_columns *)(void *)(u->values + n);
    u->n_reads = (uint32_t *)(void *)(u->columns + n_columns);
    u->known = (bool *)(u->n_reads + n_reads);
    u->types = (uint8_t *)(u->known + n_blocks);
    index->unpacked = u;
    return n < index->n_intervals ||
           time_index_open_whole(index, limits->max_nbytes - sizeof *u - nbytes_of(n, n_reads),
                                 arena);
}

static void drop_all(const struct time_index *index, struct time_index_unpacked *u)
{
    for (uint32_t i = 0; i < u->n_columns; i++) {
        index->kept_places.numbers[u->columns[i].quark] = u->columns[i].place;
        u->n_reads[u->columns[i].quark] = 0;
    }
    u->n_columns = u->n_intervals = u->n_blocks = 0;
}

void time_index_close_unpacked(const struct time_index *index)
{
    drop_all(index, index->unpacked);
    index->unpacked->max_intervals = 0;
}

static void keep(const struct time_index_timeline *t, uint32_t quark, struct time_index_unpacked *u)
{
    const uint32_t n_blocks = time_index_n_blocks(t);
    uint64_t *place = &t->index->kept_places.numbers[quark];
    if (t->n > u->max_intervals - u->n_intervals)
        drop_all(t->index, u);
    uint64_t *bases = u->bases + u->n_blocks;
    struct time_index_columns *columns = &u->columns[u->n_columns];
    *columns = (struct time_index_columns){
        .t = *t,
        .quark = quark,
        .place = *place,
        .known = u->known + u->n_blocks,
        .starts = u->starts + u->n_intervals,
        .values = u->values + u->n_intervals,
        .types = u->types + u->n_intervals,
    };
    for (uint32_t b = 0; b < n_blocks; b++)
        bases[b] = time_index_base(t, b);
    columns->t.bases = bases;
    memset(columns->known, 0, n_blocks * sizeof *columns->known);
    *place = TIME_INDEX_OPEN + u->n_columns++;
    u->n_intervals += t->n;
    u->n_blocks += n_blocks;
}

bool time_index_count_reads(const struct time_index_timeline *t, uint32_t quark,
                            uint32_t n_intervals)
{
    struct time_index_unpacked *u = t->index->unpacked;
    if (!u || t->n < LEAST || t->n > u->max_intervals)
        return false;
    u->n_reads[quark] += n_intervals / ASCENDING_BLOCK + BLOCKS_A_QUERY;
    if (u->n_reads[quark] < time_index_n_blocks(t))
        return false;
    keep(t, quark, u);
    return true;
}
