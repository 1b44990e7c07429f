/* counted-buckets: writing a record with the widths that choice.c has chosen. */
#include "codecs/pcdata/counted_buckets/counted_buckets.h"

/* The 2-bit counts of the starts in each bucket. */
static void put_counts(struct bo_bit_writer *w, const struct counted_stretch *s, unsigned low)
{
    const uint32_t n_buckets = counted_n_buckets(s->quanta, low);
    uint32_t i = s->first + 1;
    for (uint32_t bucket = 0; bucket < n_buckets; bucket++) {
        uint32_t count = 0;
        for (; i < s->end && counted_start(s, i) >> low == bucket; i++)
            count++;
        bo_put_bits(w, count, 2);
    }
}

static void put_low(struct bo_bit_writer *w, const struct counted_stretch *s, uint32_t run,
                    unsigned low)
{
    bo_put_bits(w, counted_start(s, run) & ((1u << low) - 1), low);
}

static void put_whole(struct bo_bit_writer *w, const struct counted_stretch *all,
                      const struct counted_whole *whole)
{
    const struct counted_values *v = &whole->values;
    const struct counted_base *base = &counted_bases[v->base];
    bo_put_bits(w, whole->low, COUNTED_LOW_NBITS);
    bo_put_bits(w, v->width, COUNTED_WIDTH_NBITS);
    bo_put_bits(w, v->base, COUNTED_BASE_NBITS);
    if (v->width)
        put_counts(w, all, whole->low);
    bo_put_bits(w, v->least - (uint32_t)base->base, 8u * base->nbytes);
    for (uint32_t i = 0; i < all->end; i++) {
        if (i > 0)
            put_low(w, all, i, whole->low);
        bo_put_bits(w, ((uint32_t)all->table->runs[i].value - v->least) >> base->shift, v->width);
    }
}

static void put_entry(struct bo_bit_writer *w, const struct counted_split *split,
                      const struct counted_block *block, uint32_t off)
{
    const unsigned low = block->listed  ? COUNTED_LISTED
                         : block->width ? block->low - counted_least_low(split->block_shift)
                                        : 0;
    bo_put_bits(w, block->width == 32 ? COUNTED_ENTRY_WIDTH_32 : block->width,
                COUNTED_ENTRY_WIDTH_NBITS);
    bo_put_bits(w, block->n_clusters > 0, 1);
    bo_put_bits(w, low, COUNTED_ENTRY_LOW_NBITS);
    bo_put_bits(w, block->bias, split->bias_nbits);
    bo_put_bits(w, off, split->offset_nbits);
}

static void put_clusters(struct bo_bit_writer *w, const struct counted_block *block)
{
    for (unsigned c = block->n_clusters; c-- > 0;)
        bo_put_bits(w, block->highs[c], block->width - block->cluster_low);
    bo_put_bits(w, block->n_clusters - 1, COUNTED_CLUSTERS_NBITS);
    bo_put_bits(w, block->cluster_low, COUNTED_CLUSTER_LOW_NBITS);
}

static void put_value(struct bo_bit_writer *w, const struct counted_block *block, uint32_t value)
{
    if (!block->n_clusters) {
        bo_put_bits(w, value, block->width);
        return;
    }
    unsigned c = 0;
    while (block->highs[c] != value >> block->cluster_low)
        c++;
    bo_put_bits(w, value & ((1u << block->cluster_low) - 1), block->cluster_low);
    bo_put_bits(w, c, bo_bit_width(block->n_clusters - 1));
}

static void put_block(struct bo_bit_writer *w, const struct counted_stretch *s,
                      const struct counted_split *split, const struct counted_block *block)
{
    if (block->listed)
        bo_put_bits(w, s->end - s->first - 2, COUNTED_LIST_NBITS);
    else
        put_counts(w, s, block->low);
    for (uint32_t i = s->first; i < s->end; i++) {
        if (i > s->first)
            put_low(w, s, i, block->low);
        put_value(w, block, counted_scaled(s, split, i) - block->bias);
    }
}

/* Blocks are chosen once for the index and again for themselves: to keep them would cost more. */
static void put_split(struct bo_bit_writer *w, const struct counted_stretch *all,
                      const struct counted_split *split)
{
    const struct counted_base *base = &counted_bases[split->base];
    const uint32_t n_blocks = counted_n_blocks(all->quanta, split->block_shift);
    bo_put_bits(w, split->block_shift - COUNTED_MIN_BLOCK_SHIFT, COUNTED_LOW_NBITS);
    bo_put_bits(w, COUNTED_SPLIT, COUNTED_WIDTH_NBITS);
    bo_put_bits(w, split->offset_nbits, COUNTED_OFFSET_NBITS);
    bo_put_bits(w, split->bias_nbits, COUNTED_BIAS_NBITS);
    bo_put_bits(w, split->base, COUNTED_BASE_NBITS);
    bo_put_bits(w, split->least - (uint32_t)base->base, 8u * base->nbytes);
    for (int pass = 0; pass < 2; pass++) {
        struct counted_stretch s = counted_before_blocks(all);
        struct counted_block block;
        uint64_t end = 0;
        for (uint32_t i = 0; i < n_blocks && !w->out->status; i++) {
            s = counted_next_block(&s, split->block_shift);
            counted_choose_block(&s, split, &block);
            const uint64_t off = counted_block_offset(&block, end);
            if (pass == 0)
                put_entry(w, split, &block, (uint32_t)off);
            if (block.width == 0)
                continue;
            if (pass == 1) {
                bo_put_bits(w, 0, (unsigned)(8 * off - end - block.clusters_nbits));
                if (block.n_clusters)
                    put_clusters(w, &block);
                put_block(w, &s, split, &block);
            }
            end = 8 * off + block.nbits;
        }
        bo_align_bits(w);
    }
}

enum bo_status counted_put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                  struct bo_writer *out, struct bo_error *err)
{
    const struct counted_stretch all = {.table = table,
                                        .quantum_shift = quantum_shift,
                                        .end = table->n_runs,
                                        .quanta = table->text_len >> quantum_shift};
    struct bo_bit_writer w = {.out = out};
    struct counted_whole whole;
    struct counted_split split;
    if (counted_choose_whole(&all, &whole)) {
        bo_mark(out, "whole records");
        put_whole(&w, &all, &whole);
    } else if (counted_choose_split(&all, &split)) {
        bo_mark(out, "split records");
        put_split(&w, &all, &split);
    } else {
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "blocks of a table have 2 GiB or more");
    }
    return bo_writer_status(out, err);
}
