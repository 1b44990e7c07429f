/* sequences: queries, for CPUs of x86-64-v3. Elsewhere bo_cpu_has_v3() is false. */
#define UNWIND_SEQ_V3 1

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "harness/core/cpu.h"

BO_V3_BEGIN
#include "codecs/unwind/sequences/queries.h"

enum bo_status unwind_seq_query_v3(const struct reader *r, unsigned kind, const void *queries,
                                   size_t n, void *answers)
{
    return answer(r, kind, queries, n, answers);
}
BO_V3_END
