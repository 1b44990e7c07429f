/* Snapshots that have been read into arrays: as models, and as answers. */
#include "codecs/statehist/snapshot/snapshot.h"

#include "codecs/statehist/answers.h"
#include "codecs/statehist/json.h"
#include "codecs/statehist/model.h"

/* ---- models ---------------------------------------------------------------------------------- */

enum bo_status statehist_expect_snapshot(const struct statehist_model *model, struct bo_error *err)
{
    return model->start == model->end
               ? BO_OK
               : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "holds one instant, not a history");
}

enum bo_status statehist_reduce_nans(const struct bo_codec *self, const void *opaque,
                                     struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    struct statehist_model *reduced = bo_alloc(arena, sizeof *reduced);
    struct statehist_interval *intervals =
        bo_alloc_array(arena, model->n_intervals, sizeof *intervals);
    if (!reduced || !intervals)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < model->n_intervals; i++) {
        intervals[i] = model->intervals[i];
        if (intervals[i].type == STATEHIST_DOUBLE && statehist_is_nan(intervals[i].value))
            intervals[i].value = STATEHIST_NAN;
    }
    *reduced = *model;
    reduced->intervals = intervals;
    *model_ret = reduced;
    return BO_OK;
}

static bool build(const struct statehist_instant *s, struct statehist_builder *b,
                  struct bo_arena *arena)
{
    if (!statehist_builder_init(b, false, arena) || !statehist_reserve(b, s->n_quarks, s->n_quarks))
        return false;
    for (uint32_t q = 0; q < s->n_quarks; q++) {
        const struct statehist_instant_value *v = &s->values[q];
        struct statehist_interval interval = {s->time, s->time, v->value, q, v->type};
        if (v->type == STATEHIST_STRING) {
            uint32_t number;
            if (!statehist_add_string(b, v->string, &number))
                return false;
            interval.value = number;
        }
        if (!statehist_add_attribute(b, s->attributes[q].name, s->attributes[q].parent) ||
            !statehist_add_interval(b, &interval))
            return false;
    }
    return true;
}

enum bo_status statehist_instant_model(const struct statehist_instant *s, struct bo_arena *arena,
                                       void **model_ret, struct bo_error *err)
{
    struct statehist_builder builder;
    struct statehist_flaw flaw;
    struct statehist_model *model;
    if (!build(s, &builder, arena))
        return bo_fail_alloc(err, arena);
    const enum bo_status status = statehist_finish(&builder, s->time, s->time, &model, &flaw);
    if (status)
        return statehist_fail(err, status, BO_NO_OFFSET, &flaw, arena);
    *model_ret = model;
    return BO_OK;
}

/* ---- answers --------------------------------------------------------------------------------- */

static struct statehist_state state_of(const struct statehist_instant *s, uint32_t quark)
{
    return (struct statehist_state){s->time, s->time, s->values[quark].value, s->values[quark].type,
                                    0};
}

static enum bo_status answer_point(const struct statehist_instant *s,
                                   const struct statehist_point_query *q,
                                   struct statehist_state *answer)
{
    if (q->quark >= s->n_quarks || q->time != s->time)
        return BO_OUT_OF_RANGE;
    *answer = state_of(s, q->quark);
    return BO_OK;
}

static enum bo_status answer_full_state(const struct statehist_instant *s,
                                        const struct statehist_time_query *q, struct bo_sink *sink)
{
    uint64_t *values;
    uint8_t *types;
    if (q->time != s->time)
        return BO_OUT_OF_RANGE;
    if (!statehist_take_values(s->n_quarks, sink, &values, &types))
        return BO_OVER_LIMIT;
    for (uint32_t quark = 0; quark < s->n_quarks; quark++) {
        values[quark] = s->values[quark].value;
        types[quark] = (uint8_t)s->values[quark].type;
    }
    return BO_OK;
}

static enum bo_status answer_range(const struct statehist_instant *s,
                                   const struct statehist_range_query *q, struct bo_sink *sink)
{
    int64_t *starts;
    uint64_t *values;
    uint8_t *types;
    if (q->quark >= s->n_quarks || q->from != s->time || q->to != s->time)
        return BO_OUT_OF_RANGE;
    struct statehist_columns *head = statehist_take_columns(1, sink, &starts, &values, &types);
    if (!head)
        return BO_OVER_LIMIT;
    head->end = s->time;
    starts[0] = s->time;
    values[0] = s->values[q->quark].value;
    types[0] = (uint8_t)s->values[q->quark].type;
    return BO_OK;
}

static enum bo_status answer_window(const struct statehist_instant *s,
                                    const struct statehist_window_query *q, struct bo_sink *sink)
{
    if (!statehist_window_fits(q, s->time, s->time, s->n_quarks))
        return BO_OUT_OF_RANGE;
    for (size_t i = 0; i < q->quarks.n; i += 4) {
        const uint32_t quark = bo_le32(q->quarks.p + i);
        struct statehist_states *head =
            bo_sink_take(sink, sizeof *head + sizeof(struct statehist_state));
        if (!head)
            return BO_OVER_LIMIT;
        head->n = 1;
        *(struct statehist_state *)(void *)(head + 1) = state_of(s, quark);
    }
    return BO_OK;
}

static enum bo_status answer_export(const struct statehist_instant *s,
                                    const struct statehist_time_query *q, struct bo_sink *sink)
{
    if (q->time != s->time)
        return BO_OUT_OF_RANGE;
    struct statehist_snapshot *head = bo_sink_take(sink, sizeof *head);
    if (!head)
        return BO_OVER_LIMIT;
    head->n = s->n_quarks;
    for (uint32_t quark = 0; quark < s->n_quarks; quark++)
        if (!statehist_put_exported(state_of(s, quark), s->values[quark].string, sink))
            return BO_OVER_LIMIT;
    return BO_OK;
}

static void answer_scan(const struct statehist_instant *s, struct statehist_digest *digest)
{
    *digest = (struct statehist_digest){0};
    for (uint32_t quark = 0; quark < s->n_quarks; quark++)
        statehist_digest_interval(digest, quark, s->time, s->time, s->values[quark].type,
                                  s->values[quark].value);
}

enum bo_status statehist_query_instant(const struct bo_codec *self, void *reader, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err)
{
    const struct statehist_instant *s = reader;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        switch (kind) {
        case STATEHIST_POINT:
            status = answer_point(s, &((const struct statehist_point_query *)queries)[i],
                                  &((struct statehist_state *)answers)[i]);
            break;
        case STATEHIST_FULL_STATE:
            status =
                answer_full_state(s, &((const struct statehist_time_query *)queries)[i], answers);
            break;
        case STATEHIST_RANGE:
            status = answer_range(s, &((const struct statehist_range_query *)queries)[i], answers);
            break;
        case STATEHIST_WINDOW:
        case STATEHIST_TIMES:
        case STATEHIST_RANGE2D:
            status =
                answer_window(s, &((const struct statehist_window_query *)queries)[i], answers);
            break;
        case STATEHIST_SCAN:
            answer_scan(s, &((struct statehist_digest *)answers)[i]);
            break;
        case STATEHIST_EXPORT:
            status = answer_export(s, &((const struct statehist_time_query *)queries)[i], answers);
            break;
        default:
            return BO_BAD_USAGE;
        }
    return status;
}
