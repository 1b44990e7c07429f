/* The models of conformance vectors. */
#include "corpora/vectors_models.h"

#include <inttypes.h>
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

const struct bo_vector_damage bo_vector_damages[] = {
#define DAMAGED(encoding, valid, off, n, hex) {encoding, valid, off, n, hex},
#include "corpora/vectors_damaged.def"
    {NULL, 0, 0, 0, NULL},
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

/* Reads a number in decimal; returns what follows it. */
static const char *take_number(const char *p, uint64_t *v_ret)
{
    for (*v_ret = 0; *p >= '0' && *p <= '9'; p++)
        *v_ret = 10 * *v_ret + (uint64_t)(*p - '0');
    return p;
}

/* "{A+B}", "{A+B%M}": A + (i B mod M), in hexadecimal after "0x". "{x*N}": N times x. */
static const char *put_term(const char *p, uint64_t i, bool hex, struct bo_writer *out)
{
    uint64_t first, step, most = 0;
    if (p[2] == '*') {
        const uint8_t x = (uint8_t)p[1];
        for (p = take_number(p + 3, &first); first && !out->status; first--)
            bo_put_u8(out, x);
        return p + 1;
    }
    p = take_number(p + 1, &first);
    p = take_number(p + 1, &step);
    if (*p == '%')
        p = take_number(p + 1, &most);
    step *= i;
    bo_put_text(out, hex ? "%" PRIx64 : "%" PRIu64, first + (most ? step % most : step));
    return p + 1;
}

static void put_block(const char *p, const char *end, uint64_t i, struct bo_writer *out)
{
    while (p < end) {
        if (*p == '{')
            p = put_term(p, i, out->n >= 2 && memcmp(out->p + out->n - 2, "0x", 2) == 0, out);
        else
            bo_put_u8(out, (uint8_t)*p++);
    }
}

/* Expands the text: the lines between "*N" and "*" are repeated N times, numbered from i = 0. */
static void expand(const char *p, struct bo_writer *out)
{
    while (*p) {
        if (*p != '*') {
            const char *end = strchr(p, '\n') + 1;
            bo_put_bytes(out, p, (size_t)(end - p));
            p = end;
            continue;
        }
        uint64_t n;
        p = take_number(p + 1, &n);
        const char *end = strstr(p, "\n*\n") + 1;
        for (uint64_t i = 0; i < n && !out->status; i++)
            put_block(p + 1, end, i, out);
        p = end + 2;
    }
}

bool bo_vector_model_make(const struct bo_format *format, const struct bo_vector_model *model,
                          struct bo_arena *arena, void **model_ret)
{
    if (!model->text)
        return !draw(format, model, arena, model_ret);
    struct bo_writer out;
    bo_writer_init(&out, arena);
    expand(model->text, &out);
    uint8_t *text = out.status ? NULL : bo_alloc(arena, out.n); /* the model points into it */
    const struct bo_span span = {text, out.n};
    if (text)
        memcpy(text, out.p, out.n);
    bo_writer_free(&out);
    return text && !format->parse(span, arena, model_ret, NULL);
}
