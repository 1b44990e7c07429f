/*
 * The summary of an indexed profile: sums and maxima of the counters, and for each of 16 cutoffs
 * how many of the highest counters make up that part of the sum.
 *
 * LLVM leaves out functions whose hash has bit 60, which marks context-sensitive ones, and
 * functions whose first counter is 2^64 - 1 or 2^64 - 2, which marks hot and warm ones without
 * counters. Its sums wrap around.
 */
#include "codecs/lprf/profdata/profdata.h"

enum { N_FIELDS = 6, N_CUTOFFS = 16, CONTEXT_SENSITIVE_BIT = 60, SCALE = 1000000 };

static const uint32_t cutoffs[N_CUTOFFS] = {10000,  100000, 200000, 300000, 400000, 500000,
                                            600000, 700000, 800000, 900000, 950000, 990000,
                                            999000, 999900, 999990, 999999};

/* The summary's fields, in file order. */
struct sums {
    uint64_t n_functions, n_counters, highest_first, highest, highest_other, sum;
};

static bool is_summed(const struct lprf_function *function)
{
    return !(function->hash >> CONTEXT_SENSITIVE_BIT & 1) && function->counters[0] < UINT64_MAX - 1;
}

/* Adds up all counters; those above 0 go to counts[], whose number is returned. */
static size_t add_up(const struct lprf_model *model, struct sums *sums, uint64_t *counts)
{
    size_t n = 0;
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        if (!is_summed(function))
            continue;
        sums->n_functions++;
        sums->n_counters += function->n_counters;
        for (size_t i = 0; i < function->n_counters; i++) {
            const uint64_t count = function->counters[i];
            uint64_t *highest = i ? &sums->highest_other : &sums->highest_first;
            sums->sum += count;
            *highest = count > *highest ? count : *highest;
            if (count)
                counts[n++] = count;
        }
    }
    sums->highest =
        sums->highest_first > sums->highest_other ? sums->highest_first : sums->highest_other;
    return n;
}

/* Sorts in descending order, a byte at a time; returns the array that has the result. */
static uint64_t *sort(uint64_t *from, uint64_t *to, size_t n)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t starts[256] = {0};
        for (size_t i = 0; i < n; i++)
            starts[255 - (from[i] >> shift & 255)]++;
        if (n == 0 || starts[255 - (from[0] >> shift & 255)] == n)
            continue;
        size_t start = 0;
        for (size_t b = 0; b < 256; b++) {
            const size_t n_of_byte = starts[b];
            starts[b] = start;
            start += n_of_byte;
        }
        for (size_t i = 0; i < n; i++)
            to[starts[255 - (from[i] >> shift & 255)]++] = from[i];
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

/* floor(v x cutoff / 10^6) */
static uint64_t part(uint64_t v, uint32_t cutoff)
{
    return v / SCALE * cutoff + v % SCALE * cutoff / SCALE;
}

/* An entry includes all counts that equal its least one. */
static void put_cutoffs(const uint64_t *counts, size_t n, uint64_t sum, uint64_t *words)
{
    uint64_t seen = 0, count = 0, so_far = 0;
    for (unsigned c = 0; c < N_CUTOFFS; c++) {
        const uint64_t wanted = part(sum, cutoffs[c]);
        while (so_far < wanted) { /* all of them together make up the sum */
            count = counts[seen];
            for (; seen < n && counts[seen] == count; seen++)
                so_far += count;
        }
        *words++ = cutoffs[c];
        *words++ = count;
        *words++ = seen;
    }
}

enum bo_status profdata_summarize(const struct lprf_model *model, struct bo_arena *arena,
                                  uint64_t words[PROFDATA_SUMMARY_WORDS], struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct sums sums = {0};
    size_t n_counters = 0;
    for (size_t f = 0; f < model->n_functions; f++)
        n_counters += model->functions[f].n_counters;
    uint64_t *counts = bo_alloc_array(arena, n_counters, 2 * sizeof *counts);
    if (!counts)
        return bo_fail_alloc(err, arena);
    const size_t n = add_up(model, &sums, counts);
    counts = sort(counts, counts + n_counters, n);
    words[0] = N_FIELDS;
    words[1] = N_CUTOFFS;
    memcpy(words + 2, &sums, sizeof sums);
    put_cutoffs(counts, n, sums.sum, words + 2 + N_FIELDS);
    bo_arena_rewind(arena, mark);
    return BO_OK;
}
