/* time-index: the whole model. */
#include "codecs/statehist/time_index/read.h"
#include "codecs/statehist/tree.h"

struct decoder {
    const struct time_index *index;
    struct statehist_builder *builder;
    uint64_t *times; /* all of them, when timelines have places */
    bool *is_used;   /* by time: whether a timeline has it */
    uint32_t *first; /* by quark: its first interval */
    uint64_t end;    /* of the records so far, in bits */
};

static enum bo_status damaged(const struct decoder *d, struct bo_error *err, const uint8_t *where,
                              const char *what)
{
    return bo_fail(err, BO_CORRUPT, (uint64_t)(where - d->index->in.p), what);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* What is wrong after a part's last block, which ends at bit `end`; NULL: it fills the part. */
static const char *rest_flaw(const uint8_t *p, uint64_t end, uint64_t nbits)
{
    if (end > nbits)
        return "row runs past the end";
    if (nbits - end >= 8)
        return "bytes after the last block";
    return end % 8 && p[end / 8] >> end % 8 ? "free bits are not 0" : NULL;
}

/* Where a block ends, in bits. */
static uint64_t end_of(const struct ascending_block *block, const uint64_t *numbers)
{
    const uint64_t span = block->n ? numbers[block->n - 1] - block->base : 0;
    return block->upper + (block->l && block->n ? (span >> block->l) + block->n - 1 : span);
}

/*
 * What is wrong with a list: `what` if its numbers do not ascend from at least `least` to at most
 * `most`; NULL: nothing.
 */
static const char *list_flaw(const struct ascending_list *list, uint64_t least, uint64_t most,
                             const char *what)
{
    uint64_t numbers[ASCENDING_BLOCK], last = list->first, end = list->blocks;
    struct ascending_block block;
    if (list->n == 0)
        return NULL;
    for (uint32_t b = 0; b < list->n_blocks && list->n > 1; b++) {
        if (!ascending_list_block(list, b, &block) || !ascending_block_all(&block, numbers))
            return "list is damaged";
        for (unsigned i = b == 0; i < block.n; last = numbers[i++])
            if (numbers[i] <= last)
                return what;
        const uint64_t block_end = end_of(&block, numbers);
        end = block_end > end ? block_end : end;
    }
    return list->first < least || last > most ? what : rest_flaw(list->body, end, list->body_nbits);
}

/* ---- strings, times, values ------------------------------------------------------------------ */

static enum bo_status read_strings(const struct decoder *d, struct bo_error *err)
{
    const struct time_index *index = d->index;
    const uint8_t *end = index->strings.p;
    const char *what = list_flaw(&index->string_ends, 0, UINT64_MAX, "coded strings are invalid");
    if (what)
        return damaged(d, err, index->strings.p, what);
    for (uint32_t i = 0; i < index->n_strings; i++) {
        struct bo_span string;
        uint32_t number;
        if (!time_index_string(index, i, &string))
            return damaged(d, err, index->strings.p, "coded strings are invalid");
        if (!statehist_add_string(d->builder, string, &number))
            return bo_fail_alloc(err, d->builder->arena);
        if (number != i)
            return damaged(d, err, string.p, "duplicate string");
        end = string.p + string.n;
    }
    if (end != index->strings.p + index->strings.n)
        return damaged(d, err, end, "bytes after the last string");
    return BO_OK;
}

static enum bo_status read_times(struct decoder *d, struct bo_error *err)
{
    const struct ascending_list *list = &d->index->times;
    const char *what = list_flaw(list, 1, (uint64_t)d->index->end - (uint64_t)d->index->start,
                                 "times do not ascend in the history");
    if (what)
        return damaged(d, err, list->body ? list->body : d->index->in.p, what);
    d->times = bo_alloc_array(d->builder->arena, list->n, sizeof *d->times);
    d->is_used = bo_zalloc_array(d->builder->arena, list->n, sizeof *d->is_used);
    if (!d->times || !d->is_used)
        return bo_fail_alloc(err, d->builder->arena);
    for (uint32_t i = 0; i < list->n; i++)
        (void)ascending_at(list, i, &d->times[i]);
    return BO_OK;
}

static enum bo_status check_times(const struct decoder *d, struct bo_error *err)
{
    const struct ascending_list *list = &d->index->times;
    for (uint32_t i = 0; i < list->n; i++)
        if (!d->is_used[i])
            return damaged(d, err, list->body ? list->body : d->index->in.p,
                           "time at which nothing changes");
    return BO_OK;
}

/* Values are looked up by their place among those of their type, so they must ascend, too. */
static enum bo_status check_classes(const struct decoder *d, struct bo_error *err)
{
    const struct time_index *index = d->index;
    for (uint32_t c = 0; c < index->n_classes; c++)
        for (unsigned t = STATEHIST_NULL + 1; t < STATEHIST_N_TYPES; t++) {
            const struct ascending_list *list = &index->classes[c].values[t];
            const char *what = list_flaw(list, 0, UINT64_MAX, "values do not ascend");
            uint64_t last = 0;
            if (list->n)
                (void)ascending_at(list, list->n - 1, &last);
            if (!what && list->n && !time_index_fits(index, t, last))
                what = "value is out of its type's range";
            if (what) /* the section starts after the strings */
                return damaged(d, err,
                               list->body ? list->body : index->strings.p + index->strings.n, what);
        }
    return BO_OK;
}

/* ---- timelines ------------------------------------------------------------------------------- */

/* One interval is added when the next one starts. */
static const char *read_block(struct decoder *d, const struct time_index_block *block,
                              bool with_first, struct statehist_interval *at)
{
    const struct time_index *index = d->index;
    uint64_t keys[ASCENDING_BLOCK];
    if (block->keys.n && !ascending_block_all(&block->keys, keys))
        return "keys are damaged";
    const uint64_t end = end_of(&block->keys, keys);
    d->end = end > d->end ? end : d->end;
    for (unsigned i = 0; i < block->n_local; i++) {
        uint32_t type;
        uint64_t value;
        if (!time_index_value_of(index, block->class, time_index_local(block, i), &type, &value))
            return "value code is out of range";
    }
    for (unsigned i = 0; i < block->n_codes; i++) {
        struct statehist_interval next = {.start = index->start, .quark = at->quark};
        if (i || !with_first) {
            const uint64_t key = keys[i - with_first];
            uint64_t time = key;
            if (!index->direct && key < index->times.n) {
                time = d->times[key];
                d->is_used[key] = true;
            } else if (!index->direct || key > (uint64_t)index->end - (uint64_t)index->start) {
                return "change key is out of range";
            }
            next.start = (int64_t)((uint64_t)index->start + time);
            if (next.start <= at->start)
                return "keys do not ascend";
            at->end = next.start - 1;
            if (!statehist_add_interval(d->builder, at))
                return statehist_no_memory;
        }
        if (!time_index_value_of(index, block->class, time_index_code(block, i), &next.type,
                                 &next.value))
            return "value code is out of range";
        *at = next;
    }
    return NULL;
}

static const char *read_timeline(struct decoder *d, uint32_t quark)
{
    const struct time_index *index = d->index;
    struct time_index_timeline t;
    struct statehist_interval at = {.start = index->start, .quark = quark};
    if (!time_index_timeline(index, quark, &t))
        return "record is damaged";
    index->class_of[quark] = (uint8_t)(t.class - index->classes);
    if (t.n > index->n_intervals - d->builder->n_intervals)
        return "more intervals than announced";
    if (!t.shape && !time_index_value_of(index, t.class, t.first_code, &at.type, &at.value))
        return "value code is out of range";
    d->end = t.blocks > d->end ? t.blocks : d->end;
    for (uint32_t b = 0; b < time_index_n_blocks(&t); b++) {
        struct time_index_block block;
        if (!time_index_block(&t, b, &block))
            return "block is damaged";
        const char *what = read_block(d, &block, t.shape != NULL, &at);
        if (what)
            return what;
    }
    at.end = index->end;
    return statehist_add_interval(d->builder, &at) ? NULL : statehist_no_memory;
}

static enum bo_status read_timelines(struct decoder *d, struct bo_error *err)
{
    const struct time_index *index = d->index;
    const char *flaw = list_flaw(&index->places, 0, UINT64_MAX, "places of records do not ascend");
    if (flaw)
        return damaged(d, err, index->places.body, flaw);
    for (uint32_t q = 0; q < index->n_quarks; q++) {
        d->first[q] = (uint32_t)d->builder->n_intervals;
        const char *what = read_timeline(d, q);
        uint64_t at = 0;
        if (what == statehist_no_memory)
            return bo_fail_alloc(err, d->builder->arena);
        if (!what)
            continue;
        (void)ascending_at(&index->places, q, &at);
        at = at < index->records_nbits ? at : index->records_nbits;
        return damaged(d, err, index->records + at / 8, what);
    }
    if (d->builder->n_intervals != index->n_intervals)
        return damaged(d, err, index->records, "fewer intervals than announced");
    flaw = rest_flaw(index->records, d->end, index->records_nbits);
    return flaw ? damaged(d, err, index->records + d->end / 8, flaw) : BO_OK;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* The history while its segments pass by. */
struct playback {
    const struct decoder *d;
    uint32_t *at;         /* by quark: its interval now */
    uint32_t n_values;    /* attributes that are not null now */
    uint64_t n_passed;    /* changes so far */
    uint64_t start, last; /* of the segment, above the start of the history; both included */
};

static const struct statehist_interval *interval_of(const struct playback *b, uint32_t quark)
{
    return &b->d->builder->intervals[b->at[quark]];
}

static bool has_value(const struct playback *b, uint32_t quark)
{
    return interval_of(b, quark)->type != STATEHIST_NULL;
}

/* Whether the attribute changes again by the end of the segment. */
static bool changes_by_end(const struct playback *b, uint32_t quark)
{
    const struct time_index *index = b->d->index;
    const int64_t end = interval_of(b, quark)->end;
    return end != index->end && (uint64_t)end - (uint64_t)index->start < b->last;
}

/* The attribute's code in a part is what it is. */
static bool check_code(const struct playback *b, struct bo_bit_cursor *codes, uint32_t quark)
{
    const struct time_index *index = b->d->index;
    const struct time_index_class *class = &index->classes[index->class_of[quark]];
    const struct statehist_interval *now = interval_of(b, quark);
    uint32_t code, type;
    uint64_t value;
    return bo_get_bits(codes, class->code_nbits, &code) &&
           time_index_value_of(index, class, code, &type, &value) && type == now->type &&
           value == now->value;
}

/* Takes a set out of a part. What is wrong with it, or NULL. */
static const char *open_set(const struct playback *b, struct bo_cursor *part,
                            struct time_index_set *set)
{
    if (!time_index_open_set(b->d->index, part, set))
        return "checkpoint is damaged";
    for (uint32_t i = 0; i < set->groups.n; i++)
        if (bo_le64(set->words + 8 * (size_t)i) == 0)
            return "group of a checkpoint has no quarks";
    return list_flaw(&set->groups, 0, UINT64_MAX, "groups of a checkpoint do not ascend");
}

/* Ends a part's codes, which fill up a byte. What is wrong, or NULL. */
static const char *end_codes(const struct bo_bit_cursor *codes, struct bo_cursor *part)
{
    part->off = (size_t)((codes->bit + 7) / 8);
    return rest_flaw(part->p, codes->bit, 8 * (uint64_t)part->off);
}

/* What an era begins with: all that are not null, and nothing else. */
static const char *check_era(struct playback *b, struct bo_cursor *part)
{
    struct time_index_set set;
    uint64_t word;
    uint32_t quark = 0;
    const char *what = open_set(b, part, &set);
    if (what)
        return what;
    struct bo_bit_cursor codes = {{part->p, part->n}, 8 * (uint64_t)part->off};
    if (set.n != b->n_values)
        return "checkpoint lacks a value, or has one too many";
    while (time_index_next_group(b->d->index, &set, &word, &quark))
        for (; word; word &= word - 1) {
            const uint32_t q = quark + (uint32_t)__builtin_ctzll(word);
            if (!has_value(b, q) || !check_code(b, &codes, q))
                return "checkpoint contains another value";
        }
    return set.is_damaged ? "checkpoint is damaged" : end_codes(&codes, part);
}

/* Gives an attribute of the set its value after the segment. False when it does not change. */
static bool pass(struct playback *b, uint32_t quark)
{
    const uint64_t end = (uint64_t)interval_of(b, quark)->end - (uint64_t)b->d->index->start;
    if (!changes_by_end(b, quark) || end + 1 < b->start)
        return false;
    b->n_values -= has_value(b, quark);
    for (; changes_by_end(b, quark); b->n_passed++)
        b->at[quark]++;
    b->n_values += has_value(b, quark);
    return true;
}

/* `has_values`: the segment stores the values at its end. */
static const char *check_segment(struct playback *b, struct bo_cursor *part, bool has_values)
{
    struct time_index_set set;
    uint64_t word;
    uint32_t quark = 0;
    const char *what = open_set(b, part, &set);
    if (what)
        return what;
    struct bo_bit_cursor stored = {{part->p, part->n}, 8 * (uint64_t)part->off};
    struct bo_bit_cursor codes = {stored.in, stored.bit + set.n};
    if (has_values && codes.bit > 8 * (uint64_t)part->n)
        return "checkpoint ends too early";
    while (time_index_next_group(b->d->index, &set, &word, &quark))
        for (; word; word &= word - 1) {
            const uint32_t q = quark + (uint32_t)__builtin_ctzll(word);
            uint32_t is_stored = 0;
            if (!pass(b, q))
                return "checkpoint has an attribute that does not change";
            if (has_values && !bo_get_bits(&stored, 1, &is_stored))
                return "checkpoint ends too early";
            if (has_values &&
                (is_stored != has_value(b, q) || (is_stored && !check_code(b, &codes, q))))
                return "checkpoint contains another value";
        }
    if (set.is_damaged)
        return "checkpoint is damaged";
    return has_values ? end_codes(&codes, part) : NULL;
}

static const char *check_part(struct playback *b, uint32_t k, struct bo_cursor *part)
{
    const struct time_index *index = b->d->index;
    const char *what = NULL;
    const bool is_last = k + 1 == index->n_segments;
    uint64_t next = (uint64_t)index->end - (uint64_t)index->start + 1;
    b->start = k ? b->last + 1 : 0;
    if (!is_last)
        (void)ascending_at(&index->cuts, k, &next);
    b->last = next - 1;
    if (k % index->era == 0)
        what = check_era(b, part);
    return what ? what : check_segment(b, part, (k + 1) % index->era && !is_last);
}

/* Checkpoints must agree with the timelines, because a reader may use either. */
static enum bo_status check_checkpoints(const struct decoder *d, struct bo_error *err)
{
    const struct time_index *index = d->index;
    const struct bo_span *parts = &index->part_bytes;
    struct playback b = {.d = d, .at = d->first};
    if (index->n_segments == 0)
        return BO_OK;
    const char *what = list_flaw(&index->cuts, 1, (uint64_t)index->end - (uint64_t)index->start,
                                 "segments do not ascend in the history");
    if (!what)
        what = list_flaw(&index->parts, 0, parts->n, "places of checkpoints are damaged");
    if (what)
        return damaged(d, err, parts->p, what);
    for (uint32_t q = 0; q < index->n_quarks; q++)
        b.n_values += has_value(&b, q);
    const uint8_t *end = parts->p; /* of the parts so far */
    for (uint32_t k = 0; k < index->n_segments; k++) {
        struct bo_cursor part = bo_cursor_at(*parts, 0, 0);
        (void)time_index_part(index, k, &part);
        what = part.p == end ? check_part(&b, k, &part) : "part is not where the one before ends";
        if (what)
            return damaged(d, err, part.p, what);
        end = part.p + part.off;
    }
    if (end != parts->p + parts->n)
        return damaged(d, err, end, "bytes after the last part");
    if (b.n_passed != index->n_intervals - index->n_quarks)
        return damaged(d, err, parts->p, "checkpoints lack a change");
    return BO_OK;
}

enum bo_status time_index_decode(const struct bo_codec *self, struct bo_span in,
                                 struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    void *reader;
    enum bo_status status =
        time_index_open_within(in, (struct time_index_limits){0, 0, 0, 0}, arena, &reader, err);
    if (status)
        return status;
    struct statehist_builder builder;
    struct decoder d = {.index = reader, .builder = &builder};
    const struct bo_cursor tree =
        bo_cursor_at(in, (size_t)(d.index->tree.p - in.p), d.index->tree.n);
    d.first = bo_alloc_array(arena, d.index->n_quarks, sizeof *d.first);
    if (!d.first || !statehist_builder_init(&builder, true, arena) ||
        !statehist_reserve(&builder, d.index->n_quarks, d.index->n_intervals))
        return bo_fail_alloc(err, arena);
    if ((status = statehist_unpack_tree(tree, d.index->n_quarks, &builder, err)) ||
        (status = read_strings(&d, err)) || (status = read_times(&d, err)) ||
        (status = check_classes(&d, err)) || (status = read_timelines(&d, err)) ||
        (status = check_times(&d, err)) || (status = check_checkpoints(&d, err)))
        return status;
    struct statehist_model *model;
    struct statehist_flaw flaw;
    status = statehist_finish(&builder, d.index->start, d.index->end, &model, &flaw);
    if (status)
        return statehist_fail(err, status, BO_NO_OFFSET, &flaw, arena);
    if (!statehist_keeps_strings(&builder, model))
        return damaged(&d, err, d.index->strings.p,
                       "strings are not in the order of their first use");
    *model_ret = model;
    return BO_OK;
}
