/*
 * profdata: the status quo, and an optional codec: the indexed profile that LLVM itself writes and
 * reads, in process.
 *
 *   0  a .profdata file, to the byte: LLVM 14's InstrProfWriter wrote it
 *      u64  XXH3 of 64 bits, seed 0, of all before it
 *
 * LLVM's tools read such a file as it is. The checksum is this codec's, not LLVM's, so it stands
 * beside the size: LLVM's reader trusts its bytes, and open compares. It finds accidents; it does
 * not stop who makes bad bytes with the right checksum.
 *
 * LLVM keeps functions in the order of its table. So the codec holds only profiles in the order in
 * which LLVM's tools print them, by name, then by hash, and sorts when it is asked for an order.
 */
#include "codecs/lprf/library.h"
#include "codecs/lprf/model.h"
#include "codecs/lprf/profdata/shim.h"

enum { CHECKSUM_NBYTES = 8 };

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * The maximum as LLVM's summary has it: without first counters of 2^64 - 1, and without functions
 * whose hash has the bit that marks context-sensitive ones.
 */
static uint64_t llvm_maximum(const struct lprf_model *model)
{
    enum { CONTEXT_SENSITIVE_BIT = 60 };
    uint64_t maximum = 0;
    for (size_t f = 0; f < model->n_functions; f++) {
        const uint64_t first = model->functions[f].counters[0];
        const bool counts =
            first != UINT64_MAX && !(model->functions[f].hash >> CONTEXT_SENSITIVE_BIT & 1);
        maximum = counts && first > maximum ? first : maximum;
    }
    return maximum;
}

static enum bo_status check_held(const struct lprf_model *model, struct bo_error *err)
{
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        const int order = f ? bo_span_compare(model->functions[f - 1].name, function->name) : -1;
        if (order > 0 || (order == 0 && model->functions[f - 1].hash > function->hash))
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "profdata holds functions by name and hash, in no other order");
        if (function->hash >= UINT64_MAX - 1)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "LLVM's tables hold no hash of 2^64 - 1 or 2^64 - 2");
    }
    return llvm_maximum(model) == lprf_maximum(model)
               ? BO_OK
               : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                         "LLVM's summary leaves out the function with the maximum");
}

/*
 * Puts the file, with its sections by their sums: for each function LLVM writes 8 bytes each of
 * hash, number of counters and empty value profile, and the counters.
 */
static void put_file(const struct lprf_model *model, struct bo_span file, struct bo_writer *out)
{
    size_t names_n = 0, hashes_n = 0, counters_n = 0;
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        if (f == 0 || !lprf_same_name(model, (uint32_t)f - 1, (uint32_t)f))
            names_n += function->name.n;
        hashes_n += 24;
        counters_n += 8 * function->n_counters;
    }
    const struct {
        const char *section;
        size_t n;
    } parts[] = {{"names", names_n},
                 {"hashes", hashes_n},
                 {"counters", counters_n},
                 {"tables", file.n - names_n - hashes_n - counters_n}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bo_mark(out, parts[i].section);
        bo_put_bytes(out, file.p, parts[i].n);
        file.p += parts[i].n;
    }
}

static enum bo_status encode(const void *opaque, struct bo_writer *out, struct bo_error *err)
{
    const struct lprf_model *model = opaque;
    const size_t start = out->n;
    const enum bo_status status = check_held(model, err);
    if (status)
        return status;
    struct lprf_profdata_writer *writer = lprf_profdata_begin_write();
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        const struct lprf_profdata_function record = {function->name.p, function->name.n,
                                                      function->hash, function->counters,
                                                      function->n_counters};
        lprf_profdata_add(writer, &record);
    }
    struct bo_span file;
    lprf_profdata_write(writer, &file.p, &file.n);
    put_file(model, file, out);
    lprf_profdata_end_write(writer);
    bo_mark_aside(out, "checksum");
    if (!out->status)
        bo_put_le64(out, lprf_hash_name((struct bo_span){out->p + start, out->n - start}, 0));
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    struct lprf_profdata_reader *llvm;
    struct bo_arena *arena; /* for what a query needs while it runs */
};

static enum bo_status fail_llvm(struct bo_error *err)
{
    return bo_fail(err, BO_CORRUPT, 0, "LLVM refuses the profile");
}

static enum bo_status open(struct bo_span in, struct bo_arena *arena, void **reader_ret,
                           struct bo_error *err)
{
    if (in.n < CHECKSUM_NBYTES)
        return bo_fail(err, BO_TRUNCATED, in.n, "file ends in the checksum");
    struct bo_span file = {in.p, in.n - CHECKSUM_NBYTES};
    if (lprf_hash_name(file, 0) != bo_le64(in.p + file.n))
        return bo_fail(err, BO_CORRUPT, file.n, "the profile is not what was written");
    struct reader *reader = bo_alloc(arena, sizeof *reader);
    file = lprf_aligned(file, arena);
    if (!reader || !file.p)
        return bo_fail_alloc(err, arena);
    *reader = (struct reader){lprf_profdata_open(file.p, file.n), arena};
    if (!reader->llvm)
        return fail_llvm(err);
    if (!bo_arena_on_release(arena, lprf_profdata_close, reader->llvm)) {
        lprf_profdata_close(reader->llvm);
        return bo_fail_alloc(err, arena);
    }
    *reader_ret = reader;
    return BO_OK;
}

/* All functions, in arrays that grow. */
struct functions {
    struct lprf_function *p;
    size_t n, cap;
};

static enum bo_status keep_function(struct functions *functions, struct lprf_entries *entries,
                                    const struct lprf_profdata_function *told, struct bo_error *err)
{
    struct bo_arena *arena = entries->arena;
    const struct bo_span name = {told->name, told->name_nbytes};
    uint64_t *counters = bo_alloc_array(arena, told->n_counters, sizeof *counters);
    if (!counters || !bo_grow(arena, &functions->p, functions->n, 1, &functions->cap))
        return bo_fail_alloc(err, arena);
    if (told->n_counters)
        memcpy(counters, told->counters, told->n_counters * sizeof *counters);
    const struct lprf_entry entry = {.name = name, .off = functions->n, .order = told->hash};
    functions->p[functions->n++] =
        (struct lprf_function){name, told->hash, told->n_counters, counters};
    return lprf_collect(entries, &entry, err);
}

/* The whole profile in its order. */
static enum bo_status read_model(const struct reader *reader, struct lprf_model *model,
                                 struct bo_error *err)
{
    struct lprf_entries entries = {.arena = reader->arena};
    struct functions functions = {.n = 0};
    struct lprf_profdata_function told;
    enum lprf_profdata_status next;
    enum bo_status status = lprf_profdata_rewind(reader->llvm) ? BO_OK : fail_llvm(err);
    if (status)
        return status;
    while ((next = lprf_profdata_next(reader->llvm, &told)) == LPRF_PROFDATA_OK)
        if ((status = keep_function(&functions, &entries, &told, err)))
            return status;
    if (next == LPRF_PROFDATA_MALFORMED)
        return fail_llvm(err);
    if ((status = lprf_sort_by_name(&entries, err)))
        return status;
    struct lprf_function *sorted = bo_alloc_array(reader->arena, entries.n, sizeof *sorted);
    if (!sorted)
        return bo_fail_alloc(err, reader->arena);
    for (size_t i = 0; i < entries.n; i++)
        sorted[i] = functions.p[entries.p[i].off];
    *model = (struct lprf_model){entries.n, sorted};
    return BO_OK;
}

static enum bo_status decode(struct bo_span in, struct bo_arena *arena, void **model_ret,
                             struct bo_error *err)
{
    void *opened;
    size_t function;
    enum bo_status status = open(in, arena, &opened, err);
    if (status)
        return status;
    const struct reader *reader = opened;
    struct lprf_model *model = bo_alloc(arena, sizeof *model);
    if (!model)
        return bo_fail_alloc(err, arena);
    if ((status = read_model(reader, model, err)) ||
        (status = lprf_check_rules(model, arena, &function, err)))
        return status;
    if (lprf_maximum(model) != lprf_profdata_maximum(reader->llvm))
        return bo_fail(err, BO_CORRUPT, 0, "maximum is not that of the functions");
    *model_ret = model;
    return BO_OK;
}

/* ---- queries --------------------------------------------------------------------------------- */

static enum bo_status answer(enum lprf_profdata_status found,
                             const struct lprf_profdata_function *function, struct bo_sink *sink,
                             struct bo_error *err)
{
    if (found == LPRF_PROFDATA_MALFORMED)
        return fail_llvm(err);
    const size_t n = found == LPRF_PROFDATA_OK ? function->n_counters : 0;
    struct lprf_answer *answer_ret = bo_sink_take(sink, sizeof *answer_ret + 8 * n);
    if (!answer_ret)
        return BO_OVER_LIMIT;
    answer_ret->hash = found == LPRF_PROFDATA_OK ? function->hash : 0;
    answer_ret->n_counters = n;
    if (n)
        memcpy(answer_ret->counters, function->counters, 8 * n);
    return BO_OK;
}

static enum bo_status lookup(const struct reader *reader, const struct lprf_name_query *queries,
                             size_t n, struct bo_sink *sink, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        struct lprf_profdata_function function;
        const enum lprf_profdata_status found =
            lprf_profdata_find_name(reader->llvm, queries[i].name.p, queries[i].name.n, &function);
        status = answer(found, &function, sink, err);
    }
    return status;
}

static enum bo_status lookup_key(const struct reader *reader, const struct lprf_key_query *queries,
                                 size_t n, struct bo_sink *sink, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        struct lprf_profdata_function function;
        const enum lprf_profdata_status found = lprf_profdata_find_key(
            reader->llvm, queries[i].name.p, queries[i].name.n, queries[i].hash, &function);
        status = answer(found, &function, sink, err);
    }
    return status;
}

/* File order is alphabetical order, so there is one iteration. */
static enum bo_status emit_all(const struct lprf_model *model, struct bo_sink *sink)
{
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        const size_t counters_n = 8 * function->n_counters, name_n = function->name.n;
        const size_t padded = (name_n + 7) / 8 * 8;
        struct lprf_visited *visited = bo_sink_take(sink, sizeof *visited + counters_n + padded);
        if (!visited)
            return BO_OVER_LIMIT;
        visited->name_nbytes = name_n;
        visited->hash = function->hash;
        visited->n_counters = function->n_counters;
        memcpy(visited->counters, function->counters, counters_n);
        uint8_t *name = (uint8_t *)visited->counters + counters_n;
        memset(name, 0, padded);
        memcpy(name, function->name.p, name_n);
    }
    return BO_OK;
}

static enum bo_status iterate(const struct reader *reader, size_t n, struct bo_sink *sink,
                              struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const struct bo_arena_mark mark = bo_arena_mark(reader->arena);
        struct lprf_model model;
        status = read_model(reader, &model, err);
        if (!status)
            status = emit_all(&model, sink);
        bo_arena_rewind(reader->arena, mark);
    }
    return status;
}

static enum bo_status query(void *opaque, unsigned kind, const void *queries, size_t n,
                            void *answers, struct bo_error *err)
{
    const struct reader *reader = opaque;
    switch (kind) {
    case LPRF_LOOKUP:
        return lookup(reader, queries, n, answers, err);
    case LPRF_LOOKUP_KEY:
        return lookup_key(reader, queries, n, answers, err);
    case LPRF_CONTAINS:
        for (size_t i = 0; i < n; i++) {
            const struct bo_span name = ((const struct lprf_name_query *)queries)[i].name;
            ((uint32_t *)answers)[i] = lprf_profdata_contains(reader->llvm, name.p, name.n);
        }
        return BO_OK;
    case LPRF_SUMMARY:
        for (size_t i = 0; i < n; i++)
            ((uint64_t *)answers)[i] = lprf_profdata_maximum(reader->llvm);
        return BO_OK;
    default:
        return iterate(reader, n, answers, err);
    }
}

const struct bo_codec lprf_profdata = {
    .name = "profdata",
    .summary = "LLVM 14's own indexed profile, written and read by LLVM",
    .spec = "codecs/lprf/README.md#profdata",
    .choices = "the hash table that LLVM's writer makes",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .lazy = true,
    .optional = true,
    .kinds = (1u << LPRF_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
