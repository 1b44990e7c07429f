/*
 * What all LPRF files have in common: the header, encoding and decoding, iteration.
 *
 * Layout (little-endian):
 *
 *   0   "LPRF"
 *   4   u32  version: 1 + the index's number + 256 x the counter coding's number
 *   8   u64  end of the index = start of the counter section, from byte 0
 *   16  u64  the highest first counter of all functions, 0 without functions
 *   24  the index
 *       the counter section: what the coding shares (counters.h), then the records, without gaps
 *
 * Version 1, list+u64, is the seed's format to the byte.
 */
#ifndef LPRF_FILE_H
#define LPRF_FILE_H

#include "codecs/lprf/counters.h"

enum { LPRF_HEADER_NBYTES = 24 };

/* ---- writing --------------------------------------------------------------------------------- */

/* A file being written. */
struct lprf_writer {
    const struct lprf_model *model;
    const struct lprf_coding *coding;
    struct bo_writer *out;
    size_t start; /* of the file in out */
    bool fast;    /* the fast level: encode faster, to more bytes */
    void *coding_state;
};

/* Writes the header, without the end of the index, and prepares the coding. */
enum bo_status lprf_begin(struct lprf_writer *w, const struct lprf_model *model,
                          const struct lprf_coding *coding, unsigned index_number,
                          struct bo_writer *out, struct bo_error *err);

/* Ends the index, and writes the part that all records share. */
void lprf_end_index(struct lprf_writer *w);

/* Writes all records in file order, and ends the file. */
enum bo_status lprf_end(struct lprf_writer *w, struct bo_error *err);

/* The offset of each record in bytes from the first one; NULL when the arena refuses. */
uint64_t *lprf_record_offs(const struct lprf_writer *w);

/* The bytes of v, at least 1: the width of fields whose values are at most v. */
static inline unsigned lprf_width(uint64_t v)
{
    return v ? (71u - (unsigned)__builtin_clzll(v)) / 8u : 1;
}

/* An integer of `width` bytes, 1 to 8, least significant first. */
void lprf_put_uint(struct bo_writer *out, uint64_t v, unsigned width);

static inline uint64_t lprf_uint(const uint8_t *p, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

/* The hash of the tables: XXH3, 64 bits (xxHash 0.8), of the name's bytes. */
uint64_t lprf_hash_name(struct bo_span name, uint64_t seed);

/* ---- reading --------------------------------------------------------------------------------- */

/* Checks the header and fills *file up to end_of_index. */
enum bo_status lprf_open_header(struct bo_span in, unsigned index_number, unsigned coding_number,
                                struct bo_arena *arena, struct lprf_file *file,
                                struct bo_error *err);

/* A function as an index reports it. */
struct lprf_entry {
    struct bo_span name;
    size_t off; /* of the record */
    size_t gap; /* so many zeros may lie before the record, at most */
    uint64_t
        order; /* the place in file order: a number, or `off` where records lie in that order */
};

/* The state of a lookup. */
struct lprf_match {
    size_t off;  /* of the record; 0: no record follows */
    size_t next; /* the index's own */
    size_t left; /* the index's own */
};

/* The order in which an index visits its functions. */
enum lprf_order { LPRF_UNORDERED, LPRF_FILE_ORDER, LPRF_ALPHABETICAL };

typedef enum bo_status lprf_visit(void *context, const struct lprf_entry *entry,
                                  struct bo_error *err);

/* All entries of an index, in an array that grows. */
struct lprf_entries {
    struct lprf_entry *p;
    size_t n, cap;
    struct bo_arena *arena;
};

/* A lprf_visit whose context is a struct lprf_entries. */
enum bo_status lprf_collect(void *context, const struct lprf_entry *entry, struct bo_error *err);

/* Sorts into file order. BO_OK, or the arena's error. */
enum bo_status lprf_sort_by_order(struct lprf_entries *entries, struct bo_error *err);
enum bo_status lprf_sort_by_off(struct lprf_entries *entries, struct bo_error *err);
/* Sorts alphabetically, equal names in file order. */
enum bo_status lprf_sort_by_name(struct lprf_entries *entries, struct bo_error *err);

/*
 * Checks the format's rules, and that the header's maximum is that of the model. The model's
 * functions are in file order, one for each entry. BO_CORRUPT when a rule is broken.
 */
enum bo_status lprf_check_model(const struct lprf_file *file, const struct lprf_model *model,
                                const struct lprf_entries *entries, struct bo_error *err);

/* A copy of a name in the arena; p is NULL when the arena refuses. */
struct bo_span lprf_keep_name(struct bo_span name, struct bo_arena *arena);

#endif
