/* packed-starts: writing a record with the widths that choice.c has chosen. */
#include "codecs/pcdata/packed_starts/packed_starts.h"

static void put_list(struct bo_bit_writer *w, const struct packed_stretch *all,
                     const struct packed_values *v)
{
    const struct packed_base *base = &packed_bases[v->base];
    const unsigned start_nbits = packed_start_nbits(all->quanta);
    bo_put_bits(w, all->end - 1, PACKED_FORM_NBITS);
    bo_put_bits(w, v->base, PACKED_BASE_NBITS);
    bo_put_bits(w, v->width, PACKED_WIDTH_NBITS);
    for (uint32_t i = 1; i < all->end; i++)
        bo_put_bits(w, packed_start(all, i), start_nbits);
    bo_put_bits(w, v->least - (uint32_t)base->base, base->bias_nbits);
    for (uint32_t i = 0; i < all->end; i++)
        bo_put_bits(w, ((uint32_t)all->table->runs[i].value - v->least) / base->unit, v->width);
}

/* What describes a block: 0 bits for a single run. */
static void put_description(struct bo_bit_writer *w, const struct packed_block *block)
{
    bo_put_bits(w, block->n_starts, PACKED_COUNT_NBITS);
    bo_put_bits(w, block->low_nbits, PACKED_LOW_NBITS);
    bo_put_bits(w, block->low_width == 32 ? PACKED_LOW_WIDTH_32 : block->low_width,
                PACKED_LOW_WIDTH_NBITS);
    bo_put_bits(w, block->number_nbits, PACKED_NUMBER_NBITS);
    bo_put_bits(w, block->search, PACKED_SEARCH_NBITS);
}

static void put_record_bias(struct bo_bit_writer *w, const struct packed_split *split)
{
    const struct packed_base *base = &packed_bases[split->base];
    const uint32_t bias = split->least - (uint32_t)base->base;
    const unsigned nbits = base->bias_nbits + PACKED_HEAD_BIAS_NBITS;
    bo_put_bits(w, bias, nbits < 32 ? nbits : 32);
    bo_put_bits(w, 0, nbits < 32 ? 0 : nbits - 32);
}

/* Counts, or a 0 for each start and a 1 at the end of each bucket. */
static void put_upper_parts(struct bo_bit_writer *w, const struct packed_stretch *s,
                            const struct packed_block *block)
{
    const uint32_t n_buckets = packed_n_blocks(s->quanta, block->low_nbits);
    uint32_t i = s->first + 1;
    for (uint32_t bucket = 0; bucket < n_buckets; bucket++) {
        uint32_t n = 0;
        for (; i < s->end && packed_start(s, i) >> block->low_nbits == bucket; i++)
            n++;
        if (block->search != PACKED_ELIAS_FANO) {
            bo_put_bits(w, n, 2u << block->search);
            continue;
        }
        for (; n; n--)
            bo_put_bits(w, 0, 1);
        bo_put_bits(w, 1, 1);
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
    put_upper_parts(w, s, block);
    for (uint32_t i = s->first + 1; i < s->end; i++)
        bo_put_bits(w, packed_start(s, i) & ((1u << block->low_nbits) - 1), block->low_nbits);
    for (uint32_t i = s->first; i < s->end; i++)
        put_field(w, block, packed_scaled(s, split, i) - block->bias);
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
    bo_put_bits(w, PACKED_ONE_BLOCK, PACKED_FORM_NBITS);
    bo_put_bits(w, split->base, PACKED_BASE_NBITS);
    put_description(w, &block);
    put_record_bias(w, split);
    put_block(w, all, split, &block);
}

/* Blocks are chosen once for the index and again for themselves: to keep them would cost more. */
static void put_blocks(struct bo_bit_writer *w, const struct packed_stretch *all,
                       const struct packed_split *split)
{
    const uint32_t n_blocks = packed_n_blocks(all->quanta, split->block_shift);
    bo_put_bits(w, PACKED_BLOCKS, PACKED_FORM_NBITS);
    bo_put_bits(w, split->base, PACKED_BASE_NBITS);
    bo_put_bits(w, split->block_shift, PACKED_SHIFT_NBITS);
    bo_put_bits(w, split->offset_nbits, PACKED_OFFSET_NBITS);
    bo_put_bits(w, split->bias_nbits, PACKED_BIAS_NBITS);
    put_record_bias(w, split);
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
                bo_put_bits(w, block.bias, split->bias_nbits);
                bo_put_bits(w, (uint32_t)off, split->offset_nbits);
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

enum bo_status packed_put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                 struct bo_writer *out, struct bo_error *err)
{
    const struct packed_stretch all = {.table = table,
                                       .quantum_shift = quantum_shift,
                                       .end = table->n_runs,
                                       .quanta = table->text_len >> quantum_shift};
    struct bo_bit_writer w = {.out = out};
    struct packed_values values;
    struct packed_split split;
    if (packed_choose_list(&all, &values)) {
        bo_mark(out, "lists");
        put_list(&w, &all, &values);
    } else if (!packed_choose_split(&all, &split)) {
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "blocks of a table have 2 GiB or more");
    } else if (split.block_shift == 0) {
        bo_mark(out, "single blocks");
        put_one_block(&w, &all, &split);
    } else {
        bo_mark(out, "blocks");
        put_blocks(&w, &all, &split);
    }
    return bo_writer_status(out, err);
}
