/*
 * What the indexes are built from: the places of a name's records, functions in the order of a hash
 * or of the alphabet, space for an index whose size is known.
 *
 * Places. An index stores a name with several functions (of different hashes) once, with a field
 * of `width` bytes for each of its records, in file order, little-endian:
 *
 *   2 x (offset of the record from the first record) + (1 when another field follows)
 *
 * `width`, 1 to 8, is one for the whole file and the least that holds the last record's offset.
 */
#ifndef LPRF_INDEX_H
#define LPRF_INDEX_H

#include "codecs/lprf/file.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* How many bytes of an index belong to which section of the size table. */
struct lprf_index_nbytes {
    uint64_t names, places, tables;
};

/*
 * Zeroed space for a whole index of up to `most` bytes, in w->out from byte *start_ret on; fill it
 * there at once. The sections are interleaved in an index, but only their sizes are reported, so
 * the marks are set as if the sections were consecutive. BO_UNSUPPORTED when the index is larger.
 */
enum bo_status lprf_put_index_space(struct lprf_writer *w, const struct lprf_index_nbytes *nbytes,
                                    uint64_t most, size_t *start_ret, struct bo_error *err);

/* The width of places in this file; checks that numbers of functions fit in 32 bits. */
enum bo_status lprf_place_width(const struct lprf_writer *w, unsigned *width_ret,
                                struct bo_error *err);

/* Writes `v` as `width` bytes, least significant first. */
static inline void lprf_set_uint(uint8_t *p, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

/* Writes `v` as a varint (bytes.h); returns its size. */
static inline unsigned lprf_set_varint(uint8_t *p, uint64_t v)
{
    unsigned n = 0;
    for (; v >= 0x80; v >>= 7)
        p[n++] = (uint8_t)(v | 0x80);
    p[n++] = (uint8_t)v;
    return n;
}

/*
 * Fills the places of all functions: at[f] is where the field of function f lies in w->out, from
 * byte `start`; it holds 1 already when another follows, else 0.
 */
void lprf_fill_places(struct lprf_writer *w, size_t start, const uint32_t *at, unsigned width);

/*
 * Links all functions in ascending order of (key, name, place in the file). The caller allocates
 * next[], with an element for each function. next[f] becomes 1 + the number of the function after
 * f, or 0 for the last one. *first_ret becomes 1 + the number of the first function, or 0 without
 * functions. Keys need not differ, but should be spread evenly over 64 bits, because the time
 * depends on that. Scratch memory: 1 byte a function, which is freed.
 */
enum bo_status lprf_link_by_key(const struct lprf_model *model, const uint64_t *keys,
                                uint32_t *next, uint32_t *first_ret, struct bo_arena *arena,
                                struct bo_error *err);

/* True when function `b`, the one after `a` in either order, has the same name. */
static inline bool lprf_same_name(const struct lprf_model *model, uint32_t a, uint32_t b)
{
    return bo_span_equal(model->functions[a].name, model->functions[b].name);
}

/*
 * The functions in alphabetical order, equal names in file order: n numbers, and after them room
 * for as many more. NULL when the arena refuses.
 */
uint32_t *lprf_sort_functions(const struct lprf_model *model, struct bo_arena *arena);

/* ---- reading --------------------------------------------------------------------------------- */

/* A field of a place at byte `at`, which has been checked to lie in the index. */
static inline uint64_t lprf_place(const struct lprf_file *file, size_t at, unsigned width)
{
    if (__builtin_expect(file->in.n - at >= 8, 1))
        return bo_le64(file->in.p + at) & UINT64_MAX >> (64 - 8 * width);
    return lprf_uint(file->in.p + at, width);
}

/* Reads the field at `at` into *match; it must end by byte `end`. */
static inline enum bo_status lprf_match_place(const struct lprf_file *file, size_t at, size_t end,
                                              unsigned width, struct lprf_match *match,
                                              struct bo_error *err)
{
    if (at > end || end - at < width)
        return bo_fail(err, BO_TRUNCATED, at, "place of a record runs past its end");
    const uint64_t place = lprf_place(file, at, width);
    if (place >> 1 >= file->in.n - file->records_off)
        return bo_fail(err, BO_CORRUPT, at, "record lies past the file's end");
    match->off = file->records_off + (size_t)(place >> 1);
    match->next = place & 1 ? at + width : 0;
    return BO_OK;
}

/* The find_more of an index with places: match->next is the next field, or 0. */
static inline enum bo_status lprf_match_next_place(const struct lprf_file *file, unsigned width,
                                                   struct lprf_match *match, struct bo_error *err)
{
    match->off = 0;
    return match->next ? lprf_match_place(file, match->next, file->end_of_index, width, match, err)
                       : BO_OK;
}

/* Moves *at, below `end`, past the fields there; checks only that they end by `end`. */
static inline enum bo_status lprf_skip_places(const struct lprf_file *file, size_t *at, size_t end,
                                              unsigned width, struct bo_error *err)
{
    uint8_t more;
    do {
        if (end - *at < width)
            return bo_fail(err, BO_TRUNCATED, *at, "place of a record runs past its end");
        more = file->in.p[*at] & 1;
        *at += width;
    } while (more);
    return BO_OK;
}

/* Checks that `width`, from byte width_off, is the least for these entries, sorted by offset. */
enum bo_status lprf_check_place_width(const struct lprf_file *file,
                                      const struct lprf_entries *entries, unsigned width,
                                      uint64_t width_off, struct bo_error *err);

/* Visits the records of a name whose fields start at `at`; they must ascend. */
enum bo_status lprf_visit_places(const struct lprf_file *file, size_t at, size_t end,
                                 unsigned width, struct bo_span name, lprf_visit *visit,
                                 void *context, struct bo_error *err);

/*
 * Reads the varint at *at, which must end by byte `end` (of the index or less); moves *at past
 * it.
 */
static inline enum bo_status lprf_index_varint(const struct lprf_file *file, size_t *at, size_t end,
                                               uint64_t *v_ret, struct bo_error *err)
{
    const struct bo_span in = {file->in.p, end};
    return lprf_read_varint(in, at, v_ret, err);
}

/* A name that is built from its parts. */
struct lprf_name_buffer {
    uint8_t *p;
    size_t n, cap;
    struct bo_arena *arena;
};

/*
 * Cuts the name to its first `keep` bytes and appends the n at `p`. False when the arena
 * refuses.
 */
bool lprf_change_name(struct lprf_name_buffer *name, size_t keep, const uint8_t *p, size_t n);

#endif
