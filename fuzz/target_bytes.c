/*
 * <format>_bytes: the input is offered, as it is, to every encoding of the format, and to the
 * parser of its text form.
 *
 * No bytes may hurt a reader; what one accepts must mean the same to all that read it.
 */
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    const struct bo_effort effort = bo_fuzz_effort(1);
    bo_fuzz_offer_to_all(bo_fuzz_format, (struct bo_span){data, nbytes}, &effort);
    bo_fuzz_offer_text(bo_fuzz_format, (struct bo_span){data, nbytes}, &effort);
    return 0;
}
