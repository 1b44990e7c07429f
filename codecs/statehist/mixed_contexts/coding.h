/*
 * Numbers coded bit by bit, each bit predicted in several contexts. This is compiled twice: by
 * coder.c for any CPU, and by coder_v3.c for those of x86-64-v3.
 */
#ifndef STATEHIST_MIXED_CODING_H
#define STATEHIST_MIXED_CODING_H

#include "codecs/statehist/mixed_contexts/coder.h"
#include "harness/coding/mix.h"
#include "harness/core/bits.h"

enum { COUNT_LIMIT = 250, RATE = 3, WIDTH_BITS = 7, MAX_AHEAD = WIDTH_BITS + MIXED_MAX_MODELLED };

/* Where a bit's counters are, one for each context. */
struct places {
    bo_counter *counters[MIXED_CONTEXTS];
};

static inline void find_places(const struct mixed_coder *coder,
                               const struct mixed_contexts *contexts, uint64_t node,
                               struct places *places)
{
    for (unsigned i = 0; i < contexts->n; i++) {
        const uint64_t hash = mixed_hash(contexts->hashes[i], node) * UINT64_C(0xd6e8feb86659fd93);
        places->counters[i] = &coder->counters[hash >> (64 - coder->table_bits)];
    }
}

static inline bool code_bit_at(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                               const struct places *places, unsigned set, bool bit)
{
    struct bo_mix mix;
    unsigned seen_by = 0;
    mix.n = 0;
    for (unsigned i = 0; i < contexts->n; i++) {
        const bo_counter counter = *places->counters[i];
        const uint32_t seen = bo_counter_seen(counter);
        const int32_t logit = seen ? bo_counter_logit(&coder->mixing, counter) : 0;
        bo_mix_add(&mix, logit);
        bo_mix_add(&mix, seen > 3 ? logit : 0);
        seen_by |= (unsigned)(seen > 1) << i;
    }
    bo_mix_add(&mix, 64);
    const unsigned sets[BO_MIX_SETS] = {set % MIXED_NODES, seen_by % MIXED_NODES};
    for (unsigned s = 0; s < BO_MIX_SETS; s++)
        mix.weights[s] =
            coder->weights[s] + ((size_t)contexts->kind * MIXED_NODES + sets[s]) * MIXED_INPUTS;
    bit = bo_range_code(&coder->range, bo_mix_predict_inline(&mix), bit);
    bo_mix_learn_inline(&mix, bit, RATE);
    for (unsigned i = 0; i < contexts->n; i++)
        bo_count(&coder->mixing, places->counters[i], bit, COUNT_LIMIT);
    return bit;
}

static bool code_bit(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                     uint64_t node, unsigned set, bool bit)
{
    struct places places;
    find_places(coder, contexts, node, &places);
    return code_bit_at(coder, contexts, &places, set, bit);
}

/*
 * Writing: the places of bits to come, which are fetched while those before them are coded. A
 * reader does not know the nodes yet.
 */
struct ahead {
    struct places places[MAX_AHEAD];
    unsigned n;
};

static inline void look_ahead(const struct mixed_coder *coder,
                              const struct mixed_contexts *contexts, uint64_t node,
                              struct ahead *ahead)
{
    struct places *places = &ahead->places[ahead->n++];
    find_places(coder, contexts, node, places);
    for (unsigned i = 0; i < contexts->n; i++)
        __builtin_prefetch(places->counters[i], 1);
}

static inline void look_ahead_symbol(const struct mixed_coder *coder,
                                     const struct mixed_contexts *contexts, unsigned nbits,
                                     uint32_t symbol, struct ahead *ahead)
{
    for (unsigned i = 0; i < nbits; i++)
        look_ahead(coder, contexts, 1u << i | symbol >> (nbits - i), ahead);
}

static inline void write_symbol(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                                unsigned nbits, uint32_t symbol, const struct places *places)
{
    for (unsigned i = 0; i < nbits; i++)
        code_bit_at(coder, contexts, &places[i], 1u << i | symbol >> (nbits - i),
                    symbol >> (nbits - 1 - i) & 1);
}

static uint32_t code_symbol(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                            unsigned nbits, uint32_t symbol)
{
    uint32_t node = 1;
    if (coder->range.out) {
        struct ahead ahead;
        ahead.n = 0;
        look_ahead_symbol(coder, contexts, nbits, symbol, &ahead);
        write_symbol(coder, contexts, nbits, symbol, ahead.places);
        return symbol;
    }
    for (unsigned i = 0; i < nbits; i++)
        node = node << 1 | code_bit(coder, contexts, node, node, false);
    return node - (UINT32_C(1) << nbits);
}

/* Of a bit below the highest, n of which are known, in a number of so many bits. */
static inline uint64_t node_below(uint64_t known, unsigned width)
{
    return mixed_hash(known, 1000 + width);
}

static void write_number(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                         unsigned n_modelled, uint64_t number)
{
    const unsigned width = (unsigned)bo_bit_width(number);
    const unsigned n_below = width ? width - 1 : 0;
    const unsigned n = n_below < n_modelled ? n_below : n_modelled;
    struct ahead ahead;
    ahead.n = 0;
    look_ahead_symbol(coder, contexts, WIDTH_BITS, width, &ahead);
    for (unsigned i = 0; i < n; i++)
        look_ahead(coder, contexts, node_below(number >> (n_below - i), width), &ahead);
    write_symbol(coder, contexts, WIDTH_BITS, width, ahead.places);
    for (unsigned i = 0; i < n_below; i++) {
        const bool bit = number >> (n_below - 1 - i) & 1;
        if (i < n)
            code_bit_at(coder, contexts, &ahead.places[WIDTH_BITS + i], 64 + i, bit);
        else
            bo_range_code(&coder->range, 1u << 15, bit);
    }
}

static uint64_t read_number(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                            unsigned n_modelled)
{
    const unsigned width = code_symbol(coder, contexts, WIDTH_BITS, 0);
    if (width > 64)
        coder->flaw = "number of more than 64 bits";
    if (width == 0 || width > 64)
        return 0;
    uint64_t read = 1;
    for (unsigned i = 0; i < width - 1; i++)
        if (i < n_modelled)
            read = read << 1 | code_bit(coder, contexts, node_below(read, width), 64 + i, false);
        else
            read = read << 1 | bo_range_code(&coder->range, 1u << 15, false);
    return read;
}

static uint64_t code_number(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                            unsigned n_modelled, uint64_t number)
{
    if (!coder->range.out)
        return read_number(coder, contexts, n_modelled);
    write_number(coder, contexts, n_modelled, number);
    return number;
}

#endif
