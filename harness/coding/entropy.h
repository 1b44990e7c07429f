/*
 * Entropy of a model's fields: what values take in a code that is fitted to their frequencies and
 * knows nothing else (order 0), or the value before as well (order 1). Formats list their fields
 * as sequences; the entropy floor is the sum of the first.
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
    uint64_t *numbers; /* of one that is not */
    uint8_t *bytes;    /* of one that is */
    size_t n, cap;
};

struct bo_sequences {
    struct bo_arena *arena;
    struct bo_sequence items[BO_MAX_SEQUENCES]; /* in the order of their first values */
    unsigned n;
    bool refused; /* by the arena: the sequences are incomplete */
};

/* Appends a value to the field of the name, which must outlive the sequences. */
void bo_add_number(struct bo_sequences *sequences, const char *name, uint64_t v);

/* Appends all bytes of a text. */
void bo_add_text(struct bo_sequences *sequences, const char *name, struct bo_span text);

/* Bits that all values take, and how many distinct ones there are. Sorts numbers. */
double bo_order0_nbits(struct bo_sequence *sequence, uint64_t *n_distinct_ret);

/*
 * Bits that all values take for whoever knows the value before; the first one takes none. The
 * statistics themselves do not count, so that it is far too low where most values are distinct.
 * Negative when the arena refuses.
 */
double bo_order1_nbits(const struct bo_sequence *sequence, struct bo_arena *arena);

#endif
