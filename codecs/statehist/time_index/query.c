/* time-index: queries, for any CPU; and which CPU there is. */
#include "codecs/statehist/time_index/queries.h"
#include "harness/core/cpu.h"

enum bo_status time_index_query(const struct bo_codec *self, void *reader, unsigned kind,
                                const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct time_index *index = reader;
    const enum bo_status status = bo_cpu_has_v3()
                                      ? time_index_query_v3(index, kind, queries, n, answers)
                                      : ask(index, kind, queries, n, answers);
    return status == BO_CORRUPT
               ? bo_fail(err, index->damage->status, index->damage->off, index->damage->what)
               : status;
}
