/* Logits, probabilities, and mixing. */
#include "harness/coding/mix.h"

void bo_mixing_init(struct bo_mixing *mixing)
{
    uint32_t i = 0;
    for (uint32_t step = 0; step < BO_MIX_N_STEPS - 1; step++)
        for (uint32_t rest = step == 0; rest < BO_MIX_STEP; rest++)
            for (const uint32_t p = bo_mix_between(step, rest);
                 i < BO_LOGIT_TABLE && 16 * i + 8 <= p; i++)
                mixing->logits[i] = (int16_t)(BO_MIX_FIRST + (int)(step * BO_MIX_STEP + rest));
    for (; i < BO_LOGIT_TABLE; i++)
        mixing->logits[i] = BO_MAX_LOGIT;
    for (uint32_t seen = 0; seen <= BO_MAX_COUNT; seen++)
        mixing->rates[seen] = (uint16_t)((2u << 16) / (2 * seen + 3));
}

void bo_mix_fill(void *words, size_t n, uint32_t value)
{
    enum { MAX_COPY = 1024 }; /* stays in the first cache */
    uint8_t *to = words;
    memcpy(to, &value, sizeof value);
    for (size_t n_set = 1, n_copied; n_set < n; n_set += n_copied) {
        const size_t most = n_set < MAX_COPY ? n_set : MAX_COPY;
        n_copied = n - n_set < most ? n - n_set : most;
        memcpy(to + n_set * sizeof value, to, n_copied * sizeof value);
    }
}

uint32_t bo_probability(int logit)
{
    return bo_mix_probability(logit);
}

uint32_t bo_mix_predict(struct bo_mix *mix)
{
    return bo_mix_predict_inline(mix);
}

void bo_mix_learn(struct bo_mix *mix, bool bit, int32_t rate)
{
    bo_mix_learn_inline(mix, bit, rate);
}
