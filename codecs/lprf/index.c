/* What the indexes are built from: see index.h. */
#include "codecs/lprf/index.h"

/* ---- space and places ------------------------------------------------------------------------ */

static void put_section(struct bo_writer *out, const char *name, size_t nbytes)
{
    bo_mark(out, name);
    if (nbytes)
        bo_put_zeros(out, nbytes);
}

enum bo_status lprf_put_index_space(struct lprf_writer *w, const struct lprf_index_nbytes *nbytes,
                                    uint64_t most, size_t *start_ret, struct bo_error *err)
{
    if (nbytes->names + nbytes->places + nbytes->tables > (most < SIZE_MAX ? most : SIZE_MAX))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "index is larger than its offsets can address");
    *start_ret = w->out->n;
    put_section(w->out, "tables", (size_t)nbytes->tables);
    put_section(w->out, "names", (size_t)nbytes->names);
    put_section(w->out, "offsets", (size_t)nbytes->places);
    return bo_writer_status(w->out, err);
}

enum bo_status lprf_place_width(const struct lprf_writer *w, unsigned *width_ret,
                                struct bo_error *err)
{
    const size_t n = w->model->n_functions;
    if (n >= UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "index has 2^32 - 1 functions or more");
    uint64_t last_off = 0;
    for (size_t f = 0; f + 1 < n; f++)
        last_off += w->coding->record_nbytes(w, f);
    *width_ret = lprf_width(2 * last_off + 1);
    return BO_OK;
}

void lprf_fill_places(struct lprf_writer *w, size_t start, const uint32_t *at, unsigned width)
{
    uint64_t off = 0;
    for (size_t f = 0; f < w->model->n_functions; f++) {
        uint8_t *p = w->out->p + start + at[f];
        lprf_set_uint(p, 2 * off + *p, width);
        off += w->coding->record_nbytes(w, f);
    }
}

enum bo_status lprf_check_place_width(const struct lprf_file *file,
                                      const struct lprf_entries *entries, unsigned width,
                                      uint64_t width_off, struct bo_error *err)
{
    const size_t last_off = entries->n ? entries->p[entries->n - 1].off - file->records_off : 0;
    return width == lprf_width(2 * (uint64_t)last_off + 1)
               ? BO_OK
               : bo_fail(err, BO_CORRUPT, width_off, "width of places is not the least");
}

enum bo_status lprf_visit_places(const struct lprf_file *file, size_t at, size_t end,
                                 unsigned width, struct bo_span name, lprf_visit *visit,
                                 void *context, struct bo_error *err)
{
    struct lprf_match match = {.next = at};
    size_t last_off = 0;
    while (match.next) {
        at = match.next;
        enum bo_status status = lprf_match_place(file, at, end, width, &match, err);
        if (status)
            return status;
        if (match.off <= last_off)
            return bo_fail(err, BO_CORRUPT, at, "records of a name do not ascend");
        last_off = match.off;
        const struct lprf_entry entry = {.name = name, .off = match.off, .order = match.off};
        if ((status = visit(context, &entry, err)))
            return status;
    }
    return BO_OK;
}

bool lprf_change_name(struct lprf_name_buffer *name, size_t keep, const uint8_t *p, size_t n)
{
    if (!bo_grow(name->arena, &name->p, keep, n, &name->cap))
        return false;
    if (n)
        memcpy(name->p + keep, p, n);
    name->n = keep + n;
    return true;
}

/* ---- the order of a hash --------------------------------------------------------------------- */

/* Lists of functions: numbers plus 1, linked by `next`. */
struct links {
    const struct lprf_function *functions;
    const uint64_t *keys;
    uint32_t *next;
};

static bool not_after(const struct links *links, uint32_t a, uint32_t b)
{
    const uint64_t key_a = links->keys[a - 1], key_b = links->keys[b - 1];
    if (key_a != key_b)
        return key_a < key_b;
    return bo_span_compare(links->functions[a - 1].name, links->functions[b - 1].name) <= 0;
}

/* Merges two sorted lists, of which `a` was before `b`; returns the first. */
static uint32_t merge_lists(const struct links *links, uint32_t a, uint32_t b)
{
    uint32_t first = 0, *link = &first;
    while (a && b) {
        uint32_t *least = not_after(links, a, b) ? &a : &b;
        *link = *least;
        link = &links->next[*least - 1];
        *least = *link;
    }
    *link = a ? a : b;
    return first;
}

/*
 * Sorts the first n functions of the list, stably; returns the first and in *rest_ret what
 * follows.
 */
static uint32_t sort_list(const struct links *links, uint32_t list, uint32_t n, uint32_t *rest_ret)
{
    if (n == 1) {
        *rest_ret = links->next[list - 1];
        links->next[list - 1] = 0;
        return list;
    }
    uint32_t right;
    const uint32_t left = sort_list(links, list, n / 2, &right);
    right = sort_list(links, right, n - n / 2, rest_ret);
    return merge_lists(links, left, right);
}

/* Sorts each list of heads[], and joins them all to one. */
static uint32_t sort_and_join(const struct links *links, const uint32_t *heads, size_t n_heads)
{
    uint32_t first = 0, *link = &first;
    for (size_t i = 0; i < n_heads; i++) {
        uint32_t n = 0, rest;
        for (uint32_t f = heads[i]; f; f = links->next[f - 1])
            n++;
        if (n == 0)
            continue;
        *link = sort_list(links, heads[i], n, &rest);
        while (*link)
            link = &links->next[*link - 1];
    }
    return first;
}

enum { FUNCTIONS_PER_LIST = 4 };

enum bo_status lprf_link_by_key(const struct lprf_model *model, const uint64_t *keys,
                                uint32_t *next, uint32_t *first_ret, struct bo_arena *arena,
                                struct bo_error *err)
{
    const struct links links = {model->functions, keys, next};
    const size_t n_heads = model->n_functions / FUNCTIONS_PER_LIST + 1;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint32_t *heads = bo_zalloc_array(arena, n_heads, sizeof *heads);
    if (!heads)
        return bo_fail_alloc(err, arena);
    for (size_t f = model->n_functions; f-- > 0;) {
        uint32_t *head = &heads[(keys[f] >> 32) * n_heads >> 32];
        next[f] = *head;
        *head = (uint32_t)f + 1;
    }
    *first_ret = sort_and_join(&links, heads, n_heads);
    bo_arena_rewind(arena, mark);
    return BO_OK;
}

/* ---- the order of the alphabet --------------------------------------------------------------- */

static void merge_runs(const struct lprf_function *functions, const uint32_t *from, size_t half,
                       size_t n, uint32_t *to)
{
    size_t i = 0, j = half;
    for (size_t k = 0; k < n; k++) {
        const bool right = j < n && (i == half || bo_span_compare(functions[from[j]].name,
                                                                  functions[from[i]].name) < 0);
        to[k] = from[right ? j++ : i++];
    }
}

uint32_t *lprf_sort_functions(const struct lprf_model *model, struct bo_arena *arena)
{
    const size_t n = model->n_functions;
    uint32_t *numbers = bo_alloc_array(arena, n, 2 * sizeof *numbers);
    if (!numbers)
        return NULL;
    for (size_t f = 0; f < n; f++)
        numbers[f] = (uint32_t)f;
    uint32_t *from = numbers, *to = numbers + n;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            const size_t left = n - i;
            merge_runs(model->functions, from + i, run < left ? run : left,
                       2 * run < left ? 2 * run : left, to + i);
        }
        uint32_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != numbers)
        memcpy(numbers, from, n * sizeof *numbers);
    return numbers;
}
