/*
 * Template: combines an index with every counter coding. Included by an index's file, once, at its
 * end; defines the codecs lprf_<index>_u64, lprf_<index>_varint and lprf_<index>_packed.
 *
 * The file has defined
 *
 *   LPRF_INDEX          its C name, and
 *   LPRF_INDEX_NAME     "trie", LPRF_INDEX_NUMBER (in the file's version), LPRF_INDEX_ROLE,
 *                       LPRF_INDEX_SUMMARY; LPRF_INDEX_SHARES when names may share a record;
 *                       LPRF_INDEX_OPTIONAL when it needs a library; LPRF_INDEX_PROBABILISTIC when
 *                       it may find names that are not there;
 *                       LPRF_INDEX_CHOICES when its encoder chooses freely (bo_codec.choices);
 *                       LPRF_INDEX_WIDTH_OFF, when it has places, the byte of its `width`;
 *                       LPRF_INDEX_KEEPS when a reader keeps what it has read (bo_codec.keeps);
 *                       LPRF_INDEX_FAST, the C name of a fast level, when put_index has one;
 *                       LPRF_INDEX_KEEPS_ORDER when it may hold an order of the functions;
 *                       LPRF_INDEX_READS, for a second reader, the name of the index whose bytes it
 *                       reads (and LPRF_INDEX_NUMBER is that one's)
 *   struct index        its reader
 *   put_index           enum bo_status (struct lprf_writer *, struct bo_error *): between
 *                       lprf_begin and the end of the file: the index, lprf_end_index, the records
 *   open_index          enum bo_status (const struct lprf_file *, struct index *, struct bo_error
 *                       *): reads only what it needs; file->records_off is set
 *   find                enum bo_status (const struct lprf_file *, const struct index *,
 *                       struct bo_span name, struct lprf_match *, struct bo_error *): the first
 *                         record
 *                       of a name in file order
 *   find_more           the same, from the match on: the next record of that name
 *   each                enum bo_status (const struct lprf_file *, const struct index *, bool keep,
 *                       lprf_visit *, void *context, struct bo_error *): all entries, everything in
 *                       the index checked, so that find finds each; names stay valid in file->arena
 *                       when `keep`, else until the next one
 *   order_of            enum lprf_order (const struct index *): the order in which `each` visits
 *   file_is_alphabetical  bool (const struct index *): file order is the alphabetical one
 *
 * Offsets that `find` and `find_more` return are inside the file. Records are checked when they are
 * read.
 */
#include "codecs/lprf/file.h"

#define LPRF_PASTE2_(a, b) a##_##b
#define LPRF_PASTE2(a, b) LPRF_PASTE2_(a, b)
#define LPRF_PASTE3_(a, b, c) a##_##b##_##c
#define LPRF_PASTE3(a, b, c) LPRF_PASTE3_(a, b, c)
#define LPRF_QUOTE_(a) #a
#define LPRF_QUOTE(a) LPRF_QUOTE_(a)

/* An opened file and its index. */
struct reader {
    struct lprf_file file;
    struct index index;
};

/* The output of an iteration. */
struct emitter {
    const struct lprf_file *file;
    struct bo_sink *sink;
};

/*
 * Room for an answer of n counters, with a struct of `head` bytes before them and `tail` bytes
 * after them. NULL when it does not fit.
 */
static inline void *take_answer(struct bo_sink *sink, size_t head, uint64_t n, size_t tail)
{
    return n <= sink->cap / 8 ? bo_sink_take(sink, head + 8 * (size_t)n + tail) : NULL;
}

/* ---- what does not read records ------------------------------------------------------------- */

static enum bo_status contains(const struct reader *reader, const struct lprf_name_query *queries,
                               size_t n, uint32_t *answers, struct bo_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct lprf_match match;
        const enum bo_status status =
            find(&reader->file, &reader->index, queries[i].name, &match, err);
        if (status)
            return status;
        answers[i] = match.off != 0;
    }
    return BO_OK;
}

static enum bo_status summary(const struct reader *reader, size_t n, uint64_t *answers)
{
    for (size_t i = 0; i < n; i++)
        answers[i] = reader->file.maximum;
    return BO_OK;
}

/* ---- all functions --------------------------------------------------------------------------- */

/* Visits all entries in file order or alphabetical order, when `each` uses neither. */
static enum bo_status collect_in_order(const struct reader *reader, bool by_name,
                                       struct lprf_entries *entries, struct bo_error *err)
{
    *entries = (struct lprf_entries){.arena = reader->file.arena};
    const enum bo_status status =
        each(&reader->file, &reader->index, true, lprf_collect, entries, err);
    if (status)
        return status;
    return by_name ? lprf_sort_by_name(entries, err) : lprf_sort_by_order(entries, err);
}

static enum bo_status iterate_once(const struct reader *reader, bool alphabetical, lprf_visit *emit,
                                   struct emitter *emitter, struct bo_error *err)
{
    const bool by_name = alphabetical || file_is_alphabetical(&reader->index);
    struct lprf_entries entries;
    if (order_of(&reader->index) == (by_name ? LPRF_ALPHABETICAL : LPRF_FILE_ORDER))
        return each(&reader->file, &reader->index, false, emit, emitter, err);
    enum bo_status status = collect_in_order(reader, by_name, &entries, err);
    for (size_t i = 0; i < entries.n && !status; i++)
        status = emit(emitter, &entries.p[i], err);
    return status;
}

static enum bo_status iterate(const struct reader *reader, bool alphabetical, size_t n,
                              lprf_visit *emit, struct bo_sink *sink, struct bo_error *err)
{
    struct emitter emitter = {&reader->file, sink};
    const struct bo_arena_mark mark = bo_arena_mark(reader->file.arena);
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = iterate_once(reader, alphabetical, emit, &emitter, err);
        bo_arena_rewind(reader->file.arena, mark);
    }
    return status;
}

#ifdef LPRF_INDEX_KEEPS_ORDER
/* Whether file order is the alphabetical order, which an index does not store. */
static bool is_alphabetical(const struct lprf_model *model)
{
    for (size_t i = 1; i < model->n_functions; i++)
        if (bo_span_compare(model->functions[i - 1].name, model->functions[i].name) > 0)
            return false;
    return true;
}
#endif

typedef enum bo_status check_shared(const struct lprf_file *file,
                                    const struct lprf_entries *entries, struct bo_error *err);
typedef enum bo_status read_record(const struct lprf_file *file, size_t off,
                                   struct lprf_function *function, size_t *end_ret,
                                   struct bo_error *err);

/* Reads all records, in the order in which they lie: without gaps, from the first to the end. */
static enum bo_status read_records(const struct lprf_file *file, const struct lprf_entries *entries,
                                   read_record *read, struct lprf_function *functions,
                                   struct bo_error *err)
{
    size_t end = file->records_off;
    for (size_t i = 0; i < entries->n; i++) {
        const struct lprf_entry *entry = &entries->p[i];
#ifdef LPRF_INDEX_SHARES
        if (i && entry->off == entries->p[i - 1].off) {
            functions[i] = functions[i - 1];
            functions[i].name = entry->name;
            continue;
        }
#endif
        if (entry->off < end || entry->off - end > entry->gap)
            return bo_fail(err, BO_CORRUPT, end, "records overlap or leave a gap");
        for (; end < entry->off; end++)
            if (file->in.p[end])
                return bo_fail(err, BO_CORRUPT, end, "a gap between records holds bytes");
        functions[i].name = entry->name;
        const enum bo_status status = read(file, entry->off, &functions[i], &end, err);
        if (status)
            return status;
    }
    if (end != file->in.n)
        return bo_fail(err, BO_CORRUPT, end, "bytes after the last record");
    return BO_OK;
}

static enum bo_status decode_all(const struct reader *reader, read_record *read,
                                 check_shared *check, void **model_ret, struct bo_error *err)
{
    const struct lprf_file *file = &reader->file;
    struct lprf_entries entries = {.arena = file->arena};
    enum bo_status status = each(file, &reader->index, true, lprf_collect, &entries, err);
    struct lprf_model *model = bo_alloc(file->arena, sizeof *model);
    struct lprf_function *functions = bo_alloc_array(file->arena, entries.n, sizeof *functions);
    struct lprf_function *in_order = bo_alloc_array(file->arena, entries.n, sizeof *in_order);
    if (status)
        return status;
    if (!model || !functions || !in_order)
        return bo_fail_alloc(err, file->arena);
    if ((status = lprf_sort_by_off(&entries, err)) ||
        (status = read_records(file, &entries, read, functions, err)) ||
        (status = check(file, &entries, err)))
        return status;
#ifdef LPRF_INDEX_WIDTH_OFF
    status = lprf_check_place_width(file, &entries, reader->index.width, LPRF_INDEX_WIDTH_OFF, err);
    if (status)
        return status;
#endif
    for (size_t i = 0; i < entries.n; i++)
        entries.p[i].gap = i; /* from here on: where its function is */
    status = file_is_alphabetical(&reader->index) ? lprf_sort_by_name(&entries, err)
                                                  : lprf_sort_by_order(&entries, err);
    if (status)
        return status;
    for (size_t i = 0; i < entries.n; i++)
        in_order[i] = functions[entries.p[i].gap];
    *model = (struct lprf_model){entries.n, in_order};
    *model_ret = model;
#ifdef LPRF_INDEX_KEEPS_ORDER
    if (!file_is_alphabetical(&reader->index) && is_alphabetical(model))
        return bo_fail(err, BO_CORRUPT, LPRF_INDEX_KEEPS_ORDER,
                       "functions are in alphabetical order, but a permutation is stored");
#endif
    return lprf_check_model(file, model, &entries, err);
}

/* ---- the codecs ------------------------------------------------------------------------------ */

#define LPRF_CODING u64
#include "codecs/lprf/coded.h"
#undef LPRF_CODING
#define LPRF_CODING varint
#include "codecs/lprf/coded.h"
#undef LPRF_CODING
#define LPRF_CODING packed
#include "codecs/lprf/coded.h"
#undef LPRF_CODING
