/* packed-starts: writing a record with the widths that choice.c has chosen. */
#include "codecs/pcdata/packed_starts/packed_starts.h"

static void put_list(struct bo_bit_writer *w, const struct packed_stretch *all,
                     const struct packed_list *list)
{
    const struct packed_values *v = &list->values;
    const unsigned lane_nbits = packed_lane_nbits(all->quanta), n = all->end - 1;
    const uint32_t unit = list->is_wide ? 1 : packed_bases[v->base].unit;
    if (list->is_wide) {
        const unsigned bias_nbytes = packed_bias_nbytes(v->least);
        bo_put_bits(w, PACKED_NO_SHORT_LIST, PACKED_COUNT_OF_LIST_NBITS);
        bo_put_bits(w, PACKED_WIDE_LIST, PACKED_FORM_NBITS);
        bo_put_bits(w, n, PACKED_COUNT_OF_LIST_NBITS);
        bo_put_bits(w, v->width, PACKED_WIDE_WIDTH_NBITS);
        bo_put_bits(w, bias_nbytes, PACKED_BIAS_NBYTES_NBITS);
        bo_put_bits(w, v->least, 8 * bias_nbytes);
    } else {
        bo_put_bits(w, list->is_long ? PACKED_NO_SHORT_LIST : n, PACKED_COUNT_OF_LIST_NBITS);
        bo_put_bits(w, PACKED_LONG_LIST, list->is_long ? PACKED_FORM_NBITS : 0);
        bo_put_bits(w, v->base, PACKED_SHORT_BASE_NBITS);
        bo_put_bits(w, v->width, PACKED_SHORT_WIDTH_NBITS);
        bo_put_bits(w, n, list->is_long ? PACKED_LONG_COUNT_NBITS : 0);
    }
    for (uint32_t i = 1; i < all->end; i++) {
        const uint32_t start = packed_start(all, i);
        bo_put_bits(w, start, lane_nbits - 1);
        bo_put_bits(w, 0, 1);
    }
    for (uint32_t i = 0; i < all->end; i++)
        bo_put_bits(w, ((uint32_t)all->table->runs[i].value - v->least) / unit, v->width);
}

static void put_form(struct bo_bit_writer *w, enum packed_form form, unsigned base)
{
    bo_put_bits(w, PACKED_NO_SHORT_LIST, PACKED_COUNT_OF_LIST_NBITS);
    bo_put_bits(w, form, PACKED_FORM_NBITS);
    bo_put_bits(w, base, PACKED_BASE_NBITS);
}

/* What describes a block: 0 bits for a single run. */
static void put_description(struct bo_bit_writer *w, const struct packed_block *block)
{
    bo_put_bits(w, block->n_starts, PACKED_COUNT_NBITS);
    bo_put_bits(w, block->low_nbits, PACKED_LOW_NBITS);
    bo_put_bits(w, block->low_width, PACKED_LOW_WIDTH_NBITS);
    bo_put_bits(w, block->number_nbits, PACKED_NUMBER_NBITS);
    bo_put_bits(w, block->n_full, PACKED_FULL_NBITS);
}

/* The bias, of so many bits more than that of a record of blocks. */
static void put_record_bias(struct bo_bit_writer *w, const struct packed_split *split,
                            unsigned more_nbits)
{
    const struct packed_base *base = &packed_bases[split->base];
    const uint32_t bias = split->least - (uint32_t)base->base;
    const unsigned nbits = 8 * base->bias_nbytes + more_nbits;
    bo_put_bits(w, bias, nbits < 32 ? nbits : 32);
    bo_put_bits(w, 0, nbits < 32 ? 0 : nbits - 32);
}

/* The starts of one bucket, from run i on. */
static uint32_t count_bucket(const struct packed_stretch *s, unsigned low_nbits, uint32_t i,
                             uint32_t bucket)
{
    uint32_t n = 0;
    while (i + n < s->end && packed_start(s, i + n) >> low_nbits == bucket)
        n++;
    return n;
}

/* A 0 for each start and a 1 at the end of each bucket. */
static void put_elias_fano(struct bo_bit_writer *w, const struct packed_stretch *s,
                           const struct packed_block *block)
{
    const uint32_t n_buckets = packed_n_blocks(s->quanta, block->low_nbits);
    for (uint32_t bucket = 0, i = s->first + 1; bucket < n_buckets; bucket++) {
        const uint32_t n = count_bucket(s, block->low_nbits, i, bucket);
        i += n;
        for (uint32_t k = 0; k < n; k++)
            bo_put_bits(w, 0, 1);
        bo_put_bits(w, 1, 1);
    }
}

/* Counts, then the full buckets. */
static void put_buckets(struct bo_bit_writer *w, const struct packed_stretch *s,
                        const struct packed_block *block)
{
    const uint32_t n_buckets = packed_n_blocks(s->quanta, block->low_nbits);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t bucket = 0, i = s->first + 1; bucket < n_buckets; bucket++) {
            const uint32_t n = count_bucket(s, block->low_nbits, i, bucket);
            i += n;
            if (pass == 0) {
                bo_put_bits(w, n < PACKED_BUCKET_MAX ? n : PACKED_BUCKET_MAX, PACKED_BUCKET_NBITS);
            } else if (n > PACKED_BUCKET_MAX) {
                bo_put_bits(w, bucket, PACKED_FULL_NUMBER_NBITS);
                bo_put_bits(w, n - PACKED_BUCKET_MAX, PACKED_FULL_MORE_NBITS);
            }
        }
}

static void put_field(struct bo_bit_writer *w, const struct packed_block *block, uint32_t value)
{
    if (!block->n_highs) {
        bo_put_bits(w, value, block->low_width);
        return;
    }
    unsigned number = 0;
    while (block->highs[number] != value >> block->low_width)
        number++;
    bo_put_bits(w, value & ((1u << block->low_width) - 1), block->low_width);
    bo_put_bits(w, number, block->number_nbits);
}

static void put_block(struct bo_bit_writer *w, const struct packed_stretch *s,
                      const struct packed_split *split, const struct packed_block *block)
{
    if (block->n_full == PACKED_ELIAS_FANO)
        put_elias_fano(w, s, block);
    else
        put_buckets(w, s, block);
    for (uint32_t i = s->first; i < s->end; i++) {
        if (i > s->first)
            bo_put_bits(w, packed_start(s, i) & ((1u << block->low_nbits) - 1), block->low_nbits);
        put_field(w, block, packed_scaled(s, split, i) - block->bias);
    }
    if (block->n_highs)
        bo_put_bits(w, block->high_nbits, PACKED_HIGH_NBITS);
    for (unsigned i = 0; i < block->n_highs; i++)
        bo_put_bits(w, block->highs[i], block->high_nbits);
}

static void put_one_block(struct bo_bit_writer *w, const struct packed_stretch *all,
                          const struct packed_split *split)
{
    struct packed_block block;
    packed_choose_block(all, split, &block);
    put_form(w, PACKED_ONE_BLOCK, split->base);
    put_description(w, &block);
    put_record_bias(w, split, PACKED_HEAD_BIAS_NBITS);
    put_block(w, all, split, &block);
}

/* Blocks are chosen twice, for the index and for their bytes: storing them would cost more. */
static void put_blocks(struct bo_bit_writer *w, const struct packed_stretch *all,
                       const struct packed_split *split)
{
    const uint32_t n_blocks = packed_n_blocks(all->quanta, split->block_shift);
    put_form(w, PACKED_BLOCKS, split->base);
    bo_put_bits(w, split->block_shift, PACKED_SHIFT_NBITS);
    bo_put_bits(w, split->offset_nbits, PACKED_OFFSET_NBITS);
    bo_put_bits(w, split->bias_nbits, PACKED_BIAS_NBITS);
    put_record_bias(w, split, 0);
    for (int pass = 0; pass < 2; pass++) {
        struct packed_stretch s = packed_before_blocks(all);
        struct packed_block block;
        uint64_t end = 0;
        for (uint32_t i = 0; i < n_blocks && !w->out->status; i++) {
            s = packed_next_block(&s, split->block_shift);
            packed_choose_block(&s, split, &block);
            const uint64_t off = packed_block_offset(&block, end);
            if (pass == 0) {
                put_description(w, &block);
                bo_put_bits(w, (uint32_t)off, split->offset_nbits);
                bo_put_bits(w, block.bias, split->bias_nbits);
            }
            if (block.n_starts == 0)
                continue;
            if (pass == 1) {
                bo_align_bits(w);
                put_block(w, &s, split, &block);
            }
            end = 8 * off + block.nbits;
        }
        bo_align_bits(w);
    }
}

/* Lists are faster than blocks: they may need this many bits more. */
enum { LIST_MORE_NBITS = 24 };

enum bo_status packed_put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                 struct bo_writer *out, struct bo_error *err)
{
    const struct packed_stretch all = {.table = table,
                                       .quantum_shift = quantum_shift,
                                       .end = table->n_runs,
                                       .quanta = table->text_len >> quantum_shift};
    struct bo_bit_writer w = {.out = out};
    struct packed_list list;
    struct packed_split split;
    const bool has_list = packed_choose_list(&all, &list), is_short = has_list && !list.is_long;
    const bool has_one = !is_short && packed_choose_one_block(&all, &split);
    if (is_short || (has_list && (!has_one || list.nbits <= split.nbits + LIST_MORE_NBITS))) {
        bo_mark(out, is_short ? "lists" : "long lists");
        put_list(&w, &all, &list);
    } else if (has_one) {
        bo_mark(out, "single blocks");
        put_one_block(&w, &all, &split);
    } else if (packed_choose_blocks(&all, &split)) {
        bo_mark(out, "blocks");
        put_blocks(&w, &all, &split);
    } else {
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "blocks of a table have 2 GiB or more");
    }
    return bo_writer_status(out, err);
}
