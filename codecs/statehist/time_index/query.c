/* time-index: queries, for any CPU; and which CPU there is, and whether all is unpacked. */
#include "codecs/statehist/time_index/queries.h"
#include "codecs/statehist/time_index/whole.h"
#include "harness/core/cpu.h"

/* ---- the whole history ----------------------------------------------------------------------- */

/* The timeline of a quark, to the intervals from number *n on; false when it is damaged. */
static bool unpack_timeline(struct time_index *index, const struct time_index_timeline *t,
                            uint32_t *n)
{
    struct time_index_whole *whole = index->whole;
    uint64_t starts[ASCENDING_BLOCK + 4], values[ASCENDING_BLOCK + 1];
    uint8_t types[ASCENDING_BLOCK + 1];
    const struct stretch stretch = {starts, values, types};
    if (t->n > index->n_intervals - *n)
        return false;
    for (uint32_t b = t->shape ? 0 : UINT32_MAX, n_blocks = time_index_n_blocks(t);
         b == UINT32_MAX || b < n_blocks; b++) {
        const unsigned size = stretch_size(t, b);
        if (!call_read_stretch(t, b, &stretch))
            return false;
        memcpy(whole->starts + *n, starts, 8 * (size_t)size);
        memcpy(whole->values + *n, values, 8 * (size_t)size);
        memcpy(whole->types + *n, types, size);
        *n += size;
    }
    return true;
}

static void unpack_whole(struct time_index *index)
{
    struct time_index_whole *whole = index->whole;
    struct walk walk;
    uint32_t n = 0;
    time_index_close_unpacked(index);
    for (uint32_t quark = 0; quark < index->n_quarks && !whole->is_damaged; quark++) {
        struct time_index_timeline t;
        whole->first[quark] = n;
        whole->is_damaged =
            !next_timeline(index, &walk, quark, &t) || !unpack_timeline(index, &t, &n);
    }
    whole->first[index->n_quarks] = n;
    if (n < index->n_intervals)
        whole->is_damaged = true;
    if (!whole->is_damaged)
        time_index_finish_whole(index);
}

static bool is_window(unsigned kind)
{
    return kind == STATEHIST_WINDOW || kind == STATEHIST_TIMES || kind == STATEHIST_RANGE2D;
}

/* What queries cost, in intervals that a scan reads: of one attribute, of a state in a window. */
enum { EXPORT_COST = 4, FULL_STATE_COST = 3, WINDOW_COST = 2 };

/* What is known of that before a query runs. */
static uint64_t cost_of(const struct time_index *index, unsigned kind)
{
    return kind == STATEHIST_SCAN         ? index->n_intervals
           : kind == STATEHIST_EXPORT     ? EXPORT_COST * (uint64_t)index->n_quarks
           : kind == STATEHIST_FULL_STATE ? FULL_STATE_COST * (uint64_t)index->n_quarks
                                          : 0;
}

/*
 * Whether n queries of a kind are answered from the whole history. It is unpacked when queries have
 * cost more than a scan: then that costs as much again.
 */
static bool has_whole(struct time_index *index, unsigned kind, size_t n)
{
    struct time_index_whole *whole = index->whole;
    if (!whole || whole->is_damaged || !time_index_whole_answers(index, kind))
        return false;
    if (whole->is_ready)
        return true;
    whole->n_read += n * cost_of(index, kind);
    if (whole->n_read > index->n_intervals)
        unpack_whole(index);
    return whole->is_ready;
}

/* ---- batches --------------------------------------------------------------------------------- */

enum bo_status time_index_query(const struct bo_codec *self, void *reader, unsigned kind,
                                const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct time_index *index = reader;
    enum bo_status status = BO_OK;
    if (has_whole(index, kind, n)) {
        for (size_t i = 0; i < n && !status; i++)
            status = time_index_answer_whole(index, kind, queries, i, answers);
    } else {
        const size_t before = is_window(kind) ? ((struct bo_sink *)answers)->n : 0;
        status = bo_cpu_has_v3() ? time_index_query_v3(index, kind, queries, n, answers)
                                 : answer(index, kind, queries, n, answers);
        if (index->whole && is_window(kind))
            index->whole->n_read += WINDOW_COST * (((struct bo_sink *)answers)->n - before) /
                                    sizeof(struct statehist_state);
    }
    return status == BO_CORRUPT
               ? bo_fail(err, index->damage->status, index->damage->off, index->damage->what)
               : status;
}
