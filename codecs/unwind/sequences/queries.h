/*
 * sequences: queries. A query finds its segment, then its entry by Elias-Fano (a sampled bit string
 * of buckets, then the low bits of starts), then the entry's record by the sizes of those before it
 * in its block, and adds up distances until the PC is reached.
 *
 * Queries are compiled twice: by query.c for any CPU, and by query_v3.c for those of x86-64-v3,
 * whose BMI2 finds the k-th 1 bit of a word in one instruction.
 */
#ifndef UNWIND_SEQUENCES_QUERIES_H
#define UNWIND_SEQUENCES_QUERIES_H

#include "codecs/unwind/sequences/reader.h"

/* ---- starts ---------------------------------------------------------------------------------- */

#if UNWIND_SEQ_V3 && defined(__x86_64__)
/* The position after the r-th 1 of w (1 <= r <= 64), if w has r ones; *n_ret is its ones. */
static inline unsigned after_one(uint64_t w, unsigned r, unsigned *n_ret)
{
    *n_ret = (unsigned)__builtin_popcountll(w);
    return (unsigned)_tzcnt_u64(_pdep_u64(UINT64_C(1) << (r - 1), w)) + 1;
}
#else
#define EACH_BYTE 0x0101010101010101u
#define EACH_HIGH 0x8080808080808080u

/* For each byte of w: the number of ones in it and in all lower bytes. */
static inline uint64_t byte_sums(uint64_t w)
{
    w -= w >> 1 & 0x5555555555555555u;
    w = (w & 0x3333333333333333u) + (w >> 2 & 0x3333333333333333u);
    w = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return w * EACH_BYTE;
}

/* How many of the sums are below r, which is at most 64. */
static inline unsigned n_below(uint64_t sums, unsigned r)
{
    const uint64_t below = ((((r - 1) * EACH_BYTE) | EACH_HIGH) - sums) & EACH_HIGH;
    return (unsigned)((below >> 7) * EACH_BYTE >> 56);
}

/*
 * The position after the r-th 1 of w (1 <= r <= 64), if w has r ones; *n_ret is its ones. Finds the
 * byte, then the bit, without a branch.
 */
static inline unsigned after_one(uint64_t w, unsigned r, unsigned *n_ret)
{
    const uint64_t sums = byte_sums(w);
    *n_ret = (unsigned)(sums >> 56);
    const unsigned byte = n_below(sums, r) % 8;
    r -= (unsigned)((sums << 8) >> (8 * byte) & 0xff);
    /* Bit k of the byte, as byte k of a word. */
    const uint64_t bits = (w >> (8 * byte) & 0xff) * EACH_BYTE & 0x8040201008040201u;
    const uint64_t bytes = ((bits + 0x7f7f7f7f7f7f7f7fu) | bits) >> 7 & EACH_BYTE;
    return 8 * byte + n_below(bytes * EACH_BYTE, r) + 1;
}
#endif

/* Where bucket b begins in the upper bits. */
static inline uint64_t bucket_bit(const struct segment *s, uint32_t b)
{
    const uint32_t sampled = b / UNWIND_SEQ_SAMPLED;
    uint64_t bit =
        (uint64_t)sampled * UNWIND_SEQ_SAMPLED + bo_le16(s->samples + 2 * (size_t)sampled);
    unsigned left = b % UNWIND_SEQ_SAMPLED;
    if (left == 0)
        return bit;
    for (;;) {
        const uint64_t zeros = ~window_at(s->upper, bit) & ((UINT64_C(1) << WINDOW_BITS) - 1);
        unsigned n;
        const unsigned after = after_one(zeros, left, &n);
        if (__builtin_expect(n >= left, 1))
            return bit + after;
        left -= n;
        bit += WINDOW_BITS;
    }
}

/* The 1 before, which exists. */
static inline uint64_t last_one(const struct segment *s, uint64_t bit)
{
    uint64_t word = bit / 64;
    uint64_t ones = bo_le64(s->upper + 8 * word) & ~(UINT64_MAX << bit % 64);
    while (!ones)
        ones = bo_le64(s->upper + 8 * --word);
    return 64 * word + 63 - (unsigned)__builtin_clzll(ones);
}

/* The last entry that starts at or before `off` from Base, where a segment has one. */
static inline bool find(const struct reader *r, uint64_t off, struct at *at)
{
    uint32_t low = 0, n = r->n_segments;
    if (off > UINT32_MAX)
        return false;
    while (n > 1) {
        const uint32_t half = n / 2;
        low = r->segments[low + half].start <= off ? low + half : low;
        n -= half;
    }
    const struct segment *s = &r->segments[low];
    if (!n || (uint32_t)off < s->start || (uint32_t)off - s->start >= s->span)
        return false;
    const uint32_t x = ((uint32_t)off - s->start) >> s->quantum, bucket = x >> s->low_bits;
    const uint32_t low_x = x & s->low_mask;
    /* The last bucket of starts may lie before that of the PC. */
    const uint64_t last_bucket = s->n_upper_bits - s->n - 1;
    uint64_t bit;
    uint32_t entry;
    if (bucket > last_bucket) {
        bit = s->n_upper_bits - 1;
        entry = s->n;
    } else {
        bit = bucket_bit(s, bucket);
        entry = (uint32_t)(bit - bucket);
        /* Low bits of later buckets, if there are any, are read, too, but ignored. */
        const uint64_t ones = window_at(s->upper, bit);
        const uint32_t second = entry + 1 < s->n ? entry + 1 : entry;
        unsigned n_at = (unsigned)(ones & (low_of(s, entry < s->n ? entry : 0) <= low_x));
        n_at += (unsigned)(ones >> 1 & ones & (low_of(s, second) <= low_x));
        bit += n_at;
        entry += n_at;
        if (n_at == 2)
            while (upper_bit(s, bit) && low_of(s, entry) <= low_x) {
                bit++;
                entry++;
            }
    }
    *at = (struct at){.segment = s, .number = entry - 1, .bit = last_one(s, bit)};
    place(at);
    return true;
}

/* ---- records --------------------------------------------------------------------------------- */

#if UNWIND_SEQ_V3 && defined(__x86_64__)
/* Eight distances: fields that begin `rel` bits after `bit`, of the given widths. */
static inline __m256i distances(const struct reader *r, uint64_t bit, __m256i rel, __m256i width,
                                const struct group *g)
{
    const __m256i low_bytes =
        _mm256_broadcastsi128_si256(_mm_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0));
    const __m256i data =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(r->records.p + bit / 8)));
    const __m256i at = _mm256_add_epi32(rel, _mm256_set1_epi32((int)(bit % 8)));
    const __m256i four = _mm256_add_epi8(_mm256_shuffle_epi8(_mm256_srli_epi32(at, 3), low_bytes),
                                         _mm256_set1_epi32(0x03020100));
    const __m256i words = _mm256_srlv_epi32(_mm256_shuffle_epi8(data, four),
                                            _mm256_and_si256(at, _mm256_set1_epi32(7)));
    return _mm256_add_epi32(
        _mm256_loadu_si256((const void *)g->base),
        _mm256_andnot_si256(_mm256_sllv_epi32(_mm256_set1_epi32(-1), width), words));
}

static inline __m256i narrow_distances(const struct reader *r, const struct record *record,
                                       uint32_t number)
{
    const struct group *g = &record->list->groups[number];
    return distances(r, record->bit + g->bit,
                     _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)g->rel)),
                     _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)g->width)), g);
}

/* Those of a special record: all fields have its width, and the implied step has none. */
static inline __m256i special_distances(const struct reader *r, const struct record *record,
                                        uint32_t number)
{
    const struct list *list = record->list;
    const uint32_t first = number * UNWIND_GROUP, before = first - (first > list->implied);
    const __m256i implied = _mm256_set1_epi32((int)list->implied);
    const __m256i steps =
        _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    const __m256i fields = _mm256_add_epi32(steps, _mm256_cmpgt_epi32(steps, implied));
    const __m256i rel = _mm256_mullo_epi16(_mm256_sub_epi32(fields, _mm256_set1_epi32((int)before)),
                                           _mm256_set1_epi32((int)record->width));
    const __m256i is_there =
        _mm256_andnot_si256(_mm256_cmpeq_epi32(steps, implied),
                            _mm256_cmpgt_epi32(_mm256_set1_epi32((int)list->n), steps));
    const uint64_t bit = first < list->n ? (uint64_t)before * record->width : 0;
    return distances(r, record->bit + bit, rel,
                     _mm256_and_si256(is_there, _mm256_set1_epi32((int)record->width)),
                     &list->groups[number]);
}

static inline uint32_t sum_of(__m256i x)
{
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}

/* The sums of each element and those before it. */
static inline __m256i running_sums(__m256i x)
{
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    const __m256i low_half = _mm256_permute2x128_si256(x, x, 0x08);
    return _mm256_add_epi32(x, _mm256_shuffle_epi32(low_half, 0xff));
}

/* The number of a group's rows that end at or before an offset; *before becomes the group's end. */
static inline unsigned n_passed(__m256i x, __m256i *before, __m256i off)
{
    const __m256i ends = _mm256_add_epi32(running_sums(x), *before);
    const __m256i passed = _mm256_cmpeq_epi32(_mm256_max_epu32(ends, off), off);
    *before = _mm256_permutevar8x32_epi32(ends, _mm256_set1_epi32(UNWIND_GROUP - 1));
    return (unsigned)__builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(passed)));
}

/*
 * The state at an offset, in units. Adds up the stored distances, 16 at a time: the length minus
 * this sum is the distance of the implied step. Then counts the rows that end at or before the
 * offset. Most lists have at most 16 rows; for these no branch depends on the list or the offset.
 */
static inline uint32_t state_in_groups(const struct reader *r, const struct record *record,
                                       uint32_t off, uint32_t length)
{
    const struct list *list = record->list;
    const uint32_t n = n_groups_of(list->n), implied = list->implied;
    const __m256i wanted = _mm256_set1_epi32((int)off), zero = _mm256_setzero_si256();
    __m256i x[UNWIND_MAX_GROUPS], sum = zero, before = zero;
    uint32_t g = 0;
    do {
        if (__builtin_expect(record->width == UNWIND_SEQ_NARROW, 1)) {
            x[g] = narrow_distances(r, record, g);
            x[g + 1] = narrow_distances(r, record, g + 1);
        } else {
            x[g] = special_distances(r, record, g);
            x[g + 1] = special_distances(r, record, g + 1);
        }
        sum = _mm256_add_epi32(sum, _mm256_add_epi32(x[g], x[g + 1]));
    } while (__builtin_expect((g += 2) < n, 0));
    const __m256i own = _mm256_cmpeq_epi32(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0),
                                           _mm256_set1_epi32((int)(implied % UNWIND_GROUP)));
    __m256i *with_implied = &x[implied / UNWIND_GROUP];
    *with_implied = _mm256_add_epi32(
        *with_implied, _mm256_and_si256(own, _mm256_set1_epi32((int)(length - sum_of(sum)))));
    unsigned row = 0, passed;
    g = 0;
    do {
        passed = n_passed(x[g], &before, wanted) + n_passed(x[g + 1], &before, wanted);
        row += passed;
    } while (__builtin_expect(passed == 2 * UNWIND_GROUP && (g += 2) < n, 0));
    return list->fields[row].state;
}
#endif

/*
 * The state at an offset, in units: of the steps before the implied one, after it, or the implied
 * one.
 */
static inline uint32_t state_at(const struct reader *r, const struct record *record, uint32_t off,
                                uint32_t length)
{
    const struct list *list = record->list;
    const struct field *fields = list->fields;
#if UNWIND_SEQ_V3 && defined(__x86_64__)
    if (list->groups &&
        (record->width == UNWIND_SEQ_NARROW || record->width <= UNWIND_GROUP_MAX_SPECIAL))
        return state_in_groups(r, record, off, length);
#endif
    uint32_t at = 0, end = length;
    if (record->width == UNWIND_SEQ_NARROW && list->narrow_nbits <= WINDOW_BITS) {
        const uint64_t window = window_at(r->records.p, record->bit);
        for (uint32_t s = 0; s < list->implied; s++) {
            at += fields[s].base + ((uint32_t)(window >> fields[s].bit) & fields[s].mask);
            if (off < at)
                return fields[s].state;
        }
        for (uint32_t s = list->n - 1; s > list->implied; s--) {
            end -= fields[s].base + ((uint32_t)(window >> fields[s].bit) & fields[s].mask);
            if (off >= end)
                return fields[s].state;
        }
        return fields[list->implied].state;
    }
    for (uint32_t s = 0; s < list->implied; s++) {
        at += (uint32_t)distance(r, record, s);
        if (off < at)
            return fields[s].state;
    }
    for (uint32_t s = list->n - 1; s > list->implied; s--) {
        end -= (uint32_t)distance(r, record, s);
        if (off >= end)
            return fields[s].state;
    }
    return fields[list->implied].state;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* The function at a PC: false where no function is. */
static inline bool find_function(const struct reader *r, uint64_t pc, struct at *at,
                                 struct record *record, uint32_t *length)
{
    if (pc < r->base || !find(r, pc - r->base, at))
        return false;
    const uint32_t end = end_of(r, at);
    if (pc - r->base >= end)
        return false;
    *record = record_of(r, at);
    *length = end - at->start;
    return !(record->list->flags & UNWIND_LIST_HOLE);
}

static inline void answer_point(const struct reader *r, uint64_t pc,
                                struct unwind_point_answer *answer)
{
    struct at at;
    struct record record;
    uint32_t length;
    *answer = (struct unwind_point_answer){0};
    if (!find_function(r, pc, &at, &record, &length))
        return;
    const struct list *list = record.list;
    uint32_t off = (uint32_t)(pc - r->base - at.start);
    if (__builtin_expect(list->rep, 0)) {
        off %= list->rep;
        length = list->rep < length ? list->rep : length;
    }
    const uint32_t state = state_at(r, &record, off >> r->unit, length >> r->unit);
    answer->start = r->base + at.start;
    answer->flags = list->flags & UNWIND_ALL_FLAGS;
    answer->found = state == UNWIND_NO_STATE ? UNWIND_NO_ROW : UNWIND_ROW;
    answer->state = r->states[state];
}

static enum bo_status put_function(const struct reader *r, const struct at *at,
                                   const struct record *record, uint32_t length,
                                   struct bo_sink *sink)
{
    const struct list *list = record->list;
    const uint64_t limit = (list->rep && list->rep < length ? list->rep : length) >> r->unit;
    struct unwind_function_answer *answer = unwind_answer_function(
        sink, r->base + at->start, length, list->flags & UNWIND_ALL_FLAGS, list->rep);
    uint64_t sum = 0, off = 0;
    if (!answer)
        return BO_OVER_LIMIT;
    for (uint32_t s = 0; s < list->n; s++)
        sum += s == list->implied ? 0 : distance(r, record, s);
    for (uint32_t s = 0; s < list->n; s++) {
        const uint32_t state = list->fields[s].state;
        if (state != UNWIND_NO_STATE &&
            !unwind_answer_row(sink, answer, (uint32_t)off << r->unit, &r->states[state]))
            return BO_OVER_LIMIT;
        off += s == list->implied ? limit - sum : distance(r, record, s);
    }
    return BO_OK;
}

static enum bo_status scan(const struct reader *r, struct bo_sink *sink)
{
    struct unwind_scan_answer *head = bo_sink_take(sink, sizeof *head);
    if (!head)
        return BO_OVER_LIMIT;
    head->n_functions = r->n_functions;
    enum bo_status status = BO_OK;
    for (uint32_t i = 0; i < r->n_segments && !status; i++) {
        const struct segment *s = &r->segments[i];
        struct at at = {.segment = s};
        for (; at.number < s->n && !status; at.number++) {
            at.bit = at.number ? next_one(s, at.bit) : 0;
            place(&at);
            const struct record record = record_of(r, &at);
            if (!(record.list->flags & UNWIND_LIST_HOLE))
                status = put_function(r, &at, &record, end_of(r, &at) - at.start, sink);
        }
    }
    return status;
}

static enum bo_status answer(const struct reader *r, unsigned kind, const void *queries, size_t n,
                             void *answers)
{
    const struct unwind_point *points = queries;
    const struct unwind_at *pcs = queries;
    struct unwind_point_answer *point_answers = answers;
    enum bo_status status = BO_OK;
    if (kind == UNWIND_POINT) {
        for (size_t i = 0; i < n; i++)
            answer_point(r, points[i].pc, &point_answers[i]);
        return BO_OK;
    }
    for (size_t i = 0; i < n && !status; i++) {
        struct at at;
        struct record record;
        uint32_t length;
        if (kind == UNWIND_SCAN)
            status = scan(r, answers);
        else
            status = find_function(r, pcs[i].pc, &at, &record, &length)
                         ? put_function(r, &at, &record, length, answers)
                         : BO_OUT_OF_RANGE;
    }
    return status;
}

#endif
