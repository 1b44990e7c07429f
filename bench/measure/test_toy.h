/*
 * A toy format for the tests of this folder: an array of numbers. Its queries return one number
 * (get), a run of them (first: the first n, an answer of variable size), one by its index in words
 * (name), all of them (all) or their count (count). One codec is correct; each of the others fails
 * in one way.
 */
#ifndef BO_TEST_TOY_H
#define BO_TEST_TOY_H

#include <unistd.h>

#include "corpora/documents.h"

struct toy_model {
    uint32_t n;
    uint32_t values[1000];
};

enum { TOY_GET, TOY_FIRST, TOY_NAME, TOY_ALL, TOY_COUNT, TOY_N_KINDS };

/* ---- the correct codec: u32 count, u32 values, and four bytes aside -------------------------- */

static enum bo_status toy_encode(const struct bo_codec *self, const void *opaque,
                                 struct bo_writer *out, struct bo_error *err)
{
    const struct toy_model *model = opaque;
    bo_mark(out, "count");
    bo_put_le32(out, model->n);
    bo_mark_aside(out, "padding");
    bo_put_le32(out, 0);
    bo_mark(out, "values");
    for (uint32_t i = 0; i < model->n; i++)
        bo_put_le32(out, model->values[i]);
    return bo_writer_status(out, err);
}

static enum bo_status toy_decode(const struct bo_codec *self, struct bo_span in,
                                 struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct toy_model *model = bo_alloc(arena, sizeof *model);
    if (!model)
        return bo_fail_alloc(err, arena);
    model->n = bo_le32(in.p);
    for (uint32_t i = 0; i < model->n; i++)
        model->values[i] = bo_le32(in.p + 8 + 4 * (size_t)i);
    *model_ret = model;
    return BO_OK;
}

static enum bo_status toy_open(const struct bo_codec *self, struct bo_span in,
                               struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    *reader_ret = bo_alloc(arena, 48); /* only to have memory figures */
    *reader_ret = (void *)(uintptr_t)in.p;
    return BO_OK;
}

/*
 * The index in a query of any kind. As words, it has one letter each for hundreds, tens and ones.
 */
static uint32_t toy_place(unsigned kind, const void *queries, size_t i, uint32_t n_values)
{
    if (kind == TOY_ALL || kind == TOY_COUNT)
        return n_values;
    if (kind != TOY_NAME)
        return ((const uint32_t *)queries)[i];
    const struct bo_span name = ((const struct bo_span *)queries)[i];
    uint32_t place = 0;
    for (size_t k = 0; k < name.n; k++)
        place = 10 * place + name.p[k] - 'a';
    return place;
}

/* The values as stored in a model or, little-endian, in a payload. */
static enum bo_status toy_answer(const uint8_t *values, uint32_t n_values, unsigned kind,
                                 const void *queries, size_t n, void *answers)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t q = toy_place(kind, queries, i, n_values);
        if (q >= n_values && kind != TOY_ALL && kind != TOY_COUNT)
            return BO_OUT_OF_RANGE;
        if (kind == TOY_COUNT) {
            ((uint32_t *)answers)[i] = q;
            continue;
        }
        if (kind == TOY_GET || kind == TOY_NAME) {
            memcpy((uint32_t *)answers + i, values + 4 * (size_t)q, 4);
            continue;
        }
        uint8_t *run = bo_sink_take(answers, 4 * (size_t)q);
        if (!run)
            return BO_OVER_LIMIT;
        memcpy(run, values, 4 * (size_t)q);
    }
    return BO_OK;
}

static enum bo_status toy_query(const struct bo_codec *self, void *reader, unsigned kind,
                                const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const uint8_t *in = reader;
    return toy_answer(in + 8, bo_le32(in), kind, queries, n, answers);
}

/* ---- codecs that fail ------------------------------------------------------------------------ */

static inline enum bo_status toy_query_wrong(const struct bo_codec *self, void *reader,
                                             unsigned kind, const void *queries, size_t n,
                                             void *answers, struct bo_error *err)
{
    const enum bo_status status = toy_query(self, reader, kind, queries, n, answers, err);
    if (kind == TOY_GET && n > 7)
        ((uint32_t *)answers)[7] ^= 1;
    return status;
}

static inline enum bo_status toy_query_crash(const struct bo_codec *self, void *reader,
                                             unsigned kind, const void *queries, size_t n,
                                             void *answers, struct bo_error *err)
{
    if (kind == TOY_GET)
        __builtin_trap();
    return toy_query(self, reader, kind, queries, n, answers, err);
}

static inline enum bo_status toy_query_hang(const struct bo_codec *self, void *reader,
                                            unsigned kind, const void *queries, size_t n,
                                            void *answers, struct bo_error *err)
{
    while (kind == TOY_FIRST)
        usleep(1000);
    return toy_query(self, reader, kind, queries, n, answers, err);
}

/* A lazy reader that finds bad bytes and reports their offset. */
static inline enum bo_status toy_query_complain(const struct bo_codec *self, void *reader,
                                                unsigned kind, const void *queries, size_t n,
                                                void *answers, struct bo_error *err)
{
    if (kind == TOY_FIRST)
        return bo_fail(err, BO_CORRUPT, 1042, "a toy with a wheel off");
    return toy_query(self, reader, kind, queries, n, answers, err);
}

/* Allocates 3 x 1000 bytes from its arena, and 500 for another writer. */
static inline enum bo_status toy_encode_wasteful(const struct bo_codec *self, const void *model,
                                                 struct bo_writer *out, struct bo_error *err)
{
    struct bo_writer beside;
    for (int i = 0; i < 3; i++)
        if (!bo_alloc(out->arena, 1000))
            return bo_fail_alloc(err, out->arena);
    const enum bo_status status = toy_encode(self, model, out, err);
    bo_writer_init(&beside, out->arena);
    for (int i = 0; i < 500; i++)
        bo_put_bytes(&beside, "x", 1);
    bo_writer_free(&beside);
    return status;
}

static inline enum bo_status toy_encode_refuse(const struct bo_codec *self, const void *model,
                                               struct bo_writer *out, struct bo_error *err)
{
    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "toys only");
}

static inline enum bo_status toy_decode_wrong(const struct bo_codec *self, struct bo_span in,
                                              struct bo_arena *arena, void **model_ret,
                                              struct bo_error *err)
{
    const enum bo_status status = toy_decode(self, in, arena, model_ret, err);
    ((struct toy_model *)*model_ret)->values[3]++;
    return status;
}

/* ---- the format ------------------------------------------------------------------------------ */

#define TOY_ORACLE(name, kind)                                                                  \
    static enum bo_status toy_oracle_##name(const void *opaque, const void *queries, size_t n,  \
                                            void *answers)                                      \
    {                                                                                           \
        const struct toy_model *model = opaque;                                                 \
        return toy_answer((const uint8_t *)model->values, model->n, kind, queries, n, answers); \
    }
TOY_ORACLE(get, TOY_GET)
TOY_ORACLE(first, TOY_FIRST)
TOY_ORACLE(name, TOY_NAME)
TOY_ORACLE(all, TOY_ALL)
TOY_ORACLE(count, TOY_COUNT)

static size_t toy_draw(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                       size_t n, void *queries)
{
    const struct toy_model *model = opaque;
    for (size_t i = 0; i < n; i++)
        ((uint32_t *)queries)[i] = bo_random_below(random, model->n);
    return n;
}

static size_t toy_draw_names(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                             size_t n, void *queries)
{
    const struct toy_model *model = opaque;
    for (size_t i = 0; i < n; i++) {
        char *letters = bo_alloc(arena, 3);
        if (!letters)
            return i;
        uint32_t place = bo_random_below(random, model->n);
        for (int k = 2; k >= 0; k--, place /= 10)
            letters[k] = (char)('a' + place % 10);
        ((struct bo_span *)queries)[i] = (struct bo_span){(const uint8_t *)letters, 3};
    }
    return n;
}

static size_t toy_draw_whole(const void *model, struct bo_random *random, struct bo_arena *arena,
                             size_t n, void *queries)
{
    return n;
}

static size_t toy_draw_none(const void *model, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    return 0;
}

/* Values are below the count of a model, so that they are valid indices. */
static void toy_link(void *query, const void *previous_answer)
{
    uint32_t q, a;
    memcpy(&q, query, 4);
    memcpy(&a, previous_answer, 4);
    q = (q ^ a) & 511;
    memcpy(query, &q, 4);
}

static const struct bo_workload toy_get_workloads[] = {
    {.name = "uniform", .n_queries = 3000, .draw = toy_draw},
    {.name = "chain", .n_queries = 700, .dependent = true, .draw = toy_draw},
    {.name = "nowhere", .n_queries = 10, .draw = toy_draw_none},
};

static const struct bo_workload toy_first_workloads[] = {
    {.name = "uniform", .n_queries = 300, .draw = toy_draw},
    {.name = "each", .n_queries = 20, .fresh = true, .draw = toy_draw},
};

static const struct bo_workload toy_name_workloads[] = {
    {.name = "cold", .n_queries = 150, .cold = true, .draw = toy_draw_names},
    {.name = "each", .n_queries = 20, .fresh = true, .draw = toy_draw_names},
};

static const struct bo_workload toy_whole_workloads[] = {
    {.name = "whole", .n_queries = 1, .draw = toy_draw_whole},
};

static const struct bo_query_kind toy_kinds[TOY_N_KINDS] = {
    [TOY_GET] = {.name = "get",
                 .query_size = 4,
                 .answer_size = 4,
                 .workloads = toy_get_workloads,
                 .n_workloads = 3,
                 .oracle = toy_oracle_get,
                 .link = toy_link},
    [TOY_FIRST] = {.name = "first",
                   .query_size = 4,
                   .workloads = toy_first_workloads,
                   .n_workloads = 2,
                   .oracle = toy_oracle_first},
    [TOY_NAME] = {.name = "name",
                  .query_size = sizeof(struct bo_span),
                  .has_text = true,
                  .answer_size = 4,
                  .workloads = toy_name_workloads,
                  .n_workloads = 2,
                  .oracle = toy_oracle_name},
    [TOY_ALL] = {.name = "all",
                 .workloads = toy_whole_workloads,
                 .n_workloads = 1,
                 .oracle = toy_oracle_all},
    [TOY_COUNT] = {.name = "count",
                   .answer_size = 4,
                   .workloads = toy_whole_workloads,
                   .n_workloads = 1,
                   .oracle = toy_oracle_count},
};

static const char *toy_differ(const void *a, const void *b)
{
    const struct toy_model *x = a, *y = b;
    return x->n == y->n && memcmp(x->values, y->values, 4 * (size_t)x->n) == 0 ? NULL
                                                                               : "other values";
}

static enum bo_status toy_print(const void *model, struct bo_writer *out, struct bo_error *err)
{
    bo_put_text(out, "toy %u\n", ((const struct toy_model *)model)->n);
    return bo_writer_status(out, err);
}

/* Adds values up; they stay below 512, so that they are valid indices. */
static inline enum bo_status toy_merge(const void *const *models, size_t n, struct bo_arena *arena,
                                       void **model_ret, struct bo_merge_report *report,
                                       struct bo_error *err)
{
    struct toy_model *sum = bo_zalloc_array(arena, 1, sizeof *sum);
    if (!sum)
        return bo_fail_alloc(err, arena);
    *report = (struct bo_merge_report){.n_saturated = 0};
    for (size_t m = 0; m < n; m++) {
        const struct toy_model *model = models[m];
        sum->n = model->n;
        for (uint32_t i = 0; i < model->n; i++)
            sum->values[i] = (sum->values[i] + model->values[i]) & 511;
    }
    *model_ret = sum;
    return BO_OK;
}

static unsigned toy_units(const void *model, struct bo_unit *units_ret)
{
    units_ret[0] = (struct bo_unit){"values", ((const struct toy_model *)model)->n};
    return 1;
}

/* A bit a value, and half a byte. */
static void toy_fields(const void *model, struct bo_sequences *out)
{
    for (uint32_t i = 0; i < ((const struct toy_model *)model)->n; i++) {
        bo_add_number(out, "parities", i % 2);
        if (i < 4)
            bo_add_number(out, "first parities", i % 2);
    }
}

#define TOY_CODEC                                                                                 \
    .role = BO_NEW, .access = BO_RANDOM, .kinds = 31, .encode = toy_encode, .decode = toy_decode, \
    .open = toy_open, .query = toy_query

static const struct bo_codec toy_honest = {.name = "honest", TOY_CODEC};
static const struct bo_codec toy_second_reader = {.name = "second", .reads = "honest", TOY_CODEC};

static struct bo_format toy_format(const struct bo_codec *const *codecs)
{
    return (struct bo_format){.name = "toy",
                              .kinds = toy_kinds,
                              .n_kinds = TOY_N_KINDS,
                              .codecs = codecs,
                              .print = toy_print,
                              .differ = toy_differ,
                              .units = toy_units,
                              .fields = toy_fields};
}

/* Values are 0 to 511: see toy_link. */
static void toy_fill(struct toy_model *model, uint32_t n)
{
    struct bo_random random = bo_random_seeded(7);
    model->n = n;
    for (uint32_t i = 0; i < n; i++)
        model->values[i] = bo_random_below(&random, 512);
}

static inline struct bo_document toy_document(const struct bo_format *format,
                                              struct toy_model *model)
{
    return (struct bo_document){.format = format,
                                .name = "box",
                                .path = "box.txt",
                                .provenance = "made here",
                                .embedded = true,
                                .present = true,
                                .model = model,
                                .hash = 0x0123456789abcdef};
}

#endif
