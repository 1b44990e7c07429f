/*
 * The functions of struct bo_format for the shape BO_SHAPE, a constant that the including file has
 * declared. The format's table then contains BO_RECORDS_OF_SHAPE among its members. A function
 * written by hand follows it: `.generate = my_generate`. The build disables -Woverride-init for
 * this.
 */
#include "harness/records.h"

static enum bo_status shape_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                                  struct bo_error *err)
{
    return bo_records_parse(&BO_SHAPE, text, arena, model_ret, err);
}

static enum bo_status shape_print(const void *model, struct bo_writer *out, struct bo_error *err)
{
    return bo_records_print(&BO_SHAPE, model, out, err);
}

static const char *shape_differ(const void *a, const void *b)
{
    return bo_records_differ(&BO_SHAPE, a, b);
}

static enum bo_status shape_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                                     void **model_ret, struct bo_error *err)
{
    return bo_records_generate(&BO_SHAPE, random, scale, arena, model_ret, err);
}

static enum bo_status shape_mutate(const void *model, struct bo_random *random,
                                   struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    return bo_records_mutate(&BO_SHAPE, model, random, arena, model_ret, err);
}

static enum bo_status shape_resample(const void *like, size_t n_units, struct bo_random *random,
                                     struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    return bo_records_resample(&BO_SHAPE, like, n_units, random, arena, model_ret, err);
}

static unsigned shape_units(const void *model, struct bo_unit *units_ret)
{
    return bo_records_units(&BO_SHAPE, model, units_ret);
}

static void shape_fields(const void *model, struct bo_sequences *out)
{
    bo_records_fields(&BO_SHAPE, model, out);
}

#define BO_RECORDS_OF_SHAPE                                                         \
    .parse = shape_parse, .print = shape_print, .differ = shape_differ,             \
    .generate = shape_generate, .mutate = shape_mutate, .resample = shape_resample, \
    .units = shape_units, .fields = shape_fields
