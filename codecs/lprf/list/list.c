/*
 * list: the seed's index, a list of names and offsets in file order.
 *
 *   for each function:
 *     u32  bytes of the name, above 0
 *     the name
 *     u64  offset of its record, from byte 0
 *
 * A lookup reads the list from the start. The control `list-table` builds a hash table instead, as
 * a tool does. Several names may share a record.
 */
#include "codecs/lprf/list/list.h"

struct index {
    size_t end;
};

enum bo_status lprf_put_list(struct lprf_writer *w, struct bo_error *err)
{
    const struct lprf_model *model = w->model;
    uint64_t off = LPRF_HEADER_NBYTES + w->coding->shared_nbytes(w);
    for (size_t f = 0; f < model->n_functions; f++)
        off += 12 + model->functions[f].name.n;
    for (size_t f = 0; f < model->n_functions && !w->out->status; f++) {
        const struct bo_span name = model->functions[f].name;
        if (name.n > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "name has 4 GiB or more");
        bo_mark(w->out, "names");
        bo_put_le32(w->out, (uint32_t)name.n);
        bo_put_bytes(w->out, name.p, name.n);
        bo_mark(w->out, "offsets");
        bo_put_le64(w->out, off);
        off += w->coding->record_nbytes(w, f);
    }
    lprf_end_index(w);
    return lprf_end(w, err);
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    return lprf_put_list(w, err);
}

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    index->end = file->end_of_index;
    return BO_OK;
}

/* From match->next on. */
static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    match->off = 0;
    while (match->next < index->end) {
        struct lprf_entry entry;
        const enum bo_status status =
            lprf_read_list_entry(file, index->end, &match->next, &entry, err);
        if (status)
            return status;
        if (bo_span_equal(entry.name, name)) {
            match->off = entry.off;
            return BO_OK;
        }
    }
    return BO_OK;
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    match->next = LPRF_HEADER_NBYTES;
    return find_more(file, index, name, match, err);
}

enum bo_status lprf_each_of_list(const struct lprf_file *file, lprf_visit *visit, void *context,
                                 struct bo_error *err)
{
    struct lprf_entry entry = {.order = 0};
    for (size_t off = LPRF_HEADER_NBYTES; off < file->end_of_index; entry.order++) {
        enum bo_status status = lprf_read_list_entry(file, file->end_of_index, &off, &entry, err);
        if (!status)
            status = visit(context, &entry, err);
        if (status)
            return status;
    }
    return BO_OK;
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    (void)keep; /* names lie in the file */
    return lprf_each_of_list(file, visit, context, err);
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_FILE_ORDER;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX list
#define LPRF_INDEX_NAME "list"
#define LPRF_INDEX_NUMBER 0
#define LPRF_INDEX_ROLE BO_PROPOSED
#define LPRF_INDEX_SUMMARY "names and offsets in file order"
#define LPRF_INDEX_SHARES 1
#define LPRF_INDEX_CHOICES LPRF_LIST_CHOICES
#include "codecs/lprf/cross.h"
