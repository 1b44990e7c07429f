/* Small structural changes to a fuzz input, which the mutator and the damage target apply. */
#ifndef BO_FUZZ_OPERATORS_H
#define BO_FUZZ_OPERATORS_H

#include "harness/core/random.h"

/* The meaning of an input's bytes, which determines the suitable operators. */
enum bo_fuzz_input {
    BO_FUZZ_ENCODING, /* an encoding: lengths, offsets, counts, varints */
    /* entropy of a generator, with parameters in the tail: small numbers, blocks */
    BO_FUZZ_ENTROPY,
};

/* Bytes that operators change in place; n stays between 0 and cap. */
struct bo_fuzz_buffer {
    uint8_t *p;
    size_t n, cap;
    const struct bo_run_mark *marks; /* starts of sections, if known: preferred positions */
    size_t n_marks;
};

/* Applies one operator; to an empty buffer, one that appends. It may leave the bytes unchanged. */
void bo_fuzz_apply_operator(enum bo_fuzz_input input, struct bo_fuzz_buffer *buffer,
                            struct bo_random *random);

/* Inserts up to max_nbytes of `from`; `random` chooses the block and the position. */
void bo_fuzz_splice(struct bo_fuzz_buffer *buffer, struct bo_span from, size_t max_nbytes,
                    struct bo_random *random);

#endif
