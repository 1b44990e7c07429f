/*
 * Predicting a bit from several sides at once: adaptive counters, and logistic mixing of what they
 * say. All in integers, so that every machine predicts the same. coding.md specifies it.
 *
 * What a probability p (in 1/65536) is worth is counted in its logit: 256 ln(p / (1 - p)).
 */
#ifndef BO_MIXING_H
#define BO_MIXING_H

#include "harness/core/bytes.h"

enum {
    BO_MIX_INPUTS = 24,    /* at most; a multiple of four */
    BO_MIX_SETS = 2,       /* of weights that a prediction is the mean of */
    BO_MAX_LOGIT = 2815,   /* beyond, probabilities are 0 or 1 */
    BO_MIX_ONE = 1 << 16,  /* a weight of 1 */
    BO_MAX_COUNT = 255,    /* of a counter */
    BO_LOGIT_TABLE = 4096, /* probabilities in 1/4096 */
};

/* Tables that all predictions share; 9 kB. */
struct bo_mixing {
    int16_t logits[BO_LOGIT_TABLE];
    uint16_t rates[BO_MAX_COUNT + 1];
};

void bo_mixing_init(struct bo_mixing *mixing);

/* The probability, from 1 to 65535 in 1/65536, of a logit; beyond BO_MAX_LOGIT it stays. */
uint32_t bo_probability(int logit);

/* ---- counters -------------------------------------------------------------------------------- */

/*
 * How often a bit was 1: a probability in the upper 22 bits, and in the lower 10 how many bits it
 * has seen, up to a limit. The first bits move it fast.
 */
typedef uint32_t bo_counter;

#define BO_NEW_COUNTER ((bo_counter)1 << 31)

static inline uint32_t bo_counter_seen(bo_counter counter)
{
    return counter & 1023;
}

/* In 1/65536, from 0 to 65535. */
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

/* One bit's prediction, as it is put together. */
struct bo_mix {
    int32_t inputs[BO_MIX_INPUTS]; /* logits, or what is as small and worth a weight */
    unsigned n;
    int32_t *weights[BO_MIX_SETS]; /* n in each of two sets, with room for a multiple of four */
    int32_t logits[BO_MIX_SETS];   /* what each set says */
};

static inline void bo_mix_add(struct bo_mix *mix, int32_t input)
{
    mix->inputs[mix->n++] = input;
}

/* The probability of 1, from 1 to 65535 in 1/65536: of the mean of what the sets say. */
uint32_t bo_mix_predict(struct bo_mix *mix);

/* Moves the weights of both sets towards what would have said `bit`; rates are from 1 to 8. */
void bo_mix_learn(struct bo_mix *mix, bool bit, int32_t rate);

#endif
