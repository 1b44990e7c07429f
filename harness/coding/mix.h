/*
 * Mixing as a template: a file that is compiled for x86-64-v3 defines BO_MIX_LANES as 8, and
 * includes this within BO_V3_BEGIN. Results are the same for any number of lanes.
 */
#ifndef BO_MIX_H
#define BO_MIX_H

#include "harness/coding/mixing.h"

#ifndef BO_MIX_LANES
#define BO_MIX_LANES 4
#endif

enum {
    BO_MIX_STEP = 128, /* distance of the logits in the table */
    BO_MIX_FIRST = -(BO_MAX_LOGIT + 1),
    BO_MIX_N_STEPS = 45,
    BO_MIX_MAX_WEIGHT = 1 << 19, /* times BO_MAX_LOGIT fits 31 bits */
};

_Static_assert(BO_MIX_INPUTS % BO_MIX_LANES == 0, "inputs are filled up to whole vectors");

/* 65536 / (1 + exp(-logit / 256)), for logits BO_MIX_FIRST, BO_MIX_FIRST + BO_MIX_STEP, ... */
static const uint16_t bo_mix_probabilities[BO_MIX_N_STEPS] = {
    1,     2,     3,     5,     8,     13,    22,    36,    60,    98,    162,   267,
    439,   720,   1179,  1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768, 40793,
    47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438,
    65476, 65500, 65514, 65523, 65528, 65531, 65533, 65534, 65535,
};

static inline int bo_mix_clamp(int logit)
{
    return logit > BO_MAX_LOGIT ? BO_MAX_LOGIT : logit < -BO_MAX_LOGIT ? -BO_MAX_LOGIT : logit;
}

/* Interpolates between two entries of the table. */
static inline uint32_t bo_mix_between(uint32_t step, uint32_t rest)
{
    const uint32_t here = bo_mix_probabilities[step], next = bo_mix_probabilities[step + 1];
    return here + ((next - here) * rest + BO_MIX_STEP / 2) / BO_MIX_STEP;
}

static inline uint32_t bo_mix_probability(int logit)
{
    const uint32_t at = (uint32_t)(bo_mix_clamp(logit) - BO_MIX_FIRST);
    return bo_mix_between(at / BO_MIX_STEP, at % BO_MIX_STEP);
}

/* Numbers at any alignment. Products are shifted before they are added. */
typedef int32_t bo_mix_lanes __attribute__((vector_size(4 * BO_MIX_LANES), aligned(4), may_alias));

static inline uint32_t bo_mix_predict_inline(struct bo_mix *mix)
{
    for (; mix->n % BO_MIX_LANES; mix->n++)
        mix->inputs[mix->n] = 0;
    for (unsigned s = 0; s < BO_MIX_SETS; s++) {
        bo_mix_lanes sum = {0};
        for (unsigned i = 0; i < mix->n; i += BO_MIX_LANES)
            sum += *(const bo_mix_lanes *)&mix->inputs[i] *
                       *(const bo_mix_lanes *)&mix->weights[s][i] >>
                   8;
        int32_t all = 0;
        for (unsigned i = 0; i < BO_MIX_LANES; i++)
            all += sum[i];
        mix->logits[s] = bo_mix_clamp(all >> 8);
    }
    return bo_mix_probability((mix->logits[0] + mix->logits[1]) >> 1);
}

static inline void bo_mix_learn_inline(struct bo_mix *mix, bool bit, int32_t rate)
{
    for (unsigned s = 0; s < BO_MIX_SETS; s++) {
        const int32_t error = (bit ? 65536 : 0) - (int32_t)bo_mix_probability(mix->logits[s]);
        for (unsigned i = 0; i < mix->n; i += BO_MIX_LANES) {
            bo_mix_lanes *weights = (bo_mix_lanes *)&mix->weights[s][i];
            bo_mix_lanes w = *weights;
            w += (*(const bo_mix_lanes *)&mix->inputs[i] * (error * rate) + (1 << 15)) >> 16;
            const bo_mix_lanes over = w > BO_MIX_MAX_WEIGHT, under = w < -BO_MIX_MAX_WEIGHT;
            *weights =
                (w & ~over & ~under) | (over & BO_MIX_MAX_WEIGHT) | (under & -BO_MIX_MAX_WEIGHT);
        }
    }
}

#endif
