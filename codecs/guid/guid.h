/* The model of sets of GUIDs, and its queries. README.md specifies both. */
#ifndef GUID_H
#define GUID_H

#include "harness/records.h"

/* ---- the model ------------------------------------------------------------------------------- */

enum { GUID_MAX_BODY_NBYTES = (1 << 24) - 1 };

struct guid_entry {
    uint64_t guid;
    uint32_t nbytes; /* of the body; GUID_NO_BODY for none */
};
#define GUID_NO_BODY UINT32_MAX

/* Its items are struct guid_entry, by GUID. */
struct guid_model {
    struct bo_records records;
};

/* ---- queries --------------------------------------------------------------------------------- */

enum guid_query_kind { GUID_FIND, GUID_N_KINDS };

/* find: whether a GUID is in the set, and its body. */
struct guid_find_query {
    uint64_t guid;
};

enum guid_state { GUID_ABSENT, GUID_IS_MEMBER, GUID_HAS_BODY };

/*
 * Each encoding chooses where a body lies, and bodies are not part of it. So the answer is the size
 * of the body, which a reader computes from where the body starts and ends. A program that reads
 * bodies needs that start, too. Each codec except llvm103 has it where it calls guid_extent().
 */
struct guid_find_answer {
    uint32_t state;  /* enum guid_state */
    uint32_t nbytes; /* 0 without a body */
};

/* ---- what codecs share ----------------------------------------------------------------------- */

/* The declaration of the entries, in model.c. */
extern const struct bo_shape guid_shape;

/* The answer for a member whose body starts and ends there; equal offsets mean no body. */
static inline struct guid_find_answer guid_extent(uint32_t start, uint32_t end)
{
    return (struct guid_find_answer){end == start ? GUID_IS_MEMBER : GUID_HAS_BODY, end - start};
}

static inline uint32_t guid_nbytes(const struct guid_entry *entry)
{
    return entry->nbytes == GUID_NO_BODY ? 0 : entry->nbytes;
}

/* The model's entries, their number in *n_ret, and the bytes of all bodies in *total_ret. */
const struct guid_entry *guid_entries(const void *model, size_t *n_ret, uint64_t *total_ret);

/* As guid_entries; BO_UNSUPPORTED if a number of the model does not fit 32 bits. */
enum bo_status guid_entries32(const void *model, const struct guid_entry **entries_ret,
                              size_t *n_ret, uint32_t *total_ret, struct bo_error *err);

/* A model of n entries, by GUID, for the caller to fill in; NULL if the arena refuses memory. */
struct guid_entry *guid_new_model(size_t n, struct bo_arena *arena, struct bo_records **model_ret);

#endif
