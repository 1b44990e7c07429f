/* time-index: queries, for CPUs of x86-64-v3. Elsewhere bo_cpu_has_v3() is false. */
#define TIME_INDEX_V3 true

#include "codecs/statehist/answers.h"
#include "harness/core/cpu.h"

BO_V3_BEGIN
#include "codecs/statehist/time_index/queries.h"

enum bo_status time_index_query_v3(struct time_index *index, unsigned kind, const void *queries,
                                   size_t n, void *answers)
{
    return answer(index, kind, queries, n, answers);
}
BO_V3_END
