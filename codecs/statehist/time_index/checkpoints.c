/*
 * time-index: writing checkpoints. The times at which anything changes are cut into segments of
 * equal length. A segment stores which attributes change in it and their values at its end. The
 * first segment of an era also stores the values of all attributes at its start.
 */
#include "codecs/statehist/time_index/write.h"

enum {
    ERA = 16,             /* segments */
    LEAST_QUARKS = 256,   /* fewer are as fast looked up */
    LEAST_SEGMENT = 16,   /* times */
    MOST_SEGMENTS = 1024, /* that are tried */
    GROWTH = 5,           /* a segment that is tried next is a quarter longer: 5 / 4 */
};

/* An attribute that changes in a segment, and what it is behind it. */
struct change {
    uint32_t quark, code;
};

struct segments {
    const struct time_index_states *states;
    uint32_t n, n_times; /* segments, times in each but the last */
    uint32_t *first;     /* by segment: its changes, in order of quarks; n + 1 */
    struct change *changes;
    uint32_t *codes;          /* by quark: what they are */
    uint64_t *groups, *words; /* scratch: a set */
    uint32_t *quarks;         /* scratch */
};

static const uint32_t *first_intervals(const struct segments *s)
{
    return s->states->model->first;
}

/* The segment that interval i starts in, which is not the first of its timeline. */
static uint32_t segment_of(const struct segments *s, uint32_t i)
{
    return s->states->ranks[i] / s->n_times;
}

/* Whether interval i is the last of its timeline that starts in its segment. */
static bool is_last_in_segment(const struct segments *s, uint32_t q, uint32_t i)
{
    return i + 1 == first_intervals(s)[q + 1] || segment_of(s, i + 1) != segment_of(s, i);
}

static void collect_changes(struct segments *s)
{
    const struct statehist_model *model = s->states->model;
    memset(s->first, 0, ((size_t)s->n + 1) * sizeof *s->first);
    for (uint32_t q = 0; q < model->n_quarks; q++)
        for (uint32_t i = model->first[q] + 1; i < model->first[q + 1]; i++)
            s->first[segment_of(s, i) + 1] += is_last_in_segment(s, q, i);
    for (uint32_t k = 0; k < s->n; k++)
        s->first[k + 1] += s->first[k];
    for (uint32_t q = 0; q < model->n_quarks; q++)
        for (uint32_t i = model->first[q] + 1; i < model->first[q + 1]; i++)
            if (is_last_in_segment(s, q, i))
                s->changes[s->first[segment_of(s, i)]++] = (struct change){q, s->states->codes[i]};
    /* Each start has become the next one's. */
    memmove(s->first + 1, s->first, s->n * sizeof *s->first);
    s->first[0] = 0;
    for (uint32_t q = 0; q < model->n_quarks; q++)
        s->codes[q] = s->states->codes[model->first[q]];
}

static enum bo_status put_set(struct segments *s, uint32_t n, struct bo_writer *out,
                              struct bo_error *err)
{
    uint32_t n_groups = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t group = s->quarks[i] / TIME_INDEX_GROUP;
        if (n_groups == 0 || s->groups[n_groups - 1] != group) {
            s->groups[n_groups] = group;
            s->words[n_groups++] = 0;
        }
        s->words[n_groups - 1] |= UINT64_C(1) << s->quarks[i] % TIME_INDEX_GROUP;
    }
    bo_put_uvarint(out, n_groups);
    const enum bo_status status = ascending_put(s->groups, n_groups, out, err);
    for (uint32_t i = 0; i < n_groups; i++)
        bo_put_le64(out, s->words[i]);
    return status;
}

static void put_code(const struct segments *s, uint32_t quark, struct bo_bit_writer *bits)
{
    if (s->codes[quark])
        bo_put_bits(bits, s->codes[quark], s->states->code_nbits[s->states->class[quark]]);
}

/* What all attributes are. */
static enum bo_status put_era(struct segments *s, struct bo_writer *out, struct bo_error *err)
{
    struct bo_bit_writer bits = {.out = out};
    uint32_t n = 0;
    for (uint32_t q = 0; q < s->states->model->n_quarks; q++)
        if (s->codes[q])
            s->quarks[n++] = q;
    const enum bo_status status = put_set(s, n, out, err);
    for (uint32_t i = 0; i < n; i++)
        put_code(s, s->quarks[i], &bits);
    return status;
}

static enum bo_status put_segment(struct segments *s, uint32_t k, struct bo_writer *out,
                                  struct bo_error *err)
{
    struct bo_bit_writer bits = {.out = out};
    const uint32_t n = s->first[k + 1] - s->first[k];
    const struct change *changes = s->changes + s->first[k];
    enum bo_status status = k % ERA == 0 ? put_era(s, out, err) : BO_OK;
    for (uint32_t i = 0; i < n; i++) {
        s->quarks[i] = changes[i].quark;
        s->codes[changes[i].quark] = changes[i].code;
    }
    if (!status)
        status = put_set(s, n, out, err);
    if (k % ERA == ERA - 1 || k + 1 == s->n)
        return status; /* no segment of the era follows */
    for (uint32_t i = 0; i < n; i++)
        bo_put_bits(&bits, changes[i].code != 0, 1);
    for (uint32_t i = 0; i < n; i++)
        put_code(s, changes[i].quark, &bits);
    return status;
}

/* Appends the section, with segments of so many times. */
static enum bo_status put_segments(struct segments *s, struct bo_writer *out, struct bo_error *err)
{
    struct bo_arena *arena = out->arena;
    uint64_t *cuts = bo_alloc_array(arena, s->n, sizeof *cuts),
             *places = bo_alloc_array(arena, s->n, sizeof *places);
    struct bo_writer parts;
    enum bo_status status = BO_OK;
    if (!cuts || !places)
        return bo_fail_alloc(err, arena);
    bo_writer_init(&parts, arena);
    collect_changes(s);
    for (uint32_t k = 0; k < s->n && !status; k++) {
        cuts[k] = s->states->times[(size_t)k * s->n_times];
        places[k] = parts.n;
        status = put_segment(s, k, &parts, err);
    }
    bo_put_uvarint(out, s->n);
    bo_put_uvarint(out, ERA);
    if (!status)
        status = ascending_put(cuts + 1, s->n - 1, out, err);
    if (!status)
        status = ascending_put(places, s->n, out, err);
    if (!status)
        status = bo_writer_status(&parts, err);
    bo_put_bytes(out, parts.p, parts.n);
    bo_writer_free(&parts);
    return status ? status : bo_writer_status(out, err);
}

static bool make_room(struct segments *s, uint32_t n_segments, struct bo_arena *arena)
{
    const struct statehist_model *model = s->states->model;
    const uint32_t n_groups = model->n_quarks / TIME_INDEX_GROUP + 1;
    s->first = bo_alloc_array(arena, (size_t)n_segments + 1, sizeof *s->first);
    s->changes = bo_alloc_array(arena, model->n_intervals - model->n_quarks, sizeof *s->changes);
    s->codes = bo_alloc_array(arena, model->n_quarks, sizeof *s->codes);
    s->groups = bo_alloc_array(arena, n_groups, sizeof *s->groups);
    s->words = bo_alloc_array(arena, n_groups, sizeof *s->words);
    s->quarks = bo_alloc_array(arena, model->n_quarks, sizeof *s->quarks);
    return s->first && s->changes && s->codes && s->groups && s->words && s->quarks;
}

enum bo_status time_index_put_checkpoints(const struct time_index_states *states, size_t max_nbytes,
                                          struct bo_writer *out, struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    const size_t before = out->n;
    struct segments s = {.states = states};
    uint64_t n_times = (states->n_times + MOST_SEGMENTS - 1) / MOST_SEGMENTS;
    enum bo_status status = BO_OK;
    if (states->model->n_quarks < LEAST_QUARKS) {
        bo_put_uvarint(out, 0);
        return bo_writer_status(out, err);
    }
    if (!make_room(&s, MOST_SEGMENTS, out->arena))
        return bo_fail_alloc(err, out->arena);
    if (n_times < LEAST_SEGMENT)
        n_times = LEAST_SEGMENT;
    for (; 2 * n_times <= states->n_times && !status; n_times = n_times * GROWTH / 4) {
        const struct bo_arena_mark attempt = bo_arena_mark(out->arena);
        s.n_times = (uint32_t)n_times;
        s.n = (states->n_times + s.n_times - 1) / s.n_times;
        status = put_segments(&s, out, err);
        bo_arena_rewind(out->arena, attempt);
        if (!status && out->n - before <= max_nbytes)
            break;
        out->n = before;
    }
    bo_arena_rewind(out->arena, mark);
    if (!status && out->n == before)
        bo_put_uvarint(out, 0);
    return status ? status : bo_writer_status(out, err);
}
