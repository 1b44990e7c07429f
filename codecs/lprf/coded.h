/*
 * Template: one codec, the combination of an index with the counter coding LPRF_CODING. Included
 * once for each coding by cross.h, which lists what the index has defined.
 */
#define CODED(name) LPRF_PASTE2(name, LPRF_CODING)
#define CODING(function) LPRF_PASTE3(lprf, LPRF_CODING, function)

static enum bo_status CODED(encode)(const struct bo_codec *self, const void *model,
                                    struct bo_writer *out, struct bo_error *err)
{
    struct lprf_writer w;
    const enum bo_status status =
        lprf_begin(&w, model, &LPRF_PASTE2(lprf, LPRF_CODING), LPRF_INDEX_NUMBER, out, err);
    w.fast = self->level_of;
    return status ? status : put_index(&w, err);
}

static enum bo_status CODED(open_file)(struct bo_span in, struct bo_arena *arena,
                                       struct reader *reader, struct bo_error *err)
{
    enum bo_status status = lprf_open_header(
        in, LPRF_INDEX_NUMBER, LPRF_PASTE2(lprf, LPRF_CODING).number, arena, &reader->file, err);
    if (!status)
        status = CODING(open_shared)(&reader->file, err);
    return status ? status : open_index(&reader->file, &reader->index, err);
}

static enum bo_status CODED(open)(const struct bo_codec *self, struct bo_span in,
                                  struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct reader *reader = bo_alloc(arena, sizeof *reader);
    if (!reader)
        return bo_fail_alloc(err, arena);
    *reader_ret = reader;
    return CODED(open_file)(in, arena, reader, err);
}

/* Answers with the record at `off`, or with an absent function when `off` is 0. */
static inline enum bo_status CODED(answer)(const struct lprf_file *file, size_t off,
                                           struct bo_sink *sink, struct bo_error *err)
{
    struct lprf_record record = {0, 0, 0};
    size_t end;
    enum bo_status status = off ? CODING(read_head)(file, off, &record, err) : BO_OK;
    if (status)
        return status;
    struct lprf_answer *answer = take_answer(sink, sizeof *answer, record.n_counters, 0);
    if (!answer)
        return BO_OVER_LIMIT;
    answer->hash = record.hash;
    answer->n_counters = record.n_counters;
    return off ? CODING(read_counters)(file, &record, answer->counters, &end, err) : BO_OK;
}

static enum bo_status CODED(lookup)(const struct reader *reader,
                                    const struct lprf_name_query *queries, size_t n,
                                    struct bo_sink *sink, struct bo_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct lprf_match match;
        enum bo_status status = find(&reader->file, &reader->index, queries[i].name, &match, err);
        if (!status)
            status = CODED(answer)(&reader->file, match.off, sink, err);
        if (status)
            return status;
    }
    return BO_OK;
}

static enum bo_status CODED(lookup_key)(const struct reader *reader,
                                        const struct lprf_key_query *queries, size_t n,
                                        struct bo_sink *sink, struct bo_error *err)
{
    const struct lprf_file *file = &reader->file;
    for (size_t i = 0; i < n; i++) {
        struct lprf_match match;
        struct lprf_record record;
        enum bo_status status = find(file, &reader->index, queries[i].name, &match, err);
        while (!status && match.off) {
            status = CODING(read_head)(file, match.off, &record, err);
            if (status || record.hash == queries[i].hash)
                break;
            status = find_more(file, &reader->index, queries[i].name, &match, err);
        }
        if (!status)
            status = CODED(answer)(file, match.off, sink, err);
        if (status)
            return status;
    }
    return BO_OK;
}

static enum bo_status CODED(emit)(void *context, const struct lprf_entry *entry,
                                  struct bo_error *err)
{
    const struct emitter *emitter = context;
    struct lprf_record record;
    size_t end;
    const enum bo_status status = CODING(read_head)(emitter->file, entry->off, &record, err);
    if (status)
        return status;
    const size_t padded = (entry->name.n + 7) / 8 * 8;
    struct lprf_visited *visited =
        take_answer(emitter->sink, sizeof *visited, record.n_counters, padded);
    if (!visited)
        return BO_OVER_LIMIT;
    visited->name_nbytes = entry->name.n;
    visited->hash = record.hash;
    visited->n_counters = record.n_counters;
    uint8_t *name = (uint8_t *)(visited->counters + record.n_counters);
    bo_set_le64(name + padded - 8, 0);
    memcpy(name, entry->name.p, entry->name.n);
    return CODING(read_counters)(emitter->file, &record, visited->counters, &end, err);
}

static enum bo_status CODED(read_record)(const struct lprf_file *file, size_t off,
                                         struct lprf_function *function, size_t *end_ret,
                                         struct bo_error *err)
{
    struct lprf_record record;
    const enum bo_status status = CODING(read_head)(file, off, &record, err);
    if (status)
        return status;
    uint64_t *counters = bo_alloc_array(file->arena, (size_t)record.n_counters, sizeof *counters);
    if (!counters)
        return bo_fail_alloc(err, file->arena);
    function->hash = record.hash;
    function->n_counters = (size_t)record.n_counters;
    function->counters = counters;
    return CODING(read_counters)(file, &record, counters, end_ret, err);
}

static enum bo_status CODED(decode)(const struct bo_codec *self, struct bo_span in,
                                    struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct reader reader;
    const enum bo_status status = CODED(open_file)(in, arena, &reader, err);
    return status ? status
                  : decode_all(&reader, CODED(read_record), CODING(check_shared), model_ret, err);
}

static enum bo_status CODED(query)(const struct bo_codec *self, void *opaque, unsigned kind,
                                   const void *queries, size_t n, void *answers,
                                   struct bo_error *err)
{
    const struct reader *reader = opaque;
    switch (kind) {
    case LPRF_LOOKUP:
        return CODED(lookup)(reader, queries, n, answers, err);
    case LPRF_LOOKUP_KEY:
        return CODED(lookup_key)(reader, queries, n, answers, err);
    case LPRF_CONTAINS:
        return contains(reader, queries, n, answers, err);
    case LPRF_SUMMARY:
        return summary(reader, n, answers);
    default:
        return iterate(reader, kind == LPRF_ITERATE_SORTED, n, CODED(emit), answers, err);
    }
}

#define LPRF_ENTRY LPRF_INDEX
#define LPRF_ENTRY_NAME LPRF_INDEX_NAME
#include "codecs/lprf/entry.h"
#undef LPRF_ENTRY
#undef LPRF_ENTRY_NAME
#ifdef LPRF_INDEX_FAST
#define LPRF_ENTRY LPRF_INDEX_FAST
#define LPRF_ENTRY_NAME LPRF_INDEX_NAME "-fast"
#define LPRF_ENTRY_LEVEL_OF LPRF_INDEX_NAME "+" LPRF_QUOTE(LPRF_CODING)
#include "codecs/lprf/entry.h"
#undef LPRF_ENTRY
#undef LPRF_ENTRY_NAME
#undef LPRF_ENTRY_LEVEL_OF
#endif

#undef CODED
#undef CODING
