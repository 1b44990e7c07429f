/*
 * profdata-llvm: LLVM's own reader of the bytes that profdata writes, as a codec of a plugin.
 *
 * LLVM does not validate its input. So `open` first decodes the file with profdata, which accepts
 * only the bytes that LLVM writes. LLVM_READER_TRUSTS=1 in the environment omits this step, to
 * measure LLVM's own opening: bench reads only the output of encoders. LLVM has no lookup by name
 * alone. It reads all functions in the order of its hash table; this file sorts them by name.
 */
#include <stdlib.h>

#include "codecs/lprf/lprf.h"
#include "examples/llvm-reader/shim.h"
#include "harness/plugin.h"

extern const struct bo_codec lprf_profdata;

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return lprf_profdata.encode(&lprf_profdata, model, out, err);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    void *model;
    enum bo_status status = BO_OK;
    if (!getenv("LLVM_READER_TRUSTS"))
        status = lprf_profdata.decode(&lprf_profdata, in, arena, &model, err);
    if (status)
        return status;
    *reader_ret = llvm_open(in.p, in.n);
    if (!*reader_ret)
        return bo_fail(err, BO_CORRUPT, 0, "LLVM rejects the header");
    if (!bo_arena_on_release(arena, llvm_close, *reader_ret)) {
        llvm_close(*reader_ret);
        return bo_fail_alloc(err, arena);
    }
    return BO_OK;
}

/* All functions as LLVM reads them. */
static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    void *reader;
    size_t n = 0, n_counters = 0;
    const enum bo_status status = open(self, in, arena, &reader, err);
    if (status)
        return status;
    const struct llvm_function *all;
    struct lprf_model *model = bo_alloc(arena, sizeof *model);
    if (!llvm_read_all(reader, &all, &n))
        return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "LLVM rejects a function");
    for (size_t i = 0; i < n; i++)
        n_counters += all[i].n_counters;
    struct lprf_function *functions = bo_alloc_array(arena, n, sizeof *functions);
    uint64_t *counters = bo_alloc_array(arena, n_counters, sizeof *counters);
    if (!model || !functions || !counters)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < n; i++) {
        memcpy(counters, all[i].counters, all[i].n_counters * sizeof *counters);
        functions[i] = (struct lprf_function){
            {all[i].name, all[i].name_nbytes}, all[i].hash, all[i].n_counters, counters};
        counters += all[i].n_counters;
    }
    *model = (struct lprf_model){n, functions};
    *model_ret = model;
    return BO_OK;
}

static enum bo_status lookup_key(struct llvm_reader *reader, const struct lprf_key_query *queries,
                                 size_t n, struct bo_sink *sink)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t *counters;
        const struct lprf_key_query *q = &queries[i];
        const size_t found = llvm_find(reader, q->name.p, q->name.n, q->hash, &counters);
        struct lprf_answer *answer = bo_sink_take(sink, sizeof *answer + 8 * found);
        if (!answer)
            return BO_OVER_LIMIT;
        *answer = (struct lprf_answer){found ? q->hash : 0, found};
        if (found)
            memcpy(answer->counters, counters, 8 * found);
    }
    return BO_OK;
}

static enum bo_status iterate(struct llvm_reader *reader, struct bo_sink *sink,
                              struct bo_error *err)
{
    size_t n = 0;
    const struct llvm_function *f;
    if (!llvm_read_all(reader, &f, &n))
        return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "LLVM rejects a function");
    for (const struct llvm_function *end = f + n; f < end; f++) {
        const size_t padded = (f->name_nbytes + 7) / 8 * 8;
        struct lprf_visited *visited =
            bo_sink_take(sink, sizeof *visited + 8 * f->n_counters + padded);
        if (!visited)
            return BO_OVER_LIMIT;
        *visited = (struct lprf_visited){f->name_nbytes, f->hash, f->n_counters};
        memcpy(visited->counters, f->counters, 8 * f->n_counters);
        uint8_t *name = (uint8_t *)(visited->counters + f->n_counters);
        memset(name, 0, padded);
        memcpy(name, f->name, f->name_nbytes);
    }
    return BO_OK;
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    if (kind == LPRF_LOOKUP_KEY)
        return lookup_key(reader, queries, n, answers);
    for (size_t i = 0; i < n && !status; i++)
        if (kind == LPRF_SUMMARY)
            ((uint64_t *)answers)[i] = llvm_maximum(reader);
        else
            status = iterate(reader, answers, err);
    return status;
}

static const struct bo_codec profdata_llvm = {
    .name = "profdata-llvm",
    .summary = llvm_summary,
    .spec = "codecs/lprf/README.md#profdata",
    .reads = "profdata",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .optional = true,
    .kinds =
        1u << LPRF_LOOKUP_KEY | 1u << LPRF_ITERATE | 1u << LPRF_ITERATE_SORTED | 1u << LPRF_SUMMARY,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};

BO_PLUGIN("lprf", &profdata_llvm)
