/*
 * time-index: writing checkpoints. The times at which anything changes are cut into segments of
 * equal length. A segment stores which attributes change in it and their values at its end. The
 * first segment of an era also stores the values of all attributes at its start.
 */
#include "codecs/statehist/time_index/write.h"

enum {
    ERA = 16,             /* segments */
    LEAST_QUARKS = 256,   /* fewer are looked up as fast without checkpoints */
    LEAST_SEGMENT = 16,   /* times */
    MOST_SEGMENTS = 1024, /* that are tried */
    GROWTH = 5,           /* a segment that is tried next is a quarter longer: 5 / 4 */
};

/* An attribute that changes in a segment, and its value after the segment. */
struct change {
    uint32_t quark, code;
};

struct segments {
    const struct time_index_states *states;
    uint32_t n, n_times; /* segments, times in each but the last */
    uint32_t *first;     /* by segment: its changes, in order of quarks; n + 1 */
    struct change *changes;
    uint32_t *last_group; /* by segment, while changes are counted: group of the last, from 1 */
    size_t n_groups;
    uint32_t *codes;          /* by quark: its current value */
    uint64_t *groups, *words; /* scratch: a set */
    uint32_t *quarks;         /* scratch */
};

/* The segment that interval i starts in, which is not the first of its timeline. */
static uint32_t segment_of(const struct segments *s, uint32_t i)
{
    return s->states->ranks[i] / s->n_times;
}

/*
 * Visits, for each timeline and segment, the last interval that starts in the segment. With
 * `counts`, counts these by segment plus 1, and the groups of their quarks. Else stores them at
 * s->first of their segment, which is incremented and ends as that of the next segment.
 */
static void each_change(struct segments *s, bool counts)
{
    const struct statehist_model *model = s->states->model;
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        const uint32_t end = model->first[q + 1], group = q / TIME_INDEX_GROUP + 1;
        uint32_t i = model->first[q] + 1, segment = i < end ? segment_of(s, i) : 0;
        for (; i < end; i++) {
            const uint32_t next = i + 1 < end ? segment_of(s, i + 1) : UINT32_MAX;
            if (next != segment && counts) {
                s->first[segment + 1]++;
                s->n_groups += s->last_group[segment] != group;
                s->last_group[segment] = group;
            } else if (next != segment) {
                s->changes[s->first[segment]++] = (struct change){q, s->states->codes[i]};
            }
            segment = next;
        }
    }
}

/* False when the arena refuses. */
static bool collect_changes(struct segments *s, struct bo_arena *arena)
{
    const struct statehist_model *model = s->states->model;
    for (uint32_t k = 0; k < s->n; k++)
        s->first[k + 1] += s->first[k];
    s->changes = bo_alloc_array(arena, s->first[s->n], sizeof *s->changes);
    if (!s->changes)
        return false;
    each_change(s, false);
    memmove(s->first + 1, s->first, s->n * sizeof *s->first);
    s->first[0] = 0;
    for (uint32_t q = 0; q < model->n_quarks; q++)
        s->codes[q] = s->states->codes[model->first[q]];
    return true;
}

/* A lower bound for the bytes of the parts: the sets of what changes in each segment. */
static size_t count_changes(struct segments *s)
{
    memset(s->first, 0, ((size_t)s->n + 1) * sizeof *s->first);
    memset(s->last_group, 0, s->n * sizeof *s->last_group);
    s->n_groups = 0;
    each_change(s, true);
    return 8 * s->n_groups;
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

/* The current values of all attributes. */
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

/* Appends the section, with segments of so many times; nothing when parts take more bytes. */
static enum bo_status put_segments(struct segments *s, size_t max_nbytes, struct bo_writer *out,
                                   struct bo_error *err)
{
    struct bo_arena *arena = out->arena;
    uint64_t *cuts = bo_alloc_array(arena, s->n, sizeof *cuts),
             *places = bo_alloc_array(arena, s->n, sizeof *places);
    struct bo_writer parts;
    enum bo_status status = BO_OK;
    if (!cuts || !places || !collect_changes(s, arena))
        return bo_fail_alloc(err, arena);
    bo_writer_init(&parts, arena);
    for (uint32_t k = 0; k < s->n && !status && parts.n <= max_nbytes; k++) {
        cuts[k] = s->states->times[(size_t)k * s->n_times];
        places[k] = parts.n;
        status = put_segment(s, k, &parts, err);
    }
    if (!status)
        status = bo_writer_status(&parts, err);
    if (!status && parts.n <= max_nbytes) {
        bo_put_uvarint(out, s->n);
        bo_put_uvarint(out, ERA);
        status = ascending_put(cuts + 1, s->n - 1, out, err);
        if (!status)
            status = ascending_put(places, s->n, out, err);
        bo_put_bytes(out, parts.p, parts.n);
    }
    bo_writer_free(&parts);
    return status ? status : bo_writer_status(out, err);
}

static bool make_room(struct segments *s, uint32_t n_segments, struct bo_arena *arena)
{
    const struct statehist_model *model = s->states->model;
    const uint32_t n_groups = model->n_quarks / TIME_INDEX_GROUP + 1;
    s->first = bo_alloc_array(arena, (size_t)n_segments + 1, sizeof *s->first);
    s->last_group = bo_alloc_array(arena, n_segments, sizeof *s->last_group);
    s->codes = bo_alloc_array(arena, model->n_quarks, sizeof *s->codes);
    s->groups = bo_alloc_array(arena, n_groups, sizeof *s->groups);
    s->words = bo_alloc_array(arena, n_groups, sizeof *s->words);
    s->quarks = bo_alloc_array(arena, model->n_quarks, sizeof *s->quarks);
    return s->first && s->last_group && s->codes && s->groups && s->words && s->quarks;
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
        if (count_changes(&s) > max_nbytes)
            continue;
        status = put_segments(&s, max_nbytes, out, err);
        bo_arena_rewind(out->arena, attempt);
        if (!status && out->n > before && out->n - before <= max_nbytes)
            break;
        out->n = before;
    }
    bo_arena_rewind(out->arena, mark);
    if (!status && out->n == before)
        bo_put_uvarint(out, 0);
    return status ? status : bo_writer_status(out, err);
}
