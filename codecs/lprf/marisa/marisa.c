/*
 * marisa: a control, and an optional codec: names in a trie of libmarisa, which nests tries and
 * represents them by bit vectors. libmarisa numbers the names; these numbers index an array of
 * places.
 *
 *   24  the head and the trie as libmarisa writes it (library.h)
 *       N x a number of `width` bytes, for each name in the order of the trie's numbers:
 *         2 x (offset of the record from the first record) for a name with one function,
 *         2 x (offset of the name's places from the first further place) + 1 for one with several
 *       further places: the places (index.h) of names with several functions, by number
 *
 * The trie's bytes are those of a little-endian machine of 64 bits; this codec is built only for
 * such machines.
 */
#include "codecs/lprf/library.h"
#include "codecs/lprf/marisa/shim.h"

struct index {
    struct lprf_marisa *trie;
    const uint8_t *leads;
    size_t places_off; /* the further places, up to the index's end */
    unsigned width;
    uint32_t n_names;
};

static enum bo_status fail_library(enum lprf_marisa_status status, struct bo_error *err)
{
    return status == LPRF_MARISA_NO_MEMORY
               ? bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory")
               : bo_fail(err, BO_CORRUPT, LPRF_PART_OFF, "libmarisa rejects the trie");
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The functions by the numbers of their names. */
struct plan {
    uint32_t *first; /* by number: the name's first function, plus 1 */
    uint32_t *next;  /* by function: the next one of the name, plus 1; 0: none */
    uint32_t n_names;
    unsigned width;
};

/* Adds all names, in file order, and builds the trie. */
static enum bo_status build_trie(const struct lprf_model *model,
                                 struct lprf_marisa_builder *builder, struct bo_span *trie_ret,
                                 uint32_t *n_names_ret, struct bo_error *err)
{
    enum lprf_marisa_status status = LPRF_MARISA_OK;
    *trie_ret = (struct bo_span){NULL, 0};
    *n_names_ret = 0;
    for (size_t f = 0; f < model->n_functions && !status; f++) {
        const struct bo_span name = model->functions[f].name;
        if (name.n > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "name has 4 GiB or more, above the limit of libmarisa");
        status = lprf_marisa_add(builder, name.p, name.n);
    }
    if (!status && model->n_functions)
        status = lprf_marisa_build(builder, &trie_ret->p, &trie_ret->n, n_names_ret);
    if (status == LPRF_MARISA_REFUSED)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "libmarisa builds no trie of these names");
    return status ? fail_library(status, err) : BO_OK;
}

static enum bo_status plan_names(const struct lprf_model *model,
                                 const struct lprf_marisa_builder *builder, struct bo_arena *arena,
                                 struct plan *plan, struct bo_error *err)
{
    plan->first = bo_zalloc_array(arena, plan->n_names, sizeof *plan->first);
    plan->next = bo_alloc_array(arena, model->n_functions, sizeof *plan->next);
    if (!plan->first || !plan->next)
        return bo_fail_alloc(err, arena);
    for (size_t f = model->n_functions; f-- > 0;) {
        uint32_t *first = &plan->first[lprf_marisa_id(builder, f)];
        plan->next[f] = *first;
        *first = (uint32_t)f + 1;
    }
    return BO_OK;
}

/* A width that holds places and offsets of places. */
static enum bo_status choose_width(const struct lprf_writer *w, struct plan *plan,
                                   struct bo_error *err)
{
    const enum bo_status status = lprf_place_width(w, &plan->width, err);
    while (!status && lprf_width(2 * plan->width * (uint64_t)w->model->n_functions) > plan->width)
        plan->width++;
    return status;
}

/* Functions of the name with this number. */
static uint32_t count_functions(const struct plan *plan, uint32_t id)
{
    uint32_t n = 0;
    for (uint32_t link = plan->first[id]; link; link = plan->next[link - 1])
        n++;
    return n;
}

static void put_places(const struct lprf_writer *w, const struct plan *plan, const uint64_t *offs)
{
    uint64_t at = 0;
    bo_mark(w->out, "offsets");
    for (uint32_t id = 0; id < plan->n_names; id++) {
        const uint32_t n = count_functions(plan, id);
        lprf_put_uint(w->out, n > 1 ? 2 * at + 1 : 2 * offs[plan->first[id] - 1], plan->width);
        at += n > 1 ? n * (uint64_t)plan->width : 0;
    }
    for (uint32_t id = 0; id < plan->n_names; id++) {
        uint32_t link = plan->first[id];
        if (!plan->next[link - 1])
            continue;
        for (; link; link = plan->next[link - 1])
            lprf_put_uint(w->out, 2 * offs[link - 1] + (plan->next[link - 1] != 0), plan->width);
    }
}

static enum bo_status put_with(struct lprf_writer *w, struct lprf_marisa_builder *builder,
                               struct bo_error *err)
{
    struct plan plan;
    struct bo_span trie;
    enum bo_status status = choose_width(w, &plan, err);
    if (!status)
        status = build_trie(w->model, builder, &trie, &plan.n_names, err);
    if (!status)
        status = plan_names(w->model, builder, w->out->arena, &plan, err);
    const uint64_t *offs = status ? NULL : lprf_record_offs(w);
    if (status)
        return status;
    if (!offs)
        return bo_fail_alloc(err, w->out->arena);
    lprf_put_library_part(w, plan.width, plan.n_names, trie, "names");
    put_places(w, &plan, offs);
    lprf_end_index(w);
    return lprf_end(w, err);
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    struct lprf_marisa_builder *builder = lprf_marisa_begin_build();
    if (!builder)
        return bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory");
    const enum bo_status status = put_with(w, builder, err);
    lprf_marisa_end_build(builder);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status open_trie(const struct lprf_file *file, struct bo_span bytes,
                                struct index *index, struct bo_error *err)
{
    uint32_t n_names;
    const enum lprf_marisa_status status =
        lprf_marisa_open(bytes.p, bytes.n, &index->trie, &n_names);
    if (status)
        return fail_library(status, err);
    if (!bo_arena_on_release(file->arena, lprf_marisa_close, index->trie)) {
        lprf_marisa_close(index->trie);
        return bo_fail_alloc(err, file->arena);
    }
    return n_names == index->n_names ? BO_OK
                                     : bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 4,
                                               "trie has another number of names");
}

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    struct lprf_library_part part;
    const enum bo_status status = lprf_open_library_part(file, &part, err);
    if (status)
        return status;
    if (part.n_names > (file->end_of_index - part.end) / part.width)
        return bo_fail(err, BO_TRUNCATED, part.end, "places run past the index's end");
    *index = (struct index){.leads = file->in.p + part.end,
                            .places_off = part.end + part.width * (size_t)part.n_names,
                            .width = part.width,
                            .n_names = part.n_names};
    return part.n_names ? open_trie(file, part.part, index, err) : BO_OK;
}

/* The first record of the name with this number. */
static inline enum bo_status match_name(const struct lprf_file *file, const struct index *index,
                                        uint32_t id, struct lprf_match *match, struct bo_error *err)
{
    const size_t at = (size_t)(index->leads - file->in.p) + index->width * (size_t)id;
    const uint64_t lead = lprf_place(file, at, index->width);
    if (!(lead & 1))
        return lprf_match_place(file, at, index->places_off, index->width, match, err);
    if (lead >> 1 >= file->end_of_index - index->places_off)
        return bo_fail(err, BO_CORRUPT, at, "places lie past the index's end");
    return lprf_match_place(file, index->places_off + (size_t)(lead >> 1), file->end_of_index,
                            index->width, match, err);
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    bool found = false;
    uint32_t id = 0;
    match->off = match->next = 0;
    const enum lprf_marisa_status status =
        index->n_names ? lprf_marisa_find(index->trie, name.p, name.n, &found, &id)
                       : LPRF_MARISA_OK;
    if (status)
        return fail_library(status, err);
    if (!found)
        return BO_OK;
    if (id >= index->n_names)
        return bo_fail(err, BO_CORRUPT, LPRF_PART_OFF, "number of a leaf is out of range");
    return match_name(file, index, id, match, err);
}

static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    return lprf_match_next_place(file, index->width, match, err);
}

/* Visits the functions of a name. The places of several must be at *at; *at moves past them. */
static enum bo_status visit_name(const struct lprf_file *file, const struct index *index,
                                 uint32_t id, struct bo_span name, size_t *at, lprf_visit *visit,
                                 void *context, struct bo_error *err)
{
    const size_t lead_off = (size_t)(index->leads - file->in.p) + index->width * (size_t)id;
    const uint64_t lead = lprf_place(file, lead_off, index->width);
    if (!(lead & 1))
        return lprf_visit_places(file, lead_off, index->places_off, index->width, name, visit,
                                 context, err);
    if (lead >> 1 != *at - index->places_off)
        return bo_fail(err, BO_CORRUPT, lead_off, "places do not follow each other");
    const size_t start = *at;
    const enum bo_status status = lprf_skip_places(file, at, file->end_of_index, index->width, err);
    if (status)
        return status;
    if (*at - start == index->width)
        return bo_fail(err, BO_CORRUPT, start, "single place is stored apart from its name");
    return lprf_visit_places(file, start, file->end_of_index, index->width, name, visit, context,
                             err);
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    size_t at = index->places_off;
    for (uint32_t id = 0; id < index->n_names; id++) {
        struct bo_span name;
        const enum lprf_marisa_status spelt = lprf_marisa_spell(index->trie, id, &name.p, &name.n);
        if (spelt)
            return fail_library(spelt, err);
        if (keep && !(name = lprf_keep_name(name, file->arena)).p)
            return bo_fail_alloc(err, file->arena);
        const enum bo_status status = visit_name(file, index, id, name, &at, visit, context, err);
        if (status)
            return status;
    }
    return at == file->end_of_index ? BO_OK
                                    : bo_fail(err, BO_CORRUPT, at, "bytes after the last place");
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_UNORDERED;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX marisa
#define LPRF_INDEX_NAME "marisa"
#define LPRF_INDEX_NUMBER 9
#define LPRF_INDEX_ROLE BO_CONTROL
#define LPRF_INDEX_CHOICES "the trie that libmarisa builds"
#define LPRF_INDEX_SUMMARY "libmarisa's nested tries; records by the trie's numbers"
#define LPRF_INDEX_OPTIONAL 1
#include "codecs/lprf/cross.h"
