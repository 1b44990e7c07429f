/* sequences: opening and decoding. The queries are in queries.h. */
#include "codecs/unwind/sequences/reader.h"
#include "harness/core/cpu.h"

/* ---- open ------------------------------------------------------------------------------------ */

/* The state of opening a payload. */
struct opening {
    const struct bo_codec *self;
    struct reader *r;
    struct unwind_frame frame;
    struct bo_error *err;
    struct bo_arena *arena;
    uint64_t next_bit; /* of the records: where the next one must begin */
    uint64_t n_rows;
    bool after_function;      /* the entry before is a function of the same segment */
    struct unwind_builder *b; /* or NULL */
};

static enum bo_status bad(const struct opening *o, const uint8_t *p, const char *what)
{
    const uint64_t at = o->frame.part_off[0] + (uint64_t)(p - o->frame.parts[0].p);
    return bo_fail(o->err, BO_CORRUPT, at, what);
}

/* The groups of a list, at p; NULL if groups cannot address one of its fields. */
static const struct group *group_fields(const struct list *list, struct group *p)
{
    if (list->n == 0 || n_groups_of(list->n) > UNWIND_MAX_GROUPS)
        return NULL;
    memset(p, 0, n_groups_of(list->n) * sizeof *p);
    for (uint32_t s = 0; s < list->n; s++) {
        const struct field *f = &list->fields[s];
        struct group *g = &p[s / UNWIND_GROUP];
        const uint32_t i = s % UNWIND_GROUP;
        g->bit = i ? g->bit : f->bit;
        if (f->bit - g->bit > UNWIND_GROUP_MAX_REL || f->mask >> UNWIND_GROUP_MAX_WIDTH)
            return NULL;
        g->base[i] = f->base;
        g->rel[i] = (uint8_t)(f->bit - g->bit);
        g->width[i] = (uint8_t)bo_bit_width(f->mask);
    }
    return p;
}

/* Of all functions, and the steps of all lists, since a writer stores only lists that are used. */
static uint64_t max_rows(const struct opening *o)
{
    return (uint64_t)o->frame.parts[0].n * UNWIND_SEQ_ROWS_PER_BYTE +
           2 * (uint64_t)UNWIND_SEQ_FREE_ROWS;
}

static enum bo_status expand_lists(struct opening *o, const struct unwind_dictionary *d)
{
    struct reader *r = o->r;
    const size_t n_lists = d->n_lists > UNWIND_SEQ_LONG ? d->n_lists : UNWIND_SEQ_LONG + 1;
    struct list *lists = bo_zalloc_array(o->arena, n_lists, sizeof *lists);
    uint32_t *narrow_nbits = bo_zalloc_array(o->arena, n_lists, sizeof *narrow_nbits);
    struct field *fields = bo_alloc_array(o->arena, d->n_steps, sizeof *fields);
    struct group *groups = NULL;
    size_t n_groups = 0;
    for (size_t i = 0; i < d->n_lists; i++)
        n_groups += n_groups_of(d->lists[i].n);
    if (bo_cpu_has_v3() && !o->b && !(groups = bo_alloc_array(o->arena, n_groups, sizeof *groups)))
        return bo_fail_alloc(o->err, o->arena);
    if (!lists || !narrow_nbits || !fields)
        return bo_fail_alloc(o->err, o->arena);
    for (size_t i = 0; i < d->n_lists; i++) {
        const struct unwind_list *from = &d->lists[i];
        uint64_t nbits = 0;
        lists[i] = (struct list){.fields = fields + from->first,
                                 .n = from->n,
                                 .implied = from->implied,
                                 .flags = from->flags,
                                 .rep = from->rep};
        for (uint32_t s = 0; s < from->n; s++) {
            const struct unwind_step *step = &d->steps[from->first + s];
            const struct unwind_transition *t = &d->transitions[step->transition];
            const bool implied = s == from->implied;
            const unsigned width = implied ? 0 : t->width;
            fields[from->first + s] =
                (struct field){step->state, implied ? 0 : t->base, (uint32_t)nbits,
                               (uint32_t)((UINT64_C(1) << width) - 1)};
            nbits += implied ? 0 : t->width;
        }
        if (nbits > UINT32_MAX)
            return bo_fail(o->err, BO_CORRUPT, o->frame.part_off[0],
                           "fields of a list take 2^32 bits or more");
        lists[i].narrow_nbits = narrow_nbits[i] = (uint32_t)nbits;
        if (groups) {
            lists[i].groups = group_fields(&lists[i], groups);
            groups += n_groups_of(from->n);
        }
    }
    r->lists = lists;
    r->narrow_nbits = narrow_nbits;
    r->states = d->states;
    r->n_lists = (uint32_t)d->n_lists;
    return BO_OK;
}

/* The rows of one function; where its record ends becomes where the next one begins. */
static enum bo_status walk_record(struct opening *o, const struct record *record, uint32_t start,
                                  uint32_t length, const uint8_t *where)
{
    const struct reader *r = o->r;
    const struct list *list = record->list;
    const uint64_t limit = (list->rep && list->rep < length ? list->rep : length) >> r->unit;
    uint64_t sum = 0, off = 0;
    for (uint32_t s = 0; s < list->n; s++)
        sum += s == list->implied ? 0 : distance(r, record, s);
    if (list->rep & ((1u << r->unit) - 1))
        return bad(o, where, "pattern's size is not a multiple of the unit");
    if (sum >= limit)
        return bad(o, where, "distances of a function reach or exceed its length");
    const uint8_t flags = list->flags & UNWIND_ALL_FLAGS;
    if (o->b && !unwind_add_function(o->b, r->base + start, length, flags, list->rep))
        return bo_fail_alloc(o->err, o->arena);
    for (uint32_t s = 0; s < list->n; s++) {
        const uint64_t step = s == list->implied ? limit - sum : distance(r, record, s);
        const uint32_t state = list->fields[s].state;
        if (step == 0)
            return bad(o, where, "distance between rows is 0");
        if (o->b && state != UNWIND_NO_STATE &&
            !unwind_add_row(o->b, (uint32_t)off << r->unit, &r->states[state]))
            return bo_fail_alloc(o->err, o->arena);
        off += step;
    }
    return BO_OK;
}

static enum bo_status walk_entry(struct opening *o, const struct at *at, uint32_t *end)
{
    struct reader *r = o->r;
    const struct segment *s = at->segment;
    const uint8_t *block = s->blocks + (size_t)(at->number / UNWIND_SEQ_BLOCK) * s->stride;
    const unsigned i = at->number % UNWIND_SEQ_BLOCK, id = block[UNWIND_SEQ_IDS + i];
    const bool special = bo_le16(block + 4) >> i & 1;
    const uint64_t record_nbits = 8 * (uint64_t)r->records.n;
    struct record record = {.bit = o->next_bit, .width = UNWIND_SEQ_NARROW};
    if (i == 0 && bo_le32(block) != o->next_bit)
        return bad(o, block, "block's records do not follow those of the block before");
    if (i && i % UNWIND_SEQ_STEP == 0) {
        const uint64_t mark = o->next_bit - bo_le32(block);
        if (bo_le16(block + 4 + i / 2) != (mark < UNWIND_SEQ_NO_MARK ? mark : UNWIND_SEQ_NO_MARK))
            return bad(o, block + 4 + i / 2, "mark is not where a record begins");
    }
    if (id == UNWIND_SEQ_LONG && !special)
        return bad(o, block + UNWIND_SEQ_IDS + i, "long list number without a special record");
    if (special) {
        const unsigned head = UNWIND_SEQ_WIDTH_BITS + (id == UNWIND_SEQ_LONG ? r->long_bits : 0u);
        if (head > record_nbits - o->next_bit)
            return bad(o, block, "record runs past the records' end");
        const uint64_t list =
            id + (uint64_t)(id == UNWIND_SEQ_LONG
                                ? bo_bits_at(r->records.p, o->next_bit, r->long_bits)
                                : 0);
        if (list >= r->n_lists)
            return bad(o, block + UNWIND_SEQ_IDS + i, "list number is out of range");
        record = special_record(r, id, o->next_bit);
        if (record.width != UNWIND_SEQ_NARROW && record.width > UNWIND_MAX_WIDTH)
            return bad(o, block, "field has more than 32 bits");
        if (id != UNWIND_SEQ_LONG && record.width == UNWIND_SEQ_NARROW)
            return bad(o, block, "special record has the dictionary's widths");
        if (record.width != UNWIND_SEQ_NARROW && record.list->n < 2)
            return bad(o, block, "special record has no fields");
    } else {
        if (id >= r->n_lists)
            return bad(o, block + UNWIND_SEQ_IDS + i, "list number is out of range");
        record.list = &r->lists[id];
    }
    const uint64_t bit_end = record_end(&record);
    if (bit_end > record_nbits || bit_end > UINT32_MAX)
        return bad(o, block, "record runs past the records' end");
    o->next_bit = bit_end;
    o->n_rows += record.list->n + UINT64_C(1);
    if (o->n_rows > max_rows(o))
        return bo_fail(o->err, BO_OVER_LIMIT, o->frame.part_off[0],
                       "more than 256 rows for each byte");
    const bool is_last = at->number + 1 == s->n;
    const uint32_t pad = pad_of(s, at->fields);
    const uint64_t own_end = is_last ? s->start + (uint64_t)s->span : end_of(r, at);
    if (is_last && pad)
        return bad(o, block, "last function of a segment has padding");
    if (own_end <= at->start || (own_end - at->start) & ((1u << r->unit) - 1))
        return bad(o, block, "function's length is not a positive multiple of the unit");
    *end = (uint32_t)own_end;
    if (record.list->flags & UNWIND_LIST_HOLE) {
        if (is_last || pad || !o->after_function)
            return bad(o, block, "hole has padding, or is not between functions");
        o->after_function = false;
        return BO_OK;
    }
    o->after_function = true;
    r->n_functions++;
    if (r->base > UINT64_MAX - own_end)
        return bad(o, block, "function ends past 2^64");
    return walk_record(o, &record, at->start, (uint32_t)(own_end - at->start), block);
}

/* The entries of a segment, whose upper bits and blocks have been checked to lie in the part. */
static enum bo_status walk_segment(struct opening *o, const struct segment *s)
{
    struct at at = {.segment = s};
    uint64_t bit = 0, before = 0;
    uint32_t ignored;
    for (; bit < s->n_upper_bits; bit++) {
        const uint32_t bucket = (uint32_t)(bit - at.number);
        const bool one = upper_bit(s, bit);
        if (bucket % UNWIND_SEQ_SAMPLED == 0 && (bit == 0 || !upper_bit(s, bit - 1)) &&
            bo_le16(s->samples + 2 * (size_t)(bucket / UNWIND_SEQ_SAMPLED)) != at.number)
            return bad(o, s->samples, "sample of the starts is wrong");
        if (!one)
            continue;
        const uint64_t x = (uint64_t)bucket << s->low_bits | low_of(s, at.number);
        if (at.number == 0 ? x != 0 : x <= before)
            return bad(o, s->upper, "starts of a segment do not ascend from its own");
        if (x << s->quantum >= s->span)
            return bad(o, s->upper, "function starts past the segment's end");
        before = x;
        at.number++;
    }
    /* Ends need the next start, so that all starts are checked first. */
    at.number = 0;
    o->after_function = false;
    for (bit = 0; bit < s->n_upper_bits; bit++) {
        if (!upper_bit(s, bit))
            continue;
        at.bit = bit;
        place(&at);
        const enum bo_status status = walk_entry(o, &at, &ignored);
        if (status)
            return status;
        at.number++;
    }
    return BO_OK;
}

static bool zero_bits(const uint8_t *p, uint64_t from, uint64_t to)
{
    for (; from < to; from++)
        if (bo_bit_at(p, from))
            return false;
    return true;
}

/* Bits of a segment that no entry uses must be 0. */
static enum bo_status check_zeros(const struct opening *o, const struct segment *s)
{
    const uint32_t in_last = (s->n - 1) % UNWIND_SEQ_BLOCK + 1;
    const uint8_t *block = s->blocks + (size_t)((s->n - 1) / UNWIND_SEQ_BLOCK) * s->stride;
    const uint64_t used = (uint64_t)in_last * (s->low_bits + s->pad_bits);
    const uint64_t all = 8 * (uint64_t)(s->stride - UNWIND_SEQ_BLOCK_FIELDS);
    const uint64_t n_words = (s->n_upper_bits + 63) / 64;
    if (!zero_bits(s->upper, s->n_upper_bits, 64 * n_words))
        return bad(o, s->upper, "bits after the last bucket are not 0");
    if (!zero_bits(block + UNWIND_SEQ_BLOCK_FIELDS, used, all) ||
        !zero_bits(block + 4, in_last, 16) ||
        !zero_bits(block + 6, 16 * (uint64_t)((in_last - 1) / UNWIND_SEQ_STEP), 48) ||
        !zero_bits(block + UNWIND_SEQ_IDS, 8 * (uint64_t)in_last, 8 * UNWIND_SEQ_BLOCK))
        return bad(o, block, "entries after the last one are not 0");
    return BO_OK;
}

/* Removes nbytes from the front of the part. */
static const uint8_t *take(struct bo_cursor *c, uint64_t nbytes)
{
    const uint8_t *p = NULL;
    return nbytes <= bo_left(c) && bo_get_bytes(c, (size_t)nbytes, &p) ? p : NULL;
}

/* One segment: its head, then its samples, upper bits and blocks. */
static enum bo_status open_segment(struct opening *o, struct bo_cursor *c, const uint8_t *head,
                                   uint64_t last_end, struct segment *s)
{
    const uint64_t n_buckets = bo_le32(head + 12);
    *s = (struct segment){.start = bo_le32(head),
                          .span = bo_le32(head + 4),
                          .n = bo_le32(head + 8),
                          .quantum = head[16],
                          .low_bits = head[17]};
    if (s->quantum > UNWIND_SEQ_MAX_QUANTUM || s->quantum < o->r->unit || s->low_bits > 31 ||
        bo_le16(head + 18))
        return bad(o, head + 16, "quantum or low bits of a segment are out of range");
    if (s->n > UNWIND_SEQ_MAX_ENTRIES)
        return bad(o, head + 8, "segment has more than 65535 entries");
    if (s->start < last_end || s->span == 0 || s->n == 0 || s->span > UINT32_MAX - s->start)
        return bad(o, head, "segments overlap, are empty, or exceed 4 GiB");
    if (n_buckets == 0 || (n_buckets - 1) << s->low_bits > UINT32_MAX)
        return bad(o, head + 12, "number of buckets is out of range");
    s->pad_bits = s->quantum - o->r->unit;
    s->low_mask = (UINT32_C(1) << s->low_bits) - 1;
    s->pad_mask = (UINT32_C(1) << s->pad_bits) - 1;
    s->stride = (uint32_t)unwind_seq_stride(s->low_bits, s->pad_bits);
    s->n_upper_bits = s->n + n_buckets;
    s->samples = take(c, 2 * ((n_buckets + UNWIND_SEQ_SAMPLED - 1) / UNWIND_SEQ_SAMPLED));
    s->upper = s->samples ? take(c, 8 * ((s->n_upper_bits + 63) / 64)) : NULL;
    s->blocks = s->upper ? take(c, (s->n + UINT64_C(15)) / UNWIND_SEQ_BLOCK * s->stride) : NULL;
    if (!s->blocks)
        return bad(o, head, "segment runs past the part's end");
    uint64_t n_ones = 0;
    for (uint64_t bit = 0; bit < s->n_upper_bits; bit++)
        n_ones += upper_bit(s, bit);
    if (n_ones != s->n || upper_bit(s, s->n_upper_bits - 1) || !upper_bit(s, s->n_upper_bits - 2))
        return bad(o, s->upper, "upper bits do not have one 1 for each entry and end in 10");
    return check_zeros(o, s);
}

static enum bo_status open_segments(struct opening *o, struct bo_cursor *c)
{
    struct reader *r = o->r;
    const uint8_t *heads = take(c, (uint64_t)r->n_segments * UNWIND_SEQ_SEGMENT);
    struct segment *segments =
        heads ? bo_alloc_array(o->arena, r->n_segments, sizeof *segments) : NULL;
    uint64_t n_entries = 0, end = 0;
    if (!heads)
        return bad(o, c->p, "segments run past the part's end");
    if (!segments)
        return bo_fail_alloc(o->err, o->arena);
    r->segments = segments;
    for (uint32_t i = 0; i < r->n_segments; i++) {
        const uint8_t *head = heads + (size_t)i * UNWIND_SEQ_SEGMENT;
        const enum bo_status status = open_segment(o, c, head, end, &segments[i]);
        if (status)
            return status;
        if (i == 0 && segments[0].start)
            return bad(o, head, "first segment does not start at Base");
        end = segments[i].start + (uint64_t)segments[i].span;
        n_entries += segments[i].n;
    }
    return n_entries == r->n_entries ? BO_OK
                                     : bad(o, heads, "number of entries is not the segments' sum");
}

static enum bo_status open_payload(struct opening *o, struct bo_span in)
{
    struct reader *r = o->r;
    struct unwind_dictionary d;
    enum bo_status status = unwind_frame_open(in, 1, &o->frame, o->err);
    if (status)
        return status;
    const struct bo_span part = o->frame.parts[0];
    if (part.n < UNWIND_SEQ_HEADER)
        return bo_fail(o->err, BO_TRUNCATED, o->frame.part_off[0], "part ends inside its header");
    *r = (struct reader){.base = o->frame.base,
                         .arch = o->frame.arch,
                         .n_segments = bo_le32(part.p),
                         .n_entries = bo_le32(part.p + 4),
                         .unit = part.p[16],
                         .long_bits = part.p[17]};
    const uint64_t records_nbytes = bo_le32(part.p + 8), dictionary_nbytes = bo_le32(part.p + 12);
    if (bo_le16(part.p + 18) || r->unit > 2 || r->long_bits > 24)
        return bad(o, part.p + 16, "unit or bits of long list numbers are out of range");
    if (r->n_entries == 0 && r->base)
        return bad(o, part.p + 4, "Base is not 0, but there are no functions");
    struct bo_cursor c = {.p = part.p, .n = part.n, .off = UNWIND_SEQ_HEADER};
    status = open_segments(o, &c);
    if (status)
        return status;
    if (bo_left(&c) != records_nbytes + dictionary_nbytes)
        return bad(o, part.p + 8, "sizes of records and dictionary do not match the part's");
    r->records = (struct bo_span){part.p + c.off, (size_t)records_nbytes};
    const struct bo_span dictionary = {r->records.p + records_nbytes, (size_t)dictionary_nbytes};
    status = unwind_get_dictionary(unwind_seq_known(o->self, r->arch), dictionary,
                                   o->frame.part_off[0] + (c.off + records_nbytes), max_rows(o),
                                   r->arch, o->arena, &d, o->err);
    status = status ? status : expand_lists(o, &d);
    for (uint32_t i = 0; i < r->n_segments && !status; i++)
        status = walk_segment(o, &r->segments[i]);
    if (status)
        return status;
    return (o->next_bit + 7) / 8 == records_nbytes &&
                   zero_bits(r->records.p, o->next_bit, 8 * records_nbytes)
               ? BO_OK
               : bad(o, part.p + c.off, "bits follow the last record");
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *r = bo_alloc(arena, sizeof *r);
    struct opening o = {.self = self, .r = r, .err = err, .arena = arena};
    if (!r)
        return bo_fail_alloc(err, arena);
    *reader_ret = r;
    return open_payload(&o, in);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader r;
    struct unwind_builder b = {.arena = arena};
    struct opening o = {.self = self, .r = &r, .err = err, .arena = arena, .b = &b};
    const enum bo_status status = open_payload(&o, in);
    if (status)
        return status;
    *model_ret = unwind_build(&b, r.arch);
    return *model_ret ? BO_OK : bo_fail_alloc(err, arena);
}

const struct bo_codec unwind_sequences = {
    .name = "sequences",
    .summary = "functions as numbers of shared lists of states, distances in fixed fields",
    .spec = "codecs/unwind/README.md#sequences",
    .choices = "segments, order of the lists, implied distances, widths of fields",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .paths = BO_PATH_V3,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_FUNCTION | 1u << UNWIND_SCAN,
    .encode = unwind_seq_encode,
    .decode = decode,
    .open = open,
    .query = unwind_seq_query,
};

const struct bo_codec unwind_sequences_fixed = {
    .name = "sequences-fixed",
    .summary = "as sequences, with lists of a fixed dictionary, which an assembler has",
    .spec = "codecs/unwind/README.md#sequences-fixed",
    .choices = "as sequences, but nothing of the fixed lists",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .paths = BO_PATH_V3,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_FUNCTION | 1u << UNWIND_SCAN,
    .own = &unwind_seq_fixed,
    .encode = unwind_seq_encode,
    .decode = decode,
    .open = open,
    .query = unwind_seq_query,
};
