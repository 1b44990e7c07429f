/* Building answers of variable size, for all readers. */
#ifndef STATEHIST_ANSWERS_H
#define STATEHIST_ANSWERS_H

#include "codecs/statehist/statehist.h"

static inline size_t statehist_padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* Room for the values of n attributes, with its padding; false when the sink is full. */
static inline bool statehist_take_values(size_t n, struct bo_sink *sink, uint64_t **values_ret,
                                         uint8_t **types_ret)
{
    struct statehist_values *head = (struct statehist_values *)bo_sink_take(
        sink, sizeof *head + 8 * (uint64_t)n + statehist_padded(n));
    if (!head)
        return false;
    head->n = n;
    *values_ret = (uint64_t *)(void *)(head + 1);
    *types_ret = (uint8_t *)(*values_ret + n);
    memset(*types_ret + n, 0, statehist_padded(n) - n);
    return true;
}

/* Room for n intervals; the caller sets the last one's end. NULL when the sink is full. */
static inline struct statehist_columns *statehist_take_columns(size_t n, struct bo_sink *sink,
                                                               int64_t **starts_ret,
                                                               uint64_t **values_ret,
                                                               uint8_t **types_ret)
{
    struct statehist_columns *head = (struct statehist_columns *)bo_sink_take(
        sink, sizeof *head + 16 * (uint64_t)n + statehist_padded(n));
    if (!head)
        return NULL;
    head->n = n;
    *starts_ret = (int64_t *)(void *)(head + 1);
    *values_ret = (uint64_t *)(void *)(*starts_ret + n);
    *types_ret = (uint8_t *)(*values_ret + n);
    memset(*types_ret + n, 0, statehist_padded(n) - n);
    return head;
}

/* One attribute of a snapshot; `string` is empty unless it is one. */
static inline bool statehist_put_exported(struct statehist_state state, struct bo_span string,
                                          struct bo_sink *sink)
{
    struct statehist_exported *exported = (struct statehist_exported *)bo_sink_take(
        sink, sizeof *exported + statehist_padded(string.n));
    if (!exported)
        return false;
    *exported = (struct statehist_exported){state, string.n};
    uint8_t *bytes = (uint8_t *)(exported + 1);
    if (string.n)
        memcpy(bytes, string.p, string.n);
    memset(bytes + string.n, 0, statehist_padded(string.n) - string.n);
    return true;
}

/* Whether a window query is in range of a history. */
static inline bool statehist_window_fits(const struct statehist_window_query *q, int64_t start,
                                         int64_t end, uint32_t n_quarks)
{
    bool fits = q->from >= start && q->from <= q->to && q->to <= end && q->quarks.n % 4 == 0 &&
                (q->form == STATEHIST_ALWAYS ||
                 (q->n_times >= 1 && q->n_times <= STATEHIST_MAX_WINDOW_TIMES));
    for (size_t i = 0; i < q->quarks.n && fits; i += 4)
        fits = bo_le32(q->quarks.p + i) < n_quarks;
    if (!fits || q->form != STATEHIST_LISTED)
        return fits;
    fits = q->times[0] == q->from && q->times[q->n_times - 1] == q->to;
    for (uint32_t i = 1; i < q->n_times; i++)
        fits &= q->times[i - 1] < q->times[i];
    return fits;
}

#endif
