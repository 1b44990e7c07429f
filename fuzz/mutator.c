/*
 * The mutator core: structural operators, a block of another input, or the engine's own mutation.
 */
#include "fuzz/mutator.h"

#include <stdlib.h>

enum { MAX_OPERATORS = 4, MAX_SPLICE = 256 };

bool bo_fuzz_is_plain(void)
{
    static int plain = -1;
    if (plain < 0)
        plain = getenv("BAKEOFF_FUZZ_PLAIN") != NULL;
    return plain;
}

size_t bo_fuzz_mutate(enum bo_fuzz_input input, uint8_t *p, size_t n, size_t cap,
                      struct bo_span other, uint64_t seed, bo_fuzz_byte_mutator *mutate_bytes)
{
    struct bo_random random = bo_random_seeded(seed);
    n = n < cap ? n : cap; /* libFuzzer's minimiser passes longer inputs */
    if (mutate_bytes && (bo_random_one_in(&random, 3) || bo_fuzz_is_plain()))
        return mutate_bytes(p, n, cap);
    struct bo_fuzz_buffer buffer = {.p = p, .n = n, .cap = cap};
    if (bo_random_one_in(&random, 8))
        bo_fuzz_splice(&buffer, other, MAX_SPLICE, &random);
    for (uint32_t left = 1 + bo_random_below(&random, MAX_OPERATORS); left; left--)
        bo_fuzz_apply_operator(input, &buffer, &random);
    if (buffer.n == 0) /* engines reject empty inputs; on an empty input, every operator appends */
        bo_fuzz_apply_operator(input, &buffer, &random);
    return buffer.n;
}
