/* Numbers coded bit by bit, each bit predicted in several contexts. */
#include "codecs/statehist/mixed_contexts/coder.h"

#include "harness/core/bits.h"

enum { COUNT_LIMIT = 250, RATE = 3, WIDTH_BITS = 7, FIRST_WEIGHT = BO_MIX_ONE * 3 / 10 };

bool mixed_init(struct mixed_coder *coder, unsigned table_bits, unsigned n_kinds,
                struct bo_arena *arena)
{
    const size_t n = (size_t)1 << table_bits,
                 n_weights = (size_t)n_kinds * MIXED_NODES * MIXED_INPUTS;
    bo_mixing_init(&coder->mixing);
    coder->table_bits = table_bits;
    coder->flaw = NULL;
    coder->counters = bo_alloc_array(arena, n, sizeof *coder->counters);
    for (unsigned s = 0; s < BO_MIX_SETS; s++) {
        coder->weights[s] = bo_alloc_array(arena, n_weights, sizeof *coder->weights[s]);
        if (!coder->weights[s])
            return false;
        for (size_t i = 0; i < n_weights; i++)
            coder->weights[s][i] = FIRST_WEIGHT;
    }
    for (size_t i = 0; coder->counters && i < n; i++)
        coder->counters[i] = BO_NEW_COUNTER;
    return coder->counters != NULL;
}

bool mixed_bit(struct mixed_coder *coder, const struct mixed_contexts *contexts, uint64_t node,
               unsigned set, bool bit)
{
    bo_counter *counters[MIXED_CONTEXTS];
    struct bo_mix mix = {.n = 0};
    unsigned seen_by = 0;
    for (unsigned i = 0; i < contexts->n; i++) {
        const uint64_t hash = mixed_hash(contexts->hashes[i], node) * UINT64_C(0xd6e8feb86659fd93);
        counters[i] = &coder->counters[hash >> (64 - coder->table_bits)];
        const uint32_t seen = bo_counter_seen(*counters[i]);
        const int32_t logit = seen ? bo_counter_logit(&coder->mixing, *counters[i]) : 0;
        bo_mix_add(&mix, logit);
        bo_mix_add(&mix, seen > 3 ? logit : 0);
        seen_by = i < 7 ? seen_by | (unsigned)(seen > 1) << i : seen_by;
    }
    bo_mix_add(&mix, 64);
    const unsigned sets[BO_MIX_SETS] = {set % MIXED_NODES, seen_by % MIXED_NODES};
    for (unsigned s = 0; s < BO_MIX_SETS; s++)
        mix.weights[s] =
            coder->weights[s] + ((size_t)contexts->kind * MIXED_NODES + sets[s]) * MIXED_INPUTS;
    bit = bo_range_code(&coder->range, bo_mix_predict(&mix), bit);
    bo_mix_learn(&mix, bit, RATE);
    for (unsigned i = 0; i < contexts->n; i++)
        bo_count(&coder->mixing, counters[i], bit, COUNT_LIMIT);
    return bit;
}

uint32_t mixed_symbol(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                      unsigned nbits, uint32_t symbol)
{
    uint32_t node = 1;
    for (unsigned i = nbits; i-- > 0;)
        node = node << 1 | mixed_bit(coder, contexts, node, node, symbol >> i & 1);
    return node - (UINT32_C(1) << nbits);
}

uint64_t mixed_number(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                      unsigned n_modelled, uint64_t number)
{
    const unsigned width =
        mixed_symbol(coder, contexts, WIDTH_BITS, (uint32_t)bo_bit_width(number));
    if (width > 64)
        coder->flaw = "number of more than 64 bits";
    if (width == 0 || width > 64)
        return 0;
    uint64_t read = 1;
    for (unsigned i = width - 1; i-- > 0;) {
        const bool bit = number >> i & 1;
        if (width - 1 - i <= n_modelled)
            read = read << 1 | mixed_bit(coder, contexts, mixed_hash(read, 1000 + width),
                                         64 + (width - 2 - i), bit);
        else
            read = read << 1 | bo_range_code(&coder->range, 1u << 15, bit);
    }
    return read;
}
