/* The mutator as a library for AFL++, which also runs its own byte stages. */
#include <stdlib.h>

#include "fuzz/mutator.h"

struct afl_mutator {
    struct bo_random seeds; /* a seed for each mutation */
    uint8_t *p;
    size_t cap;
};

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(struct afl_mutator *mutator, uint8_t *buf, size_t buf_size, uint8_t **out,
                       uint8_t *add_buf, size_t add_buf_size, size_t max_size);
void afl_custom_deinit(struct afl_mutator *mutator);

void *afl_custom_init(void *afl, unsigned seed)
{
    struct afl_mutator *mutator = calloc(1, sizeof *mutator);
    if (mutator)
        mutator->seeds = bo_random_seeded(seed);
    return mutator;
}

/* Returns the length of the mutated copy in *out; 0 makes AFL++ skip this round. */
size_t afl_custom_fuzz(struct afl_mutator *mutator, uint8_t *buf, size_t buf_size, uint8_t **out,
                       uint8_t *add_buf, size_t add_buf_size, size_t max_size)
{
    if (mutator->cap < max_size) {
        uint8_t *grown = realloc(mutator->p, max_size);
        if (!grown)
            return 0;
        mutator->p = grown;
        mutator->cap = max_size;
    }
    const size_t n = buf_size < max_size ? buf_size : max_size;
    memcpy(mutator->p, buf, n);
    *out = mutator->p;
    return bo_fuzz_mutate(BO_FUZZ_INPUT(BO_TARGET), mutator->p, n, max_size,
                          (struct bo_span){add_buf, add_buf_size}, bo_random_u64(&mutator->seeds),
                          NULL);
}

void afl_custom_deinit(struct afl_mutator *mutator)
{
    free(mutator->p);
    free(mutator);
}
