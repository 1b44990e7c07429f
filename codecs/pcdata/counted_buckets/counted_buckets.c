/*
 * counted-buckets: bakeoff's own, for a reader in plain code and a compiler that sees one function
 * at a time. There is no dictionary: a record is a function of its table. The text is cut into
 * buckets of 2^low quanta, each with a 2-bit count of the runs that start in it; a lookup adds up
 * the counts below its bucket and compares at most three starts.
 *
 * Bits are packed, least significant first; a record is padded with 0 bits to a byte.
 *
 *   whole record:
 *     4    low; 0 if width is 0
 *     4    width, 0 .. 14; 0 only for a table of one run
 *     3    base: -2, -1, 0 with shift 3, 0 with shift 2, and 0 with a bias of 1, 2, 3, 4 bytes
 *     .    unless width is 0: for each of the ((text length - 1) >> low) + 1 buckets, at most 30, 2
 *          bits: how many runs but the first start in it
 *     .    bias
 *     .    value 0; then for each other run `low` low bits of its start, and its value
 *   A value of `width` bits means base + bias + (value << shift), mod 2^32.
 *
 *   split record, in blocks of 2^k quanta:
 *     4    k - 4
 *     4    15
 *     5    o
 *     6    b, at most 32
 *     3    base
 *     .    bias
 *     .    index: for each block 5 width (31 means 32); 1 clustered; 3 low; b bias of the
 *          block; o offset of the block in bytes from the end of the index
 *     .    0 bits up to a byte, where the index ends; then the blocks
 *
 *   block, of no bits and with offset 0 if width is 0, which is for a single run:
 *     .    0 bits, fewer than 8, so that the offset is at a byte
 *     .    if clustered: high parts of `width` - cluster low bits, the last first; 4 their
 *          number - 1; 5 cluster low
 *     here is the offset
 *     .    2-bit counts, where a start has max(0, k - 6) + low low bits; if low is 7: 6 bits with
 *          the number of starts - 1, and all k bits of a start are low bits
 *     .    value of the run that covers the block's start; then a start and a value for each other.
 *          A clustered value is its low bits, then the number of its high part in as many bits as
 *          the last number has
 *   A value means base + bias + ((bias of the block + value) << shift).
 */
#include "codecs/pcdata/counted_buckets/counted_buckets.h"

#define INLINE __attribute__((always_inline)) static inline

INLINE uint32_t low_mask(unsigned nbits)
{
    return (uint32_t)((UINT64_C(1) << nbits) - 1);
}

/* ---- split records: head, index entries, clusters -------------------------------------------- */

INLINE bool is_split(const uint8_t *record)
{
    return record[0] >> 4 == COUNTED_SPLIT;
}

struct split {
    const uint8_t *record;
    uint32_t text_quanta, n_blocks;
    unsigned block_shift, offset_nbits, bias_nbits, shift;
    uint32_t least;
    unsigned entry_nbits;
    uint64_t index_at, index_end; /* in bits from the record's first byte */
    const uint8_t *blocks;        /* what offsets count from */
};

INLINE struct split read_split(const uint8_t *record, uint32_t text_quanta)
{
    const uint64_t head = bo_le64(record);
    const struct counted_base *base = &counted_bases[head >> 19 & 7];
    const unsigned bias_nbits = 8u * base->nbytes;
    struct split s = {.record = record,
                      .text_quanta = text_quanta,
                      .block_shift = (head & 15) + COUNTED_MIN_BLOCK_SHIFT,
                      .offset_nbits = head >> 8 & 31,
                      .bias_nbits = head >> 13 & 63,
                      .shift = base->shift};
    s.least = (uint32_t)base->base +
              ((uint32_t)(head >> COUNTED_SPLIT_HEAD_NBITS) & low_mask(bias_nbits));
    s.n_blocks = counted_n_blocks(text_quanta, s.block_shift);
    s.entry_nbits = COUNTED_ENTRY_FIXED_NBITS + s.bias_nbits + s.offset_nbits;
    s.index_at = COUNTED_SPLIT_HEAD_NBITS + bias_nbits;
    s.index_end = s.index_at + (uint64_t)s.n_blocks * s.entry_nbits;
    s.blocks = record + (s.index_end + 7) / 8;
    return s;
}

/* An entry of the index, taken apart. */
struct entry {
    unsigned width, low;
    bool clustered;
    uint32_t bias;
    const uint8_t *block;
};

INLINE struct entry read_entry(const struct split *s, uint32_t number)
{
    const uint64_t at = s->index_at + (uint64_t)number * s->entry_nbits;
    const uint64_t fields = bo_le64(s->record + at / 8) >> at % 8;
    const unsigned bias_end = COUNTED_ENTRY_FIXED_NBITS + s->bias_nbits;
    const unsigned width = fields & 31;
    return (struct entry){
        .width = width == COUNTED_ENTRY_WIDTH_32 ? 32 : width,
        .low = fields >> 6 & 7,
        .clustered = fields >> 5 & 1,
        .bias = (uint32_t)(fields >> COUNTED_ENTRY_FIXED_NBITS) & low_mask(s->bias_nbits),
        .block = s->blocks + bo_bits_at(s->record, at + bias_end, s->offset_nbits),
    };
}

/* How values are stored: in `nbits`, of which those above `low` are the number of a high part. */
struct clusters {
    unsigned nbits, low;
    unsigned n; /* high parts; 0: not clustered */
};

INLINE struct clusters read_clusters(const struct entry *e)
{
    if (!e->clustered)
        return (struct clusters){.nbits = e->width};
    const unsigned head = bo_le16(e->block - 2) >> (16 - COUNTED_CLUSTERS_HEAD_NBITS);
    const unsigned n = (head & (COUNTED_MAX_CLUSTERS - 1)) + 1,
                   low = head >> COUNTED_CLUSTERS_NBITS;
    return (struct clusters){low + bo_bit_width(n - 1), low, n};
}

/* The value of `width` bits that `field` encodes in a block. */
INLINE uint32_t value_of_field(const uint8_t *block, const struct clusters *c, unsigned width,
                               uint32_t field)
{
    if (!c->n)
        return field;
    const unsigned high_nbits = width - c->low;
    const unsigned back = COUNTED_CLUSTERS_HEAD_NBITS + ((field >> c->low) + 1) * high_nbits;
    const uint32_t high = bo_bits_at(block - (back + 7) / 8, -back % 8, high_nbits);
    return high << c->low | (field & low_mask(c->low));
}

/* ---- lookups --------------------------------------------------------------------------------- */

/* The sum of 32 2-bit counts. */
INLINE unsigned sum_counts(uint64_t counts)
{
    const uint64_t even = 0x3333333333333333u, bytes = 0x0f0f0f0f0f0f0f0fu;
    counts = (counts & even) + (counts >> 2 & even);
    counts = (counts & bytes) + (counts >> 4 & bytes);
    return (unsigned)(counts * 0x0101010101010101u >> 56);
}

/* Of 32 counts, those below bit `at`. */
INLINE unsigned sum_counts_below(uint64_t counts, unsigned at)
{
    return sum_counts(counts & ((UINT64_C(1) << at) - 1));
}

/* Moves from the value at bit `at` past up to `n_starts` starts that are not above `rest`. */
INLINE uint64_t pass_starts(const uint8_t *p, uint64_t at, unsigned value_nbits, unsigned low,
                            unsigned n_starts, uint32_t rest)
{
    for (; n_starts && bo_bits_at(p, at + value_nbits, low) <= rest; n_starts--)
        at += low + value_nbits;
    return at;
}

/* The value in a block of so many quanta, `rest` quanta from its start. */
INLINE uint32_t lookup_block(const struct entry *e, unsigned block_shift, uint32_t quanta,
                             uint32_t rest)
{
    const struct clusters c = read_clusters(e);
    uint64_t at;
    if (__builtin_expect(e->low == COUNTED_LISTED, 0)) {
        const unsigned n_starts = (e->block[0] & (COUNTED_MAX_LIST - 1)) + 1;
        at = pass_starts(e->block, COUNTED_LIST_NBITS, c.nbits, block_shift, n_starts, rest);
    } else {
        const unsigned low = counted_least_low(block_shift) + e->low;
        const uint32_t bucket = rest >> low;
        const uint64_t counts = bo_le64(e->block + bucket / 32 * 8);
        const unsigned count_at = 2 * bucket % 64;
        unsigned i = sum_counts_below(counts, count_at);
        if (bucket >= 32)
            i += sum_counts(bo_le64(e->block));
        at = 2 * counted_n_buckets(quanta, low) + i * (low + c.nbits);
        at = pass_starts(e->block, at, c.nbits, low, counts >> count_at & 3, rest & low_mask(low));
    }
    return value_of_field(e->block, &c, e->width, bo_bits_at(e->block, at, c.nbits));
}

static int32_t lookup_split(const uint8_t *record, uint32_t text_quanta, uint32_t pc)
{
    const struct split s = read_split(record, text_quanta);
    const uint32_t number = pc >> s.block_shift;
    const struct entry e = read_entry(&s, number);
    uint32_t value = e.bias;
    if (e.width)
        value += lookup_block(&e, s.block_shift,
                              counted_block_quanta(text_quanta, s.block_shift, number),
                              pc & low_mask(s.block_shift));
    return (int32_t)(s.least + (value << s.shift));
}

/*
 * With branches where they save work: a lookup without them takes twice as many instructions, which
 * costs more than the branches that are predicted wrong.
 */
static inline int32_t lookup(const void *reader, const uint8_t *record, uint32_t text_quanta,
                             uint32_t pc)
{
    (void)reader;
    const uint64_t head = bo_le64(record);
    const unsigned low = head & 15, width = head >> 4 & 15;
    if (__builtin_expect(width == COUNTED_SPLIT, 0))
        return lookup_split(record, text_quanta, pc);
    const struct counted_base *base = &counted_bases[head >> 8 & 7];
    const unsigned bias_nbits = 8u * base->nbytes;
    unsigned bias_at = COUNTED_HEAD_NBITS;
    uint32_t value = 0;
    if (__builtin_expect(width != 0, 1)) {
        const uint64_t counts = bo_le64(record + 1) >> (COUNTED_HEAD_NBITS - 8);
        const unsigned count_at = 2 * (pc >> low);
        bias_at += 2 * counted_n_buckets(text_quanta, low);
        uint64_t at = bias_at + bias_nbits + sum_counts_below(counts, count_at) * (low + width);
        at = pass_starts(record, at, width, low, counts >> count_at & 3, pc & low_mask(low));
        value = bo_bits_at(record, at, width) << base->shift;
    }
    if (bias_nbits)
        value += bo_bits_at(record, bias_at, bias_nbits);
    return (int32_t)((uint32_t)base->base + value);
}

/* ---- a stretch of text whose runs are stored together: a whole record, or a block ------------ */

struct part {
    const uint8_t *from;    /* the record or block: where bits are counted from */
    uint32_t start, quanta; /* of the text */
    bool listed;            /* no counts, but a number of starts */
    unsigned low, width;
    struct clusters clusters;
    uint64_t counts_at, values_at;
    uint32_t least; /* the value that a field of 0 means */
    unsigned shift;
};

INLINE uint32_t n_buckets_of(const struct part *p)
{
    return p->listed ? 1 : counted_n_buckets(p->quanta, p->low);
}

INLINE uint32_t count_of(const struct part *p, uint32_t bucket)
{
    if (p->listed)
        return bo_bits_at(p->from, p->counts_at, COUNTED_LIST_NBITS) + 1;
    return bo_bits_at(p->from, p->counts_at + 2 * (uint64_t)bucket, 2);
}

INLINE uint64_t counts_nbits(const struct part *p)
{
    return p->listed ? COUNTED_LIST_NBITS : 2 * (uint64_t)n_buckets_of(p);
}

/* Where the value of run i is; its start is in front of it. */
INLINE uint64_t value_at(const struct part *p, uint32_t i)
{
    return p->values_at + (uint64_t)i * (p->low + p->clusters.nbits);
}

INLINE uint32_t field_of(const struct part *p, uint32_t i)
{
    return bo_bits_at(p->from, value_at(p, i), p->clusters.nbits);
}

INLINE int32_t value_of(const struct part *p, uint32_t i)
{
    const uint32_t value = value_of_field(p->from, &p->clusters, p->width, field_of(p, i));
    return (int32_t)(p->least + (value << p->shift));
}

INLINE struct part read_whole(const uint8_t *record, uint32_t text_quanta)
{
    const uint32_t head = bo_le16(record);
    const struct counted_base *base = &counted_bases[head >> 8 & 7];
    const unsigned bias_nbits = 8u * base->nbytes;
    struct part p = {.from = record,
                     .quanta = text_quanta,
                     .low = head & 15,
                     .width = head >> 4 & 15,
                     .counts_at = COUNTED_HEAD_NBITS,
                     .shift = base->shift};
    p.clusters.nbits = p.width;
    const uint64_t bias_at = p.counts_at + (p.width ? counts_nbits(&p) : 0);
    p.least = (uint32_t)base->base + bo_bits_at(record, bias_at, bias_nbits);
    p.values_at = bias_at + bias_nbits;
    return p;
}

INLINE struct part read_block(const struct split *s, const struct entry *e, uint32_t number)
{
    struct part p = {
        .from = e->block,
        .start = number << s->block_shift,
        .quanta = counted_block_quanta(s->text_quanta, s->block_shift, number),
        .listed = e->low == COUNTED_LISTED,
        .width = e->width,
        .clusters = read_clusters(e),
        .least = s->least + (e->bias << s->shift),
        .shift = s->shift,
    };
    p.low = p.listed ? s->block_shift : counted_least_low(s->block_shift) + e->low;
    p.values_at = counts_nbits(&p);
    return p;
}

struct part_cursor {
    uint32_t bucket; /* the next one */
    uint32_t left;   /* starts of the bucket before that are still to come */
    uint32_t i;      /* the run that was returned last; 0 at first */
};

/* The next start, in quanta of the text; false when the part has no more. */
INLINE bool next_start(const struct part *p, struct part_cursor *c, uint32_t *start_ret)
{
    for (const uint32_t n = n_buckets_of(p); !c->left; c->bucket++) {
        if (c->bucket == n)
            return false;
        c->left = count_of(p, c->bucket);
    }
    c->left--;
    const uint32_t bucket_start = p->listed ? 0 : (c->bucket - 1) << p->low;
    *start_ret =
        p->start + bucket_start + bo_bits_at(p->from, value_at(p, ++c->i) - p->low, p->low);
    return true;
}

static void scan_part(const struct part *p, struct pcdata_scan_out *out)
{
    struct part_cursor c = {0};
    uint32_t start;
    pcdata_scan_add(out, p->start, value_of(p, 0));
    while (p->width && next_start(p, &c, &start))
        pcdata_scan_add(out, start, value_of(p, c.i));
}

static void scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    (void)reader;
    if (!is_split(record)) {
        const struct part whole = read_whole(record, text_quanta);
        scan_part(&whole, out);
        return;
    }
    const struct split s = read_split(record, text_quanta);
    for (uint32_t b = 0; b < s.n_blocks; b++) {
        const struct entry e = read_entry(&s, b);
        const struct part p = read_block(&s, &e, b);
        scan_part(&p, out);
    }
}

/* ---- checking and decoding ------------------------------------------------------------------- */

/* What walks over one record share; errors are at the record's first byte. */
struct walk {
    const struct bo_cursor *at;
    const uint8_t *record;
    uint64_t limit; /* bits from the record's first byte to the area's end */
    unsigned quantum_shift;
    struct pcdata_collector *runs;
    struct bo_error *err;
};

static enum bo_status corrupt(const struct walk *w, const char *what)
{
    return bo_fail_here(w->err, BO_CORRUPT, w->at, what);
}

static enum bo_status past_the_end(const struct walk *w)
{
    return bo_fail_here(w->err, BO_TRUNCATED, w->at, "record runs past the area's end");
}

static enum bo_status collect(const struct walk *w, uint32_t start, int32_t value)
{
    return pcdata_collect(w->runs, start << w->quantum_shift, value)
               ? BO_OK
               : bo_fail_alloc(w->err, w->runs->arena);
}

/* Whether the bits [from, to) are fewer than 8, and 0; `to` is inside the area. */
static bool is_padding(const struct walk *w, uint64_t from, uint64_t to)
{
    return to >= from && to - from < 8 && !bo_bits_at(w->record, from, (unsigned)(to - from));
}

/*
 * Walks a part that starts inside the area; its counts, at most 16 bytes, may reach past the end.
 * *end_ret is its end in bits from the record's first byte.
 */
static enum bo_status walk_part(const struct walk *w, const struct part *p, uint64_t *end_ret)
{
    uint32_t n_starts = 0;
    for (uint32_t b = 0; b < n_buckets_of(p); b++)
        n_starts += count_of(p, b);
    if (n_starts == 0)
        return corrupt(w, "values have a width, but no run starts after the first");
    *end_ret = 8 * (uint64_t)(p->from - w->record) + value_at(p, n_starts) + p->clusters.nbits;
    if (*end_ret > w->limit)
        return past_the_end(w);
    for (uint32_t i = 0; i <= n_starts && p->clusters.n; i++)
        if (field_of(p, i) >> p->clusters.low >= p->clusters.n)
            return corrupt(w, "number of a high part that the block does not have");
    struct part_cursor c = {0};
    uint32_t start, previous = p->start;
    int32_t value = value_of(p, 0);
    enum bo_status status = collect(w, p->start, value);
    while (!status && next_start(p, &c, &start)) {
        const int32_t next = value_of(p, c.i);
        if (start <= previous || start - p->start >= p->quanta)
            return corrupt(w, "starts of runs do not ascend below the text's end");
        if (next == value)
            return corrupt(w, "start of a run does not change the value");
        status = collect(w, start, next);
        previous = start;
        value = next;
    }
    return status;
}

static enum bo_status walk_whole(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    const unsigned low = w->record[0] & 15, width = w->record[0] >> 4;
    if (width == 0 && low)
        return corrupt(w, "low bits in a record of one run");
    if (width && counted_n_buckets(text_quanta, low) > COUNTED_MAX_BUCKETS)
        return corrupt(w, "more than 30 buckets");
    const struct part whole = read_whole(w->record, text_quanta);
    if (width)
        return walk_part(w, &whole, end_ret);
    *end_ret = whole.values_at;
    return *end_ret <= w->limit ? collect(w, 0, (int32_t)whole.least) : past_the_end(w);
}

/* Walks a block; *end_ret is where the one before it ends, and then where this one does. */
static enum bo_status walk_block(const struct walk *w, const struct split *s, uint32_t number,
                                 uint64_t *end_ret)
{
    const struct entry e = read_entry(s, number);
    if (e.width == 0)
        return e.clustered || e.low || e.block != s->blocks
                   ? corrupt(w, "block of one run with more than a bias")
                   : collect(w, number << s->block_shift,
                             (int32_t)(s->least + (e.bias << s->shift)));
    const uint64_t at = 8 * (uint64_t)(e.block - w->record);
    if (at >= w->limit)
        return past_the_end(w);
    const struct part p = read_block(s, &e, number);
    if (p.clusters.n && p.clusters.low >= p.width)
        return corrupt(w, "clusters without high parts");
    const unsigned clusters_nbits =
        p.clusters.n ? COUNTED_CLUSTERS_HEAD_NBITS + p.clusters.n * (p.width - p.clusters.low) : 0;
    if (!is_padding(w, *end_ret, at - clusters_nbits))
        return corrupt(w, "block does not follow the one before it");
    if (p.low > s->block_shift)
        return corrupt(w, "more low bits than a start has");
    return walk_part(w, &p, end_ret);
}

static enum bo_status walk_split(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    const struct split s = read_split(w->record, text_quanta);
    if (s.bias_nbits > 32)
        return corrupt(w, "bias of a block has more than 32 bits");
    *end_ret = (s.index_end + 7) / 8 * 8;
    if (*end_ret > w->limit)
        return past_the_end(w);
    if (!is_padding(w, s.index_end, *end_ret))
        return corrupt(w, "bits after an index are not 0");
    enum bo_status status = BO_OK;
    for (uint32_t b = 0; b < s.n_blocks && !status; b++)
        status = walk_block(w, &s, b, end_ret);
    return status;
}

static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    (void)context;
    const struct walk w = {.at = in,
                           .record = in->p + in->off,
                           .limit = 8 * (uint64_t)bo_left(in),
                           .quantum_shift = frame->quantum_shift,
                           .runs = runs,
                           .err = err};
    uint64_t end;
    if (bo_left(in) == 0)
        return past_the_end(&w);
    const enum bo_status status =
        is_split(w.record) ? walk_split(&w, text_quanta, &end) : walk_whole(&w, text_quanta, &end);
    if (status)
        return status;
    if (!is_padding(&w, end, (end + 7) / 8 * 8))
        return corrupt(&w, "bits after a record are not 0");
    in->off += (size_t)((end + 7) / 8);
    return BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return pcdata_put_frame(model, counted_put_record, out, err);
}

#include "codecs/pcdata/plain_reader.h"

const struct bo_codec pcdata_counted_buckets = {
    .name = "counted-buckets",
    .summary = "2-bit counts of starts for each bucket, fixed-width fields; no dictionary",
    .spec = "codecs/pcdata/README.md#counted-buckets",
    .choices = "which equal tables share bytes, the widths of fields, where long tables are split",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .kinds = 1u << PCDATA_POINT | 1u << PCDATA_SCAN,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
