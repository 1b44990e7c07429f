/*
 * Entropy of a model's fields: the bits of the values in an ideal code that is fitted to their
 * frequencies, without contexts (order 0) or with the preceding value as context (order 1). Formats
 * list their fields as sequences. The entropy floor is the sum of the order-0 values.
 */
#ifndef BO_ENTROPY_H
#define BO_ENTROPY_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"

enum { BO_MAX_SEQUENCES = 24 };

/* One field: its values in the order of the model. */
struct bo_sequence {
    const char *name;  /* "run lengths" */
    bool is_text;      /* the values are the bytes of texts */
    uint64_t *numbers; /* if not is_text */
    uint8_t *bytes;    /* if is_text */
    size_t n, cap;
};

struct bo_sequences {
    struct bo_arena *arena;
    struct bo_sequence items[BO_MAX_SEQUENCES]; /* in the order of their first values */
    unsigned n;
    bool refused; /* the arena refused memory: the sequences are incomplete */
};

/* Appends a value to the field of this name. The name must outlive the sequences. */
void bo_add_number(struct bo_sequences *sequences, const char *name, uint64_t v);

/* Appends all bytes of a text to the field of this name. */
void bo_add_text(struct bo_sequences *sequences, const char *name, struct bo_span text);

/* Order-0 entropy of all values in bits, and the number of distinct values. Sorts numbers. */
double bo_order0_nbits(struct bo_sequence *sequence, uint64_t *n_distinct_ret);

/*
 * Order-1 entropy of all values in bits, with the preceding value as context; the first value is
 * free. The cost of the statistics is not included, so the result is far too low if most values are
 * distinct. Negative when the arena refuses.
 */
double bo_order1_nbits(const struct bo_sequence *sequence, struct bo_arena *arena);

#endif
