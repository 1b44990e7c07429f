/*
 * counted-buckets: which widths make a record small. A whole record where it is possible, since it
 * is the faster one; else the size of blocks is searched for, and each block has its own widths.
 */
#include "codecs/pcdata/counted_buckets/counted_buckets.h"

#include <limits.h>

#define NO_FIT UINT64_MAX

/*
 * The low bits of a start, from `least` to `most`, that make counts and low parts smallest, with
 * no more than three starts in any bucket: starts i and i + 3 are in one bucket unless they differ
 * above their low bits. Returns the bits that counts and low parts take, or NO_FIT.
 */
static uint64_t choose_low(const struct counted_stretch *s, unsigned least, unsigned most,
                           uint32_t max_buckets, unsigned *low_ret)
{
    const uint64_t n_starts = s->end - s->first - 1;
    for (uint32_t i = s->first + 1; i + COUNTED_MAX_COUNT < s->end; i++) {
        const unsigned limit =
            bo_bit_width(counted_start(s, i) ^ counted_start(s, i + COUNTED_MAX_COUNT)) - 1;
        most = limit < most ? limit : most;
    }
    uint64_t best = NO_FIT;
    for (unsigned low = least; low <= most; low++) {
        const uint32_t n_buckets = counted_n_buckets(s->quanta, low);
        const uint64_t nbits = 2 * (uint64_t)n_buckets + low * n_starts;
        if (n_buckets <= max_buckets && nbits < best) {
            best = nbits;
            *low_ret = low;
        }
    }
    return best;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct value_facts {
    int32_t min, max;
    uint32_t any; /* bits that are set in some value */
};

static struct value_facts find_facts(const struct counted_stretch *s)
{
    const struct pcdata_run *runs = s->table->runs;
    struct value_facts f = {runs[s->first].value, runs[s->first].value, 0};
    for (uint32_t i = s->first; i < s->end; i++) {
        f.min = runs[i].value < f.min ? runs[i].value : f.min;
        f.max = runs[i].value > f.max ? runs[i].value : f.max;
        f.any |= (uint32_t)runs[i].value;
    }
    return f;
}

/* Whether values can be counted from a base; *least_ret is base + bias then. */
static bool base_fits(const struct counted_base *base, const struct value_facts *f,
                      uint32_t *least_ret)
{
    const int64_t bias = (int64_t)f->min - base->base;
    *least_ret = (uint32_t)(base->nbytes ? f->min : base->base);
    if (base->nbytes == 4)
        return true;
    if (bias < 0 || f->any & ((1u << base->shift) - 1))
        return false;
    return base->nbytes == 0 || bias >> 8 * base->nbytes == 0;
}

/* The base that makes the bias and n values smallest; false when none gives an allowed width. */
static bool choose_base(const struct value_facts *f, uint64_t n, unsigned max_width,
                        struct counted_values *values)
{
    uint64_t best = NO_FIT;
    for (unsigned b = 0; b < COUNTED_N_BASES; b++) {
        const struct counted_base *base = &counted_bases[b];
        uint32_t least;
        if (!base_fits(base, f, &least))
            continue;
        const unsigned width = bo_bit_width(((uint32_t)f->max - least) >> base->shift);
        const uint64_t nbits = 8u * base->nbytes + n * width;
        if (width <= max_width && nbits < best) {
            best = nbits;
            *values = (struct counted_values){b, least, width};
        }
    }
    return best != NO_FIT;
}

bool counted_choose_whole(const struct counted_stretch *all, struct counted_whole *whole)
{
    const struct value_facts f = find_facts(all);
    const bool constant = all->end == 1;
    whole->low = 0;
    if (!choose_base(&f, all->end, constant ? 0 : COUNTED_MAX_WIDTH, &whole->values))
        return false;
    return constant ||
           choose_low(all, 0, COUNTED_MAX_LOW, COUNTED_MAX_BUCKETS, &whole->low) != NO_FIT;
}

/*
 * Sorts a block's values and finds the split into high and low parts that takes the fewest bits:
 * each distinct high part once, and its number with each value. Returns the bits of all values
 * without those of high parts.
 */
static uint64_t choose_clusters(uint32_t *values, uint32_t n, struct counted_block *block)
{
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t v = values[i];
        uint32_t j = i;
        for (; j > 0 && values[j - 1] > v; j--)
            values[j] = values[j - 1];
        values[j] = v;
    }
    uint32_t n_apart[33] = {0}; /* neighbours whose highest different bit is this one */
    for (uint32_t i = 1; i < n; i++)
        n_apart[bo_bit_width(values[i] ^ values[i - 1])]++;
    unsigned width = bo_bit_width(values[n - 1]);
    width = width == COUNTED_ENTRY_WIDTH_32 ? 32 : width;
    uint64_t best = (uint64_t)n * width;
    uint32_t n_clusters = 1;
    for (unsigned low = width; low-- > 0;) {
        n_clusters += n_apart[low + 1];
        if (n_clusters > COUNTED_MAX_CLUSTERS)
            break;
        const uint64_t nbits = COUNTED_CLUSTERS_HEAD_NBITS + (uint64_t)n_clusters * (width - low) +
                               (uint64_t)n * (low + bo_bit_width(n_clusters - 1));
        if (nbits < best) {
            best = nbits;
            block->cluster_low = low;
            block->n_clusters = n_clusters;
        }
    }
    for (uint32_t i = 0, c = 0; i < n && block->n_clusters; i++)
        if (i == 0 || values[i] >> block->cluster_low != block->highs[c - 1])
            block->highs[c++] = values[i] >> block->cluster_low;
    block->width = width;
    if (block->n_clusters)
        block->clusters_nbits =
            COUNTED_CLUSTERS_HEAD_NBITS + block->n_clusters * (width - block->cluster_low);
    return best - block->clusters_nbits;
}

bool counted_choose_block(const struct counted_stretch *s, const struct counted_split *split,
                          struct counted_block *block)
{
    enum { MAX_RUNS = (COUNTED_MAX_COUNT << COUNTED_MAX_BUCKET_SHIFT) + 1 };
    uint32_t values[MAX_RUNS];
    const uint32_t n = s->end - s->first, n_starts = n - 1;
    if (n > MAX_RUNS)
        return false;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        values[i] = counted_scaled(s, split, s->first + i);
        least = values[i] < least ? values[i] : least;
    }
    *block = (struct counted_block){.bias = least};
    if (n_starts == 0)
        return true;
    for (uint32_t i = 0; i < n; i++)
        values[i] -= least;
    block->nbits = choose_clusters(values, n, block);
    const unsigned k = split->block_shift, least_low = counted_least_low(k);
    const unsigned widest = least_low + COUNTED_LISTED - 1, most_low = widest < k ? widest : k;
    uint64_t starts_nbits =
        choose_low(s, least_low, most_low, 1u << COUNTED_MAX_BUCKET_SHIFT, &block->low);
    const uint64_t list_nbits = COUNTED_LIST_NBITS + (uint64_t)k * n_starts;
    if (n_starts <= COUNTED_MAX_LIST && list_nbits < starts_nbits) {
        starts_nbits = list_nbits;
        block->low = k;
        block->listed = true;
    }
    block->nbits += starts_nbits;
    return starts_nbits != NO_FIT;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct counted_stretch counted_next_block(const struct counted_stretch *before,
                                          unsigned block_shift)
{
    const struct pcdata_table *table = before->table;
    const uint32_t text_quanta = table->text_len >> before->quantum_shift;
    struct counted_stretch s = *before;
    s.start += s.quanta;
    s.quanta = counted_block_quanta(text_quanta, block_shift, s.start >> block_shift);
    s.first = s.end - 1;
    while (s.end < table->n_runs && counted_start(&s, s.end) < s.quanta)
        s.end += 1;
    if (s.first + 1 < s.end && counted_start(&s, s.first + 1) == 0)
        s.first++;
    return s;
}

/* Bits of all blocks and their index; sets the widths of the index. NO_FIT when it cannot be. */
static uint64_t measure_blocks(const struct counted_stretch *all, struct counted_split *split)
{
    const uint32_t n_blocks = counted_n_blocks(all->quanta, split->block_shift);
    struct counted_stretch s = counted_before_blocks(all);
    struct counted_block block;
    uint64_t end = 0, max_off = 0;
    uint32_t max_bias = 0;
    for (uint32_t i = 0; i < n_blocks; i++) {
        s = counted_next_block(&s, split->block_shift);
        if (!counted_choose_block(&s, split, &block))
            return NO_FIT;
        max_bias = block.bias > max_bias ? block.bias : max_bias;
        if (block.width) {
            max_off = counted_block_offset(&block, end);
            end = 8 * max_off + block.nbits;
        }
    }
    split->offset_nbits = bo_bit_width(max_off);
    split->bias_nbits = bo_bit_width(max_bias);
    return end + (uint64_t)n_blocks *
                     (COUNTED_ENTRY_FIXED_NBITS + split->offset_nbits + split->bias_nbits);
}

static unsigned clamp_block_shift(unsigned shift)
{
    return shift < COUNTED_MIN_BLOCK_SHIFT   ? COUNTED_MIN_BLOCK_SHIFT
           : shift > COUNTED_MAX_BLOCK_SHIFT ? COUNTED_MAX_BLOCK_SHIFT
                                             : shift;
}

/*
 * Blocks of some 40 runs are a good start. From there on, the size is halved until the runs fit
 * (they fit 16 quanta), then halved or doubled while that saves bits.
 */
bool counted_choose_split(const struct counted_stretch *all, struct counted_split *split)
{
    enum { RUNS_OF_BLOCK = 40 };
    const struct value_facts f = find_facts(all);
    struct counted_values values;
    choose_base(&f, all->end / RUNS_OF_BLOCK + 1, UINT_MAX, &values);
    const uint64_t aim = (uint64_t)all->quanta * RUNS_OF_BLOCK / all->end;
    *split = (struct counted_split){
        .base = values.base,
        .least = values.least,
        .block_shift = clamp_block_shift(bo_bit_width(aim)),
    };
    uint64_t best = measure_blocks(all, split);
    while (best == NO_FIT) {
        split->block_shift--;
        best = measure_blocks(all, split);
    }
    bool better = false;
    for (int step = -1; step <= 1 && !better; step += 2) {
        struct counted_split tried = *split;
        do {
            tried.block_shift = split->block_shift + (unsigned)step;
            if (tried.block_shift != clamp_block_shift(tried.block_shift))
                break;
            const uint64_t nbits = measure_blocks(all, &tried);
            if (nbits >= best)
                break;
            best = nbits;
            *split = tried;
            better = true;
        } while (true);
    }
    return split->offset_nbits < 1u << COUNTED_OFFSET_NBITS;
}
