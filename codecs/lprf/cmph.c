/*
 * cmph: a control, and an optional codec: a minimal perfect hash function of libcmph (BDZ, packed)
 * gives each name a number below that of names; names are compared.
 *
 *   24  the head and the function as libcmph packs it (library.h)
 *       N x u32  where the entry of the name with this number starts, in bytes from the first entry
 *       N entries, in the order of each name's first function:
 *         varint  bytes of the name, above 0
 *         places of its records (index.h)
 *         the name
 *
 * libcmph draws seeds from the process's rand(), which the encoder seeds before. So a mutex lets
 * only one encoder run at a time. The function's bytes are those of a little-endian machine; this
 * codec is built only for such machines.
 */
#include <cmph.h>
#include <pthread.h>
#include <stdlib.h>

#include "codecs/lprf/library.h"

struct index {
    void *function; /* libcmph only reads it */
    const uint8_t *starts;
    size_t entries_off;
    unsigned width;
    uint32_t n_names;
};

/* ---- writing --------------------------------------------------------------------------------- */

/* The functions by name. */
struct plan {
    const struct lprf_model *model;
    uint32_t *next;  /* the next function of the same name, plus 1; 0: none */
    bool *is_repeat; /* an earlier function has the name */
    uint32_t *at;    /* where each function's place is written, from the index's start */
    uint32_t n_names;
    unsigned width;
};

static enum bo_status plan_names(struct plan *plan, struct bo_arena *arena, struct bo_error *err)
{
    const size_t n = plan->model->n_functions;
    const uint32_t *sorted = lprf_sort_functions(plan->model, arena);
    plan->next = bo_zalloc_array(arena, n, sizeof *plan->next);
    plan->is_repeat = bo_zalloc_array(arena, n, sizeof *plan->is_repeat);
    plan->at = bo_alloc_array(arena, n, sizeof *plan->at);
    if (!sorted || !plan->next || !plan->is_repeat || !plan->at)
        return bo_fail_alloc(err, arena);
    plan->n_names = (uint32_t)n;
    for (size_t i = 1; i < n; i++) {
        if (!lprf_same_name(plan->model, sorted[i - 1], sorted[i]))
            continue;
        plan->next[sorted[i - 1]] = sorted[i] + 1;
        plan->is_repeat[sorted[i]] = true;
        plan->n_names--;
    }
    return BO_OK;
}

/* The source from which libcmph reads names. */
struct source {
    const struct plan *plan;
    size_t next;
};

static int read_name(void *opaque, char **name_ret, cmph_uint32 *nbytes_ret)
{
    struct source *source = opaque;
    while (source->plan->is_repeat[source->next])
        source->next++;
    const struct bo_span name = source->plan->model->functions[source->next++].name;
    *name_ret = (char *)(uintptr_t)name.p;
    *nbytes_ret = (cmph_uint32)name.n;
    return (int)name.n;
}

static void dispose_of_name(void *opaque, char *name, cmph_uint32 nbytes)
{
    (void)name; /* the model's */
}

static void rewind_names(void *opaque)
{
    struct source *source = opaque;
    source->next = 0;
}

/*
 * NULL when libcmph finds no function. With few names, libcmph tries few seeds, so some small sets
 * of names need a larger graph than usual.
 */
static cmph_t *make_function(const struct plan *plan)
{
    static pthread_mutex_t of_rand = PTHREAD_MUTEX_INITIALIZER;
    static const double vertices_a_name[] = {1.23, 2, 4, 8};
    struct source source = {plan, 0};
    cmph_io_adapter_t adapter = {&source, plan->n_names, read_name, dispose_of_name, rewind_names};
    cmph_t *function = NULL;
    pthread_mutex_lock(&of_rand);
    for (size_t i = 0; i < sizeof vertices_a_name / sizeof *vertices_a_name && !function; i++) {
        cmph_config_t *config = cmph_config_new(&adapter);
        cmph_config_set_algo(config, CMPH_BDZ);
        cmph_config_set_graphsize(config, vertices_a_name[i]);
        srand(1);
        function = cmph_new(config);
        cmph_config_destroy(config);
    }
    pthread_mutex_unlock(&of_rand);
    return function;
}

/* The packed function in the arena; no bytes without names. */
static enum bo_status pack_function(const struct plan *plan, struct bo_arena *arena,
                                    struct bo_span *packed_ret, struct bo_error *err)
{
    *packed_ret = (struct bo_span){NULL, 0};
    if (plan->n_names == 0)
        return BO_OK;
    for (size_t f = 0; f < plan->model->n_functions; f++)
        if (plan->model->functions[f].name.n > INT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "name has 2 GiB or more, above the limit of libcmph");
    cmph_t *function = make_function(plan);
    if (!function)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "libcmph finds no perfect hash function of these names");
    const cmph_uint32 n = cmph_packed_size(function);
    uint8_t *packed = bo_zalloc_array(arena, n, 1);
    if (packed)
        cmph_pack(function, packed);
    cmph_destroy(function);
    *packed_ret = (struct bo_span){packed, n};
    return packed ? BO_OK : bo_fail_alloc(err, arena);
}

static void count(const struct plan *plan, struct lprf_index_nbytes *nbytes)
{
    nbytes->tables = 4 * (uint64_t)plan->n_names;
    for (size_t f = 0; f < plan->model->n_functions; f++) {
        const size_t name_n = plan->model->functions[f].name.n;
        nbytes->places += plan->width;
        if (plan->is_repeat[f])
            continue;
        nbytes->names += name_n;
        nbytes->tables += bo_uvarint_nbytes(name_n);
    }
}

/* Puts the entry of the name whose first function is f at p[*off]. */
static void put_entry(struct plan *plan, uint8_t *p, size_t *off, uint32_t f)
{
    const struct bo_span name = plan->model->functions[f].name;
    *off += lprf_set_varint(p + *off, name.n);
    for (uint32_t link = f + 1; link; link = plan->next[link - 1]) {
        plan->at[link - 1] = (uint32_t)*off;
        p[*off] = plan->next[link - 1] != 0;
        *off += plan->width;
    }
    memcpy(p + *off, name.p, name.n);
    *off += name.n;
}

static inline uint32_t number_of(void *function, struct bo_span name)
{
    return cmph_search_packed(function, (const char *)name.p, (cmph_uint32)name.n);
}

static void put_entries(struct plan *plan, uint8_t *p, struct bo_span packed)
{
    const size_t first_off = 4 * (size_t)plan->n_names;
    size_t off = first_off;
    for (uint32_t f = 0; f < plan->model->n_functions; f++) {
        if (plan->is_repeat[f])
            continue;
        const uint32_t number =
            number_of((void *)(uintptr_t)packed.p, plan->model->functions[f].name);
        bo_set_le32(p + 4 * (size_t)number, (uint32_t)(off - first_off));
        put_entry(plan, p, &off, f);
    }
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    struct plan plan = {.model = w->model};
    struct lprf_index_nbytes nbytes = {.names = 0};
    struct bo_span packed;
    size_t start;
    enum bo_status status = lprf_place_width(w, &plan.width, err);
    if (status || (status = plan_names(&plan, w->out->arena, err)) ||
        (status = pack_function(&plan, w->out->arena, &packed, err)))
        return status;
    lprf_put_library_part(w, plan.width, plan.n_names, packed, "tables");
    count(&plan, &nbytes);
    if ((status = lprf_put_index_space(w, &nbytes, UINT32_MAX, &start, err)))
        return status;
    put_entries(&plan, w->out->p + start, packed);
    lprf_fill_places(w, start, plan.at, plan.width);
    lprf_end_index(w);
    return lprf_end(w, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    struct lprf_library_part part;
    const enum bo_status status = lprf_open_library_part(file, &part, err);
    if (status)
        return status;
    if (part.n_names > (file->end_of_index - part.end) / 4)
        return bo_fail(err, BO_TRUNCATED, part.end, "starts run past the index's end");
    *index = (struct index){.function = (void *)(uintptr_t)part.part.p,
                            .starts = file->in.p + part.end,
                            .entries_off = part.end + 4 * (size_t)part.n_names,
                            .width = part.width,
                            .n_names = part.n_names};
    return BO_OK;
}

/* One name. */
struct entry {
    struct bo_span name;
    size_t places_off, places_end;
};

/* Reads the entry at *off, which must end by the index's end; moves *off past it. */
static inline enum bo_status read_entry(const struct lprf_file *file, const struct index *index,
                                        size_t *off, struct entry *entry, struct bo_error *err)
{
    const size_t entry_off = *off, end = file->end_of_index;
    uint64_t name_nbytes;
    enum bo_status status = lprf_index_varint(file, off, end, &name_nbytes, err);
    if (status)
        return status;
    if (name_nbytes == 0)
        return bo_fail(err, BO_CORRUPT, entry_off, "function without a name");
    entry->places_off = *off;
    if ((status = lprf_skip_places(file, off, end, index->width, err)))
        return status;
    if (name_nbytes > end - *off)
        return bo_fail(err, BO_TRUNCATED, entry_off, "name runs past the index's end");
    entry->places_end = *off;
    entry->name = (struct bo_span){file->in.p + *off, (size_t)name_nbytes};
    *off += (size_t)name_nbytes;
    return BO_OK;
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    match->off = match->next = 0;
    if (index->n_names == 0)
        return BO_OK;
    const uint32_t number = number_of(index->function, name);
    if (number >= index->n_names)
        return BO_OK; /* only absent names get such numbers */
    struct entry entry;
    const uint32_t start = bo_le32(index->starts + 4 * (size_t)number);
    if (start >= file->end_of_index - index->entries_off)
        return bo_fail(err, BO_CORRUPT,
                       (uint64_t)(index->starts - file->in.p) + 4 * (uint64_t)number,
                       "name lies past the index's end");
    size_t off = index->entries_off + start;
    const enum bo_status status = read_entry(file, index, &off, &entry, err);
    if (status || !bo_span_equal(entry.name, name))
        return status;
    return lprf_match_place(file, entry.places_off, entry.places_end, index->width, match, err);
}

static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    return lprf_match_next_place(file, index->width, match, err);
}

/*
 * Checks that the number of the name whose entry starts at `off` leads to that entry. So no two
 * names have the same number.
 */
static enum bo_status check_entry(const struct index *index, size_t off, const struct entry *entry,
                                  struct bo_error *err)
{
    const uint32_t number = number_of(index->function, entry->name);
    return number < index->n_names &&
                   bo_le32(index->starts + 4 * (size_t)number) == off - index->entries_off
               ? BO_OK
               : bo_fail(err, BO_CORRUPT, off, "no start points to this name");
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    (void)keep; /* names lie in the file */
    size_t off = index->entries_off;
    uint64_t last_place = 0;
    for (uint32_t i = 0; i < index->n_names; i++) {
        const size_t entry_off = off;
        struct entry entry;
        enum bo_status status = read_entry(file, index, &off, &entry, err);
        if (status || (status = check_entry(index, entry_off, &entry, err)))
            return status;
        const uint64_t place = lprf_place(file, entry.places_off, index->width);
        if (i && place <= last_place)
            return bo_fail(err, BO_CORRUPT, entry.places_off, "names are not in file order");
        last_place = place;
        if ((status = lprf_visit_places(file, entry.places_off, entry.places_end, index->width,
                                        entry.name, visit, context, err)))
            return status;
    }
    return off == file->end_of_index ? BO_OK
                                     : bo_fail(err, BO_CORRUPT, off, "bytes after the last name");
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_UNORDERED;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX cmph
#define LPRF_INDEX_NAME "cmph"
#define LPRF_INDEX_NUMBER 10
#define LPRF_INDEX_ROLE BO_CONTROL
#define LPRF_INDEX_CHOICES "the hash function that libcmph finds"
#define LPRF_INDEX_SUMMARY "libcmph's minimal perfect hash; names compared"
#define LPRF_INDEX_OPTIONAL 1
#include "codecs/lprf/cross.h"
