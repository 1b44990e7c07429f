/*
 * Prediction of a bit from several contexts: adaptive counters, and logistic mixing of their
 * predictions. Integers only, so that every machine computes the same. coding.md specifies it.
 *
 * A probability p (in units of 1/65536) is represented by its logit, 256 ln(p / (1 - p)).
 */
#ifndef BO_MIXING_H
#define BO_MIXING_H

#include "harness/core/bytes.h"

enum {
    BO_MIX_INPUTS = 24,    /* the maximum; a multiple of four */
    BO_MIX_SETS = 2,       /* sets of weights; a prediction is the mean over the sets */
    BO_MAX_LOGIT = 2815,   /* beyond this, a probability rounds to 0 or 1 */
    BO_MIX_ONE = 1 << 16,  /* the weight 1.0 */
    BO_MAX_COUNT = 255,    /* the largest count of a counter */
    BO_LOGIT_TABLE = 4096, /* number of probabilities in the table of logits */
};

/* Tables that all predictions share; 9 kB. */
struct bo_mixing {
    int16_t logits[BO_LOGIT_TABLE];
    uint16_t rates[BO_MAX_COUNT + 1];
};

void bo_mixing_init(struct bo_mixing *mixing);

/*
 * Sets n > 0 counters or weights, of 4 bytes each, to one value. Copies the part that is already
 * set, because compilers generate slow code for a loop over single words at -O2.
 */
void bo_mix_fill(void *words, size_t n, uint32_t value);

/*
 * The probability of a logit, 1 to 65535 in units of 1/65536. It is constant beyond BO_MAX_LOGIT.
 */
uint32_t bo_probability(int logit);

/* ---- counters -------------------------------------------------------------------------------- */

/*
 * The probability that a bit is 1, in the upper 22 bits, and the number of bits seen, up to a
 * limit, in the lower 10. A counter adapts faster while it has seen few bits.
 */
typedef uint32_t bo_counter;

#define BO_NEW_COUNTER ((bo_counter)1 << 31)

static inline uint32_t bo_counter_seen(bo_counter counter)
{
    return counter & 1023;
}

/* In units of 1/65536, 0 to 65535. */
static inline uint32_t bo_counter_probability(bo_counter counter)
{
    return counter >> 16;
}

static inline int bo_counter_logit(const struct bo_mixing *mixing, bo_counter counter)
{
    return mixing->logits[counter >> 20];
}

static inline void bo_count(const struct bo_mixing *mixing, bo_counter *counter, bool bit,
                            unsigned limit)
{
    const uint32_t seen = bo_counter_seen(*counter), p = *counter >> 10;
    const uint64_t rate = mixing->rates[seen];
    const uint32_t moved =
        bit ? p + (uint32_t)(((1u << 22) - 1 - p) * rate >> 16) : p - (uint32_t)(p * rate >> 16);
    *counter = moved << 10 | (seen < limit ? seen + 1 : seen);
}

/* ---- mixing ---------------------------------------------------------------------------------- */

/* The prediction of one bit while it is computed. */
struct bo_mix {
    int32_t inputs[BO_MIX_INPUTS]; /* logits, or other inputs of the same magnitude */
    unsigned n;
    /* n weights in each of two sets, with room for a multiple of four */
    int32_t *weights[BO_MIX_SETS];
    int32_t logits[BO_MIX_SETS]; /* the result of each set */
};

static inline void bo_mix_add(struct bo_mix *mix, int32_t input)
{
    mix->inputs[mix->n++] = input;
}

/*
 * The probability of 1, 1 to 65535 in units of 1/65536: from the mean of the results of the sets.
 */
uint32_t bo_mix_predict(struct bo_mix *mix);

/* Moves the weights of both sets towards the prediction of `bit`. Rates are 1 to 8. */
void bo_mix_learn(struct bo_mix *mix, bool bit, int32_t rate);

#endif
