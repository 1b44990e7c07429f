/* Logits and probabilities, and mixing them. */
#include "harness/mixing.h"

enum {
    STEP = 128, /* between logits whose probability is in the table */
    FIRST = -(BO_MAX_LOGIT + 1),
    N_STEPS = 45,
    MAX_WEIGHT = 1 << 22,
    LEARN_SHIFT = 16,
};

/* 65536 / (1 + exp(-logit / 256)), for logits from FIRST on in steps. */
static const uint16_t probabilities[N_STEPS] = {
    1,     2,     3,     5,     8,     13,    22,    36,    60,    98,    162,   267,
    439,   720,   1179,  1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768, 40793,
    47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438,
    65476, 65500, 65514, 65523, 65528, 65531, 65533, 65534, 65535,
};

static int clamp(int64_t logit)
{
    return logit > BO_MAX_LOGIT ? BO_MAX_LOGIT : logit < -BO_MAX_LOGIT ? -BO_MAX_LOGIT : (int)logit;
}

uint32_t bo_probability(int logit)
{
    const uint32_t at = (uint32_t)(clamp(logit) - FIRST);
    const uint32_t here = probabilities[at / STEP], next = probabilities[at / STEP + 1];
    return here + ((next - here) * (at % STEP) + STEP / 2) / STEP;
}

void bo_mixing_init(struct bo_mixing *mixing)
{
    int logit = -BO_MAX_LOGIT;
    for (uint32_t i = 0; i < BO_LOGIT_TABLE; i++) {
        while (logit < BO_MAX_LOGIT && bo_probability(logit) < 16 * i + 8)
            logit++;
        mixing->logits[i] = (int16_t)logit;
    }
    for (uint32_t seen = 0; seen <= BO_MAX_COUNT; seen++)
        mixing->rates[seen] = (uint16_t)((2u << 16) / (2 * seen + 3));
}

/* Floor of v / 2^shift, for any sign. */
static int64_t shift_down(int64_t v, unsigned shift)
{
    return v >= 0 ? v >> shift : ~(~v >> shift);
}

uint32_t bo_mix_predict(struct bo_mix *mix)
{
    for (unsigned s = 0; s < BO_MIX_SETS; s++) {
        int64_t sum = 0;
        for (unsigned i = 0; i < mix->n; i++)
            sum += (int64_t)mix->inputs[i] * mix->weights[s][i];
        mix->logits[s] = clamp(shift_down(sum, 16));
    }
    return bo_probability((int)shift_down(mix->logits[0] + mix->logits[1], 1));
}

void bo_mix_learn(struct bo_mix *mix, bool bit, int32_t rate)
{
    for (unsigned s = 0; s < BO_MIX_SETS; s++) {
        const int32_t error = (bit ? 65536 : 0) - (int32_t)bo_probability(mix->logits[s]);
        const int32_t step = error * rate;
        for (unsigned i = 0; i < mix->n; i++) {
            int32_t *weight = &mix->weights[s][i];
            const int64_t moved =
                *weight +
                shift_down((int64_t)mix->inputs[i] * step + (1 << (LEARN_SHIFT - 1)), LEARN_SHIFT);
            *weight = (int32_t)(moved > MAX_WEIGHT    ? MAX_WEIGHT
                                : moved < -MAX_WEIGHT ? -MAX_WEIGHT
                                                      : moved);
        }
    }
}
