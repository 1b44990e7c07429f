/*
 * A history as arrays in memory, and queries of it. The control `arrays` uses the arrays in its
 * file. A codec that decodes everything builds them from the model.
 */
#ifndef STATEHIST_IN_MEMORY_H
#define STATEHIST_IN_MEMORY_H

#include "codecs/statehist/statehist.h"

/* Numbers are little-endian; those of a history that is valid. */
struct statehist_in_memory {
    int64_t start, end;
    uint32_t n_quarks, n_strings;
    size_t n_intervals;
    const uint8_t *starts, *values; /* 8 bytes an interval, timeline by timeline */
    const uint8_t *types;           /* 1 byte */
    const uint8_t *first;           /* 4 bytes: each timeline's first interval, and n_intervals */
    const uint8_t *string_ends;     /* 4 bytes: in `strings` */
    const uint8_t *strings;
    const uint64_t *hashes; /* of the strings */
};

/* Copies a model within `arena`, and frees all that was allocated since the mark, the model too. */
enum bo_status statehist_hold(const struct statehist_model *model, struct bo_arena *arena,
                              struct bo_arena_mark before_model,
                              struct statehist_in_memory **held_ret, struct bo_error *err);

/* As bo_codec.query; the reader is a struct statehist_in_memory. */
enum bo_status statehist_query_in_memory(const struct bo_codec *self, void *reader, unsigned kind,
                                         const void *queries, size_t n, void *answers,
                                         struct bo_error *err);

/* ---- what is where --------------------------------------------------------------------------- */

static inline int64_t statehist_start_at(const struct statehist_in_memory *r, size_t i)
{
    return (int64_t)bo_le64(r->starts + 8 * i);
}

static inline uint32_t statehist_first_of(const struct statehist_in_memory *r, uint32_t quark)
{
    return bo_le32(r->first + 4 * (size_t)quark);
}

static inline int64_t statehist_end_at(const struct statehist_in_memory *r, uint32_t quark,
                                       size_t i)
{
    return i + 1 < statehist_first_of(r, quark + 1) ? statehist_start_at(r, i + 1) - 1 : r->end;
}

/* The i-th of texts that lie one after the other; their ends are an array, and do not descend. */
static inline struct bo_span statehist_text_at(const uint8_t *texts, const uint8_t *ends, size_t i)
{
    const uint32_t from = i ? bo_le32(ends + 4 * (i - 1)) : 0, to = bo_le32(ends + 4 * i);
    return (struct bo_span){texts + from, to - from};
}

#endif
