/* The PCDATA part of test vectors: one table whose runs are listed or generated, in quanta. */
#include "corpora/import/pcdata_vectors.h"

#include "codecs/pcdata/pcdata.h"

static enum bo_status fail(struct bo_error *err, const char *what)
{
    return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, what);
}

/* `runs`: [[pc_end, value], ...]. */
static enum bo_status listed_run(const json_t *runs, size_t i, uint64_t *end_ret,
                                 int32_t *value_ret)
{
    const json_t *pair = json_array_get(runs, i);
    *end_ret = (uint64_t)json_integer_value(json_array_get(pair, 0));
    *value_ret = (int32_t)json_integer_value(json_array_get(pair, 1));
    return json_array_size(pair) == 2 ? BO_OK : BO_CORRUPT;
}

/*
 * `gen`: run i ends at (i + 1) * pc_step and has the value i * mul mod 2^32, then mod `mod` where
 * that is given.
 */
static enum bo_status made_run(const json_t *gen, size_t i, uint64_t *end_ret, int32_t *value_ret)
{
    const json_t *mod = json_object_get(gen, "mod");
    const uint64_t step = (uint64_t)json_integer_value(json_object_get(gen, "pc_step"));
    uint32_t u = (uint32_t)(i * (uint64_t)json_integer_value(json_object_get(gen, "mul")));
    if (mod && json_integer_value(mod) > 0)
        u %= (uint32_t)json_integer_value(mod);
    *end_ret = (i + 1) * step;
    *value_ret = (int32_t)u;
    return step ? BO_OK : BO_CORRUPT;
}

enum bo_status bo_pcdata_vector_model(const json_t *vector, struct bo_arena *arena,
                                      void **model_ret, struct bo_error *err)
{
    const json_t *listed = json_object_get(vector, "runs"), *gen = json_object_get(vector, "gen");
    const uint64_t quantum = (uint64_t)json_integer_value(json_object_get(vector, "quantum"));
    const size_t n =
        listed ? json_array_size(listed) : (size_t)json_integer_value(json_object_get(gen, "n"));
    const uint64_t text_len = (uint64_t)json_integer_value(json_object_get(vector, "text_len"));
    if (n == 0 || n > UINT32_MAX || quantum == 0 || quantum > 4 || text_len > UINT32_MAX / quantum)
        return fail(err, "vector needs text_len, quantum, and runs or gen");
    struct pcdata_model *model = bo_alloc(arena, sizeof *model);
    struct pcdata_table *table = bo_alloc(arena, sizeof *table);
    struct pcdata_run *runs = bo_alloc_array(arena, n, sizeof *runs);
    if (!model || !table || !runs)
        return bo_fail_alloc(err, arena);
    uint64_t start = 0, end = 0;
    for (size_t i = 0; i < n; i++, start = end) {
        runs[i].pc = (uint32_t)(start * quantum);
        if ((listed ? listed_run(listed, i, &end, &runs[i].value)
                    : made_run(gen, i, &end, &runs[i].value)) ||
            end > text_len)
            return fail(err, "run of a vector is malformed or passes its text_len");
    }
    if (end != text_len)
        return fail(err, "runs of a vector do not end at its text_len");
    *table = (struct pcdata_table){
        .text_len = (uint32_t)(text_len * quantum), .n_runs = (uint32_t)n, .refs = 1, .runs = runs};
    *model = (struct pcdata_model){(uint32_t)quantum, 1, table};
    *model_ret = model;
    const char *flaw = pcdata_model_flaw(model, NULL);
    return flaw ? fail(err, flaw) : BO_OK;
}
