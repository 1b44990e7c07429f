/* The models of conformance vectors. */
#include "corpora/vectors_models.h"

#include <string.h>

/* Text forms by their names, which vectors.def uses. */
#define TEXT(format, name, text) static const char format##_##name[] = text;
#include "corpora/vectors_texts.def"
#undef TEXT

const struct bo_vector_text bo_vector_texts[] = {
#define TEXT(format, name, text) {#format, #format "_" #name, format##_##name},
#include "corpora/vectors_texts.def"
#undef TEXT
    {NULL, NULL, NULL},
};

const struct bo_vector_model bo_vector_models[] = {
#define SEEDED(encoding, seed, scale) {encoding, NULL, NULL, seed, scale, 0, 0},
#define NOISE(encoding, seed, scale, nbytes) {encoding, NULL, NULL, seed, scale, nbytes, 0},
#define RESAMPLED(encoding, seed, scale, n) {encoding, NULL, NULL, seed, scale, 0, n},
#define ENTROPY(encoding, hex, scale) {encoding, NULL, hex, 0, scale, 0, 0},
#define MODEL(encoding, name) {encoding, name, NULL, 0, 0, 0, 0},
#include "corpora/vectors.def"
    {NULL, NULL, NULL, 0, 0, 0, 0},
};

struct bo_vector_model bo_vector_model_at(uint64_t seed)
{
    static const size_t scales[] = {1, 2, 4, 8};
    return (struct bo_vector_model){
        .seed = seed, .scale = scales[seed / 2 % 4], .noise_nbytes = seed % 2 ? 512 : 0};
}

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static enum bo_status draw(const struct bo_format *format, const struct bo_vector_model *model,
                           struct bo_arena *arena, void **model_ret)
{
    const size_t n = model->entropy ? strlen(model->entropy) / 2 : model->noise_nbytes;
    struct bo_random random = bo_random_seeded(model->seed);
    if (n) {
        uint8_t *p = bo_alloc(arena, n);
        if (!p)
            return BO_NO_MEMORY;
        for (size_t i = 0; i < n; i++)
            p[i] = model->entropy ? (uint8_t)(digit(model->entropy[2 * i]) << 4 |
                                              digit(model->entropy[2 * i + 1]))
                                  : bo_random_u8(&random);
        random = bo_random_from_bytes((struct bo_span){p, n});
    }
    const enum bo_status status = format->generate(&random, model->scale, arena, model_ret, NULL);
    if (status || !model->n_resampled)
        return status;
    return format->resample(*model_ret, model->n_resampled, &random, arena, model_ret, NULL);
}

bool bo_vector_model_make(const struct bo_format *format, const struct bo_vector_model *model,
                          struct bo_arena *arena, void **model_ret)
{
    if (!model->text)
        return !draw(format, model, arena, model_ret);
    const struct bo_span text = {(const uint8_t *)model->text, strlen(model->text)};
    return !format->parse(text, arena, model_ret, NULL);
}
