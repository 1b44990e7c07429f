/* mixed-contexts: numbers, for CPUs of x86-64-v3. Elsewhere bo_cpu_has_v3() is false. */
#define BO_MIX_LANES 8

#include "codecs/statehist/mixed_contexts/coder.h"
#include "harness/core/bits.h"
#include "harness/core/cpu.h"

BO_V3_BEGIN
#include "codecs/statehist/mixed_contexts/coding.h"

bool mixed_bit_v3(struct mixed_coder *coder, const struct mixed_contexts *contexts, uint64_t node,
                  unsigned set, bool bit)
{
    return code_bit(coder, contexts, node, set, bit);
}

uint32_t mixed_symbol_v3(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                         unsigned nbits, uint32_t symbol)
{
    return code_symbol(coder, contexts, nbits, symbol);
}

uint64_t mixed_number_v3(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                         unsigned n_modelled, uint64_t number)
{
    return code_number(coder, contexts, n_modelled, number);
}
BO_V3_END
