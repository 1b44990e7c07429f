/*
 * packed-starts: which widths make a record small. A list where it is possible, since it is the
 * faster one; else the size of blocks is searched for, and each block has its own widths.
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

/* Whether values can be counted from a base; *least_ret is base + bias then. */
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
 * The base that makes the bias and n values smallest; false when none gives an allowed width. The
 * bias has so many more bits than that of a list.
 */
static bool choose_base(const struct value_facts *f, uint64_t n, unsigned more_nbits,
                        unsigned max_width, struct packed_values *values)
{
    uint64_t best = NO_FIT;
    for (unsigned b = 0; b < PACKED_N_BASES; b++) {
        const struct packed_base *base = &packed_bases[b];
        uint32_t least;
        if (!base_fits(base, base->bias_nbits + more_nbits, f, &least))
            continue;
        const unsigned width = bo_bit_width(((uint32_t)f->max - least) / base->unit);
        const uint64_t nbits = base->bias_nbits + n * width;
        if (width <= max_width && nbits < best) {
            best = nbits;
            *values = (struct packed_values){b, least, width};
        }
    }
    return best != NO_FIT;
}

bool packed_choose_list(const struct packed_stretch *all, struct packed_values *values)
{
    const struct value_facts f = find_facts(all);
    return all->end - 1 <= packed_max_starts(packed_start_nbits(all->quanta)) &&
           choose_base(&f, all->end, 0, all->end == 1 ? 0 : PACKED_MAX_WIDTH, values);
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
 * Sorts a block's values and finds the split into high and low parts that takes the fewest bits:
 * each distinct high part once, and its number with each value. Returns the bits of all values.
 */
static uint32_t choose_highs(uint32_t *values, uint32_t n, struct packed_block *block)
{
    sort_values(values, n);
    uint32_t n_apart[33] = {0}; /* neighbours whose highest different bit is this one */
    for (uint32_t i = 1; i < n; i++)
        n_apart[bo_bit_width(values[i] ^ values[i - 1])]++;
    const unsigned width = bo_bit_width(values[n - 1]);
    block->low_width = width == PACKED_LOW_WIDTH_32 ? 32 : width;
    uint32_t best = n * block->low_width, n_highs = 1;
    for (unsigned low = width; low-- > 0;) {
        n_highs += n_apart[low + 1];
        if (n_highs > PACKED_MAX_HIGHS)
            break;
        const unsigned number_nbits = bo_bit_width(n_highs - 1), high_nbits = width - low;
        const uint32_t nbits = PACKED_HIGH_NBITS + n_highs * high_nbits + n * (low + number_nbits);
        if (number_nbits && high_nbits < 32 && low != PACKED_LOW_WIDTH_32 && nbits < best) {
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

/* Whether no bucket of 2^low quanta has more than `max` starts. */
static bool counts_fit(const struct packed_stretch *s, unsigned low, unsigned max)
{
    for (uint32_t i = s->first + 1; i + max < s->end; i++)
        if (packed_start(s, i) >> low == packed_start(s, i + max) >> low)
            return false;
    return true;
}

/*
 * Tries all low bits of a start with one search: *low_ret is where the starts take the fewest bits,
 * and the result is those bits, or NO_FIT.
 */
static uint64_t choose_low(const struct packed_stretch *s, enum packed_search search,
                           unsigned *low_ret)
{
    const uint64_t n_starts = s->end - s->first - 1;
    uint64_t best = NO_FIT;
    for (unsigned low = 0; low <= PACKED_MAX_LOW; low++) {
        const uint64_t n_buckets = packed_n_blocks(s->quanta, low);
        const uint64_t upper_nbits =
            search == PACKED_ELIAS_FANO ? n_buckets + n_starts : n_buckets << (search + 1);
        if (upper_nbits > (search == PACKED_ELIAS_FANO ? PACKED_UPPER_NBITS : 64))
            continue;
        if (search != PACKED_ELIAS_FANO && !counts_fit(s, low, search == PACKED_COUNTS_2 ? 3 : 15))
            break;
        if (upper_nbits + n_starts * low < best) {
            best = upper_nbits + n_starts * low;
            *low_ret = low;
        }
    }
    return best;
}

/* Counts are faster than Elias-Fano lists: they may take a bit more for so many runs. */
enum { RUNS_OF_SURCHARGE = 2 };

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
    uint64_t best = NO_FIT;
    for (unsigned search = 0; search < PACKED_N_SEARCHES; search++) {
        unsigned low;
        const uint64_t nbits = choose_low(s, search, &low);
        if (nbits == NO_FIT)
            continue;
        if (nbits + (search == PACKED_ELIAS_FANO ? n / RUNS_OF_SURCHARGE : 0) < best) {
            best = nbits;
            block->search = search;
            block->low_nbits = low;
        }
    }
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

/* Bits of all blocks and their index; sets the widths of the index. NO_FIT when it cannot be. */
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

/*
 * One block if the runs fit. Else blocks of some 40 runs are a good start. From there on, the size
 * is halved until the runs fit (those of 16 quanta do), then halved or doubled while that saves
 * bits.
 */
bool packed_choose_split(const struct packed_stretch *all, struct packed_split *split)
{
    enum { RUNS_OF_BLOCK = 40 };
    const struct value_facts f = find_facts(all);
    struct packed_values values;
    struct packed_block block;
    choose_base(&f, all->end, PACKED_HEAD_BIAS_NBITS, UINT_MAX, &values);
    *split = (struct packed_split){.base = values.base, .least = values.least};
    if (packed_choose_block(all, split, &block))
        return true;
    choose_base(&f, all->end / RUNS_OF_BLOCK + 1, PACKED_HEAD_BIAS_NBITS, UINT_MAX, &values);
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
