/* sequences: queries, for any CPU, and the choice between these and those of x86-64-v3. */
#define UNWIND_SEQ_V3 0

#include "codecs/unwind/sequences/queries.h"
#include "harness/core/cpu.h"

enum bo_status unwind_seq_query(const struct bo_codec *self, void *reader, unsigned kind,
                                const void *queries, size_t n, void *answers, struct bo_error *err)
{
    return bo_cpu_has_v3() ? unwind_seq_query_v3(reader, kind, queries, n, answers)
                           : answer(reader, kind, queries, n, answers);
}
