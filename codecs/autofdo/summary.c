/*
 * The summary of an AutoFDO profile: how many of the highest counts make up how much of the total.
 *
 * Equal counts are counted together, as by the existing writers: an entry counts every record whose
 * count is at least the entry's least count.
 */
#include <stdlib.h>

#include "codecs/autofdo/autofdo.h"

const uint32_t autofdo_cutoffs[AUTOFDO_N_CUTOFFS] = {
    10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
    800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999,
};

enum { PER_MILLION = 1000000 };

static uint64_t n_records(const struct autofdo_instance *instance)
{
    uint64_t n = instance->n_records;
    for (size_t i = 0; i < instance->n_callsites; i++)
        n += n_records(&instance->callsites[i].callee);
    return n;
}

/* Appends the counts of the instance and of what it inlines. */
static void gather_counts(const struct autofdo_instance *instance, uint64_t *counts, size_t *n)
{
    for (size_t i = 0; i < instance->n_records; i++)
        counts[(*n)++] = instance->records[i].count;
    for (size_t i = 0; i < instance->n_callsites; i++)
        gather_counts(&instance->callsites[i].callee, counts, n);
}

/* ---- sorting --------------------------------------------------------------------------------- */

enum { RADIX_BITS = 8, N_BUCKETS = 1 << RADIX_BITS };

/*
 * Moves n counts from `from` to `to`, downwards by the byte at `shift`; equal ones keep their
 * order.
 */
static void sort_by_byte(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
    size_t ends[N_BUCKETS] = {0}, end = 0;
    for (size_t i = 0; i < n; i++)
        ends[from[i] >> shift & (N_BUCKETS - 1)]++;
    for (unsigned b = N_BUCKETS; b-- > 0;) {
        const size_t start = end;
        end += ends[b];
        ends[b] = start;
    }
    for (size_t i = 0; i < n; i++)
        to[ends[from[i] >> shift & (N_BUCKETS - 1)]++] = from[i];
}

/*
 * Sorts in descending order, byte by byte, only as many bytes as the highest count has. Returns the
 * sorted array, which is one of the two.
 */
static const uint64_t *sort_counts(uint64_t *counts, uint64_t *spare, size_t n, uint64_t highest)
{
    for (unsigned shift = 0; shift < 64 && highest >> shift; shift += RADIX_BITS) {
        uint64_t *sorted = spare;
        sort_by_byte(counts, sorted, n, shift);
        spare = counts;
        counts = sorted;
    }
    return counts;
}

/* ---- the entries ----------------------------------------------------------------------------- */

/* total * cutoff / 10^6, rounded down, without 128 bits. */
static uint64_t share_of(uint64_t total, uint32_t cutoff)
{
    return total / PER_MILLION * cutoff + total % PER_MILLION * cutoff / PER_MILLION;
}

static void fill_entries(struct autofdo_summary *summary, const uint64_t *sorted)
{
    uint64_t sum = 0, n = 0;
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS; i++) {
        const uint64_t share = share_of(summary->total_count, autofdo_cutoffs[i]);
        while (n < summary->n_counts && (sum < share || (n && sorted[n] == sorted[n - 1])))
            sum = autofdo_add(sum, sorted[n++]);
        summary->entries[i].n_counts = n;
        summary->entries[i].min_count = n ? sorted[n - 1] : 0;
    }
}

enum bo_status autofdo_summarize(const struct autofdo_model *model, struct bo_arena *arena,
                                 struct autofdo_summary *summary_ret, struct bo_error *err)
{
    struct autofdo_summary summary = {.n_functions = model->n_functions};
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct autofdo_function *function = &model->functions[f];
        summary.n_counts += n_records(&function->body);
        if (function->head > summary.max_head)
            summary.max_head = function->head;
    }
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    const size_t n = (size_t)summary.n_counts;
    uint64_t *counts = bo_alloc_array(arena, n, sizeof *counts);
    uint64_t *spare = bo_alloc_array(arena, n, sizeof *spare);
    if (!counts || !spare) {
        bo_arena_rewind(arena, mark);
        return bo_fail_alloc(err, arena);
    }
    size_t n_gathered = 0;
    for (size_t f = 0; f < model->n_functions; f++)
        gather_counts(&model->functions[f].body, counts, &n_gathered);
    for (size_t i = 0; i < n; i++) {
        summary.total_count = autofdo_add(summary.total_count, counts[i]);
        if (counts[i] > summary.max_count)
            summary.max_count = counts[i];
    }
    fill_entries(&summary, sort_counts(counts, spare, n, summary.max_count));
    bo_arena_rewind(arena, mark);
    *summary_ret = summary;
    return BO_OK;
}
