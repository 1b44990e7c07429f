/* The mutator as a function for libFuzzer. */
#include "fuzz/mutator.h"

/*
 * libFuzzer's own function. Other engines that link this file do not have it, and do not call the
 * mutator.
 */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return bo_fuzz_mutate(BO_FUZZ_INPUT(BO_TARGET), data, size, max_size, (struct bo_span){0}, seed,
                          LLVMFuzzerMutate);
}
