/* Numbers coded bit by bit, each bit predicted in several contexts. */
#include "codecs/statehist/mixed_contexts/coding.h"
#include "harness/core/cpu.h"

enum { FIRST_WEIGHT = BO_MIX_ONE * 3 / 10 };

bool mixed_init(struct mixed_coder *coder, unsigned table_bits, unsigned n_kinds,
                struct bo_arena *arena)
{
    const size_t n = (size_t)1 << table_bits,
                 n_weights = (size_t)n_kinds * MIXED_NODES * MIXED_INPUTS;
    bo_mixing_init(&coder->mixing);
    coder->table_bits = table_bits;
    coder->flaw = NULL;
    coder->has_v3 = bo_cpu_has_v3();
    coder->counters = bo_alloc_array(arena, n, sizeof *coder->counters);
    for (unsigned s = 0; s < BO_MIX_SETS; s++) {
        coder->weights[s] = bo_alloc_array(arena, n_weights, sizeof *coder->weights[s]);
        if (!coder->weights[s])
            return false;
        bo_mix_fill(coder->weights[s], n_weights, FIRST_WEIGHT);
    }
    if (!coder->counters)
        return false;
    bo_mix_fill(coder->counters, n, BO_NEW_COUNTER);
    return true;
}

bool mixed_bit(struct mixed_coder *coder, const struct mixed_contexts *contexts, uint64_t node,
               unsigned set, bool bit)
{
    return coder->has_v3 ? mixed_bit_v3(coder, contexts, node, set, bit)
                         : code_bit(coder, contexts, node, set, bit);
}

uint32_t mixed_symbol(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                      unsigned nbits, uint32_t symbol)
{
    return coder->has_v3 ? mixed_symbol_v3(coder, contexts, nbits, symbol)
                         : code_symbol(coder, contexts, nbits, symbol);
}

uint64_t mixed_number(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                      unsigned n_modelled, uint64_t number)
{
    return coder->has_v3 ? mixed_number_v3(coder, contexts, n_modelled, number)
                         : code_number(coder, contexts, n_modelled, number);
}
