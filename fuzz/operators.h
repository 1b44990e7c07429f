/* Small structural changes to a fuzz input: what the mutator and the damage target apply. */
#ifndef BO_FUZZ_OPERATORS_H
#define BO_FUZZ_OPERATORS_H

#include "harness/core/random.h"

/* What the bytes of an input mean, and so which operators suit them. */
enum bo_fuzz_input {
    BO_FUZZ_ENCODING, /* an encoding: lengths, offsets, counts, varints */
    BO_FUZZ_ENTROPY,  /* decisions of a generator, parameters in the tail: small numbers, blocks */
};

/* Bytes that operators change in place; n moves between 0 and cap. */
struct bo_fuzz_buffer {
    uint8_t *p;
    size_t n, cap;
    const struct bo_run_mark *marks; /* where sections start, when that is known: likely places */
    size_t n_marks;
};

/* Applies one operator; to an empty buffer, one that appends. May leave the bytes as they were. */
void bo_fuzz_apply_operator(enum bo_fuzz_input input, struct bo_fuzz_buffer *buffer,
                            struct bo_random *random);

/* Inserts up to max_nbytes of `from`; random picks what and where. */
void bo_fuzz_splice(struct bo_fuzz_buffer *buffer, struct bo_span from, size_t max_nbytes,
                    struct bo_random *random);

#endif
