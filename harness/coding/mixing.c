/* Logits, probabilities, and mixing. */
#include "harness/coding/mixing.h"

enum {
    STEP = 128, /* distance of the logits in the table */
    FIRST = -(BO_MAX_LOGIT + 1),
    N_STEPS = 45,
    MAX_WEIGHT = 1 << 19, /* MAX_WEIGHT times BO_MAX_LOGIT fits 31 bits */
};

/* 65536 / (1 + exp(-logit / 256)), for logits FIRST, FIRST + STEP, ... */
static const uint16_t probabilities[N_STEPS] = {
    1,     2,     3,     5,     8,     13,    22,    36,    60,    98,    162,   267,
    439,   720,   1179,  1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768, 40793,
    47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438,
    65476, 65500, 65514, 65523, 65528, 65531, 65533, 65534, 65535,
};

static int clamp(int logit)
{
    return logit > BO_MAX_LOGIT ? BO_MAX_LOGIT : logit < -BO_MAX_LOGIT ? -BO_MAX_LOGIT : logit;
}

/* Interpolates between two entries of the table. */
static uint32_t between(uint32_t step, uint32_t rest)
{
    const uint32_t here = probabilities[step], next = probabilities[step + 1];
    return here + ((next - here) * rest + STEP / 2) / STEP;
}

uint32_t bo_probability(int logit)
{
    const uint32_t at = (uint32_t)(clamp(logit) - FIRST);
    return between(at / STEP, at % STEP);
}

void bo_mixing_init(struct bo_mixing *mixing)
{
    uint32_t i = 0;
    for (uint32_t step = 0; step < N_STEPS - 1; step++)
        for (uint32_t rest = step == 0; rest < STEP; rest++)
            for (const uint32_t p = between(step, rest); i < BO_LOGIT_TABLE && 16 * i + 8 <= p; i++)
                mixing->logits[i] = (int16_t)(FIRST + (int)(step * STEP + rest));
    for (; i < BO_LOGIT_TABLE; i++)
        mixing->logits[i] = BO_MAX_LOGIT;
    for (uint32_t seen = 0; seen <= BO_MAX_COUNT; seen++)
        mixing->rates[seen] = (uint16_t)((2u << 16) / (2 * seen + 3));
}

/* Four numbers at any alignment. Products are shifted before they are added. */
typedef int32_t four __attribute__((vector_size(16), aligned(4), may_alias));

uint32_t bo_mix_predict(struct bo_mix *mix)
{
    for (; mix->n % 4; mix->n++)
        mix->inputs[mix->n] = 0;
    for (unsigned s = 0; s < BO_MIX_SETS; s++) {
        four sum = {0};
        for (unsigned i = 0; i < mix->n; i += 4)
            sum += *(const four *)&mix->inputs[i] * *(const four *)&mix->weights[s][i] >> 8;
        mix->logits[s] = clamp((sum[0] + sum[1] + sum[2] + sum[3]) >> 8);
    }
    return bo_probability((mix->logits[0] + mix->logits[1]) >> 1);
}

void bo_mix_learn(struct bo_mix *mix, bool bit, int32_t rate)
{
    for (unsigned s = 0; s < BO_MIX_SETS; s++) {
        const int32_t error = (bit ? 65536 : 0) - (int32_t)bo_probability(mix->logits[s]);
        for (unsigned i = 0; i < mix->n; i += 4) {
            four *weights = (four *)&mix->weights[s][i];
            four w = *weights;
            w += (*(const four *)&mix->inputs[i] * (error * rate) + (1 << 15)) >> 16;
            const four over = w > MAX_WEIGHT, under = w < -MAX_WEIGHT;
            *weights = (w & ~over & ~under) | (over & MAX_WEIGHT) | (under & -MAX_WEIGHT);
        }
    }
}
