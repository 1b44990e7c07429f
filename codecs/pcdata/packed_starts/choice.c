/*
 * packed-starts: the choice of the widths that make a record small. A table is a list if possible,
 * because a list is faster. Otherwise the size of blocks is searched for; each block has its own
 * widths.
 */
#include "codecs/pcdata/packed_starts/packed_starts.h"

#include <limits.h>

#define NO_FIT UINT64_MAX

/* ---- values ---------------------------------------------------------------------------------- */

struct value_facts {
    int32_t min, max;
    uint32_t any; /* bits that are set in some value */
};

static struct value_facts find_facts(const struct packed_stretch *s)
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

/* Whether values can be stored relative to a base; *least_ret is base + bias then. */
static bool base_fits(const struct packed_base *base, unsigned bias_nbits,
                      const struct value_facts *f, uint32_t *least_ret)
{
    const int64_t bias = (int64_t)f->min - base->base;
    *least_ret = (uint32_t)(bias_nbits ? f->min : base->base);
    if (bias_nbits >= 32)
        return true;
    if (bias < 0 || f->any % base->unit)
        return false;
    return bias_nbits == 0 || bias >> bias_nbits == 0;
}

/*
 * The base that makes the bias and n values smallest. The bias has so many more bits than that of a
 * record of blocks.
 */
static struct packed_values choose_base(const struct value_facts *f, uint64_t n,
                                        unsigned more_nbits)
{
    uint64_t best = NO_FIT;
    struct packed_values values = {0};
    for (unsigned b = 0; b < PACKED_N_BASES; b++) {
        const struct packed_base *base = &packed_bases[b];
        uint32_t least;
        if (!base_fits(base, 8 * base->bias_nbytes + more_nbits, f, &least))
            continue;
        const unsigned width = bo_bit_width(((uint32_t)f->max - least) / base->unit);
        const uint64_t nbits = 8 * base->bias_nbytes + n * width;
        if (nbits < best) {
            best = nbits;
            values = (struct packed_values){b, least, width};
        }
    }
    return values;
}

bool packed_choose_list(const struct packed_stretch *all, struct packed_list *list)
{
    const uint64_t n = all->end, n_starts = n - 1;
    const unsigned lane_nbits = packed_lane_nbits(all->quanta);
    const bool is_long = n_starts > PACKED_MAX_LIST || n_starts * lane_nbits > PACKED_LANES_NBITS;
    if (n_starts > packed_max_long(lane_nbits))
        return false;
    const unsigned head_nbits = is_long ? PACKED_LONG_HEAD_NBITS : PACKED_SHORT_HEAD_NBITS;
    const struct value_facts f = find_facts(all);
    uint64_t best = NO_FIT;
    for (unsigned b = 0; b < PACKED_N_SHORT_BASES; b++) {
        const struct packed_base *base = &packed_bases[b];
        uint32_t least;
        if (!base_fits(base, 0, &f, &least))
            continue;
        const unsigned width = bo_bit_width(((uint32_t)f.max - least) / base->unit);
        if (width <= PACKED_MAX_SHORT_WIDTH && head_nbits + n * width < best) {
            best = head_nbits + n * width;
            *list = (struct packed_list){.is_long = is_long, .values = {b, least, width}};
        }
    }
    const unsigned width = bo_bit_width((uint32_t)f.max - (uint32_t)f.min);
    const uint64_t wide_nbits =
        PACKED_WIDE_HEAD_NBITS + 8 * packed_bias_nbytes((uint32_t)f.min) + n * width;
    if (!is_long && width <= PACKED_MAX_WIDE_WIDTH && wide_nbits < best) {
        best = wide_nbits;
        *list = (struct packed_list){.is_wide = true, .values = {0, (uint32_t)f.min, width}};
    }
    list->nbits = best == NO_FIT ? NO_FIT : best + n_starts * lane_nbits;
    return best != NO_FIT;
}

static void sort_values(uint32_t *values, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t v = values[i];
        uint32_t j = i;
        for (; j > 0 && values[j - 1] > v; j--)
            values[j] = values[j - 1];
        values[j] = v;
    }
}

/*
 * Sorts a block's values, the least of which is 0 and the largest is not, and finds the split into
 * high and low parts that takes the fewest bits: each distinct high part once, and its number with
 * each value. There are always two high parts or more. Returns the bits of all values.
 */
static uint32_t choose_highs(uint32_t *values, uint32_t n, struct packed_block *block)
{
    sort_values(values, n);
    uint32_t n_apart[33] = {0}; /* neighbours whose highest different bit is this one */
    for (uint32_t i = 1; i < n; i++)
        n_apart[bo_bit_width(values[i] ^ values[i - 1])]++;
    const unsigned width = bo_bit_width(values[n - 1]);
    block->low_width = width;
    uint32_t best = width <= PACKED_MAX_LOW_WIDTH ? n * width : UINT32_MAX, n_highs = 1;
    for (unsigned low = width; low-- > 0;) {
        n_highs += n_apart[low + 1];
        if (n_highs > PACKED_MAX_HIGHS)
            break;
        const unsigned number_nbits = bo_bit_width(n_highs - 1), high_nbits = width - low;
        const uint32_t nbits = PACKED_HIGH_NBITS + n_highs * high_nbits + n * (low + number_nbits);
        if (high_nbits < 32 && nbits < best) {
            best = nbits;
            block->low_width = low;
            block->number_nbits = number_nbits;
            block->n_highs = n_highs;
            block->high_nbits = high_nbits;
        }
    }
    for (uint32_t i = 0, c = 0; i < n && block->n_highs; i++)
        if (i == 0 || values[i] >> block->low_width != block->highs[c - 1])
            block->highs[c++] = values[i] >> block->low_width;
    return best;
}

/*
 * Counts the starts of each bucket of 2^low quanta: the buckets with more than PACKED_BUCKET_MAX,
 * or UINT_MAX when one has too many, or they are too many.
 */
static unsigned count_full(const struct packed_stretch *s, unsigned low)
{
    unsigned n_full = 0;
    for (uint32_t i = s->first + 1, end; i < s->end; i = end) {
        const uint32_t bucket = packed_start(s, i) >> low;
        for (end = i + 1; end < s->end && packed_start(s, end) >> low == bucket;)
            end++;
        n_full += end - i > PACKED_BUCKET_MAX;
        if (end - i > PACKED_BUCKET_MAX + PACKED_MAX_MORE || n_full > PACKED_MAX_FULL)
            return UINT_MAX;
    }
    return n_full;
}

/* Counts are faster than Elias-Fano lists: they may need 1 bit more for this many runs. */
enum { RUNS_OF_SURCHARGE = 2 };

/* Finds the search and the low bits with which the starts take the fewest bits, or NO_FIT. */
static uint64_t choose_search(const struct packed_stretch *s, struct packed_block *block)
{
    const uint64_t n = s->end - s->first - 1;
    uint64_t best = NO_FIT, best_nbits = NO_FIT;
    for (unsigned low = 0; low <= PACKED_MAX_LOW; low++) {
        const uint64_t n_buckets = packed_n_blocks(s->quanta, low);
        if (n_buckets + n > PACKED_UPPER_NBITS)
            continue;
        const uint64_t of_list = n_buckets + n + n * low;
        if (of_list + n / RUNS_OF_SURCHARGE < best) {
            best_nbits = of_list;
            best = of_list + n / RUNS_OF_SURCHARGE;
            block->low_nbits = low;
            block->n_full = PACKED_ELIAS_FANO;
        }
        const uint64_t of_counts = PACKED_BUCKET_NBITS * n_buckets + n * low;
        if (n_buckets > PACKED_MAX_BUCKETS || of_counts >= best)
            continue;
        const unsigned n_full = count_full(s, low);
        const uint64_t of_full = PACKED_FULL_ENTRY_NBITS * (uint64_t)n_full;
        if (n_full <= PACKED_MAX_FULL && of_counts + of_full < best) {
            best = best_nbits = of_counts + of_full;
            block->low_nbits = low;
            block->n_full = n_full;
        }
    }
    return best_nbits;
}

bool packed_choose_block(const struct packed_stretch *s, const struct packed_split *split,
                         struct packed_block *block)
{
    uint32_t values[PACKED_MAX_COUNT + 1];
    const uint32_t n = s->end - s->first;
    if (n > PACKED_MAX_COUNT + 1)
        return false;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        values[i] = packed_scaled(s, split, s->first + i);
        least = values[i] < least ? values[i] : least;
    }
    if (split->block_shift == 0)
        least = 0;
    *block = (struct packed_block){.bias = least, .n_starts = n - 1};
    if (n == 1)
        return true;
    for (uint32_t i = 0; i < n; i++)
        values[i] -= least;
    const uint64_t best = choose_search(s, block);
    block->nbits = (uint32_t)best + choose_highs(values, n, block);
    return best != NO_FIT;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct packed_stretch packed_next_block(const struct packed_stretch *before, unsigned block_shift)
{
    const struct pcdata_table *table = before->table;
    const uint32_t text_quanta = table->text_len >> before->quantum_shift;
    struct packed_stretch s = *before;
    s.start += s.quanta;
    s.quanta = packed_block_quanta(text_quanta, block_shift, s.start >> block_shift);
    s.first = s.end - 1;
    while (s.end < table->n_runs && packed_start(&s, s.end) < s.quanta)
        s.end += 1;
    if (s.first + 1 < s.end && packed_start(&s, s.first + 1) == 0)
        s.first++;
    return s;
}

/* Bits of all blocks and their index, or NO_FIT; sets the widths of the index. */
static uint64_t measure_blocks(const struct packed_stretch *all, struct packed_split *split)
{
    const uint32_t n_blocks = packed_n_blocks(all->quanta, split->block_shift);
    struct packed_stretch s = packed_before_blocks(all);
    struct packed_block block;
    uint64_t end = 0, max_off = 0;
    uint32_t max_bias = 0;
    for (uint32_t i = 0; i < n_blocks; i++) {
        s = packed_next_block(&s, split->block_shift);
        if (!packed_choose_block(&s, split, &block))
            return NO_FIT;
        max_bias = block.bias > max_bias ? block.bias : max_bias;
        if (block.n_starts) {
            max_off = packed_block_offset(&block, end);
            end = 8 * max_off + block.nbits;
        }
    }
    split->offset_nbits = bo_bit_width(max_off);
    split->bias_nbits = bo_bit_width(max_bias);
    return end +
           (uint64_t)n_blocks * (PACKED_BLOCK_NBITS + split->offset_nbits + split->bias_nbits);
}

static unsigned clamp_block_shift(unsigned shift)
{
    return shift < PACKED_MIN_BLOCK_SHIFT   ? PACKED_MIN_BLOCK_SHIFT
           : shift > PACKED_MAX_BLOCK_SHIFT ? PACKED_MAX_BLOCK_SHIFT
                                            : shift;
}

bool packed_choose_one_block(const struct packed_stretch *all, struct packed_split *split)
{
    const struct value_facts f = find_facts(all);
    struct packed_block block;
    const struct packed_values values = choose_base(&f, all->end, PACKED_HEAD_BIAS_NBITS);
    *split = (struct packed_split){.base = values.base, .least = values.least};
    if (!packed_choose_block(all, split, &block))
        return false;
    split->nbits = PACKED_ONE_BLOCK_HEAD_NBITS + 8 * packed_bases[split->base].bias_nbytes +
                   PACKED_HEAD_BIAS_NBITS + block.nbits;
    return true;
}

/*
 * The search starts with blocks of some 40 runs. The size is halved until the runs fit (blocks of
 * 16 quanta always do), then halved or doubled while that saves bits.
 */
bool packed_choose_blocks(const struct packed_stretch *all, struct packed_split *split)
{
    enum { RUNS_OF_BLOCK = 40 };
    const struct value_facts f = find_facts(all);
    const struct packed_values values = choose_base(&f, all->end / RUNS_OF_BLOCK + 1, 0);
    const uint64_t aim = (uint64_t)all->quanta * RUNS_OF_BLOCK / all->end;
    *split = (struct packed_split){
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
        struct packed_split tried = *split;
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
    return split->offset_nbits < 1u << PACKED_OFFSET_NBITS;
}
