/*
 * <format>_bytes: passes the input unchanged to every encoding of the format, and to the parser of
 * its text form.
 *
 * No bytes may crash a reader, and readers that accept the same bytes must agree about them.
 */
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    const struct bo_effort effort = bo_fuzz_effort(1);
    bo_fuzz_offer_to_all(bo_fuzz_format, (struct bo_span){data, nbytes}, &effort);
    bo_fuzz_offer_text(bo_fuzz_format, (struct bo_span){data, nbytes}, &effort);
    return 0;
}
