/* The mutator as libFuzzer calls it. */
#include "fuzz/mutator.h"

/* libFuzzer's own; other engines that link this file have none, nor do they call the mutator. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return bo_fuzz_mutate(BO_FUZZ_INPUT(BO_TARGET), data, size, max_size, (struct bo_span){0}, seed,
                          LLVMFuzzerMutate);
}
